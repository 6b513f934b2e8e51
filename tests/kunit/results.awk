# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -v n=N -v suite=SUITE -v title=TITLE -f results.awk MANIFEST RESULTS
#
# One suite's results file of KUnit as part N of a stream of more suites. Not ok
# if a case of the manifest has no result, if one has that is not there, or if
# one with parameters ran for none. Keep to what busybox knows.

function complain(text)
{
	print "    # " text
	bad = 1
}

FILENAME == ARGV[1] {
	if ($1 == suite) {
		want[$2] = 1
		param[$2] = $3 == "param"
	}
	next
}

/^(not )?ok 1 / { good = $1 == "ok" && $3 == suite; next }
/^(KTAP version 1|1\.\.1)$/ { next }
{ print }
/^        ok [0-9]/ { below++ }
/^    (not )?ok [0-9]/ {
	name = $1 == "not" ? $4 : $3
	if (!(name in want))
		complain("not in the manifest: " name)
	else if (param[name] && !below)
		complain("no parameters: " name)
	delete want[name]
	below = 0
}

END {
	for (name in want)
		complain("no result: " name)
	print (good && !bad ? "ok " : "not ok ") n " " title
}
