# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# bash completion of perf-gpubp: verbs, and their options; else files and commands.

_perf_gpubp()
{
	local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]:-} words i

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(perf-gpubp --list-cmds)" -- "$current")
		return
	fi
	# behind "--" is a command
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != -- ]] || return
	done
	[[ $current == -* ]] || return
	words=$(perf-gpubp "$verb" --list-opts 2>/dev/null)
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o bashdefault -o default -F _perf_gpubp perf-gpubp
