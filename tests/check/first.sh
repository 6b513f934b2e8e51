# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What has to be made before the first check on a machine, and how long all takes;
# sourced by scripts/check, not run.

# what the cache may lack -> minutes that it takes on two processors
declare -A first_minutes=([stock]=1 [debug]=5 [race]=5 [testing]=3 [graft]=2 [graft-clean]=1
	[root-trixie]=2 [root-testing]=1 [amdgpu-stock]=3 [amdgpu-debug]=3
	[amdgpu-testing]=3)

# first_needs STEP: what of the cache a step needs, beside the kernels of VMs
first_needs()
{
	case $1 in
	graft)	echo graft ;;
	graft-configs) echo graft-clean ;;
	amdgpu-registers|amdgpu-build) ;;
	amdgpu-debug) echo root-trixie root-testing debug amdgpu-debug ;;
	amdgpu-agent) echo root-trixie root-testing ;;
	amdgpu-testing-agent) echo root-trixie root-testing testing ;;
	amdgpu-testing*) echo root-trixie root-testing testing amdgpu-testing ;;
	amdgpu-*) echo root-trixie root-testing amdgpu-stock ;;
	kernels-stock) echo root-trixie ;;
	esac
}

# first_has THING: is it in the cache?
first_has()
{
	case $1 in
	stock|debug|race|testing) tests/vm/kernel --have "$1" >/dev/null 2>&1 ;;
	graft)	compgen -G "$GPUBP_CACHE/graft-????????????/" >/dev/null ;;
	*)	compgen -G "$GPUBP_CACHE/$1*/" >/dev/null ;;
	esac
}

# first_time THING...: says what is made now and not again, if anything is
first_time()
{
	local thing list='' minutes=0

	for thing in $(printf '%s\n' "$@" | sort -u); do
		! first_has "$thing" || continue
		list+="${list:+, }$thing"
		minutes=$((minutes + first_minutes[$thing] * 2))
	done
	[[ ! $list ]] || say "not in the cache yet, made or downloaded now: $list:" \
		"about $(((minutes + processors - 1) / processors)) min"
}

# minutes_of UNIT...: that they take, all together
minutes_of()
{
	local unit seconds=0

	for unit; do
		seconds=$((seconds + unit_seconds[$unit]))
	done
	echo $((seconds / (60 * jobs) + 1))
}
