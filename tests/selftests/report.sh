#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What perf-gpubp run says of accesses of every kind and width: which element, which
# value, how many hits; and of watches without a hit, why. Each run has up to four
# watches, one for each comparator.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"
stock_only "perf is slow there"

show()
{
	[ "$1" = failed ] || return
	for file in said out; do
		[ ! -s $file ] || sed "s|^|# $file: |" $file
	done
}

# says DESCRIPTION OPTIONS CODE LINE...: perf-gpubp run with these options, of a program
# of gpubp-run, says what the standard input has, in any order; of instructions their
# kernels
says()
{
	what=$1
	options=$2
	code=$3
	shift 3
	sort >want
	# shellcheck disable=SC2086 # a list of options
	perf-gpubp run $options -- gpubp-run "$here/gpu/$code.elf" "$@" wait >out 2>&1
	sed -E 's/\+0x[0-9a-f]+ [a-z]+\.cl:[0-9]+ / /; s/ (by a path|of another kind|the CPU)[ ,].*//' out |
		grep -v 'stood still\|comparators never\|at bytes beside' | sort >said
	ok "$what" "$(cat said)" = "$(cat want)"
}

# four buffers, one behind the other, and one for what is loaded
four="buf a u32 64, b u32 64, c u32 64, d u32 64; buf to u32 64"

# Arguments of the kernels in values.cl: where, stride, wrap, lanes, salt, to. Lane i
# stores (4 * i + 1 + n) * 0x9e3779b1 as its word n.
says "an access that begins in front of the watched bytes" \
	"-w a:u16[5]:w -w b+9,3:w -w c:f64[0]:w -w d[1]:w" values "$four" \
	'run store128 a 16 3 1 0 to; run store128 b 16 3 1 0 to' \
	'run store32 c[1] 8 3 1 0 to; run store64_offset d 8 3 15 0 to' <<END
store128 work-item (0,0,0) wrote a[5] 55974 (last seen 0), 1 hit
store128 work-item (0,0,0) wrote b+0x9 0xdaa66d (last seen 0x000000), 1 hit
store32 work-item (0,0,0) wrote c+0x4 0x9e3779b1 (last seen 0x00000000), 1 hit
store64_offset work-item (0,0,0) wrote d[1] 0x3c6ef362 (last seen 0x00000000), 1 hit
END
says "a range: the first element that was hit" \
	"-w a:i32[4..63]:w -w b:u8[0..255]:w -w c[0..63]:w -w d[0..63]:w" values "$four" \
	'run store128 a 16 3 2 0 to; run store64 b 8 7 1 0 to' \
	'run store128 c 16 3 12 0 to; run store32 d[40] 4 0 1 0 to' <<END
store128 work-item (1,0,0) wrote a[4] 387276917 (last seen 0), 1 hit
store64 work-item (0,0,0) wrote b[0] 177 (last seen 0), 1 hit
store128 work-item (2,0,0) wrote c[8] 0x8ff34739 (last seen 0x00000000), 1 hit
store32 work-item (0,0,0) wrote d[40] 0x9e3779b1, 1 hit
END
says "one store under several watches, two of which have one name" \
	"-w a[5]:w -w a[5] -w a[4..7]:w -w a:i32[5]:w" values "$four" \
	'run store128 a 16 3 2 0 to' <<END
store128 work-item (1,0,0) wrote a[5] 0xb54cda26 (last seen 0x00000000), 1 hit
store128 work-item (1,0,0) wrote a[4] 0x17156075 (last seen 0x00000000), 1 hit
store128 work-item (1,0,0) wrote a[5] -1253254618 (last seen 0), 1 hit
END
says "one instruction under several watches" "-w a[5]:w -w b:i64[2]:w -w c:u8[21]:w" \
	values "$four" 'run store32 a 4 15 0x20 0 to; run store32 b 4 15 0x20 0 to' \
	'run store32 c 4 15 0x20 0 to' <<END
store32 work-item (5,0,0) wrote a[5] 0xfa8cfb85 (last seen 0x00000000), 1 hit
store32 work-item (5,0,0) wrote b+0x14 0xfa8cfb85 (last seen 0x00000000), 1 hit
store32 work-item (5,0,0) wrote c[21] 251 (last seen 0), 1 hit
END
says "what the CPU wrote in between" "-w a:u32[5]:rw -w b:u32[5] -w c:u32[5]:w" values "$four" \
	'run load32 a 4 15 0x20 0 to; run add32_returning b 4 15 0x20 0 to; run store32 c 4 15 0x20 0 to' \
	'wait; cpuwrite a[5] 777; cpuwrite b[5] 777; cpuwrite c[5] 777' \
	'run load32 a 4 15 0x20 0 to; run add32_returning b 4 15 0x20 0 to; run store32 c 4 15 0x20 0 to' <<END
load32 work-item (5,0,0) read a[5] 0, 2 hits
add32_returning work-item (5,0,0) updated b[5] from 0 by 4203543429 (now 4203543429), 2 hits
store32 work-item (5,0,0) wrote c[5] 4203543429 (last seen 0), 2 hits
2 values no hit had left there, e.g. 0x309 in a[5] after 0:
END
says "an atomic that changes a neighbour, or nothing" \
	"-w a:u16[1]:wa:changed -w b:u16[1]:wa -w c:u64[1]:a:changed -w d:u16[3]:wa:changed" \
	values "$four" 'run cmpswap32 a 4 63 1 0 to; run cmpswap32 b 4 63 1 0 to' \
	'run cmpswap64 c 8 7 1 0 to; run add32 d 4 63 1 0 to' <<END
cmpswap32 work-item (0,0,0) updated b[1] by 40503 (last seen 0, now 0), 1 hit
no hits of a:u16[1]:wa:changed:
  * 1 access did not change the bytes (changed)
no hits of c:u64[1]:a:changed:
no hits of d:u16[3]:wa:changed:
  * while it was armed, no atomic access touched the bytes
  * while it was armed, no store or atomic access touched the bytes
  * if the bytes changed, another one wrote: an access
  * if the bytes changed, another one wrote:
END
says "accesses of another kind" "-w a[5]:w -w b[5]:r -w c[5]:a -w d[5]:rw:possible" \
	values "$four" 'run add32 a 4 15 0x20 0 to; run store32 b 4 15 0x20 0 to' \
	'run load32 c 4 15 0x20 0 to; run load32 d 4 15 0x20 0 to' <<END
no hits of a[5]:w:
  * while it was armed, no store touched the bytes
  * if the bytes changed, another one wrote: an access
no hits of b[5]:r:
  * while it was armed, no load touched the bytes
  * if the bytes changed, another one wrote: an access
no hits of c[5]:a:
  * while it was armed, no atomic access touched the bytes
  * if the bytes changed, another one wrote: an access
no hits of d[5]:rw:possible:
  * it was armed, and no hit was one of those that it counts (possible, lost)
END
says "a load over its own address" "-w a:u8[5]:r -w a:u64[1]:r" values "$four" \
	'run load32_eats a 4 15 0xff 0 to' <<END
load32_eats group (0,0,0) wave 0 read the block of a[5] ? (last seen 0, now 0), 1 hit, 1 of them possible only
load32_eats group (0,0,0) wave 0 read the block of a[1] ? (last seen 0, now 0), 1 hit, 1 of them possible only
END
says "and exactly" "-w a:u8[5]:r:exact -w b:u64[1]:r:exact -w c[8]:r:exact" values "$four" \
	'run load32_eats a 4 15 0xff 0 to; run load32_eats b 4 15 0xff 0 to' \
	'run load32_eats c 4 15 0xff 0 to' <<END
load32_eats work-item (1,0,0) read a[5] 0, 1 hit
load32_eats work-item (2,0,0) read b[1] 0x00000000, 1 hit
no hits of c[8]:r:exact:
  * while it was armed, no load touched the bytes at an exact address
  * an access that overwrites its address has no exact one but at a precise point, of which a context has as many as the parameter escalations says, 64 at most, for the code of its runtime, too; without /pp (:exact) its hit counts as possible
  * if the bytes changed, another one wrote: an access
END
says "variables of the program" "-w last:u64[0]:w -w factors[1]:r -w table:w -w calls+2,2:a" variables \
	'buf out u32 64; run touch out' <<END
touch work-item (63,0,0) wrote last[0] 63 (last seen 0), 1 hit
touch work-item (1,0,0) read factors[1] 0x00000003, 1 hit
touch work-item (0,0,0) wrote table[0] 0x00000000 (last seen 0x00000000), 1 hit
touch work-item (0,0,0) updated calls+0x2 by 0x0000 (last seen 0x0000, now 0x0000), 1 hit
END
says "a variable whose name a buffer has" "-w table[3]:w" variables \
	'buf table u32 64; run touch table' <<END
touch work-item (3,0,0) wrote table[3] 0x00000011 (last seen 0x00000000), 1 hit
END

echo "1..$n"
exit $failed
