# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by run and faults; sourced in the top directory of the project.

# conform_boot NAME TIMEOUT SCRIPT [OPTIONS OF tests/vm/run]
conform_boot()
{
	local name=$1 timeout=$2 script=$3 tree=build/conform/tree

	shift 3
	mkdir -p build
	tests/vm/modules debug >build/conform-modules.log 2>&1 || {
		tail -40 build/conform-modules.log
		exit 1
	}
	tests/conform/guest/install "$tree"
	exec tests/vm/run --kernel debug --name "$name" --timeout "$timeout" \
		"$@" --append kunit.filter_glob=none \
		--tree build/debug/tree --tree "$tree" -- \
		"set -f; sh /lib/gpubp/conform/$script"
}
