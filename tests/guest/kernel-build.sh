#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-build.sh SOURCE OUTPUT FRAGMENT...: configures and builds one kernel
# with the toolchain named in the environment (CC, BINDGEN, LIBCLANG_PATH,
# RUST_LIB_SRC). This file's text is part of the kernel's key.

set -euo pipefail

source=$1
output=$2
shift 2

# Reproducible, and not mixed up with the make that called us.
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
KBUILD_BUILD_TIMESTAMP=$(date --utc --date="@$(stat -c %Y "$source/Makefile")")
export LIBCLANG_PATH KBUILD_BUILD_TIMESTAMP
export KBUILD_BUILD_USER=uncore_rs KBUILD_BUILD_HOST=guest KBUILD_BUILD_VERSION=1

kmake()
{
	make -C "$source" O="$output" CC="$CC" BINDGEN="$BINDGEN" \
		RUST_LIB_SRC="$RUST_LIB_SRC" "$@"
}

# Options that did not end up as a fragment asks for.
unmet()
{
	grep -h -E '^(CONFIG_|# CONFIG_[A-Z0-9_]+ is not set)' "$@" |
		while read -r line; do
			option=$(grep -o -m 1 'CONFIG_[A-Z0-9_]*' <<<"$line")
			grep -q -x -F -e "$line" "$output/.config" && continue
			[[ $line == '#'* ]] &&
				! grep -q "^$option=" "$output/.config" && continue
			printf '%s (got: %s)\n' "$line" \
				"$(grep -w "$option" "$output/.config" || echo nothing)"
		done
}

configure()
{
	local missing

	kmake rustavailable
	kmake tinyconfig
	"$source/scripts/kconfig/merge_config.sh" -m -O "$output" \
		"$output/.config" "$@"
	kmake olddefconfig
	missing=$(unmet "$@")
	[ -z "$missing" ] && return
	printf 'these options did not end up as asked:\n%s\n' "$missing"
	return 1
}

mkdir -p "$output"
configure "$@"
kmake -j"$(nproc)" all
