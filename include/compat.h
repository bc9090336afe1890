/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interfaces of new kernels for helpers.c, made of those of older ones.
 *
 * compat.mk finds out what the kernel has.
 */
#ifndef _UNCORE_COMPAT_H
#define _UNCORE_COMPAT_H

#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/isolation.h>
#include <linux/syscore_ops.h>
#include <linux/topology.h>

#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/smp.h>

#ifdef HAS_ATTR_CONFIG3
#define compat_config3(attr)	((attr)->config3)
#else
#define compat_config3(attr)	0
#endif

#ifdef HAS_ATTR_CONFIG4
#define compat_config4(attr)	((attr)->config4)
#else
#define compat_config4(attr)	0
#endif

#ifdef HAS_CONST_MODULE_ATTRIBUTE
#define compat_module_attribute	const struct module_attribute
#else
#define compat_module_attribute	struct module_attribute
#endif

#ifndef HAS_HK_TYPE
#define HK_TYPE_DOMAIN		HK_FLAG_DOMAIN
#define HK_TYPE_MISC		HK_FLAG_MISC
#endif

#ifndef HAS_HK_TYPE_DOMAIN_BOOT
#define HK_TYPE_DOMAIN_BOOT	HK_TYPE_DOMAIN
#endif

#ifndef HAS_HK_TYPE_KERNEL_NOISE
#define HK_TYPE_KERNEL_NOISE	HK_TYPE_MISC
#endif

#ifndef HAS_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*expired)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = expired;
}
#endif

/*
 * Returns 0 if the user may count what the kernel does. Kernels of the third kind
 * do not let modules ask. By default only who has the capability may.
 */
static inline int compat_perf_allow_kernel(struct perf_event_attr *attr)
{
#if defined(HAS_PERF_ALLOW_KERNEL)
	return perf_allow_kernel();
#elif defined(HAS_PERF_ALLOW_KERNEL_OF)
	return perf_allow_kernel(attr);
#else
	return perfmon_capable() ? 0 : -EACCES;
#endif
}

#ifndef HAS_RDMSRQ
#define rdmsrq_safe(msr, value)		rdmsrl_safe(msr, value)
#define wrmsrq_safe(msr, value)		wrmsrl_safe(msr, value)
#endif

/* Older kernels pass no data to the functions */
#ifdef HAS_SYSCORE
#define COMPAT_SYSCORE_ARGS	void *unused

static struct syscore compat_syscore;

static inline void compat_register_syscore(struct syscore_ops *ops)
{
	compat_syscore.ops = ops;
	register_syscore(&compat_syscore);
}

static inline void compat_unregister_syscore(struct syscore_ops *ops)
{
	unregister_syscore(&compat_syscore);
}
#else
#define COMPAT_SYSCORE_ARGS			void
#define compat_register_syscore(ops)		register_syscore_ops(ops)
#define compat_unregister_syscore(ops)		unregister_syscore_ops(ops)
#endif

/*
 * Both packages of a CPU come from its APIC ID. The kernel's macros of these
 * names return 0 for a CPU that has never been online. A CPU that is not present
 * has BAD_APICID, which is in no map.
 */
#ifdef HAS_TOPOLOGY_DOMAINS
static inline int compat_physical_package(unsigned int cpu)
{
	return cpu_physical_id(cpu) >>
	       topology_get_domain_shift(TOPO_PKG_DOMAIN);
}

static inline int compat_logical_package(unsigned int cpu)
{
	return topology_get_logical_id(cpu_physical_id(cpu), TOPO_PKG_DOMAIN);
}
#else
#define topology_num_cores_per_package()	(boot_cpu_data.x86_max_cores)

/*
 * Older kernels know the shift of a CPU that has been online only. The other
 * one is of the legacy leaf of CPUID, and the same on the processors we know.
 */
static inline int compat_physical_package(unsigned int cpu)
{
	return cpu_online(cpu) ? topology_physical_package_id(cpu) :
		cpu_physical_id(cpu) >> boot_cpu_data.x86_coreid_bits;
}

/*
 * Older kernels number a package when the first CPU of it comes online. Then
 * the number is final, also while a CPU comes online anew.
 */
static inline int compat_logical_package(unsigned int cpu)
{
	return cpu_data(cpu).initialized ? topology_logical_package_id(cpu) :
		topology_phys_to_logical_pkg(compat_physical_package(cpu));
}
#endif

#ifdef HAS_X86_VFM
#define compat_vfm()	(boot_cpu_data.x86_vfm)
#else
#define compat_vfm()	(boot_cpu_data.x86_vendor << 16 |		\
			 boot_cpu_data.x86 << 8 | boot_cpu_data.x86_model)
#endif

#endif
