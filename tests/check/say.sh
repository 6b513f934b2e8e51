# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What a check says while it runs; sourced by scripts/check, not run.

# say TEXT: with the time since the check began
said=0
say()
{
	printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
	said=$SECONDS
}

# progress TEXT: where the check is
progress()
{
	say "$1; $(find "$results" -type f ! -name '*:vm' | wc -l) of $total_units" \
		"suites done, $(grep -l '^F ' -r "$results" | wc -l) failed;" \
		"running: ${pool_pids[*]:-nothing}"
}

# open_news: messages of jobs (msg of tests/vm/lib.sh)
open_news()
{
	news_file=$(realpath "$out")/news
	: >"$news_file"
	exec {news}<"$news_file"
}

# pool_began NAME
pool_began()
{
	local unit seconds=0 nr=0

	for unit in ${lane_units[$1]:-}; do
		nr=$((nr + 1)) seconds=$((seconds + unit_seconds[$unit]))
	done
	if ((nr)); then
		say "$1 begins: $nr suites, about $seconds s"
	else
		say "$1 begins${unit_seconds[$1]:+, about ${unit_seconds[$1]} s}"
	fi
}

# pool_tick: what jobs have to say; what runs, if nothing was said for a minute
pool_tick()
{
	local line pid list=''

	while IFS= read -ru "$news" line; do
		say "$line"
	done
	((SECONDS - said >= 60)) || return 0
	for pid in "${!pool_pids[@]}"; do
		line=${pool_pids[$pid]}
		list+="${list:+, }$line for $((SECONDS - pool_started[$line])) s"
	done
	say "running: $list"
}
