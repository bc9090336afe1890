#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# platforms.sh PLATFORM [all]: prints the names of the end-to-end tests that hold on a platform
# besides the first. The tests say so: platforms!(bdx snb; nhmex) at the beginning of a test, or
# of a file for all its tests. Those of the platforms behind the semicolon run with "all" only;
# if the first platform is there, the test takes long.

set -euo pipefail
cd "$(dirname "$0")/tests"

# shellcheck disable=SC2016
find . -name '*.rs' -printf '%P\n' | sort | xargs awk -v platform="$1" -v all="${2-}" '
# A platform has a file of facts.
function check(line, names, each)
{
	gsub(/.*\(|\).*|;/, " ", line)
	split(line, names)
	for (each in names)
		if (system("test -e ../src/platform/" names[each] ".rs")) {
			print FILENAME ": no platform " names[each] >"/dev/stderr"
			exit bad = 1
		}
}
FNR == 1 {
	of_file = ""
	module = FILENAME
	sub(/\.rs$/, "", module)
	gsub("/", "::", module)
}
/^ *platforms!/ { check($0) }
/^platforms!/ { of_file = $0 }
/^#\[test\]/ { is_test = 1 }
is_test && /^fn / {
	sub(/^fn /, "")
	sub(/\(.*/, "")
	name = $0
	own = of_file
	is_test = 0
}
/^    platforms!/ { own = $0 }
/^}/ && name {
	gsub(/.*\(|\).*/, "", own)
	split(own ";", parts, ";")
	if ((" " parts[all ? 2 : 1] " ") ~ (" " platform " ")) {
		print module "::" name
		found = 1
	}
	name = ""
}
END { exit bad || !found }'
