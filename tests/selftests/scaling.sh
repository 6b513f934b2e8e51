#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Output of the distribution's perf stat for watches that rotate: the percentage is
# the share of time in which a watch was armed, and the count, which perf has scaled
# by it, is near the number of stores made.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	show_figures
}

stock_only "perf is slow here, and what it reads is what scaling.c reads"
parameters=/sys/module/gpubp/parameters
watches=16
rounds=300

# script N: store N times to each word, at a steady rate
script()
{
	echo "buf out u32 256 at $va"
	i=0
	while [ $i -lt "$1" ]; do
		echo "run repeat grid=256 wg=64 out 1; wait; sleep 0.004"
		i=$((i + 1))
	done
}

# intervals MS: the output of -I, without intervals shorter than MS: perf ends with a
# partial interval, and the times of a sleeping target advance every 10 ms.
intervals()
{
	awk -F, -v ms="$1" '
		$1 != now { last = now; now = $1 }
		(now - last) * 1000 >= ms' out >long
	mv long out
	values
}

not_counted()
{
	grep -c '<not' figures
}

# mean COLUMN: rounded
mean()
{
	awk -v c="$1" '{ sum += $c } END { printf "%d", NR ? sum / NR + .5 : -1 }' figures
}

# near A B PERCENT
near()
{
	[ $(($1 * 100)) -ge $(($2 * (100 - $3))) ] &&
		[ $(($1 * 100)) -le $(($2 * (100 + $3))) ]
}

# number of commits so far; while watches rotate, one for each quantum
commits()
{
	awk '$1 == "commits" { print $2 }' /sys/kernel/debug/gpubp/gpubp_sim0/state
}

milliseconds()
{
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}

# seconds MS
seconds()
{
	printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

script $rounds >short
script 20 >brief
script 20000 >endless

perf stat -x, -o out -e "$(event 0)" -- gpubp-run -f short "$elf" >app.out 2>&1
values
ok "one watch: every store, all the time" \
	"$(cut -d ' ' -f 1,3 figures)" = "$rounds 100.00"

perf stat -x, -o out -e "{$(event 0),$(event 1)}" -- \
	gpubp-run -f brief "$elf" >app.out 2>&1
values
ok "a group of two: likewise" "$(mean 1) $(mean 3)" = "20 100"

# commits are not deferred because of their cost, so that quanta are short
overhead=$(cat $parameters/max_overhead_percent)
echo 100 >$parameters/max_overhead_percent
before=$(commits)
start=$(milliseconds)
# shellcheck disable=SC2046
perf stat -x, -o out $(all) -- gpubp-run -f short "$elf" >app.out 2>&1
quantum=$((($(milliseconds) - start) / ($(commits) - before) + 1))
values
got=$(mean 1)
share=$(mean 3)
ok "$watches watches: none is not counted" "$(not_counted)" = 0
echo "# a share of $share%, a mean of $got stores"
ok "a share of 25%" "$share" -ge 22 -a "$share" -le 26
near "$got" $rounds 10
ok "the scaled counts are near the $rounds stores" $? = 0

# shellcheck disable=SC2046
perf stat -o out $(all) -- gpubp-run -f brief "$elf" >app.out 2>&1
grep 'gpubp/' out >figures
touch new
ok "what people see has a percentage" "$(grep -c '([0-9.]*%)' out)" = $watches

gpubp-run -f endless "$elf" >app.out 2>&1 &
app=$!
sleep 1

# Waves that ran before the attach do not trap until they end or have been suspended,
# which may take a few intervals on a slow machine.
perf stat -x, -o out -I 100 -p $app -e "$(event 0)" -- sleep 2
intervals 50
sed -n '/^[0-9].* 100.00$/,$p' figures >attached
ok "every interval is counted" "$(grep -c '<not' attached)" = 0
ok "-I 100 of a target that mostly sleeps" "$(wc -l <attached)" -ge 3
ok "at 100% from when it is attached on" "$(grep -vc ' 100.00$' attached)" = 0

# Longest wait: with slow commits quanta are long. A watch waits for at most two
# rounds on three comparators, and a quantum is at most 1.5 times the mean.
cycle=$(((watches + 2) / 3))
span=$((3 * cycle * quantum))
[ $span -ge 500 ] || span=500
echo "# a quantum is $quantum ms, all are armed within $span ms"

# shellcheck disable=SC2046
perf stat -x, -o out -I $span -p $app $(all) -- \
	sleep "$(seconds $((3 * span)))"
intervals $((span * 9 / 10))
ok "-I -p: intervals of all" "$(wc -l <figures)" -ge $((2 * watches))
ok "-I -p: none is not counted" "$(not_counted)" = 0
share=$(mean 3)
echo "# a share of $share%"
ok "-p: a share of 25%" "$share" -ge 20 -a "$share" -le 26
echo "$overhead" >$parameters/max_overhead_percent

perf stat -x, -o out --per-thread -p $app -e "$(event 0)" -- sleep 1
values
ok "--per-thread: counted" "$(not_counted)" = 0

# stopped: there are no stores, the CPU is idle, and the target is not resident any
# more
kill -STOP $app
perf stat -x, -o out -I 200 -p $app -e "$(event 0)" -- sleep 1
intervals 50
ok "a stopped target: no interval is not counted" "$(not_counted)" = 0
kill -CONT $app

echo "1..$n"
exit $failed
