#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# distro.sh DEB... -- COMMAND...: installs our packages on a Debian 13 with the kernel
# of its backports, as a user would, in a tree below build/distro; boots that kernel
# on the emulated machine, for which COMMAND runs with the machine's parts in its
# environment; replaces packages of a version before 0.2.0 by ours; and removes ours.
# One "ok - test" or "not ok - test" line each. Needs root, for chroot. Tests are
# called by name:
# shellcheck disable=SC2317

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/distro/tree.sh
. "$here/tree.sh"
# shellcheck source=tests/distro/image.sh
. "$here/image.sh"
# shellcheck source=tests/distro/former.sh
. "$here/former.sh"

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
state=var/lib/dkms/uncore-rs

skipped()
{
	cat "$tree/$state"/*/"skipped.$kernel"
}

# says WORDS...: checks that the note about the kernel has all of them.
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

	status=$(inside dkms status -k "$kernel" uncore-rs)
	printf '%s\n' "$status"
	[[ $status == *": installed"* ]] &&
		compgen -G "$tree/lib/modules/$kernel/updates/dkms/uncore_rs.ko*" >/dev/null
}

a_fresh_tree()
{
	rm -rf --one-file-system "$tree"
	make_tree
}

# There is no source of the kernel here yet, and downloads are blocked.
packages_install()
{
	cp -t "$tree/root" "${packages[@]}"
	install_packages "${packages[@]/#*\///root/}" &&
		is_sound &&
		says "its source is not here" "run: dkms autoinstall -k $kernel"
}

nothing_is_taken_over()
{
	! grep -rsE 'uncore[_-]rs' "$tree"/etc/modprobe.d "$tree"/etc/modules* \
		"$tree"/etc/initramfs-tools "$tree"/etc/systemd "$tree"/etc/udev
}

# The rustc of the backports is a later one. The note names the command that brings the
# kernel's own back.
another_rustc_is_skipped()
{
	local version remedy

	install_packages -t "$newest_suite" rustc
	version=$(inside rustc --version)
	inside dkms autoinstall -k "$kernel"
	! is_installed && is_sound && says "here is $version" "apt-get install" || return
	remedy=$(skipped | sed 's/.* > apt-get //')
	inside bash -c "apt-get -y -q --allow-downgrades $remedy" &&
		[ "$(inside rustc --version)" != "$version" ]
}

# Runs the command that the note named when the packages were installed.
dkms_builds_it()
{
	inside dkms autoinstall -k "$kernel" && is_installed && ! skipped
}

# The case of a kernel that is new to DKMS, but whose source is here.
new_headers_have_it_built()
{
	rm -r "$tree/lib/modules/$kernel"/updates/dkms "$tree/${state:?}"/*/"$kernel" \
		"$tree/$state/kernel-$kernel"-*
	install_packages --reinstall "linux-headers-$kernel" && is_sound && is_installed
}

# Prints the newest two kernels of one series whose headers there are, older first.
newest_pair()
{
	inside apt-cache pkgnames linux-headers- |
		sed -nE 's/^linux-headers-([0-9.]+\+deb[0-9]+-amd64)$/\1/p' | sort --version-sort |
		awk -F . '$1 "." $2 == series { pair = before "\n" $0 }
			{ series = $1 "." $2; before = $0 }
			END { print pair }'
}

# The kernel before the update stays installed, as with apt. The backports keep some
# versions of a series.
an_updated_kernel_gets_it_too()
{
	local kernel kernels version

	mapfile -t kernels < <(newest_pair)
	for kernel in "${kernels[@]}"; do
		install_packages "linux-headers-$kernel" && is_sound &&
			says "run: dkms autoinstall -k $kernel" || return
		inside dkms autoinstall -k "$kernel" && is_installed || return
	done
	kernel=${kernels[0]}
	is_installed || return
	version=$(basename "$tree/$state"/[0-9]*)
	for kernel in "${kernels[@]}"; do
		inside dkms remove -k "$kernel" "uncore-rs/$version" || return
		inside apt-get purge -y -q "linux-headers-$kernel" || return
	done
}

# The kept source must be enough, because downloads are blocked.
former_packages_are_replaced()
{
	local left

	cp -a "$tree/var/cache/uncore-rs" "$work/cache"
	inside apt-get purge -y -q uncore-rs uncore-rs-dkms || return
	install_former_packages || return
	mv "$work/cache" "$tree/var/cache/ivbep-uncore"
	if ! { inside dpkg -i "${packages[@]/#*\///root/}" && is_sound && is_installed; }; then
		skipped
		return 1
	fi
	diff <(cut -d / -f 1 "$tree/etc/modprobe.d/uncore-rs.conf") - <<-'END' || return
		install intel_uncore 
		alias pci:v00008086d00000E1Esv*sd*bc*sc*i* uncore_rs
	END
	left=$(find "$tree" -xdev '(' -path "$tree/proc" -o -path "$tree/var/lib/dpkg" ')' -prune \
		-o -name '*ivbep[_-]uncore*' -print)
	printf '%s\n' "$left"
	[ -z "$left" ] && ! inside dkms status | grep ivbep
}

# The line that "uncore enable" writes where intel_uncore is part of the kernel, and the package's
# removal. Only grub-probe, which asks the disk, is a stand-in.
grub_has_the_parameter()
{
	local parameter=initcall_blacklist=intel_uncore_init
	local entry="linux.*/vmlinuz-$kernel .* $parameter" config=$tree/boot/grub/grub.cfg

	install_packages grub2-common || return
	printf '#!/bin/sh\necho stand-in\n' >"$tree/usr/sbin/grub-probe"
	mkdir -p "$tree/boot/grub" "$tree/etc/default/grub.d"
	echo "GRUB_CMDLINE_LINUX=\"\$GRUB_CMDLINE_LINUX $parameter\"" \
		>"$tree/etc/default/grub.d/uncore-rs.cfg"
	inside update-grub && grep -q "$entry" "$config" || return
	inside env DPKG_MAINTSCRIPT_PACKAGE=uncore-rs sh /var/lib/dpkg/info/uncore-rs.postrm remove
	[ ! -e "$tree/etc/default/grub.d/uncore-rs.cfg" ] && grep -q "/vmlinuz-$kernel " "$config" &&
		! grep -q "$parameter" "$config"
}

removal_leaves_nothing()
{
	local left

	# As if the hardware had been handed over.
	touch "$tree"/etc/mod{probe,ules-load}.d/uncore-rs.conf
	inside apt-get purge -y -q uncore-rs uncore-rs-dkms && is_sound || return
	rm -f "$tree"/root/uncore-rs*
	left=$(find "$tree" -xdev -name '*uncore[_-]rs*' -not -path "$tree/proc/*")
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
UNCORE_SERIES=$kernel UNCORE_FLAVOUR=stock UNCORE_KERNEL=$tree/boot/vmlinuz-$kernel \
	UNCORE_INITRD=$(base_image):$PWD/build/tools.cpio:$work/kernel.cpio \
	as_caller "$@" || failed=1
check "new headers have it built again" new_headers_have_it_built
check "dpkg replaces the former packages" former_packages_are_replaced
check "an updated kernel gets it, too" an_updated_kernel_gets_it_too
check "GRUB has the boot parameter, and no more after removal" grub_has_the_parameter
check "removal leaves no file" removal_leaves_nothing
end_checks
