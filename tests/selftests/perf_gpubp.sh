#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp on recordings made here: dump, report and events, field by field. The
# output of dump is compared with the tracepoint gpubp_hit and with samples, as the
# distribution's perf prints both; report with dump; events with debugfs.

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
# dump
#
perf record -q -o trace.data -e gpubp:gpubp_hit -a -- \
	"$(command -v perf)" record -q -R -d -c 1 -o data -e "$watch" -- \
	gpubp-run "$elf" "buf out u32 128 at $va" \
	"run repeat grid=128 wg=64 out $rounds" wait >app.out 2>&1
ok "a recording of samples, and one of the tracepoint" $? -eq 0
perf-gpubp dump -m /dev/null data >dump 2>err
ok "perf-gpubp dump" $? -eq 0
ok "a line for each hit" "$(wc -l <dump)" = $rounds

# the buffer is mapped after its watch was armed, and is 0 then
ok "an old value of all hits" "$(awk '$12 == "?"' dump | wc -l)" = 0
# dev ctx queue group wave pc addr width lanes old new watch access state pid tid
awk '{
	split($3, id, "/")
	sub(/:$/, "", $5)
	for (i = 15; i <= NF; i++) {
		split($i, part, "=")
		f[part[1]] = part[2]
	}
	print f["device"], f["context"], f["queue"], f["group"], f["wave"],
		$5, $10, $7, f["lanes"], $12, $14, f["watch"], $6, $11,
		id[1], id[2]
}' dump | sed 's/0x0*\([0-9a-f]\)/0x\1/g' >dump.fields
perf script -i trace.data 2>err | sed -n 's/.*gpubp:gpubp_hit: //p' | awk '{
	for (i = 1; i <= NF; i++) {
		split($i, part, "=")
		f[part[1]] = part[2]
	}
	print f["dev"], f["ctx"], f["queue"], f["wg"], f["wave"], f["pc"],
		f["addr"], f["width"], f["lanes"], f["old"], f["new"],
		f["watch"], f["access"], f["state"], f["pid"], f["tid"]
}' >trace.fields
same "each field is the tracepoint's" dump.fields trace.fields

# comm pid tid cpu pc addr
awk '{
	split($3, id, "/")
	gsub(/[][]/, "", $4)
	sub(/:$/, "", $5)
	print $2, id[1], id[2], $4, $5, $10
}' dump | sed 's/0x//g' >dump.samples
perf script -i data -F comm,pid,tid,cpu,ip,addr 2>err |
	sed 's#/# #; s/[][]//g' | awk '{ print $1, $2, $3, $4, $6, $5 }' >samples
same "each is a sample of stock perf's" dump.samples samples

ok "and what the kernel does: lane, all lanes, group, dispatch" \
	"$(grep -c " 4 bytes at 0x200000014 exact .* lanes=0x20 exec=0xffffffffffffffff group=0,0,0 wave=0 .* dispatch=1 " dump)" = $rounds
i=0
while [ $i -lt $rounds ]; do
	printf '0x%x -> 0x%x\n' $((i ? i - 1 : 0)) $i
	i=$((i + 1))
done >values.want
sed 's/.* exact \(.*\) lanes=.*/\1/; s/0x0*\([0-9a-f]\)/0x\1/g' dump >values
same "old and new values" values values.want
cut -d ' ' -f 1 dump >"times"
sort -n times >times.want
same "in order of GPU time" times times.want

# with the names from the application's /tmp/perf-PID.map
perf-gpubp dump data >dump.names 2>err
ok "names of kernels and buffers" \
	"$(grep -c 'repeat+0x[0-9a-f]*: store 4 bytes at out+0x14 exact ' dump.names)" = $rounds

#
# report: its figures are sums of dump's
#
perf-gpubp report -c "$elf" data >report 2>err
ok "perf-gpubp report" $? -eq 0
{
	awk 'NR == 1 {
		split($3, id, "/")
		sub(/:$/, "", $5)
		comm = $2
		pc = $5
		from = $12 " -> " $14
	} {
		to = $12 " -> " $14
	} END {
		printf "%s[%s] %s: %d hits\n", comm, id[1], pc, NR
		print "  access     store of 4 bytes a lane"
		printf "  work-item  workgroup (0,0,0) wave 0, lane 5, global id (5,0,0); %d lanes in all\n", NR
		print "  address    out+0x14 (0x200000014)"
		printf "  value      %s; last %s\n", from, to
		print "  dispatch   1 to 1 of queue " queue
	}' queue="$(sed -n '1s/.* queue=\([0-9]*\) .*/\1/p' dump)" dump.names
} >report.want
grep -v '^  code ' report >report.got
same "one paragraph of its figures" report.got report.want
# kernels begin at multiples of 256, in the object file and in memory
offset=$(sed -n '1s/.*repeat+\(0x[0-9a-f]*\):.*/\1/p' dump.names)
code=$(sed -n 's/^  code *\(0x[0-9a-f]*\)$/\1/p' report)
ok "the address in the code object" $((code > offset && (code - offset) % 256 == 0)) = 1

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
		share(f["stopped_armed_ns"], f["armed_ns"])
}
BEGIN {
	print "EVENT WATCHES ARMED QUANTA GAP GAP/ms HITS POSSIBLE THROTTLED STRAYS STALLS STOPPED"
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
perf-gpubp events /nonexistent >out 2>&1
ok "no such file is exit status 2" $? -eq 2

echo "1..$n"
exit $failed
