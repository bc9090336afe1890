#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-object.sh OBJECT CONFIG FLAG...: fails if a Rust object that was compiled with these flags,
# outside of the kernel's own build, does not fit a kernel of this configuration
# (include/config/auto.conf). The kernel's tools do not see all of it.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/lib.sh"

object=$1 config=$2
shift 2
flags=" $* "
failed=0

# is_set NAME...: succeeds if one of these options is on; some had another name before Linux 6.9.
is_set()
{
	local name

	for name in "$@"; do
		! grep -q "^CONFIG_$name=y" "$config" || return 0
	done
	return 1
}

# none WHAT TEXT PATTERN [OPTION]: fails if the text has such lines.
none()
{
	local lines

	lines=$(grep -xE ${4:+"$4"} "$3" <<<"$2" | sort | uniq -c | sed -n 1,5p) || return 0
	say "error: $object has $1:" "$lines"
	failed=1
}

# flag PATTERN NAME...: one of the flags matches if an option is on.
flag()
{
	local pattern=$1
	shift

	! is_set "$@" || grep -qE -e " $pattern" <<<"$flags" || {
		say "error: $object was compiled without $pattern, for CONFIG_$1"
		failed=1
	}
}

symbols=$(nm --undefined-only "$object" | awk '{ print $2 }')
relocations=$(readelf --relocs --wide "$object" | grep -o 'R_X86_64_[A-Z0-9]*' || true)
instructions=$(objdump --disassemble --no-show-raw-insn "$object" | cut -f 2-)
none "functions of Rust that are nowhere" "$symbols" '(_R|_ZN).*'
none "code that can panic" "$symbols" stand_in_bug
none "relocations that modules may not have" \
	"$relocations" 'R_X86_64_(64|PC64|32|32S|PC32|PLT32)' --invert-match
none "registers of the FPU" "$instructions" '.*%([xyz]?mm[0-9]|st\b).*'
none "data below the stack pointer" "$instructions" '.*-0x[0-9a-f]+\(%rsp\).*'
! is_set MITIGATION_RETPOLINE RETPOLINE ||
	none "indirect branches without a retpoline" "$instructions" '(call|jmp) +\*.*'
! is_set MITIGATION_RETHUNK RETHUNK || none "returns without a thunk" "$instructions" 'ret\b.*'
flag -Cno-redzone=y X86_64
flag -Ccode-model=kernel X86_64
flag '-Crelocation-model=static' X86_64
flag '-Cpanic=abort' X86_64
flag '-(Cjump-tables=n|Zno-jump-tables)' X86_64
flag '[^ ]*\+retpoline-external-thunk,' MITIGATION_RETPOLINE RETPOLINE
flag '-Zfunction-return=thunk-extern' MITIGATION_RETHUNK RETHUNK
flag '[^ ]*\+harden-sls-ijmp,\+harden-sls-ret' MITIGATION_SLS SLS
flag '-Zcf-protection=branch' X86_KERNEL_IBT
flag '-Zpatchable-function-entry=[0-9]+,[0-9]+' CALL_PADDING
flag '-Cforce-frame-pointers=y' UNWINDER_FRAME_POINTER
exit "$failed"
