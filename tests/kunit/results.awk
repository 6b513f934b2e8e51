# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -v n=N -v title=TITLE -f results.awk MANIFEST suite=SUITE RESULTS...
#
# Print results files of KUnit as the parts N+1 and so on of one stream; each
# part
# has a result. Not ok if a case of the manifest has no result, if a case is not
# in
# the manifest, or if one with parameters ran for none. Only features of
# busybox.

function complain(text)
{
	print "    # " text
	bad = 1
}

function begin()
{
	now = suite
	good = bad = below = 0
	split("", got)
}

function end(	key, at)
{
	if (now == "")
		return
	for (key in want) {
		split(key, at, " ")
		if (at[1] == now && !(at[2] in got))
			complain("no result: " at[2])
	}
	n++
	print (good && !bad ? "ok " : "not ok ") n " " now title
}

FILENAME == ARGV[1] {
	want[$1 " " $2] = $3 == "param"
	next
}
FNR == 1 {
	end()
	begin()
}
/^(not )?ok 1 / { good = $1 == "ok" && $3 == suite; next }
/^(KTAP version 1|1\.\.1)?$/ { next }
{ print }
/^        ok [0-9]/ { below++ }
/^    (not )?ok [0-9]/ {
	name = $1 == "not" ? $4 : $3
	if (!((suite " " name) in want))
		complain("not in the manifest: " name)
	else if (want[suite " " name] && !below)
		complain("no parameters: " name)
	got[name] = 1
	below = 0
}
END { end() }
