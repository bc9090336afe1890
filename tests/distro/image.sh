# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's image for the kernel of a tree: our usual user space, the kernel's own
# modules that the guest needs, and what our packages brought. Sourced after tree.sh.

: "${tree=} ${work=} ${kernel=} ${here=}"

# What there is of the kernel in the guest: the channel to it, and the drivers that
# the tests are about.
kernel_modules=(virtio_pci virtio_console intel_uncore msr ivbep_uncore)

copy_modules()
{
	local root=$1 file

	modprobe -d "$tree" -S "$kernel" --show-depends --all "${kernel_modules[@]}" |
		sed -n 's/^insmod //p' | sort -u | while read -r file; do
		install -D -m 644 "$file" "$root/${file#"$tree"/}"
	done
	find "$root" -name '*.ko.xz' -exec xz --decompress {} +
	# Where the tests look for those that they load themselves.
	find "$root" '(' -name intel-uncore.ko -o -name msr.ko -o -name ivbep_uncore.ko ')' \
		-exec cp -t "$root/lib/modules" {} +
	cp -t "$root/lib/modules" "$tree/root/nmi"/{unknown_nmi,busy_cpu}.ko
	cp -t "$root/lib/modules/$kernel" "$tree/lib/modules/$kernel"/modules.{order,builtin,builtin.modinfo}
	depmod -b "$root" "$kernel"
}

# The tool as it was packaged, if it was, and what it looks at and writes.
copy_tool()
{
	local root=$1

	mkdir -p "$root/etc/modprobe.d" "$root/boot"
	cp -t "$root/boot" "$tree/boot/config-$kernel"
	[ ! -e "$tree/usr/bin/ivbep-uncore" ] ||
		install -D -m 755 -t "$root/bin" "$tree/usr/bin/ivbep-uncore"
}

# The modules that tests load beside it.
build_tests_modules()
{
	cp -r -t "$tree/root" "$here/../guest/nmi"
	inside make -s -C "/lib/modules/$kernel/build" M=/root/nmi modules
}

make_image()
{
	local root=$work/root

	build_tests_modules
	step "packing the modules of $kernel"
	rm -rf "$root"
	mkdir -p "$root/lib"
	copy_modules "$root"
	copy_tool "$root"
	pack "$root" "$work/kernel.cpio"
	rm -rf "$root"
}

# Our usual user space, without the modules of a kernel of our own.
base_image()
{
	mkdir -p "$work/no-modules"
	as_caller "$here/../guest/image.sh" "$(cat build/userland)" "$work/no-modules"
}
