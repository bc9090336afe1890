/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions for Rust, which cannot call C macros and inline functions.
 *
 * The name of each is that of the wrapped function, with the prefix helper_.
 */
#ifndef _UNCORE_HELPERS_H
#define _UNCORE_HELPERS_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <asm/nmi.h>

struct attribute;
struct attribute_group;
struct dentry;
struct device;
struct device_attribute;
struct hlist_node;
struct lock_class_key;
struct pci_dev;
struct perf_event;
struct pmu;
struct seq_file;

typedef int (*helper_cpuhp_t)(unsigned int cpu, struct hlist_node *node);
typedef ssize_t (*helper_show_t)(struct device *dev,
				 struct device_attribute *attr, char *buf);

/* Context of the running code */
bool helper_in_nmi(void);
unsigned int helper_smp_processor_id(void);
int helper_smp_call_function_single(unsigned int cpu, void (*func)(void *info),
				    void *info);

/* Topology */
unsigned int helper_nr_cpu_ids(void);
bool helper_cpu_online(unsigned int cpu);
bool helper_cpu_possible(unsigned int cpu);
bool helper_housekeeping_cpu(unsigned int cpu);
int helper_cpu_to_node(unsigned int cpu);
unsigned int helper_num_possible_nodes(void);
int helper_topology_logical_package_id(unsigned int cpu);
int helper_topology_physical_package_id(unsigned int cpu);
int helper_topology_phys_to_logical_pkg(unsigned int pkg);
unsigned int helper_topology_core_id(unsigned int cpu);
unsigned int helper_topology_max_packages(void);
unsigned int helper_topology_num_cores_per_package(void);
u32 helper_cpu_vfm(void);
u8 helper_cpu_stepping(void);
bool helper_cpu_has_hypervisor(void);

/* Users */
u32 helper_current_uid(void);

/* Model-specific registers */

/**
 * struct helper_msr - what a read of a register returns
 * @value: value of the register, unless the read was refused
 * @error: 0, or -EIO if the processor refused the read
 */
struct helper_msr {
	u64 value;
	int error;
};

struct helper_msr helper_rdmsrq_safe(u32 msr);
int helper_wrmsrq_safe(u32 msr, u64 value);

/* Interrupts */
u32 helper_apic_read_lvtpc(void);
void helper_apic_write_lvtpc(u32 value);
void helper_apic_send_nmi(unsigned int cpu);

/**
 * struct helper_nmi - a handler of NMIs
 * @action: list entry of the kernel; its handler calls @handle
 * @handle: handles an NMI of this CPU; returns 1 if it was for this handler, or 0
 */
struct helper_nmi {
	struct nmiaction action;
	int (*handle)(struct helper_nmi *nmi);
};

bool helper_nmi_is_of_chipset(void);
int helper_register_nmi_handler(struct helper_nmi *nmi, const char *name,
				int (*handle)(struct helper_nmi *nmi));
void helper_unregister_nmi_handler(struct helper_nmi *nmi);

void helper_init_irq_work_hard(struct irq_work *work,
			       void (*func)(struct irq_work *work));

/* Locks */
void helper_raw_spin_lock_init(raw_spinlock_t *lock, const char *name,
			       struct lock_class_key *key);
unsigned long helper_raw_spin_lock_irqsave(raw_spinlock_t *lock);
void helper_raw_spin_unlock_irqrestore(raw_spinlock_t *lock,
				       unsigned long flags);

/* Perf */
bool helper_perf_event_type_matches(const struct perf_event *event);

/**
 * struct helper_attr - what Rust code reads of struct perf_event_attr
 *
 * Most of it is in bit fields and in unions without a name there.
 *
 * @config: words to which the PMU gives the meaning; 0 if this kernel lacks one
 * @sampling: a sample period or frequency is set
 * @branches: samples with the last branches are requested
 * @precise_ip: requested precision of the instruction pointer
 * @exclude_user: do not count in user mode
 * @exclude_kernel: do not count in the kernel
 * @exclude_hv: do not count in the hypervisor
 * @exclude_idle: do not count when idle
 * @exclude_host: do not count in the host
 * @exclude_guest: do not count in the guest
 */
struct helper_attr {
	u64 config[5];
	bool sampling;
	bool branches;
	u8 precise_ip;
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
	bool exclude_idle;
	bool exclude_host;
	bool exclude_guest;
};

struct helper_attr helper_attr(const struct perf_event *event);
bool helper_is_software_event(struct perf_event *event);
bool helper_perfmon_capable(void);
bool helper_perf_allow_kernel(struct perf_event *event);
struct perf_event *helper_perf_next_sibling(struct perf_event *event);
u64 helper_perf_event_count(struct perf_event *event);
void helper_perf_event_read_on_package(struct perf_event *event);
bool helper_perf_only_reschedules(const struct perf_event *event);
void helper_perf_reschedule(struct pmu *pmu, int cpu);
void helper_perf_pmu_unregister(struct pmu *pmu);

/* Sysfs */
void helper_attribute_group_init(struct attribute_group *group,
				 const char *name, struct attribute **attrs);
struct attribute *helper_device_attribute_init(struct device_attribute *attr,
					       const char *name, umode_t mode,
					       helper_show_t show);
void *helper_dev_get_drvdata(struct device *dev);

/**
 * struct helper_module_file - a text file in the module's directory in sysfs
 * @raw: file of the kernel, which calls @show
 * @show: prints the whole file into a page; returns its length or an error
 */
struct helper_module_file {
	struct module_attribute raw;
	ssize_t (*show)(const struct helper_module_file *file, char *page);
};

int helper_module_file_create(struct helper_module_file *file,
			      const char *name);
void helper_module_file_remove(const struct helper_module_file *file);

/* PCI */
int helper_pci_domain_nr(struct pci_dev *pdev);
int helper_pci_node(struct pci_dev *pdev);
u8 *helper_acpi_get_mcfg(size_t *length);
void helper_acpi_put_table(u8 *table);
bool helper_is_device_memory(u64 start, size_t size);

/* Parameters */
const char *helper_param_alias(void);
const char *helper_param_names(void);
const char *helper_param_overflow(void);
const char *helper_param_tamper(void);
const char *helper_param_filters(void);
bool helper_param_allow_virtual(void);
u8 helper_param_frozen_limit(void);
size_t helper_param_length(const char *value);

/* Time */
u64 helper_local_clock(void);
u64 helper_ktime_get_mono_fast_ns(void);
u64 helper_suspended_ns(void);

/**
 * struct helper_timer - a timer that fires on the CPU that armed it
 * @raw: kernel timer, which calls @expired
 * @expired: handles the end of the time; returns ns until the next call, or 0 for none
 */
struct helper_timer {
	struct hrtimer raw;
	u64 (*expired)(struct helper_timer *timer);
};

void helper_timer_setup(struct helper_timer *timer,
			u64 (*expired)(struct helper_timer *timer));
void helper_timer_start(struct helper_timer *timer, u64 delay);
void helper_timer_cancel(struct helper_timer *timer);

/* Tracing */

/**
 * struct helper_interval - an interval of an event has ended
 * @pmu: name of the PMU
 * @package: logical number of the package
 * @id: ID of the event, as PERF_EVENT_IOC_ID returns it
 * @config: config of the event
 * @count: count of the event
 * @time: time of the counts on the monotonic clock, in ns
 * @all: counts of all events of the package at that time
 */
struct helper_interval {
	const char *pmu;
	u32 package;
	u64 id;
	u64 config;
	u64 count;
	u64 time;
	const char *all;
};

bool helper_trace_interval_enabled(void);
void helper_trace_interval(const struct helper_interval *interval);

/* Work */

/**
 * struct helper_work - work that can be scheduled in any context
 * @irq: interrupts this CPU to queue @work
 * @work: calls @function in process context
 * @function: does the work
 * @stopped: nothing queues @work any more
 */
struct helper_work {
	struct irq_work irq;
	struct work_struct work;
	void (*function)(struct helper_work *work);
	bool stopped;
};

void helper_work_init(struct helper_work *work,
		      void (*function)(struct helper_work *work));
void helper_work_schedule(struct helper_work *work);
void helper_work_stop(struct helper_work *work);

/* CPU hotplug */
int helper_cpuhp_setup_state_multi(const char *name,
				   helper_cpuhp_t startup,
				   helper_cpuhp_t teardown);
int helper_cpuhp_state_add_instance(struct hlist_node *node);
void helper_cpuhp_state_remove_instance(struct hlist_node *node);
void helper_cpuhp_remove_multi_state(void);

/* Power */

/**
 * enum helper_power_state - a change that the whole computer makes
 * @HELPER_POWER_PREPARE: it is going to sleep or to hibernate; processes run
 * @HELPER_POWER_SUSPEND: one CPU is left, interrupts off
 * @HELPER_POWER_RESUME: the same again, afterwards
 * @HELPER_POWER_WAKE: it is awake; processes run
 * @HELPER_POWER_SHUTDOWN: it is about to reboot, halt or start another kernel
 */
enum helper_power_state {
	HELPER_POWER_PREPARE,
	HELPER_POWER_SUSPEND,
	HELPER_POWER_RESUME,
	HELPER_POWER_WAKE,
	HELPER_POWER_SHUTDOWN,
};

/**
 * struct helper_power - a handler of such changes
 * @sleep: list entry of the kernel
 * @reboot: list entry of the kernel
 * @handle: handles a change
 */
struct helper_power {
	struct notifier_block sleep;
	struct notifier_block reboot;
	void (*handle)(struct helper_power *power,
		       enum helper_power_state state);
};

int helper_register_power(struct helper_power *power,
			  void (*handle)(struct helper_power *power,
					 enum helper_power_state state));
void helper_unregister_power(struct helper_power *power);

/* Debugfs */

/**
 * struct helper_text - a text file in debugfs
 * @print: prints the whole file
 */
struct helper_text {
	int (*print)(struct seq_file *file, const struct helper_text *text);
};

struct dentry *helper_debugfs_create_dir(const char *name);
struct dentry *helper_debugfs_create_text(const char *name,
					  struct dentry *parent,
					  const struct helper_text *text);
void helper_debugfs_remove(struct dentry *dentry);

#endif
