# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -v suite=NAME -v nr=CASES -f skips.awk skips RESULTS
#
# Compare the cases that a suite skipped, and the reasons, with the list; print
# differences and fail. RESULTS must have CASES cases, or any number if CASES is
# empty.

function differs(what)
{
	print "# " suite ": " what
	bad = 1
}

/^#/ && FNR == NR || !NF {
	next
}

FNR == NR {
	if ($1 == suite) {
		name = $2
		sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
		listed[name] = $0
	}
	next
}

/^    (not )?ok [0-9]+ / {
	name = $1 == "ok" ? $3 : $4
	ran[name] = 1
	nr_ran++
	if (!match($0, / # SKIP /)) {
		if (name in listed)
			differs(name " ran, but is listed")
		next
	}
	reason = substr($0, RSTART + RLENGTH)
	sub(/^[a-z]+: /, "", reason)
	if (!(name in listed))
		differs(name " was skipped: " reason)
	else if (listed[name] != reason)
		differs(name " was skipped: " reason ", not: " listed[name])
}

END {
	for (name in listed)
		if (!(name in ran) && nr)
			differs(name " is listed, but no case")
	if (nr && nr_ran != nr)
		differs(nr_ran " cases ran, not " nr)
	exit bad
}
