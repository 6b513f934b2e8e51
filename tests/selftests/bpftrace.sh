#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bpftrace prints each hit: process, instruction and address.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	head -n 10 hits | sed 's/^/# /'
	head -n 10 err | sed 's/^/# err: /'
}

rounds=30
addr=$(printf '0x%x' $((va + 4 * 5)))
program='tracepoint:gpubp:gpubp_hit { printf("%d 0x%lx 0x%lx\n", args->pid, args->pc, args->addr) }'

# the application, started by bpftrace when it is ready
cat >app.sh <<-END
	exec perf stat -o stat -x, -e 'gpubp/watch_w,addr=$addr,len=4/' -- \\
		gpubp-run '$elf' 'buf out u32 64 at $va' \\
		'run repeat grid=64 wg=64 out $rounds' wait
END
start=$(cut -d . -f 1 /proc/uptime)
bpftrace -e "$program" -c 'sh app.sh' >hits 2>err
ok "bpftrace runs" $? -eq 0
echo "# bpftrace: $(($(cut -d . -f 1 /proc/uptime) - start)) s"
grep '^[0-9]* 0x' hits >lines
head -n 3 hits | sed 's/^/# /'
ok "each hit is a line" "$(grep -c . lines)" = $rounds
ok "with the address" "$(grep -c " $addr\$" lines)" = $rounds
ok "of one process and one instruction" "$(cut -d ' ' -f 1-2 lines | sort -u | grep -c .)" = 1
ok "while perf stat counts them" "$(sed -n 's/^\([0-9]*\),.*gpubp.*/\1/p' stat)" = $rounds

echo "1..$n"
exit $failed
