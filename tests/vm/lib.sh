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

# Messages go to stderr: stdout belongs to results.
msg()
{
	printf '%s: %s\n' "$prog" "$*" >&2
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
