#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# front-ends-initrd.sh OUTPUT SYSROOT PYTHON TREE: a small initramfs with what perf's own
# programs in Python need: the interpreter and packages of the sysroot PYTHON, the module
# perf of SYSROOT, and the programs out of the kernel's source TREE. The libraries that
# image.sh takes from SYSROOT are left out.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
# shellcheck source=tests/guest/guest-binaries.sh
. "$here/guest-binaries.sh"

output=$1 sysroot=$2 python=$3 tree=$4
interpreter=$(basename "$(readlink -f "$python/usr/bin/python3")")
packages=usr/lib/python3/dist-packages
perf_programs=(ilist.py perf_live.py)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

# The sysroot's interpreter runs here with its own loader, since the host's Python may be
# another version.
host_python()
{
	PYTHONHOME=$python/usr "$python/usr/lib64/ld-linux-x86-64.so.2" \
		--library-path "$python/$libraries" "$python/usr/bin/$interpreter" "$@"
}

copy_python()
{
	mkdir -p "$root"/{bin,usr/lib/python3,"$libraries"}
	cp "$python/usr/bin/$interpreter" "$root/bin/python3"
	cp -r -t "$root/usr/lib" "$python/usr/lib/$interpreter"
	cp -r -t "$root/usr/lib/python3" "$python/$packages"
	cp -t "$root/$packages" "$sysroot/$packages"/perf.*.so
}

copy_libraries()
{
	local files

	files=$(cd "$python" && find "usr/lib/$interpreter/lib-dynload" -type f)
	# shellcheck disable=SC2086 # Each file is a word.
	copy_other_libraries "$sysroot" "$python" "$root" "usr/bin/$interpreter" $files
}

# An emulated processor would take a minute to compile all of that.
compile()
{
	find "$root" -name __pycache__ -prune -exec rm -r {} +
	host_python -W ignore -m compileall -q --invalidation-mode unchecked-hash -s "$root" \
		"$root/usr/lib/$interpreter" "$root/$packages" "$root/usr/lib/perf"
}

copy_python
copy_libraries
install -D -m 755 -t "$root/usr/lib/perf" "${perf_programs[@]/#/$tree/tools/perf/python/}"
install -m 755 -t "$root/bin" "$here/front-ends/on-terminal"
compile
mkdir -p "$(dirname "$output")"
pack "$root" "$output.$$"
mv "$output.$$" "$output"
