#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp on buffers that lie at one address, one after the other: a hit has the
# name that was valid when it happened.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	for file in report err; do
		[ ! -s $file ] || sed "s|^|# $file: |" $file
	done
}

# watched WATCH STATEMENT...: into ./report the lines of perf-gpubp run, from the access on
watched()
{
	watch=$1
	shift
	perf-gpubp run -o data -w "$watch" -- gpubp-run "$elf" "$@" >out 2>err
	sed 's/.* \(wrote\|no\) /\1 /; s/ 0x[0-9a-f]* (last seen 0x[0-9a-f]*)//; s/ 0x0*, /, /' out >report
}

# same DESCRIPTION LINE...: these are in ./report
same()
{
	what=$1
	shift
	printf '%s\n' "$@" >want
	ok "$what" "$(cat report)" = "$(cat want)"
}

act0="buf act0 u32 64 at $va"
store="run repeat grid=64 wg=64 act0 1; wait"
address=$(printf '0x%x' $va)

watched 'act0[0]:w' "$act0; $store" "unname act0; name act0 weights" "$store"
same "a buffer whose memory another one has now" "wrote act0[0], 1 hit"
watched "$address/4:w" "$act0; $store" "unname act0; name act0 weights" "$store; $store"
same "both, watched by their address" "wrote weights[0], 2 hits" "wrote act0[0], 1 hit"
watched "$address/4:w" "$act0; $store" "name act0 weights" "$store; $store"
same "a buffer that is renamed in place" "wrote weights[0], 2 hits" "wrote act0[0], 1 hit"
watched "$address/4:w" "$act0; $store; name act0 weights" "unname act0 weights; $store"
same "and has its first name again" "wrote act0[0], 2 hits"

export GPUBP_CALLSITES=1
watched "$address/4:w" "$act0; unname act0; sleep 0.02" "$store"
ms=$(sed -n "s/^wrote $address (freed \([0-9]*\).* ms before at gpubp-run+0x[0-9a-f]*, was act0\[0\], allocated at gpubp-run+0x[0-9a-f]*), 1 hit/\1/p" report)
ok "a store after the buffer was freed" "${ms:-0}" -ge 20
perf-gpubp script -F data,freed,allocated data >report 2>err
ok "the same as fields" "$(grep -c "^$address freed .* before at gpubp-run+.*, was act0\[0\], allocated at gpubp-run+0x[0-9a-f]* -$" report)" = 1
watched "$address/4:w" "$act0; $store"
perf-gpubp report -v data >report 2>err
ok "where a buffer was allocated" "$(grep -c '^  buffer     allocated at gpubp-run+0x[0-9a-f]* < ' report)" = 1

# what stock perf reads has the same form as before
watched "$address/4:w" "$act0; unname act0; name act0 weights" "$store"
pid=$(perf-gpubp script -F pid data 2>err)
ok "the map of perf has names only" \
	"$(grep -vc '^[0-9a-f]* [0-9a-f]* [a-z0-9_.]*$' "/tmp/perf-$pid.map"):$(grep -c ' act0$\| weights$' "/tmp/perf-$pid.map")" = 0:2

# a recording has the names of its processes
perf-gpubp record -w "$address/4:w" -q -o data -- gpubp-run "$elf" "$act0; $store" \
	"unname act0; name act0 weights" "$store" "unname act0 weights" "$store" >out 2>err
ok "perf-gpubp record" $? -eq 0
perf script -F comm,addr -i data >report 2>err
ok "stock perf reads it" "$(grep -c "gpubp-run *${address#0x}" report):$(wc -c <err)" = 3:0
pid=$(perf-gpubp script -F pid data 2>err | sort -u)
ok "of one process" "$(echo "$pid" | wc -w)" = 1
perf-gpubp inject -i data -o named 2>err
rm -f "/tmp/gpubp-$pid.names" "/tmp/perf-$pid.map"
printf '%s\n' act0+0x0 weights+0x0 "$address" >want
perf-gpubp script -F data,sym data 2>err >report
ok "names without the process's files" "$(sed 's/ .*//' report)" = "$(cat want)"
ok "of kernels, too" "$(grep -c ' repeat+' report)" = 3
perf-gpubp script -F data named 2>err >report
ok "a copy has them" "$(cat report)" = "$(cat want)"
# launches of a kernel without a size in its code, some with a grid that cuts workgroups
items()
{
	echo "run items grid=$1 wg=$2 cut $3; wait"
}
perf-gpubp record -w 'cut[179]:w' -w 'cut[584]:w' -q -o data -- gpubp-run \
	"$here/gpu/items.elf" "buf cut u32 1024" "$(items 45x13 16x8 '45 16 8 1')" \
	"$(items 640 64 '640 64 1 2'); $(items 45x13 16x8 '45 16 8 3')" >out 2>err
printf '%s\n' '44,3,0 179' '44,12,0 584' '179,0,0 179' '584,0,0 584' '44,3,0 179' \
	'44,12,0 584' | sort >want
perf-gpubp script -F item,data,launch data 2>err |
	sed 's/+0x2cc/ 179/; s/+0x920/ 584/; s/ cut//' >launches
cut -d ' ' -f 1,2 launches | sort >report
ok "work-items of launches" "$(cat report)" = "$(cat want)"
ok "and where they were" "$(grep -c ' gpubp-run+0x[0-9a-f]* <' launches)" = 6
perf-gpubp record -w "$address/4:w" -q -o data -- sleep 100 >out 2>err &
record=$!
await test -s data
sleep 1
kill -INT $record
wait $record
# perf stops the command, and then ends as that does
ok "a signal is perf's" $? -eq $((128 + 15))

echo "1..$n"
exit $failed
