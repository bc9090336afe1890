#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dkms.sh [TEST]: tests the scripts that DKMS runs before it builds the module, on a
# machine of stubs: each reason to skip a kernel, and the files kept and removed. Also
# tests the check of the compiled object, and the scripts of the packages. One "ok - test" or "not ok - test" line each. Tests are called by name:
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
# shellcheck source=tests/dkms/object.sh
. "$here/object.sh"

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

# make_says LINE: the module does not compile, and make prints this.
make_says()
{
	printf '%s\n' "$1" >"$work/said"
}

of_release()
{
	printf 'ID=%s\nVERSION_ID="%s"\n' "$1" "$2" >"$work/os-release"
	rm "$work/bin/rustc"
}

report="please report this, with $work/dkms/build/make.log"
web="apt-get install dkms rustc-web rust-web-src bindgen"

skip_tests()
{
	check "no headers" when rm "$work/headers/include/config/auto.conf" -- \
		"its headers are not in $work/headers > apt-get install linux-headers-$kernel"
	check "no rustc" when rm "$work/bin/rustc" -- "rustc is missing > $web"
	check "no rustc on Debian 13" when of_release debian 13 -- \
		"rustc is missing > apt-get install dkms rustc rust-src bindgen"
	check "no rustc on RHEL" when of_release rhel 9.4 -- \
		"rustc is missing > dnf install dkms rust rust-src bindgen-cli"
	check "a rustc that is too old" when make_rustc 1.63.0 rustc -- \
		"rustc is 1.63.0, it takes 1.85 or later > $web"
	check "no source of Rust's library" when rm -r "$work/sysroot-1.96.0" -- \
		"the source of the library of rustc 1.96.0 is missing > $web"
	check "no bindgen" when rm "$work/bin/bindgen" -- \
		"bindgen is missing > $web"
	check "a kernel of another kind" when \
		make_says 'Kbuild:1: *** uncore_rs: it was built with CONFIG_CFI.  Stop.' -- \
		"it was built with CONFIG_CFI > boot a kernel without it"
	check "a module that does not compile" when make_says 'error: any' -- \
		"the module does not compile for it > $report"
	check "a tool of ours that fails" when rm "$work/bin/rm" -- \
		"preparing it stopped with an error > $report"
}

builds()
{
	pre_build
	[ -e "$work/dkms/build/module/uncore_rs.ko" ]
	[ ! -e "$work/dkms/skipped.$kernel" ]
}

builds_after_skip()
{
	make_machine
	mv "$work/bin/bindgen" "$work"
	skips "bindgen is missing > $web"
	mv "$work/bindgen" "$work/bin"
	builds
}

# An old compiler may come first, as on Ubuntu.
takes_a_rustc_that_serves()
{
	make_machine
	make_rustc 1.75.0 rustc
	make_rustc 1.85.1 rustc-1.85
	builds
	grep -qx "RUSTC=$work/bin/rustc-1.85" "$work/arguments"
	grep -qx "RUST_LIB_SRC=$work/sysroot-1.85.1/lib/rustlib/src/rust/library" "$work/arguments"
	grep -qx UNCORE_STAND_IN=1 "$work/arguments"
}

takes_one_bindgen_of_many()
{
	make_machine
	(cd "$work/bin" && touch bindgen-{1..5000} && chmod +x bindgen-*)
	builds
	grep -qx "BINDGEN=$work/bin/bindgen" "$work/dkms/build/toolchain"
}

leaves_headers()
{
	local before

	make_machine
	before=$(find "$headers" -printf '%p %T@\n')
	builds
	[ "$(find "$headers" -printf '%p %T@\n')" = "$before" ]
}

removes_source()
{
	make_machine
	[ -x "$module/tools/dkms/pre-build.sh" ]
	[ -e "$module/crates/pinned-init/src/lib.rs" ]
	"$root/tools/dkms/install.sh" remove "$work"
	[ ! -e "$module" ]
}

one_version()
{
	local line="version = \"${module##*-}\""

	grep -qx "$line" "$root/Cargo.toml" && grep -qx "$line" "$root/tests/engine/Cargo.toml"
}

# DKMS has no git.
names_its_commit()
{
	UNCORE_COMMIT=0123456789ab make_machine
	builds
	grep -qx "UNCORE_VERSION=${module##*-}" "$work/arguments"
	grep -qx UNCORE_COMMIT=0123456789ab "$work/arguments"
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
check "takes a rustc that serves" strict takes_a_rustc_that_serves
check "takes one bindgen of many" strict takes_one_bindgen_of_many
check "leaves the headers alone" strict leaves_headers
check "removes what it installed" strict removes_source
check "has the version of Cargo.toml" one_version
check "names the commit of its source" strict names_its_commit
object_tests
package_tests
end_checks
