# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# For the guest's scripts in this folder in which a program that is watched gives way to a debugger:
# tests/amdgpu/agent/steps.hip, whose standard input is file 6, and that debugger. Who runs it
# defines yields: "perf-gpubp agent" of the user whose process it is.

# await_steps COMMAND...: start it in the background, with the program at its end
await_steps()
{
	rm -f /tmp/steps.in /tmp/steps.out
	mkfifo /tmp/steps.in
	"$@" </tmp/steps.in >/tmp/steps.out 2>/tmp/steps.err &
	steps=$!
	exec 6>/tmp/steps.in
	await_line '^steps: word' /tmp/steps.out || return 1
	steps_pid=$(pidof steps)
	word=$(sed -n 's/^steps: word is at //p' /tmp/steps.out)
}

# step N TOTAL: N stores more, to TOTAL
step()
{
	echo "$1" >&6
	await_line "^steps: $2\$" /tmp/steps.out
}

# end_steps: the exit status
end_steps()
{
	local status

	exec 6>&-
	wait $steps
	status=$?
	comment </tmp/steps.out
	comment </tmp/steps.err
	return $status
}

# a debugger of the GPU, which stays, and has all comparators, until end_debugger
start_debugger()
{
	rm -f /tmp/attached /tmp/detach
	debugger "$steps_pid" "$(gpu_id)" enable watch=$((word + 1024)) watch=$((word + 2048)) \
		watch=$((word + 3072)) watch=$((word + 3136)) touch=/tmp/attached \
		until=/tmp/detach disable >/tmp/debugger 2>&1 6>&- &
	debugger=$!
	await test -e /tmp/attached
}

end_debugger()
{
	touch /tmp/detach
	wait $debugger
	comment </tmp/debugger
	! grep -v ': 0' /tmp/debugger
}

# agent_says STATUS LINE REQUEST OPTION...: of the program
agent_says()
{
	local status=$1 line=$2 is

	shift 2
	yields "$* $steps_pid" >/tmp/said 2>&1
	is=$?
	cat /tmp/said
	[ $is = "$status" ] && grep -qE "^$line\$" /tmp/said
}

# steps_give_way: 100 stores, and 50 with the debugger
steps_give_way()
{
	expect 'gives way: stores before' step 100 100
	expect '... it is watched' agent_says 0 'process [0-9]+ is watched' state
	expect '... a debugger is refused' sh -c \
		"debugger $steps_pid $(gpu_id) enable | grep -q 'enable: -EALREADY'"
	expect '... the agent gives way' agent_says 0 \
		'process [0-9]+ gives way: a debugger of the GPU can attach, within 60 seconds' yield
	expect '... says so' agent_says 1 \
		'process [0-9]+ gives way to a debugger of the GPU, which is not there' state
	expect '... the debugger attaches' start_debugger
	expect '... is there' agent_says 1 'process [0-9]+ gives way to a debugger of the GPU' state
	expect '... and keeps the GPU' agent_says 255 \
		'perf-gpubp: process [0-9]+ is not watched yet: a debugger has the GPU' return
	expect '... stores without an agent' step 50 150
}

# steps_come_back COMMAND...: 30 stores, when the debugger is gone and the command succeeds
steps_come_back()
{
	expect '... the debugger had all comparators, and detaches' end_debugger
	expect '... the agent is back' await "$@"
	expect '... stores afterwards' step 30 180
}
