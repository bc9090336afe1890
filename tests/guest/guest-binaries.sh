# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's programs, out of unpacked packages, with the shared libraries that
# they need. Sourced after lib.sh.

: "${here=}"

# shellcheck disable=SC2034 # Those who source this use it.
programs=(usr/bin/perf usr/bin/lspci usr/bin/setpci usr/sbin/rdmsr usr/sbin/wrmsr usr/bin/kmod)
libraries=usr/lib/x86_64-linux-gnu
# It is not copied but made, and so needs no others.
stand_in=libdebuginfod.so.1

# needed SYSROOT FILE...: the libraries that they need, and those that these need.
needed()
{
	local -A seen=()
	local sysroot=$1 queue=("${@:2}") file name

	while [ ${#queue[@]} -gt 0 ]; do
		file=${queue[0]}
		queue=("${queue[@]:1}")
		for name in $(readelf --dynamic "$sysroot/$file" |
			sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
			[ -z "${seen[$name]:-}" ] || continue
			[ -e "$sysroot/$libraries/$name" ] ||
				die "$name, needed by $file, is in no package of the guest" \
					"run: make update"
			seen[$name]=1
			[ "$name" = $stand_in ] || queue+=("$libraries/$name")
			printf '%s\n' "$name"
		done
	done
}

# copy_library SYSROOT NAME ROOT
copy_library()
{
	local source=$here/debuginfod/debuginfod

	if [ "$2" = $stand_in ]; then
		cc -O2 -Wall -Werror -fPIC -shared -nostdlib -Wl,-soname,$stand_in \
			-Wl,--version-script="$source.map" -o "$3/$libraries/$2" "$source.c"
	else
		cp -L "$1/$libraries/$2" "$3/$libraries"
	fi
}

# copy_other_libraries SYSROOT OTHER ROOT FILE...: copies what files of the sysroot OTHER
# need, without the libraries that image.sh takes from SYSROOT.
copy_other_libraries()
{
	local sysroot=$1 other=$2 root=$3 there name

	there=$(needed "$sysroot" "${programs[@]}" | sort)
	needed "$other" "${@:4}" | sort | comm -13 <(printf '%s\n' "$there") - |
		while read -r name; do
			copy_library "$other" "$name" "$root"
		done
}
