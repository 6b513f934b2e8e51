# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# A debugger of one process, by AMD's library, alone and beside perf's events on another
# one.

# shellcheck source=tests/amdgpu/guest/shares.sh
. /lib/amdgpu/shares.sh

# debug OP...: of the process with the kernel
debug()
{
	dbgapi "$app_pid" "$@" >/tmp/dbgapi.out 2>&1
	comment </tmp/dbgapi.out
}

# debug_said REGEX: a whole line
debug_said()
{
	grep -xE "$1" /tmp/dbgapi.out
}

# What AMD's own driver and library do: the yardstick. The waves that stop are stepped
# in a displaced buffer, and run to their end when the debugger is gone.
debugger_alone()
{
	local low

	expect 'a process with a kernel' start_app loop repeat
	expect '... which runs' ask_app 'start 4 2000000' started
	debug attach agents queues waves "watch=$address,4" stopped=20 waves step step \
		resume stopped=20 unwatch resume stop stopped=20 waves detach
	expect 'dbgapi attaches' debug_said 'attach: 0 runtime 1'
	expect '... lists the agent' debug_said 'agents: 0 of 1: .+'
	expect '... and the queues' debug_said 'queues: 0 of [1-9]'
	expect '... and the waves' debug_said 'waves: 0 of 4, 0 stopped'
	low=$(printf '0x%x' $((address & 0xffffffff)))
	expect '... a wave stops at its watch, with its registers' debug_said \
		"stopped=20: 0 reason 0x2 pc 0x[0-9a-f]+ exec 0xf{16} v0 $low"
	expect '... alone' debug_said 'waves: 0 of 4, 1 stopped'
	expect '... two steps' test "$(grep -c '^step: 0 pc 0x' /tmp/dbgapi.out)" = 2
	expect '... and one is stopped without a reason' debug_said \
		'stopped=20: 0 reason 0x0 .*'
	expect '... it detaches' debug_said 'detach: 0'
	expect 'the kernel ends' ask 5 /tmp/app.out wait ended
	debug attach "watch=$address,4" "watch=$((address + 64)),4" \
		"watch=$((address + 128)),4" "watch=$((address + 192)),4" \
		"watch=$((address + 256)),4" detach
	expect 'AMD: four watches' test "$(grep -c '^watch=.*: 0$' /tmp/dbgapi.out)" = 4
	expect '... and no fifth one' debug_said 'watch=.*: No more watchpoints available'
	expect 'the process ends' stop_app
}

# debugger_beside_events COMMAND...: the command has the events. The debugger has one
# comparator, twelve events share the three others: nothing of either is lost, while each
# commit takes the queues of both off the GPU.
debugger_beside_events()
{
	expect 'two processes with kernels' start_app loop repeat
	expect '... of which the second one' start_other "$@"
	rm -f /tmp/done /tmp/attached
	dbgapi "$app_pid" attach "watch=$address,4" touch=/tmp/attached stopped=60 step \
		until=/tmp/done step waves unwatch detach >/tmp/dbgapi.out 2>&1 &
	debugger_pid=$!
	expect 'dbgapi has a watch of the first one' await test -e /tmp/attached
	expect 'twelve events are on the second one' watches_begin "$other" 12 \
		"$other_address"
	expect '... and no debugger may attach to it' other_is_not_debugged
	expect 'both kernels run' ask_app 'start 1 40' started
	expect '... the second one many times, watched' other_runs 100
	watches_end
	expect 'twelve events share three comparators' shares_are 5 60 270
	expect '... and each has counted its share of 400 stores' events_have_counted 12 400
	wait "$debugger_pid"
	comment </tmp/dbgapi.out
	expect 'dbgapi: the wave stopped at the watch' debug_said \
		'stopped=60: 0 reason 0x2 pc 0x.*'
	expect '... was stepped before and after' \
		test "$(grep -c '^step: 0 pc 0x' /tmp/dbgapi.out)" = 2
	expect '... and was there all the time' debug_said 'waves: 0 of 1, 1 stopped'
	expect '... it detaches' debug_said 'detach: 0'
	expect 'its kernel ends, too' ask 5 /tmp/app.out wait ended
	expect 'the statistics balance' balance
	expect 'the first process ends' stop_app
	expect 'the second process ends' stop_other
}

other_is_not_debugged()
{
	dbgapi "$other" attach >/tmp/refused.out 2>&1
	cat /tmp/refused.out
	! grep -q '^attach: 0' /tmp/refused.out
}

# other_runs TIMES: with four stores to each of 192 words
other_runs()
{
	local nr=0

	while [ $nr -lt "$1" ]; do
		ask 4 /tmp/other.out 'run 3 4' ended >/dev/null || return
		nr=$((nr + 1))
	done
}

# no hit is dropped, and the sum is exact
balance()
{
	cat "$gpubp"/amdgpu*/books
	awk '$1 != "raised" { sum += $2 } $1 == "raised" { raised = $2 }
		/^drop_/ { drops += $2 }
		END { exit !(sum == raised && raised && !drops) }' \
		"$gpubp"/amdgpu*/books
}
