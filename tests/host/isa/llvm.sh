#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# llvm.sh BUILD: compare the decoder and the trap handler's words with LLVM: this
# machine's, and for gfx942, which needs LLVM 17, tests/vm/llvm.
# TAP on standard output. Without LLVM's AMDGPU tools everything is skipped.

set -u
cd "$(dirname "$0")" || exit 2
build=$1
tmp=$build/llvm
gfx9=../../../kernel/gpubp/isa/gfx9
cpus='gfx900 gfx90a gfx942'
words=1000000

mkdir -p "$tmp" && rm -f "$tmp"/*

# result STATUS NAME [DETAILS-FILE]; number() counts them
result()
{
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
		return
	fi
	echo "not ok - $2"
	[ -n "${3-}" ] && head -20 "$3" | sed 's/^/# /'
}

skip()
{
	echo "ok - $1 # SKIP $2"
}

# llvm CPU TOOL [ARGUMENTS]
llvm()
{
	llvm_cpu=$1
	shift
	case $llvm_cpu in
	gfx942)	../../vm/llvm "$@" ;;
	*)	"$@" ;;
	esac
}

# have CPU TOOL [OPTION]: with our target, of what it prints by that option
have()
{
	case $1 in
	gfx942)	../../vm/llvm --have ;;
	*)	command -v "$2" >/dev/null ;;
	esac && llvm "$1" "$2" "${3---version}" | grep -q amdgcn
}

# disassemble CPU OBJECT NAME: output of LLVM and of our decoder
disassemble()
{
	llvm "$1" llvm-objdump -dz --mcpu="$1" "$2" > "$tmp/$3.dis" &&
	awk -f objdump.awk "$tmp/$3.dis" > "$tmp/$3.llvm" &&
	awk -v words=1 -f objdump.awk "$tmp/$3.dis" |
		"$build/decode" "$1" > "$tmp/$3.ours"
}

# agree CPU OBJECT NAME: every instruction as LLVM decodes it, and at least one
agree()
{
	disassemble "$1" "$2" "$3" && [ -s "$tmp/$3.llvm" ] &&
	diff "$tmp/$3.llvm" "$tmp/$3.ours" > "$tmp/$3.diff"
}

assemble()
{
	llvm "$1" llvm-mc --arch=amdgcn -mcpu="$1" -filetype=obj -o "$3" "$2"
}

# compiled CPU SOURCE STANDARD: at every optimisation level. Sources with inline
# assembly do not compile at each; that is not an error of the decoder.
compiled()
{
	for level in 0 1 2 s; do
		name=$(basename "$2" .cl).$1.O$level
		if ! llvm "$1" clang --target=amdgcn-amd-amdhsa -mcpu="$1" -nogpulib \
			-x cl -cl-std="$3" -O$level -c -w -I../../gpu \
			-o "$tmp/$name.o" "$2" 2> "$tmp/$name.err"; then
			skip "compiled $name" "clang does not compile it"
			continue
		fi
		agree "$1" "$tmp/$name.o" "$name"
		result $? "compiled $name" "$tmp/$name.diff"
	done
}

corpus()
{
	for cl in atomics half lanes lds; do
		compiled "$1" ../corpus/$cl.cl CL2.0
	done
	for cl in ../../gpu/*.cl; do
		case $cl in
		*/variables.cl)	compiled "$1" "$cl" CL2.0 ;;
		*)		[ -e "$cl" ] && compiled "$1" "$cl" CL1.2 ;;
		esac
	done
}

listed()
{
	name=listed.$1
	case $1 in
	gfx942)	cat listed.S ;;
	*)	cat listed.S listed-to-90a.S ;;
	esac | cat - "listed-$1.S" > "$tmp/$name.s"
	assemble "$1" "$tmp/$name.s" "$tmp/$name.o" 2> "$tmp/$name.diff" &&
	agree "$1" "$tmp/$name.o" "$name"
	result $? "listed instructions, $1" "$tmp/$name.diff"
}

# swept CPU NAME OPCODES AWK-VARIABLE...: see sweep.c and sweep.awk
swept()
{
	cpu=$1
	name=swept.$1.$3
	title="$2, $1"
	"$build/sweep" "$3" > "$tmp/$name.s" &&
	assemble "$cpu" "$tmp/$name.s" "$tmp/$name.o" &&
	disassemble "$cpu" "$tmp/$name.o" "$name" &&
	awk -v "$4" -v lax="$lax" -f sweep.awk "$tmp/$name.llvm" "$tmp/$name.ours" \
		> "$tmp/$name.diff"
	result $? "$title" "$tmp/$name.diff"
}

# million CPU: the same result as LLVM for a million random words
million()
{
	name=million.$1
	llvm "$1" llvm-objdump -dz --mcpu="$1" "$tmp/million.o" |
		"$build/million" judge "$1" $words "$tmp/million.o" \
			"$tmp/$name.twins" > "$tmp/$name.diff"
	result $? "$(tail -n 1 "$tmp/$name.diff"), $1" "$tmp/$name.diff"
	llvm "$1" llvm-objdump -dz --mcpu="$1" "$tmp/$name.twins" |
		"$build/million" twins "$1" "$tmp/$name.twins" > "$tmp/$name.diff"
	result $? "$(tail -n 1 "$tmp/$name.diff"), $1" "$tmp/$name.diff"
}

handler()
{
	[ "$1" != gfx942 ] || set -- "$1" ../../vm/llvm
	LLVM_MC="${2-} llvm-mc" $gfx9/assemble.sh -c "$1" "$tmp/handler.$1.h" &&
	diff "$gfx9/trap_handler.h" "$tmp/handler.$1.h" > "$tmp/handler.$1.diff"
	result $? "trap handler's words, $1" "$tmp/handler.$1.diff"
	LLVM_MC="${2-} llvm-mc" $gfx9/assemble.sh -c "$1" -u "$tmp/unattended.$1.h" &&
	diff "$gfx9/trap_handler_unattended.h" "$tmp/unattended.$1.h" > "$tmp/unattended.$1.diff"
	result $? "words of the handler that stops no wave, $1" "$tmp/unattended.$1.diff"
}

# The set of legal instructions depends on LLVM's version: later ones accept
# modifiers and LDS loads that LLVM 14, which made most of the tables, does not.
verdicts()
{
	case $1 in
	gfx942)	version=17 lax=1 ;;
	*)	version=14 lax= ;;
	esac
	if ! llvm "$1" llvm-mc --version |
		grep -q "LLVM version $version\."; then
		skip "which opcodes are legal, $1" "LLVM is not $version"
		return
	fi
	listed "$1"
	swept "$1" '32-bit opcodes' ops32 group=1
	swept "$1" '64-bit opcodes' ops64 group=6
	million "$1"
}

processor()
{
	case $1 in
	gfx942)	lacking='no LLVM 17 in the cache' ;;
	*)	lacking='no LLVM with amdgcn' ;;
	esac
	if have "$1" llvm-mc && have "$1" llvm-objdump; then
		verdicts "$1"
		handler "$1"
	else
		skip "decoder and trap handler, $1" "$lacking"
	fi
	if have "$1" llvm-objdump && have "$1" clang --print-targets; then
		corpus "$1"
	else
		skip "compiled code, $1" "$lacking"
	fi
	echo "# end of $1"
}

# number the results of all processors; each must have printed its end
number()
{
	awk -v ends="$(echo "$cpus" | wc -w)" '
		/^# end of / { ends--; next }
		sub(/^ok/, "ok " nr + 1) || sub(/^not ok/, "not ok " nr + 1) { nr++ }
		/^not ok/ { failed = 1 }
		{ print }
		END { print "1.." nr + 0; exit failed || ends }'
}

"$build/million" object "$tmp/million.o" "$words" || exit 1
for cpu in $cpus; do
	processor "$cpu" > "$tmp/$cpu.tap" &
done
wait
for cpu in $cpus; do
	cat "$tmp/$cpu.tap"
done | number
