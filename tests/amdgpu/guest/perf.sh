# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# Perf, of a process that dispatches a kernel (start_app of lib.sh), and what it says.

# What is closed is removed when the last commit is paid off, within a second.
let_gpubp_idle()
{
	await grep -x 'watches 0' "$gpubp"/amdgpu*/state && sleep 2
}

# perf_begin NUMBER COMMAND...: one of perf, of the process with a kernel, until it is
# interrupted. The device has so many watches then. Of a process that has a queue, perf stat
# scales the count for the time until they are armed: with --no-scale it is what was counted.
perf_begin()
{
	local number=$1

	shift
	perf "$@" -p "$app_pid" >/tmp/perf.out 2>&1 &
	perf_pid=$!
	await grep -x "watches $number" "$gpubp"/amdgpu*/state
}

perf_end()
{
	kill -INT $perf_pid
	wait $perf_pid
	comment </tmp/perf.out
}

# show_samples FIELDS: of perf.data, in /tmp/script.out
show_samples()
{
	perf script -F "$1" -i /tmp/perf.data >/tmp/script.out 2>/tmp/perf.out
	comment </tmp/script.out
}

# are_at_most NUMBER FIGURE FIGURE: both
are_at_most()
{
	[ "$2" -le "$1" ] && [ "$3" -le "$1" ]
}
