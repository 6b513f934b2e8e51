# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034
#
# What tests of the distribution's perf begin with; sourced, with $here set.
# They run in a directory of their own, $tmp; $app is killed at the end.
#
# A test defines show RESULT, which prints what perf said where it matters.

tmp=$(mktemp -d)
app=
n=0
failed=0

# the application: loops with stores, in a buffer there
va=0x200000000
elf=$here/gpu/loop.elf

cleanup()
{
	[ -z "$app" ] || kill -9 "$app" 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
cd "$tmp" || exit 1

command -v perf >/dev/null || {
	echo "1..0 # SKIP no perf"
	exit 4
}

# ok DESCRIPTION CONDITION...: one result
ok()
{
	what=$1
	shift
	n=$((n + 1))
	if [ "$@" ]; then
		echo "ok $n - $what"
		show ok
	else
		echo "not ok $n - $what"
		echo "# failed: $*"
		show failed
		failed=1
	fi
}
