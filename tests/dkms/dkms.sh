#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dkms.sh [TEST]: tests the scripts that DKMS runs before it builds the module, on a
# machine of stubs: each reason to skip a kernel, and the files kept and removed. Also
# tests the scripts of the packages. One "ok - test" or "not ok - test" line each. Tests are called by name:
# shellcheck disable=SC2317

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(readlink -f "$here/../..")
# shellcheck source=tools/build/lib.sh
. "$here/../../tools/build/lib.sh"
work=$(mktemp -d)/machine
trap 'rm -rf "${work%/machine}"' EXIT
# shellcheck source=tests/dkms/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/dkms/packages.sh
. "$here/packages.sh"

# skips LINE: checks that the kernel is skipped with this line.
skips()
{
	local status=0

	pre_build || status=$?
	[ "$status" -eq 77 ] || { say "exit status $status, not 77"; return 1; }
	[ "$(note)" = "$kernel: $1" ] || { say "noted: $(note)"; return 1; }
}

# when BREAK... -- LINE
when()
{
	local broken=()

	while [ "$1" != -- ]; do
		broken+=("$1")
		shift
	done
	make_machine
	"${broken[@]}"
	skips "$2"
}

set_option()
{
	sed -i "s|^CONFIG_$1=.*|CONFIG_$1=$2|" "$headers/include/config/auto.conf"
}

# If there is no source here yet, the stub of apt-get is called.
in_transaction()
{
	rm "$work/source-version"
	export DPKG_MAINTSCRIPT_NAME=postinst
}

spoil_source()
{
	head -c 40 "$work/linux-source-7.3.tar.xz" >"$work/short"
	mv "$work/short" "$work/linux-source-7.3.tar.xz"
}

rust="apt-get install {rustc,libstd-rust-dev,rust-src}='1.85.1+*' bindgen"
report="please report this, with $work/dkms/build/make.log"

skip_tests()
{
	check "no headers" when rm "$work/headers/include/config/auto.conf" -- \
		"its headers are not in $work/headers > apt-get install linux-headers-$kernel"
	check "no CONFIG_RUST" when set_option RUST n -- \
		"it was built without Rust (CONFIG_RUST) > apt-get install -t trixie-backports linux-image-amd64 linux-headers-amd64"
	check "another rustc" when cp /etc/hostname "$work/rustc-version" -- \
		"it was built with $rustc_version, here is $(cat /etc/hostname) > $rust"
	check "no rustc" when rm "$work/bin/rustc" -- \
		"it was built with $rustc_version, here is none > $rust"
	check "a rustc that only says it is the one" when sed -i s/Ours/Theirs/ "$work/rustc-hash" -- \
		"$work/bin/rustc is not the rustc it was built with, though of the same version > $rust"
	check "no bindgen" when rm "$work/bin/bindgen" -- \
		"bindgen is missing > apt-get install bindgen"
	check "metadata in a package that is missing" when ln -s /nonexistent "$work/headers/rust" -- \
		"its Rust metadata is in a package of its own > install the package with this kernel's rust/*.rmeta"
	check "no source of Rust's library" when rm -r "$work/sysroot" -- \
		"the source of Rust's library is missing > $rust"
	check "no xz" when rm "$work/bin/xz" -- \
		"xz is missing > apt-get install xz-utils"
	check "headers of no package" when rm "$work/headers-version" -- \
		"its headers lack the Rust metadata, and its source is not known > install the package with this kernel's rust/*.rmeta"
	check "no source, in a package transaction" when in_transaction -- \
		"its source is not here, and nothing is fetched while packages are being installed > when that is done, run: dkms autoinstall -k $kernel"
	check "no source, and no network" when rm "$work/source-version" -- \
		"its source, linux-source-7.3=$version, cannot be fetched > apt-get update && dkms autoinstall -k $kernel"
	check "the source of another release" when cp /etc/hostname "$work/source-version" -- \
		"its source, linux-source-7.3=$version, cannot be fetched > apt-get update && dkms autoinstall -k $kernel"
	check "a source that is not the headers'" when sed -i s/4/5/ "$work/headers/Makefile" -- \
		"the source package of its version is not its source > please report this, with the output of: dpkg -l 'linux-*'"
	check "a source that is cut short" when spoil_source -- \
		"preparing it stopped with an error > $report"
	check "metadata that cannot be made" when touch "$work/no-crates" -- \
		"its Rust metadata could not be made > $report"
	check "metadata with other symbols" when sed -i s/second/third/ "$work/crate-symbols" -- \
		"2 symbols of the Rust metadata made here are not the kernel's > $report"
	check "a module that does not compile" when touch "$work/no-module" -- \
		"the module does not compile for it > $report"
}

builds()
{
	pre_build "$@"
	[ -e "$work/dkms/build/module/uncore_rs.ko" ]
	[ ! -e "$work/dkms/skipped.${1:-$kernel}" ]
}

builds_after_skip()
{
	make_machine
	mv "$work/bin/bindgen" "$work"
	skips "bindgen is missing > apt-get install bindgen"
	mv "$work/bindgen" "$work/bin"
	builds
}

# The source package is needed only once.
keeps_source()
{
	make_machine
	builds
	rm "$work/source-version"
	builds
	builds 7.3.4+stub-rt-amd64
}

wants_exact_source()
{
	keeps_source
	printf 7.3.5-1 >"$work/headers-version"
	skips "its source, linux-source-7.3=7.3.5-1, cannot be fetched > apt-get update && dkms autoinstall -k $kernel"
}

takes_shipped_metadata()
{
	make_machine
	mkdir "$work/headers/rust"
	touch "$work/headers/rust/libkernel.rmeta"
	rm "$work/headers-version"
	builds
	[ "$(readlink "$work/dkms/build/kernel/build")" = "$work/headers" ]
}

leaves_headers()
{
	local before

	make_machine
	before=$(find "$headers" -printf '%p %T@\n')
	builds
	[ "$(find "$headers" -printf '%p %T@\n')" = "$before" ]
}

forgets()
{
	keeps_source
	export UNCORE_SOURCES=$work/cache
	DPKG_MAINTSCRIPT_PACKAGE=uncore-rs-dkms "$module/tools/dkms/forget.sh" "$kernel"
	[ -e "$work/cache/$kernel/version" ]
	"$module/tools/dkms/forget.sh" "$kernel"
	[ ! -e "$work/cache/$kernel" ]
	"$module/tools/dkms/forget.sh" 7.3.4+stub-rt-amd64
	[ ! -e "$work/cache" ]
}

removes_source()
{
	make_machine
	[ -x "$module/tools/dkms/pre-build.sh" ]
	"$root/tools/dkms/install.sh" remove "$work"
	[ ! -e "$module" ]
}

one_version()
{
	grep -qF "version = \"${module##*-}\"" "$root/Cargo.toml"
}

# A process of its own, because "set -e" means nothing to what check calls.
strict()
{
	"$here/dkms.sh" "$@"
}

if [ $# -gt 0 ]; then
	"$@"
	exit
fi
skip_tests
check "builds once nothing is missing" strict builds_after_skip
check "keeps the source" strict keeps_source
check "wants the exact source" strict wants_exact_source
check "takes metadata that is shipped" strict takes_shipped_metadata
check "leaves the headers alone" strict leaves_headers
check "forgets the source with the kernel" strict forgets
check "removes what it installed" strict removes_source
check "has the version of Cargo.toml" one_version
package_tests
end_checks
