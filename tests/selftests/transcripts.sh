#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The transcripts of the documents: runs their commands as they are written there, and
# compares the output with what the document shows (tests/docs/transcripts).

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

# other kernels have, and make check-kernels brings, other versions of perf
if [ "$(cat /etc/vm/kernel)" != stock ] || [ "${PATH#/perf/}" != "$PATH" ]; then
	echo "1..0 # SKIP the documents show the output of the stock kernel's perf"
	exit 4
fi
dir=$here/transcripts.sh.d

show()
{
	[ "$1" = failed ] || return
	sed 's/^/# /' differences
	sed 's/^/#	/' got
}

# compare WANT GOT: differences in ./differences
compare()
{
	awk -f "$dir/transcript.awk" "$1" "$2" >differences
}

# what readers of the documents have in their directory
ln -s "$here/gpu/bounds.elf" "$here/gpu/loop.elf" "$here/gpu/nan.elf" "$here/gpu/vadd.elf" /lib/gpubp/gpubp_sample.ko .

# what the commands change
changed="/proc/sys/kernel/randomize_va_space /sys/module/gpubp/parameters/escalations"
for file in $changed; do
	echo "$(cat "$file") $file"
done >settings

for run in "$dir"/*.run; do
	name=${run##*/}
	name=${name%.run}
	sh "$run" >got 2>&1
	compare "$dir/$name.want" got
	ok "$name" $? -eq 0
	while read -r value file; do
		echo "$value" >"$file"
	done <settings
done
ok "there are transcripts" $n -gt 5

# got is that of the last one
sed 's/[a-z0-9]$/&x/' got >changed
compare "$dir/$name.want" changed
ok "a different output is noticed" $? -ne 0
sed '$d' got >changed
compare "$dir/$name.want" changed
ok "a missing line is noticed" $? -ne 0
{ cat got; echo more; } >changed
compare "$dir/$name.want" changed
ok "another line is noticed" $? -ne 0

echo "1..$n"
exit $failed
