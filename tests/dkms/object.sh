# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of tools/check-object.sh, with objects of a few instructions, and with the flags that
# include/stand-in.mk has for a configuration. Tests are called by name:
# shellcheck disable=SC2317

: "${root=} ${work=}"

# Options for which the build has flags.
mitigations=(MITIGATION_RETPOLINE MITIGATION_RETHUNK MITIGATION_SLS X86_KERNEL_IBT CALL_PADDING
	UNWINDER_FRAME_POINTER)

# Prints the flags for a kernel with all of these options, as make expands them.
all_flags()
{
	make -s -f - RUSTC="$(type -P rustc)" <<-END
		$(printf 'CONFIG_%s := y\n' "${mitigations[@]}")
		CONFIG_FUNCTION_PADDING_BYTES := 16
		comma := ,
		all: ; @echo '\$(stand-in-flags-y) \$(stand-in-features-y)'
		if_changed := true
		src := $root
		include $root/include/stand-in.mk
		FORCE:
	END
}

# check_object INSTRUCTIONS FLAG...
check_object()
{
	mkdir -p "$work"
	{ echo CONFIG_X86_64=y && printf 'CONFIG_%s=y\n' "${mitigations[@]}"; } >"$work/auto.conf"
	printf '%b\n' "$1" | as -o "$work/object.o" -
	shift
	"$root/tools/check-object.sh" "$work/object.o" "$work/auto.conf" "$@" 2>&1
}

# refuses INSTRUCTIONS WORDS
refuses()
{
	local said

	# shellcheck disable=SC2086
	! said=$(check_object "$1" $flags) && grep -F "$2" <<<"$said"
}

accepts()
{
	# shellcheck disable=SC2086
	check_object 'mov -8(%rbp),%rax\ncall helper_in_nmi\njmp __x86_return_thunk' $flags
}

# Every flag that the kernel's own tools would not miss.
misses_each_flag()
{
	local flag others

	for flag in $flags; do
		case $flag in
			# Not for the kernel's sake, or seen in the object.
			-Ccodegen-units=* | -Copt-level=* | -Ztune-cpu=* | -Zunstable-options | \
				-Csymbol-mangling-version=* | --sysroot=* | -Cforce-unwind-tables=* | \
				-Zfunction-sections=* | -Zplt=*) continue ;;
		esac
		others=$(tr ' ' '\n' <<<"$flags" | grep -vxF -e "$flag")
		# shellcheck disable=SC2086
		! check_object 'jmp __x86_return_thunk' $others || { say "not missed: $flag"; return 1; }
	done
}

object_tests()
{
	local flags

	flags=$(all_flags)
	check "an object that fits" accepts
	check "each flag that is left out" misses_each_flag
	check "a path that panics" refuses 'call stand_in_bug' "code that can panic"
	check "a function of Rust that is nowhere" refuses 'call _RNvCs4_4core' "nowhere"
	check "a relocation for a table of addresses" refuses 'call *helper@GOTPCREL(%rip)' "R_X86_64_GOTPCREL"
	check "a register of the FPU" refuses 'movaps %xmm0,%xmm1' "registers of the FPU"
	check "data below the stack pointer" refuses 'mov %rax,-8(%rsp)' "below the stack"
	check "an indirect call" refuses 'call *%rax' "without a retpoline"
	check "an indirect jump" refuses 'jmp *(%rax)' "without a retpoline"
	check "a return" refuses 'ret' "returns without a thunk"
}
