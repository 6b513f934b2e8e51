# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# How to run again what failed; sourced by scripts/check, not run.

# seed_of LOG SUITE: of random choices, if the suite said it
seed_of()
{
	sed 's/^[^ ]*| //' "$1" 2>/dev/null | awk -v suite="$2" '
		$0 == "# " suite { here = 1 }
		index($0, "# " suite ": ") == 1 { here = 0 }
		suite != "" && !here { next }
		match($0, /(GPUBP_SEED=|[ ,]seed )[0-9]+/) {
			seed = substr($0, RSTART, RLENGTH)
			sub(/[^0-9]*/, "", seed)
		}
		END { print seed }'
}

# times_for SECONDS: as often as it fits into ten minutes, five to fifty times
times_for()
{
	local nr=$((600 / ($1 + 1)))

	echo $((nr < 5 ? 5 : nr > 50 ? 50 : nr))
}

# again UNIT [SEED]: the command that runs it again and again, under load
again()
{
	local unit=$1 step=${1%%[/:]*} name='' file

	file=$results/$(unit_file "$unit")
	case $unit in
	*/*|*:*) name=${unit#"$step"?} ;;
	kunit|conform) name=$(sed -n 's,^F \([a-z0-9_]*\)/.*,\1,p' "$file" | head -n 1) ;;
	esac
	echo "${2:+GPUBP_SEED=$2 }scripts/check --repeat $(
		times_for "${unit_seconds[$unit]:-60}") --under-load $step${name:+ $name}"
}

# again_vm UNIT...: the command for all that ran in a VM
again_vm()
{
	local unit step='' list=''

	for unit; do
		[[ ${unit%%[/:]*} == "$step" ]] || list+=" ${unit%%[/:]*}"
		step=${unit%%[/:]*}
		[[ $unit == "$step" ]] || list+=" ${unit#"$step"?}"
	done
	echo "scripts/check --repeat 5 --under-load$list"
}

# note_failures JOB UNIT...: of those units of the job that failed: the seed, what
# else ran on the machine, and the command
note_failures()
{
	local job=$1 unit suite log=$out/jobs/$1.log seed beside load

	shift
	beside=$(tr ' ' '\n' <<<"${pool_beside[$job]:-}" | sort -u | paste -sd ' ')
	load=$(cut -d ' ' -f 1-3 /proc/loadavg)
	for unit; do
		grep -qs '^F ' "$results/$(unit_file "$unit")" || continue
		case $unit in
		host/*)	suite= ;;
		*/*)	suite=${unit#*/} ;;
		*)	suite= ;;
		esac
		seed=$(seed_of "$log" "$suite")
		printf '  %s: %sload %s, beside: %s\n      %s\n' "$unit" \
			"${seed:+seed $seed, }" "$load" "${beside# }" \
			"$(again "$unit" "$seed")"
	done >>"$out/again"
	[[ ! -e $results/$job:vm ]] ||
		printf '  %s:vm: load %s, beside: %s\n      %s\n' "$job" "$load" \
			"${beside# }" "$(again_vm "$@")" >>"$out/again"
}
