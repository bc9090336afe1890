# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Finds the compilers: sets rustc, library (the source of its library) and bindgen.
# shellcheck disable=SC2034

least_rustc=1.85

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

# Takes the first compiler that is new enough and has the source of its library.
choose_rustc()
{
	local program version found=

	while read -r program; do
		version=$("$program" --version 2>/dev/null | cut -d ' ' -f 2) || continue
		printf '%s\n' "$least_rustc" "$version" | sort --version-sort --check=quiet || {
			found=${found:-"rustc is $version, it takes $least_rustc or later"}
			continue
		}
		rustc=$program
		library=$("$program" --print sysroot)/lib/rustlib/src/rust/library
		[ ! -e "$library/core/src/lib.rs" ] || return 0
		found="the source of the library of rustc $version is missing"
	done < <(programs rustc)
	skip "${found:-rustc is missing}" "$(to_install compilers)"
}

choose_bindgen()
{
	# To its end: a program that stops reading would end the other with an error.
	bindgen=$(programs bindgen | sed -n 1p)
	[ -n "$bindgen" ] || skip "bindgen is missing" "$(to_install compilers)"
}
