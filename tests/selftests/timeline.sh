#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp timeline: 64 watches on four comparators. The bars are compared with what
# the kernel itself counts of each watch, the hits with those of the tracepoint as the
# distribution's perf prints it.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"
stock_only "its rotation is slower"

show()
{
	[ "$1" = failed ] || return
	for file in err app.out differences; do
		[ ! -s "$file" ] || head -n 6 "$file" | sed "s|^|# $file: |"
	done
}

elf=$here/gpu/vadd.elf
watches=64

# a buffer of as many granules, and kernels that store to all of it
{
	echo "buf a f32 1024 iota, b f32 1024 iota"
	echo "buf c f32 1024 at $va"
	i=0
	while [ $i -lt 60 ]; do
		echo "run vadd grid=1024 wg=64 a b c 1024; wait; sleep 0.03"
		i=$((i + 1))
	done
	# the two recordings do not end together: the last hit is before both ends
	echo "sleep 1"
} >script

#
# a recording, with what else knows of the same hits and watches
#
# shellcheck disable=SC2046 # a list of options
perf record -q -o trace.data -e gpubp:gpubp_hit -a -- \
	perf-gpubp timeline -o t.raw -- \
	"$(command -v perf)" stat -x, -o out $(all) -- \
	gpubp-run -f script "$elf" >app.out 2>err
ok "perf-gpubp timeline" $? -eq 0
perf-gpubp timeline --input t.raw -o t.svg 2>>err
ok "a picture of it" $? -eq 0
perf-gpubp timeline --input t.raw --format json -o - >t.json 2>>err
ok "a trace of it, on standard output" $? -eq 0
ok "nothing was lost" "$(grep -c '"otherData":{"lost":0}' t.json)" = 1
ok "a row for each watch" "$(grep -c '<g><title>' t.svg)" = $watches
ok "a lane for each comparator" "$(grep -c '>comparator [0-3]<' t.svg)" = 4
ok "a row for the kernel" "$(grep -c '<g class="kernel"><title>vadd, context ' t.svg)" = 1
ok "with the name of the buffer" "$(grep -c '<g><title>c+0x[0-9a-f]*/4,' t.svg)" = $((watches - 1))

perf script -i trace.data -F event,trace 2>>err |
	sed -n 's/.* addr=\(0x[0-9a-f]*\) .*/\1/p' | sort >hits.want
sed -n 's/.*"ph":"i".*"addr":"\(0x[0-9a-f]*\)".*/\1/p' t.json | sort >hits.got
diff hits.want hits.got >differences
ok "the hits of the tracepoint, each of them" $? -eq 0
ok "there were hits" "$(wc -l <hits.got)" -gt 100

# The tool sees the time from commit to commit, perf that of the comparators: the
# shares differ by what a context is created and destroyed in.
values
awk '{ sub(/%/, "", $3); sum += $3 } END { print sum / 100 }' figures >sum.perf
sed -n 's/.*: armed [0-9]* times, \([0-9.]*\) %,.*/\1/p' t.svg |
	awk '{ sum += $1; n++; if ($1 < 1.5) low++ }
	     END { print sum / 100; print n, low + 0 }' >sum.got
echo "# sum of all shares: $(head -n 1 sum.got), of perf's: $(cat sum.perf)"
ok "all shares together are those of the comparators" \
	"$(awk 'NR == 1 && $1 > 3 && $1 <= 4.001' sum.got | wc -l)" = 1
ok "and those that perf shows" "$(paste -d ' ' sum.perf sum.got |
	awk 'NR == 1 && $1 - $2 < 0.8 && $2 - $1 < 0.8' | wc -l)" = 1
ok "each watch had a part of the time" "$(sed -n 2p sum.got)" = "$watches 0"

# two bars of one comparator do not overlap
tr -d '{}' <t.json | sed -n 's/.*"ph":"X","pid":\([0-9]*\),"tid":\([0-9]*\),"ts":\([0-9.]*\),"dur":\([0-9.]*\),.*/\1 \2 \3 \4/p' |
	awk '$1 < 1000' | sort -k2,2n -k3,3n >bars
ok "no comparator has two watches" "$(awk '{
	if ($2 == slot && $3 + 0.002 < end) n++
	slot = $2; end = $3 + $4
} END { print n + 0 }' bars)" = 0
ok "there are bars" "$(wc -l <bars)" -gt 200

#
# watches of its own, status of the command
#
perf-gpubp timeline -o w.svg -w 'c:f32[0..3]:w' -w 'c:f32[64]' -- \
	gpubp-run -f script "$elf" >app.out 2>err
ok "-w" $? -eq 0
ok "watches by name" "$(grep -c '<g><title>c/16,\|<g><title>c+0x100/4,' w.svg)" = 2
perf-gpubp timeline -o w.svg -w 'c:f32[0]:w' -- \
	sh -c "gpubp-run -f script $elf; exit 7" >app.out 2>err
ok "exit status of the command" $? -eq 7
ok "and its picture" -s w.svg
perf-gpubp timeline -o n.svg true >app.out 2>err
ok "nothing to draw is an error" $? -eq 255
ok "that is explained" "$(cat err)" = "perf-gpubp: no watch was armed: there is nothing to draw"
ok "without a file" ! -e n.svg
perf-gpubp timeline nonexistent >app.out 2>err
ok "no such command" $? -ne 0

# shellcheck disable=SC2046 # a list of options
# rings of one page, and no reader while the application runs
perf-gpubp timeline -m 1 -o l.svg -- sh -c "kill -STOP \$PPID
	perf stat -o /dev/null $(all) gpubp-run -f script $elf
	kill -CONT \$PPID" >app.out 2>err
ok "lost events are counted" "$(sed -n 's/^perf-gpubp: [1-9][0-9]* \(events were lost\).*/\1/p' err)" = "events were lost"
ok "and shown" "$(grep -c '>[1-9][0-9]* events were lost' l.svg)" = 1
perf-gpubp timeline --input t.raw --format svg -o - >/dev/full 2>err
ok "a full disk is an error" $? -eq 255

echo "1..$n"
exit $failed
