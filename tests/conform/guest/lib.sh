# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034
#
# Shared by the scripts of this directory; sourced by busybox's sh in a guest.
# Modules that a script loaded are unloaded at its end, in reverse order.

here=/lib/gpubp/conform
filter=/sys/module/kunit/parameters/filter_glob
kunit=/sys/kernel/debug/kunit
loaded=' '
nr=0

# load MODULE [PARAMETERS]
load()
{
	# shellcheck disable=SC2086 # several parameters
	insmod "/lib/gpubp/$1.ko" ${2:-} || exit 1
	loaded=" $1$loaded"
}

# unload MODULE...
unload()
{
	for module; do
		rmmod "$module" || exit 1
		loaded="${loaded%%" $module "*} ${loaded#*" $module "}"
	done
}

# result TEST TEXT: prints a result line, "ok" if "test TEST" is true
result()
{
	nr=$((nr + 1))
	if [ "$1" = good ]; then
		echo "ok $nr $2"
	else
		echo "not ok $nr $2"
	fi
}

# select_tests GLOB: suites and cases that KUnit runs from now on; default all
select_tests()
{
	printf %s "${1:-*}" >"$filter"
}

leave()
{
	status=$?
	trap - EXIT
	# shellcheck disable=SC2086 # a list
	[ "$loaded" = ' ' ] || rmmod $loaded
	select_tests "$old_filter"
	cat "$tmp/printk" >/proc/sys/kernel/printk
	rm -rf "$tmp"
	exit "$status"
}

tmp=$(mktemp -d) || exit 1
cat /proc/sys/kernel/printk >"$tmp/printk"
old_filter=$(sed 's/^(null)$//' "$filter")
trap leave EXIT
