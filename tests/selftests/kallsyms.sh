# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Sourced by what runs perf. At each start perf reads /proc/kallsyms, some of its
# commands twice: 160000 lines that the kernel makes one by one, which takes an
# emulator seconds. The symbols of GPU kernels are elsewhere.

# few_symbols FILE: only those that perf looks for, in a file that is to stay
few_symbols()
{
	grep -E ' (_text|_stext|_etext|_sdata|_edata|_end)$' /proc/kallsyms >"$1"
	mount --bind "$1" /proc/kallsyms
}

all_symbols()
{
	umount /proc/kallsyms
}
