#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# forget.sh KERNEL: removes the source of KERNEL. DKMS runs it after it has removed
# the module from KERNEL. The source stays while dpkg replaces our package by another
# version, which needs the source again and may not fetch it then.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/dkms/source.sh
. "$here/source.sh"

[ "${DPKG_MAINTSCRIPT_PACKAGE:-}" = uncore-rs-dkms ] || forget "$1"
