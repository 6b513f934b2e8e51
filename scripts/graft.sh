#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: scripts/graft.sh TREE
#
# Put gpubp into a kernel tree, to be built there: copies include/ and
# kernel/gpubp/, with tests/kunit/, tests/providers/ and tests/conform/ in
# kernel/gpubp/tests/, and adds one line each to kernel/Makefile and init/Kconfig.
# Applies the one of kernel/gpubp/providers/amdgpu/amdgpu-*.patch that was made for
# the tree's amdgpu, if any. Can be repeated.

set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
tree=${1:-}

if [[ -z $tree || $tree == -* ]]; then
	sed -n '4,/^[^#]/{/^# \{0,1\}/s///p;}' "$0"
	exit 2
fi
[[ -e $tree/kernel/events/core.c ]] || {
	echo "graft.sh: $tree is not a kernel tree" >&2
	exit 1
}

tree=$(cd "$tree" && pwd)

cd "$top"
cp -r include/. "$tree/include/"
mkdir -p "$tree/kernel/gpubp" "$tree/Documentation/gpubp"
cp -r kernel/gpubp/. "$tree/kernel/gpubp/"
mkdir -p "$tree/kernel/gpubp/tests/kunit"
cp tests/kunit/Kbuild tests/kunit/*.[ch] "$tree/kernel/gpubp/tests/kunit/"
cp -r tests/providers tests/conform "$tree/kernel/gpubp/tests/"
find "$tree/kernel/gpubp/tests" -type f -exec \
	sed -i 's,\.\./\.\./kernel/gpubp,../..,' {} +
cp -r Documentation/. "$tree/Documentation/"
cp Kconfig "$tree/kernel/gpubp/Kconfig"

add_line()
{
	grep -qxF "$1" "$2" || echo "$1" >>"$2"
}

add_line 'obj-$(CONFIG_GPUBP) += gpubp/' "$tree/kernel/Makefile"
add_line 'source "kernel/gpubp/Kconfig"' "$tree/init/Kconfig"
add_line \
	'obj-$(CONFIG_GPUBP_KUNIT_TEST) += $(addprefix tests/,kunit/ providers/ conform/)' \
	"$tree/kernel/gpubp/Kbuild"

# the first patch that fits
patch_amdgpu()
{
	local patch

	for patch in kernel/gpubp/providers/amdgpu/amdgpu-*.patch; do
		patch -d "$tree" -p1 -s -F 0 --dry-run <"$patch" >/dev/null || continue
		patch -d "$tree" -p1 -s -F 0 <"$patch"
		return
	done
	echo "graft.sh: amdgpu of this tree is another: no GPUBP_AMDGPU" >&2
}

kfd=$tree/drivers/gpu/drm/amd/amdkfd/Kconfig
[[ ! -e $kfd ]] || grep -q GPUBP "$kfd" || patch_amdgpu
echo "graft.sh: gpubp is in $tree; enable CONFIG_GPUBP"
