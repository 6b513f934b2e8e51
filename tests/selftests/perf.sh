#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The distribution's perf, used as by people, with gpubp-run as application.
# Kernel "repeat" stores n times to each word: a watch on one word counts n.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

rounds=50
lane=5
addr=$(printf '0x%x' $((va + 4 * lane)))
event="gpubp/watch_w,addr=$addr,len=4/"

# the application: one wave, $rounds stores a lane
application()
{
	"$@" gpubp-run "$elf" "buf out u32 64 at $va" \
		"run repeat grid=64 wg=64 out $rounds" wait "sum out" \
		>app.out 2>&1
}

application
ok "the application runs" $? -eq 0
[ $failed = 0 ] || sed 's/^/# /' app.out

perf list >out 2>err
ok "perf list shows the aliases" "$(grep -c 'gpubp/watch' out)" -ge 5

# count FILE: of perf stat -x,
count()
{
	sed -n 's/^\([0-9]*\|<[^>]*>\),.*gpubp.*/\1/p' "$1"
}

application perf stat -x, -o out -e "$event" --
ok "perf stat counts every store" "$(count out)" = $rounds

application perf stat -x, -o out \
	-e "{$event,gpubp/watch_w,addr=$((va + 8)),len=2/}" --
ok "a group of two" "$(count out | tr '\n' ' ')" = "$rounds $rounds "

application perf stat -x, -o out -e gpubp/watch_w,addr=$((va + 256)),len=4/ --
ok "a neighbour is not counted" "$(count out)" = 0

# samples: how many, in $tmp/out
samples()
{
	perf script -i data -F comm,pid,tid,time,event,ip,sym,addr \
		>out 2>err
	grep -c gpubp out
}

application perf record $at_end -q -c 1 -d -o data -e "$event" --
ok "perf record -c 1 samples every store" "$(samples)" = $rounds
ok "each has the address" "$(grep -c " ${addr#0x} " out)" = $rounds
ok "each has the kernel's name" "$(grep -cw repeat out)" = $rounds
ok "each has the application's name" "$(grep -c '^ *gpubp-run' out)" = $rounds

application perf record -q -d -o data -e "$event" --
ok "the alias samples every store" "$(samples)" = $rounds

# far more stores than samples in the time at the limited rate
rounds=2000
application perf record -q -F 20 -d -o data \
	-e "gpubp/kind=1,access=2,addr=$addr,len=4/" --
got=$(samples)
ok "perf record -F samples some stores" "$got" -ge 1 -a "$got" -le $((rounds / 4))
rounds=50

named=$(gpubp-run --event 'out[5]:w')
application perf record $at_end -q -d -o data -e "$named" --
ok "by name" "$(samples)" = $rounds
ok "each has the name" "$(grep -c ' out\[5\]: ' out)" = $rounds

perf report -i data --stdio --no-children -s sym >out 2>err
ok "perf report names the kernel" "$(grep -c '100.00%.*repeat' out)" = 1
perf script -i data -F ip,sym,symoff,dso >out 2>err
ok "perf script names the code object's file" \
	"$(grep -c " repeat+0x[0-9a-f]* ($elf)" out)" = $rounds
# disassembled on the host, as perf would ask for: there is no LLVM here
printf '#!/bin/sh\ncat "%s"\n' "$here/gpu/loop.objdump" >objdump
chmod 755 objdump
perf annotate -i data --stdio --objdump="$PWD/objdump" repeat >out 2>err
ok "perf annotate shows the instruction that stores" \
	"$(grep ' 100\.00 ' out | grep -c global_store_dword)" = 1

# code that cannot be mapped as a file is in the perf map
mkdir noexec
mount -t tmpfs -o noexec none noexec
cp "$elf" noexec/code.elf
elf_file=$elf
elf=$tmp/noexec/code.elf
application perf record $at_end -q -c 1 -d -o data -e "$event" --
perf script -i data -F ip,sym,symoff,dso >out 2>err
ok "names of code on a noexec file system are in the perf map" \
	"$(grep -c ' repeat+0x[0-9a-f]* (/tmp/perf-[0-9]*\.map)' out)" = $rounds
elf=$elf_file
umount noexec

# The instruction that stores is the pc of its own samples; code is mapped where the
# application has it.
aslr=$(cat /proc/sys/kernel/randomize_va_space)
echo 0 >/proc/sys/kernel/randomize_va_space
application perf record $at_end -q -c 1 -d -o data -e "$event" --
perf script -i data -F ip >out 2>err
pc=$(awk 'NR == 1 { print $1 }' out)
break="gpubp/gpu_break,addr=0x$pc/"
application perf record $at_end -q -d -o data -e "$break" --
ok "perf record samples a break" "$(samples)" = $rounds
ok "each is at the instruction" "$(grep -cw "$pc" out)" = $rounds
ok "and in the kernel" "$(grep -cw repeat out)" = $rounds
application perf stat -x, -o out -e "$break" -e "$event" --
ok "perf stat counts it, and its stores" "$(count out | tr '\n' ' ')" = "$rounds $rounds "

# each of very many executions is a sample: the buffer has space for all of them
rounds=${GPUBP_EXECUTIONS:-1000}
[ ! -e /proc/lockdep ] || rounds=200
application perf record $at_end -q -d -c 1 -m 2048 -o data -e "$break" --
ok "the application meets a break $rounds times" $? -eq 0
ok "and adds up what it would without" \
	"$(grep -c "^sum out $((64 * (rounds - 1)))\$" app.out)" = 1
ok "each execution is a sample" "$(samples)" = $rounds
ok "none is lost" "$(perf report -i data --stats 2>err | grep -c LOST)" = 0
rounds=50
echo "$aslr" >/proc/sys/kernel/randomize_va_space

perf record -q -o data -e gpubp:gpubp_hit -a -- \
	sh -c "$(command -v perf) stat -o stat -x, -e '$event' -- gpubp-run '$elf' 'buf out u32 64 at $va' 'run repeat grid=64 wg=64 out $rounds' wait" \
	>app.out 2>&1
perf script -i data >out 2>err
ok "the tracepoint tells every hit" "$(grep -c 'gpubp:gpubp_hit:.*state=exact' out)" = $rounds
ok "while perf stat counts them" "$(count stat)" = $rounds

#
# Number of hits that are only possible: loads that overwrite their addresses, in a
# block larger than the watched bytes. None of them if exact ones are requested.
#
xor()
{
	"$@" gpubp-run "$here/gpu/vadd.elf" "buf a u32 128" "buf b u32 128 at $va" \
		"buf c u32 128" "run vxor grid=128 wg=128 a b c" wait \
		"run vxor grid=128 wg=128 a b c" wait >app.out 2>&1
}

places=$(cat /sys/module/gpubp/parameters/escalations)
echo 0 >/sys/module/gpubp/parameters/escalations
load="gpubp/watch_r,addr=$addr,len=4"
xor perf stat -x, -o out -e "{$load/,$load,possible=1/,$load,lost=1/}" --
ok "two, of which two are possible, and none is lost" \
	"$(count out | tr '\n' ' ')" = "2 2 0 "
echo "$places" >/sys/module/gpubp/parameters/escalations
xor perf stat -x, -o out -e "$load/pp" -e "$load,possible=1/" --
ok "both are exact if that is asked for" "$(count out | tr '\n' ' ')" = "2 0 "

perf stat -x, -o out -e "$event" -- true >app.out 2>&1
ok "without a GPU program nothing was counted" "$(count out)" = "<not counted>"

#
# From outside: a target that mostly sleeps, and dispatches now and then.
#
{
	echo "buf out u32 64 at $va"
	i=0
	while [ $i -lt 5000 ]; do
		echo "run repeat grid=64 wg=64 out 5; wait; sleep 0.05"
		i=$((i + 1))
	done
} >script
gpubp-run -f script "$elf" >app.out 2>&1 &
app=$!

perf stat -x, -o out -p $app -e "$event" -- sleep 1
ok "perf stat -p counts a sleeping target" "$(count out)" -gt 0

perf stat -x, -o out -I 300 -p $app -e "$event" -- sleep 2
ok "perf stat -I has intervals" "$(grep -c gpubp out)" -ge 3
ok "all of them counted" "$(grep -c '<not' out)" = 0

perf record -q -c 1 -d -o data -p $app -e "$event" -- sleep 1
got=$(samples)
ok "perf record -p samples it" "$got" -gt 0
ok "at the address" "$(grep -c " ${addr#0x} " out)" = "$got"

echo "1..$n"
exit $failed
