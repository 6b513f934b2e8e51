# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# For the guest's scripts in this folder, which are in /lib/amdgpu there: load
# amdgpu, run processes on the model, TAP.

# shellcheck source=tests/selftests/kallsyms.sh
. /lib/amdgpu/kallsyms.sh

modules=/lib/modules/amdgpu
gpu=$(cat /lib/amdgpu/model-gpu)	# of the model
case $gpu in
gfx90a)
	gpu_version=90010	# gfx_target_version
	gpu_se=5		# one of its shader engines
	gpu_granule=64		# bytes that a comparator matches
	gpu_store=dc70		# upper half of global_store_dword, as volatile has it
	;;
gfx942)
	gpu_version=90402
	gpu_se=2
	gpu_granule=128
	gpu_store=de71
	;;
esac
device=
kfd_node=
unused=0	# how often amdgpu is used when no process does
results=0
failures=0

# No power management, no display, no firmware that has to be believed: the IP
# blocks are common, GMC, IH, GFX and SDMA; page tables are written by the CPU.
parameters='ip_block_mask=0x1f ppfeaturemask=0 dpm=0 audio=0 ras_enable=0
	fw_load_type=0 discovery=0 vm_update_mode=3'

# perf record writes samples twice that come while it reads a ring (design/perf-core.rst):
# where each is counted, it is to read at its end
at_end=--mmap-flush=1G

uptime_seconds()
{
	cut -d ' ' -f 1 /proc/uptime
}

# result STATUS NAME: a line of TAP
result()
{
	results=$((results + 1))
	if [ "$1" = 0 ]; then
		echo "ok $results - $2"
	else
		echo "not ok $results - $2"
		failures=$((failures + 1))
	fi
}

# expect NAME COMMAND...: it succeeds; what it says is shown
expect()
{
	local name=$1 status=0

	shift
	"$@" >/tmp/expect 2>&1 || status=1
	sed 's/^/# /' /tmp/expect
	result $status "$name"
}

# results_of COMMAND...: what prints TAP, as results of this script
results_of()
{
	local line status

	"$@" >/tmp/results 2>&1
	status=$?
	while read -r line; do
		case $line in
		'ok '*)		result 0 "${line#* - }" ;;
		'not ok '*)	result 1 "${line#* - }" ;;
		'#'*)		echo "$line" ;;
		*)		echo "# $line" ;;
		esac
	done </tmp/results
	return $status
}

# end_results NUMBER: the last line of a script, which should have had so many
end_results()
{
	echo "1..$1"
	[ "$failures" = 0 ] && [ "$results" = "$1" ]
}

# skip NUMBER NAME REASON: so many results of a test that has this name
skip()
{
	local number=1

	while [ $number -le "$1" ]; do
		results=$((results + 1))
		echo "ok $results - $2 ($number of $1) # SKIP $3"
		number=$((number + 1))
	done
}

# comment on standard input
comment()
{
	sed 's/^/# /'
}

# await COMMAND...: until it succeeds, with nothing of what it says. Nothing here depends
# on how long something takes: after five minutes it hangs.
await()
{
	local tries=3000

	until "$@" >/dev/null 2>&1; do
		sleep 0.1
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
	done
}

# load_amdgpu: what it needs, in order, and itself
load_amdgpu()
{
	local module

	while read -r module; do
		[ "$module" != amdgpu ] || break
		insmod "$modules/$module.ko" || return
	done <$modules/order
	echo "$(uptime_seconds) s: modules of amdgpu are loaded"
	# shellcheck disable=SC2086
	insmod $modules/amdgpu.ko $parameters || return
	unused=$(cat /sys/module/amdgpu/refcnt)
	# A commit takes long here, for a share of the time that would not matter to a test.
	# Most tests of several watches are about turns.
	[ ! -d /sys/module/gpubp ] || {
		echo 100 >/sys/module/gpubp/parameters/max_overhead_percent
		echo 0 >/sys/module/gpubp/parameters/max_filter_percent
	}
	# those of one that ran before are still there
	! command -v perf >/dev/null || grep -q ' /proc/kallsyms ' /proc/mounts || few_symbols
	echo "$(uptime_seconds) s: amdgpu is loaded"
}

# Debian's amdgpu.ko, not the copy of it that is loaded faster, is there
has_whole_amdgpu()
{
	[ -e /lib/amdgpu/whole/amdgpu.ko ]
}

# use_whole_amdgpu: load_amdgpu loads that one
use_whole_amdgpu()
{
	cp /lib/amdgpu/whole/amdgpu.ko $modules/amdgpu.ko &&
	(cd $modules && sha256sum -c /lib/amdgpu/whole/sha256)
}

# gpubp with its door for agents
load_gpubp_agent()
{
	local module

	for module in gpubp gpubp_gfx9 gpubp_agent; do
		insmod "/lib/gpubp/$module.ko" || return
	done
}

unload_gpubp_agent()
{
	rmmod gpubp_agent gpubp gpubp_gfx9
}

# Sets device to the PCI address of what amdgpu is bound to.
find_device()
{
	local path

	for path in /sys/bus/pci/drivers/amdgpu/*:*; do
		[ -e "$path" ] || return
		device=${path##*/}
		echo "$device"
	done
}

# Sets kfd_node to the directory of the first KFD node that is a GPU.
has_kfd_node()
{
	local node

	for node in /sys/class/kfd/kfd/topology/nodes/*; do
		[ "$(cat "$node/gpu_id" 2>/dev/null || echo 0)" = 0 ] && continue
		kfd_node=$node
		return 0
	done
	return 1
}

find_kfd_node()
{
	await has_kfd_node || return
	echo "$kfd_node at $(uptime_seconds) s"
}

gpu_id()
{
	cat "$kfd_node/gpu_id"
}

# node_is PROPERTY VALUE
node_is()
{
	grep -w "^$1" "$kfd_node/properties"
	grep -qx "$1 $2" "$kfd_node/properties"
}

# node_has MASK VALUE: bits of its capability (HSA_CAP_*)
node_has()
{
	local capability

	capability=$(sed -n 's/^capability //p' "$kfd_node/properties")
	printf 'capability 0x%x\n' "$capability"
	[ $((capability & $1)) = $(($2)) ]
}

# dmesg_lacks REGEX: with discovery=0 it asks for a list of IP blocks all the same
dmesg_lacks()
{
	! dmesg | grep -v ip_discovery | grep -E "$1"
}

# ask FD FILE COMMAND REGEX: the next line of FILE is an answer that matches
ask()
{
	local line lines

	lines=$(($(wc -l <"$2") + 1))
	echo "$3" >&"$1"
	await has_lines $lines "$2" || return
	line=$(sed -n "${lines}p" "$2")
	echo "$line"
	echo "$line" | grep -qxE "$4"
}

# start_asked FD NAME COMMAND...: a process in the background that is asked by FD and
# answers in /tmp/NAME.out. Sets asked_pid, and answer to its first line, which begins
# with the command.
start_asked()
{
	local fd=$1 name=$2

	shift 2
	rm -f "/tmp/$name.in" "/tmp/$name.out"
	mkfifo "/tmp/$name.in"
	"$@" <"/tmp/$name.in" 3>&- 4>&- 5>&- >"/tmp/$name.out" 2>&1 &
	asked_pid=$!
	eval "exec $fd>/tmp/$name.in"
	await_line "^$1 " "/tmp/$name.out" || return
	answer=$(grep "^$1 " "/tmp/$name.out")
}

#
# A process with a queue (queue.c): its answers are lines of /tmp/queue.out.
#

# start_queue: sets queue_pid, target (the process), ring, code and data
start_queue()
{
	start_asked 3 queue queue || return
	queue_pid=$asked_pid
	# shellcheck disable=SC2034,SC2086
	{
		set -- $answer
		target=$2 ring=$3 code=$4 data=$5
	}
}

# ask_queue COMMAND ANSWER: ... and it gives this one as its next line
ask_queue()
{
	ask 3 /tmp/queue.out "$1" "$2"
}

# stop_queue: its exit status
stop_queue()
{
	exec 3>&-
	wait "$queue_pid"
}

#
# A process that dispatches a kernel when it is asked to (app.c).
#

# start_app FILE KERNEL: sets app_pid and address
start_app()
{
	start_asked 5 app app /lib/amdgpu/gpu "$1" "$2" || return
	# shellcheck disable=SC2034,SC2086
	{
		set -- $answer
		app_pid=$2 address=$3
	}
}

# ask_app COMMAND REGEX: ... and it gives such a line as its next one
ask_app()
{
	ask 5 /tmp/app.out "$1" "$2"
}

# stop_app: its exit status
stop_app()
{
	exec 5>&-
	wait "$app_pid"
}

#
# Another process, by one of these programs: its answers are lines of /tmp/other.out.
#

# start_other COMMAND...: sets other (the process) and other_address
start_other()
{
	start_asked 4 other "$@" || return
	# shellcheck disable=SC2034,SC2086
	{
		set -- $answer
		other=$2 other_address=$3
	}
}

# stop_other: its exit status
stop_other()
{
	exec 4>&-
	wait "$other"
}

# A process that makes and destroys queues: for each of them, amdkfd takes all queues off
# the GPU, and maps them again. preempt_begin sets preempt_pid.
preempt_begin()
{
	rm -f /tmp/preempt.end
	echo 'others /tmp/preempt.end' | queue 5>&- >/tmp/preempt.out 2>&1 &
	# shellcheck disable=SC2034
	preempt_pid=$!
	await_line '^queue ' /tmp/preempt.out
}

# nr_others: so many it has made
nr_others()
{
	grep -c '^others ' /tmp/preempt.out
}

# preempt_end NUMBER: it made so many at least
preempt_end()
{
	touch /tmp/preempt.end
	wait "$preempt_pid"
	echo "$(nr_others) others"
	[ "$(nr_others)" -ge "$1" ]
}

# await_line REGEX FILE
await_line()
{
	await grep "$1" "$2" || { cat "$2"; return 1; }
}

# ends STATUS COMMAND...: that is its exit status
ends()
{
	local status=$1 is

	shift
	"$@"
	is=$?
	echo "exit status $is"
	[ $is = "$status" ]
}

# has_line REGEX [FILE]: a whole line of what was printed last
has_line()
{
	grep -xE "$1" "${2:-/tmp/run}"
}

# has_lines NUMBER FILE: so many at least
has_lines()
{
	[ "$(wc -l <"$2")" -ge "$1" ]
}

#
# A debugger of that process (debugger.c): its answers are /tmp/debugger.out.
#

# run_debugger OP...
run_debugger()
{
	debugger "$target" "$(gpu_id)" "$@" >/tmp/debugger.out 2>&1
	comment </tmp/debugger.out
}

# debugger_said LINE: a regular expression for a whole line
debugger_said()
{
	grep -xE "$1" /tmp/debugger.out
}

# second_debugger: another one asks for the process of one that traces it no longer, and
# is refused; then the first one uses its session, and the second one ends what it has.
# Their answers are /tmp/debugger.out and /tmp/second.out.
second_debugger()
{
	rm -f /tmp/untraced /tmp/asked /tmp/used
	debugger "$target" "$(gpu_id)" enable untrace touch=/tmp/untraced \
		until=/tmp/asked flags=0 disable touch=/tmp/used >/tmp/debugger.out 2>&1 &
	debugger_pid=$!
	await test -e /tmp/untraced
	debugger "$target" "$(gpu_id)" enable touch=/tmp/asked until=/tmp/used disable \
		>/tmp/second.out 2>&1
	wait "$debugger_pid"
	comment </tmp/debugger.out
	comment </tmp/second.out
	expect 'two debuggers: the second one is refused' grep '^enable: -EALREADY' /tmp/second.out
}

#
# The end: nothing uses the device any more
#

amdgpu_is_unused()
{
	[ "$(cat /sys/module/amdgpu/refcnt)" = "$unused" ]
}

# An unbinding does not wait for the release of processes that have ended, which a
# worker does: both free the same buffers then.
unbind_amdgpu()
{
	await amdgpu_is_unused || { echo "amdgpu is in use"; return 1; }
	echo "$device" >/sys/bus/pci/drivers/amdgpu/unbind &&
	[ ! -e "/sys/bus/pci/drivers/amdgpu/$device" ]
}

# All devices are suspended and resumed, the machine is not, nor does it wait in between: it
# would count five seconds in a loop.
suspend_devices()
{
	echo 0 >/sys/module/suspend/parameters/pm_test_delay &&
	echo devices >/sys/power/pm_test &&
	echo mem >/sys/power/state
}

bind_amdgpu()
{
	echo "$device" >/sys/bus/pci/drivers/amdgpu/bind
}

# amdgpu, and what was loaded for it
unload_amdgpu()
{
	local module

	rmmod amdgpu || return
	grep -vx amdgpu $modules/order | sed '1!G;h;$!d' |
	while read -r module; do
		rmmod "$module" || exit
	done
}

# /tmp/compiled-once COMMAND...: HIP keeps what it compiles in the folder $COMPILED, which other
# programs find there. Not for programs with another libc than HIP's.
make_compiled_once()
{
	cat >/tmp/compiled-once <<'END'
#!/bin/sh
LD_PRELOAD=$LD_PRELOAD:/rocm/lib/libcompiled.so exec "$@"
END
	chmod 755 /tmp/compiled-once
}
