#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# toolchain.sh BINDGEN-VERSION: prints what a kernel with Rust is built with, as
# NAME=VALUE lines that make and bash both read. Equal output means an equal
# toolchain, so the lines are part of a kernel's key.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"

bindgen=$("$here/cargo-tool.sh" bindgen-cli bindgen "$1")
library=$("$here/rust-src.sh")
llvm=$(newest_llvm) || die "bindgen needs libclang" "run: $here/install-host-deps.sh build"
clang=/usr/lib/llvm-$llvm/bin/clang

printf '%s\n' \
	"BINDGEN=$bindgen" \
	"CLANG=$clang" \
	"LIBCLANG_PATH=/usr/lib/llvm-$llvm/lib" \
	"RUST_LIB_SRC=$library" \
	"VERSIONS='$(rustc --version); gcc $(gcc -dumpfullversion) $(gcc -dumpmachine); clang $("$clang" -dumpversion)'"
