#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh MAKE PART...: runs "MAKE test-PART" for each part, whatever becomes of
# the others, and ends with one line "N passed, N failed".
#
# A part reports in one or more of these forms: cargo's "test result:" lines,
# KUnit's indented case lines with their plan, lint's "ok - check" lines. A part
# that stops early, or reports nothing at all, is a failure of its own.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"

make=$1
shift

# count LOG: "PASSED FAILED".
count()
{
	awk '
	/^test result: / {
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^passed;/) passed += $(i - 1)
			if ($i ~ /^failed;/) failed += $(i - 1)
		}
	}
	/^ok - / { passed++ }
	/^not ok - / { failed++ }
	/^    1\.\.[0-9]+$/ { sub(/.*\.\./, ""); planned += $0 }
	/^    ok [0-9]+ / { seen++; if (!/# SKIP/) passed++ }
	/^    not ok [0-9]+ / { seen++; failed++ }
	END {
		if (planned > seen) failed += planned - seen
		print passed + 0, failed + 0
	}' "$1"
}

run_part()
{
	local log=build/test/$1.log status=0 passed failed start=$SECONDS

	step "test: $1"
	"$make" --no-print-directory "test-$1" 2>&1 </dev/null | tee "$log" ||
		status=$?
	read -r passed failed < <(count "$log")
	if ((status != 0 && failed == 0)); then
		failed=1
	elif ((passed + failed == 0)); then
		say "error: $1 reported no test"
		failed=1
	fi
	printf '%d %d\n' "$passed" "$failed" >"build/test/$1.count"
	step "test: $1: $passed passed, $failed failed, $((SECONDS - start)) s"
}

rm -rf build/test
mkdir -p build/test
for part in "$@"; do
	run_part "$part"
done
awk '{ passed += $1; failed += $2 }
END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' \
	build/test/*.count
