#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: loads the module's KUnit suites and prints their results,
# without those of the suites that the kernel itself brings along.

set -eu
cd /sys/kernel/debug/kunit
kernels=" $(echo *) "
insmod /lib/modules/uncore_rs_kunit.ko

for suite in *; do
	case $kernels in
		*" $suite "*) ;;
		*) cat "$suite/results" ;;
	esac
done >/tmp/results
cat /tmp/results
! grep -q 'not ok' /tmp/results
