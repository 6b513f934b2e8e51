# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the log of a step of one unit says of its results; sourced by scripts/check, not
# run.

# host_lines LOG: without those of VMs
host_lines()
{
	grep -v '^[^ ]*| ' "$1" || true
}

# tap_sums SECONDS: of TAP on stdin, as results have them
tap_sums()
{
	awk -f tests/vm/tap.awk | awk -v seconds="$1" -f tests/check/tap.awk
}

# vm_sums LOG SECONDS: a line for each VM that judged itself, then what failed there
vm_sums()
{
	sed -n "s/^vm [^ ]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\1 \2 \3 $2/p" "$1"
	sed -n 's/^[^ ]*| *\(not ok .*\)/F \1/p; s/^vm [^ ]*: FAIL: /F /p' "$1"
}

# add_sums: several results on stdin, as one
add_sums()
{
	awk '/^[0-9]/ { p += $1; f += $2; s += $3; t = $4; next }
		{ text[++n] = $0 }
		END {
			print p + 0, f + 0, s + 0, t + 0
			for (i = 1; i <= n; i++)
				print text[i]
		}'
}

# log_sums LOG SECONDS: "PASSED FAILED SKIPPED SECONDS", then what failed and was skipped;
# of VMs that judged themselves, and of the scripts of this machine beside them
log_sums()
{
	if ! grep -q '^vm [^ ]*: [0-9]* passed' "$1"; then
		tap_sums "$2" <"$1"
		return
	fi
	{
		vm_sums "$@"
		! grep -q '^TAP version' <<<"$(host_lines "$1")" ||
			host_lines "$1" | tap_sums "$2"
	} | add_sums
}
