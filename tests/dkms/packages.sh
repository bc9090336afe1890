# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of the packages' own scripts, below a directory in place of /. The packages of
# versions before 0.2.0 are replaced in the order in which dpkg runs the scripts: preinst
# of a new one, postrm of the old ones, postinst. Tests are called by name:
# shellcheck disable=SC2317

: "${root=} ${work=} ${kernel=}"

modprobe_d=$work/etc/modprobe.d
former_file=$modprobe_d/ivbep-uncore.conf
file=$modprobe_d/uncore-rs.conf
load_file=$work/etc/modules-load.d/uncore-rs.conf

make_former()
{
	rm -rf "${work:?}"
	mkdir -p "$modprobe_d"
	# As "ivbep-uncore enable" wrote it.
	cat >"$former_file" <<-'END'
		# Written by "ivbep-uncore enable", removed by "ivbep-uncore disable".
		#
		# ivbep_uncore has the uncore counters in place of intel_uncore, and is loaded
		# for the UBox of Xeon E5 v2 and E7 v2, PCI device 8086:0e1e.
		blacklist intel_uncore
		alias pci:v00008086d00000E1Esv*sd*bc*sc*i* ivbep_uncore
	END
}

# script PACKAGE NAME ARGUMENT...
script()
{
	local package=$1 text=$root/tools/deb/$1.$2

	[ -e "$text" ] || text=$root/tools/deb/$2
	shift 2
	DPKG_ROOT=$work DPKG_MAINTSCRIPT_PACKAGE=$package sh "$text" "$@"
}

# Removing either of the former packages removes the file.
former_goes()
{
	rm -f "$former_file"
}

# settings FILE: its lines that are no comments.
settings()
{
	grep -v '^#' "$1"
}

is_enabled()
{
	diff <(settings "$file" | cut -d / -f 1) - <<-'END'
		install intel_uncore 
		alias pci:v00008086d00000E1Esv*sd*bc*sc*i* uncore_rs
	END
	! grep -rq ivbep "$modprobe_d" || return
	[ "$(ls "$modprobe_d")" = uncore-rs.conf ]
}

replaces_former()
{
	make_former
	script uncore-rs-dkms preinst install
	former_goes
	[ ! -e "$file" ]
	script uncore-rs preinst install
	script uncore-rs-dkms postinst configure
	is_enabled
}

replaces_former_tool_first()
{
	make_former
	script uncore-rs preinst install
	former_goes
	script uncore-rs-dkms preinst install
	former_goes
	script uncore-rs-dkms postinst configure
	is_enabled
}

keeps_options()
{
	make_former
	echo "options ivbep_uncore overflow=pmi" >>"$former_file"
	script uncore-rs-dkms preinst install
	former_goes
	script uncore-rs-dkms postinst configure
	[ "$(settings "$file" | tail -n 1)" = "options uncore_rs overflow=pmi" ]
}

keeps_what_is_enabled()
{
	make_former
	echo "options uncore_rs overflow=pmi" >"$file"
	script uncore-rs-dkms preinst upgrade 0.2.0
	script uncore-rs-dkms postinst configure 0.2.0
	[ "$(cat "$file")" = "options uncore_rs overflow=pmi" ]
}

# Version 0.2.0 left a kernel without the module without a driver.
lets_the_other_driver_in()
{
	local package

	for package in uncore-rs uncore-rs-dkms; do
		mkdir -p "$modprobe_d"
		printf '%s\n' "# blacklist intel_uncore" "blacklist intel_uncore" "options uncore_rs x=y" >"$file"
		script "$package" postinst configure 0.2.0
		[ "$(cut -c 1-22 "$file")" = $'# blacklist intel_unco\ninstall intel_uncore /\noptions uncore_rs x=y' ]
		[ "$(/sbin/modprobe -C "$modprobe_d" --showconfig | grep -c '^install intel_uncore .*CMDLINE_OPTS; }$')" -eq 1 ]
	done
}

enables_nothing()
{
	make_former
	rm "$former_file"
	script uncore-rs-dkms preinst install
	former_goes
	script uncore-rs-dkms postinst configure
	[ -z "$(ls "$modprobe_d")" ]
}

# As apt does, which removes the former packages before preinst.
names_the_command()
{
	make_former
	former_goes
	mkdir -p "$work/sys/module/ivbep_uncore"
	script uncore-rs-dkms preinst install
	script uncore-rs-dkms postinst configure | grep -q '"uncore enable"'
	[ -z "$(ls "$modprobe_d")" ]
}

# With a DKMS that fails, as for a kernel that it skips again.
builds_what_was_skipped()
{
	make_former
	mkdir -p "$work/bin" "$work/var/lib/dkms/uncore-rs/0.2.0"
	stub dkms <<-'END'
		echo "$*" >>"$work/log"
		exit 11
	END
	touch "$work/var/lib/dkms/uncore-rs/0.2.0/skipped".{6.1.0-57-amd64,6.12.118+deb13-amd64}
	PATH=$work/bin:$PATH script uncore-rs-dkms postinst triggered /usr/bin/bindgen
	diff "$work/log" - <<-'END'
		autoinstall -k 6.1.0-57-amd64
		autoinstall -k 6.12.118+deb13-amd64
	END
	rm "$work"/var/lib/dkms/uncore-rs/0.2.0/* "$work/log"
	PATH=$work/bin:$PATH script uncore-rs-dkms postinst triggered /usr/bin/bindgen
	[ ! -e "$work/log" ]
}

undoes_aborted_installation()
{
	make_former
	script uncore-rs-dkms preinst install
	[ -e "$file.new" ]
	script uncore-rs-dkms postrm abort-install
	[ "$(ls "$modprobe_d")" = ivbep-uncore.conf ]
}

removal_disables()
{
	local package

	for package in uncore-rs uncore-rs-dkms; do
		replaces_former
		script "$package" postrm upgrade 0.3.0
		mkdir -p "${load_file%/*}"
		touch "$load_file"
		is_enabled
		script "$package" postrm remove
		[ -z "$(ls "$modprobe_d")" ]
		[ ! -e "$load_file" ]
	done
}

# The boot loaders are stubs here; make test-distro has the real GRUB.
removal_takes_the_parameter_back()
{
	local grub_file=$work/etc/default/grub.d/uncore-rs.cfg cmdline=$work/etc/kernel/cmdline name

	make_former
	mkdir -p "$work/bin" "${grub_file%/*}" "${cmdline%/*}"
	for name in update-grub grubby proxmox-boot-tool; do
		stub "$name" <<-'END'
			echo "${0##*/} $*" >>"$work/log"
			exit 1
		END
	done
	PATH=$work/bin:$PATH script uncore-rs postrm remove
	[ ! -e "$work/log" ]
	touch "$grub_file"
	PATH=$work/bin:$PATH script uncore-rs postrm upgrade 0.3.0
	[ -e "$grub_file" ]
	PATH=$work/bin:$PATH script uncore-rs postrm remove
	[ ! -e "$grub_file" ]
	[ "$(cat "$work/log")" = "update-grub " ]
	rm "$work/log"
	touch "$file"
	mkdir -p "$work/lib/modules/$kernel"
	echo kernel/arch/x86/events/intel/intel-uncore.ko >"$work/lib/modules/$kernel/modules.builtin"
	PATH=$work/bin:$PATH script uncore-rs postrm remove
	[ "$(cat "$work/log")" = \
		"grubby --update-kernel=ALL --remove-args=initcall_blacklist=intel_uncore_init" ]
	rm "$work/log"
	touch "$work/etc/kernel/proxmox-boot-uuids"
	echo "root=x boot=zfs" >"$cmdline.uncore-rs"
	echo "root=x boot=zfs initcall_blacklist=intel_uncore_init quiet" >"$cmdline"
	PATH=$work/bin:$PATH script uncore-rs-dkms postrm purge
	[ "$(cat "$cmdline")" = "root=x boot=zfs quiet" ]
	[ ! -e "$cmdline.uncore-rs" ]
	[ "$(cat "$work/log")" = "proxmox-boot-tool refresh" ]
}

package_tests()
{
	check "the packages replace the former ones" strict replaces_former
	check "the tool's package may be the first" strict replaces_former_tool_first
	check "options in the former file stay" strict keeps_options
	check "a file that is there already stays" strict keeps_what_is_enabled
	check "a file of version 0.2.0 lets the other driver in" strict lets_the_other_driver_in
	check "a compiler that comes has skipped kernels built for" strict builds_what_was_skipped
	check "what was not enabled is not enabled" strict enables_nothing
	check "a former module that is loaded is named" strict names_the_command
	check "an installation that is aborted is undone" strict undoes_aborted_installation
	check "removal disables the module" strict removal_disables
	check "removal takes the boot parameter back" strict removal_takes_the_parameter_back
}
