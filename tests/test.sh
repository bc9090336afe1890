#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh NAME MAKE PART...: runs "MAKE test-PART" for each part, even if one before it
# failed, and ends with the line "N passed, N failed, N skipped", after the reason of each
# test that was skipped. PART+PART are run at the same time: each needs one processor.
# test.sh sum NAME...: adds up what those runs have left in build/test/NAME, in one such line.
#
# A part reports in one or more of these forms: lines of cargo's tests, KUnit's indented
# case lines with their plan, "ok - check" lines of lint and of the bench. A part that stops
# early, or reports nothing at all, counts as one failure. What failed is repeated at the end.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/../tools/build/lib.sh"

# count LOG: "PASSED FAILED SKIPPED".
count()
{
	awk '
	/^test result: / {
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^passed;/) passed += $(i - 1)
			if ($i ~ /^failed;/) failed += $(i - 1)
			if ($i ~ /^ignored;/) skipped += $(i - 1)
		}
	}
	/^ok - / { if (/# SKIP/) skipped++; else passed++ }
	/^not ok - / { failed++ }
	/^    1\.\.[0-9]+$/ { sub(/.*\.\./, ""); planned += $0 }
	/^    ok [0-9]+ / { seen++; if (/# SKIP/) skipped++; else passed++ }
	/^    not ok [0-9]+ / { seen++; failed++ }
	END {
		if (planned > seen) failed += planned - seen
		print passed + 0, failed + 0, skipped + 0
	}' "$1"
}

# reasons LOG: a line for each test that was skipped.
reasons()
{
	sed -nE \
		-e 's/^test (.*) \.\.\. ignored(, (.*))?$/\1: \3/p' \
		-e 's/^    ok [0-9]+ (.*) # SKIP ?(.*)$/\1: \2/p' \
		-e 's/^ok - (.*) # SKIP ?(.*)$/\1: \2/p' "$1"
}

# failures LOG: the first lines of what each failed test printed, or else the last ones of
# the log.
failures()
{
	awk -v most=25 '
	/^---- .* stdout ----$/ { left = most }
	/^failures:$/ { left = 0 }
	/^ *not ok / { print }
	left > 0 { print; left-- }' "$1" | grep . || tail -n 25 "$1"
}

run_part()
{
	local log=$results/$1.log status=0 passed failed skipped start=$SECONDS

	step "test: $1"
	"$make" --no-print-directory "test-$1" 2>&1 </dev/null | tee "$log" ||
		status=$?
	read -r passed failed skipped < <(count "$log")
	if ((status != 0 && failed == 0)); then
		failed=1
	elif ((passed + failed + skipped == 0)); then
		say "error: $1 reported no test"
		failed=1
	fi
	printf '%d %d %d\n' "$passed" "$failed" "$skipped" >"$results/$1.count"
	reasons "$log" | sed "s/^/$1: /" >"$results/$1.skipped"
	((failed == 0)) || failures "$log" >"$results/$1.failures"
	step "test: $1: $passed passed, $failed failed, $skipped skipped," \
		"$((SECONDS - start)) s"
}

# Runs parts at the same time, and prints what each says when all have ended.
run_together()
{
	local part

	for part in "$@"; do
		run_part "$part" >"$results/$part.said" 2>&1 &
	done
	wait
	for part in "$@"; do
		cat "$results/$part.said"
	done
}

# add_up DIRECTORY...: what was skipped and what failed, then the last line; fails if a test
# did, or a directory has no result.
add_up()
{
	local directory lost=0 counts=()

	mkdir -p "$@"
	find "$@" -name '*.skipped' -exec sed 's/^/skipped: /' {} +
	find "$@" -name '*.failures' -exec tail -v -n +1 {} +
	for directory in "$@"; do
		if [ -e "$directory/complete" ]; then
			counts+=("$directory"/*.count)
		else
			say "error: $directory has no whole run"
			lost=$((lost + 1))
		fi
	done
	cat /dev/null "${counts[@]}" | awk -v failed="$lost" '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0
	}'
}

if [ "$1" = sum ]; then
	shift
	add_up "${@/#/build/test/}"
	exit
fi
results=build/test/$1 make=$2
shift 2
rm -rf "$results"
mkdir -p "$results"
for part in "$@"; do
	IFS=+ read -ra parts <<<"$part"
	if ((${#parts[@]} > 1)); then
		run_together "${parts[@]}"
	else
		run_part "$part"
	fi
done
touch "$results/complete"
add_up "$results"
