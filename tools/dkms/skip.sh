# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Skipping a kernel: one line "KERNEL: WHAT > WHAT TO DO", printed and kept, because
# DKMS shows neither its log nor where that is when it runs inside a package manager.
# The file skipped.KERNEL lies in DKMS's directory of this version of the module, and
# goes with it.

: "${kernel=}"

skip_note()
{
	printf '%s/skipped.%s\n' "$(dirname "$PWD")" "$kernel"
}

# skip WHAT WHAT-TO-DO
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

# A mistake of these scripts must not stop a package transaction either.
unforeseen_is_skipped()
{
	trap 'skip "preparing it stopped with an error" \
		"please report this, with $PWD/make.log"' EXIT
}

distribution()
{
	# shellcheck source=/dev/null
	(. "${IVBEP_OS_RELEASE:-/etc/os-release}" && printf '%s\n' "${!1:-}")
}

# to_install WHAT: the command for it on this distribution, or in general words.
to_install()
{
	local version

	case $(distribution ID):$1 in
		debian:headers | ubuntu:headers) printf 'apt-get install %s' "linux-headers-$kernel" ;;
		debian:kernel) printf 'apt-get install -t %s-backports %s' "$(distribution VERSION_CODENAME)" \
			"linux-image-amd64 linux-headers-amd64" ;;
		debian:compiler)
			version=$(needed_version)
			printf 'apt-get install %s' "rustc='$version+*' rust-src='$version+*' bindgen"
			;;
		debian:bindgen) printf 'apt-get install bindgen' ;;
		ubuntu:metadata) printf 'apt-get install %s' "linux-lib-rust-$kernel" ;;
		ubuntu:compiler)
			version=$(needed_version)
			version=${version%.*}
			printf 'apt-get install %s' "rustc-$version rust-$version-src bindgen"
			;;
		arch:compiler | arch:bindgen) printf 'pacman -Syu rust rust-src rust-bindgen' ;;
		*:headers) printf 'install the headers of this kernel' ;;
		*:kernel) printf 'install a kernel built with CONFIG_RUST=y' ;;
		*:metadata) printf 'install the package with this kernel'"'"'s rust/*.rmeta' ;;
		*:compiler) printf 'install %s' "the distribution's rustc $(needed_version) with its library's source" ;;
		*:bindgen) printf 'install bindgen' ;;
	esac
}
