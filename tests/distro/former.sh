# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Stand-ins for the packages of versions before 0.2.0, ivbep-uncore-dkms and
# ivbep-uncore: their names, their scripts, their DKMS module (of a few lines, in C) and
# a tool that does nothing. Sourced after tree.sh.

: "${tree=} ${work=} ${kernel=}"

former=ivbep-uncore
former_version=0.1.0
former_file=etc/modprobe.d/ivbep-uncore.conf

# former_control PACKAGE: its control file.
former_control()
{
	printf '%s: %s\n' Package "$1" Version "$former_version" Architecture all \
		Maintainer 'The ivbep-uncore authors <maintainers@ivbep-uncore.invalid>' \
		Description 'stand-in for a package of an earlier version'
}

# former_script DIRECTORY NAME: its text comes on stdin.
former_script()
{
	{ printf '#!/bin/sh\nset -e\n' && cat; } >"$1/DEBIAN/$2"
	chmod 755 "$1/DEBIAN/$2"
}

make_former_tool()
{
	local package=$work/former/$former

	mkdir -p "$package"/{DEBIAN,usr/bin}
	former_control "$former" >"$package/DEBIAN/control"
	printf '#!/bin/sh\n' >"$package/usr/bin/ivbep-uncore"
	chmod 755 "$package/usr/bin/ivbep-uncore"
	former_script "$package" postrm <<-END
		case \$1 in
			remove | purge) rm -f /$former_file ;;
		esac
	END
}

make_former_module()
{
	local package=$work/former/$former-dkms
	local source=$package/usr/src/$former-$former_version

	mkdir -p "$package/DEBIAN" "$source"
	former_control "$former-dkms" >"$package/DEBIAN/control"
	printf '%s="%s"\n' PACKAGE_NAME "$former" PACKAGE_VERSION "$former_version" AUTOINSTALL yes \
		'BUILT_MODULE_NAME[0]' ivbep_uncore 'DEST_MODULE_LOCATION[0]' /updates/dkms \
		>"$source/dkms.conf"
	printf 'obj-m := ivbep_uncore.o\n' >"$source/Makefile"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' >"$source/ivbep_uncore.c"
	former_script "$package" postinst <<-END
		dkms add $former/$former_version
		dkms install -k $kernel $former/$former_version
	END
	former_script "$package" prerm <<-END
		dkms remove $former/$former_version --all
	END
	former_script "$package" postrm <<-END
		case \$1 in
			remove | purge) rm -rf /var/cache/ivbep-uncore /$former_file ;;
		esac
	END
}

# Installs both, as they are after "ivbep-uncore enable".
install_former_packages()
{
	local package

	rm -rf "$work/former"
	make_former_tool
	make_former_module
	for package in "$former" "$former-dkms"; do
		dpkg-deb --root-owner-group --build "$work/former/$package" "$tree/root/$package.deb"
	done
	inside dpkg -i "/root/$former.deb" "/root/$former-dkms.deb"
	rm "$tree/root/$former.deb" "$tree/root/$former-dkms.deb"
	printf '%s\n' 'blacklist intel_uncore' \
		'alias pci:v00008086d00000E1Esv*sd*bc*sc*i* ivbep_uncore' >"$tree/$former_file"
}
