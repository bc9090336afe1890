#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mutants.sh CARGO-MUTANTS DIRECTORY FILES SHARD: changes the driver in one place after
# the other, and prints how many of these mutants the tests on the host catch, by file.
# FILES is a pattern in rust/, SHARD the part of all mutants: K/N, from 0/N. DIRECTORY gets all
# that is written: mutants.out/missed.txt lists the mutants that no test notices.
#
# cargo-mutants changes files of one tree only. So tests/engine and the sources of the
# driver are copied into one.

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/lib.sh
. "$here/../tools/lib.sh"

# As .cargo/config.toml, which the copy does not have.
export RUSTC_BOOTSTRAP=kernel
program=$1 directory=$2 files=$3 shard=$4
root=$(dirname "$here")
tree=$directory/tree

copy()
{
	rm -rf "$directory"
	mkdir -p "$tree/src/driver"
	cp -r "$here/engine/." "$tree"
	cp -r "$root"/rust/{uncore,platforms}{,.rs} "$tree/src/driver"
	sed -i '/^#\[path = /d' "$tree/src/lib.rs"
	sed -i "/^members = /d; s#path = \"../#path = \"$here/#" "$tree/Cargo.toml"
	# The wrappers' files that their stand-ins share.
	sed -i "s#path = \"[./]*/rust/#path = \"$root/rust/#" "$tree"/src/linux/*.rs
}

# A line for each file, and one for all: mutants, those that were caught, the share.
report()
{
	awk '
	{
		split($0, part, ":")
		file = part[1]
		sub("src/driver/", "", file)
		all[file]++
		caught[file] += FILENAME !~ /missed/
	}
	END {
		for (file in all)
			print file, all[file], caught[file]
	}' "$directory"/mutants.out/{caught,timeout,missed}.txt | sort | awk '
	function line(name, all, caught)
	{
		printf "%-44s %5d %5d %4d %%\n", name, all, caught, 100 * caught / all
	}
	{
		line($1, $2, $3)
		all += $2
		caught += $3
	}
	END {
		if (all)
			line("all", all, caught)
	}'
}

# Mutants that change nothing, by the function. XOR joins bits that differ, as OR does. The rules
# of the tables see to it: tests/engine/src/tables.
same=(
	# All words of the tables.
	'platforms/.*replace \| with \^'
	# Fields, filter units, ranges of bits.
	'replace \| with \^ in (mask_of|Filters::word|used_units)$'
	# A control word, and the bits that enable, reset and interrupt.
	'replace \| with \^ in (Request::enabled|managed|self_clearing)$'
	'replace \| with \^ in (CounterRegisters::counting_word|Slot::program|BoxIo<.*>::registers)$'
	'replace \| with \^ in <impl PmiTest for TestRig<.*>>::overflow$'
	# The bit of each counter, once.
	'replace \| with \^ in (Placement::free|unreadable_fixed)$'
	# The core select and the bits beside it, which the manual keeps apart.
	'replace \| with \^ in PackagePmi::(select_cores|write_control)$'
	# What it lets through is looked at again: it saves time only.
	'replace State::may_have_failed -> bool with true$'
)

copy
status=0
(
	cd "$tree"
	export TMPDIR=$directory RUST_BACKTRACE=0
	# Each job has a directory of its own.
	unset CARGO_TARGET_DIR
	"$program" mutants --jobs "$(nproc)" --shard "$shard" --sharding round-robin --timeout 20 \
		--output "$directory" --colors never \
		--file "src/driver/$files" --exclude '**/tests.rs' --exclude '**/tests/**' \
		--exclude '**/testing*' --exclude '**/testing/**' --exclude '**/fake.rs' \
		"${same[@]/#/--exclude-re=}" \
		-- -- --skip the_protocol_holds --skip mistakes_are_found
) >&2 || status=$?
# 2: some were missed, 3: some took too long.
case $status in
0 | 2 | 3) report ;;
*) die "cargo-mutants ended with $status" ;;
esac
