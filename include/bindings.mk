# SPDX-License-Identifier: GPL-2.0
#
# Generates two files for rust/linux, with the flags of the kernel that the modules are for: the
# Rust view of C declarations (bindgen), and the C compiler's view of the same structs.
#
# In: uncore-objs, the Rust objects that include the two; BINDGEN.
# Out: the environment variables UNCORE_BINDINGS and UNCORE_LAYOUT, and rules.

BINDGEN ?= bindgen

uncore-bindings := $(obj)/include/bindings_generated.rs
uncore-layout := $(obj)/include/layout_generated.rs
export UNCORE_BINDINGS := $(abspath $(uncore-bindings))
export UNCORE_LAYOUT := $(abspath $(uncore-layout))

targets += include/bindings_generated.rs include/layout_generated.rs include/layout.s
clean-files += include/bindings_generated.rs include/layout_generated.rs

$(uncore-objs): $(uncore-bindings) $(uncore-layout)

# Names that rust/linux uses. Structs whose fields it does not use are opaque: blobs of the right
# size.
uncore-functions := helper_.* seq_write
uncore-functions += ioremap iounmap irq_work_queue irq_work_sync
uncore-functions += __pci_register_driver pci_unregister_driver
uncore-functions += pci_dev_get pci_dev_put pci_get_device
uncore-functions += pci_read_config_dword pci_write_config_dword
uncore-functions += perf_event_update_userpage
uncore-functions += perf_pmu_migrate_context perf_pmu_register synchronize_rcu_expedited
uncore-types := attribute_group device_attribute helper_interval helper_module_file helper_nmi
uncore-types += helper_power helper_text
uncore-types += helper_timer helper_work hlist_node irq_work lock_class_key pci_bus pci_dev pci_device_id pci_driver
uncore-types += perf_event perf_event_state perf_event_task_context pmu
uncore-types += raw_spinlock_t
uncore-vars := PERF_ATTACH_TASK PERF_EF_.* PERF_HES_.* PERF_PMU_CAP_NO_.* EOPNOTSUPP
uncore-vars += HZ_TO_MSEC_DEN HZ_TO_MSEC_NUM jiffies_64 pci_channel_io_normal
uncore-opaque := address_space.* bin_attribute block_device bpf_.* ctl_table.* dentry.* dev_pagemap
uncore-opaque += device device_driver event_filter fasync_struct file file_operations folio hrtimer inode
uncore-opaque += irq_work kmem_cache kobject kobj_type kset mm_.* module module_attribute mutex nmiaction
uncore-opaque += notifier_block page pci_dynids
uncore-opaque += pci_error_handlers pci_ops percpu_rw_semaphore perf_addr_filters_head perf_buffer
uncore-opaque += perf_cgroup perf_cpu_pmu_context perf_event_attr perf_event_context perf_event_pmu_context
uncore-opaque += perf_output_handle perf_sample_data pid_namespace pt_regs resource seq_file
uncore-opaque += super_.* task_struct trace_event_call user_namespace vm_.* wait_queue_head
uncore-opaque += work_struct

# Packed structs with aligned fields, and one that may be empty.
uncore-opaque += alt_instr arch_lbr_state desc_struct local_apic spinlock x86_msi_addr_lo x86_msi_data
uncore-opaque += xregs_state

uncore-bindgen-flags = $(foreach name,$(uncore-functions),--allowlist-function '$(name)') \
	$(foreach name,$(uncore-types),--allowlist-type '$(name)') \
	$(foreach name,$(uncore-vars),--allowlist-var '$(name)') \
	$(foreach name,$(uncore-opaque),--opaque-type '$(name)') \
	--blocklist-type '__kernel_s?size_t' --blocklist-type __kernel_ptrdiff_t

# libclang gets the flags of the kernel's C compiler. Flags that it does not know are filtered out,
# as in the kernel's rust/Makefile.
ifdef CONFIG_CC_IS_CLANG
uncore-c-flags = $(c_flags) -w
else
uncore-skip-c-flags := -mno-fp-ret-in-387 -mpreferred-stack-boundary=% -mskip-rax-setup \
	-mindirect-branch=thunk-extern -mindirect-branch-register -mfunction-return=thunk-extern \
	-mrecord-mcount -mindirect-branch-cs-prefix -mstack-protector-guard% -fconserve-stack \
	-falign-jumps=% -falign-loops=% -femit-struct-debug-baseonly -fno-ipa-cp-clone \
	-fno-ipa-sra -fno-partial-inlining -fplugin-arg-arm_ssp_per_task_plugin-% \
	-fno-reorder-blocks -fno-allow-store-data-races -fasan-shadow-offset=% \
	-fzero-call-used-regs=% -fno-stack-clash-protection -fno-inline-functions-called-once \
	-fsanitize=bounds-strict -fstrict-flex-arrays=% -fmin-function-alignment=% \
	-ftrivial-auto-var-init=% -fzero-init-padding-bits=% -fdiagnostics-show-context \
	-fdiagnostics-show-context=% --param=% --param asan-% \
	-fno-isolate-erroneous-paths-dereference
uncore-c-flags = $(filter-out $(uncore-skip-c-flags),$(c_flags)) -w --target=x86_64-linux-gnu
endif

quiet_cmd_uncore_bindgen = BINDGEN $@
      cmd_uncore_bindgen = \
	$(BINDGEN) $< $(uncore-bindgen-flags) --rust-target 1.47 --use-core \
		--with-derive-default --ctypes-prefix ffi --no-layout-tests --no-debug '.*' \
		--no-doc-comments --enable-function-attribute-detection -o $@ -- \
		$(filter-out $(CC_FLAGS_LTO),$(uncore-c-flags)) -fno-builtin -D__BINDGEN__ -DMODULE

$(uncore-bindings): $(src)/include/bindings.h $(src)/include/bindings.mk FORCE
	$(call if_changed_dep,uncore_bindgen)

# Lines `->NAME $number ...` of the assembly become constants.
quiet_cmd_uncore_layout = GEN     $@
      cmd_uncore_layout = \
	sed -n 's|^.*"->\([A-Z0-9_]*\) [$$]*\([0-9]*\) .*|pub(super) const \1: usize = \2;|p' $< >$@

$(uncore-layout): $(obj)/include/layout.s FORCE
	$(call if_changed,uncore_layout)
