# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A machine of stubs with a kernel that the module can be built for: nothing is compiled.
# Each test breaks one part of the machine.

: "${root=} ${work=}"

kernel=6.12.5+stub-amd64
module=$work/usr/src/uncore-rs-$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$root/dkms.conf")

# stub NAME: a program of the machine; its text comes on stdin.
stub()
{
	{ printf '#!/bin/bash\nwork=%q\n' "$work" && cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# make_rustc VERSION NAME: a compiler of that name and version, with the source of its library.
make_rustc()
{
	mkdir -p "$work/sysroot-$1/lib/rustlib/src/rust/library/core/src"
	touch "$work/sysroot-$1/lib/rustlib/src/rust/library/core/src/lib.rs"
	stub "$2" <<-END
		case "\$*" in
			--version) echo "rustc $1 (stub)" ;;
			"--print sysroot") echo "$work/sysroot-$1" ;;
		esac
	END
}

make_programs()
{
	local program

	mkdir -p "$work/bin"
	for program in basename bash cat cp cut dirname env flock grep head ln mkdir nproc printf \
		readlink rm sed sort tee touch true; do
		ln -s "$(type -P "$program")" "$work/bin/$program"
	done
	make_rustc 1.96.0 rustc
	stub bindgen </dev/null
	stub make <<-'END'
		cat "$work/said" 2>/dev/null
		printf '%s\n' "$@" >"$work/arguments"
		[ ! -e "$work/said" ] && touch module/uncore_rs.ko
	END
}

make_headers()
{
	headers=$work/headers
	mkdir -p "$headers/include/config"
	printf 'CONFIG_X86_64=y\n' >"$headers/include/config/auto.conf"
	printf 'KBUILD_EXTMOD_OUTPUT := \n' >"$headers/Makefile"
}

make_machine()
{
	rm -rf "${work:?}"
	mkdir -p "$work/dkms"
	printf 'ID=debian\nVERSION_ID="12"\n' >"$work/os-release"
	make_programs
	make_headers
	"$root/tools/dkms/install.sh" add "$work"
}

# Runs in DKMS's fresh copy of the installed files.
pre_build()
{
	rm -rf "$work/dkms/build"
	cp -a "$module" "$work/dkms/build"
	(cd "$work/dkms/build" &&
		PATH=$work/bin UNCORE_OS_RELEASE=$work/os-release \
			tools/dkms/pre-build.sh "$kernel" "$headers")
}

note()
{
	cat "$work/dkms/skipped.$kernel"
}
