# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's image for the kernel of a tree: our usual user space, the kernel's own
# modules that the guest needs, and the files of our packages. Sourced after tree.sh.

: "${tree=} ${work=} ${kernel=} ${here=}"

# The kernel's modules in the guest: the channel to the host, and the tested drivers.
kernel_modules=(virtio_pci virtio_console intel_uncore msr uncore_rs)

copy_modules()
{
	local root=$1 file

	modprobe -d "$tree" -S "$kernel" --show-depends --all "${kernel_modules[@]}" |
		sed -n 's/^insmod //p' | sort -u | while read -r file; do
		install -D -m 644 "$file" "$root/${file#"$tree"/}"
	done
	find "$root" -name '*.ko.xz' -exec xz --decompress {} +
	# Directory of the modules that the tests load themselves.
	find "$root" '(' -name intel-uncore.ko -o -name msr.ko -o -name uncore_rs.ko ')' \
		-exec cp -t "$root/lib/modules" {} +
	cp -t "$root/lib/modules" "$tree/root/nmi"/{unknown_nmi,busy_cpu}.ko
	cp -t "$root/lib/modules/$kernel" "$tree/lib/modules/$kernel"/modules.{order,builtin,builtin.modinfo}
	depmod -b "$root" "$kernel"
}

# The tool of the package, and the files that it reads and writes.
copy_tool()
{
	local root=$1

	mkdir -p "$root/etc/modprobe.d" "$root/boot"
	cp -t "$root/boot" "$tree/boot/config-$kernel"
	install -D -m 755 -t "$root/bin" "$tree/usr/bin/uncore"
}

# Signs the kernel, and a copy of the module, with a key that the firmware of the machine knows, if
# it is asked to (secure-boot).
sign()
{
	local root=$1 key=$work/secure-boot.key certificate=/usr/share/ovmf/PkKek-1-snakeoil.pem

	openssl rsa -in "${certificate%.pem}.key" -passin pass:snakeoil -out "$key"
	sbsign --key "$key" --cert "$certificate" --output "$work/vmlinuz" "$tree/boot/vmlinuz-$kernel"
	cp "$key" "$certificate" "$root/lib/modules/uncore_rs.ko" "$tree/root"
	inside "/lib/modules/$kernel/build/scripts/sign-file" sha256 "/root/${key##*/}" \
		"/root/${certificate##*/}" /root/uncore_rs.ko
	install -D -m 644 -t "$root/lib/modules/signed" "$tree/root/uncore_rs.ko"
	rm "$tree/root/uncore_rs.ko"
}

# The modules that tests load in addition to ours.
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
	sign "$root"
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
