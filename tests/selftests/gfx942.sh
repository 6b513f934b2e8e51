#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The software GPU as a gfx942: ground truth of the kernels compiled for it, with four
# comparators, and with more of them by the other trap handler. Needs a clang for
# gfx942 when the selftests are built (tests/vm/llvm).

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = failed ] || return
	grep '^not ok' out | head -n 20 | sed 's/^/# /'
}

# skip NAME...
skip()
{
	for name; do
		n=$((n + 1))
		echo "ok $n - $name # SKIP no kernels for gfx942"
	done
}

# truth NAME PARAMETER...: every case of truth, on a GPU with these parameters
truth()
{
	name=$1
	shift
	[ -e "$here/gfx942/truth" ] || {
		skip "$name" "$name: counts and samples are the model's" \
			"$name: of hundreds of cases"
		return
	}
	reload personality=gfx942 "$@"
	ok "$name" $? -eq 0
	"$here/gfx942/truth" >out 2>&1
	ok "$name: counts and samples are the model's" $? -eq 0
	ok "$name: of hundreds of cases" "$(grep -c '^ok' out)" -gt 400
}

trap 'reload; cleanup' EXIT
truth 'four comparators'
truth 'sixteen comparators' watches=16

echo "1..$n"
exit $failed
