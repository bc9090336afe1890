#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# record.sh: prints the running system as the text of a recording (two-packages.txt tells its
# form), with the module loaded. Of the processors it has what the tool reads, and of debugfs'
# events those of the C-Boxes. After "make prepare KERNEL=plain" and in the environment that
# "make -n guest" shows:
#
#	guest --machine "$machine" --script tools/uncore/tests/data/record.sh
#
# broadwell.txt is with machine=platform=bdx,free-run=on,cbox-mask=3fffff:000f0f,dimms=fd:0f,
# haswell.txt with machine=platform=hsx,free-run=on,sboxes=4:2,home-agents=2:1, sandy-bridge-ep.txt with
# machine=platform=jkt,free-run=on, sandy-bridge.txt with
# machine=platform=snb,free-run=on, and likewise broadwell-client.txt with bdw, nehalem-ex.txt with
# nhmex and westmere-ex.txt with wsmex.

cd /

# text NAME: a file of this name with the text of standard input.
text()
{
	awk -v name="$1" '
		{ line[NR] = $0 }
		END {
			if (NR == 1 && line[1] != "")
				print name ": " line[1]
			else
				print name ":"
			for (at = 1; NR > 1 && at <= NR; at++)
				print "| " line[at]
		}' | sed 's/ *$//'
}

# files DIRECTORY NAME...: these of its files, those that exist.
files()
{
	printf '\n[%s]\n' "$1"
	in=$1
	shift
	for name in "$@"; do
		if [ -h "$in/$name" ]; then
			printf '%s -> ../../../bus/pci/drivers/%s\n' "$name" \
				"$(basename "$(readlink "$in/$name")")"
		elif [ -f "$in/$name" ]; then
			text "$name" <"$in/$name"
		fi
	done
}

# all DIRECTORY: all of its files.
all()
{
	directory=$1
	cd "/$directory" || return
	set -- *
	cd /
	files "$directory" "$@"
}

# pmu DIRECTORY: a PMU. The boxes of a kind have the same fields and events.
pmu()
{
	first=${1%_[0-9]*}_0
	[ -d "$first" ] || first=$1
	files "$1" alias cpumask identifier type
	[ -d "$1/caps" ] || return
	if [ "$1" != "$first" ]; then
		for part in events format; do
			printf '%s -> ../%s/%s\n' "$part" "$(basename "$first")" "$part"
		done
	fi
	all "$1/caps"
	if [ "$1" = "$first" ]; then
		all "$1/events"
		all "$1/format"
	fi
}

printf '[proc]\n'
grep -E '^(processor|vendor_id|cpu family|model|model name|stepping|flags|$)' proc/cpuinfo |
	text cpuinfo
text modules <proc/modules
printf '\n[proc/self]\n'
grep -E '^(Name|Pid|Uid|Cap)' proc/self/status | text status
files proc/sys/kernel osrelease perf_event_paranoid
for pmu in sys/bus/event_source/devices/*; do
	pmu "$pmu"
done
for function in sys/bus/pci/devices/*; do
	files "$function" device driver numa_node vendor
done
files sys/devices/system/cpu online
for directory in sys/devices/system/cpu/cpu[0-9]*/topology; do
	files "$directory" core_id physical_package_id
done
for directory in sys/devices/system/node/node[0-9]*; do
	files "$directory" cpulist
done
printf '\n[sys/kernel/debug/uncore_rs]\n'
grep '^cbox ' sys/kernel/debug/uncore_rs/events | text events
for name in overflow rejections topology; do
	text "$name" <"sys/kernel/debug/uncore_rs/$name"
done
files sys/module/uncore_rs initstate
all sys/module/uncore_rs/parameters
