#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# compiled-crates.sh take|keep: what cargo has compiled of other people's crates. take has cargo begin
# with those of the cache, before it has compiled anything here; keep puts those of here into the cache,
# if that has none of these versions and this compiler. Cargo compiles again what it needs otherwise.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"
cd "$here/../.."

kept=$cache/crates/$(key "$(cat Cargo.{toml,lock} tests/engine/Cargo.{toml,lock})" "$(rustc -vV)")

# Removes what is compiled of the tree's own crates: cargo tells by the times of sources if it has to
# compile them again, and those of another tree may be older.
remove_own()
{
	local directory options packages

	while read -r directory options; do
		mapfile -t packages < <(awk -v RS= '/^\[\[package\]\]/ && !/\nsource = / {
			gsub("\"", "", $4); print "--package=" $4 }' "$directory/Cargo.lock")
		# shellcheck disable=SC2086 # Options are words.
		cargo clean --quiet --locked --manifest-path "$directory/Cargo.toml" --target-dir "$1" \
			$options "${packages[@]}"
	done <<-END
		. --profile release
		. --profile release --target x86_64-unknown-linux-gnu
		. --profile small --target x86_64-unknown-linux-gnu
		tests/engine --profile dev
		tests/engine --profile release
	END
}

case $1 in
	take)
		# The cache has one entry. If it is of other versions, cargo uses those that are the same.
		found=$(echo "$cache"/crates/*)
		is_complete "$found" || exit 0
		mkdir -p build
		rm -rf build/cargo.new
		cp -a "$found" build/cargo.new
		mv build/cargo.new build/cargo
		;;
	keep)
		! is_complete "$kept" || exit 0
		lock crates
		rm -rf "$cache/crates"
		mkdir -p "$kept"
		tar -C build/cargo --exclude=incremental --exclude=./.complete -c . | tar -C "$kept" -x
		remove_own "$kept"
		mark_complete "$kept"
		;;
esac
