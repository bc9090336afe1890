#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh MAKE KDIR [TEST]: tests the targets that users build and install with: the module
# for a kernel tree, the tool, and their removal. One "ok - test" or "not ok - test" line
# each. Tests are called by name:
# shellcheck disable=SC2317

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cd "$here/.."
# shellcheck source=tools/build/lib.sh
. tools/build/lib.sh
make=$1 kdir=$2
# As if typed by a user, not called by another make.
unset MAKEFLAGS MAKELEVEL MFLAGS
version="$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf) (0123456789ab)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The guest's modules are built with the kernel's own crates.
builds_for_a_tree()
{
	local module

	module=$("$make" modules KDIR="$kdir" 2>"$work/said" | tail -n 1)
	! grep -i -A 15 warning "$work/said" || return
	[[ $(modinfo -F vermagic "$module") == "$(cat "$kdir/include/config/kernel.release") "* ]] || return
	[ "$(modinfo -F version "$module") ($(modinfo -F commit "$module"))" = "$version" ]
}

installs_for_a_tree()
{
	"$make" modules_install KDIR="$kdir" INSTALL_MOD_PATH="$work/target"
	[ -e "$work/target/lib/modules/$(cat "$kdir/include/config/kernel.release")/updates/uncore_rs.ko" ]
}

# fails_with WORDS ARGUMENT...: checks that make fails, and says so.
fails_with()
{
	local words=$1 said
	shift

	if said=$("$make" "$@" 2>&1); then
		return 1
	fi
	grep -qF "$words" <<<"$said" || { say "it says: $said"; return 1; }
}

wants_a_kernel()
{
	fails_with 'say for which kernel' modules_install KDIR=
}

wants_a_tree()
{
	fails_with 'is not a configured kernel tree' modules KDIR="$work"
}

# Root may have no Rust, so that "install" must not build what is there.
installs_the_tool()
{
	"$make" tool
	"$make" install PREFIX="$work/prefix"
	[ "$("$work/prefix/bin/uncore" --version)" = "uncore $version" ]
	[ -s "$work/prefix/share/man/man1/uncore.1" ]
}

# So that it can be copied to any machine.
is_small_and_static()
{
	local headers

	[ "$(stat -c %s build/uncore)" -lt 5000000 ]
	headers=$(readelf --dynamic --program-headers build/uncore)
	! grep -E 'NEEDED|INTERP' <<<"$headers"
}

removes_the_tool()
{
	"$make" uninstall PREFIX="$work/prefix"
	[ -z "$(find "$work/prefix" -type f)" ]
}

# A process of its own, because "set -e" means nothing to what check calls.
strict()
{
	"$here/install.sh" "$make" "$kdir" "$@"
}

if [ $# -gt 2 ]; then
	work=$UNCORE_INSTALLED
	trap - EXIT
	"${@:3}"
	exit
fi
# One commit, so that the next one builds nothing again.
export UNCORE_INSTALLED=$work UNCORE_STAND_IN=1 UNCORE_COMMIT=0123456789ab
check "make modules builds for the kernel of KDIR" strict builds_for_a_tree
check "make modules_install installs there" strict installs_for_a_tree
check "make modules_install wants a KDIR" strict wants_a_kernel
check "make modules wants a kernel tree" strict wants_a_tree
check "make install installs the tool" strict installs_the_tool
check "the tool is small and static" strict is_small_and_static
check "make uninstall leaves no file" strict removes_the_tool
end_checks
