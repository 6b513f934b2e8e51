# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What the program "watches" said, of its events, in /tmp/watches.out.

gpubp=/sys/kernel/debug/gpubp

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
