#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# gpubp-run --in-process: the GPU is a thread of the process, and gpubp_sim is not loaded.
# The distribution's perf counts and samples it as any other GPU, and selftests that are
# linked with it (inproc/) find in samples what the models say.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

rounds=200
word=$(printf '0x%x' $((va + 4 * 5)))
one="gpubp/watch_w,addr=$word,len=4/"
gpu="gpubp-run --in-process"
buffer="buf out u32 256 at $va"
stores="buf out u32 256 at $va value 7; run repeat grid=64 wg=64 out $rounds"
# until the CPU says so; it ends in any case
endless="$buffer; buf stop u32 1; run until grid=64 wg=64 out stop; sleep 60"

show()
{
	[ "$1" = failed ] || return
	head -n 30 app.out out err 2>/dev/null | sed 's/^/# /'
}

# counts: of perf stat -x,
counts()
{
	sed -n 's/^\([0-9]*\|<[^>]*>\),.*,\([0-9.]*\),[^,]*,[^,]*$/\1 \2/p' out
}

# unload MODULE: files and events are freed some time after their last close()
unload()
{
	await rmmod "$1"
}

no_agents()
{
	[ ! -s /sys/kernel/debug/gpubp_agents ]
}

# an agent that has something armed, and counts
counts_something()
{
	grep -q 'armed 0x[1-9a-f].* counted [1-9]' /sys/kernel/debug/gpubp_agents
}

# selftest NAME [OPTIONS]: linked with the GPU in the process
selftest()
{
	program=$1
	shift
	"$here/inproc/$program" "$@" >out 2>err || {
		grep '^not ok' out | head -n 10
		return 1
	}
}

# milliseconds COMMAND...
milliseconds()
{
	begin=$(cut -d ' ' -f 1 /proc/uptime)
	"$@" >app.out 2>&1
	awk -v begin="$begin" '{ printf "%d", ($1 - begin) * 1000 }' /proc/uptime
}

trap 'unload gpubp_agent; insmod /lib/gpubp/gpubp_agent.ko; reload; cleanup' EXIT
unload gpubp_sim
ok "the software GPU's module is not loaded" ! -e /dev/gpubp_sim0

$gpu "$here/gpu/stencil.elf" "buf in f32 32x32 iota; buf out f32 32x32, halo f32 8" \
	"run stencil grid=48x32 wg=16x16 in out 32 32; check halo[1..7] 0; sum halo" >app.out 2>err
ok "a program runs" "$(cat app.out)" = "sum halo 1019.125"

# ---- counts and samples -------------------------------------------------------

perf stat -x, -o out -e "$one" -- $gpu "$elf" "$stores" >app.out 2>err
ok "perf stat counts every store" "$(counts)" = "$rounds 100.00"
# shellcheck disable=SC2046 # options
perf stat -x, -o out $(watches=4 all) -- $gpu "$elf" "$stores" >app.out 2>err
ok "four watches, four comparators" "$(counts | sort | uniq -c | xargs)" = "4 $rounds 100.00"
perf stat -x, -o out -e "gpubp/watch_w,addr=$((va + 256)),len=4/" -- $gpu "$elf" "$stores" >app.out 2>err
ok "a neighbour is not counted" "$(counts)" = "0 100.00"
perf stat -x, -o out -e "gpubp/watch_r,addr=$word,len=4/" -- $gpu "$elf" "$stores" >app.out 2>err
ok "nor are stores where loads are" "$(counts)" = "0 100.00"
perf stat -x, -o out -e "$(gpubp-run -e 'calls:a')" -- $gpu "$here/gpu/variables.elf" \
	'buf out u32 64; run touch out; run touch out' >app.out 2>err
ok "a variable is watched by its name" "$(counts)" = "2 100.00"
perf stat -x, -o out -e "$(gpubp-run -e 'new[0]:w')" -- $gpu "$elf" \
	"$buffer; name out new; run repeat grid=64 wg=64 out 3; unname out new" \
	"run repeat grid=64 wg=64 out 4" >app.out 2>err
ok "and a buffer while it has the name" "$(counts | cut -d ' ' -f 1)" = 3
perf stat -x, -o out -e "gpubp/gpu_break,addr=0x7f0000001000/" -- $gpu "$elf" "$stores" >app.out 2>err
ok "a break is not counted, and not as 0" "$(counts | cut -d ' ' -f 1-2)" = "<not counted>"

perf record $at_end -q -c 1 -d -R -o data -e "$one" -- $gpu "$elf" "$stores" >app.out 2>err
perf script -i data -F event,ip,sym,addr >out 2>err
ok "perf record samples every store" "$(grep -c gpubp out)" = $rounds
ok "each has the address" "$(grep -c " ${word#0x} " out)" = $rounds
ok "each has the kernel" "$(grep -c ' repeat$' out)" = $rounds
NO_COLOR=1 perf-gpubp report -i data >out 2>err
ok "perf-gpubp says who wrote what" "$(sed 's/.* work-item/work-item/' out)" = \
	"work-item (5,0,0) wrote out[5] 0x00000000 (last seen 0x00000007), $rounds hits"

# ---- more watches than comparators --------------------------------------------

# comparators are wide enough for all, and what is between the words is no hit
# shellcheck disable=SC2046 # options
perf stat -x, -o out $(watches=12 all) -- $gpu "$elf" "$buffer; run repeat grid=256 wg=64 out $rounds" \
	>app.out 2>err
ok "twelve watches near each other are exact" "$(counts | sort | uniq -c | xargs)" = "12 $rounds 100.00"

# the zones beside three buffers are more than comparators
perf-gpubp guard -j -- $gpu "$here/gpu/bounds.elf" "buf a u32 1000; buf b u32 1000; buf c u32 1000, d u32 16" \
	"run three grid=1024 wg=64 a b c 1000 1; wait" >out 2>err
ok "perf-gpubp guard finds a store beside a buffer" "$? $(grep -c '"kernel":"three".*"buffer":"c","size":4000,"behind":true,"distance":0,"inside":"d' out)" = "1 1"
ok "all zones were armed, all the time" "$(grep -c '"armed_percent":100.00.*"turns":0,' out)" = 1

# each of these events has its own comparator
widening=/sys/module/gpubp/parameters/max_filter_percent
was=$(cat $widening)
echo 0 >$widening
# shellcheck disable=SC2046 # options
perf stat -x, -o out $(watches=6 all) -- $gpu "$elf" \
	"$buffer; buf stop u32 1; run until grid=128 wg=64 out stop; sleep 3; cpuwrite stop[0] 1" \
	>app.out 2>err
echo "$was" >$widening
ok "six watches take turns" "$(counts | awk '$1 > 0 && $2 > 0 && $2 < 100' | wc -l)" = 6

# ---- who is stopped, and who is killed ----------------------------------------

perf stat -x, -o stopped -e "$one" -- $gpu "$elf" "$endless" >app.out 2>err &
await counts_something
ok "a program in the midst of a dispatch" $? -eq 0
app=$(pidof gpubp-run)
kill -STOP "$app"
perf stat -x, -o out -e "$one" -- $gpu "$elf" "$stores" >app.out 2>err
ok "while it is stopped others are counted" "$(counts)" = "$rounds 100.00"
kill -KILL "$app"
wait
ok "once it is killed it has its count" "$(sed -n 's/^\([0-9]*\),.*gpubp.*/\1/p' stopped)" -gt 0
await no_agents
ok "and nothing is left of it" $? -eq 0
perf record -q -c 1 -o data -e "$one" -- $gpu "$elf" "$endless" >app.out 2>err &
await grep -q 'hits [1-9]' /sys/kernel/debug/gpubp_agents
kill -KILL "$(pidof gpubp-run)"
wait
await no_agents
ok "nor of one that records" $? -eq 0

# ---- selftests -----------------------------------------------------------------

selftest truth
ok "counts and samples are as the models say" $? -eq 0
selftest shadow
ok "values of random programs are right, or absent" $? -eq 0
selftest racing
ok "waves that store to one word" $? -eq 0
selftest named
ok "names that move" $? -eq 0
selftest freed
ok "memory that is freed is not the next one's" $? -eq 0
selftest cover -t a_thousand_events -t a_thousand_members -t strays_count_nowhere
ok "a thousand watches are exact" $? -eq 0

# ---- without gpubp_agent, and beside the module --------------------------------

unload gpubp_agent
$gpu -v "$elf" "$stores; sum out[0..63]" >app.out 2>err
ok "without gpubp_agent the program runs" "$(cat app.out)" = "sum out $((64 * (rounds - 1)))"
ok "and says that nothing is watched" "$(cat err)" = \
	"gpubp-run: nothing is watched: /dev/gpubp_agent: No such file or directory"
insmod /lib/gpubp/gpubp_agent.ko
reload

# both CODE LINE: the same from the module and in the process
both()
{
	$gpu "$here/gpu/$1.elf" "$2" >app.out 2>err
	gpubp-run "$here/gpu/$1.elf" "$2" 2>>err | cmp -s - app.out || differs="$differs $1"
}

differs=
both vadd 'buf a f32 64 random 1; buf b f32 64 random 2; buf c f32 64; run vadd a b c 64; print c'
both histogram 'buf a u32 256 random 3; print a'
both copy 'buf a u32 64 iota userptr; buf b u32 64 userptr; run copy a b 64; print b'
both variables 'buf out u32 64; run touch out; run touch out; run peek out; print out'
both stencil 'buf in f32 32x32 random 4; buf out f32 32x32, h f32 8; run stencil grid=48x32 wg=16x16 in out 32 32; print out'
ok "it computes what the software GPU does" "$differs" = ""

spin="$buffer; run spin grid=256 wg=64 out 20000"
echo "# 80000 rounds of four waves: $(milliseconds $gpu "$elf" "$spin") ms in the process, $(milliseconds gpubp-run "$elf" "$spin") ms by the module"
many="$buffer; run repeat grid=64 wg=64 out 5000"
record="perf record -q -c 1 -o data -e $one --"
# shellcheck disable=SC2086 # options
echo "# 5000 hits that are samples: $(milliseconds $record $gpu "$elf" "$many") ms in the process, $(milliseconds $record gpubp-run "$elf" "$many") ms by the module"
# shellcheck disable=SC2086 # options
echo "# 5000 that are counted: $(milliseconds perf stat -e "$one" -- $gpu "$elf" "$many") ms in the process"
echo "1..$n"
exit $failed
