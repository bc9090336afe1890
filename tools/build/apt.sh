# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# A private apt root in the cache: packages of a newer Debian, taken from the
# host's own mirror, signatures checked, without touching the host's packages.
# Sourced after lib.sh by the scripts that fetch something. Before it, apt_types=deb-src
# stands for source packages, and apt_suites='SUITE...' for another Debian; each has a
# root of its own.
#
# Answers are remembered in $cache/request until "make update" forgets them, so
# that a second run needs no network.

: "${cache:?lib.sh comes first}"

suite=trixie
newest_suite=$suite-backports
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt_types=${apt_types:-deb}
apt_root=$cache/apt${apt_types#deb}${apt_suites:+-${apt_suites##* }}
# Versions are taken of the backports or, in another Debian, of any suite.
apt_target=${apt_suites:+/./}
apt_target=${apt_target:-$newest_suite}
apt_suites=${apt_suites:-$suite $newest_suite}

# mirror [-Security]: the host's Debian mirror, or that of security updates. Before the
# host's first "apt-get update" no target carries an origin yet; then the name tells.
mirror()
{
	local format="\$(LABEL) \$(COMPONENT) \$(REPO_URI)" targets

	targets=$(apt-get indextargets --format "$format" 'Created-By: Packages') ||
		return
	awk -v label="Debian${1:-}" '$1 == label && $2 == "main" { print $3; exit }' \
		<<<"$targets" | grep . ||
		awk -v security="${1:-}" '$(NF-1) == "main" &&
			($NF ~ /security/) == (security != "") { print $NF; exit }' \
			<<<"$targets" | grep .
}

apt_configure()
{
	local uri security each

	[ -r "$keyring" ] || die "Debian's archive keys are missing ($keyring)" \
		"install them: apt-get install debian-archive-keyring"
	uri=$(mirror) || die "apt knows no Debian mirror" \
		"add one to /etc/apt/sources.list.d and run apt-get update"
	security=$(mirror -Security) || security=${uri%/}-security
	mkdir -p "$apt_root"/{state/lists/partial,cache/archives/partial}
	: >"$apt_root/status"
	for each in $apt_suites; do
		[[ $each != *-security ]] || uri=$security
		printf '%s [signed-by=%s] %s %s main\n' "$apt_types" "$keyring" "$uri" "$each"
	done >"$apt_root/sources.list"
	cat >"$apt_root/apt.conf" <<-END
		Dir::State "$apt_root/state";
		Dir::State::status "$apt_root/status";
		Dir::Cache "$apt_root/cache";
		Dir::Etc::sourcelist "$apt_root/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Sandbox::User "$(id -un)";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::Retries "3";
	END
}

private_apt()
{
	local command=$1
	shift

	APT_CONFIG=$apt_root/apt.conf "apt-$command" "$@"
}

# Package lists are updated if they are older than an hour. Ends the script with status 77
# if the archive does not answer.
apt_refresh()
{
	[ -z "$(find "$apt_root/fresh" -mmin -60 2>/dev/null)" ] || return 0
	apt_configure
	step "reading the package lists of ${apt_suites// / and }"
	private_apt get update -q --error-on=any >&2 ||
		(die "the package lists of $apt_suites could not be fetched" \
			"check the network and the mirror in apt's own configuration, then run make again") ||
		exit 77
	touch "$apt_root/fresh"
}

# remembered NAME COMMAND...: prints the command's output, from the cache if the command
# has run before.
remembered()
{
	local answer=$cache/request/$1
	shift

	if [ ! -s "$answer" ]; then
		mkdir -p "$cache/request"
		apt_refresh
		"$@" >"$answer.part" || return
		mv "$answer.part" "$answer"
	fi
	cat "$answer"
}

# versions PACKAGE SUITE: prints the versions, newest first.
versions()
{
	private_apt cache madison "$1" |
		awk -v suite="$2/main" '$6 == suite { print $3 }'
}

# fetch_package NAME VERSION DIRECTORY: fetches that one package without its dependencies.
fetch_package()
{
	apt_refresh
	mkdir -p "$3"
	step "fetching $1 $2"
	(cd "$3" && private_apt get download -q "$1=$2" >&2) && return
	rm -f "$apt_root/fresh"
	die "$1 $2 could not be fetched" \
		"the mirror may have moved on: run make update, then make again"
}
