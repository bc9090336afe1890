#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# module.sh TOOLCHAIN KDIR OUTPUT MAKE-ARGUMENT...: runs the kernel's build system
# on our module, against the kernel tree KDIR, with every product in OUTPUT. An
# empty TOOLCHAIN means the host's bindgen and clang.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

toolchain=$1 kdir=$2 output=$3
shift 3

config=$kdir/include/config/auto.conf
[ -e "$config" ] || die "$kdir is not a configured kernel tree" \
	"KDIR is the directory a kernel was built in, such as /lib/modules/VERSION/build"
grep -q '^CONFIG_RUST=y' "$config" ||
	die "the kernel of $kdir has no Rust support" \
		"build it with CONFIG_RUST=y (Documentation/rust/quick-start.rst)"
compgen -G "$kdir/rust/*.rmeta" >/dev/null ||
	die "$kdir lacks the kernel's Rust metadata (rust/*.rmeta)" \
		"in that tree, run: make prepare modules_prepare"

# shellcheck source=/dev/null
. "$toolchain"
[ -z "${LIBCLANG_PATH:-}" ] || export LIBCLANG_PATH
compiler=()
if grep -q '^CONFIG_CC_IS_CLANG=y' "$config"; then
	compiler=(CC="${CLANG:-clang}")
fi

mkdir -p "$output"
lock=$(readlink -f "$output").lock
exec {fd}>"$lock"
flock "$fd"
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
make --no-print-directory -j"$(nproc)" -C "$kdir" M="$(readlink -f "$here/../..")" \
	MO="$(readlink -f "$output")" BINDGEN="${BINDGEN:-bindgen}" "${compiler[@]}" "$@"
