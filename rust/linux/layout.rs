// SPDX-License-Identifier: GPL-2.0

//! Compile-time checks that Rust and C agree on the layout of every struct they share.
//!
//! bindgen reads the kernel's headers with libclang, but the kernel may be built with another
//! compiler or other flags. If a struct had another size, Rust code would write past its end. The
//! numbers of the C side come from the kernel's compiler (`include/layout.c`). Any difference fails
//! the build here.

use super::bindings::*;
use core::mem::{
    offset_of,
    size_of, //
};

/// Sizes and offsets by the C compiler; generated during the build.
mod c {
    include!(env!("UNCORE_LAYOUT"));
}

/// Fails the build unless both sides are equal.
macro_rules! same {
    ($($c:ident == $rust:expr;)*) => {
        $(const _: () = assert!(
            c::$c == $rust,
            concat!("C and Rust disagree on ", stringify!($c))
        );)*
    };
}

same! {
    SIZEOF_PMU == size_of::<pmu>();
    PMU_MODULE == offset_of!(pmu, module);
    PMU_ATTR_GROUPS == offset_of!(pmu, attr_groups);
    PMU_CAPABILITIES == offset_of!(pmu, capabilities);
    PMU_TASK_CTX_NR == offset_of!(pmu, task_ctx_nr);
    PMU_ENABLE == offset_of!(pmu, pmu_enable);
    PMU_DISABLE == offset_of!(pmu, pmu_disable);
    PMU_EVENT_INIT == offset_of!(pmu, event_init);
    PMU_ADD == offset_of!(pmu, add);
    PMU_DEL == offset_of!(pmu, del);
    PMU_START == offset_of!(pmu, start);
    PMU_STOP == offset_of!(pmu, stop);
    PMU_READ == offset_of!(pmu, read);
}

same! {
    SIZEOF_PERF_EVENT == size_of::<perf_event>();
    PERF_EVENT_GROUP_LEADER == offset_of!(perf_event, group_leader);
    PERF_EVENT_PMU == offset_of!(perf_event, pmu);
    PERF_EVENT_PMU_PRIVATE == offset_of!(perf_event, pmu_private);
    PERF_EVENT_ATTACH_STATE == offset_of!(perf_event, attach_state);
    PERF_EVENT_ATTR == offset_of!(perf_event, attr);
    PERF_EVENT_HW == offset_of!(perf_event, hw);
    PERF_EVENT_CPU == offset_of!(perf_event, cpu);
    PERF_EVENT_DESTROY == offset_of!(perf_event, destroy);
    PERF_EVENT_ID == offset_of!(perf_event, id);
    SIZEOF_HW_PERF_EVENT == size_of::<hw_perf_event>();
    HW_PERF_EVENT_STATE == offset_of!(hw_perf_event, state);
}

// The bits (`exclude_*` and others) lie between `read_format` and `wakeup_events`.
same! {
    SIZEOF_PERF_EVENT_ATTR == size_of::<perf_event_attr>();
    ATTR_CONFIG == offset_of!(perf_event_attr, config);
    ATTR_SAMPLE_PERIOD == offset_of!(perf_event_attr, __bindgen_anon_1);
    ATTR_CONFIG1 == offset_of!(perf_event_attr, __bindgen_anon_3);
    ATTR_CONFIG2 == offset_of!(perf_event_attr, __bindgen_anon_4);
    ATTR_CONFIG3 == offset_of!(perf_event_attr, config3);
    ATTR_CONFIG4 == offset_of!(perf_event_attr, config4);
    ATTR_READ_FORMAT == offset_of!(perf_event_attr, read_format);
    ATTR_WAKEUP_EVENTS == offset_of!(perf_event_attr, __bindgen_anon_2);
}

same! {
    SIZEOF_PCI_DEV == size_of::<pci_dev>();
    PCI_DEV_BUS == offset_of!(pci_dev, bus);
    PCI_DEV_DEVFN == offset_of!(pci_dev, devfn);
    PCI_DEV_DEVICE == offset_of!(pci_dev, device);
    PCI_DEV_DRIVER == offset_of!(pci_dev, driver);
    PCI_BUS_NUMBER == offset_of!(pci_bus, number);
    SIZEOF_PCI_DRIVER == size_of::<pci_driver>();
    PCI_DRIVER_NAME == offset_of!(pci_driver, name);
    PCI_DRIVER_ID_TABLE == offset_of!(pci_driver, id_table);
    PCI_DRIVER_PROBE == offset_of!(pci_driver, probe);
    PCI_DRIVER_REMOVE == offset_of!(pci_driver, remove);
    SIZEOF_PCI_DEVICE_ID == size_of::<pci_device_id>();
    PCI_DEVICE_ID_DEVICE == offset_of!(pci_device_id, device);
    PCI_DEVICE_ID_SUBDEVICE == offset_of!(pci_device_id, subdevice);
}

same! {
    SIZEOF_DEVICE_ATTRIBUTE == size_of::<device_attribute>();
    SIZEOF_ATTRIBUTE_GROUP == size_of::<attribute_group>();
    ATTRIBUTE_GROUP_NAME == offset_of!(attribute_group, name);
    ATTRIBUTE_GROUP_ATTRS == offset_of!(attribute_group, __bindgen_anon_2);
}

same! {
    SIZEOF_IRQ_WORK == size_of::<irq_work>();
    SIZEOF_HELPER_NMI == size_of::<helper_nmi>();
    SIZEOF_HELPER_INTERVAL == size_of::<helper_interval>();
    INTERVAL_ALL == offset_of!(helper_interval, all);
    SIZEOF_HELPER_TEXT == size_of::<helper_text>();
    SIZEOF_HELPER_TIMER == size_of::<helper_timer>();
    SIZEOF_HLIST_NODE == size_of::<hlist_node>();
    SIZEOF_HELPER_WORK == size_of::<helper_work>();
    SIZEOF_RAW_SPINLOCK == size_of::<raw_spinlock_t>();
}
