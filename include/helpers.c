// SPDX-License-Identifier: GPL-2.0
/*
 * Functions for Rust, which cannot call C macros and inline functions.
 */
#include <linux/acpi.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/overflow.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/reboot.h>
#include <linux/sched/clock.h>
#include <linux/sched/isolation.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/tracepoint-defs.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include <asm/apic.h>
#include <asm/asm.h>
#include <asm/cpufeature.h>
#include <asm/mach_traps.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "compat.h"
#include "helpers.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* Context of the running code */

bool helper_in_nmi(void)
{
	return in_nmi();
}

unsigned int helper_smp_processor_id(void)
{
	return smp_processor_id();
}

int helper_smp_call_function_single(unsigned int cpu, void (*func)(void *info),
				    void *info)
{
	return smp_call_function_single(cpu, func, info, true);
}

/* Topology */

unsigned int helper_nr_cpu_ids(void)
{
	return nr_cpu_ids;
}

bool helper_cpu_online(unsigned int cpu)
{
	return cpu_online(cpu);
}

bool helper_cpu_possible(unsigned int cpu)
{
	return cpu_possible(cpu);
}

/* False for the CPUs of isolcpus= and nohz_full=. Both stay as they are after boot */
bool helper_housekeeping_cpu(unsigned int cpu)
{
	return housekeeping_cpu(cpu, HK_TYPE_DOMAIN_BOOT) &&
	       housekeeping_cpu(cpu, HK_TYPE_KERNEL_NOISE);
}

int helper_cpu_to_node(unsigned int cpu)
{
	return cpu_to_node(cpu);
}

unsigned int helper_num_possible_nodes(void)
{
	return num_possible_nodes();
}

/*
 * Both packages of a CPU come from its APIC ID. The kernel's macros of these
 * names return 0 for a CPU that has never been online. A CPU that is not present
 * has BAD_APICID, which is in no map.
 */
int helper_topology_logical_package_id(unsigned int cpu)
{
	return topology_get_logical_id(cpu_physical_id(cpu), TOPO_PKG_DOMAIN);
}

int helper_topology_physical_package_id(unsigned int cpu)
{
	u32 apicid = cpu_physical_id(cpu);

	if (apicid == BAD_APICID)
		return -ENODEV;
	return apicid >> topology_get_domain_shift(TOPO_PKG_DOMAIN);
}

int helper_topology_phys_to_logical_pkg(unsigned int pkg)
{
	return topology_get_logical_id(pkg << topology_get_domain_shift(TOPO_PKG_DOMAIN),
				       TOPO_PKG_DOMAIN);
}

unsigned int helper_topology_core_id(unsigned int cpu)
{
	return topology_core_id(cpu);
}

unsigned int helper_topology_max_packages(void)
{
	return compat_max_packages();
}

unsigned int helper_topology_num_cores_per_package(void)
{
	return topology_num_cores_per_package();
}

u32 helper_cpu_vfm(void)
{
	BUILD_BUG_ON(X86_VENDOR_INTEL != 0);
	return compat_vfm();
}

u8 helper_cpu_stepping(void)
{
	return boot_cpu_data.x86_stepping;
}

bool helper_cpu_has_hypervisor(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* Users */

u32 helper_current_uid(void)
{
	return __kuid_val(current_uid());
}

/* Model-specific registers */

static noinline struct helper_msr helper_rdmsrq_traced(u32 msr)
{
	struct helper_msr read = {};

	read.error = rdmsrq_safe(msr, &read.value);
	return read;
}

/* Like rdmsrq_safe(), but keeps no registers for a trace event that is off */
struct helper_msr helper_rdmsrq_safe(u32 msr)
{
	u32 low, high;
	int err = -EIO;

	if (IS_ENABLED(CONFIG_PARAVIRT_XXL) || tracepoint_enabled(read_msr))
		return helper_rdmsrq_traced(msr);
	asm volatile("1: rdmsr; xor %[err],%[err]\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : [err] "+&r" (err), "=a" (low), "=d" (high)
		     : "c" (msr));
	return (struct helper_msr) { (u64)high << 32 | low, err };
}

int helper_wrmsrq_safe(u32 msr, u64 value)
{
	return wrmsrq_safe(msr, value);
}

/* Interrupts. apic_read() and apic_write() are not exported to modules. */

u32 helper_apic_read_lvtpc(void)
{
	return apic->read(APIC_LVTPC);
}

void helper_apic_write_lvtpc(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

void helper_apic_send_nmi(unsigned int cpu)
{
	apic->send_IPI(cpu, NMI_VECTOR);
}

/* Reads a port, which changes nothing */
bool helper_nmi_is_of_chipset(void)
{
	return x86_platform.get_nmi_reason() & NMI_REASON_MASK;
}

/* One handler per module: the kernel passes no data to an NMI handler */
static struct helper_nmi *helper_nmi_registered;

static int helper_nmi_handle(unsigned int type, struct pt_regs *regs)
{
	struct helper_nmi *nmi = READ_ONCE(helper_nmi_registered);

	return nmi ? nmi->handle(nmi) : NMI_DONE;
}

int helper_register_nmi_handler(struct helper_nmi *nmi, const char *name,
				int (*handle)(struct helper_nmi *nmi))
{
	int err;

	INIT_LIST_HEAD(&nmi->action.list);
	nmi->action.handler = helper_nmi_handle;
	nmi->action.name = name;
	nmi->handle = handle;

	if (cmpxchg(&helper_nmi_registered, NULL, nmi))
		return -EBUSY;
	err = __register_nmi_handler(NMI_LOCAL, &nmi->action);
	if (err)
		WRITE_ONCE(helper_nmi_registered, NULL);
	return err;
}

/* Waits until the handler runs on no CPU */
void helper_unregister_nmi_handler(struct helper_nmi *nmi)
{
	unregister_nmi_handler(NMI_LOCAL, nmi->action.name);
	WRITE_ONCE(helper_nmi_registered, NULL);
}

/* Runs in hard interrupt context on PREEMPT_RT as well, not in a thread */
void helper_init_irq_work_hard(struct irq_work *work,
			       void (*func)(struct irq_work *work))
{
	init_irq_work(work, func);
	atomic_set(&work->node.a_flags, IRQ_WORK_HARD_IRQ);
}

/* Locks */

void helper_raw_spin_lock_init(raw_spinlock_t *lock, const char *name,
			       struct lock_class_key *key)
{
#ifdef CONFIG_DEBUG_SPINLOCK
	__raw_spin_lock_init(lock, name, key, LD_WAIT_SPIN);
#else
	raw_spin_lock_init(lock);
#endif
}

unsigned long helper_raw_spin_lock_irqsave(raw_spinlock_t *lock)
{
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	return flags;
}

void helper_raw_spin_unlock_irqrestore(raw_spinlock_t *lock,
				       unsigned long flags)
{
	raw_spin_unlock_irqrestore(lock, flags);
}

/* Perf */

bool helper_perf_event_type_matches(const struct perf_event *event)
{
	return event->attr.type == event->pmu->type;
}

struct helper_attr helper_attr(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return (struct helper_attr) {
		.config = {
			attr->config,
			attr->config1,
			attr->config2,
			compat_config3(attr),
			compat_config4(attr),
		},
		.sampling = attr->sample_period != 0,
		.branches = attr->sample_type & PERF_SAMPLE_BRANCH_STACK,
		.precise_ip = attr->precise_ip,
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_idle = attr->exclude_idle,
		.exclude_host = attr->exclude_host,
		.exclude_guest = attr->exclude_guest,
	};
}

bool helper_is_software_event(struct perf_event *event)
{
	return is_software_event(event);
}

bool helper_perfmon_capable(void)
{
	return perfmon_capable();
}

bool helper_perf_allow_kernel(struct perf_event *event)
{
	return !compat_perf_allow_kernel(&event->attr);
}

/* Returns the event after @event in its group, in which the leader is first */
struct perf_event *helper_perf_next_sibling(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct list_head *next = event == leader ? leader->sibling_list.next :
						   event->sibling_list.next;

	if (next == &leader->sibling_list)
		return NULL;
	return list_entry(next, struct perf_event, sibling_list);
}

u64 helper_perf_event_count(struct perf_event *event)
{
	return local64_read(&event->count);
}

/* A CPU of the same package reads the event itself, and interrupts none */
void helper_perf_event_read_on_package(struct perf_event *event)
{
	event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
}

static void never_overflows(struct perf_event *event,
			    struct perf_sample_data *data,
			    struct pt_regs *regs)
{
}

/* Returns whether an event is one of helper_perf_reschedule() */
bool helper_perf_only_reschedules(const struct perf_event *event)
{
	return event->overflow_handler == never_overflows;
}

/*
 * Has perf delete all events of the PMU on a CPU, and add those again that the
 * PMU takes. Perf does so when an event comes: one of the kernel's own, which
 * the PMU accepts and never adds. Events that their users have disabled stay
 * so. Whether the current user may open events does not matter.
 */
void helper_perf_reschedule(struct pmu *pmu, int cpu)
{
	/* Pinned, so that pinned events are deleted as well */
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.pinned = 1,
	};
	const struct cred *user =
		override_creds(rcu_access_pointer(init_task.cred));
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL,
						 never_overflows, NULL);
	revert_creds(user);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
}

void helper_perf_pmu_unregister(struct pmu *pmu)
{
	perf_pmu_unregister(pmu);
}

/* Sysfs */

void helper_attribute_group_init(struct attribute_group *group,
				 const char *name, struct attribute **attrs)
{
	*group = (struct attribute_group) { .name = name, .attrs = attrs };
}

struct attribute *helper_device_attribute_init(struct device_attribute *attr,
					       const char *name, umode_t mode,
					       helper_show_t show)
{
	sysfs_attr_init(&attr->attr);
	attr->attr.name = name;
	attr->attr.mode = mode;
	attr->show = show;
	return &attr->attr;
}

void *helper_dev_get_drvdata(struct device *dev)
{
	return dev_get_drvdata(dev);
}

static ssize_t helper_module_file_show(compat_module_attribute *raw,
				       struct module_kobject *kobject,
				       char *page)
{
	const struct helper_module_file *file =
		container_of(raw, struct helper_module_file, raw);

	return file->show(file, page);
}

int helper_module_file_create(struct helper_module_file *file,
			      const char *name)
{
	sysfs_attr_init(&file->raw.attr);
	file->raw.attr.name = name;
	file->raw.attr.mode = 0444;
	file->raw.show = helper_module_file_show;
	return sysfs_create_file(&THIS_MODULE->mkobj.kobj, &file->raw.attr);
}

/* Waits for readers */
void helper_module_file_remove(const struct helper_module_file *file)
{
	sysfs_remove_file(&THIS_MODULE->mkobj.kobj, &file->raw.attr);
}

/* PCI */

int helper_pci_domain_nr(struct pci_dev *pdev)
{
	return pci_domain_nr(pdev->bus);
}

int helper_pci_node(struct pci_dev *pdev)
{
	return dev_to_node(&pdev->dev);
}

/* Returns firmware's table MCFG, for helper_acpi_put_table(), or NULL */
u8 *helper_acpi_get_mcfg(size_t *length)
{
	struct acpi_table_header *table = NULL;

#ifdef CONFIG_ACPI
	if (acpi_disabled ||
	    ACPI_FAILURE(acpi_get_table(ACPI_SIG_MCFG, 0, &table)))
		return NULL;
	*length = table->length;
#endif
	return (u8 *)table;
}

void helper_acpi_put_table(u8 *table)
{
#ifdef CONFIG_ACPI
	acpi_put_table((struct acpi_table_header *)table);
#endif
}

/* Returns whether ioremap() may map this memory: it is addressable and no RAM */
bool helper_is_device_memory(u64 start, size_t size)
{
	u64 last;

	if (check_add_overflow(start, (u64)size - 1, &last) ||
	    last >> boot_cpu_data.x86_phys_bits)
		return false;
	return region_intersects(start, size, IORESOURCE_SYSTEM_RAM,
				 IORES_DESC_NONE) == REGION_DISJOINT;
}

/* Time */

u64 helper_local_clock(void)
{
	return local_clock();
}

u64 helper_ktime_get_mono_fast_ns(void)
{
	return ktime_get_mono_fast_ns();
}

u64 helper_suspended_ns(void)
{
	return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_BOOT));
}

static enum hrtimer_restart helper_timer_expired(struct hrtimer *raw)
{
	struct helper_timer *timer = container_of(raw, struct helper_timer, raw);
	u64 delay = timer->expired(timer);

	if (!delay)
		return HRTIMER_NORESTART;
	/* From now on, so that the CPU does other work in between */
	if (!hrtimer_is_queued(raw))
		hrtimer_set_expires(raw, ktime_add_ns(ktime_get(), delay));
	return HRTIMER_RESTART;
}

void helper_timer_setup(struct helper_timer *timer,
			u64 (*expired)(struct helper_timer *timer))
{
	hrtimer_setup(&timer->raw, helper_timer_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	timer->expired = expired;
}

void helper_timer_start(struct helper_timer *timer, u64 delay)
{
	hrtimer_start(&timer->raw, ns_to_ktime(delay),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void helper_timer_cancel(struct helper_timer *timer)
{
	hrtimer_cancel(&timer->raw);
}

/* Tracing */

bool helper_trace_interval_enabled(void)
{
	return trace_interval_enabled();
}

void helper_trace_interval(const struct helper_interval *interval)
{
	trace_interval(interval);
}

/* Work */

static void helper_work_queue(struct irq_work *irq)
{
	struct helper_work *work = container_of(irq, struct helper_work, irq);

	if (!READ_ONCE(work->stopped))
		schedule_work(&work->work);
}

static void helper_work_run(struct work_struct *raw)
{
	struct helper_work *work = container_of(raw, struct helper_work, work);

	work->function(work);
}

void helper_work_init(struct helper_work *work,
		      void (*function)(struct helper_work *work))
{
	init_irq_work(&work->irq, helper_work_queue);
	INIT_WORK(&work->work, helper_work_run);
	work->function = function;
	work->stopped = false;
}

void helper_work_schedule(struct helper_work *work)
{
	irq_work_queue(&work->irq);
}

/* Final, even if the work is scheduled meanwhile or later */
void helper_work_stop(struct helper_work *work)
{
	/*
	 * Becoming busy is a barrier, too. So an irq_work that is not busy after
	 * this will find the flag. Those that may have missed it are waited for,
	 * and then what they queued is cancelled.
	 */
	smp_store_mb(work->stopped, true);
	irq_work_sync(&work->irq);
	cancel_work_sync(&work->work);
}

/* CPU hotplug. The state that intel_uncore has, too: two drivers cannot have it */

int helper_cpuhp_setup_state_multi(const char *name, helper_cpuhp_t startup,
				   helper_cpuhp_t teardown)
{
	return cpuhp_setup_state_multi(CPUHP_AP_PERF_X86_UNCORE_ONLINE, name,
				       startup, teardown);
}

int helper_cpuhp_state_add_instance(struct hlist_node *node)
{
	return cpuhp_state_add_instance(CPUHP_AP_PERF_X86_UNCORE_ONLINE, node);
}

void helper_cpuhp_state_remove_instance(struct hlist_node *node)
{
	cpuhp_state_remove_instance(CPUHP_AP_PERF_X86_UNCORE_ONLINE, node);
}

void helper_cpuhp_remove_multi_state(void)
{
	cpuhp_remove_multi_state(CPUHP_AP_PERF_X86_UNCORE_ONLINE);
}

/* Power */

/* One handler per module, as not all kernels pass data to the functions */
static struct helper_power *helper_power_registered;

static int helper_power_suspend(COMPAT_SYSCORE_ARGS)
{
	struct helper_power *power = helper_power_registered;

	power->handle(power, HELPER_POWER_SUSPEND);
	return 0;
}

static void helper_power_resume(COMPAT_SYSCORE_ARGS)
{
	struct helper_power *power = helper_power_registered;

	power->handle(power, HELPER_POWER_RESUME);
}

static struct syscore_ops helper_power_ops = {
	.suspend = helper_power_suspend,
	.resume = helper_power_resume,
};

static int helper_power_sleep(struct notifier_block *sleep,
			      unsigned long action, void *data)
{
	struct helper_power *power =
		container_of(sleep, struct helper_power, sleep);

	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		power->handle(power, HELPER_POWER_PREPARE);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		power->handle(power, HELPER_POWER_WAKE);
		break;
	}
	return NOTIFY_DONE;
}

static int helper_power_reboot(struct notifier_block *reboot,
			       unsigned long action, void *data)
{
	struct helper_power *power =
		container_of(reboot, struct helper_power, reboot);

	power->handle(power, HELPER_POWER_SHUTDOWN);
	return NOTIFY_DONE;
}

int helper_register_power(struct helper_power *power,
			  void (*handle)(struct helper_power *power,
					 enum helper_power_state state))
{
	int error;

	*power = (struct helper_power) {
		.sleep = { .notifier_call = helper_power_sleep },
		.reboot = { .notifier_call = helper_power_reboot },
		.handle = handle,
	};
	if (cmpxchg(&helper_power_registered, NULL, power))
		return -EBUSY;
	error = register_pm_notifier(&power->sleep);
	if (error)
		goto release;
	error = register_reboot_notifier(&power->reboot);
	if (error)
		goto unregister_sleep;
	compat_register_syscore(&helper_power_ops);
	return 0;

unregister_sleep:
	unregister_pm_notifier(&power->sleep);
release:
	helper_power_registered = NULL;
	return error;
}

void helper_unregister_power(struct helper_power *power)
{
	compat_unregister_syscore(&helper_power_ops);
	unregister_reboot_notifier(&power->reboot);
	unregister_pm_notifier(&power->sleep);
	helper_power_registered = NULL;
}

/* Debugfs */

static int helper_text_show(struct seq_file *file, void *unused)
{
	const struct helper_text *text = file->private;

	return text->print(file, text);
}
DEFINE_SHOW_ATTRIBUTE(helper_text);

struct dentry *helper_debugfs_create_dir(const char *name)
{
	return debugfs_create_dir(name, NULL);
}

struct dentry *helper_debugfs_create_text(const char *name,
					  struct dentry *parent,
					  const struct helper_text *text)
{
	return debugfs_create_file(name, 0400, parent, (void *)text,
				   &helper_text_fops);
}

void helper_debugfs_remove(struct dentry *dentry)
{
	debugfs_remove(dentry);
}
