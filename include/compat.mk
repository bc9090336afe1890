# SPDX-License-Identifier: GPL-2.0
#
# Finds out which interfaces the headers of this kernel have, for compat.h. The release does not
# tell: stable kernels and those of distributions have interfaces of newer ones.
#
# Out: -DHAS_NAME in ccflags-y for each interface that is there.

# $(call uncore-has,NAME,PATTERN,HEADER)
uncore-has = $(if $(shell grep -Esw '$(2)' $(srctree)/$(3)),-DHAS_$(1))

ccflags-y += $(call uncore-has,ATTR_CONFIG3,config3;,include/uapi/linux/perf_event.h) \
	$(call uncore-has,ATTR_CONFIG4,config4;,include/uapi/linux/perf_event.h) \
	$(call uncore-has,CONST_MODULE_ATTRIBUTE,show.*const struct module_attribute,include/linux/module.h) \
	$(call uncore-has,HK_TYPE,enum hk_type,include/linux/sched/isolation.h) \
	$(call uncore-has,HK_TYPE_DOMAIN_BOOT,HK_TYPE_DOMAIN_BOOT,include/linux/sched/isolation.h) \
	$(call uncore-has,HK_TYPE_KERNEL_NOISE,HK_TYPE_KERNEL_NOISE,include/linux/sched/isolation.h) \
	$(call uncore-has,HRTIMER_SETUP,hrtimer_setup,include/linux/hrtimer.h) \
	$(call uncore-has,PERF_ALLOW_KERNEL,perf_allow_kernel.void.;,include/linux/perf_event.h) \
	$(call uncore-has,PERF_ALLOW_KERNEL_OF,int perf_allow_kernel.struct.*;,include/linux/perf_event.h) \
	$(call uncore-has,RDMSRQ,rdmsrq_safe,arch/x86/include/asm/msr.h) \
	$(call uncore-has,SYSCORE,struct syscore {,include/linux/syscore_ops.h) \
	$(call uncore-has,TOPOLOGY_DOMAINS,topology_get_logical_id,arch/x86/include/asm/topology.h) \
	$(call uncore-has,X86_VFM,x86_vfm,arch/x86/include/asm/processor.h)
