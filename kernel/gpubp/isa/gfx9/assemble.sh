#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# trap_handler.S -> trap_handler.h: the handlers' code for the module.
#
#	assemble.sh [-c CPU] [OUTPUT]
#
# Writes OUTPUT, by default trap_handler.h in this directory; "-" is standard
# output. Needs llvm-mc (or the command in $LLVM_MC) and llvm-objcopy with the AMDGPU
# target.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
cpu=gfx90a
if [ "${1-}" = -c ]; then
	cpu=$2
	shift 2
fi
out=${1-$here/trap_handler.h}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# section NAME ARRAY: a section of the object as an array
section()
{
	"${LLVM_OBJCOPY:-llvm-objcopy}" -O binary -j "$1" "$tmp/h.o" \
		"$tmp/h.bin"
	echo
	echo "static const u32 ${2}[] = {"
	od -An -v --endian=little -t x4 -w16 "$tmp/h.bin" |
		sed 's/ \([0-9a-f]\{8\}\)/ 0x\1,/g; s/^ /\t/'
	echo '};'
}

# words NAME [OPTIONS]: the array NAME
words()
{
	name=$1
	shift
	# shellcheck disable=SC2086	# a command, perhaps with arguments
	${LLVM_MC:-llvm-mc} --arch=amdgcn -mcpu="$cpu" -filetype=obj "$@" \
		-o "$tmp/h.o" "$here/trap_handler.S"
	section .text "$name"
	section checks "${name}_checks"
}

{
	echo '/* SPDX-License-Identifier: GPL-2.0 */'
	echo '/* trap_handler.S, assembled by assemble.sh */'
	words gfx9_trap_handler
	words gfx9_trap_handler_16 --defsym WATCH16=1
	words gfx9_trap_handler_second --defsym SECOND_LEVEL=1
	words gfx942_trap_handler --defsym GFX942=1
	words gfx942_trap_handler_16 --defsym GFX942=1 --defsym WATCH16=1
	words gfx942_trap_handler_second --defsym GFX942=1 --defsym SECOND_LEVEL=1
} > "$tmp/h.h"

if [ "$out" = - ]; then
	cat "$tmp/h.h"
else
	cp "$tmp/h.h" "$out"
fi
