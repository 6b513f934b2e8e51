#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What perf makes of the PMU's format and events files: of every field, every
# alias, and both together. All perfs below /perf are tried (see tests/vm/run
# --perf), or else the one in PATH. Nothing is opened successfully but by
# chance: perf shows the attribute before.

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

# attr COMMAND EVENT [OPTIONS]: "config config1 config2 [period]" of the first
# attribute of our type that perf shows, or "refused"
attr()
{
	command=$1
	event=$2
	shift 2
	[ "$command" != record ] || set -- -BN --synth=no -o data "$@"
	"$perf" "$command" -vv "$@" -e "$event" -- true >out 2>&1 </dev/null
	awk -v type="$type" '
		/^perf_event_attr:/ { inside = 1; c = c1 = c2 = p = 0; next }
		!inside { next }
		/^----/ { if (mine) exit; inside = 0; next }
		$1 == "type" { mine = $2 == type }
		$1 == "config" { c = $2 }
		/config1 }/ { c1 = $NF }
		/config2 }/ { c2 = $NF }
		/sample_freq }/ { p = $NF }
		END { print mine ? c " " c1 " " c2 " " p : "refused" }' out
}

# hex NUMBER: as perf shows it
hex()
{
	if [ $(($1)) = 0 ]; then
		echo 0
	else
		printf '0x%x\n' $(($1))
	fi
}

# A field's file says "WORD:FIRST-LAST" or "WORD:BIT".
first_bit()
{
	sed 's/.*://; s/-.*//' "$pmu/format/$1"
}

width()
{
	last=$(sed 's/.*[:-]//' "$pmu/format/$1")
	echo $((last - $(first_bit "$1") + 1))
}

largest()
{
	if [ "$(width "$1")" = 64 ]; then
		echo 0xffffffffffffffff
	else
		hex $(((1 << $(width "$1")) - 1))
	fi
}

# add TERMS: to the words config, config1 and config2, and period
add()
{
	for term in $(echo "$1" | tr , ' '); do
		field=${term%%=*}
		value=${term#*=}
		[ "$value" != "?" ] || continue
		[ "$value" != "$field" ] || value=1
		if [ "$field" = period ]; then
			period=$((value))
			continue
		fi
		eval "$(sed 's/:.*//' "$pmu/format/$field")=\$(($(
			sed 's/:.*//' "$pmu/format/$field"
			) | (value << $(first_bit "$field"))))"
	done
}

# expected TERMS...: what attr() should say
expected()
{
	config=0 config1=0 config2=0 period=0
	for terms; do
		add "$terms"
	done
	echo "$(hex $config) $(hex $config1) $(hex $config2) $period"
}

# required ALIAS: its parameters without a value, with one
required()
{
	tr , '\n' <"$pmu/events/$1" | sed -n 's/=?$/=0x1001/p' | paste -sd ,
}

check_fields()
{
	all=
	for file in "$pmu"/format/*; do
		field=${file##*/}
		max=$(largest "$field")
		all=$all${all:+,}$field=$max
		ok "$version: field $field" "$(attr stat "gpubp/$field=$max/")" \
			"$(expected "$field=$max")"
		[ "$(width "$field")" = 64 ] ||
			ok "$version: field $field takes no larger value" \
				"$(attr stat "gpubp/$field=$((max + 1))/")" refused
	done
	ok "$version: all fields" "$(attr stat "gpubp/$all/")" \
		"$(expected "$all")"
}

check_aliases()
{
	for file in "$pmu"/events/*; do
		alias=${file##*/}
		with=$(required "$alias")
		event=gpubp/$alias${with:+,$with}
		terms=$(cat "$file")
		ok "$version: alias $alias" "$(attr record "$event/" -c 7)" \
			"$(expected "$terms" "$with" period=7)"
		ok "$version: alias $alias with fields" \
			"$(attr stat "$event,device=0x81,process=1,code=0x80000001/")" \
			"$(expected "$terms,period=0" "$with" \
				device=0x81,process=1,code=0x80000001)"
		[ -z "$with" ] ||
			ok "$version: alias $alias alone" \
				"$(attr stat "gpubp/$alias/")" refused
	done
}

# The ABI: what users have in their scripts.
check_known()
{
	where=addr=0x7f2a40001200,len=4
	words="0x7f2a40001200 0x4"
	while read -r alias config; do
		ok "$version: $alias is $config" \
			"$(attr record "gpubp/$alias,$where/")" "$config $words 1"
	done <<-END
		watch 0x601
		watch_r 0x101
		watch_w 0x201
		watch_rw 0x701
		watch_atomic 0x401
	END
	ok "$version: gpu_break" \
		"$(attr record "gpubp/gpu_break,addr=0x7f2a40001200/")" \
		"0x2 0x7f2a40001200 0 1"
	ok "$version: gpu_trap" "$(attr record "gpubp/gpu_trap,code=3/")" \
		"0x300000003 0 0 1"
	ok "$version: where the fields are" \
		"$(attr stat "gpubp/kind=1,access=2,process=1,changed=1,named=1,device=5,code=0x80000001,$where/")" \
		"0x80000001050d0201 $words 0"
	ok "$version: -c" "$(attr record "gpubp/watch_w,$where/" -c 5)" \
		"0x201 $words 5"
	ok "$version: period=" "$(attr record "gpubp/watch_w,$where,period=5/")" \
		"0x201 $words 5"
	ok "$version: freq=" "$(attr record "gpubp/watch_w,$where,freq=500/")" \
		"0x201 $words 500"
	ok "$version: no field" "$(attr stat gpubp//)" "0 0 0 0"
}

# Nobody takes it for something else than gpubp//.
check_bare()
{
	got=$(attr stat gpubp)
	echo "# $version: -e gpubp: $got"
	[ "$got" = refused ] || ok "$version: bare gpubp" "$got" "0 0 0 0"
}

tmp=$(mktemp -d)
trap 'all_symbols; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
few_symbols
for perf in $perfs; do
	version=$("$perf" --version)
	check_fields
	check_aliases
	check_known
	check_bare
done
echo "1..$n"
exit $failed
