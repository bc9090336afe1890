#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# campaign.sh MAKE [PART]: takes one part of the runs of tests/campaign.list, N/M, and reports
# on all of them. Runs are dealt to the parts so that these take about the same time. A part
# that would take more than two hours is refused. build/campaign/RUN has what came of a run:
# the commit, "passed" or "failed", and the minutes it took; RUN.log what it said. The report
# names each run that has no result of this commit. Without PART there is only the report.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../tools/lib.sh"

make=$1 wanted=${2:-}
results=build/campaign
longest=120
commit=$(git describe --always --dirty)

# Prints the runs, as MINUTES NAME ARGUMENT...
runs()
{
	grep -v -e '^#' -e '^$' "$here/campaign.list"
}

# deal PARTS: prints PART MINUTES NAME ARGUMENT... of each run. The longest are dealt first,
# each to the part that has the least.
deal()
{
	runs | sort -k1,1nr -k2,2 | awk -v parts="$1" '{
		part = 1
		for (other = 2; other <= parts; other++)
			if (load[other] < load[part])
				part = other
		load[part] += $1
		print part, $0
	}'
}

# take NAME ARGUMENT...: takes a run and keeps what came of it.
take()
{
	local name=$1 log=$results/$1.log start=$SECONDS result=passed
	shift

	step "campaign: $name: make $*"
	if ! "$make" --no-print-directory "$@" >"$log" 2>&1 </dev/null; then
		result=failed
	elif grep -q '^test result: ' "$log" && ! grep -q '^test result: ok\. [1-9]' "$log"; then
		say "error: $name ran no test"
		result=failed
	fi
	printf '%s %s %d\n' "$commit" "$result" "$(((SECONDS - start + 59) / 60))" >"$results/$name"
	[ $result = passed ] || tail -n 40 "$log" >&2
}

take_part()
{
	local number=${wanted%/*} parts=${wanted#*/} load part line

	[[ $wanted =~ ^[1-9][0-9]*/[1-9][0-9]*$ && $number -le $parts ]] ||
		die "PART=$wanted is no part" "PART=1/30 is the first of thirty"
	load=$(deal "$parts" | awk -v part="$number" '$1 == part { sum += $2 } END { print sum + 0 }')
	[ "$load" -le $longest ] ||
		die "part $wanted would take $load minutes" "take more parts: PART=1/$((parts * 2))"
	step "campaign: part $wanted, about $load minutes"
	while read -r part _ line; do
		# An argument may be quoted.
		[ "$part" != "$number" ] || eval "take $line"
	done < <(deal "$parts")
}

# A line for each run, and one for all; fails if one has failed.
report()
{
	local minutes name of result took failed=0 passed=0 missing=()

	printf '%-28s %8s  %s\n' run minutes result
	while read -r minutes name _; do
		of='' result='' took=''
		[ ! -e "$results/$name" ] || read -r of result took <"$results/$name"
		if [ "$of" != "$commit" ]; then
			missing+=("$name")
			result="not run${of:+, $result at $of}" took="($minutes)"
		elif [ "$result" = passed ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
		printf '%-28s %8s  %s\n' "$name" "$took" "$result"
	done < <(runs)
	printf 'at %s: %d passed, %d failed, %d not run' "$commit" "$passed" "$failed" "${#missing[@]}"
	printf '%s\n' "${missing[*]:+: ${missing[*]}}"
	return $((failed > 0))
}

mkdir -p "$results"
[ -z "$wanted" ] || take_part
report
