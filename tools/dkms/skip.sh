# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Skips a kernel: prints and keeps one line "KERNEL: REASON > REMEDY". DKMS itself
# shows only the exit status and the path of its log, which the next build overwrites.
# The file skipped.KERNEL is in DKMS's directory of this version of the module, and is
# removed with it.

: "${here=} ${kernel=}"

skip_note()
{
	printf '%s/skipped.%s\n' "$(dirname "$PWD")" "$kernel"
}

# skip REASON REMEDY
skip()
{
	trap - EXIT
	printf '%s: %s > %s\n' "$kernel" "$1" "$2" | tee "$(skip_note)" >&2
	exit 77
}

nothing_skipped()
{
	trap - EXIT
	rm -f "$(skip_note)"
}

# A bug of these scripts must not stop a package transaction either.
unforeseen_is_skipped()
{
	trap 'skip "preparing it stopped with an error" \
		"please report this, with $PWD/make.log"' EXIT
}

# to_install WHAT: prints what to type on this distribution (packages.list).
to_install()
{
	local ID='' VERSION_ID='' ID_LIKE='' name proxmox='' text

	# shellcheck source=/dev/null
	. "${UNCORE_OS_RELEASE:-/etc/os-release}"
	[[ $kernel != *-pve ]] || proxmox=proxmox
	for name in $proxmox "$ID:$VERSION_ID" "$ID" $ID_LIKE any; do
		text=$(sed -n "s/^$name $1 //p" "$here/packages.list")
		[ -z "$text" ] || break
	done
	printf '%s\n' "${text//KERNEL/$kernel}"
}
