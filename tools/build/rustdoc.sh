#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rustdoc.sh TOOLCHAIN KDIR OBJECTS: makes pages of the module's documentation in
# build/rustdoc, private items included; a warning is an error. Takes the flags of the
# command that compiled the module for KDIR into OBJECTS.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"
cd "$here/../.."

compile_again "$3" uncore_rs "${RUSTDOC:-rustdoc}" -Zunstable-options --crate-name uncore_rs \
	-Dwarnings -Arustdoc::private_intra_doc_links --document-private-items \
	--out-dir "$PWD/build/rustdoc" >&2
echo build/rustdoc/uncore_rs/index.html
