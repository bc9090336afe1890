/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interfaces of new kernels for helpers.c, made of those of older ones.
 *
 * compat.mk finds out what the kernel has.
 */
#ifndef _UNCORE_COMPAT_H
#define _UNCORE_COMPAT_H

#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/isolation.h>
#include <linux/syscore_ops.h>
#include <linux/topology.h>

#include <asm/apicdef.h>
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

#ifdef HAS_TOPOLOGY_DOMAINS
#define compat_max_packages()			topology_max_packages()
#else
#define TOPO_PKG_DOMAIN				0
#define topology_num_cores_per_package()	(boot_cpu_data.x86_max_cores)

static DECLARE_BITMAP(compat_packages, MAX_LOCAL_APIC);
static unsigned int compat_package_shift;
static bool compat_packages_known;

/*
 * Older kernels number a package when the first CPU of it comes online. Newer
 * ones, and this, number those of all CPUs that are present, by APIC ID. Several
 * CPUs may do that at once, as all find the same.
 */
static inline unsigned int topology_get_domain_shift(int domain)
{
	unsigned int cpu, level, shift = boot_cpu_data.x86_coreid_bits;
	u32 eax, ebx, ecx, edx;

	/* Pairs with the release below: who sees the flag sees all packages */
	if (smp_load_acquire(&compat_packages_known))
		return compat_package_shift;
	/* As the kernel does: the last level says where the package begins */
	for (level = 0; boot_cpu_data.cpuid_level >= 0xb && level < 8; level++) {
		cpuid_count(0xb, level, &eax, &ebx, &ecx, &edx);
		if (!(ecx & 0xff00))
			break;
		shift = eax & 0x1f;
	}
	for_each_possible_cpu(cpu)
		if (cpu_physical_id(cpu) != BAD_APICID)
			set_bit(cpu_physical_id(cpu) >> shift, compat_packages);
	compat_package_shift = shift;
	/* After the packages */
	smp_store_release(&compat_packages_known, true);
	return shift;
}

static inline int topology_get_logical_id(u32 apicid, int domain)
{
	unsigned int package = apicid >> topology_get_domain_shift(domain);

	if (package >= MAX_LOCAL_APIC || !test_bit(package, compat_packages))
		return -ENODEV;
	return bitmap_weight(compat_packages, package);
}

static inline unsigned int compat_max_packages(void)
{
	topology_get_domain_shift(TOPO_PKG_DOMAIN);
	return bitmap_weight(compat_packages, MAX_LOCAL_APIC);
}
#endif

#ifdef HAS_X86_VFM
#define compat_vfm()	(boot_cpu_data.x86_vfm)
#else
#define compat_vfm()	(boot_cpu_data.x86_vendor << 16 |		\
			 boot_cpu_data.x86 << 8 | boot_cpu_data.x86_model)
#endif

#endif
