#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# module.sh TOOLCHAIN KDIR OUTPUT MAKE-ARGUMENT...: runs the kernel's build system
# on our module, or on those of M=DIRECTORY, against the kernel tree KDIR, with every
# product in OUTPUT.
# TOOLCHAIN is a file of NAME=VALUE lines; programs it does not name are the host's.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/lib.sh"

toolchain=$1 kdir=$2 output=$3
shift 3

is_configured "$kdir" || die "$kdir is not a configured kernel tree" \
	"KDIR is the directory a kernel was built in, such as /lib/modules/VERSION/build"
# shellcheck source=/dev/null
. "$toolchain"
[ -z "${LIBCLANG_PATH:-}" ] || export LIBCLANG_PATH
compilers=(BINDGEN="${BINDGEN:-bindgen}")
[ -z "${RUSTC:-}" ] || compilers+=(RUSTC="$RUSTC")
[ -z "${RUST_LIB_SRC:-}" ] || compilers+=(RUST_LIB_SRC="$RUST_LIB_SRC")
[ "$(option "$kdir" CC_IS_CLANG)" != y ] || compilers+=(CC="${CLANG:-clang}")
# For a build without the kernel's Rust (include/stand-in.mk).
for crates in "$here"/../{crates,build/crates}; do
	[ ! -d "$crates" ] || compilers+=(UNCORE_CRATES="$(readlink -f "$crates")")
done

# shellcheck source=dkms.conf
kernelver='' kernel_source_dir='' . "$here/../dkms.conf"
compilers+=(UNCORE_VERSION="$PACKAGE_VERSION" UNCORE_COMMIT="$("$here/commit.sh")")

mkdir -p "$output"
lock=$(readlink -f "$output").lock
exec {fd}>"$lock"
flock "$fd"
output=$(readlink -f "$output") sources=$(readlink -f "$here/..")
parts=("$sources"/{Kbuild,include,rust,tools})
for argument; do
	[[ $argument == M=* ]] || continue
	sources=${argument#M=}
	parts=("$sources"/*)
done
# Before 6.13 products are put beside their sources.
mapfile -t makefiles < <(echo "$kdir/Makefile"; sed -n 's/^include //p' "$kdir/Makefile")
if ! grep -qs KBUILD_EXTMOD_OUTPUT "${makefiles[@]}"; then
	cp -rsf -t "$output" "${parts[@]}"
	sources=$output
fi
kernel_make -C "$kdir" "${compilers[@]}" "$@" M="$sources" MO="$output"
