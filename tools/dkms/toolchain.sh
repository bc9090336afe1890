# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Finds the compilers. Rust metadata and symbol names are valid for one build of rustc
# only, so it must be the kernel's.

: "${kernel=} ${headers=}"

# programs NAME: prints programs of that name, with or without a version, in PATH order.
programs()
{
	local directory directories

	IFS=: read -ra directories <<<"$PATH"
	for directory in "${directories[@]}"; do
		compgen -G "$directory/$1" || true
		compgen -G "$directory/$1-[0-9]*" || true
	done
}

# Prints the version of rustc, or nothing if the headers do not have it.
needed_version()
{
	! is_configured "$headers" ||
		option "$headers" RUSTC_VERSION_TEXT | cut -d ' ' -f 2
}

# Each symbol name contains a hash of the crate's name and the compiler's full version.
names_agree()
{
	local hash

	hash=$("$1" --crate-name kernel --crate-type lib --emit asm \
		-Csymbol-mangling-version=v0 -o - - \
		<<<'#![no_std] #[inline(never)] pub fn probe() {}' |
		grep -o 'Cs[0-9A-Za-z]*_6kernel' | sort -u) || return
	grep -q "$hash" "$headers/Module.symvers"
}

# Sets rustc.
choose_rustc()
{
	local wanted program version found=

	wanted=$(option "$headers" RUSTC_VERSION_TEXT)
	while read -r program; do
		version=$("$program" --version 2>/dev/null) || continue
		found=${found:-$version}
		[ "$version" = "$wanted" ] || continue
		names_agree "$program" ||
			skip "$program is not the rustc it was built with, though of the same version" \
				"$(to_install compiler)"
		rustc=$program
		return
	done < <(programs rustc)
	skip "it was built with $wanted, here is ${found:-none}" "$(to_install compiler)"
}

# Sets bindgen.
choose_bindgen()
{
	bindgen=$(programs bindgen | head -n 1)
	[ -n "$bindgen" ] || skip "bindgen is missing" "$(to_install bindgen)"
}

# The core crate is a part of the metadata.
check_library()
{
	[ -e "$("$rustc" --print sysroot)/lib/rustlib/src/rust/library/core/src/lib.rs" ] ||
		skip "the source of Rust's library is missing" "$(to_install compiler)"
}

# check_tool COMMAND PACKAGE
check_tool()
{
	command -v "$1" >/dev/null || skip "$1 is missing" "apt-get install $2"
}
