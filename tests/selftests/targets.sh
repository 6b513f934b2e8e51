#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The distribution's perf, for tasks, processes, all CPUs and cgroups: each of them
# counts the same stores. Kernel "repeat" stores n times to each word.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

rounds=50
event=gpubp/watch_w,addr=$(printf '0x%x' $((va + 20))),len=4/
group=/sys/fs/cgroup/gpubp_perf
other=/sys/fs/cgroup/gpubp_other

stock_only "perf is slow here, and its requests are those of targets.c"

# the application: one wave, $rounds stores a lane
application()
{
	"$@" gpubp-run "$elf" "buf out u32 64 at $va" \
		"run repeat grid=64 wg=64 out $rounds" wait >app.out 2>&1
}

# the same, in a cgroup
in_group()
{
	application "$@" sh -c 'echo $$ >'$group/cgroup.procs'; exec "$@"' sh
}

# count FILE: sum over lines of perf stat -x, or "<not counted>" and so on
count()
{
	sed -n 's#^\(.*,\)*\([0-9]*\|<[^>]*>\),,gpubp/.*#\2#p' "$1" |
		awk '/</ { bad = $0 } { n += $1 } END { print bad ? bad : n + 0 }'
}

samples()
{
	perf script -i data -F comm,pid,tid,cpu,event,ip,sym,addr >out 2>err
	grep -c gpubp out
}

application perf stat -x, -o out -a -A -e "$event" --
ok "perf stat -a, added up" "$(count out)" = $rounds
ok "has a line for each CPU" "$(grep -c gpubp out)" = "$(nproc)"

application perf record $at_end -q -c 1 -d -g -a -o data -e "$event" --
ok "perf record -a -g" "$(samples)" = $rounds
ok "tells the owner's name" "$(grep -c '^ *gpubp-run' out)" = $rounds
ok "and the kernel alone, nothing of who was there" \
	"$(awk 'NF && !/gpubp-run/' out | grep -cv repeat)" = 0

# perf's controller is in all cgroups, once any controller is enabled
if echo +pids >${group%/*}/cgroup.subtree_control 2>err &&
   mkdir $group $other 2>err; then
	in_group perf stat -x, -o out -a -e "$event,$event" \
		-G gpubp_perf,gpubp_other --
	ok "perf stat -G" "$(grep gpubp_perf out >one; count one)" = $rounds
	ok "of one without tasks, nothing was counted" \
		"$(grep gpubp_other out >one; count one)" = "<not counted>"
	in_group perf record $at_end -q -c 1 -d -a -o data -e "$event" -G gpubp_perf --
	ok "perf record -G" "$(samples)" = $rounds
	ok "tells the owner's name, too" "$(grep -c '^ *gpubp-run' out)" = $rounds
	rmdir $group $other
else
	ok "no cgroup2 # SKIP" 1 = 1
fi

echo "1..$n"
exit $failed
