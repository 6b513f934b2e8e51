#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The distribution's perf on an application that programs its GPU itself.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

rounds=50
va=0x310000000000
word=$(printf '0x%x' $((va + 4 * 5)))
one="gpubp/watch_w,addr=$word,len=4/"

# count FILE: of perf stat -x,
counts()
{
	sed -n 's/^\([0-9]*\|<[^>]*>\),.*gpubp.*,\([0-9.]*\),[^,]*,[^,]*$/\1 \2/p' "$1"
}

perf stat -x, -o out -e "$one" "$here/agentapp" $rounds $va >app.out 2>err
ok "perf stat counts every store" "$(counts out)" = "$rounds 100.00"

# shellcheck disable=SC2046 # options
perf stat -x, -o out $(watches=4 all) "$here/agentapp" $rounds $va 2>err
ok "four watches, four comparators" "$(counts out | sort -u)" = "$rounds 100.00"

perf stat -x, -o out -e gpubp/watch_w,addr=$((va + 256)),len=4/ \
	"$here/agentapp" $rounds $va 2>err
ok "a neighbour is not counted" "$(counts out)" = "0 100.00"

perf record $at_end -q -c 1 -d -R -o data -e "$one" "$here/agentapp" $rounds $va 2>err
perf script -i data -F comm,event,ip,addr >out 2>err
ok "perf record samples every store" "$(grep -c gpubp out)" = $rounds
ok "each has the address" "$(grep -c " ${word#0x} " out)" = $rounds
ok "each has the instruction" "$(grep -cw 7f0000001000 out)" = $rounds

NO_COLOR=1 perf-gpubp report -i data >out 2>err
ok "perf-gpubp says who wrote what" "$(cat out)" = \
	"0x7f0000001000 group (1,2,3) wave 4 lane 5 wrote $word 0x0000138d (last seen 0x00000000), $rounds hits"

perf stat -x, -o out -e gpubp/gpu_break,addr=0x7f0000001000/ \
	"$here/agentapp" $rounds $va >app.out 2>err
ok "a break is not counted, and not as 0" "$(counts out)" = "<not counted> 100.00"
echo "1..$n"
exit $failed
