# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A machine of stubs with a kernel that the module can be built for: nothing is compiled.
# Each test breaks one part of the machine.

: "${root=} ${work=}"

kernel=7.3.4+stub-amd64
version=7.3.4-1~stub1
rustc_version='rustc 1.85.1 (stub 2025-03-15)'
module=$work/usr/src/uncore-rs-$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/dkms.conf")

# stub NAME: a program of the machine; its text comes on stdin.
stub()
{
	{ printf '#!/bin/bash\nwork=%q\n' "$work" && cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

make_programs()
{
	local program

	mkdir -p "$work/bin"
	for program in awk basename bash cat cmp comm cp cut dirname env find flock grep head ln ls \
		mkdir nproc printf readlink rm rmdir sed sort tar tee touch tr true wc xz; do
		ln -s "$(type -P "$program")" "$work/bin/$program"
	done
	printf '%s\n' "$rustc_version" >"$work/rustc-version"
	printf 'CsOurs_6kernel\n' >"$work/rustc-hash"
	stub rustc <<-'END'
		case "$*" in
			--version) cat "$work/rustc-version" ;;
			"--print sysroot") echo "$work/sysroot" ;;
			*"--emit asm"*) echo "_RNv$(cat "$work/rustc-hash")5probe:" ;;
			*generate_rust_target*) ln -s "$(type -P true)" "$PWD/kernel/generate_rust_target" ;;
		esac
	END
	stub bindgen </dev/null
	stub dpkg-query <<-'END'
		case "$*" in
			-W*linux-headers-*) cat "$work/headers-version" ;;
			-W*linux-source-7.3) cat "$work/source-version" ;;
			"-L linux-source-7.3") echo "$work/linux-source-7.3.tar.xz" ;;
			*) exit 1 ;;
		esac 2>/dev/null
	END
	stub apt-get <<<'exit 100'
	stub nm <<-'END'
		awk '{ print "0 T", $1 }' "$work/crate-symbols"
	END
	stub make <<-'END'
		case "$*" in
			*dkms/metadata*) [ ! -e "$work/no-crates" ] && mkdir -p kernel/build/rust &&
				touch kernel/build/rust/libkernel.rmeta ;;
			*) [ ! -e "$work/no-module" ] && touch module/uncore_rs.ko ;;
		esac
	END
}

make_headers()
{
	headers=$work/headers
	mkdir -p "$headers"/{include/{config,uapi,linux},scripts} "$work/sysroot/lib/rustlib/src/rust/library/core/src"
	touch "$work/sysroot/lib/rustlib/src/rust/library/core/src/lib.rs"
	printf 'CONFIG_RUST=y\nCONFIG_RUSTC_VERSION_TEXT="%s"\n' "$rustc_version" \
		>"$headers/include/config/auto.conf"
	printf 'SUBLEVEL = 4\n' >"$headers/Makefile"
	printf '_RNvCsOurs_6kernel5first\n_RNvCsOurs_6kernel6second\n' >"$work/crate-symbols"
	awk '{ print "0x00000000\t" $1 "\tvmlinux\tEXPORT_SYMBOL_GPL\t" }' "$work/crate-symbols" \
		>"$headers/Module.symvers"
}

make_source()
{
	local tree=$work/linux-source-7.3

	mkdir -p "$tree"/{rust/bindings,scripts,drivers/base}
	cp "$headers/Makefile" "$tree"
	printf '#include "exports_%s_generated.h"\n' helpers kernel >"$tree/rust/exports.c"
	printf '#include <../../drivers/base/base.h>\n' >"$tree/rust/bindings/bindings_helper.h"
	touch "$tree"/scripts/{generate_rust_target.rs,rust_is_available_bindgen_libclang.h} \
		"$tree/drivers/base/base.h"
	tar -c -J -f "$tree.tar.xz" -C "$work" linux-source-7.3
	rm -r "$tree"
	printf '%s' "$version" | tee "$work/headers-version" >"$work/source-version"
}

make_machine()
{
	rm -rf "${work:?}"
	mkdir -p "$work/dkms"
	printf 'ID=debian\nVERSION_CODENAME=trixie\n' >"$work/os-release"
	make_programs
	make_headers
	make_source
	"$root/tools/dkms/install.sh" add "$work"
}

# Runs in DKMS's fresh copy of the installed files; $1 is another kernel.
pre_build()
{
	rm -rf "$work/dkms/build"
	cp -a "$module" "$work/dkms/build"
	(cd "$work/dkms/build" &&
		PATH=$work/bin UNCORE_OS_RELEASE=$work/os-release UNCORE_SOURCES=$work/cache \
			tools/dkms/pre-build.sh "${1:-$kernel}" "$headers")
}

note()
{
	cat "$work/dkms/skipped.$kernel"
}
