#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh DIRECTORY RESULTS [NUMBER...]: tries the faults of faults.diff on the suites of the driver
# on the host, each in a copy of the tree in DIRECTORY, up to the first test that fails. Appends a
# line for each to RESULTS: number, outcome, test, seconds of the processor. Without numbers it
# takes all that RESULTS does not have, in an order by seed: any first part is a fair sample.
# before.txt has those of before, after.txt those tried since, missed.txt what is to be said of those
# that were missed.
#
# The kinds in faults.diff: a mutant of cargo-mutants and a changed number of a table were chosen by
# a seed, "planted" and "guest" by hand, the latter for guests only; "named" are those that commit
# messages name, "spare" more mutants.
#
# missed: all tests pass. checked: the compiler refuses the tables. does-not-build: it refuses
# anything else.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(cd "$here/../.." && pwd)
directory=$1 results=$2
shift 2
tree=$directory/tree log=$directory/log
slow=(every_filter every_refusal every_event each_event every_name every_row a_section_handles
	slow_registers mistakes_are_found no_interrupts_freeze a_group_that_is_toggled four_counters_are the_protocol)

export RUSTC_BOOTSTRAP=kernel RUST_BACKTRACE=0
export CARGO_TARGET_DIR=$directory/target CARGO_PROFILE_DEV_DEBUG=0

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

# test_program SECONDS ARGUMENT...: runs tests up to the first that fails, and prints the name of
# that. They take longer, in seconds of the processor, only if the fault has them loop.
test_program()
{
	local longest=$1 pid first

	shift
	(cd "$tree/tests/engine" && ulimit -t "$longest" && exec "$program" "$@") >"$log" 2>&1 &
	pid=$!
	for ((i = 0; i < longest * 50; i++)); do
		first=$(failed)
		if [ -n "$first" ] || ! kill -0 "$pid" 2>/dev/null; then
			break
		fi
		sleep 0.2
	done
	kill "$pid" 2>/dev/null && [ -z "$first" ] && first=hangs
	wait "$pid" 2>/dev/null && return
	first=${first:-$(failed)}
	first=${first:-$(sed -n 's/^test \(.*\) has been running .*/loops:\1/p' "$log" | head -n 1)}
	printf '%s\n' "${first:-ended}"
}

failed()
{
	sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | head -n 1
}

# Returns whether the engine's crate has the file that the fault is in.
is_compiled()
{
	grep -qF "$(sed -n 's,^+++ b/tests/engine/,,p; t; s,^+++ b/,/,p' "$directory/diff"):" "$program.d"
}

# The quick tests come first.
first_failure()
{
	local first hint

	# The test that saw it before comes first.
	hint=$(awk -v number="$1" '$1 == number && $2 == "caught" { print $3 }' "$here/before.txt")
	first=${hint:+$(test_program 100 --exact "$hint")}
	[ -n "$first" ] || first=$(test_program 180 "${slow[@]/#/--skip=}")
	[ -n "$first" ] || first=$(test_program 400 "${slow[@]}")
	printf '%s\n' "$first"
}

# Sets `seconds` to the processor time of all that has run.
take_time()
{
	times >"$log.times"
	seconds=$(tr ms '  ' <"$log.times" | awk 'NR == 2 { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }')
}

try()
{
	local outcome first=- start

	take_time
	start=$seconds
	fault "$1" >"$directory/diff"
	if ! patch --quiet --strip=1 --fuzz=2 --forward --no-backup-if-mismatch \
		--directory="$tree" <"$directory/diff" >"$log.patch" 2>&1; then
		outcome=does-not-apply
	elif ! build; then
		outcome=does-not-build
		grep -q '^error\[E0080\]' "$log.build" && outcome=checked
		first=$(grep -m 1 '^error' "$log.build" | tr ' ' _)
	else
		outcome=missed
		if is_compiled; then
			first=$(first_failure "$1")
			[ -z "$first" ] || outcome=caught
		fi
	fi
	sed -n 's,^+++ b/,,p' "$directory/diff" | while read -r file; do
		if [ -e "$root/$file" ]; then cp "$root/$file" "$tree/$file"; else rm -f "$tree/$file"; fi
	done
	take_time
	printf '%s %s %s %s\n' "$1" "$outcome" "${first:--}" $((seconds - start)) >>"$results"
}

mkdir -p "$tree"
touch "$results"
git -C "$root" ls-files -z | tar -C "$root" -c --null -T - | tar -C "$tree" -x
# Newer than what was built of a fault.
rm -rf "$tree/rust"
cp -r "$root/rust" "$tree/"
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
