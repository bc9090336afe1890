#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh DIRECTORY RESULTS [NUMBER...]: tries the faults of faults.diff on the host's suites of the
# driver, each in a copy of the tree in DIRECTORY, up to the first test that fails. Appends a line
# for each to RESULTS: number, outcome, test, seconds. Without numbers it takes all that RESULTS
# does not have, in an order by seed, so that any first part is a fair sample.
#
# missed: all tests pass. checked: the compiler refuses the tables. does-not-build: it refuses
# anything else.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../.." && pwd)
directory=$1 results=$2
shift 2
tree=$directory/tree log=$directory/log
# A test takes longer than this only if the fault has it loop.
longest=${LONGEST:-600}

export RUSTC_BOOTSTRAP=kernel RUST_BACKTRACE=0
export CARGO_TARGET_DIR=$directory/target CARGO_PROFILE_DEV_DEBUG=0
# Arguments of the test program, as --skip SUITE.
read -ra suites <<<"${SUITES:-}"

# fault NUMBER: prints its difference.
fault()
{
	awk -v number="$1" '/^# [0-9]+ / { on = $2 == number; next } on' "$here/faults.diff"
}

order()
{
	sed -n 's/^# \([0-9]*\) .*/\1/p' "$here/faults.diff" |
		grep -vxFf <(cut -d' ' -f1 "$results") |
		shuf --random-source=<(yes 44)
}

build()
{
	cargo test --quiet --locked --manifest-path "$tree/tests/engine/Cargo.toml" \
		-p uncore-engine --lib --no-run --message-format=json-render-diagnostics \
		2>"$log.build" >"$log.json" &&
		program=$(sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' "$log.json")
}

# Runs the tests up to the first that fails, and prints the name of that.
test_program()
{
	local pid first

	(cd "$tree/tests/engine" && exec "$program" "${suites[@]}") >"$log" 2>&1 &
	pid=$!
	for ((i = 0; i < longest * 5; i++)); do
		first=$(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | head -n 1)
		if [ -n "$first" ] || ! kill -0 "$pid" 2>/dev/null; then
			break
		fi
		sleep 0.2
	done
	if kill "$pid" 2>/dev/null; then
		first=${first:-timeout:$(grep -o '^test .* has been running' "$log" | awk 'END { print $2 }')}
	fi
	wait "$pid" 2>/dev/null && return
	first=${first:-$(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | head -n 1)}
	printf '%s\n' "${first:-aborted}"
}

try()
{
	local outcome first=- start=$SECONDS

	fault "$1" >"$directory/diff"
	if ! patch --quiet --strip=1 --fuzz=2 --forward --no-backup-if-mismatch \
		--directory="$tree" <"$directory/diff" >"$log.patch" 2>&1; then
		outcome=does-not-apply
	elif ! build; then
		outcome=does-not-build
		grep -q '^error\[E0080\]' "$log.build" && outcome=checked
		first=$(grep -m 1 '^error' "$log.build" | tr ' ' _)
	else
		first=$(test_program)
		outcome=missed
		[ -z "$first" ] || outcome=caught
	fi
	sed -n 's,^+++ b/,,p' "$directory/diff" | while read -r file; do
		cp "$root/$file" "$tree/$file"
	done
	printf '%s %s %s %s\n' "$1" "$outcome" "${first:--}" $((SECONDS - start)) >>"$results"
}

mkdir -p "$tree"
touch "$results"
git -C "$root" ls-files -z | tar -C "$root" -c --null -T - | tar -C "$tree" -x
build || {
	cat "$log.build" >&2
	exit 1
}
if [ $# = 0 ]; then
	mapfile -t numbers < <(order)
	set -- "${numbers[@]}"
fi
for number; do
	try "$number"
done
