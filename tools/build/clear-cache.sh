#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# clear-cache.sh versions|everything: makes the next build ask again which package
# versions are the newest, or empties the cache.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"

case $1 in
	versions) rm -rf "$cache/request" "$cache"/apt*/fresh ;;
	everything)
		rm -rf "$cache"/apt* "$cache"/{bindgen,crates,distro,image,kernel,likwid,lock,log,request,source,sysroot}
		;;
esac
