#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# forget.sh KERNEL: what DKMS runs once the module is removed from KERNEL: removes
# the kernel's source. Not while our own package is replaced by another version of
# it, which needs the source again and may not fetch it then.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/dkms/source.sh
. "$here/source.sh"

[ "${DPKG_MAINTSCRIPT_PACKAGE:-}" = ivbep-uncore-dkms ] || forget "$1"
