# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# What there is to run; sourced by scripts/check, not run.
#
# A unit is the smallest thing that is remembered by itself: STEP, or STEP/SUITE;
# STEP:GLOB is a part of a step that is asked for by hand, and not remembered. Units
# of a lane class run in VMs of that class, several in one boot; the others are jobs
# of this machine.

# unit -> seconds it took on a machine of two cores; CPUs of its VM
declare -A unit_seconds=() unit_cpus=() unit_class=()
units=()

# step -> the lane class that its units run in
declare -A step_class=(
	[stock]=stock [defaults]=stock [cpus]=stock [debug]=debug [leaks]=leaks [race]=race
	[kunit]=debug [kunit-cpus]=leaks [conform]=debug [conform-faults]=debug
	[nomsg-stock]=stock [nomsg-debug]=debug [planted]=race
)
# lane class -> its kernel, and what else tests/check/lane needs to know
declare -A class_kernel=([stock]=stock [debug]=debug [leaks]=debug [race]=race)
# Expedited grace periods: quicker, and what they protect is freed sooner.
hurry="--append rcupdate.rcu_expedited=1"
declare -A class_options=(
	[debug]="$hurry --env GPUBP_AGAIN=6"
	[leaks]="--leaks $hurry --env GPUBP_STORM=25 --env GPUBP_SIGTRAPS=4000
		--env GPUBP_RELOADS=6"
	[race]="$hurry --env GPUBP_STORM=60 --env GPUBP_SIGTRAPS=4000 --env GPUBP_RELOADS=5
		--env GPUBP_BREAKS=100"
)

# steps of this machine -> the kernel whose modules they use
declare -A step_needs=([demo-variants]=stock [install]=stock [one-nop]=stock
	[amdgpu-live]=stock [amdgpu-hip]=stock [amdgpu-agent]=stock
	[amdgpu-truth]=stock [amdgpu-gfx942]=stock [amdgpu-demo]=stock
	[amdgpu-dbgapi]=stock [amdgpu-breaks]=stock [amdgpu-debug]=debug)

# what each stage is made of
declare -A stage=(
	[lint]="lint-static lint-build graft"
	[host]="host one-nop"
	[vm]="harness stock defaults cpus debug leaks kunit kunit-cpus conform conform-faults
		nomsg-stock nomsg-debug demo-variants"
	[other]="amdgpu-live amdgpu-gfx942 amdgpu-hip amdgpu-agent amdgpu-truth
		amdgpu-dbgapi amdgpu-breaks
		amdgpu-registers amdgpu-build docs install"
)
stage[check]="${stage[lint]} ${stage[host]} ${stage[vm]} ${stage[other]}"

# seconds of the steps that are one unit each
declare -A step_seconds=(
	[lint-static]=60 [lint-build]=60 [graft]=30 [harness]=80 [kunit]=250 [kunit-cpus]=10
	[conform]=100 [conform-faults]=100 [nomsg-stock]=10 [nomsg-debug]=20
	[demo-variants]=40 [planted]=5 [amdgpu-registers]=15 [amdgpu-build]=40 [amdgpu-live]=160
	[amdgpu-hip]=150 [amdgpu-agent]=190 [amdgpu-truth]=200
	[amdgpu-gfx942]=170 [amdgpu-dbgapi]=110 [amdgpu-breaks]=130
	[amdgpu-debug]=300
	[docs]=30 [one-nop]=1
	[install]=80
)
# shellcheck source=tests/check/long.sh
. tests/check/long.sh

# add_unit UNIT SECONDS [CPUS]
add_unit()
{
	units+=("$1")
	unit_seconds[$1]=$2
	unit_cpus[$1]=${3:-1}
	unit_class[$1]=${step_class[${1%%[/:@]*}]:-}
}

# the table of the selftests: lines "CPUS SUITE WHERE=SECONDS..."
list_selftests()
{
	sed -n 's/#.*//; s/^\([a-z][^[:space:]]*\)[[:space:]]*\([0-9]*\)[[:space:]]*\(.*[^[:space:]]\).*/\2 \1 \3/p' \
		tests/selftests/suites
}

# step_units STEP: adds its units
step_units()
{
	local step=$1 cpus suite where column

	case $step in
	stock|defaults|cpus|debug|leaks|race)
		while read -r cpus suite where; do
			for column in $where; do
				[[ $column == "$step="* ]] || continue
				case $step in
				cpus)	cpus=4 ;;
				race)	cpus=2 ;;	# threads at once
				# one VM: to boot and to look takes a minute
				leaks)	cpus=2 ;;
				esac
				add_unit "$step/$suite" "${column#*=}" "$cpus"
			done
		done < <(list_selftests) ;;
	host)
		for suite in $(make -s -C tests/host suites); do
			add_unit "host/$suite" 10
		done ;;
	planted|kunit-cpus)	# threads at once, an owner that moves
		add_unit "$step" "${step_seconds[$step]}" 2 ;;
	*)	long_units "$step" || add_unit "$step" "${step_seconds[$step]}" ;;
	esac
}

# step_named STEP NAME: adds the unit of that name; fails if there is none
step_named()
{
	local all=("${units[@]}") name

	case $1 in
	kunit|conform|conform-faults)
		add_unit "$1:$2" "${step_seconds[$1]}" 2
		return ;;
	esac
	step_units "$1"
	units=("${all[@]}")
	[[ ${unit_seconds[$1/$2]:-} ]] && units+=("$1/$2")
}
