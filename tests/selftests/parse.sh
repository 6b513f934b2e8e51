#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How perf parses the PMU's format and events files: every field, every alias, and
# both together. All perfs below /perf are tried (see tests/vm/run --perf), or else
# the one in PATH. Events need not open successfully: perf prints the attribute before
# the call.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/kallsyms.sh
. "$here/kallsyms.sh"

pmu=/sys/bus/event_source/devices/gpubp
type=$(cat $pmu/type)
perfs=$(ls /perf/*/perf 2>/dev/null || command -v perf)
n=0
failed=0

[ -n "$perfs" ] || {
	echo "1..0 # SKIP no perf"
	exit 4
}

# ok DESCRIPTION GOT EXPECTED
ok()
{
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1: $2, expected $3"
		sed 's/^/# /' out | head -n 40
		failed=1
	fi
}

# shown COMMAND OPTION...: "config config1 config2 [period]" of each attribute of our
# type that perf prints, a line each; a second try of the same one, without a feature
# that this kernel lacks, is not repeated
shown()
{
	command=$1
	shift
	[ "$command" != record ] || set -- -BN --synth=no -o data "$@"
	"$perf" "$command" -vv "$@" -- true >out 2>&1 </dev/null
	awk -v type="$type" '
		/^perf_event_attr:/ { inside = 1; mine = c = c1 = c2 = p = 0; next }
		!inside { next }
		/^----/ {
			now = c " " c1 " " c2 " " p
			if (mine && now != last)
				print last = now
			inside = 0
			next
		}
		$1 == "type" { mine = $2 == type }
		$1 == "config" { c = $2 }
		/config1 }/ { c1 = $NF }
		/config2 }/ { c2 = $NF }
		/sample_freq }/ { p = $NF }' out
}

# attr COMMAND OPTION...: the first line of shown, or "refused"
attr()
{
	shown "$@" >first
	read -r line <first || line=refused
	echo "$line"
}

# later EVENT DESCRIPTION: ask() shall show what expected() has printed for it
later()
{
	echo "$1 $config $config1 $config2 $period $2" >>cases
}

# ask COMMAND OPTION...: show all of them, with one perf if all can be opened; an
# event that cannot be opened is the last that perf shows, and the next perf continues
# after it
ask()
{
	while [ -s cases ]; do
		# shellcheck disable=SC2046
		shown "$@" $(sed 's/ .*//; s/^/-e /' cases) >attrs
		[ -s attrs ] || echo refused >attrs
		while read -r got <&3 && read -r event c c1 c2 p what; do
			ok "$version: $what" "$got" "$c $c1 $c2 $p"
		done <cases 3<attrs
		sed "1,$(wc -l <attrs)d" cases >behind
		mv behind cases
	done
}

# A field's file contains "WORD:FIRST-LAST" or "WORD:BIT": sets $word_FIELD,
# $first_FIELD and $width_FIELD
read_fields()
{
	fields='' width=''
	for file in "$pmu"/format/*; do
		field=${file##*/}
		IFS=: read -r word bits <"$file"
		fields="$fields $field"
		eval "word_$field=$word first_$field=${bits%-*}"
		eval "width_$field=$((${bits#*-} - ${bits%-*} + 1))"
	done
}

# add TERMS: add them to the words config, config1 and config2, and period
add()
{
	rest=$1
	while [ -n "$rest" ]; do
		term=${rest%%,*}
		rest=${rest#"$term"}
		rest=${rest#,}
		field=${term%%=*}
		value=${term#*=}
		[ "$value" != "?" ] || continue
		[ "$value" != "$field" ] || value=1
		if [ "$field" = period ]; then
			period=$((value))
			continue
		fi
		eval "word=\$word_$field first=\$first_$field"
		eval "$word=\$(($word | (value << first)))"
	done
}

# expected TERMS...: expected output of perf, as config, config1, config2 and period
expected()
{
	config=0 config1=0 config2=0 period=0
	for terms; do
		add "$terms"
	done
	config=$(printf '%#x' $config)
	config1=$(printf '%#x' $config1)
	config2=$(printf '%#x' $config2)
}

# required ALIAS: its parameters without a value, each with a value, in $with
required()
{
	with=
	read -r rest <"$pmu/events/$1"
	while [ -n "$rest" ]; do
		term=${rest%%,*}
		rest=${rest#"$term"}
		rest=${rest#,}
		[ "$term" = "${term%=\?}" ] ||
			with=$with${with:+,}${term%\?}0x1001
	done
}

check_fields()
{
	all=
	for name in $fields; do
		eval "width=\$width_$name"
		max=0xffffffffffffffff
		[ "$width" = 64 ] || max=$(printf '%#x' $(((1 << width) - 1)))
		all=$all${all:+,}$name=$max
		expected "$name=$max"
		later "gpubp/$name=$max/" "field $name"
		[ "$width" = 64 ] ||
			ok "$version: field $name takes no larger value" \
				"$(attr stat -e "gpubp/$name=$((max + 1))/")" refused
	done
	expected "$all"
	later "gpubp/$all/" "all fields"
	ask stat
}

check_aliases()
{
	for file in "$pmu"/events/*; do
		required "${file##*/}"
		event=gpubp/${file##*/}${with:+,$with}
		read -r alias <"$file"
		expected "$alias" "$with" period=7
		later "$event/" "alias ${file##*/}"
	done
	ask record -c 7
	others=device=0x81,process=1,code=0x80000001
	for file in "$pmu"/events/*; do
		required "${file##*/}"
		event=gpubp/${file##*/}${with:+,$with}
		read -r alias <"$file"
		expected "$alias,period=0" "$with" $others
		later "$event,$others/" "alias ${file##*/} with fields"
		[ -z "$with" ] ||
			ok "$version: alias ${file##*/} alone" \
				"$(attr stat -e "gpubp/${file##*/}/")" refused
	done
	ask stat
}

# The ABI: terms that users have in their scripts.
check_known()
{
	where=addr=0x7f2a40001200,len=4
	words="0x7f2a40001200 0x4"
	while read -r alias config; do
		echo "gpubp/$alias,$where/ $config $words 1 $alias is $config"
	done >cases <<-END
		watch 0x601
		watch_r 0x101
		watch_w 0x201
		watch_rw 0x701
		watch_atomic 0x401
	END
	cat >>cases <<-END
		gpubp/gpu_break,addr=0x7f2a40001200/ 0x2 0x7f2a40001200 0 1 gpu_break
		gpubp/gpu_trap,code=3/ 0x300000003 0 0 1 gpu_trap
		gpubp/watch_w,$where,period=5/ 0x201 $words 5 period=
		gpubp/watch_w,$where,freq=500/ 0x201 $words 500 freq=
	END
	ask record
	echo "gpubp/watch_w,$where/ 0x201 $words 5 -c" >cases
	ask record -c 5
	cat >cases <<-END
		gpubp/kind=1,access=2,process=1,changed=1,named=1,device=5,code=0x80000001,$where/ 0x80000001050d0201 $words 0 where the fields are
		gpubp// 0 0 0 0 no field
	END
	ask stat
}

# perf parses these for gpubp// only.
check_bare()
{
	got=$(attr stat -e gpubp)
	echo "# $version: -e gpubp: $got"
	[ "$got" = refused ] || ok "$version: bare gpubp" "$got" "0 0 0 0"
}

# The names that people give to buffers are those of events, whatever they mean to
# perf elsewhere; modifiers follow the slash.
check_names()
{
	for name in tail time name period config freq inherit nr cycles branch node cpu \
		rad r12 D load; do
		check_name "$(gpubp-run --event "$name:w" "$here/gpu/loop.elf" \
			"buf $name f32 4")" "$name"
	done
	check_name "$(gpubp-run --event 'time[3]:w')" 'time[3]'
	check_name "$(gpubp-run --event 'rad:f64[1..2]:ra:changed')" \
		'rad.f64[1..2].ra.changed'
	check_name "$(gpubp-run --event 'tail+0x40,8:r')" tail.0x40.8.r
	check_name "$(gpubp-run --event 0x1000/4:w)" at.0x1000.4
	check_name "$(gpubp-run --break 0x1000)" at.0x1000
	check_name "$(gpubp-run --exception mem_viol,fp)" mem_viol.fp
	check_name "$(gpubp-run --event 'tail[3]:w')D" 'tail[3]'
	ok "$version: no colon in front of a modifier" \
		"$(attr stat -e "gpubp/watch_w,$where/:D")" refused
}

# check_name EVENT NAME
check_name()
{
	"$perf" record -BN --synth=no -o data -e "$1" -- true >out 2>&1
	ok "$version: name ${1##*name=}" "$("$perf" evlist -i data 2>/dev/null | head -n 1)" "$2"
	rm -f data
}

tmp=$(mktemp -d)
trap 'all_symbols; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
few_symbols
read_fields
for perf in $perfs; do
	version=$("$perf" --version)
	check_fields
	check_aliases
	check_known
	check_bare
	check_names
done
echo "1..$n"
exit $failed
