#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# pre-build.sh KERNEL HEADERS: prepares the build for KERNEL, whose build tree is
# HEADERS. DKMS runs it in its copy of the source. It makes:
#
#	kernel/build		the tree to build against: HEADERS, or a tree beside
#				it that has the Rust metadata, too
#	kernel/toolchain	the compilers, for tools/module.sh
#	module			the module, compiled
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
# shellcheck source=tools/dkms/source.sh
. "$here/source.sh"
# shellcheck source=tools/dkms/metadata.sh
. "$here/metadata.sh"

kernel=$1 headers=$2

check_kernel()
{
	is_configured "$headers" ||
		skip "its headers are not in $headers" \
			"$(to_install headers)"
	[ "$(option "$headers" RUST)" = y ] ||
		skip "it was built without Rust (CONFIG_RUST)" \
			"$(to_install kernel)"
}

prepare_tree()
{
	if has_metadata "$headers"; then
		step "the headers have the Rust metadata"
		ln -s "$headers" kernel/build
		return
	fi
	[ ! -L "$headers/rust" ] ||
		skip "its Rust metadata is in a package of its own" \
			"$(to_install metadata)"
	check_library
	check_tool xz xz-utils
	find_source
	make_tree
	make_metadata
	compare_symbols
}

compile_module()
{
	step "compiling the module"
	"$here/../module.sh" kernel/toolchain kernel/build module modules </dev/null ||
		skip "the module does not compile for it" \
			"please report this, with $PWD/make.log"
}

unforeseen_is_skipped
rm -rf kernel module
mkdir kernel
check_kernel
choose_rustc
choose_bindgen
printf '%s\n' "RUSTC=$rustc" "BINDGEN=$bindgen" >kernel/toolchain
prepare_tree
compile_module
nothing_skipped
