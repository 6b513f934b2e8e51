# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034,SC2154
#
# Common part of tests of the distribution's perf; sourced, with $here set. They run
# in a directory of their own, $tmp; $app is killed at the end.
#
# A test may define show RESULT of its own, which prints the relevant output of perf.

# shellcheck source=tests/selftests/kallsyms.sh
. "$here/kallsyms.sh"

# perf record writes samples twice that come while it reads a ring (design/perf-core.rst):
# where each is counted, it is to read when its command has ended
at_end=--mmap-flush=1G

tmp=$(mktemp -d)
app=
n=0
failed=0

# the application: loops with stores to a buffer there
va=0x200000000
elf=$here/gpu/loop.elf

cleanup()
{
	[ -z "$app" ] || kill -9 "$app" 2>/dev/null
	all_symbols
	rm -rf "$tmp"
}
trap cleanup EXIT
cd "$tmp" || exit 1
few_symbols

command -v perf >/dev/null || {
	echo "1..0 # SKIP no perf"
	exit 4
}

# show RESULT: what perf printed, if it failed
show()
{
	[ "$1" = failed ] || return
	[ ! -e out ] || head -n 30 out | sed 's/^/# /'
	[ ! -e err ] || head -n 10 err | sed 's/^/# err: /'
}

# stock_only REASON: skip on a debug kernel, where the test proves nothing more
stock_only()
{
	[ -e /proc/lockdep ] || return 0
	echo "1..0 # SKIP $1"
	exit 4
}

# reload [PARAMETER...]: load the software GPU with other parameters
reload()
{
	i=0
	# files and events are freed some time after their last close()
	while [ $i -lt 100 ] && ! rmmod gpubp_sim 2>err; do
		i=$((i + 1))
		usleep 100000
	done
	insmod /lib/gpubp/gpubp_sim.ko "$@" || return 1
	while [ $i -lt 200 ] && ! [ -e /dev/gpubp_sim0 ]; do
		i=$((i + 1))
		usleep 10000
	done
}

# event N: an event for stores to one word of the Nth granule
event()
{
	printf 'gpubp/watch_w,addr=0x%x,len=4/' $((va + $1 * 64))
}

# all: -e options for $watches of these events
all()
{
	i=0
	while [ $i -lt "$watches" ]; do
		printf ' -e %s' "$(event $i)"
		i=$((i + 1))
	done
}

# into ./figures: "value time-running percentage" of each line of perf stat -x,
values()
{
	sed -n 's#^\(.*,\)*\([0-9.]*\|<[^>]*>\),,gpubp/[^/]*/[^,]*,\([0-9]*\),\([0-9.]*\),.*#\2 \3 \4#p' \
		out >figures
	touch new
}

# the same, for one run
show_figures()
{
	[ ! -e new ] || sed 's/^/# /' figures
	rm -f new
}

# ok DESCRIPTION CONDITION...: one result
ok()
{
	what=$1
	shift
	n=$((n + 1))
	if [ "$@" ]; then
		echo "ok $n - $what"
		show ok
	else
		echo "not ok $n - $what"
		echo "# failed: $*"
		show failed
		failed=1
	fi
}

# await COMMAND...: until it succeeds, for a minute
await()
{
	i=0
	until "$@" 2>/dev/null; do
		i=$((i + 1))
		[ $i -lt 600 ] || return 1
		sleep 0.1
	done
}
