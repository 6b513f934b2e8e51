#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Ground truth for perf: stores of compiled kernels in eight ranges, counted by perf
# stat and sampled by perf record, of an application that exits as soon as its
# dispatch is over, must equal those of the CPU's model. Two ranges at a time, so that
# all are armed all the time. On a GPU with skid several stores of one wave may be
# reported as one hit; there the test checks that the ranges that the model accesses
# are counted, and that no exact hit is missing in the model.
#
# environment:
#	GPUBP_KERNELS	how many, default 3; there are 22

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	head -n 20 out err 2>/dev/null | sed 's/^/# /'
}

# counts FILE: output of perf stat -x,
counts()
{
	sed -n 's/^\([0-9]*\|<[^>]*>\),.*gpubp.*/\1/p' "$1" | tr '\n' ' '
}

# range ADDR LEN: the same in perf's notation
range()
{
	echo "gpubp/watch_w,addr=$1,len=$2/"
}

# both RANGE RANGE: counts and samples in a run each
both()
{
	perf stat -x, -o out -e "$1" -e "$2" -- "$here/truth" --run $kernel 2>err
	counted="$counted$(counts out)"
	perf record $at_end -q -c 1 -d -o data -e "$1" -e "$2" -- \
		"$here/truth" --run $kernel 2>err
	perf script -i data -F event,addr >out 2>err
	sampled="$sampled$(grep -cF "$1" out) $(grep -cF "$2" out) "
}

kernel=0
others_stat='' others_record=''
while [ $kernel -lt "${GPUBP_KERNELS:-3}" ]; do
	"$here/truth" --model $kernel >model 2>err
	status=$?
	[ $status != 4 ] || break
	[ $status = 0 ] || break
	counted='' sampled='' wanted=''
	while read -r addr len met && read -r addr2 len2 met2; do
		both "$(range "$addr" "$len")" "$(range "$addr2" "$len2")"
		wanted="$wanted$met $met2 "
	done <model
	[ "$counted" = "$wanted" ] ||
		others_stat="$others_stat $kernel: $counted, not $wanted"
	[ "$sampled" = "$wanted" ] ||
		others_record="$others_record $kernel: $sampled, not $wanted"
	echo "# kernel $kernel: $wanted"
	kernel=$((kernel + 1))
done
ok "each kernel has a model" $status -eq 0 -o $status -eq 4
ok "there are kernels" $kernel -gt 2
ok "perf stat counts what it says" "$others_stat" = ""
ok "perf record samples what it says" "$others_record" = ""

# a dispatch waits for the events that were opened before
"$here/truth" --hurry >out 2>err
ok "without GPUBP_SYNC each case ends" $? -eq 0
ok "... and no hit is missing" "$(grep -o 'are missing in [0-9]* watches' out)" = \
	"are missing in 0 watches"

# skids RANGE MET: check the count, and the part of it that is not only possible
skids()
{
	perf stat -x, -o out -e "$1" -e "${1%/},possible=1/" -- \
		"$here/gfx900/truth" --run $kernel 2>err
	# shellcheck disable=SC2046 # two numbers
	set -- "$1" "$2" $(counts out)
	[ "${3:-0}" -gt 0 ] || [ "$2" = 0 ] || missing="$missing $kernel: $1"
	[ $((${3:-0} - ${4:-0})) -le "$2" ] ||
		false="$false $kernel: $1: $3 but for $4 of $2"
	all=$((all + ${3:-0}))
	exact=$((exact + ${3:-0} - ${4:-0}))
}

nr=$kernel kernel=0 all=0 exact=0 missing='' false=''
trap 'reload; cleanup' EXIT
reload personality=gfx900 skid=4
ok "a GPU that skids" $? -eq 0
while [ $kernel -lt "$nr" ]; do
	"$here/gfx900/truth" --model $kernel >model 2>err
	while read -r addr len met; do
		skids "$(range "$addr" "$len")" "$met"
	done <model
	kernel=$((kernel + 1))
done
echo "# $all counted, $exact of them exact"
[ "$missing$false" = "" ] || echo "# missing: $missing, not exact: $false"
ok "who is met is counted there" "$missing" = ""
ok "and nothing is exact that is not" "$false" = ""

echo "1..$n"
exit $failed
