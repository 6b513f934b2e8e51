#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp on recordings made here: script, report and events, field by field. The
# output of script is compared with the tracepoint gpubp_hit and with samples, as the
# distribution's perf prints both, and with that of recordings through a pipe and
# compressed ones; report with script; events with debugfs.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	for file in err app.out "$2" "$3"; do
		[ ! -s "$file" ] || head -n 6 "$file" | sed "s|^|# $file: |"
	done
	rm -f err
}

# same DESCRIPTION FILE FILE: two files that are the same, and not empty
same()
{
	what=$1
	shift
	n=$((n + 1))
	if [ -s "$1" ] && cmp -s "$1" "$2"; then
		echo "ok $n - $what"
	else
		echo "not ok $n - $what"
		show failed "$1" "$2"
		failed=1
	fi
}

rounds=20
lane=5
watch=$(printf 'gpubp/watch_w,addr=0x%x,len=4/' $((va + 4 * lane)))

#
# script
#
# record OPTION...: a recording by perf, of $rounds hits
record()
{
	perf record -q -R -d -c 1 -e "$watch" "$@" -- gpubp-run "$elf" \
		"buf out u32 128 at $va" \
		"run repeat grid=128 wg=64 out $rounds" wait
}

perf record -q -o trace.data -e gpubp:gpubp_hit -a -- \
	"$(command -v perf)" record -q -R -d -c 1 -o data -e "$watch" -- \
	gpubp-run "$elf" "buf out u32 128 at $va" \
	"run repeat grid=128 wg=64 out $rounds" wait >app.out 2>&1
ok "a recording of samples, and one of the tracepoint" $? -eq 0
perf-gpubp script -m /dev/null data >hits 2>err
ok "perf-gpubp script" $? -eq 0
ok "a line for each hit" "$(wc -l <hits)" = $rounds

# the buffer is mapped after its watch was armed, and is 0 then
ok "what was seen there before all hits" "$(grep -c '(last seen 0x' hits)" = $rounds
perf-gpubp script -F device,context,queue,group,wave,pc,addr,width,lanes,seen,now,watch,access,state,pid,tid \
	data 2>err | sed 's/0x0*\([0-9a-f]\)/0x\1/g' >fields
perf script -i trace.data 2>err | sed -n 's/.*gpubp:gpubp_hit: //p' | awk '{
	for (i = 1; i <= NF; i++) {
		split($i, part, "=")
		f[part[1]] = part[2]
	}
	print f["dev"], f["ctx"], f["queue"], f["wg"], f["wave"], f["pc"],
		f["addr"], f["width"], f["lanes"], f["old"], f["new"],
		f["watch"], f["access"], f["state"], f["pid"], f["tid"]
}' >trace.fields
same "each field is the tracepoint's" fields trace.fields

perf-gpubp script -F comm,pid,tid,cpu,pc,addr,sample_time data 2>err |
	sed 's/0x//g' >hit.samples
perf script --ns -i data -F comm,pid,tid,cpu,ip,addr,time 2>err |
	sed 's#/# #; s/[][]//g; s/://g' |
	awk '{ print $1, $2, $3, $4 + 0, $7, $6, $5 }' >samples
same "each is a sample of stock perf's" hit.samples samples

# the same of a line, where there are two forms of it
perf-gpubp script --csv -F pc,addr,seen,new,lanes data 2>err | sed 1d | tr , ' ' >csv
perf-gpubp script --json -F pc,addr,seen,new,lanes data 2>err |
	sed 's/"[a-z]*"://g; s/[{}"]//g; s/,/ /g' >json
awk '{
	sub(/:$/, "", $5)
	sub(/)$/, "", $15)
	split($16, lanes, "=")
	print $5, $10, $15, $12, lanes[2]
}' hits >lines
same "CSV is of the same fields" csv lines
same "JSON is of the same fields" json lines

ok "and what the kernel does: lane, all lanes, group, dispatch" \
	"$(grep -c " 4 bytes at 0x200000014 exact .* lanes=0x20 exec=0xffffffffffffffff group=0,0,0 wave=0 .* dispatch=1 " hits)" = $rounds
i=0
while [ $i -lt $rounds ]; do
	printf '0x%x (last seen 0x%x)\n' $i $((i ? i - 1 : 0))
	i=$((i + 1))
done >values.want
sed 's/.* exact \(.*\) lanes=.*/\1/; s/0x0*\([0-9a-f]\)/0x\1/g' hits >values
same "what was stored, and seen there before" values values.want
cut -d ' ' -f 1 hits >"times"
sort -n times >times.want
same "in order of GPU time" times times.want

# with the names from the application's /tmp/perf-PID.map
perf-gpubp script data >hits.names 2>err
ok "names of kernels and buffers" \
	"$(grep -c 'repeat+0x[0-9a-f]*: store 4 bytes at out+0x14 exact ' hits.names)" = $rounds

# what does not depend on the run
same_fields=sym,access,width,addr,data,state,bytes,new,seen,lanes,exec,group,wave,dispatch,flags
perf-gpubp script -F $same_fields data >file.fields 2>err
record -o - 2>err | perf-gpubp script -F $same_fields -i - >pipe.fields 2>>err
same "a pipe from perf record" pipe.fields file.fields
record -o - 2>err >pipe.data
perf-gpubp script -F $same_fields pipe.data >pipe.fields 2>>err
same "a file that was a pipe" pipe.fields file.fields
record -z -o z.data >app.out 2>err
perf-gpubp script -F $same_fields z.data >z.fields 2>>err
same "a compressed recording" z.fields file.fields

# names for perf itself: those of a recording do not need the map any more
perf-gpubp inject -i data -o named.data 2>err
ok "perf-gpubp inject" $? -eq 0
pid=$(perf-gpubp script -F pid data 2>err | head -n 1)
mv "/tmp/perf-$pid.map" map
perf mem report --stdio -i named.data -s symbol_daddr,sym >mem 2>err
ok "perf mem report names the buffer" "$(grep -c '100.00%.* out+0x14 .* repeat ' mem)" = 1
perf report --mem-mode --stdio -i named.data -s symbol_daddr >mem 2>err
ok "perf report --mem-mode, too" "$(grep -c '100.00%.* out+0x14' mem)" = 1
perf-gpubp script -F $same_fields named.data >named.fields 2>err
same "the hits are the same, and have their names" named.fields file.fields
perf-gpubp inject -i - -o - -m map --symbols symbols <pipe.data 2>err |
	perf-gpubp script -F $same_fields -i - >named.fields 2>>err
same "of a pipe, into a pipe" named.fields file.fields
mv map "/tmp/perf-$pid.map"

# says EXIT TEXT ARGUMENT...: perf-gpubp prints one sentence, which has TEXT
says()
{
	want=$1
	text=$2
	shift 2
	perf-gpubp "$@" >out 2>err
	status=$?
	ok "perf-gpubp $*: $text" "$status:$(wc -l <err):$(grep -cF "$text" err)" = "$want:1:1"
}

perf record -q -d -o noraw.data -e "$watch" -- gpubp-run "$elf" \
	"buf out u32 128 at $va" "run repeat grid=128 wg=64 out 2" wait >app.out 2>&1
says 255 "recorded without raw data: use perf record -R" report noraw.data
says 255 "No such file or directory" report none.data
says 255 "incompatible file format" script /etc/passwd
says 255 "compressed: record without -z" inject -i z.data -o named.data
says 255 "No space left on device" script -o /dev/full data
says 129 "'colour' is no field" script -F colour data
head -c 4000 data >half.data
says 255 "half.data" report half.data

#
# report: its figures are sums of those of script
#
perf-gpubp report -v -c "$elf" data >report 2>err
ok "perf-gpubp report" $? -eq 0
{
	awk 'NR == 1 {
		split($3, id, "/")
		sub(/:$/, "", $5)
		comm = $2
		pc = $5
		from = $12 " " $13 " " $14 " " $15
	} {
		to = $12 " " $13 " " $14 " " $15
	} END {
		printf "%s[%s] %s: %d hits\n", comm, id[1], pc, NR
		print "  access     store of 4 bytes a lane"
		printf "  work-item  workgroup (0,0,0) wave 0, lane 5, global id (5,0,0); %d lanes in all\n", NR
		print "  address    out+0x14 (0x200000014)"
		printf "  value      %s; at the last hit %s\n", from, to
		print "  dispatch   1 to 1 of queue " queue
	}' queue="$(sed -n '1s/.* queue=\([0-9]*\) .*/\1/p' hits)" hits.names
} >report.want
grep -v '^  code \|^  source ' report >report.got
same "one paragraph of its figures" report.got report.want
# kernels begin at multiples of 256, in the object file and in memory
offset=$(sed -n '1s/.*repeat+\(0x[0-9a-f]*\):.*/\1/p' hits.names)
code=$(sed -n 's/^  code *\(0x[0-9a-f]*\).*/\1/p' report)
ok "the address in the code object" $((code > offset && (code - offset) % 256 == 0)) = 1

source=$(sed -n 's#^  source .*/\(loop.cl:[0-9]*\)$#\1#p' report)
perf-gpubp report -c "$elf" data >line 2>err
ok "one line without -v" "$(cat line)" = \
	"$(sed -n '1s/.*\(repeat+0x[0-9a-f]*\):.*/\1/p' hits.names) $source work-item (5,0,0) wrote out[5] 0x00000000 (last seen 0x00000000), $rounds hits"

#
# hits that do not fit: those that are there and those that are lost are all
#
many=1000
gpubp-run "$elf" "buf out u32 128 at $va" "sleep 4" \
	"run repeat grid=128 wg=64 out $many" wait >app.out 2>&1 &
app=$!
perf record -q -m 1 -R -d -c 1 -o lost.data -e "$watch" -p $app >record.out 2>&1 &
record=$!
sleep 2
kill -STOP $record
wait $app
app=
kill -CONT $record
wait $record
perf-gpubp script lost.data >lost 2>err
lost=$(sed -n 's/^lost //p' lost)
ok "some are lost" "${lost:-0}" -gt 0
# the end of the task is a record, too
ends=$(perf script --show-task-events -i lost.data 2>err | grep -c PERF_RECORD_EXIT)
ok "and the loss is exact" \
	$(($(grep -vc '^lost ' lost) + ${lost:-0} + ends)) = $((many + 1))

#
# ten thousand, or as many as the soak wants, with the usual ring
#
many=${GPUBP_HITS:-10000}
perf record -q -R -d -c 1 -o many.data -e "$watch" -- gpubp-run "$elf" \
	"buf out u32 128 at $va" "run repeat grid=128 wg=64 out $many" wait >app.out 2>&1
perf-gpubp script -F new many.data 2>err | sort -u | wc -l >out
perf-gpubp script many.data 2>err | sed -n 's/^lost //p' >lost
# a slow machine may lose hits in the core, which counts all that may be the event's
ok "of thousands of hits none is missing that is not counted as lost" \
	$(($(cat out) + $(cat lost) + 0)) -ge $many
ok "and there are no more than that" "$(cat out)" -le $many

#
# an exception: its class, and where it was
#
nowhere=0x400000000000
perf record -q -R -d -c 1 -o fault -e gpubp/exc_mem_viol/ -- \
	gpubp-run "${elf%/*}/fault.elf" "run wild grid=64 wg=64 $nowhere" wait >app.out 2>&1
perf-gpubp script fault >fault.line 2>err
ok "a memory violation in a line" "$(grep -c \
	": memory violation: store 4 bytes at 0x0*400000000000 exact lanes=0xffffffffffffffff " fault.line)" = 1
perf-gpubp report -v fault 2>err | grep '^  [eaw]' >fault.got
cat >fault.want <<EOF
  exception  memory violation
  access     store of 4 bytes a lane
  work-item  workgroup (0,0,0) wave 0, lane 0, global id (0,0,0); 64 lanes in all
  address    $nowhere ($nowhere)
EOF
same "and in a report" fault.got fault.want

#
# events: more than comparators, of a target that keeps running
#
watches=6
{
	echo "buf out u32 128 at $va"
	i=0
	while [ $i -lt 5000 ]; do
		echo "run repeat grid=128 wg=64 out 5; wait; sleep 0.05"
		i=$((i + 1))
	done
} >script
gpubp-run -f script "$elf" >app.out 2>&1 &
app=$!
events=/sys/kernel/debug/gpubp/events
# shellcheck disable=SC2046 # a list of options
perf stat -x, -o out -p $app $(all) -- sh -c \
	"sleep 3; perf-gpubp events >live 2>err; cat $events >copy"
perf-gpubp events copy >events.got 2>>err
ok "perf-gpubp events" $? -eq 0
awk '
function share(part, whole) {
	return whole ? sprintf("%7.2f%%", 100 * part / whole) : sprintf("%8s", "-")
}
function line() {
	printf "%8s %8d %s %s %8s %11.3f %10s %10s %10s %10s %8s %s\n", f["event"],
		watches, " " share(f["armed_ns"], f["resident_ns"]),
		" " share(f["armed_quanta"], f["wanted_quanta"]), f["longest_gap"],
		f["longest_gap_ns"] / 1e6, f["matched"], f["possible"],
		f["throttled"], f["strays"], f["stall_throttled"],
		share(f["stopped_armed_ns"], f["armed_ns"]) " " f["pid"] " " \
			f["comm"] " " f["is"]
}
BEGIN {
	print "EVENT WATCHES ARMED QUANTA GAP GAP/ms HITS POSSIBLE THROTTLED STRAYS STALLS STOPPED PID COMM DESCRIPTION"
}
/^event / {
	if (n++)
		line()
	watches = 0
	for (i = 1; i < NF; i += 2)
		f[$i] = $(i + 1)
}
/^ / { watches++ }
END { if (n) line() }' copy | awk '{ $1 = $1; print }' >events.want
awk '{ $1 = $1; print }' events.got >events.fields
same "each figure is of debugfs" events.fields events.want
ok "a line for each event" "$(grep -c '^ *[0-9]' events.got)" = $watches
ok "each has one watch" "$(awk 'NR > 1 && $2 == 1' events.got | wc -l)" = $watches
ok "some were hit" "$(awk 'NR > 1 && $7 > 0' events.got | wc -l)" -ge 1
ok "none was armed all the time, or never" \
	"$(awk 'NR > 1 && $3 + 0 > 0 && $3 + 0 < 100 && $4 + 0 > 0 && $4 + 0 < 100' events.got | wc -l)" = $watches
awk '{ print $1, $2 }' live >live.ids
awk '{ print $1, $2 }' events.got >copy.ids
same "the same of the kernel's own file" live.ids copy.ids
# perfs of other suites are started by their own loader
ok "perf opened them" "$(awk '$14 ~ /^(perf|ld-linux.*)$/' events.got | wc -l)" = $watches
ok "each as perf takes it" \
	"$(grep -cE ' gpubp/watch[a-z_]*,addr=0x[0-9a-f]+,len=[0-9]+/$' events.got)" = $watches
perf-gpubp events /nonexistent >out 2>&1
ok "no such file is exit status 255" $? -eq 255

echo "1..$n"
exit $failed
