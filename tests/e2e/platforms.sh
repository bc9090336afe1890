#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# platforms.sh PLATFORM [all]: prints the names of the end-to-end tests that hold on a platform
# besides the first. The tests say so: platforms!(e5 client; e7) at the beginning of a test, or
# of a file for all its tests. A word is a class of tests/data/PLATFORM/processors.csv, or "each".
# The platforms behind the semicolon run the test with "all" only; if "first" is there, the test
# takes long on the first platform.

set -euo pipefail
cd "$(dirname "$0")/tests"

classes=$(cut -d, -f 6 ../../data/*/processors.csv | sort -u | tr '\n' ' ')
class=$(grep -h "^$1," ../../data/*/processors.csv | cut -d, -f 6)

# shellcheck disable=SC2016
find . -name '*.rs' -printf '%P\n' | sort | xargs awk -v class="$class" -v classes="$classes each" \
	-v all="${2-}" '
function has(words, word)
{
	return (" " words " ") ~ (" " word " ")
}
function check(line, names, each)
{
	gsub(/.*\(|\).*|;/, " ", line)
	split(line, names)
	for (each in names)
		if (!has(classes, names[each])) {
			print FILENAME ": no class " names[each] >"/dev/stderr"
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
	words = parts[all ? 2 : 1]
	if (has(words, class) || class != "first" && has(words, "each")) {
		print module "::" name
		found = 1
	}
	name = ""
}
END { exit bad || !found }'
