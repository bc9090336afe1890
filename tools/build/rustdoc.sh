#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rustdoc.sh TOOLCHAIN KDIR OBJECTS: makes pages of the module's documentation in
# build/rustdoc, private items included; a warning is an error. Takes the flags of the
# command that compiled the module for KDIR into OBJECTS.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../lib.sh"
cd "$here/../.."

toolchain=$1 objects=$(readlink -f "$3")
# shellcheck source=/dev/null
. "$toolchain"

compiled=$(sed -n '1s/^savedcmd_[^ ]* := //p' "$objects/rust/.uncore_rs.o.cmd" |
	sed -E 's/;.*//; s/ (--emit=|--remap-path-)[^ ]*//g; s/ --out-dir [^ ]*//g; s/\$\(pound\)/#/g')
[[ $compiled == *' rustc '* ]] || die "the module is not built in $objects"
variables=${compiled%% rustc *} flags=${compiled#* rustc }

cd "$objects"
export RUSTC_BOOTSTRAP=1 UNCORE_BINDINGS=$objects/include/bindings_generated.rs \
	UNCORE_LAYOUT=$objects/include/layout_generated.rs
eval "$variables ${RUSTDOC:-rustdoc} $flags -Zunstable-options --crate-name uncore_rs \
	-Dwarnings -Arustdoc::private_intra_doc_links --document-private-items \
	--out-dir $OLDPWD/build/rustdoc" >&2
echo build/rustdoc/uncore_rs/index.html
