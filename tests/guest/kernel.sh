#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh TOOLCHAIN SERIES FLAVOUR: builds that guest kernel into the cache, if
# it is not there, and prints its build directory. TOOLCHAIN is a file written by
# toolchain.sh; SERIES is as for kernel-source.sh.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"

toolchain=$1 flavour=$3
base=$here/config/base.config
fragment=$here/config/$flavour.config
[ -e "$fragment" ] || die "there is no kernel flavour '$flavour'" \
	"KERNEL can be plain, debug, kcsan or rt"

source=$("$here/../../tools/build/kernel-source.sh" "$2")
read -r series version tree <<<"$source"
name=$series-$flavour
kdir=$cache/kernel/$name-$(key "$version" "$(cat "$toolchain")" \
	"$(cat "$base" "$fragment" "$here/kernel-build.sh")")
log=$cache/log/kernel-$name.log

set -a
# shellcheck source=/dev/null
. "$toolchain"
set +a
# The kernel allows Rust with KASAN only with clang.
case $flavour in
	debug) export CC=$CLANG ;;
	*) export CC=gcc ;;
esac

# Prints one line now and then, until the building script ends.
watch()
{
	local seconds=0

	while sleep 1 && kill -0 $$ 2>/dev/null; do
		seconds=$((seconds + 1))
		((seconds % 20 == 0)) || continue
		printf '    %d:%02d  %5d steps done, now %s\n' \
			$((seconds / 60)) $((seconds % 60)) \
			"$(grep -c '^  [A-Z]' "$log")" \
			"$(grep '^  [A-Z]' "$log" | tail -n 1 | tr -s ' ')" >&2
	done
}

build()
{
	rm -rf "$kdir"
	mkdir -p "$cache/log"
	step "building the guest kernel $version, $flavour (log: $log)"
	watch &
	trap 'kill %1' EXIT
	"$here/kernel-build.sh" "$tree" "$kdir" "$base" "$fragment" \
		>"$log" 2>&1 </dev/null || {
		tail -n 30 "$log" >&2
		die "the guest kernel could not be built" "the whole log is $log"
	}
	mark_complete "$kdir"
}

if ! is_complete "$kdir"; then
	lock "kernel-$name"
	is_complete "$kdir" || build
fi
printf '%s\n' "$kdir"
