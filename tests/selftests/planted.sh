#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A deliberate data race is reported, so KCSAN covers our modules.

echo TAP version 13
echo 1..1
insmod /lib/gpubp/gpubp_test_race.ko
if dmesg | grep -q "KCSAN: data-race in planted_race "; then
	echo "ok 1 - a planted race is reported"
else
	echo "not ok 1 - a planted race is reported"
fi
rmmod gpubp_test_race
