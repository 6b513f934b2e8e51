#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the trap handler decides (strays, counts, records), decided again at each of
# these hits, as if it had stopped: suites with handler_check pass, and nothing
# differs.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

check=/sys/module/gpubp/parameters/handler_check
books=/sys/kernel/debug/gpubp/gpubp_sim0/books

show()
{
	[ "$1" = failed ] || return
	grep -v '^ok' out | head -n 20 | sed 's/^/# /'
}

# booked NAME
booked()
{
	sed -n "s/^$1 //p" $books
}

# checked SUITE
checked()
{
	checks=$(booked checked)
	differed=$(booked differed)
	"$here/$1" >out 2>&1
	ok "$1, checked" $? -eq 0
	checks=$(($(booked checked) - checks))
	echo "# $checks decisions"
	ok "$1: hits were decided twice" "$checks" -gt 0
	ok "$1: to the same effect" "$(booked differed)" -eq "$differed"
}

trap 'echo 0 >$check; cleanup' EXIT
echo 1 >$check
checked truth
checked records
checked shadow
checked meter

echo "1..$n"
exit $failed
