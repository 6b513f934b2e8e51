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

# only GLOB: what of the suites runs; sets glob, nr_cases (empty: any number)
only()
{
	glob=$1
	nr_cases=$([ "$glob" ] || wc -l <$here/cases)
}

# report NAME [SUITE [CASES]]: the result of the suite
report()
{
	results=$kunit/gpubp_conform_${2:-$1}/results
	if [ -e "$results" ]; then
		cat "$results" >"$tmp/results"
		nr=$((nr + 1))
		sed -e 1,2d -e "s/^\(ok\|not ok\) 1 gpubp_conform_.*/\1 $nr $1/" \
			"$tmp/results"
		awk -v suite="$1" -v nr="${3-$nr_cases}" -f $here/skips.awk \
			$here/skips "$tmp/results" && verdict=good || verdict=bad
		result $verdict "$1: all cases, and skips as listed"
	elif [ -z "$glob" ]; then
		result bad "$1: no results"
	fi
}

leave()
{
	status=$?
	trap - EXIT
	# the module that has the filter may be one of these
	select_tests "$old_filter"
	# shellcheck disable=SC2086 # a list
	[ "$loaded" = ' ' ] || rmmod $loaded
	cat "$tmp/printk" >/proc/sys/kernel/printk
	rm -rf "$tmp"
	exit "$status"
}

tmp=$(mktemp -d) || exit 1
cat /proc/sys/kernel/printk >"$tmp/printk"
old_filter=$(sed 's/^(null)$//' "$filter")
trap leave EXIT
