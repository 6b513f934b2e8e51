# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# A pool of jobs; sourced by scripts/check, not run.
#
# pool_add puts a job into the queue; pool_run runs them, as many at once as there
# are slots, the first in the queue first. When one begins, pool_began NAME is called;
# when one has ended, pool_ended NAME STATUS SECONDS, which may add others; pool_tick
# every two seconds in between. pool_order may change the order of the queue, and a job
# of which pool_may_start NAME is false is dropped. pool_cpu NAME is what a job took of processors.

pool_names=()
declare -A pool_weight=() pool_command=() pool_started=()
declare -A pool_beside=()	# what ran at the same time
declare -A pool_pids=()	# pid -> name
pool_free=0 pool_sleep=''

# pool_add NAME WEIGHT COMMAND...: the output goes to $out/jobs/NAME.log
pool_add()
{
	pool_names+=("$1")
	pool_weight[$1]=$2
	pool_command[$1]=$(printf '%q ' "${@:3}")
}

# pool_first NAME WEIGHT COMMAND...: before those that wait, but for heavier ones. One
# of these runs at a time, and must not be what is left at the end.
pool_first()
{
	local name heavier=() others=()

	for name in ${pool_names[@]+"${pool_names[@]}"}; do
		if ((pool_weight[$name] > $2)); then
			heavier+=("$name")
		else
			others+=("$name")
		fi
	done
	pool_names=()
	pool_add "$@"
	pool_names=(${heavier[@]+"${heavier[@]}"} "$1" ${others[@]+"${others[@]}"})
}

pool_start()
{
	local name=$1 weight=${pool_weight[$1]} other

	pool_free=$((pool_free - weight))
	pool_started[$name]=$SECONDS
	pool_beside[$name]=${pool_pids[*]-}
	for other in ${pool_pids[@]+"${pool_pids[@]}"}; do
		pool_beside[$other]+=" $name"
	done
	pool_began "$name"
	(
		trap 'times >"$out/jobs/$name.cpu"' EXIT
		export GPUBP_NEWS=$news_file GPUBP_STEP=$name
		eval "${pool_command[$name]}"
	) >"$out/jobs/$name.log" 2>&1 </dev/null &
	pool_pids[$!]=$name
}

# pool_cpu NAME: seconds of processors that a job that has ended took
pool_cpu()
{
	tr 'ms' '  ' <"$out/jobs/$1.cpu" |
		awk '{ sum += $1 * 60 + $2 + $3 * 60 + $4 } END { printf "%d", sum }'
}

heavy_runs()
{
	local name

	for name in ${pool_pids[@]+"${pool_pids[@]}"}; do
		((pool_weight[$name] == 1)) || return 0
	done
	return 1
}

# Start what fits, in order. A heavy job keeps its place until another one runs: were
# all behind it started before it, it would be the last, and alone. One of more than
# all slots fits when nothing else runs.
pool_fill()
{
	local name left=() waits=

	pool_order
	for name in ${pool_names[@]+"${pool_names[@]}"}; do
		if [[ ! $waits ]] &&
		   ((pool_weight[$name] <= pool_free || !${#pool_pids[@]})); then
			! pool_may_start "$name" || pool_start "$name"
		else
			left+=("$name")
			heavy_runs || waits=yes
		fi
	done
	pool_names=(${left[@]+"${left[@]}"})
}

# pool_wait: sets pid and status when a job has ended, pid to nothing at a tick
pool_wait()
{
	status=0
	[[ $pool_sleep ]] || {
		sleep 2 >/dev/null 2>&1 &
		pool_sleep=$!
	}
	wait -n -p pid "$pool_sleep" "${!pool_pids[@]}" || status=$?
	[[ $pid == "$pool_sleep" ]] || return 0
	pid='' pool_sleep=''
}

# pool_run SLOTS
pool_run()
{
	local pid name status

	pool_free=$1
	mkdir -p "$out/jobs"
	while pool_fill; ((${#pool_pids[@]})); do
		pool_wait
		pool_tick
		[[ $pid ]] || continue
		name=${pool_pids[$pid]}
		unset "pool_pids[$pid]"
		pool_free=$((pool_free + pool_weight[$name]))
		pool_ended "$name" "$status" $((SECONDS - pool_started[$name]))
	done
	[[ ! $pool_sleep ]] || kill "$pool_sleep" 2>/dev/null || true
	pool_sleep=''
}
