#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# distro.sh DEB... -- TEST... -- COMMAND...: installs our packages on a Debian 13, as a user would,
# in a tree below build/distro. Boots its kernel on the emulated machine, for which COMMAND TEST...
# runs with the machine's parts in its environment. Updates the kernel, boots another kernel for
# which DKMS lacks bindgen, brings bindgen back, and finds out which driver each kernel loads.
# Replaces packages of a version before 0.2.0, and removes ours, and those for RPM. The commands
# that a user types are timed; their output is in build/distro/NAME.log. Prints a line "ok - test"
# or "not ok - test" for each test. Needs root, for chroot. Tests are called by name:
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
packages=() tests=()
while [ "$1" != -- ]; do
	packages+=("$(readlink -f "$1")")
	shift
done
shift
while [ "$1" != -- ]; do
	tests+=("$1")
	shift
done
shift
command=("$@")
work=$PWD/build/distro
tree=$work/tree
state=$tree/var/lib/dkms/uncore-rs
# In the tree.
debs=("${packages[@]/#*\///root/}")
bindgen=$tree/usr/bin/bindgen

# typed NAME COMMAND...: runs what a user types.
typed()
{
	local name=$1 start=$SECONDS status=0 log
	shift

	touch "$work/start"
	inside timeout 30m "$@" >"$work/$name.log" 2>&1 || status=$?
	printf '%5d s  %s\n' $((SECONDS - start)) "$*" >>"$work/times"
	for log in "$state"/*/*/x86_64/log/make.log; do
		[ "$log" -nt "$work/start" ] || continue
		awk -F '[: ]+' '/^# elapsed/ { sum += $4 * 3600 + $5 * 60 + $6 }
			END { printf "%5d s  of these in DKMS, %s\n", sum, kernel }' \
			kernel="$(cut -d / -f 2 <<<"${log#"$state"/}")" "$log" >>"$work/times"
	done
	cat "$work/$name.log"
	return "$status"
}

# No half-configured package.
is_sound()
{
	[ -z "$(inside dpkg --audit)" ] && inside apt-get check -q
}

# has_module KERNEL: DKMS has built, signed and installed it.
has_module()
{
	local status file

	status=$(inside dkms status -k "$1" uncore-rs)
	printf '%s\n' "$status"
	[[ $status == *": installed"* ]] &&
		file=$(compgen -G "$tree/lib/modules/$1/updates/dkms/uncore_rs.ko*") &&
		[ -n "$(modinfo -F signer "$file")" ]
}

# loads KERNEL MODULE: checks what udev loads for the processor, and for the UBox if that is
# uncore_rs.
loads()
{
	local name line

	for name in intel_uncore pci:v00008086d00000E1Esv00000000sd00000000bc08sc80i00; do
		line=$(as_booted "$1" modprobe "$name" | tail -n 1)
		# The quiet modprobe of such a line would not say it.
		[[ $line != "install "* ]] ||
			line=$(as_booted "$1" sh -c "$(sed 's/^install //; s/ -q / /' <<<"$line")" | tail -n 1)
		printf '%s: %s: %s\n' "$1" "$name" "$line"
		[[ $line == */$2.ko* ]] || return
		[ "$2" = uncore_rs ] || return 0
	done
}

installs_without_network()
{
	# Of inside.
	local isolated=(unshare --net)

	cp -t "$tree/root" "${packages[@]}"
	typed packages apt-get install -y "${debs[@]}" && is_sound && has_module "$old"
}

nothing_is_taken_over()
{
	! grep -rsE 'uncore[_-]rs' "$tree"/etc/modprobe.d "$tree"/etc/modules* \
		"$tree"/etc/initramfs-tools "$tree"/etc/udev &&
		loads "$old" intel-uncore
}

is_enabled()
{
	as_booted "$old" uncore enable && loads "$old" uncore_rs
}

has_update()
{
	add_suite "$suite-security" "$(mirror -Security)" >&2 &&
		inside apt-get install --simulate linux-image-amd64 | grep -q '^Inst linux-image-amd64'
}

kernel_is_updated()
{
	typed update apt-get install -y linux-image-amd64 linux-headers-amd64 && is_sound &&
		new=$(newest_kernel) && has_module "$new" && loads "$new" uncore_rs && loads "$old" uncore_rs
}

# The kernel of the backports: CONFIG_RUST is set, but the headers have no metadata.
falls_back()
{
	mv "$bindgen" "$work"
	typed backports apt-get install -y -t "$newest_suite" linux-image-amd64 linux-headers-amd64 &&
		is_sound || return
	new=$(newest_kernel)
	! has_module "$new" && loads "$new" intel-uncore &&
		grep -F "uncore_rs is not loaded" "$tree/dev/kmsg" && rmdir "$tree/run/uncore-rs-missing" &&
		as_booted "$new" uncore status | tee "$work/status.log" | grep -F "bindgen is missing" &&
		loads "$old" uncore_rs
}

# By the packages' trigger.
comes_back()
{
	typed bindgen apt-get install -y --reinstall bindgen &&
		is_sound && has_module "$new" && loads "$new" uncore_rs
}

# Nothing is built: it takes minutes.
former_packages_are_replaced()
{
	local left

	inside apt-get purge -y -q uncore-rs uncore-rs-dkms && install_former_packages || return
	rm -f "$bindgen"
	inside dpkg -i "${debs[@]}" && is_sound || return
	diff <(grep -v '^#' "$tree/etc/modprobe.d/uncore-rs.conf" | cut -d / -f 1) - <<-'END' || return
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

	inside apt-get install -y -q grub2-common || return
	printf '#!/bin/sh\necho stand-in\n' >"$tree/usr/sbin/grub-probe"
	mkdir -p "$tree/boot/grub" "$tree/etc/default/grub.d"
	echo "GRUB_CMDLINE_LINUX=\"\$GRUB_CMDLINE_LINUX $parameter\"" \
		>"$tree/etc/default/grub.d/uncore-rs.cfg"
	inside update-grub && grep -q "$entry" "$config" || return
	inside env DPKG_MAINTSCRIPT_PACKAGE=uncore-rs sh /var/lib/dpkg/info/uncore-rs.postrm remove
	[ ! -e "$tree/etc/default/grub.d/uncore-rs.cfg" ] && grep -q "/vmlinuz-$kernel " "$config" &&
		! grep -q "$parameter" "$config"
}

nothing_is_left()
{
	local left

	left=$(find "$tree" -xdev -name '*uncore[_-]rs*' -not -path "$tree/proc/*" \
		-not -path "$tree/root/*")
	printf '%s\n' "$left"
	[ -z "$left" ]
}

removal_leaves_nothing()
{
	# As if the hardware had been handed over.
	touch "$tree"/etc/mod{probe,ules-load}.d/uncore-rs.conf
	inside apt-get purge -y -q uncore-rs uncore-rs-dkms && is_sound && nothing_is_left
}

# Their scripts, with this Debian's DKMS, which builds nothing.
rpm_packages_come_and_go()
{
	local file=$tree/etc/modprobe.d/uncore-rs.conf

	inside apt-get install -y -q rpm || return
	rm -f "$tree"/root/*.rpm
	cp -t "$tree/root" build/rpm/*.rpm
	inside sh -c 'rpm --install --nodeps /root/*.rpm' &&
		inside dkms status uncore-rs | grep "added" && compgen -G "$state/*/skipped.$new" || return
	echo "blacklist intel_uncore" >"$file"
	inside rpm --erase uncore-rs && [ ! -e "$file" ] &&
		inside rpm --erase uncore-rs-dkms && nothing_is_left
}

# boot KERNEL TEST...: runs these tests on the kernel.
boot()
{
	kernel=$1
	shift
	check "the guest's image for $kernel" make_image
	step "booting $kernel"
	UNCORE_SERIES=$kernel UNCORE_FLAVOUR=stock UNCORE_KERNEL=$work/vmlinuz \
		UNCORE_INITRD=$(base_image):$PWD/build/tools.cpio:$work/kernel.cpio \
		as_caller env "${command[@]}" "$@" || failed=1
}

check "Debian 13" make_tree
rm -f "$work/times"
old=$(newest_kernel)
# The README's line.
read -ra line < <(sed -n 's/^    \(apt-get install\) \(linux-headers\)/\1 -y \2/p' README.md)
check "headers and compilers install" typed compilers "${line[@]}"
check "DKMS builds the module for $old, without network" installs_without_network
check "nothing is taken over by that" nothing_is_taken_over
boot "$old" "${tests[@]}"
check "uncore enable has $old load uncore_rs" is_enabled
if has_update; then
	check "an updated kernel gets it, too" kernel_is_updated
	new=$(newest_kernel)
	boot "$new" stock::the_hardware
else
	echo "ok - an updated kernel # SKIP the archive has no update"
fi
check "a kernel without the module loads intel_uncore" falls_back
new=$(newest_kernel)
check "bindgen has the module built for $new" comes_back
check "dpkg replaces the former packages" former_packages_are_replaced
check "GRUB has the boot parameter, and no more after removal" grub_has_the_parameter
check "removal leaves no file" removal_leaves_nothing
check "nor does that of the RPM packages" rpm_packages_come_and_go
step "what was typed" && cat "$work/times" >&2
end_checks
