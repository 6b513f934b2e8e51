# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -f results.awk SUITE.c|SUITE.sh...
#
# The results of selftests that can be read from their sources, one line
# "SUITE/RESULT" each: the tests of kselftest's harness, for each variant of their
# fixture that no macro makes, and those of scripts whose description has no variable.

# argument N of the macro call in this line
function argument(n,	part)
{
	split($0, part, /[(), \t]+/)
	return part[n + 1 + (part[1] == "")]
}

function end_suite(	i, n, v, variant)
{
	for (i = 1; i <= nr; i++) {
		if (variants[fixture[i]] == "" && !(fixture[i] in macro))
			print suite "/" fixture[i] "." test[i]
		n = split(variants[fixture[i]], variant, " ")
		for (v = 1; v <= n; v++)
			print suite "/" fixture[i] "." variant[v] "." test[i]
	}
	nr = 0
	split("", variants)
	split("", macro)
}

function add(of, name)
{
	fixture[++nr] = of
	test[nr] = name
}

FNR == 1 {
	end_suite()
	suite = FILENAME
	sub(/.*\//, "", suite)
	sub(/\.c$/, "", suite)
}
/^TEST\(/ { add("global", argument(1)) }
/^TEST_F(_TIMEOUT)?\(/ { add(argument(1), argument(2)) }
/^FIXTURE_VARIANT_ADD\(/ {
	variants[argument(1)] = variants[argument(1)] " " argument(2)
}
/^[ \t]+FIXTURE_VARIANT_ADD\(/ { macro[argument(1)] }
suite ~ /\.sh$/ && match($0, /^[ \t]*(ok|same) "[^"$#\\]+" /) {
	$0 = substr($0, RSTART, RLENGTH)
	sub(/^[^"]*"/, "")
	sub(/" $/, "")
	print suite "/" $0
}
END { end_suite() }
