#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# platforms.sh [--write]: holds the list at the end of adding-a-platform.rst against the tree, or
# writes it. The list has each file that names a platform, or a processor of it, as a word, and is
# neither in a folder of the platform nor a file of its name; for one platform they are few. The
# first two Xeon E5 are not asked about: tests that say nothing else are theirs. What users read and
# recordings may name any platform.

set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# The most files that may name a platform.
most=15
page=Documentation/development/adding-a-platform.rst
heading="Files that name a platform"

# Prints patterns: the names of processors for the machine and, in any spelling, for the emulator.
# With -EP or -EX behind it, a name is that of a server, of which a client can have the emulator's.
names()
{
	awk -F, 'NR > 1 {
		behind = $6 == "client" ? "(?!-E)" : $6 ~ /^(e5|polled)$/ ? "-E[PX]" : ""
		sub(/-.*/, "", $5)
		print $1 "(?!-E)"
		print $5 behind
	}' "tests/data/$1/processors.csv" |
		sed 's/\([a-z]\)\([A-Z]\)/\1[- ]?\2/' | sort -u
}

# Prints what leaves out the pages of the processors.
pages()
{
	sed -n '1d; s|,.*||; s|.*|:!Documentation/hardware/&.rst|p' "tests/data/$1/processors.csv"
}

# Prints the files that name a platform.
named()
{
	local pages
	mapfile -t pages < <(pages "$1")
	git grep -lwiP -f <(names "$1") -- . ":!rust/platforms/$1*" ":!tests/data/$1/" \
		":!tests/data/*/processors.csv" \
		":!tests/e2e/src/platform/$1*" ":!tests/machine/model/src/platform/$1*" \
		"${pages[@]}" ":!tools/*/$1.csv" ":!tools/*/$1.rs" ":!$page" \
		':!CHANGELOG.md' ':!README.md' \
		':!Documentation/admin-guide' ':!tools/uncore/tests/data' ':!*.snap'
}

all=
for folder in tests/data/*/processors.csv; do
	platform=$(basename "$(dirname "$folder")")
	[[ ! $platform =~ ^(ivbep|bdx)$ ]] || continue
	files=$(named "$platform")
	number=$(wc -l <<<"$files")
	if [ "$number" -gt "$most" ]; then
		echo "$number files name $platform, at most $most may" >&2
		exit 1
	fi
	all+=$files$'\n'
done
found=$(sort -u <<<"${all%$'\n'}")
# shellcheck disable=SC2001,SC2016 # Marks of reStructuredText.
if [ "${1:-}" = --write ]; then
	list=$(awk -v heading="$heading" '{ print } $0 == heading { exit }' "$page" &&
		printf '%s\n\n%s\n' "${heading//?/=}" "$(sed 's/^/* ``/; s/$/``/' <<<"$found")")
	printf '%s\n' "$list" >"$page"
	exit
fi
listed=$(sed "1,/^$heading\$/d; s/^\* \`\`\(.*\)\`\`\$/\1/p; d" "$page" | sort)
diff --unchanged-line-format= --old-line-format="$page has it, and it names none: %L" \
	--new-line-format="names a platform and is not in $page: %L" <(printf '%s\n' "$listed") \
	<(printf '%s\n' "$found")
