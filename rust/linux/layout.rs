// SPDX-License-Identifier: GPL-2.0

//! Compile-time checks that Rust and C agree on the layout of every struct they share.
//!
//! bindgen reads the kernel's headers with libclang, but the kernel may be built with another
//! compiler or other flags. If a struct had another size, Rust code would write past its end; if it
//! had another alignment, C code would not find it where it looks. The numbers of the C side come
//! from the kernel's compiler (`include/layout.c`). Any difference fails the build here.
//!
//! Nothing here covers bit fields, of which no constant has the position, nor unions without a name,
//! for which bindgen makes one up. C accesses them for Rust (`helper_attr`).

use super::bindings::*;
use core::mem::{
    align_of,
    offset_of,
    size_of, //
};

/// Sizes, alignments and offsets by the C compiler; generated during the build.
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

/// Fails the build unless both sides give each struct one size and one alignment.
macro_rules! same_structs {
    ($($size:ident, $align:ident: $struct:ty;)*) => {
        same! {
            $(
                $size == size_of::<$struct>();
                $align == align_of::<$struct>();
            )*
        }
    };
}

same_structs! {
    SIZEOF_PMU, ALIGNOF_PMU: pmu;
    SIZEOF_PERF_EVENT, ALIGNOF_PERF_EVENT: perf_event;
    SIZEOF_HW_PERF_EVENT, ALIGNOF_HW_PERF_EVENT: hw_perf_event;
    SIZEOF_PCI_DEV, ALIGNOF_PCI_DEV: pci_dev;
    SIZEOF_PCI_DRIVER, ALIGNOF_PCI_DRIVER: pci_driver;
    SIZEOF_PCI_DEVICE_ID, ALIGNOF_PCI_DEVICE_ID: pci_device_id;
    SIZEOF_DEVICE_ATTRIBUTE, ALIGNOF_DEVICE_ATTRIBUTE: device_attribute;
    SIZEOF_ATTRIBUTE_GROUP, ALIGNOF_ATTRIBUTE_GROUP: attribute_group;
    SIZEOF_IRQ_WORK, ALIGNOF_IRQ_WORK: irq_work;
    SIZEOF_HELPER_NMI, ALIGNOF_HELPER_NMI: helper_nmi;
    SIZEOF_HELPER_POWER, ALIGNOF_HELPER_POWER: helper_power;
    SIZEOF_HELPER_ATTR, ALIGNOF_HELPER_ATTR: helper_attr;
    SIZEOF_HELPER_INTERVAL, ALIGNOF_HELPER_INTERVAL: helper_interval;
    SIZEOF_HELPER_MODULE_FILE, ALIGNOF_HELPER_MODULE_FILE: helper_module_file;
    SIZEOF_HELPER_TEXT, ALIGNOF_HELPER_TEXT: helper_text;
    SIZEOF_HELPER_TIMER, ALIGNOF_HELPER_TIMER: helper_timer;
    SIZEOF_HLIST_NODE, ALIGNOF_HLIST_NODE: hlist_node;
    SIZEOF_HELPER_WORK, ALIGNOF_HELPER_WORK: helper_work;
    SIZEOF_RAW_SPINLOCK, ALIGNOF_RAW_SPINLOCK: raw_spinlock_t;
}

same! {
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
    PERF_EVENT_GROUP_LEADER == offset_of!(perf_event, group_leader);
    PERF_EVENT_PMU == offset_of!(perf_event, pmu);
    PERF_EVENT_PMU_PRIVATE == offset_of!(perf_event, pmu_private);
    PERF_EVENT_ATTACH_STATE == offset_of!(perf_event, attach_state);
    PERF_EVENT_COUNT == offset_of!(perf_event, count.a.a.counter);
    PERF_EVENT_HW == offset_of!(perf_event, hw);
    PERF_EVENT_CPU == offset_of!(perf_event, cpu);
    PERF_EVENT_DESTROY == offset_of!(perf_event, destroy);
    PERF_EVENT_ID == offset_of!(perf_event, id);
    PERF_EVENT_STATE == offset_of!(perf_event, state);
    HW_PERF_EVENT_STATE == offset_of!(hw_perf_event, state);
}

same! {
    PCI_DEV_BUS == offset_of!(pci_dev, bus);
    PCI_DEV_DEVFN == offset_of!(pci_dev, devfn);
    PCI_DEV_DEVICE == offset_of!(pci_dev, device);
    PCI_DEV_DRIVER == offset_of!(pci_dev, driver);
    PCI_DEV_ERROR_STATE == offset_of!(pci_dev, error_state);
    PCI_BUS_NUMBER == offset_of!(pci_bus, number);
    PCI_DRIVER_NAME == offset_of!(pci_driver, name);
    PCI_DRIVER_ID_TABLE == offset_of!(pci_driver, id_table);
    PCI_DRIVER_PROBE == offset_of!(pci_driver, probe);
    PCI_DRIVER_REMOVE == offset_of!(pci_driver, remove);
    PCI_DEVICE_ID_DEVICE == offset_of!(pci_device_id, device);
    PCI_DEVICE_ID_SUBDEVICE == offset_of!(pci_device_id, subdevice);
}

same! {
    DEVICE_ATTRIBUTE_ATTR == offset_of!(device_attribute, attr);
    ATTRIBUTE_NAME == offset_of!(attribute, name);
}

same! {
    HELPER_ATTR_PRECISE_IP == offset_of!(helper_attr, precise_ip);
    HELPER_ATTR_EXCLUDE_GUEST == offset_of!(helper_attr, exclude_guest);
    INTERVAL_ALL == offset_of!(helper_interval, all);
    MODULE_FILE_SHOW == offset_of!(helper_module_file, show);
}

/// Sizes that `rust/kernel` takes.
const _: [usize; 2] = [c::SIZEOF_MUTEX, c::SIZEOF_LOCK_CLASS_KEY];
