#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# commit.sh: prints the commit that this source is of: UNCORE_COMMIT, or what a package wrote beside
# it, or what git says; nothing if nobody knows.

set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

if [ -n "${UNCORE_COMMIT+set}" ]; then
	printf '%s\n' "$UNCORE_COMMIT"
elif [ -e commit ]; then
	cat commit
elif [ -e .git ]; then
	git describe --always --abbrev=12 --dirty --exclude='*' 2>/dev/null || true
fi
