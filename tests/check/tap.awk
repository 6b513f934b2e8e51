# SPDX-License-Identifier: GPL-2.0
#
# What tests/vm/tap.awk says of a step as results have it: "PASSED FAILED SKIPPED
# SECONDS", then "F text" for what failed and "S text" for what was skipped.

$1 == "E" { sub(/^E /, ""); sub(/^ *not ok [0-9]* -* */, ""); fails[++e] = $0 }
$1 == "N" { p = $2; f = $3 }
$1 == "T" {
	split($0, field, "\t")
	if (field[3] == "skip")
		skips[++s] = field[2] ": " field[4]
}
END {
	if (e && !f)
		f = 1
	print p + 0, f + 0, s + 0, seconds + 0
	for (i = 1; i <= e; i++)
		print "F " fails[i]
	for (i = 1; i <= s; i++)
		print "S " skips[i]
}
