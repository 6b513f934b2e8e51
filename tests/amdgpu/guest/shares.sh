# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What the program "watches" said, of its events, in /tmp/watches.out.

gpubp=/sys/kernel/debug/gpubp

# book NAME: a figure of hits
book()
{
	awk -v name="$1" '$1 == name { print $2 }' "$gpubp"/amdgpu*/books
}

# watches_begin PID NUMBER ADDRESS [OP...]: so many events in the background, one granule
# apart, until /tmp/done exists. On return they are open, and their contexts know them.
# Sets watches_pid.
watches_begin()
{
	watches_after sync "$@"
}

# likewise, and each was armed: times and counts are from then on, as the time before is not
# running
armed_watches_begin()
{
	watches_after 'sync begin' "$@"
}

watches_after()
{
	local first_ops=$1 pid=$2 number=$3 first=$4

	shift 4
	rm -f /tmp/armed /tmp/done
	# shellcheck disable=SC2086
	watches "$pid" "$number" "$first" $gpu_granule $first_ops touch=/tmp/armed \
		until=/tmp/done "$@" read close >/tmp/watches.out 2>&1 &
	watches_pid=$!
	await test -e /tmp/armed
}

watches_end()
{
	touch /tmp/done
	wait "$watches_pid"
	comment </tmp/watches.out
}

watches_said()
{
	grep -xE "$1" /tmp/watches.out
}

# the events of the last "read", by the share of the time that they were armed
# shares: their number, the smallest and the largest in percent, the sum
shares()
{
	awk '$1 == "read:" && NF == 8 {
		share = $6 ? 100 * $8 / $6 : 0
		if (!nr++ || share < least) least = share
		if (share > most) most = share
		sum += share
	} END { printf "%d %d %d %d\n", nr, least, most, sum }' /tmp/watches.out
}

# shares_are LEAST MOST SUM: each share is at least, at most; their sum at least
shares_are()
{
	# shellcheck disable=SC2046
	set -- "$@" $(shares)
	echo "events $4, from $5 % to $6 %, sum $7 %"
	[ "$5" -ge "$1" ] && [ "$6" -le "$2" ] && [ "$7" -ge "$3" ]
}

# events_have_counted NUMBER STORES: what the time that each was armed makes of the
# stores, within a factor of three, as a kernel runs in few quanta
events_have_counted()
{
	awk -v want="$1" -v stores="$2" '$1 == "read:" { share = $4 * $6 / ($8 + 1)
			if (share > stores / 3 && share < stores * 3) good++ }
		END { print good " of them"; exit good != want }' /tmp/watches.out
}
