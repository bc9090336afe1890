#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# judges-initrd.sh OUTPUT SYSROOT JUDGES LIKWID TREE: a small initramfs with software from
# outside that uses uncore PMUs: the shell tests that come with the perf of SYSROOT, and
# ours in their manner; programs of the sysroot JUDGES, with the library LIKWID; the code
# of the resctrl self-test in the kernel's source TREE. The libraries that image.sh takes
# from SYSROOT are left out.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck source=tests/guest/guest-binaries.sh
. "$here/guest-binaries.sh"

output=$1 sysroot=$2 judges=$3 likwid=$4 tree=$5
# bash and mktemp are what the shell tests want and busybox has not.
judge_programs=(usr/bin/bash usr/bin/mktemp usr/bin/lua5.3 usr/sbin/pcm-{memory,pcie,power})
judge_libraries=("$libraries/libpfm.so.4" "$libraries/liblikwid.so")
shell_tests=usr/lib/perf-core/tests/shell

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

# compile NAME OPTION...
compile()
{
	cc -O2 -Wall -Werror -o "$root/bin/$1" "$here/judges/$1.c" "${@:2}"
}

# The library needs a newer C library than the host's, the program does not.
compile_pfm_count()
{
	mkdir -p "$work/include"
	cp -r -t "$work/include" "$judges/usr/include/perfmon"
	compile pfm-count -I"$work/include" "$judges/$libraries/libpfm.so.4" \
		-Wl,--allow-shlib-undefined
}

# What needs the rest of the self-test is left out as unused.
compile_resctrl_imc()
{
	local tests=$tree/tools/testing/selftests

	compile resctrl-imc -D_GNU_SOURCE -ffunction-sections -Wl,--gc-sections \
		-isystem "$tree/tools/include" -isystem "$tests" -isystem "$tests/resctrl" \
		"$tests/resctrl/resctrlfs.c"
}

mkdir -p "$root"/{bin,"$shell_tests","$libraries",usr/share/lua,usr/share/likwid}
cp -t "$root/bin" "${judge_programs[@]/#/$judges/}" "$judges/usr/bin/likwid-perfctr"
cp -L -t "$root/$libraries" "$judges/$libraries/libpfm.so.4" "$likwid"
cp -t "$root/usr/share/lua" "$judges/usr/share/lua/likwid.lua"
cp -r -t "$root/usr/share/likwid" "$judges/usr/share/likwid/perfgroups"
copy_other_libraries "$sysroot" "$judges" "$root" "${judge_programs[@]}" "${judge_libraries[@]}"
cp -r -t "$root/$shell_tests" "$sysroot/$shell_tests"/lib \
	"$sysroot/$shell_tests"/stat{+{csv,json,std}_output,_all_{pmu,metrics,metricgroups}}.sh
cp -t "$root/$shell_tests" "$here/judges/uncore_rs.sh"
compile_pfm_count
compile_resctrl_imc
mkdir -p "$(dirname "$output")"
pack "$root" "$output.$$"
mv "$output.$$" "$output"
