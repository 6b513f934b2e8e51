# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# Common to the scripts of tests/vm; sourced, not run.

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$vm_dir/../.." && pwd)
cache=${GPUBP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpubp}
build=$top/build
jobs=${GPUBP_JOBS:-$(nproc)}
prog=${0##*/}

# The output of other programs is parsed, and their makes are not ours.
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL KBUILD_OUTPUT
umask 022

# Messages go to stderr: stdout belongs to results. Those of a job of scripts/check are
# shown by it, too.
msg()
{
	printf '%s: %s\n' "$prog" "$*" >&2
	[[ ! ${GPUBP_NEWS:-} ]] ||
		printf '%s: %s\n' "${GPUBP_STEP:-$prog}" "$*" >>"$GPUBP_NEWS"
}

die()
{
	msg "$@"
	exit 1
}

# The leading comment of the script is its usage text.
usage()
{
	sed -n '4,/^[^#]/{/^# \{0,1\}/s///p;}' "$0"
	exit "${1:-0}"
}

need()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool is missing: run scripts/deps vm roots"
	done
}

# lock NAME: one process at a time builds one thing of the cache or of build/.
# The lock is held until the script ends.
lock()
{
	local fd

	mkdir -p "$(dirname "$1")"
	exec {fd}>"$1.lock"
	if ! flock -n "$fd"; then
		msg "waiting for another process that holds $1.lock"
		flock "$fd"
	fi
}

# progress PID LOG: a line every minute until the process has ended
progress()
{
	local start=$SECONDS next=20

	while kill -0 "$1" 2>/dev/null; do
		sleep 1
		((SECONDS - start >= next)) || continue
		msg "$((next / 60)):$(printf %02d $((next % 60))) $(
			grep -cE '^  (CC|AS|AR|LD) ' "$2") steps, $(
			tail -n 1 "$2" | xargs -0)"
		next=$((next < 60 ? 60 : next + 60))
	done
	return 0
}

# drop_unused NAME FILE: of the cache's folders NAME-*, those that no checkout has used
# for a month, going by the date of FILE in them
drop_unused()
{
	find "$cache" -maxdepth 2 -path "$cache/$1-*/$2" -mtime +30 \
		-printf '%h\0' | xargs -0 -r rm -rf
}

# contents_of FILE|DIR...: hashes of all files, as a part of a key
contents_of()
{
	find "$@" -type f -print0 | sort -z | xargs -0 sha256sum
}

# module_contents FILE: of a kernel module, which may be compressed
module_contents()
{
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*.zst)	zstd -dcq "$1" ;;
	*)	cat "$1" ;;
	esac
}

# in_root ROOT DIR COMMAND...: in a root directory of tests/vm/root, with DIR of
# this machine as /mnt. The mounts are gone with the command.
in_root()
{
	local root=$1 dir=$2

	shift 2
	# shellcheck disable=SC2016
	unshare --mount sh -ec '
		root=$1 dir=$2
		shift 2
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		[ "$dir" = / ] || mount --bind "$dir" "$root/mnt"
		exec chroot "$root" "$@"' sh "$root" "$dir" "$@"
}

# supported FIELD...: the fields of the lines of tests/vm/kernels
supported()
{
	awk -v fields="$*" '
		/^#VERSION/ {
			sub(/#/, "")
			for (i = 1; i <= NF; i++)
				column[$i] = i
			n = split(fields, field, " ")
			next
		}
		/^[^#]/ {
			for (i = 1; i <= n; i++)
				printf "%s%s", $column[field[i]], i < n ? " " : "\n"
		}' "$vm_dir/kernels"
}

# What a healthy kernel does not print.  Not here: "perf: interrupt took too
# long" (the emulator's processors wait for those of the host; perf lowers a
# limit that only sampling by time has) and clocks marked unstable.
faults=(
	'\bBUG[: ]' 'WARNING:' '\bOops\b' 'Kernel panic' 'KASAN: ' 'UBSAN: '
	'KCSAN: '
	'Call Trace' 'general protection' 'nable to handle' 'cut here'
	'possible circular locking' 'possible recursive locking'
	'possible deadlock' 'inconsistent lock state' 'lock held when'
	'bad unlock balance' 'held lock freed' 'suspicious RCU usage'
	'Invalid wait context' 'DEBUG_LOCKS_WARN_ON' 'lockdep is turned off'
	'turning off the locking correctness'
	'sleeping function called from invalid context'
	'scheduling while atomic' 'rcu: INFO' 'detected stall' 'kthread starved'
	'blocked for more than' '\btask .* blocked\b' 'hung_task:'
	'soft lockup' 'hard LOCKUP' 'workqueue lockup' 'workqueue: .* hogged CPU'
	'kmemleak: [0-9]+ new suspected' 'refcount_t:'
	'ODEBUG' 'list_(add|del) corruption' 'Bad page' 'nobody cared'
	'usercopy:' 'detected buffer overflow' 'protection fault'
	'page allocation failure' '[Oo]ut of memory' 'oom-kill' 'Killed process'
	'segfault at' '\btraps: ' 'printk messages dropped'
	'not ok [0-9]+'
)

# complaints CONSOLE ALLOWED...: lines with a fault that match none of those
complaints()
{
	local console=$1 allowed=() regex

	shift
	for regex; do
		allowed+=(-e "$regex")
	done
	grep -naE "$(IFS='|'; echo "${faults[*]}")" "$console" |
		if (($#)); then grep -avE "${allowed[@]}"; else cat; fi
}

# stale_int3 PROCESSORS CONSOLE ALLOWED...: TCG, with a thread a processor,
# sometimes executes a break point that the kernel patched into its own text and
# has long removed, as text_poke() does whenever a static key changes. The kernel
# knows none there and panics. That is the first complaint then, and in the text of
# vmlinux: the names of other text have brackets behind them, or there is none.
stale_int3()
{
	local smp=$1 console=$2 first

	shift 2
	((smp > 1)) || return 1
	first=$(complaints "$console" "$@" | head -n 1) || true
	[[ $first =~ int3:\ [0-9a-f]{4}\ \[#1\] ]] &&
	sed -n "${first%%:*},\$s/.*\] RIP: //p" "$console" | tr -d '\r' |
		head -n 1 |
		grep -qE '^0010:[A-Za-z_][A-Za-z0-9_.]*\+0x[0-9a-f]+/0x[0-9a-f]+$'
}

# stutter PID: while that process is there, its child stands still for tens of ms at
# random, as an emulator does on a busy machine
stutter()
{
	local child pipe

	exec {pipe}<> <(:)
	until child=$(pgrep -P "$1"); do
		kill -0 "$1" 2>/dev/null || return 0
		read -rt 0.05 -u "$pipe" || true
	done
	# shellcheck disable=SC2064 # that child
	trap "kill -CONT $child 2>/dev/null || true" EXIT
	while kill -STOP "$child" 2>/dev/null; do
		read -rt "0.0$((RANDOM % 90 + 10))" -u "$pipe" || true
		kill -CONT "$child" 2>/dev/null || break
		read -rt "0.0$((RANDOM % 90 + 10))" -u "$pipe" || true
	done
}
