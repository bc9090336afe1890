#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# crates.sh DIRECTORY: copies the crates there that the module is built with on kernels without
# Rust (include/stand-in.mk), in the versions of tests/engine/Cargo.lock. Cargo fetches them once.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/lib.sh"

directory=$1
crates=(paste pinned-init pinned-init-macro proc-macro2 quote unicode-ident)

manifests=$(cargo metadata --locked --format-version 1 \
	--manifest-path "$here/../tests/engine/Cargo.toml" |
	grep -o '"manifest_path":"[^"]*"' | cut -d '"' -f 4) ||
	die "the crates could not be fetched" "see the message of cargo above"
rm -rf "$directory"
for crate in "${crates[@]}"; do
	manifest=$(grep "/$crate-[0-9.]*/Cargo.toml\$" <<<"$manifests")
	mkdir -p "$directory/$crate"
	find "${manifest%/*}" -maxdepth 1 '(' -name src -o -name 'LICENSE*' -o -name Cargo.toml ')' \
		-exec cp -r -t "$directory/$crate" {} +
done
