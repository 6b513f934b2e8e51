#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Conditions of watches: the first NaN in a buffer of 4 MiB, values in a range, a
# place in the grid; by perf-gpubp run, record, stat and explain.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"
stock_only "the resolver's part is in gpubp_filter"

show()
{
	[ "$1" = failed ] || return
	[ ! -s out ] || head -n 20 out | sed 's/^/# /'
}

# says DESCRIPTION PATTERN: a line of ./out matches
says()
{
	ok "$1" "$(grep -cE -- "$2" out)" -ge 1
}

elf=$here/gpu/ratio.elf

# program ELEMENTS KERNEL ITEMS: a script in which element 12345 becomes a NaN; all
# others of its workgroup become infinite
program()
{
	cat <<END
buf grid f32 $1 value 3
buf sums f32 $(($3 / 64)) value 2
cpuwrite grid[12345] 0
cpuwrite sums[$((12345 * $3 / $1 / 64))] 0
run $2 grid=$3 wg=64 grid sums
wait
END
}

#
# the first NaN
#
mib=1048576
program $mib ratio4 $((mib / 4)) >script
perf-gpubp run -o data -w "grid:f32[*]:w if isnan" -- \
	gpubp-run "$elf" -f script >out 2>&1
ok "run looks for a NaN in 4 MiB" $? -eq 0
says "kernel, line, element and value" "^ratio4\+0x[0-9a-f]+ ratio\.cl:23 .*wrote grid\[12345\] -?nan, 1 hit"
says "work-item" "work-item \(3086,0,0\)"
ok "one sample" "$(perf script -i data -F event 2>err | grep -c .)" -eq 1

program 65536 ratio 65536 >script
perf-gpubp run -w "grid:f32[0..65535]:w if isnan" -- gpubp-run "$elf" -f script \
	>out 2>&1
says "a NaN of narrow stores" "ratio.*wrote grid\[12345\] .*nan"
perf-gpubp run -w "grid:f32[0..65535]:w if isnan and group 193" -- \
	gpubp-run "$elf" -f script >out 2>&1
says "a NaN in another workgroup is none" "[0-9]+ accesses did not meet the condition"

#
# counts
#
# counts CONDITION WANT: perf-gpubp stat of a program of 65536 stores
counts()
{
	perf-gpubp stat -x, -w "grid:f32[0..65535]:w if $1" -- \
		gpubp-run "$elf" -f script >out 2>&1
	ok "$1: $2 waves" "$(awk -F, 'NR == 1 { print $1 }' out)" = "$2"
}
counts "isnan" 1
counts "value > 1e30" 1
counts "value == 1.5" 1023
counts "value != 1.5" 1
counts "value in 1..2" 1023
counts "value not in 1..2" 1
counts "value < 1.5" 0
counts "group 100" 1
counts "item 63" 1024
counts "item 63 and group 5" 1
counts "item 64" 0
counts "group 192 and item 57 and isnan" 1

#
# stock perf, in a process of the same user, while the session is open
#
perf-gpubp record -o data -w "grid:f32[0..65535]:w if value > 1e30" -- \
	gpubp-run "$elf" -f script >out 2>&1
ok "record" $? -eq 0
perf-gpubp script -i data -F lanes,buffer,data >out 2>&1
ok "one hit" "$(grep -c . out)" -eq 1

#
# refusals
#
# refused WATCH REASON
refused()
{
	perf-gpubp stat -w "$1" -- true >out 2>&1
	ok "refused: $1" $? -ne 0
	says "because $2" "$2"
}
refused "grid[0..7]:w if isnan" "type of the elements is not known"
refused "grid:i32[0..7]:w if isnan" "no i32 is a NaN"
refused "grid:f32[0..7]:meter if isnan" "a condition excludes lost and meter"
gpubp-run --event "grid:f32[0..7]:w if isnan" "$elf" >out 2>&1
ok "no event for stock perf alone" $? -ne 0
says "as the condition would end" "use perf-gpubp record or run"
perf-gpubp check gpubp/watch_w,addr=0x1000,len=4,cond=9/ >out
says "a condition that does not exist" "none of the user's conditions"

echo "1..$n"
[ $failed = 0 ]
