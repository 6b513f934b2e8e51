#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# trap_handler.S -> trap_handler.h: the handlers' code for the module.
#
#	assemble.sh [-c CPU] [-u] [OUTPUT]
#
# Writes OUTPUT, by default trap_handler.h in this directory; "-" is standard
# output. With -u they are the handlers that stop no wave, for user space; by default in
# trap_handler_unattended.h. Needs llvm-mc (or the command in $LLVM_MC) and llvm-objcopy with the AMDGPU
# target.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
cpu=gfx90a
if [ "${1-}" = -c ]; then
	cpu=$2
	shift 2
fi
name=trap_handler
if [ "${1-}" = -u ]; then
	name=trap_handler_unattended
	shift
fi
out=${1-$here/$name.h}

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

# assemble [OPTIONS]
assemble()
{
	# shellcheck disable=SC2086	# a command, perhaps with arguments
	${LLVM_MC:-llvm-mc} --arch=amdgcn -mcpu="$cpu" -filetype=obj "$@" \
		-o "$tmp/h.o" "$here/trap_handler.S"
}

# words NAME [OPTIONS]: the array NAME
words()
{
	array=$1
	shift
	assemble "$@"
	section .text "$array"
	section checks "${array}_checks"
}

# unattended NAME [OPTIONS]
unattended()
{
	array=$1
	shift
	assemble --defsym SECOND_LEVEL=1 --defsym UNATTENDED=1 "$@"
	section .text "$array"
}

{
	echo '/* SPDX-License-Identifier: GPL-2.0 */'
	echo '/* trap_handler.S, assembled by assemble.sh */'
	if [ $name = trap_handler_unattended ]; then
		unattended gfx9_trap_handler_unattended
		unattended gfx942_trap_handler_unattended --defsym GFX942=1
	else
		words gfx9_trap_handler
		words gfx9_trap_handler_16 --defsym WATCH16=1
		words gfx9_trap_handler_second --defsym SECOND_LEVEL=1
		words gfx942_trap_handler --defsym GFX942=1
		words gfx942_trap_handler_16 --defsym GFX942=1 --defsym WATCH16=1
		words gfx942_trap_handler_second --defsym GFX942=1 --defsym SECOND_LEVEL=1
	fi
} > "$tmp/h.h"

if [ "$out" = - ]; then
	cat "$tmp/h.h"
else
	cp "$tmp/h.h" "$out"
fi
