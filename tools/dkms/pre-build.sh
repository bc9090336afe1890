#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pre-build.sh KERNEL HEADERS: prepares the build for KERNEL, whose headers are in
# HEADERS. DKMS runs it in its copy of the source. It makes:
#
#	toolchain	the compilers, for tools/module.sh
#	module		the module, compiled
#
# If one of them cannot be made, the exit status is 77, DKMS's own for a kernel that it
# skips, and the only one with which a package transaction goes on. For the same reason
# the module is compiled here already.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../lib.sh"
# shellcheck source=tools/dkms/skip.sh
. "$here/skip.sh"
# shellcheck source=tools/dkms/toolchain.sh
. "$here/toolchain.sh"

kernel=$1 headers=$2

compile_module()
{
	local reason

	step "compiling the module"
	! "$here/../module.sh" toolchain "$headers" module UNCORE_STAND_IN=1 modules \
		</dev/null 2>&1 | tee module.log || return 0
	reason=$(sed -n 's/.*\*\*\* uncore_rs: \(.*\)\.  Stop\.$/\1/p' module.log)
	[ -z "$reason" ] || skip "$reason" "boot a kernel without it"
	skip "the module does not compile for it" "please report this, with $PWD/make.log"
}

unforeseen_is_skipped
rm -rf module
is_configured "$headers" ||
	skip "its headers are not in $headers" "$(to_install headers)"
choose_rustc
choose_bindgen
printf '%s\n' "RUSTC=$rustc" "RUST_LIB_SRC=$library" "BINDGEN=$bindgen" >toolchain
compile_module
nothing_skipped
