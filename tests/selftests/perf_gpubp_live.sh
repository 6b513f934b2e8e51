#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp's verbs that watch live: run, record, stat and top, with the counts and
# samples that the distribution's perf has of the same application. top is shown on a
# terminal, that of tmux: its rows are seen, keys pressed, its size changed.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	for file in err out page; do
		[ ! -s "$file" ] || head -n 8 "$file" | sed "s|^|# $file: |"
	done
}

rounds=20
buffer="buf out u32 128 at $va"
# two waves, each of which stores $rounds times to each of its words
kernel="run repeat grid=128 wg=64 out $rounds"

# gpu COMMAND...: COMMAND of the application
gpu()
{
	"$@" -- gpubp-run "$elf" "$buffer" "$kernel" wait >app.out 2>err
}

# csv: the columns of the last line of ./out
csv()
{
	tail -n 1 out | tr , ' '
}

#
# stat
#
gpu perf-gpubp stat -x, -o out -w 'out[5]:w'
ok "stat has the command's exit status" $? -eq 0
ok "stat -x: exact, possible, armed, estimate, its ends, lost, throttled twice" \
	"$(csv | cut -d ' ' -f 1-9)" = "$rounds 0 100.00 $rounds $rounds $rounds 0 0 0"
ok "and the watch as it was asked for" "$(csv | cut -d ' ' -f 13)" = 'out[5]:w'
gpu perf stat -x, -o perf.out -e "gpubp/watch_w,addr=$((va + 20)),len=4/"
ok "perf stat counts the same" "$(sed -n 's/^\([0-9]*\),.*/\1/p' perf.out)" = $rounds
gpu perf-gpubp stat -x, -o out -w "$va/512:w" -b repeat+0x50 --code "$elf" --exception mem_viol
ok "a watch, a break, an exception" "$(grep -vc "^#" out)" = 3
ok "of all words, a hit for each store of a wave" \
	"$(sed -n 1p out | cut -d , -f 1)" = $((2 * rounds))
ok "the store is executed as often" "$(sed -n 2p out | cut -d , -f 1)" = $((2 * rounds))
ok "no exception" "$(sed -n 3p out | cut -d , -f 1)" = 0
gpu perf-gpubp stat --json -o out -w 'out[5]:w'
ok "stat --json" "$(grep -c "^{\"event\":\"out\[5\]:w\",.*\"exact\":$rounds,.*}\$" out)" = 1
gpu perf-gpubp stat -o out -w 'out[5]:w'
ok "stat's table" \
	"$(awk '$NF == "out[5]:w" { print $1, $2, $3, $4 }' out)" = "$rounds 0 100.00% $rounds"
perf-gpubp stat -o out -w 'out[5]:w' -- sh -c 'exit 7' 2>err
ok "the command's own status" $? -eq 7
perf-gpubp stat -o out -w 'out[5]:w' -- sh -c 'kill -9 $$' 2>err
ok "killed by a signal" $? -eq 137
perf-gpubp stat -o out -w 'out[5]:w' -- /nonexistent 2>err
ok "a command that does not exist" $? -eq 255
ok "which one" "$(cat err)" = "perf-gpubp: /nonexistent: No such file or directory"
perf-gpubp stat -w 'out[5]:w' -o /dev/full -- true >out 2>err
ok "a full disk" $? -eq 255
ok "which file" "$(cat err)" = "perf-gpubp: /dev/full: No space left on device"
perf-gpubp stat -w "0x100/4:changed" -e "gpubp/watch_w,addr=0x10000,len=0/" -- true >out 2>err
ok "a refused event" $? -ne 0
ok "the reason in one sentence" "$(wc -l <err)" = 1
ok "it is about the bytes" "$(grep -c 'len' err)" = 1

#
# A set of more watches than comparators.
#
i=0
while [ $i -lt 2000 ]; do
	printf '0x%x/4:w\n' $((va + 4 * (i % 128)))
	i=$((i + 1))
done >watches
gpu perf-gpubp stat -x, -o out -W watches
ok "stat -W: a set that is armed for a part of the time" \
	"$(csv | awk '{ print ($3 > 0 && $3 <= 100 && $1 > 0) }')" = 1
gpu perf-gpubp record -W watches -q -o data
ok "record -W" $? -eq 0
ok "its samples" "$(perf script -i data -F event 2>/dev/null | grep -c 'set:')" -gt 0

#
# record: what perf records of the same event
#
gpu perf-gpubp record -w 'out[5]:w' -q -o data
ok "record" $? -eq 0
ok "as many samples as stores" \
	"$(perf script -i data -F event 2>/dev/null | grep -c 'out\[5\]')" = $rounds
perf-gpubp record -w 'out[5]:w' --perf -q -o data2 -- sh -c 'exit 3' 2>err
ok "perf record's status, and options behind --perf" $? -eq 3
ok "of that file" -s data2

# as mpirun starts them, at once
for rank in 0 1 2 3; do
	OMPI_COMM_WORLD_RANK=$rank perf-gpubp record -w 'out[5]:w' -q -- \
		gpubp-run "$elf" "$buffer" "$kernel" wait >"rank$rank.out" 2>&1 &
done
wait
host=$(uname -n | cut -d . -f 1)
perf-gpubp report perf.data.*."$host" >out 2>err
ok "four ranks: a recording each" "$(grep -cE "^perf.data.[0-3].$host, rank [0-3] on $host:\$" out)" = 4
ok "... with all hits" "$(grep -c "repeat+0x50.* $rounds hits" out)" = 4

#
# run
#
gpu perf-gpubp run -w 'out[5]:w'
ok "run" $? -eq 0
ok "reports the hits" "$(grep -c "repeat+0x50.* $rounds hits" app.out)" = 1
ok "of that buffer" "$(grep -c 'wrote out\[5\] ' app.out)" = 1
perf-gpubp run -w 'out[5]:w' -o kept -- sh -c "echo own; echo err >&2; exit 5" >out 2>err
ok "the command's status" $? -eq 5
ok "its output is its own" "$(sed -n 1p out) $(cat err)" = "own err"
ok "the recording is kept" -s kept
ok "and no other" "$(find /tmp -name 'perf-gpubp-*' | wc -l)" = 0
perf-gpubp run -w 'out[5]:w' -- ./nope >out 2>err
ok "run: a command that does not exist" $? -eq 127
ok "which one, and nothing else" "$(cat out err)" = "perf-gpubp: ./nope: No such file or directory"
perf-gpubp run -w 'out[5]:w' -o none/data -- true >out 2>err
ok "run: perf fails" $? -eq 255
ok "perf's own reason" "$(cat out err)" = \
	"perf-gpubp: perf record failed: failed to open none/data : No such file or directory"
perf-gpubp run -w 'out[5]:w' -o killed -- sh -c 'kill -9 $PPID' >out 2>err
ok "run: perf is killed" $? -eq 137
ok "by which signal, and nothing else" "$(cat out err)" = \
	"perf-gpubp: perf record failed: signal 9 (Killed) ended it"
# the report has no room: what ends it then is a signal, and not an error of write()
mkfifo full
exec 4<>full
dd if=/dev/zero bs=4096 count=16 >&4 2>/dev/null
perf-gpubp run -w 'out[5]:w' -- sh -c \
	"gpubp-run '$elf' '$buffer' '$kernel' wait >/dev/null" >&4 2>err &
run=$!
await grep -q pipe_w /proc/$run/wchan
ok "run: a report that waits for its reader" $? -eq 0
kill -TERM $run
wait $run
ok "is ended by a signal" $? -eq 143
ok "and leaves no file" "$(find /tmp -name 'perf-gpubp-*' | wc -l)" = 0
exec 4>&-
mkdir small && mount -t tmpfs -o size=8k small small
gpu perf-gpubp run -w 'out[0..127]:w' -o small/data
ok "run: a full disk" $? -eq 255
ok "that it is full, once" "$(grep -c "No space left on device" err) $(wc -l <err) $(grep -c hits app.out)" = "1 1 0"
umount small
line=1
while [ "$(gpubp-run --break loop.cl:$line "$elf" 2>/dev/null | wc -l)" -lt 2 ]; do
	line=$((line + 1))
	[ $line -lt 1000 ] || break
done
gpu perf-gpubp run -w 'out[5]:w' -b loop.cl:$line --code "$elf"
ok "a line at several places, not reached: one answer" \
	"$(grep -c "no hits of loop.cl:$line" app.out) $(grep -c "wrote out\[5\]" app.out)" = "1 1"
perf-gpubp run -w 'calls[0]' -w 'table[15]:w' -- gpubp-run "$here/gpu/variables.elf" \
	'buf out u32 64' 'run touch out' wait >out 2>err
ok "variables of the program" "$(grep -c ' calls\[0\] by 0x00000001 (last seen 0x00000007, now 0x00000008)' out)" = 1
ok "which have elements" "$(grep -c ' table\[15\] 0x0000002d (last seen 0x00000000)' out)" = 1
perf-gpubp run -w 'out[5]:w:changed' -- gpubp-run "$here/gpu/loop.elf" \
	'buf out u32 64' 'run repeat grid=64 wg=64 out 1' wait >out 2>err
ok "no change: not that nothing touched the bytes" \
	"$(grep -c '1 access did not change the bytes (changed)' out)$(grep -c touched out)" = 10
gpu perf-gpubp run -w out:w
ok "a whole buffer, whose size only the program knows" \
	"$(grep -c "repeat+0x50.* wrote out\[.*, $((2 * rounds)) hits" app.out)" = 1
gpu perf-gpubp run -w 'ouch[5]:w'
ok "no hit: a wrong name, and those that there are" \
	"$(grep -c "no buffer was named 'ouch': the buffers and kernels are out, " app.out)" = 1
gpu perf-gpubp run -w 'out[128]:w'
ok "no hit: beyond the end" \
	"$(grep -c "bytes 512 to 515 are watched, but 'out' has 512" app.out)" = 1
gpu perf-gpubp run -w 'out[7]:r'
ok "no hit: the paths that are seen" "$(grep -c '(vector)' app.out)" = 1
ok "and the CPU's" "$(grep -c 'perf record -e mem:' app.out)" = 1
perf-gpubp run -w '0x999000000/4:w' -w 'out[5]:w' -- \
	gpubp-run "$elf" "$buffer" "$kernel" wait >app.out 2>err
ok "no hit: nothing is mapped there" \
	"$(grep -c 'nothing was mapped at its address in any GPU context' app.out)" = 1
ok "not that nothing touched it" "$(grep -c 'nothing touched\|comparators never' app.out)" = 0
inf=0x7f800000
# not_a_number OPTION...: 0 * inf in a kernel that the compiler gave DX10_CLAMP
not_a_number()
{
	perf-gpubp run "$@" -- gpubp-run "$here/gpu/nan.elf" \
		"buf x u32 64; fill x[5] value $inf" 'run scale grid=64 wg=64 x 0' \
		'wait; print x[5]' >app.out 2>err
}
not_a_number -X fp_invalid
ok "no exception: which kernels mask it" \
	"$(grep -c "DX10_CLAMP, which masks all exceptions .* default: scale, clamp_to_1" app.out)" = 1
not_a_number --nan
ok "--nan: the instruction" "$(grep -c "^before scale+0x.*: fp invalid.* 1 hit" app.out)" = 1
ok "--nan: what else is so then" \
	"$(grep -c -- "--nan: without DX10_CLAMP, so that clamp(NaN) is NaN and not 0: scale, clamp_to_1" app.out)" = 1
ok "--nan leaves no file" "$(find /tmp -name 'perf-gpubp-*' | wc -l)" = 0
perf-gpubp run --nan -- gpubp-run "$here/gpu/nan.elf" 'buf x f32 64' 'run scale grid=64 wg=64 x 0' wait >app.out 2>err
ok "--nan: no float stops being a number" \
	"$(grep -c 'no wave stopped for it' app.out)$(grep -c 'masks' app.out)" = 10
perf-gpubp run --nan -- true >app.out 2>err
ok "--nan: nothing was loaded" "$(grep -c 'no kernel with DX10_CLAMP was loaded' app.out)" = 1
perf-gpubp run -X fp_invalid -- sh -c "gpubp-run $here/gpu/nan.elf 'buf x f32 64' 'run scale x 0' wait" >app.out 2>err
ok "no exception: what may mask it" "$(grep -c "possible: DX10_CLAMP" app.out)" = 1
perf-gpubp run -X mem_viol -- gpubp-run "$elf" "$buffer" "$kernel" wait >app.out 2>err
ok "nothing masks another one" \
	"$(grep -c DX10_CLAMP app.out)$(grep -c 'no wave stopped for it' app.out)" = 01
# returning NAME: an atomic that returns the old value, before and after the CPU stored
returning()
{
	perf-gpubp run "$@" -w 'a[5]' -- gpubp-run "$here/gpu/atomics.elf" \
		'buf a u32 64; buf b u32 64; run at_ret grid=64 wg=64 a b; wait' \
		'cpuwrite a[5] 777; run at_ret grid=64 wg=64 a b; wait' >app.out 2>err
}
returning
ok "a value that no hit had left there" \
	"$(grep -c '^1 value no hit had left there, e.g. 0x309 in a\[5\] after 0x5: the CPU' app.out)" = 1
returning --cpu
ok "--cpu: which function of the CPU wrote" "$(grep -c '^cpu: before .* wrote a\[5\], 1 hit$' app.out)" = 1
perf-gpubp run --cpu -w 'a[0..63]' -w 'a[5]' -- gpubp-run "$here/gpu/atomics.elf" \
	'buf a u32 64; cpuwrite a[6] 777' >app.out 2>err
ok "a context that ran nothing is a context" \
	"$(grep -c 'never resident' app.out)$(grep -c 'not bound' app.out)" = 20
ok "--cpu: other bytes" "$(grep -c '^cpu: no store to a\[5\], 4 bytes at 0x' app.out)" = 1
ok "--cpu: what does not fit into a breakpoint" \
	"$(grep -c 'only the first 8 bytes of a\[0..63\]: a breakpoint of the CPU has 8' app.out)" = 1
perf-gpubp run --cpu -w 'a[5]' -- true >app.out 2>err
ok "--cpu: no buffer" "$(grep -c '^cpu: no watched byte was named' app.out)" = 1
ok "--cpu leaves no file" "$(find /tmp -name 'perf-gpubp-*' | wc -l)" = 0
perf-gpubp run -w 'a[4]:wa:changed' -- gpubp-run "$here/gpu/atomics.elf" \
	'buf a u32 64; buf b u32 64; run at_cmpswap grid=64 wg=64 a b' wait >app.out 2>err
ok "an atomic that swapped nothing" \
	"$(grep -c '1 access did not change the bytes (changed)' app.out)$(grep -c touched app.out)" = 10
perf-gpubp run -w 'out[7]:r' -- true >app.out 2>err
ok "no hit: no GPU context" "$(grep -c 'not bound' app.out)" = 1

#
# A target that runs already, with more watches than comparators.
#
{
	echo "$buffer"
	i=0
	while [ $i -lt 5000 ]; do
		echo "run repeat grid=128 wg=64 out 5; wait; sleep 0.02"
		i=$((i + 1))
	done
} >script
gpubp-run -f script "$elf" >app.out 2>&1 &
app=$!
await test -s /tmp/perf-$app.map

set --
i=0
while [ $i -lt 12 ]; do
	set -- "$@" -w "out[$((i * 10))]:w"
	i=$((i + 1))
done
perf-gpubp stat -x, -o out "$@" -p $app -- sleep 3 2>err
# of 12 on four comparators, turns would be of a third of the time
ok "stat -p: more watches than comparators, without turns" \
	"$(awk -F , '$3 > 60 && $1 > 0' out | wc -l)" = 12
widen=$(cat /sys/module/gpubp/parameters/max_filter_percent)
echo 0 >/sys/module/gpubp/parameters/max_filter_percent
perf-gpubp stat -x, -o out "$@" -p $app -- sleep 3 2>err
echo "$widen" >/sys/module/gpubp/parameters/max_filter_percent
ok "stat -p: watches that share the comparators" \
	"$(awk -F , '$3 > 0 && $3 < 100 && $1 > 0' out | wc -l)" = 12
# a few percent more where hits may have slowed the program
ok "an estimate is what was seen, by the share, and inside of its interval" \
	"$(awk -F , '
		$4 == "" { next }
		{ e = 100 * $1 / $3 }
		$4 > e * 1.04 + 1 || $4 < e * 0.99 - 1 || $5 < $1 || $5 >= $4 || $4 >= $6' out | wc -l)" = 0
ok "or there is a lower bound" \
	"$(awk -F , '$4 == "" && ($5 != $1 || $6 != "")' out | wc -l)" = 0
ok "and the turns" "$(awk -F , '$11 > 0 && $11 <= $12' out | wc -l)" = 12
perf-gpubp stat -x, -o out -I 300 -w 'out[5]:w' -p $app -- sleep 2 2>err
ok "stat -I" "$(wc -l <out)" -ge 4
ok "has hits in each interval" "$(sed '$d' out | awk -F , '$2 == 0' | wc -l)" = 0
perf-gpubp stat -x, -o out -w 'nowhere[5]:w' -p $app 2>err
ok "a name that the target does not have" $? -eq 129
ok "and those that it has" "$(grep -c 'there are: out' err)" = 1
perf-gpubp stat -x, -o out -w out:w -p $app 2>err &
tool=$!
sleep 2
kill -INT $tool
wait $tool
ok "SIGINT ends it" $? -eq 0
ok "and it prints" "$(csv | awk '{ print ($1 > 0) }')" = 1

#
# top
#
perf-gpubp top -d 1 -w 'out[5]:w' -p $app >page 2>err &
tool=$!
sleep 3
kill -TERM $tool
wait $tool
ok "top without a terminal: batches" "$(grep -c 'repeat+0x50' page)" -ge 2
ok "without escape sequences" "$(tr -dc '\033' <page | wc -c)" = 0

# tmux COMMAND...: of a server of this test
screen()
{
	LC_ALL=C.UTF-8 TERM=linux tmux -L gpubp -f /dev/null "$@" 2>>err
}

# see PATTERN: wait until it is on the screen, 12 s at most; a copy is in ./page
see()
{
	i=0
	while [ $i -lt 60 ]; do
		screen capture-pane -p -t top >page
		grep -q "$1" page && return
		sleep 0.2
		i=$((i + 1))
	done
	return 1
}

# total: of the row
total()
{
	awk '/repeat\+0x50/ { print $2; exit }' page
}

: >err
screen new-session -d -s top -x 150 -y 10 sh
ok "a terminal" $? -eq 0
screen send-keys -t top "stty -a >before; perf-gpubp top -d 1 -w 'out[5]:w' -p $app" Enter
see 'repeat+0x50.* out\[5\]:w'
ok "top shows a row" $? -eq 0
ok "with its keys" "$(grep -c 'q quit, p pause, r reset' page)" = 1
ok "hits/s, total, armed, pid" \
	"$(awk -v app=$app '/repeat\+0x50/ { print ($1 > 0 && $2 > 0 && $3 == "100.00%" && $4 == app) }' page)" = 1
first=$(total)
sleep 3
see 'repeat+0x50'
second=$(total)
ok "the total grows" "$second" -gt "$first"
screen send-keys -t top r
sleep 2
see 'repeat+0x50'
ok "r: from 0 again" "$(total)" -lt "$second"
screen send-keys -t top p
sleep 2
see 'repeat+0x50'
first=$(total)
sleep 3
see 'repeat+0x50'
ok "p: it does not change" "$(total)" = "$first"
screen send-keys -t top p
sleep 3
see 'repeat+0x50'
ok "p again: it goes on" "$(total)" -gt "$first"
screen resize-window -t top -x 60 -y 8
sleep 3
see 'HITS/s'
ok "a smaller window: no line is longer" "$(awk 'length($0) > 60' page | wc -l)" = 0
ok "and none is wrapped" "$(grep -c 'repeat+0x50' page)" = 1
screen resize-window -t top -x 150 -y 10
see 'EVENT$'
ok "a larger one: the columns are back" $? -eq 0
screen send-keys -t top q
screen send-keys -t top "stty -a >after; echo status \$?" Enter
see '^status 0'
ok "q: the shell is back" $? -eq 0
cmp -s before after
ok "the terminal is as before" $? -eq 0
screen send-keys -t top "clear; perf-gpubp top -d 1 -w 'out[5]:w' -p $app; stty -a >after; echo then" Enter
see 'q quit'
screen send-keys -t top C-c
see '^then'
ok "SIGINT: the shell is back" $? -eq 0
cmp -s before after
ok "and the terminal as before" $? -eq 0
screen kill-server

echo "1..$n"
exit $failed
