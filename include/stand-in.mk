# SPDX-License-Identifier: GPL-2.0
#
# Builds the module's Rust object without Rust in the kernel: with rust/kernel in place of the
# kernel crate, the compiler's own core library, and crates from crates.io. Link-time optimisation
# over all of them leaves one object, of which only the entry points are global.
#
# In: UNCORE_CRATES, a directory with the crates (tools/crates.sh); RUSTC; RUST_LIB_SRC, the
# source of its library.

RUSTC ?= rustc
UNCORE_CRATES ?= $(src)/crates
RUST_LIB_SRC ?= $(shell $(RUSTC) --print sysroot)/lib/rustlib/src/rust/library

# Unstable options are allowed, as in the kernel's own build. Another compiler is another command, so
# that make repeats it.
stand-in-version := $(shell $(RUSTC) --version)
stand-in-rustc := RUSTC_BOOTSTRAP=1 UNCORE_RUSTC='$(stand-in-version)' $(RUSTC)
stand-in-minor := $(word 3,$(subst ., ,$(stand-in-version)))

# $(call stand-in-option,FLAG,OTHER): the flag if the compiler knows it, or the other
stand-in-option = $(shell $(stand-in-rustc) $(1) --print cfg >/dev/null 2>&1 && \
	echo '$(1)' || echo '$(2)')

# Rust code of such a kernel has to be compiled in ways that are not done here.
stand-in-refused := $(foreach option,CFI CFI_CLANG KMSAN LTO_CLANG RANDSTRUCT \
	SHADOW_CALL_STACK,$(if $(CONFIG_$(option)),CONFIG_$(option)))
ifneq ($(strip $(stand-in-refused)),)
$(error uncore_rs: it was built with $(strip $(stand-in-refused)))
endif

# The options of the kernel's C code, each by its configuration symbol; some had other names before
# Linux 6.9.
stand-in-flags-y := -Cpanic=abort -Cforce-unwind-tables=n -Crelocation-model=static \
	-Ccode-model=kernel -Cno-redzone=y -Ccodegen-units=1 -Copt-level=2 -Ztune-cpu=generic \
	-Zplt=yes -Zfunction-sections=n -Zunstable-options -Csymbol-mangling-version=legacy --sysroot=/dev/null
stand-in-flags-y += $(call stand-in-option,-Cjump-tables=n,-Zno-jump-tables)
stand-in-flags-$(or $(CONFIG_MITIGATION_RETHUNK),$(CONFIG_RETHUNK)) += \
	-Zfunction-return=thunk-extern
stand-in-flags-$(CONFIG_X86_KERNEL_IBT) += -Zcf-protection=branch
stand-in-flags-$(CONFIG_CALL_PADDING) += \
	-Zpatchable-function-entry=$(CONFIG_FUNCTION_PADDING_BYTES)$(comma)$(CONFIG_FUNCTION_PADDING_BYTES)
stand-in-flags-$(CONFIG_UNWINDER_FRAME_POINTER) += -Cforce-frame-pointers=y

# Options that the compiler takes with a description of its target only.
stand-in-features-$(or $(CONFIG_MITIGATION_RETPOLINE),$(CONFIG_RETPOLINE)) := \
	+retpoline-external-thunk,+retpoline-indirect-branches,+retpoline-indirect-calls,
stand-in-features-$(or $(CONFIG_MITIGATION_SLS),$(CONFIG_SLS)) := \
	$(stand-in-features-y)+harden-sls-ijmp,+harden-sls-ret,

stand-in := $(obj)/stand-in

targets += stand-in/kernel.json

quiet_cmd_stand_in_target = RUSTC   $@
      cmd_stand_in_target = $(stand-in-rustc) -Zunstable-options --print target-spec-json \
	--target x86_64-unknown-none | sed 's/"features": "/&$(stand-in-features-y)/' >$@

$(stand-in)/kernel.json: FORCE
	+$(call if_changed,stand_in_target)

# Crates for the compiler itself.
stand-in-macros := paste pinned_init_macro
stand-in-of-paste := --edition 2018
stand-in-of-unicode_ident := --edition 2021
stand-in-of-proc_macro2 := --edition 2021 --cfg 'feature="proc-macro"' --cfg wrap_proc_macro
stand-in-of-quote := --edition 2021 --cfg 'feature="proc-macro"'
stand-in-of-pinned_init_macro := --edition 2021 --cfg RUSTC_LINT_REASONS_IS_STABLE

stand-in-file = $(stand-in)/lib$(1)$(if $(filter $(1),$(stand-in-macros)),.so,.rlib)
stand-in-source = $(UNCORE_CRATES)/$(subst _,-,$(1))/src/lib.rs

quiet_cmd_stand_in_host = HOSTRUSTC $@
      cmd_stand_in_host = $(stand-in-rustc) --crate-name $(stand-in-name) --cap-lints allow -O \
	--crate-type $(if $(filter $(stand-in-name),$(stand-in-macros)),proc-macro,rlib) \
	$(stand-in-of-$(stand-in-name)) -L $(stand-in) --extern proc_macro \
	$(addprefix --extern ,$(stand-in-uses)) -o $@ $<

# $(call stand-in-rule,NAME,USED CRATES)
define stand-in-rule
targets += stand-in/$(notdir $(call stand-in-file,$(1)))
$(call stand-in-file,$(1)): private stand-in-name := $(1)
$(call stand-in-file,$(1)): private stand-in-uses := $(2)
$(call stand-in-file,$(1)): $(call stand-in-source,$(1)) $(foreach each,$(2),$(call stand-in-file,$(each))) FORCE
	+$$(call if_changed,stand_in_host)
endef

$(eval $(call stand-in-rule,unicode_ident))
$(eval $(call stand-in-rule,proc_macro2,unicode_ident))
$(eval $(call stand-in-rule,quote,proc_macro2))
$(eval $(call stand-in-rule,paste))
$(eval $(call stand-in-rule,pinned_init_macro,proc_macro2 quote))

# A crate for the kernel
stand-in-common = $(stand-in-rustc) --target $(stand-in)/kernel.json $(stand-in-flags-y) -L $(stand-in)

targets += stand-in/libcore.rlib stand-in/libcompiler_builtins.rlib \
	stand-in/libpinned_init.rlib stand-in/libkernel.rlib

quiet_cmd_stand_in_core = RUSTC   $@
      cmd_stand_in_core = $(stand-in-common) --crate-name core --crate-type rlib --cap-lints allow \
	--edition $(if $(filter 85 86,$(stand-in-minor)),2021,2024) --cfg no_fp_fmt_parse -o $@ $<

$(stand-in)/libcore.rlib: $(RUST_LIB_SRC)/core/src/lib.rs $(stand-in)/kernel.json FORCE
	+$(call if_changed,stand_in_core)

# Compilers want this crate beside core. What it would have is in the kernel, or not needed.
quiet_cmd_stand_in_builtins = RUSTC   $@
      cmd_stand_in_builtins = \
	printf '\#![feature(compiler_builtins)] \#![compiler_builtins] \#![no_std]' | \
	$(stand-in-common) --crate-name compiler_builtins --crate-type rlib --cap-lints allow -o $@ -

$(stand-in)/libcompiler_builtins.rlib: $(stand-in)/libcore.rlib FORCE
	+$(call if_changed,stand_in_builtins)

quiet_cmd_stand_in_pinned_init = RUSTC   $@
      cmd_stand_in_pinned_init = $(stand-in-common) --crate-name pinned_init --crate-type rlib \
	--cap-lints allow --edition 2021 --extern paste --extern pinned_init_macro \
	--cfg RUSTC_LINT_REASONS_IS_STABLE --cfg RUSTC_NEW_UNINIT_IS_STABLE -o $@ $<

$(stand-in)/libpinned_init.rlib: $(call stand-in-source,pinned_init) \
    $(stand-in)/libcompiler_builtins.rlib $(call stand-in-file,paste) \
    $(call stand-in-file,pinned_init_macro) FORCE
	+$(call if_changed,stand_in_pinned_init)

quiet_cmd_stand_in_kernel = RUSTC   $@
      cmd_stand_in_kernel = $(stand-in-common) --crate-name kernel --crate-type rlib \
	--edition 2021 --extern pinned_init --cfg MODULE --check-cfg 'cfg(MODULE)' \
	--check-cfg 'cfg(test)' -o $@ $<

$(stand-in)/libkernel.rlib: $(src)/rust/kernel/src/lib.rs \
    $(wildcard $(src)/rust/kernel/src/*.rs $(src)/rust/kernel/src/*/*.rs) \
    $(stand-in)/libpinned_init.rlib $(uncore-layout) FORCE
	+$(call if_changed,stand_in_kernel)

# objtool's command begins with a semicolon on some kernels.
stand-in-objtool = $(patsubst ;,,$(cmd_objtool))

# rustc 1.85 takes for unused what only a `const _` uses.
quiet_cmd_stand_in_object = RUSTC   $@
      cmd_stand_in_object = $(stand-in-common) --crate-name uncore_rs --crate-type staticlib \
	-Clto=fat --edition 2021 -Zcrate-attr=no_std -Zcrate-attr='recursion_limit="256"' -Adead_code \
	--extern pin_init=$(stand-in)/libpinned_init.rlib --extern pinned_init --extern kernel \
	--emit=dep-info=$(depfile),link=$@.a $<; \
	sed -i '/^\#/d' $(depfile); \
	$(AR) p $@.a $$($(AR) t $@.a | grep '^uncore_rs') >$@; rm $@.a; \
	$(src)/tools/check-object.sh $@ $(objtree)/include/config/auto.conf $(stand-in-flags-y) \
		$(stand-in-features-y); \
	$(or $(stand-in-objtool),:)

$(obj)/rust/uncore_rs.o: $(src)/rust/uncore_rs.rs $(stand-in)/libkernel.rlib FORCE
	+$(call if_changed_dep,stand_in_object)
