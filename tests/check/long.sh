# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# What there is to run in "make soak" and "make check-kernels": hours, in units of less
# than one; sourced by units.sh, not run.
#
# A unit STEP/SUITE+N is the Nth piece of a suite that would take longer. Each takes
# other random numbers.

# long storms; the longest are in pieces that make up these numbers
storms="--timeout 7200 --no-manifest --env GPUBP_TIMEOUT=7000
	--env GPUBP_STORM=2000 --env GPUBP_FAIL_SECONDS=600 --env GPUBP_FUZZ_SECONDS=1800
	--env GPUBP_ROUNDS=60 --env GPUBP_KERNELS=99"

# step -> its suites, with the seconds that each takes: guesses, until one has run
declare -A long_suites=(
	[soak-stock]="storm=300 sigstorm=60 fuzz+1=1800 fuzz+2=1800 fuzz+3=1800
		rights_storm=250 modules=350 memory=300 overload=300 hostile=1200"
	[soak-debug]="failslab=700 storm=3000 sigstorm+1=1500 sigstorm+2=1500
		sigstorm+3=1500 sigstorm+4=1500 fuzz+1=1800 fuzz+2=1800 fuzz+3=1800
		rights_storm=1600 modules+1=1400 modules+2=1400 modules+3=1400 memory=2000
		overload+1=2000 overload+2=2000 overload+3=2000 hostile+1=1800
		hostile+2=1800"
	[soak-many]="breaks+1=600 breaks+2=600 crowd=60 escalate=1300
		differential=600 perf.sh+1=2400 perf.sh+2=2400 guard.sh=300
		perf_gpubp.sh=1200 shadow+1=1200 shadow+2=1200 racing=600 records=900"
)
# soak-race  KCSAN: the suites of the step race
# soak-rest  debug: the suites that "make check" does not run on that kernel
# soak-many  stock: breaks, executions, hits by the million. A break is two stops: on a
#            debug kernel these would take days
class_kernel+=([soak-stock]=stock [soak-debug]=debug [soak-race]=race [soak-rest]=debug
	[soak-many]=stock)
class_options+=(
	[soak-stock]="$storms --env GPUBP_SIGTRAPS=1000000 --env GPUBP_RELOADS=500
		--env GPUBP_BURST=100000 --env GPUBP_HOSTILE=600 --env GPUBP_HOSTILE_RATIO=4"
	[soak-debug]="$storms --env GPUBP_SIGTRAPS=250000 --env GPUBP_RELOADS=170
		--env GPUBP_BURST=34000 --env GPUBP_HOSTILE=300"
	[soak-race]="$storms --env GPUBP_SIGTRAPS=1000000 --env GPUBP_RELOADS=500"
	[soak-rest]="--timeout 7200 --no-manifest --env GPUBP_TIMEOUT=7000"
	[soak-many]="--timeout 7200 --no-manifest --env GPUBP_TIMEOUT=7000 --mem 2048
		--env GPUBP_BREAKS=500000 --env GPUBP_CROWD=4096 --env GPUBP_AGAIN=1200
		--env GPUBP_DIFFERENTIAL=20000 --env GPUBP_EXECUTIONS=50000
		--env GPUBP_GUARD_RUNS=20 --env GPUBP_HITS=1000000
		--env GPUBP_PROGRAMS=10000 --env GPUBP_RACES=200000"
)
step_seconds+=([soak-host]=600 [graft-configs]=1200 [amdgpu-testing]=380
	[amdgpu-testing-truth]=160 [amdgpu-testing-gfx942]=380 [amdgpu-testing-agent]=190
	[amdgpu-demo]=60)
stage+=(
	[soak]="race planted soak-host amdgpu-debug soak-stock soak-debug soak-race soak-rest
		soak-many"
	[kernels]="graft-configs amdgpu-testing amdgpu-testing-truth amdgpu-testing-gfx942
		amdgpu-testing-agent amdgpu-demo"
)
# kernels-KERNEL  on each supported one, with its perf
while read -r _ kernel _ perf; do
	[[ $kernel != - ]] || continue
	class_kernel[kernels-$kernel]=$kernel
	class_options[kernels-$kernel]="--perf $perf --no-manifest"
	stage[kernels]+=" kernels-$kernel"
done < <(grep '^[^#]' tests/vm/kernels)
for class in "${!class_kernel[@]}"; do
	[[ $class != soak-* && $class != kernels-* ]] || step_class[$class]=$class
done
unset kernel perf class

# long_units STEP: adds its units; fails if the step is not one of these
long_units()
{
	local step=$1 cpus suite where

	case $step in
	soak-host) return 1 ;;
	soak-race|soak-rest|kernels-*) ;;
	*)	[[ ${long_suites[$step]:-} ]] || return 1
		for where in ${long_suites[$step]}; do
			add_unit "$step/${where%=*}" "${where#*=}" 2
		done
		return ;;
	esac
	while read -r cpus suite where; do
		case $step in
		soak-race) [[ " $where" != *' race='* ]] || add_unit "$step/$suite" 600 2 ;;
		soak-rest) [[ " $where" == *' debug='* ]] || add_unit "$step/$suite" 60 2 ;;
		*)	[[ " $where" != *' stock='* && " $where" != *' defaults='* ]] ||
				add_unit "$step/$suite" 20 "$cpus" ;;
		esac
	done < <(list_selftests)
}
