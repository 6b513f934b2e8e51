#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The table in Documentation/gpubp/use/parameters.rst and /sys/module/*/parameters:
# the same parameters, defaults and permissions; values out of a range are refused as
# the page says. The modules are loaded again for this, without parameters, and at the
# end with those of before.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

modules=/lib/gpubp
page=$here/parameters.sh.d/page.rst
core=/sys/module/gpubp/parameters

show()
{
	[ "$1" = failed ] || return
	head -n 20 out | sed 's/^/# /'
}

# rows PAGE: "MODULE NAME DEFAULT MODE RANGE" of each row of its table
rows()
{
	awk '
	function row()
	{
		if (cell[1] ~ /^\*\*/)
			module = cell[1]
		else if (module != "" && n == 6)
			print module, cell[1], cell[3],
				cell[5] == "root" ? 644 : cell[5] == "load" ? 444 : cell[5],
				cell[4]
		n = 0
	}
	/^   \* - / { row(); table = 1 }
	/^[^ ]/ { if (table) row(); table = 0 }
	table && /^   [* ] -/ {
		cell[++n] = substr($0, 8)
		sub(/^ */, "", cell[n])
		gsub(/`/, "", cell[n])
	}' "$1" | sed 's/\*\*//g'
}

# the same first four fields, of the kernel
loaded()
{
	for module in gpubp gpubp_gfx9 gpubp_sim gpubp_agent gpubp_sample; do
		for file in "/sys/module/$module/parameters/"*; do
			[ -e "$file" ] || continue
			value=$(cat "$file")
			case $value in
			Y) value=1 ;;
			N) value=0 ;;
			esac
			echo "$module ${file##*/} $value $(stat -c %a "$file")"
		done
	done
}

# differences PAGE: between it and the kernel, in ./out
differences()
{
	rows "$1" | cut -d ' ' -f 1-4 | sort >page.rows
	diff page.rows loaded.rows >out
}

# unload MODULE...: files and events are freed some time after their last close()
unload()
{
	for module; do
		i=0
		while ! rmmod "$module" 2>>out && [ $i -lt 1200 ]; do
			i=$((i + 1))
			sleep 0.1
		done
		[ ! -e "/sys/module/$module" ] || return 1
	done
}

# load CORE'S PARAMETERS: all of them
load()
{
	insmod $modules/gpubp.ko "$@" 2>>out &&
		insmod $modules/gpubp_gfx9.ko 2>>out &&
		insmod $modules/gpubp_sim.ko 2>>out &&
		insmod $modules/gpubp_agent.ko 2>>out
}

: >out
for file in "$core"/*; do
	[ "$(stat -c %a "$file")" != 644 ] || echo "${file##*/}=$(cat "$file")"
done >before
unload gpubp_agent gpubp_sim gpubp_gfx9 gpubp && load
ok "the modules load without parameters" $? -eq 0
insmod $modules/gpubp_sample.ko 2>>out
ok "so does the sample" $? -eq 0
loaded | sort >loaded.rows
ok "they have parameters" "$(wc -l <loaded.rows)" -gt 30

differences "$page"
ok "the page lists these, with their defaults and permissions" $? -eq 0
# changed DESCRIPTION SED-SCRIPT: the comparison notices such a page
changed()
{
	sed "$2" "$page" >changed.rst
	differences changed.rst
	ok "noticed: $1" $? -ne 0 -a "$(grep -c '^[-+][^-+]' out)" -ge 1
}
# shellcheck disable=SC2016 # no expansions
{
changed "a parameter that is not listed" '/``cus``/,/Compute units/d'
changed "one that does not exist" 's/``cus``/``cux``/'
changed "another default" 's/ 4096$/ 4097/'
changed "another permission" '/``cus``/,/Compute/s/load/root/'
}

#
# Numbers of gpubp: what is no unsigned number is refused; what is out of range is not
#
rows "$page" >page.all
refused='' kept='' accepted=''
while read -r module name default mode range; do
	[ "$mode" = 644 ] || continue
	file=/sys/module/$module/parameters/$name
	echo -1 2>out >"$file"
	grep -q 'Invalid argument' out || refused="$refused $name"
	[ "$(cat "$file")" = "$default" ] || kept="$kept $name"
	[ "$module" = gpubp ] || continue
	case $range in
	*" to "*) echo $((${range##* } + 1)) 2>out >"$file" ||
			accepted="$accepted $name" ;;
	esac
	echo "$default" >"$file"
done <page.all
ok "-EINVAL for a negative number" "$refused" = ""
ok "and nothing is changed" "$kept" = ""
ok "a number of gpubp may be out of its range" "$accepted" = ""

#
# gpubp_sim and the sample are not loaded then
#
unload gpubp_sample gpubp_sim
ok "both can be unloaded" $? -eq 0

# not_loaded MODULE NAME=VALUE...: with -EINVAL; the log has $says, if it is set
not_loaded()
{
	module=$1
	shift
	dmesg -c >/dev/null
	if insmod "$modules/$module.ko" "$@" 2>out; then
		rmmod "$module"
		wrong="$wrong $*: loaded;"
	elif ! grep -q 'Invalid argument' out; then
		wrong="$wrong $*: $(cat out);"
	elif [ "$says" ] && ! dmesg | grep -q "$module: .*$says"; then
		wrong="$wrong $*: $(dmesg | tail -n 1);"
	fi
}

# what the log says of that range
in_words()
{
	case $1 in
	"64, 128") echo "a power of two from 64 to 128" ;;
	"0, 1") echo "0 to 1" ;;
	[0-9]*) echo "$1" ;;
	*) echo "$1" | sed 's/, / or /g' ;;
	esac
}

wrong='' tried=0
while read -r module name default mode range; do
	[ "$module $mode" = "gpubp_sim 444" ] || continue
	says="parameter $name must be $(in_words "$range")\$"
	[ "$name" != devices ] || says="$name"
	last=${range##*[, ]}
	case $last in
	*[!0-9]*) not_loaded "$module" "$name=$last$last" ;;
	*) not_loaded "$module" "$name=$((last + 1))" ;;
	esac
	tried=$((tried + 1))
	case $range in
	0*|[!0-9]*) ;;
	*) not_loaded "$module" "$name=$((${range%%[, ]*} - 1))" ;;
	esac
done <page.all
says=
not_loaded gpubp_sim residency=reserved_vmid vmids=1
echo "$wrong" >out
ok "gpubp_sim is not loaded with a value out of range" "$wrong" = ""
ok "each of its parameters was tried" $tried \
	-eq "$(grep -c '^gpubp_sim .* 444 ' page.all)"

wrong=
insmod $modules/gpubp_sim.ko 2>>out
for value in len=0 access=8 pinned=2; do
	not_loaded gpubp_sample $value
done
echo "$wrong" >out
ok "nor is the sample" "$wrong" = ""

unload gpubp_agent gpubp_sim gpubp_gfx9 gpubp
# shellcheck disable=SC2046 # NAME=VALUE each
load $(cat before)
ok "the modules load with the parameters of before" $? -eq 0
echo "1..$n"
exit $failed
