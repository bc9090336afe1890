#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run-kernel.sh: prints the flavour of kernel that "make run" boots, plain or stock.
# Debian's own kernel is available sooner than a built one, but needs root and mounts of
# its own. A plain kernel that has been built before is preferred.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"

has_plain()
{
	compgen -G "$cache/kernel/*-plain-*/.complete" >/dev/null
}

may_mount()
{
	local become=()

	[ "$(id -u)" -eq 0 ] || become=(sudo --non-interactive)
	"${become[@]}" unshare --mount true 2>/dev/null
}

if ! has_plain && may_mount; then
	echo stock
else
	echo plain
fi
