#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kunit.sh COMMAND...: runs a command that prints the results of the module's KUnit suites
# on some kernel. Fails if the command fails, or if a suite of the sources is missing.

set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"$@" | tee "$log" || status=$?
while read -r suite; do
	grep -q -x "    # Subtest: $suite" "$log" && continue
	echo "not ok - the KUnit suite $suite has no result"
	status=1
done < <(grep -rhoE 'kunit_tests\(\w+\)' rust | sed 's/.*(//; s/)//' | sort)
exit "$status"
