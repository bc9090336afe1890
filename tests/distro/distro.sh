#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# distro.sh DEB... -- COMMAND...: installs our packages on a Debian 13 with the kernel
# of its backports, as a user would, in a tree below build/distro; boots that kernel
# on the emulated machine, for which COMMAND runs with the machine's parts in its
# environment; and removes the packages. One "ok - test" or "not ok - test" line
# each. Needs root, for chroot. Tests are called by name:
# shellcheck disable=SC2317

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/distro/tree.sh
. "$here/tree.sh"
# shellcheck source=tests/distro/image.sh
. "$here/image.sh"

as_root_with_own_mounts "$0" "$@"
packages=()
while [ "$1" != -- ]; do
	packages+=("$(readlink -f "$1")")
	shift
done
shift
work=$PWD/build/distro
tree=$work/tree
kernel=
state=var/lib/dkms/ivbep-uncore

skipped()
{
	cat "$tree/$state"/*/"skipped.$kernel"
}

# says WORDS...: what was noted of the kernel has them all.
says()
{
	local words

	for words in "$@"; do
		skipped | grep --fixed-strings -- "$words" || {
			say "not in: $(skipped)"
			return 1
		}
	done
}

# No half-configured package.
is_sound()
{
	[ -z "$(inside dpkg --audit)" ] && inside apt-get check -q
}

is_installed()
{
	local status

	status=$(inside dkms status -k "$kernel" ivbep-uncore)
	printf '%s\n' "$status"
	[[ $status == *": installed"* ]] &&
		compgen -G "$tree/lib/modules/$kernel/updates/dkms/ivbep_uncore.ko*" >/dev/null
}

a_fresh_tree()
{
	rm -rf --one-file-system "$tree"
	make_tree
}

# Nothing of the kernel's source is here yet, and nothing may be fetched now.
packages_install()
{
	cp -t "$tree/root" "${packages[@]}"
	install_packages "${packages[@]/#*\///root/}" &&
		is_sound &&
		says "its source is not here" "run: dkms autoinstall -k $kernel"
}

nothing_is_taken_over()
{
	! grep -rs ivbep "$tree"/etc/modprobe.d "$tree"/etc/modules* \
		"$tree"/etc/initramfs-tools "$tree"/etc/systemd "$tree"/etc/udev
}

another_rustc_is_skipped()
{
	local rustc=$tree/usr/bin/rustc version="rustc 1.96.1 (of another build)"

	mv "$rustc" "$rustc.away"
	printf '#!/bin/sh\necho "%s"\n' "$version" >"$rustc"
	chmod +x "$rustc"
	inside dkms autoinstall -k "$kernel"
	mv "$rustc.away" "$rustc"
	! is_installed && is_sound && says "here is $version" "apt-get install"
}

# By the command that the note named when the packages were installed.
dkms_builds_it()
{
	inside dkms autoinstall -k "$kernel" && is_installed && ! skipped
}

# As for a kernel that DKMS has not seen yet, but whose source is here.
new_headers_have_it_built()
{
	rm -r "$tree/lib/modules/$kernel"/updates/dkms "$tree/${state:?}"/*/"$kernel" \
		"$tree/$state/kernel-$kernel"-*
	install_packages --reinstall "linux-headers-$kernel" && is_sound && is_installed
}

removal_leaves_nothing()
{
	local left

	# As if the hardware had been handed over.
	touch "$tree/etc/modprobe.d/ivbep-uncore.conf"
	inside apt-get purge -y -q ivbep-uncore ivbep-uncore-dkms && is_sound || return
	rm -f "$tree"/root/ivbep-uncore*
	left=$(find "$tree" -xdev -name '*ivbep*' -not -path "$tree/proc/*")
	printf '%s\n' "$left"
	[ -z "$left" ]
}

check "Debian 13 with the kernel of its backports" a_fresh_tree
kernel=$(newest_kernel)
step "its kernel is $kernel"
check "the packages install, and skip what they cannot build yet" packages_install
check "nothing is taken over by that" nothing_is_taken_over
check "another rustc is skipped" another_rustc_is_skipped
check "DKMS builds the module" dkms_builds_it
inside dkms status >&2
check "the guest's image" make_image
step "booting $kernel"
IVBEP_SERIES=$kernel IVBEP_FLAVOUR=stock IVBEP_KERNEL=$tree/boot/vmlinuz-$kernel \
	IVBEP_INITRD=$(base_image):$PWD/build/tools.cpio:$work/kernel.cpio \
	as_caller "$@" || failed=1
check "new headers have it built again" new_headers_have_it_built
check "removal leaves no file" removal_leaves_nothing
end_checks
