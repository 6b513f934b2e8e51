# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# The order of jobs, and a check in pieces, each of so many minutes; sourced by
# scripts/check, not run.

budget_began='' budget_left=0 budget_seconds=0

# know_seconds: what units took when they passed last, in place of guesses
know_seconds()
{
	local unit file seconds

	for unit in "${units[@]}"; do
		file=$memory/${unit//\//,}
		[[ -e $file ]] || continue
		read -r _ _ _ _ seconds <"$file"
		((!seconds)) || unit_seconds[$unit]=$seconds
	done
}

# units_of JOB
units_of()
{
	case $1 in
	build-*) ;;
	host)	echo "${host_units[*]}" ;;
	*)	echo "${lane_units[$1]:-$1}" ;;
	esac
}

# seconds_of JOB
seconds_of()
{
	local unit seconds=0

	for unit in $(units_of "$1"); do
		seconds=$((seconds + ${unit_seconds[$unit]:-60}))
	done
	echo "$seconds"
}

# age_of JOB: what failed last is 0, what never passed 1, else the date when it did
age_of()
{
	local unit file age=9

	[[ $1 != build-* ]] || { echo; return; }
	for unit in $(units_of "$1"); do
		file=${unit//\//,}
		if [[ -e $memory/failed/$file ]]; then
			echo 0
			return
		elif [[ ! -e $memory/$file ]]; then
			age=1
		elif [[ $age != 1 ]]; then
			read -r unit _ <"$memory/$file"
			[[ $age < $unit ]] || age=$unit
		fi
	done
	echo "$age"
}

# longest_first: of the queue, behind heavy jobs, and those that build. Were a long one the
# last, it would be alone.
declare -A length_of_job=()
longest_first()
{
	local name

	((${#pool_names[@]} > 1)) || return 0
	for name in "${pool_names[@]}"; do
		[[ ${length_of_job[$name]:-} ]] || case $name in
		build-*) length_of_job[$name]=99999 ;;
		*)	length_of_job[$name]=$(seconds_of "$name") ;;
		esac
	done
	mapfile -t pool_names < <(for name in "${pool_names[@]}"; do
		printf '%s\t%s\t%s\n' "${pool_weight[$name]}" "${length_of_job[$name]}" "$name"
	done | sort -s -t $'\t' -k 1,1nr -k 2,2nr | cut -f 3)
}

# pool_order: the queue, when jobs were added
pool_order()
{
	local name

	((${#pool_names[@]})) || return 0
	[[ $budget ]] || { [[ $repeat ]] || longest_first; return; }
	mapfile -t pool_names < <(for name in "${pool_names[@]}"; do
		printf '%s\t%s\n' "$(age_of "$name")" "$name"
	done | sort -s -t $'\t' -k 1,1 | cut -f 2)
}

# pool_may_start NAME: false if it is left for another check. The first in any case, as
# it may be longer than all budgets.
pool_may_start()
{
	local seconds

	[[ $budget && $1 != build-* ]] || return 0
	seconds=$(seconds_of "$1")
	if [[ ! $budget_began ]] || ((SECONDS + seconds <= budget * 60)); then
		budget_began=yes
		return 0
	fi
	budget_seconds=$((budget_seconds + seconds))
	budget_left=$((budget_left + $(units_of "$1" | wc -w)))
	return 1
}

# not_complete: what is left, if anything is
not_complete()
{
	((budget_left)) || return 0
	echo "not complete: $budget_left of ${#units[@]} units left, about" \
		"$(awk -v s=$budget_seconds 'BEGIN {
			printf s < 5400 ? "%d min" : "%.1f h", s < 5400 ? s / 60 + 1 : s / 3600
		}'); the same command goes on"
}
