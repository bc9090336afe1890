# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Skips a kernel: prints and keeps one line "KERNEL: REASON > REMEDY". DKMS itself
# shows only the exit status and the path of its log, which the next build overwrites.
# The file skipped.KERNEL is in DKMS's directory of this version of the module, and is
# removed with it.

: "${kernel=}"

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
	local id version suite
	id=$(distribution ID)
	suite=$(distribution VERSION_CODENAME)-backports
	version=$(needed_version)

	case $id:$1 in
		debian:headers | ubuntu:headers)
			echo "apt-get install linux-headers-$kernel" ;;
		debian:kernel)
			echo "apt-get install -t $suite linux-image-amd64 linux-headers-amd64" ;;
		debian:compiler)
			echo "apt-get install {rustc,libstd-rust-dev,rust-src}='$version+*' bindgen" ;;
		debian:bindgen | ubuntu:bindgen)
			echo "apt-get install bindgen" ;;
		ubuntu:compiler)
			echo "apt-get install rustc-${version%.*} rust-${version%.*}-src bindgen" ;;
		ubuntu:metadata)
			echo "apt-get install linux-lib-rust-$kernel" ;;
		arch:compiler | arch:bindgen)
			echo "pacman -Syu rust rust-src rust-bindgen" ;;
		*:headers)
			echo "install the headers of this kernel" ;;
		*:kernel)
			echo "install a kernel built with CONFIG_RUST=y" ;;
		*:compiler)
			echo "install the distribution's rustc $version, with its library's source" ;;
		*:bindgen)
			echo "install bindgen" ;;
		*:metadata)
			echo "install the package with this kernel's rust/*.rmeta" ;;
	esac
}
