// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes, alignments and offsets of structs by the C compiler of this kernel.
 *
 * This file is compiled to assembly only, from which the build makes Rust constants.
 * rust/linux/layout.rs compares them with those that bindgen made from the same headers.
 */
#include <linux/kbuild.h>
#include <linux/compiler.h>
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

#include "helpers.h"

#define SIZE(sym, type) do {					\
	DEFINE(SIZEOF_##sym, sizeof(type));			\
	DEFINE(ALIGNOF_##sym, __alignof__(type));		\
} while (0)

static void __used layout(void)
{
	SIZE(PMU, struct pmu);
	OFFSET(PMU_MODULE, pmu, module);
	OFFSET(PMU_ATTR_GROUPS, pmu, attr_groups);
	OFFSET(PMU_CAPABILITIES, pmu, capabilities);
	OFFSET(PMU_TASK_CTX_NR, pmu, task_ctx_nr);
	OFFSET(PMU_ENABLE, pmu, pmu_enable);
	OFFSET(PMU_DISABLE, pmu, pmu_disable);
	OFFSET(PMU_EVENT_INIT, pmu, event_init);
	OFFSET(PMU_ADD, pmu, add);
	OFFSET(PMU_DEL, pmu, del);
	OFFSET(PMU_START, pmu, start);
	OFFSET(PMU_STOP, pmu, stop);
	OFFSET(PMU_READ, pmu, read);

	SIZE(PERF_EVENT, struct perf_event);
	OFFSET(PERF_EVENT_GROUP_LEADER, perf_event, group_leader);
	OFFSET(PERF_EVENT_PMU, perf_event, pmu);
	OFFSET(PERF_EVENT_PMU_PRIVATE, perf_event, pmu_private);
	OFFSET(PERF_EVENT_ATTACH_STATE, perf_event, attach_state);
	OFFSET(PERF_EVENT_COUNT, perf_event, count.a.a.counter);
	OFFSET(PERF_EVENT_HW, perf_event, hw);
	OFFSET(PERF_EVENT_CPU, perf_event, cpu);
	OFFSET(PERF_EVENT_DESTROY, perf_event, destroy);
	OFFSET(PERF_EVENT_ID, perf_event, id);
	OFFSET(PERF_EVENT_STATE, perf_event, state);
	SIZE(HW_PERF_EVENT, struct hw_perf_event);
	OFFSET(HW_PERF_EVENT_STATE, hw_perf_event, state);

	SIZE(PCI_DEV, struct pci_dev);
	OFFSET(PCI_DEV_BUS, pci_dev, bus);
	OFFSET(PCI_DEV_DEVFN, pci_dev, devfn);
	OFFSET(PCI_DEV_DEVICE, pci_dev, device);
	OFFSET(PCI_DEV_DRIVER, pci_dev, driver);
	OFFSET(PCI_DEV_ERROR_STATE, pci_dev, error_state);
	OFFSET(PCI_BUS_NUMBER, pci_bus, number);
	SIZE(PCI_DRIVER, struct pci_driver);
	OFFSET(PCI_DRIVER_NAME, pci_driver, name);
	OFFSET(PCI_DRIVER_ID_TABLE, pci_driver, id_table);
	OFFSET(PCI_DRIVER_PROBE, pci_driver, probe);
	OFFSET(PCI_DRIVER_REMOVE, pci_driver, remove);
	SIZE(PCI_DEVICE_ID, struct pci_device_id);
	OFFSET(PCI_DEVICE_ID_DEVICE, pci_device_id, device);
	OFFSET(PCI_DEVICE_ID_SUBDEVICE, pci_device_id, subdevice);

	SIZE(DEVICE_ATTRIBUTE, struct device_attribute);
	OFFSET(DEVICE_ATTRIBUTE_ATTR, device_attribute, attr);
	OFFSET(ATTRIBUTE_NAME, attribute, name);
	SIZE(ATTRIBUTE_GROUP, struct attribute_group);

	SIZE(IRQ_WORK, struct irq_work);
	SIZE(HELPER_NMI, struct helper_nmi);
	SIZE(HELPER_POWER, struct helper_power);
	SIZE(HELPER_ATTR, struct helper_attr);
	OFFSET(HELPER_ATTR_PRECISE_IP, helper_attr, precise_ip);
	OFFSET(HELPER_ATTR_EXCLUDE_GUEST, helper_attr, exclude_guest);
	SIZE(HELPER_INTERVAL, struct helper_interval);
	OFFSET(INTERVAL_ALL, helper_interval, all);
	SIZE(HELPER_MODULE_FILE, struct helper_module_file);
	OFFSET(MODULE_FILE_SHOW, helper_module_file, show);
	SIZE(HELPER_TEXT, struct helper_text);
	SIZE(HELPER_TIMER, struct helper_timer);
	SIZE(HLIST_NODE, struct hlist_node);
	SIZE(RAW_SPINLOCK, raw_spinlock_t);
	SIZE(HELPER_WORK, struct helper_work);

	/* Of rust/kernel */
	DEFINE(SIZEOF_MUTEX, sizeof(struct mutex));
	DEFINE(SIZEOF_LOCK_CLASS_KEY, sizeof(struct lock_class_key));
}
