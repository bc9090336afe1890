#!/bin/bash
# uncore_rs PMUs (exclusive)
# SPDX-License-Identifier: GPL-2.0
#
# In the manner of perf's own shell tests, such as drm_pmu.sh. Traffic must flow while it
# runs: each event, but for those with parameters (name=?), has to count something.

devices=/sys/bus/event_source/devices
# A word of the configuration and its bits: config1:0-7,32
format='^config[1-4]?:[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$'
# Seconds in which all events of a PMU take turns on its counters.
turns=4
# An event that counts only beside one that has an occupancy.
dependent=counter0_occupancy leader=tor_occupancy.all

# Prints what is wrong with the CPUs on which perf opens the PMU's events: one of each
# package, online.
check_cpumask()
{
  local cpu package seen=" "

  IFS=, read -r -a cpus <"$1/cpumask"
  [[ ${#cpus[@]} -gt 0 ]] || echo "no CPU in cpumask"
  for cpu in "${cpus[@]}"
  do
    # An offline CPU has no topology.
    read -r package <"/sys/devices/system/cpu/cpu$cpu/topology/physical_package_id" ||
      echo "CPU $cpu in cpumask is offline"
    [[ $seen != *" $package "* ]] || echo "package $package is twice in cpumask"
    seen+="$package "
  done
}

check_formats()
{
  local file bits

  for file in "$1"/format/*
  do
    read -r bits <"$file"
    [[ $bits =~ $format ]] || echo "format/${file##*/} is '$bits'"
  done
}

# Prints the events of a PMU that need no parameter.
events_of()
{
  local file terms

  for file in "$1"/events/*
  do
    [[ $file != *.scale && $file != *.unit ]] || continue
    read -r terms <"$file"
    [[ $terms == *'?'* ]] || echo "${1##*/}/${file##*/}/"
  done
}

# Prints an event, or the group that it needs.
group_of()
{
  if [[ $1 == */$dependent/ ]]
  then
    echo "{${1%/*/}/$leader/,$1}"
  else
    echo "$1"
  fi
}

# count SECONDS EVENT...: prints a line "EVENT N" for each, N being the number of CPUs on
# which it counted something. What perf says if it fails is in $said.
count()
{
  local seconds=$1 event options=()
  shift

  for event in "$@"
  do
    options+=(-e "$(group_of "$event")")
  done
  perf stat -x, -a -A -o "$output" "${options[@]}" -- sleep "$seconds" 2>"$said"
  awk -F, '/^CPU/ && $2 + 0 > 0 && !seen[$1, $4]++ { sum[$4]++ }
    END { for (e in sum) print e, sum[e] }' "$output"
}

# number EVENT: prints N of that event's line.
number()
{
  awk -v event="$1" '$1 == event { print $2 }'
}

# Stops at the first event that does not count, since each of them takes a second.
check_events()
{
  local event n events

  mapfile -t events < <(events_of "$1")
  [[ ${#events[@]} -gt 0 ]] || echo "no events"
  count $turns "${events[@]}" >"$counted"
  for event in "${events[@]}"
  do
    n=$(number "$event" <"$counted")
    # Its turn may not have come.
    [[ ${n:-0} == "${#cpus[@]}" ]] || n=$(count 1 "$event" | number "$event")
    [[ ${n:-0} == "${#cpus[@]}" ]] && continue
    echo "$event counts on ${n:-no} of ${#cpus[@]} CPUs"
    cat "$said"
    return
  done
}

directory=$(mktemp -d /tmp/perf.uncore_rs.XXXXXX)
trap 'rm -r "$directory"' EXIT
output=$directory/output said=$directory/said counted=$directory/counted
err=0 found=0
for device in "$devices"/*uncore_*
do
  [[ -d $device ]] || continue
  found=$((found + 1))
  echo -n "Testing ${device##*/}. "
  {
    check_cpumask "$device"
    check_formats "$device"
    check_events "$device"
  } >"$directory/faults"
  if [[ -s $directory/faults ]]
  then
    echo "[Failed]"
    cat "$directory/faults"
    err=1
  else
    echo "[OK]"
  fi
done
if [[ $found -eq 0 ]]
then
  echo "No uncore PMUs found [Skip]"
  err=2
fi
exit $err
