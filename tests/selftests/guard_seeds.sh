#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp guard: programs with a hundred launches, each of which has one access out of
# bounds, beside 10, 100 and 1000 live buffers; and the same programs with all accesses in
# bounds. Of the first 95 in a hundred must be found in one run, in the others nothing.
#
# environment:
#   GPUBP_SEED		of the programs, default a random one
#   GPUBP_GUARD_BUGS	launches of each program, default 34

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"
stock_only "the tool is the same there"

elf=$here/gpu/bounds.elf
seed=${GPUBP_SEED:-$(awk 'BEGIN { srand(); print int(rand() * 1000000) }')}
bugs=${GPUBP_GUARD_BUGS:-34}
echo "# GPUBP_SEED=$seed GPUBP_GUARD_BUGS=$bugs"

show()
{
	[ "$1" = failed ] || return
	head -n 5 err | sed 's/^/# err: /'
	grep -vFxf found expected | head -n 20 | sed 's/^/# not found: /'
	grep -vFxf expected found | head -n 20 | sed 's/^/# found: /'
	tail -n 1 out | sed 's/^/# /'
}

# generate BUFFERS WRONG: into ./script the program, into ./expected what is to be found:
# kernel, access, width, bytes out of bounds, buffer, is it behind, distance
cat >generate.awk <<'END'
# this gives the same numbers with each awk
function random(n) {
	state = (state * 16807) % 2147483647
	return state % n
}

function expect(access, width, at, size) {
	if (at < 0)
		print kernel, access, width, (at + width > 0 ? -at : width), name, "false", -at >"expected"
	else
		print kernel, access, width, (at < size ? at + width - size : width), name, "true", \
			(at < size ? 0 : at - size) >"expected"
}

# a place of @width bytes that is wrong, at 4 bytes if it is wide
function wrong_at(width, size,		step, at) {
	step = width < 4 ? width : 4
	if (random(3) == 0)		# it begins or ends in bounds, if it can
		at = width > step ? step * (1 + random(width / step - 1)) : width
	else				# anywhere in the zone
		at = width + step * random((256 - 2 * width) / step + 1)
	# so far in front, or so far behind
	return random(2) ? -at : size - width + at
}

function right_at(width, size,		step) {
	step = width < 4 ? width : 4
	return step * (random(4) == 0 ? 0 : random((size - width) / step + 1))
}

function launch_poke(kind, n,		width, atomic, at) {
	kernel = "poke"
	atomic = kind == 5
	width = atomic ? 4 : widths[kind + 1]
	at = wrong ? wrong_at(width, 4 * n) : right_at(width, 4 * n)
	if (wrong)
		expect(atomic ? "changed atomically" : "stored", width, at, 4 * n)
	printf "run poke grid=256 wg=64 %s %d %d %d %d %d\n", name, n, random(256), at, \
		atomic ? 2 : kind, atomic
}

# items in steps, of which the last ones are outside, or the first ones in front
function launch_stride(n,		step, first, over) {
	kernel = "stride"
	step = 1 + random(int(n / 64))
	over = wrong ? 1 + random(60) : 0
	first = random(2) ? n - 1 - 63 * step + over : -over
	if (first < 0 && first != -over)	# it is outside at both ends
		first = -over
	if (wrong)
		expect("stored", 4, first < 0 ? 4 * first : \
		       4 * (first + step * int((n - first + step - 1) / step)), 4 * n)
	printf "run stride grid=64 wg=64 %s %d %d\n", name, first, step
}

# four elements an item; the last one has less
function launch_quads(n,		nr) {
	kernel = "quads"
	nr = n - n % 4
	if (wrong) {
		nr = nr == n ? n + 1 : n
		expect("stored", 16, 16 * int(nr / 4), 4 * n)
	}
	printf "run quads grid=256 wg=64 %s %d\n", name, nr
}

BEGIN {
	split("1 2 4 8 16", widths)
	state = 1 + seed % 2147483646
	for (i = 0; i < 10; i++)
		random(2)
	# what is beside them must be mapped, so that later launches run
	for (i = 0; i < buffers; i++) {
		size[i] = 64 + random(190)
		if (i % 50 == 0)
			printf "buf front%d u32 256", i
		printf ", b%d u32 %d", i, size[i]
		if (i % 50 == 49 || i == buffers - 1)
			printf ", behind%d u32 256\n", i
	}
	# each instruction at most once for each buffer
	first = random(8 * buffers)
	for (i = 0; i < bugs; i++) {
		which = (first + 37 * i) % (8 * buffers)
		kind = which % 8
		b = int(which / 8)
		name = "b" b
		if (kind < 6)
			launch_poke(kind, size[b])
		else if (kind == 6)
			launch_stride(size[b])
		else
			launch_quads(size[b])
	}
	print "wait"
}
END

generate()
{
	: >expected
	awk -v seed="$seed" -v buffers="$1" -v wrong="$2" -v bugs="$bugs" -f generate.awk >script
	sort -o expected expected
}

guard()
{
	perf-gpubp guard --json -o out -- gpubp-run -f script "$elf" >app 2>err
	status=$?
	# the same as is in ./expected
	sed -n 's/.*"kernel":"\([^"]*\)","access":"\([^"]*\)","width":\([0-9]*\),.*"outside":\([0-9]*\),.*"buffer":"\([^"]*\)",.*"behind":\([a-z]*\),"distance":\([0-9]*\),.*/\1 \2 \3 \4 \5 \6 \7/p' \
		out | sort >found
}

for buffers in 10 100 1000; do
	generate $buffers 1
	guard
	nr=$(sort -u found | grep -cFxf expected)
	echo "# $buffers buffers: $nr of $bugs, $(grep -c . found) findings"
	ok "$buffers buffers: 95 in a hundred are found in one run" $status -eq 1 -a $((nr * 100)) -ge $((bugs * 95))
	ok "$buffers buffers: and nothing else" "$(grep -cvFxf expected found)" -eq 0
	generate $buffers 0
	guard
	ok "$buffers buffers: nothing in a correct program" "$status $(wc -l <found)" = "0 0"
done

echo "1..$n"
exit $failed
