# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Jobs under load; sourced by scripts/check, not run. The kinds:
#
#   busy   four busy processes beside the job
#   one    the job has one processor of this machine
#   slow   its VMs stand still for tens of ms at a time (stutter of tests/vm/lib.sh)

load_kinds=(busy one slow)

# load_of RUN: the kind under which that run is made, nothing without load
load_of()
{
	case $load in
	'')	;;
	all)	echo "${load_kinds[$((($1 - 1) % ${#load_kinds[@]}))]}" ;;
	*)	echo "$load" ;;
	esac
}

# be_busy PID: as long as that process and the check are there
be_busy()
{
	local i

	while kill -0 "$1" 2>/dev/null && kill -0 $$ 2>/dev/null; do
		for ((i = 0; i < 100000; i++)); do :; done
	done
}

# use_one_processor PID: and what it starts from then on
use_one_processor()
{
	local list

	list=$(taskset -cp "$1")
	list=${list##* }
	taskset -cp "${list%%[,-]*}" "$1" >/dev/null
}

# under KIND COMMAND...: KIND may be empty. The load ends with the command.
under()
{
	local kind=$1 status=0 busy=() i me=$BASHPID

	shift
	case $kind in
	busy)	for ((i = 0; i < 4; i++)); do
			be_busy "$me" &
			busy+=($!)
		done ;;
	one)	use_one_processor "$me" ;;
	slow)	export GPUBP_STUTTER=yes ;;
	esac
	"$@" || status=$?
	for i in ${busy[@]+"${busy[@]}"}; do
		kill "$i" 2>/dev/null || true
		wait "$i" || true
	done
	return $status
}
