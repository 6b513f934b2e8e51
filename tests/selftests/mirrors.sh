#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own tests of the CPU's breakpoints and of perf's signals, and for each
# a mirror: the same test with an event of gpubp. The table in
# Documentation/gpubp/use/mirrors.rst lists the results of both: a mirror gives
# exactly that; an original gives it, too, or the result of the mirror. A result that
# the table does not have fails, and so does a difference without a note.

here=$(cd "$(dirname "$0")" && pwd)
table=$here/mirrors.sh.d/page.rst
limit=120

# on debug kernels the tests signals, monitor and family cover what mirrors test
[ ! -e /proc/lockdep ] || {
	echo "1..0 # SKIP the timeout of some originals, 30 s, is too short here"
	exit 4
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pass on the output, and show it as it arrives
tell()
{
	awk '{ print; print "# " $0 >"/dev/fd/3"; fflush("/dev/fd/3") }'
}

uptime() { cut -d . -f 1 /proc/uptime; }

# took NAME SINCE
took() { echo "# $1: $(($(uptime) - $2)) s" >&3; }

# results of a kselftest program that ends by itself, one a line: NAME RESULT
tap()
{
	since=$(uptime)
	"$1" 2>&1 | tell | awk '
		$1 == "ok" || $1 == "not" {
			result = $1 == "ok" ? "pass" : "fail"
			if ($0 ~ /# SKIP/) result = "skip"
			name = $1 == "ok" ? $3 : $4
			sub(/^global\./, "", name)
			print name, result
		}'
	took "$1" "$since"
}

# perf_test PATTERN: the results of perf's tests that have mirrors, in the same format
perf_test()
{
	since=$(uptime)
	timeout -s KILL $limit perf test "$1" 2>&1 | tell |
		sed 's/\x1b\[[0-9;]*m//g' | awk '
		BEGIN {
			name["Breakpoint accounting"] = "perf_bp_account"
			name["Breakpoint overflow signal handler"] = "perf_bp_signal"
			name["Breakpoint overflow sampling"] = "perf_bp_signal_overflow"
			name["Read Only Watchpoint"] = "perf_wp.read_only"
			name["Write Only Watchpoint"] = "perf_wp.write_only"
			name["Read / Write Watchpoint"] = "perf_wp.read_write"
			name["Modify Watchpoint"] = "perf_wp.modify"
			name["Sigtrap"] = "perf_sigtrap"
		}
		{
			n = split($0, part, ": *")
			sub(/ *$/, "", part[2])
			if (n > 2 && part[2] in name)
				print name[part[2]], part[3] ~ /^Ok/ ? "pass" :
					part[3] ~ /^Skip/ ? "skip" : "fail"
		}'
	took "perf test $1" "$since"
}

originals()
{
	for program in sigtrap_threads remove_on_exec watermark_signal mmap; do
		tap "$here/originals/$program"
	done
	for pattern in Breakpoint Watchpoint Sigtrap; do
		perf_test $pattern
	done
}

mirrors()
{
	for program in mirror_sigtrap mirror_exec mirror_ring mirror_bp; do
		tap "$here/$program"
	done
}

exec 3>&1
originals >"$work/originals"
mirrors >"$work/mirrors"

awk -v originals="$work/originals" -v mirrors="$work/mirrors" '
function expect(good, text)
{
	printf "%s %d - %s\n", good ? "ok" : "not ok", ++n, text
	failed += !good
}

FILENAME == originals	{ original[$1] = $2; next }
FILENAME == mirrors	{ mirror[$1] = $2; next }
/^=+  =/		{ rules++; next }
rules != 2		{ next }
{
	row[$1] = 1
	first = ($1 in original) ? original[$1] : "none"
	second = ($1 in mirror) ? mirror[$1] : "none"
	expect(second == $3 && (first == $2 || first == second) &&
	       ($2 == $3 || $4 != ""),
	       $1 ": original " first ", mirror " second)
}
END {
	for (name in original)
		if (!(name in row)) expect(0, name ": original not in the table")
	for (name in mirror)
		if (!(name in row)) expect(0, name ": mirror not in the table")
	printf "1..%d\n", n
	exit failed > 0 || !n
}' "$work/originals" "$work/mirrors" "$table"
