#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# stock.sh OUTPUT: installs the present kernel of a Debian 13 with backports, lets DKMS
# build the module for it, and puts the parts of a guest into the directory OUTPUT, as
# for kernels of our own. The Debian stays in build/stock, so that later only the module
# is built. Needs root, for chroot.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/distro/tree.sh
. "$here/tree.sh"
# shellcheck source=tests/distro/image.sh
. "$here/image.sh"
# shellcheck source=dkms.conf
kernelver='' kernel_source_dir='' . "$here/../../dkms.conf"

as_root_with_own_mounts "$0" "$@"
output=$1
work=$PWD/build/stock
tree=$work/tree
module=$PACKAGE_NAME/$PACKAGE_VERSION

prepare_tree()
{
	if [ -e "$work/complete" ]; then
		mount_tree
		return
	fi
	step "making a Debian 13 with the kernel of its backports"
	rm -rf --one-file-system "$work"
	make_tree
	install_packages dkms rustc rust-src bindgen xz-utils
	touch "$work/complete"
}

build_module()
{
	tools/dkms/install.sh add "$tree"
	[ -e "$tree/var/lib/dkms/$module" ] || inside dkms add "$module"
	inside dkms build --force -k "$kernel" "$module" ||
		die "DKMS could not build the module for $kernel" \
			"$(cat "$tree/var/lib/dkms/$module/skipped.$kernel" 2>/dev/null)"
	inside dkms install --force -k "$kernel" "$module"
}

prepare_tree >&2
kernel=$(newest_kernel)
step "having DKMS build the module for $kernel"
build_module >&2
make_image >&2
install -D -m 644 "$tree/boot/vmlinuz-$kernel" "$work/arch/x86/boot/bzImage"
mkdir -p "$output"
cp "$work/kernel.cpio" "$output/module.cpio"
base_image >"$output/base"
printf '%s\n' "$work" >"$output/kdir"
chown -R --reference=. "$output" "$work/arch"
