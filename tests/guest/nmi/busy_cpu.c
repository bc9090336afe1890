// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps CPUs busy as long as it is loaded, in what an NMI may interrupt:
 *
 *	how=kernel	kernel code
 *	how=irqs-off	kernel code with interrupts off, most of the time
 *	how=pci		accesses to configuration space
 *
 * It yields to everybody else, at the latest after SLICE_US.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/string.h>

#define SLICE_US 200

static unsigned int cpus[8];
static unsigned int count;
module_param_array(cpus, uint, &count, 0444);
MODULE_PARM_DESC(cpus, "Which CPUs");

static char *how = "kernel";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "In what: kernel, irqs-off or pci");

static struct task_struct *threads[ARRAY_SIZE(cpus)];
static struct pci_dev *device;

static void kernel_slice(void)
{
	udelay(SLICE_US);
}

static void irqs_off_slice(void)
{
	unsigned long flags;

	local_irq_save(flags);
	udelay(SLICE_US);
	local_irq_restore(flags);
}

static void pci_slice(void)
{
	u32 id;
	int i;

	for (i = 0; i < 100; i++)
		pci_read_config_dword(device, PCI_VENDOR_ID, &id);
}

static int work(void *slice)
{
	void (*next)(void) = slice;

	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		next();
		cond_resched();
	}
	return 0;
}

static void stop(void)
{
	while (count)
		kthread_stop(threads[--count]);
	pci_dev_put(device);
}

static int start(void (*slice)(void))
{
	unsigned int wanted = count;

	for (count = 0; count < wanted; count++) {
		struct task_struct *thread;

		thread = kthread_create(work, slice, "busy_cpu/%u", cpus[count]);
		if (IS_ERR(thread)) {
			stop();
			return PTR_ERR(thread);
		}
		kthread_bind(thread, cpus[count]);
		wake_up_process(thread);
		threads[count] = thread;
	}
	return 0;
}

static int __init busy_cpu_init(void)
{
	void (*slice)(void);

	if (!strcmp(how, "kernel"))
		slice = kernel_slice;
	else if (!strcmp(how, "irqs-off"))
		slice = irqs_off_slice;
	else if (!strcmp(how, "pci"))
		slice = pci_slice;
	else
		return -EINVAL;
	device = pci_get_domain_bus_and_slot(0, 0, PCI_DEVFN(0, 0));
	if (!device)
		return -ENODEV;
	return start(slice);
}

static void __exit busy_cpu_exit(void)
{
	stop();
}

module_init(busy_cpu_init);
module_exit(busy_cpu_exit);
MODULE_DESCRIPTION("Keeps CPUs busy");
MODULE_LICENSE("GPL");
