#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A watch registered by kernel code: the sample module, and which module can be
# unloaded when.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	dmesg | tail -n 10 | sed 's/^/# /'
}

addr=$(printf '0x%x' $((va + 4 * 5)))

# An application that stores now and then and sleeps most of the time.
{
	echo "buf out u32 64 at $va"
	i=0
	while [ $i -lt 20000 ]; do
		echo "run repeat grid=64 wg=64 out 1; wait; sleep 0.02"
		i=$((i + 1))
	done
} >script
gpubp-run -f script "$elf" >app.out 2>&1 &
app=$!

# output of the module since mark, in ./said
mark()
{
	marks=$((${marks:-0} + 1))
	echo "consumer.sh mark $marks" >/dev/kmsg
}

said()
{
	dmesg | sed "1,/consumer.sh mark $marks\$/d" |
		sed -n 's/.*gpubp_sample: //p' >said
}

# wait_for COMMAND...: at most a minute
wait_for()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

# hits N: there were at least N
hits()
{
	said
	[ "$(grep -c '^pid ' said)" -ge "$1" ]
}

mapped()
{
	grep -q ' repeat$' "/tmp/perf-$app.map" 2>/dev/null
}

# in_kernel PC: true if it is in kernel repeat
in_kernel()
{
	# shellcheck disable=SC2046
	set -- "$1" $(grep ' repeat$' "/tmp/perf-$app.map")
	[ $(($1)) -ge $((0x$2)) ] && [ $(($1)) -lt $((0x$2 + 0x$3)) ]
}

no_sample()
{
	! grep -q '^gpubp_sample ' /proc/modules
}

load()
{
	mark
	insmod /lib/gpubp/gpubp_sample.ko pid="$app" addr="$addr" access=2 "$@"
}

wait_for mapped
load
ok "the sample watches a process" $? -eq 0
wait_for hits 3
ok "and prints its hits" $? -eq 0
ok "with process, thread and address" \
	"$(grep -vc "^pid $app tid $app pc 0x[0-9a-f]* addr $addr access 2 " said)" = 0
pc=$(sed -n '1s/.* pc \(0x[0-9a-f]*\) .*/\1/p' said)
in_kernel "$pc"
ok "and an instruction of the kernel" $? -eq 0
rmmod gpubp 2>/dev/null
ok "gpubp cannot be unloaded while the sample is loaded" $? -ne 0
rmmod gpubp_sample
ok "the sample can" $? -eq 0
said
ok "and counted what it printed, at least" \
	"$(sed -n 's/ hits$//p' said)" -ge "$(grep -c '^pid ' said)"

load count=2
ok "one that ends itself" $? -eq 0
wait_for hits 2
sleep 0.5
rmmod gpubp_sample
ok "and can go then" $? -eq 0
said
ok "had two hits and no more" "$(tail -n 1 said)" = "2 hits"

# refused ERRNO DESCRIPTION PARAMETER...
refused()
{
	want="not registered: $1"
	about=$2
	shift 2
	load "$@" 2>/dev/null
	said
	ok "refused: $about" "$(tail -n 1 said)" = "$want"
}

refused -3 "ESRCH, no such process" pid=999999
refused -22 "EINVAL, no bytes" len=0
no_sample
ok "nor is it loaded then" $? -eq 0

# the watched process exits first
load
wait_for hits 1
kill -9 $app
wait $app 2>/dev/null
app=
rmmod gpubp_sample
ok "the process may go first" $? -eq 0

echo "1..$n"
exit $failed
