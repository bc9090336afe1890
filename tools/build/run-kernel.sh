#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run-kernel.sh: prints the KERNEL that "make run" boots, the stock one of the host's
# release or, elsewhere, of Debian 13.

set -euo pipefail

# shellcheck source=/dev/null
. /etc/os-release
case ${ID:-}${VERSION_ID:-} in
	debian12) echo debian12 ;;
	*) echo debian13 ;;
esac
