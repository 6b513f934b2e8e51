# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by scripts that run perf. At each start perf reads /proc/kallsyms, some of
# its commands twice: 160000 lines that the kernel formats one by one, which takes an
# emulator seconds. The symbols of GPU kernels are elsewhere.

# few_symbols: only the symbols that perf looks up; they are read once in a VM. Of so
# many lines busybox finds a regular expression in eight seconds, strings in one.
few_symbols()
{
	few=/tmp/kallsyms
	[ -e $few ] || {
		grep -F -e ' _text' -e ' _stext' -e ' _etext' -e ' _sdata' -e ' _edata' \
			-e ' _end' /proc/kallsyms |
			grep -E ' (_text|_stext|_etext|_sdata|_edata|_end)$' >$few.new
		mv $few.new $few
	}
	mount --bind $few /proc/kallsyms
}

all_symbols()
{
	umount /proc/kallsyms
}
