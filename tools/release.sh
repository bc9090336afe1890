#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# release.sh: makes in build/release what the page of a release has: the tool and the packages, which
# are built, the source with all crates, its licences, notes and checksums. The commit decides each
# byte; SOURCE_DATE_EPOCH is its date.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/lib.sh"
# shellcheck source=dkms.conf
kernelver='' kernel_source_dir='' . "$here/../dkms.conf"
cd "$here/.."
export LC_ALL=C

name=$PACKAGE_NAME-$PACKAGE_VERSION
release=build/release
tree=build/source/$name

# To build it takes no network. Crates for Windows, which cargo wants to see, have libraries.
make_source()
{
	rm -rf build/source
	mkdir -p "$tree"
	git archive HEAD | tar -x -C "$tree"
	tools/commit.sh >"$tree/commit"
	(cd "$tree" && cargo vendor --locked --versioned-dirs \
		--sync tests/engine/Cargo.toml >>.cargo/config.toml 2>../log) ||
		die "the crates could not be fetched" "see build/source/log"
	find "$tree/vendor" -path '*/lib/*.a' -delete
	tar -c --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
		--numeric-owner --mode=u+rw,go=rX -C build/source "$name" |
		xz --threads=2 >"$release/$name.tar.xz"
}

# Prints "NAME vVERSION|LICENCE" of what crates of the tree are made of.
# crates MANIFEST CRATE
crates()
{
	cargo tree --quiet --locked --manifest-path "$1" --package "$2" --edges normal \
		--target x86_64-unknown-linux-gnu --prefix none --format '{p}|{l}' |
		sed -E '/ \(\//d; s/ \((proc-macro|\*)\)//g'
}

licences()
{
	local all crate licence

	all=$({ crates Cargo.toml uncore && crates tests/engine/Cargo.toml uncore-kernel; } | sort -u)
	printf '%s\n' "uncore_rs is under GPL-2.0-only (COPYING). The tool also contains Rust's standard" \
		"library (MIT OR Apache-2.0) and the GNU C library (LGPL-2.1-or-later). The tool and the" \
		"module contain code of these crates, or are made with them:" ""
	printf '%s\n' "${all//|/: }"
	while IFS='|' read -r crate licence; do
		printf '\n==== %s: %s\n' "$crate" "$licence"
		find "$tree/vendor/${crate/ v/-}" -maxdepth 1 -type f -iregex \
			'.*/\(un\)?\(licen[cs]e\|copying\|notice\|copyright\)[^/]*' | sort | xargs -r cat
	done <<<"$all"
}

git diff --quiet HEAD || die "there are changes that are in no commit" "commit them first"
rm -rf "$release"
mkdir -p "$release"
cp -t "$release" build/deb/*.deb build/rpm/*.rpm
cp build/uncore "$release/uncore-$PACKAGE_VERSION-x86_64"
step "packing the source with its crates"
make_source
licences >"$release/third-party-licences.txt"
awk -v version="$PACKAGE_VERSION" '/^## / { ours = $2 == version; next } ours' CHANGELOG.md \
	>"$release/notes.md"
[ -s "$release/notes.md" ] || die "CHANGELOG.md has no section $PACKAGE_VERSION" "add it"
(cd "$release" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
