#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-gpubp guard: programs with a seeded bug, and the same without it. With the bug, it
# must be found in one run; without it, nothing must be found.
#
# environment:
#   GPUBP_GUARD_RUNS	runs of each program that has no bug, default 2

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"
stock_only "it takes some minutes there"

show()
{
	[ "$1" = failed ] || return
	for file in err out; do
		[ ! -s "$file" ] || head -n 6 "$file" | sed "s|^|# $file: |"
	done
}

elf=$here/gpu/bounds.elf
demo=$here/guard.sh.d
programs="end front stride grid halo atomic negative rare tail size far quads half wrap
	order value three"

# lines N FORMAT: the format with each number below N
lines()
{
	i=0
	while [ $i -lt "$1" ]; do
		# shellcheck disable=SC2059 # a format
		printf "$2\n" $i
		i=$((i + 1))
	done
}

# many N: a dozen small buffers, each of which a kernel fills, and one of N elements
many()
{
	printf 'buf start u32 16'
	lines 12 ', p%d u32 16' | tr -d '\n'
	echo ", out u32 $1, last u32 16"
	lines 12 'run fill grid=64 wg=64 p%d 16'
}

# program NAME WRONG: its script; WRONG is 1, or 0 without the bug. Buffers of one
# statement lie one right behind another. Each program has eight frames or more.
program()
{
	case $1 in
	end)
		echo "buf out u32 1024, table u32 64"
		lines 8 "run fill grid=1088 wg=64 out $((1024 + $2)); wait # %d" ;;
	front)
		echo "buf in u32 1024 iota; buf table u32 64, out u32 1024"
		lines 8 "run shift grid=1024 wg=64 in out -$2; wait # %d" ;;
	stride)
		echo "buf in f32 64x64 iota; buf out f32 64x64, table f32 256"
		lines 8 "run transpose grid=4096 wg=64 in out $((64 + $2)); wait # %d" ;;
	grid)
		echo "buf in f32 1088 userptr; buf out f32 1024, table f32 64"
		lines 8 "run scale grid=$((1024 + 64 * $2)) wg=64 in out; wait # %d" ;;
	halo)
		echo "buf in f32 64x66 iota; buf top f32 64, out f32 64x64, table f32 64"
		lines 8 "run soften grid=4096 wg=64 in out 1 $((62 + 2 * $2)); wait # %d" ;;
	atomic)
		echo "buf keys u32 1024 iota; buf bins u32 60, table u32 64"
		lines 8 "run count grid=1024 wg=64 keys bins $((60 + $2)); wait # %d" ;;
	negative)
		echo "buf keys u32 256 iota; buf table u32 64, out u32 256"
		lines 8 "run scatter grid=256 wg=64 keys out $2; wait # %d" ;;
	rare)
		many 1000
		lines 50 "run rounds grid=1024 wg=64 out 1000 %d $((999 - 962 * $2)); wait" ;;
	tail)	# pairs need an even number of elements
		many $((1000 - $2))
		lines 8 "run pairs grid=512 wg=64 out $((1000 - $2)); wait # %d" ;;
	size)
		echo "buf out u32 512, table u32 256; buf large u32 1024"
		lines 8 "run fill grid=1024 wg=64 large 1024; run fill grid=1024 wg=64 out $((512 + 512 * $2)); wait # %d" ;;
	far)
		echo "buf out u32 1024"
		echo "run spread grid=64 wg=64 out $((1 + 9999999 * $2)); wait" ;;
	quads)
		echo "buf out u32 $((1024 - 2 * $2)), last u32 64"
		echo "run quads grid=256 wg=64 out $((1024 - 2 * $2)); wait" ;;
	half)	# the lanes of a wave add to one element
		echo "buf at u32 64 value 62; buf out u16 $((64 - $2)), last u16 65"
		echo "run halves grid=64 wg=64 out at; wait" ;;
	wrap)
		echo "buf row i32 64 iota; buf out f32 600000"
		[ "$2" = 0 ] || echo "cpuwrite row[63] 255999"
		echo "run rows grid=64 wg=64 row out 8960; wait" ;;
	order)	# the kernel gets both, one after the other
		echo "buf a u32 1024, b u32 1024"
		echo "run fill grid=1024 wg=64 b 1024; wait"
		echo "run fill grid=1088 wg=64 a $((1024 + 16 * $2)); wait" ;;
	value)	# of a pointer that is no pointer argument
		echo "buf out u32 1024 at 0x200000000, last u32 64"
		echo "run indirect grid=1088 wg=64 0x200000000 $((1024 + $2)); wait" ;;
	three)	# each beside memory without a name
		echo "buf a u32 1000; buf b u32 1000; buf c u32 1000, d u32 16"
		echo "run three grid=1024 wg=64 a b c 1000 $2; wait" ;;
	esac
}

# what must be said
finding()
{
	case $1 in
	end)		echo "fill+0x.* stored 4 bytes at 0 bytes behind the end of out \[4096 bytes\] (table\[0\])" ;;
	front)		echo "shift+0x.* stored 4 bytes at 4 bytes in front of out \[4096 bytes\] (table\[63\])" ;;
	stride)		echo "transpose+0x.* stored 4 bytes at .* bytes behind the end of out .*(table\[" ;;
	grid)		echo "scale+0x.* stored 4 bytes at 0 bytes behind the end of out .*(table\[0\])" ;;
	halo)		echo "soften+0x.* stored 4 bytes at 4 bytes behind the end of out .*(table\[1\])" ;;
	atomic)		echo "count+0x.* changed atomically 4 bytes at 0 bytes behind the end of bins .*(table\[0\])" ;;
	negative)	echo "scatter+0x.* stored 4 bytes at 4 bytes in front of out .*(table\[63\])" ;;
	rare)		echo "rounds+0x.* stored 4 bytes at 0 bytes behind the end of out .*(last\[0\])" ;;
	tail)		echo "pairs+0x.* stored 4 bytes at 0 bytes behind the end of out .*(last\[0\])" ;;
	size)		echo "fill+0x.* stored 4 bytes at .* bytes behind the end of out .*(table\[" ;;
	far)		echo "spread+0x.* stored 4 bytes with a memory violation at .* bytes behind the end of out \[4096 bytes\]" ;;
	quads)		echo "quads+0x.* stored 16 bytes, 8 of them at 0 bytes behind the end of out \[4088 bytes\] (last+0);" ;;
	half)		echo "halves+0x.* changed atomically 4 bytes, 2 of them at 0 bytes behind the end of out \[126 bytes\] (last+0), which did not change" ;;
	wrap)		echo "rows+0x.* with a memory violation at 80048.* bytes .*in front of out \[2400000 bytes\]" ;;
	order)		echo "fill+0x.* stored 4 bytes at 0 bytes behind the end of a \[4096 bytes\] (b\[0\])" ;;
	value)		echo "indirect+0x.* stored 4 bytes at 0 bytes behind the end of out \[4096 bytes\] (last\[0\])" ;;
	three)		echo "three+0x.* stored 4 bytes at 0 bytes behind the end of c \[4000 bytes\] (d\[0\])" ;;
	esac
}

found=0
all=0
for name in $programs; do
	all=$((all + 1))
	program "$name" 1 >script
	perf-gpubp guard -o out -- gpubp-run -f script "$elf" >app 2>err
	status=$?
	sed 's/^/# /' out err
	if [ $status -eq 1 ] && grep -q "^$(finding "$name")" out; then
		found=$((found + 1))
	else
		echo "# $name: not found, exit status $status"
	fi
done
echo "# $found of $all bugs were found"
ok "bugs in programs are found in one run" $found -eq $all

false=0
for name in $programs; do
	program "$name" 0 >script
	perf-gpubp guard --runs "${GPUBP_GUARD_RUNS:-2}" -o out -- gpubp-run -f script "$elf" >app 2>err || {
		sed "s/^/# $name: /" out err
		false=$((false + 1))
	}
done
ok "nothing is found in programs without a bug" $false -eq 0

#
# the demo, of which nothing is known
#
for bug in draw+1 draw-1 blur+1 blur-1 normalise+1 normalise-1 histogram+1 histogram-1; do
	perf-gpubp guard -o out -- "$demo/demo" "$demo/$bug.elf" >app 2>err
	status=$?
	sed 's/^/# /' out
	where="0 bytes behind the end of"
	[ "$bug" = "${bug%-1}" ] || where="4 bytes in front of"
	ok "demo: $bug" "$status $(grep -c "^${bug%[+-]1}+0x.* (stencil.cl:[0-9]*) .* 4 bytes at $where " out)" = "1 1"
done
perf-gpubp guard --runs 3 -o out -- "$demo/demo" "$demo/none+1.elf" >app 2>err
ok "demo: no bug" $? -eq 0

#
# options, exit statuses
#
program end 1 >script
perf-gpubp guard --json -o out -- gpubp-run -f script "$elf" >app 2>err
ok "a finding is exit status 1" $? -eq 1
ok "as JSON" "$(grep -c '"where":"fill+0x[0-9a-f]*","source":"bounds.cl:[0-9]*".*"buffer":"out","size":4096,"behind":true,"distance":0,"inside":"table\[0\]","item":\[1024,0,0\],"nr":8,"run":1}' out)" = 1
perf-gpubp guard -- gpubp-run -f script "$elf" >app 2>err
ok "on standard output" "$(grep -c "^$(finding end)" app)" = 1
perf-gpubp guard --zone 4 -o out -- gpubp-run -f script "$elf" >app 2>err
ok "zones of four bytes" $? -eq 1

# their zones need five comparators
program three 1 >script
perf-gpubp guard --json -o out -- gpubp-run -f script "$elf" >app 2>err
ok "more ends than comparators are all armed" "$? $(grep -c '"zones":4,.*"turns":0,' out)" = "1 1"

# launches that do not wait for each other are watched one after the other
{
	program end 1 | head -n 1
	lines 20 "run fill grid=64 wg=64 table 64; run fill grid=1088 wg=64 out 1025 # %d"
	echo wait
} >script
perf-gpubp guard --json -o out -- gpubp-run -f script "$elf" >app 2>err
ok "launches without a wait between them" "$(grep -c '"buffer":"out".*"nr":20,' out) $(grep -c '"dispatches":40,"turns":0,"late":0,"overlap":0,' out)" = "1 1"

# the first launch does not end before the second one was sent
cat >script <<END
buf out u32 64; buf stop u32 1; buf other u32 1024, table u32 64
run until grid=64 wg=64 out stop; run repeat grid=1088 wg=64 other 1
cpuwrite stop[0] 1; wait
END
perf-gpubp guard --concurrent --json -o out -- gpubp-run -f script "$here/gpu/loop.elf" >app 2>err
ok "or at once, which is counted" "$? $(grep -c '"overlap":1,' out)" = "1 1"

program end 1 >script
perf-gpubp guard --suppress 'other,fill:o*' -o out -- gpubp-run -f script "$elf" >app 2>err
ok "what is suppressed is no finding" "$? $(grep -c '^8 hits were suppressed' out)" = "0 1"
printf '# the table is there\nfill:table fill:out # both\n' >list
perf-gpubp guard --suppressions list -o out -- gpubp-run -f script "$elf" >app 2>err
ok "nor what a file names" $? -eq 0
perf-gpubp guard --suppress fill:table -o out -- gpubp-run -f script "$elf" >app 2>err
ok "but another buffer is" $? -eq 1
perf-gpubp guard --suppressions nowhere -o out -- gpubp-run -f script "$elf" >app 2>err
ok "a file that is not there" "$? $(cat err)" = "255 perf-gpubp: nowhere: No such file or directory"
{
	program end 1 | head -n 2
	echo "run fill grid=1088 wg=64 times=100000 out 1025; wait"
} >script
perf-gpubp guard --first 1 --runs 5 -o out -- gpubp-run -f script "$elf" >app 2>err
ok "the command ends after the first finding" "$? $(grep -c '^1 found in 1 run' out)" = "1 1"

# the overrun of c is in a, to which the same launch may store
echo "buf c u32 1000, a u32 1000, b u32 1000
run three grid=1024 wg=64 a b c 1000 1; wait" >script
perf-gpubp guard -o out -- gpubp-run -f script "$elf" >app 2>err
ok "an overrun into another argument is not found" $? -eq 0
perf-gpubp guard --redzone 4 -o out -- gpubp-run -f script "$elf" >app 2>err
ok "but with red zones" "$? $(grep -c '^three+0x.* stored 4 bytes at 0 bytes behind the end of c \[4000 bytes\];' out)" = "1 1"
{
	program three 0
	echo "check a[999] 999; check b[999] 999; check c[999] 999"
} >script
perf-gpubp guard --redzone 100 -o out -- gpubp-run -f script "$elf" >app 2>err
ok "which change nothing else" "$? $(cat err)" = "0 "

# scale reads in without a check
echo "buf in f32 1024, table f32 64; buf out f32 1088
$(lines 8 "run scale grid=1088 wg=64 in out; wait # %d")" >script
perf-gpubp guard -o out -- gpubp-run -f script "$elf" >app 2>err
ok "loads are not looked at" $? -eq 0
perf-gpubp guard --loads -o out -- gpubp-run -f script "$elf" >app 2>err
ok "but with --loads" "$(grep -c '^scale+0x.* loaded 4 bytes at 0 bytes \(or more \)*behind the end of in \[4096 bytes\]' out)" = 1

program end 0 >script
perf-gpubp guard -o out -- sh -c "gpubp-run -f script $elf; exit 7" >app 2>err
ok "exit status of a command that fails" $? -eq 7
perf-gpubp guard -o out -- sh -c "gpubp-run -f script $elf; kill \$\$" >app 2>err
ok "that is killed" $? -eq 143
perf-gpubp guard -o out -- true >app 2>err
ok "no buffers" $? -eq 255
ok "are explained" "$(cat err)" = \
	"perf-gpubp: the command named no buffers: guard needs a program that uses libgpubp-run, or HIP"
perf-gpubp guard -o out -- /nonexistent >app 2>err
ok "no such command" $? -eq 127
ok "says one sentence" "$(wc -l <err)" = 1
perf-gpubp guard >app 2>err
ok "no command" $? -eq 129
perf-gpubp guard -o /dev/full -- gpubp-run -f script "$elf" >app 2>err
ok "a full disk" $? -eq 255

# two processes at once have the same addresses, and different buffers
program end 0 >script
program far 0 >other
perf-gpubp guard --runs 3 -o out -- sh -c "gpubp-run -f script $elf & gpubp-run -f other $elf; wait" >app 2>err
ok "two processes without a bug" $? -eq 0

echo "1..$n"
exit $failed
