# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Skips a kernel: prints and keeps one line "KERNEL: REASON > REMEDY". DKMS itself
# shows only the exit status and the path of its log, which the next build overwrites.
# The file skipped.KERNEL is in DKMS's directory of this version of the module, and is
# removed with it.

: "${kernel=} ${least_rustc=}"

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

distribution()
{
	# shellcheck source=/dev/null
	(. "${UNCORE_OS_RELEASE:-/etc/os-release}" && printf '%s\n' "${!1:-}")
}

# to_install WHAT: prints the command for it on this distribution, or a sentence.
to_install()
{
	local id
	id=$(distribution ID)$(distribution VERSION_ID)

	case $id:$1 in
		debian*:headers | ubuntu*:headers)
			echo "apt-get install linux-headers-$kernel" ;;
		debian12:compiler)
			echo "apt-get install rustc-web rust-web-src bindgen" ;;
		debian*:compiler)
			echo "apt-get install rustc rust-src bindgen" ;;
		ubuntu*:compiler)
			echo "apt-get install rustc-$least_rustc rust-$least_rustc-src bindgen" ;;
		debian*:bindgen | ubuntu*:bindgen)
			echo "apt-get install bindgen" ;;
		fedora*:headers | rhel*:headers | almalinux*:headers | rocky*:headers)
			echo "dnf install kernel-devel-$kernel" ;;
		fedora*:* | rhel*:* | almalinux*:* | rocky*:*)
			echo "dnf install rust rust-src bindgen-cli" ;;
		arch*:compiler | arch*:bindgen)
			echo "pacman -Syu rust rust-src rust-bindgen" ;;
		*:headers)
			echo "install the headers of this kernel" ;;
		*:compiler)
			echo "install rustc $least_rustc or later, with the source of its library" ;;
		*:bindgen)
			echo "install bindgen" ;;
	esac
}
