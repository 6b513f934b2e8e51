# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# For the guest's scripts in this folder that attach to a program: tests/amdgpu/agent/again.hip, in
# the background, without any library of gpubp.

export HOME=/tmp GPUBP_ROCR=/rocm/lib/libgpubp-rocr.so COMPILED=/tmp/compiled
mkdir -p $COMPILED
chmod 777 $COMPILED

preload=	# by the program
again_as=root	# whose program it is

# run_as USER COMMAND...: in place of this shell
run_as()
{
	local user=$1

	shift
	exec su -s /bin/sh -c 'exec "$@"' -- "$user" sh "$@"
}

# start_again [endless]: in the background, until a line goes to its standard input, which is
# file 6
start_again()
{
	rm -f /tmp/again.in /tmp/again.out
	mkfifo /tmp/again.in
	run_as $again_as env LD_PRELOAD=$preload GPUBP_NAMES=cells \
		/tmp/compiled-once /lib/amdgpu/hip/again "$@" </tmp/again.in >/tmp/again.out 2>&1 &
	again=$!
	exec 6>/tmp/again.in
	await_line '^again: runs' /tmp/again.out || return 1
	comment </tmp/again.out
	cells=$(sed -n 's/^again: cells are at //p' /tmp/again.out)
}

# end_again: its exit status
end_again()
{
	local status

	echo stop >&6
	exec 6>&-
	wait $again
	status=$?
	comment </tmp/again.out
	return $status
}

# the round that it is in now
round()
{
	local lines

	lines=$(grep -c 'again: round' /tmp/again.out)
	echo say >&6
	await has_rounds $((lines + 1)) || return 1
	sed -n 's/^again: round //p' /tmp/again.out | tail -n 1
}

has_rounds()
{
	[ "$(grep -c 'again: round' /tmp/again.out)" -ge "$1" ]
}

# rounds N: so many rounds more than now
rounds()
{
	local until now

	now=$(round) || return 1
	until=$((now + $1))
	while [ "$now" -lt $until ]; do
		now=$(round) || return 1
	done
}

