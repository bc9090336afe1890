#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# update-if-changed.sh FILE COMMAND...: writes the output of COMMAND to FILE. A FILE that
# stays equal keeps its time stamp, so that make rebuilds nothing for it.

set -euo pipefail

file=$1
shift

mkdir -p "$(dirname "$file")"
new=$file.$$
trap 'rm -f "$new"' EXIT
"$@" >"$new"
cmp --silent "$new" "$file" || mv "$new" "$file"
