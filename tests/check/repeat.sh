# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Suites that are run several times; sourced by scripts/check, not run.
#
# UNIT@N is the Nth run of a unit. It is not remembered; that it failed is. Selftests
# are run several times in one VM, each time with the modules loaded again; all else,
# and what leaves its VM changed, in a VM of its own.

repeat_length=420	# seconds of a VM
repeat_lanes=0

# repeat_units N: each unit N times in place of the units
repeat_units()
{
	local unit run once=("${units[@]}")

	units=()
	for ((run = 1; run <= $1; run++)); do
		for unit in "${once[@]}"; do
			add_unit "$unit@$run" "${unit_seconds[$unit]}" \
				"${unit_cpus[$unit]}"
		done
	done
}

# may_share UNIT@N: may it run in a VM with others?
may_share()
{
	[[ $1 == */* && $1 != */rights@* ]]
}

# repeat_split: units on stdin, in the order of their runs; a line "KIND CPUS UNIT..."
# for each VM, whose runs are all under one kind of load
repeat_split()
{
	local unit run key order=()
	local -A lists=() seconds=() last=() runs=()

	while read -r unit; do
		run=${unit##*@}
		key="$(load_of "$run") ${unit_cpus[$unit]}"
		if ! may_share "$unit"; then
			echo "${key/#[ ]/- } $unit"
			continue
		fi
		[[ ${seconds[$key]+set} ]] || order+=("$key")
		# another run, if it fits: all of them take equally long
		if [[ ${last[$key]:-} != "$run" ]]; then
			if ((${runs[$key]:-0} && seconds[$key] +
			     seconds[$key] / runs[$key] > repeat_length)); then
				echo "${key/#[ ]/- }${lists[$key]}"
				lists[$key]='' seconds[$key]=0 runs[$key]=0
			fi
			runs[$key]=$((${runs[$key]:-0} + 1))
		fi
		lists[$key]+=" $unit"
		seconds[$key]=$((${seconds[$key]:-0} + unit_seconds[$unit]))
		last[$key]=$run
	done
	for key in ${order[@]+"${order[@]}"}; do
		echo "${key/#[ ]/- }${lists[$key]}"
	done
}

# repeat_lane CLASS KIND CPUS UNIT@N...: one VM
repeat_lane()
{
	local class=$1 kind=${2#-} cpus=$3 lane parts

	shift 3
	lane=$class-${kind:+$kind-}r$((repeat_lanes += 1))
	lane_load[$lane]=$kind
	add_lane "$class" "$lane" "$cpus" "$@"
}

# repeat_class CLASS
repeat_class()
{
	local kind cpus list

	while read -r kind cpus list; do
		# shellcheck disable=SC2086
		repeat_lane "$1" "$kind" "$cpus" $list
	done < <(class_units "$1" | repeat_split)
}

# repeat_parts UNIT@N...: the parts of tests/check/lane
repeat_parts()
{
	local unit run these=() last=

	for unit in "$@" end@; do
		run=${unit##*@}
		if [[ $last && $run != "$last" ]]; then
			lane_parts "${these[@]}" | sed "s/^\([a-z]*\):/\1@$last:/"
			these=()
		fi
		these+=("${unit%@*}")
		last=$run
	done
}

# repeat_rest LANE: what a VM that died had not begun runs in another one. The first
# without a result was what died.
repeat_rest()
{
	local lane=$1 class=${lane_class[$1]} unit all rest=() died=

	grep -q '^# part ' "build/vm/$lane/result.log" 2>/dev/null || return 0
	for unit in ${lane_units[$lane]}; do
		[[ ! -e $results/$(unit_file "$unit") ]] || continue
		if [[ $died ]]; then rest+=("$unit"); fi
		died=yes
	done
	((${#rest[@]})) || return 0
	read -ra all <<<"${lane_units[$lane]}"
	lane_units[$lane]=$(printf '%s\n' "${all[@]}" |
		grep -vxFf <(printf '%s\n' "${rest[@]}") | paste -sd ' ')
	repeat_lane "$class" "${lane_load[$lane]:--}" "${unit_cpus[${rest[0]}]}" \
		"${rest[@]}"
}

# keep_logs JOB: of one that failed
keep_logs()
{
	local dir=$kept/$1 file

	mkdir -p "$dir"
	cp "$out/jobs/$1.log" "$dir/job.log"
	for file in build/vm/"$1"/*.log; do
		[[ ! -e $file ]] || cp "$file" "$dir/"
	done
}

# rates: of each unit, how many of its runs failed, and which
rates()
{
	local unit once kind order=()
	local -A failed=() which=() bad=()

	while read -r unit; do
		bad[${unit##*/}]=yes
	done < <(grep -rl '^F ' "$results")
	for unit in "${units[@]}"; do
		once=${unit%@*}
		[[ ${failed[$once]:-} ]] || order+=("$once")
		failed[$once]=$((${failed[$once]:-0}))
		[[ ${bad[${unit//\//,}]:-} ]] || continue
		kind=$(load_of "${unit##*@}")
		failed[$once]=$((failed[$once] + 1))
		which[$once]+="${which[$once]:+, }${unit##*@}${kind:+ ($kind)}"
	done
	for once in "${order[@]}"; do
		echo "$once: ${failed[$once]} of $repeat runs failed${which[$once]:+: run ${which[$once]}}"
	done
	[[ ! -d $kept ]] || echo "logs of what failed: $kept"
}
