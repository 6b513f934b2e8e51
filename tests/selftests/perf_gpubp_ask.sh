#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The verbs of perf-gpubp that answer questions: list, check, doctor, events and
# explain, with the application running.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"
stock_only "the verbs read files of the kernel only"

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

#
# list: what sysfs has, and names
#
pmu=/sys/bus/event_source/devices/gpubp
perf-gpubp list devices >out
ok "a line for each device" "$(tail -n +2 out | wc -l)" = "$(wc -w <$pmu/caps/devices)"
says "its name, instruction set and comparators" "^[0-9]+ +gpubp_sim0 +gfx90a +4 "
perf-gpubp list events >out
set -- "$pmu"/events/*
ok "the events that are served" \
	"$(sed 's#^gpubp/\([^/]*\)/.*#\1#' out | xargs)" = "$(basename -a "$@" | sort | xargs)"

gpubp-run "$elf" "buf out u32 1024 at $va" \
	"run repeat grid=1024 wg=64 out 4000000000" wait >app.out 2>&1 &
app=$!
await grep -q ' out$' "/tmp/perf-$app.map"
perf-gpubp list names >out
says "the buffer of a running process" "^$app +gpubp-run +0x200000000 +4096 +out$"

#
# check: the kernel's reasons
#
# refused EVENT REASON
refused()
{
	perf-gpubp check "$1" >out
	ok "refused: $1" $? -eq 1
	says "because $2" ": $2"
}

perf-gpubp check gpubp/watch_w,addr=0x1000,len=4/ gpubp/exc_fp/ >out
ok "events that the kernel accepts" $? -eq 0
says "and a line for each" "^gpubp/exc_fp/: ok$"
refused gpubp/watch_w,addr=0x1000,len=0/ "len is 0"
refused gpubp/watch_w,addr=0xfffffffffffffff0,len=32/ "addr \+ len"
refused gpubp/gpu_trap,code=0/ "code is 0"
refused gpubp/gpu_trap,code=300/ "code"
refused gpubp/kind=9/ "kind"
refused gpubp/kind=5,code=77/ ".*watch set"
refused gpubp/watch_w,addr=0x1000,len=4,device=9/ ".*device"
refused gpubp/watch_w,addr=0x1000,len=4/e ".*exclusive"
refused gpubp/watch_w,addr=0x1000/ "len= is missing"
refused gpubp/watch_x/ "watch_x is neither"
refused cycles "cycles is not"
perf-gpubp check -p 999999 gpubp/exc_fp/ >out
says "a thread that does not exist" "no such thread"
perf-gpubp check 2>out
ok "check without an event" $? -eq 129

#
# doctor
#
perf-gpubp doctor >out
ok "doctor finds nothing BAD" $? -eq 0
says "the running process with names" "names: [1-9]"
echo 3 >/proc/sys/kernel/perf_event_paranoid
chmod 755 "$tmp"
su -s /bin/sh -c 'perf-gpubp doctor' other >out 2>&1
ok "a user without rights" $? -eq 1
says "and what to type" "sysctl kernel.perf_event_paranoid=2"
echo 2 >/proc/sys/kernel/perf_event_paranoid
su -s /bin/sh -c 'perf-gpubp doctor' other >out 2>&1
ok "rights on own processes" $? -eq 0

#
# events and explain
#
watches=8
# shellcheck disable=SC2046
perf stat -p $app $(all) -e gpubp/watch_w,named=1,code=1,addr=0,len=4/ \
	-o stat.out sleep 1000 &
stat=$!
await sh -c "[ \$(perf-gpubp events | grep -c watch_w) -gt $watches ]"
await sh -c "perf-gpubp explain | grep -q 'takes turns'"
perf-gpubp events >out
says "who opened an event, and what it is" \
	" $stat +(perf|ld-linux[^ ]*) +gpubp/watch_w,addr=0x200000000,len=4/$"
id=$(awk '/addr=0x200000000,/ { print $1 }' out)
nameless=$(awk '/named=1/ { print $1 }' out)
perf-gpubp explain "$id" >out
ok "explain" $? -eq 0
ok "of one event" "$(grep -c '^[0-9]' out)" = 1
says "less than 100 %" "armed [0-9.]+% of the time"
says "as there are more watches than comparators" "takes turns"
perf-gpubp explain "$nameless" >out
says "a name that does not exist" "no GPU context with that name"
perf-gpubp explain >out
ok "all events" "$(grep -c '^[0-9]' out)" = $((watches + 1))
perf-gpubp explain 1000000000 >out 2>&1
ok "an id of no event" $? -eq 255
perf-gpubp explain x 2>out
ok "no id" $? -eq 129
kill $stat
wait $stat
perf-gpubp explain >out
says "no event is open" "^no event is open"
kill -9 $app

# explained PATTERN EVENT OPTION...: what is said of stock perf's event, once a line
# matches, into ./out
explained()
{
	pattern=$1
	event=$2
	shift 2
	perf stat "$@" -e "$event" -o stat.out sleep 1000 &
	stat=$!
	await sh -c "perf-gpubp explain | grep -qE '$pattern'"
	perf-gpubp explain >out
	kill $stat
	wait $stat
}

"$here/elder" $va >elder.out &
app=$!
await grep -q stores elder.out
of_other="another thread of the process has the GPU context"
explained "$of_other" gpubp/watch_w,addr=0x200000000,len=4/ -t $app
says "the context is that of an older thread" "$of_other"
explained "process=1.*: [1-9]" gpubp/watch_w,addr=0x200000000,len=4,process=1/ -t $app
says "process=1 has hits" "process=1.*: [1-9][0-9]* hits?$"
ok "and is bound" "$(grep -c "$of_other" out)" = 0
kill -9 $app
explained "no GPU context$" gpubp/watch_w,addr=0x200000000,len=4/ -t $$
says "no thread has one" "the target has no GPU context$"

echo "1..$n"
[ $failed = 0 ]
