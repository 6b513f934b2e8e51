# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -f manifest.awk FILE.c...
#
# The suites and cases of KUnit sources, one line "SUITE CASE" each, with a third
# word "param" for a case with parameters. An array of cases is the last one that
# began, a suite's is named by .test_cases. Input that is not understood is an
# error: a case outside of an array or in a macro, a suite without a name or one
# that is not registered. Only features of mawk.

function error(text)
{
	print file ": " text >"/dev/stderr"
	bad = 1
}

function strip_comments(s,    out, at, end)
{
	while ((at = index(s, "/*"))) {
		out = out substr(s, 1, at - 1) " "
		s = substr(s, at + 2)
		end = index(s, "*/")
		s = end ? substr(s, end + 2) : ""
	}
	out = out s
	gsub(/\/\/[^\n]*/, "", out)
	return out
}

function count(s, regex,    copy)
{
	copy = s
	return gsub(regex, "", copy)
}

function last_word(s)
{
	gsub(/[^A-Za-z0-9_]+/, " ", s)
	sub(/ $/, "", s)
	sub(/.* /, "", s)
	return s
}

function got_case(token,    kind, name)
{
	nr_cases++
	kind = token
	sub(/[ \t\n]*\(.*/, "", kind)
	name = last_word(token)
	if (array == "") {
		error("a case outside of an array: " name)
		return
	}
	cases[array] = cases[array] " " name
	if (kind ~ /_PARAM/)
		param[array, name] = 1
}

function end_suite(    n, i, name)
{
	if (suite_name == "" || suite_cases == "")
		error("a suite without name or cases: " suite)
	suites[++nr_suites] = suite
	n = split(cases[suite_cases], name, " ")
	if (!n)
		error("no cases: " suite)
	for (i = 1; i <= n; i++)
		print suite_name, name[i] \
			((suite_cases, name[i]) in param ? " param" : "")
	suite = suite_name = suite_cases = ""
}

function got_token(token)
{
	if (token ~ /^KUNIT_CASE/)
		got_case(token)
	else if (token ~ /^struct[ \t\n]+kunit_case/)
		array = last_word(token)
	else if (token ~ /^struct[ \t\n]+kunit_suite/) {
		suite = last_word(token)
		array = ""
	} else if (token ~ /^kunit_test_/)
		registered = registered " " token
	else if (suite == "")
		return
	else if (token ~ /^};/)
		end_suite()
	else if (token ~ /^\.name/)
		suite_name = last_word(token)
	else if (token ~ /^\.test_cases/)
		suite_cases = last_word(token)
}

function parse(s,    i, all)
{
	s = strip_comments(s)
	if (s ~ /#[ \t]*define[^\n]*KUNIT_CASE/)
		error("a case in a macro")
	all = s
	split("", cases)
	split("", param)
	array = suite = registered = ""
	nr_cases = nr_suites = 0
	while (match(s, tokens)) {
		i = substr(s, RSTART, RLENGTH)
		s = substr(s, RSTART + RLENGTH)
		got_token(i)
	}
	if (nr_cases != count(all, "KUNIT_CASE"))
		error(nr_cases " of " count(all, "KUNIT_CASE") " cases understood")
	if (nr_suites != count(all, "struct[ \t\n]+kunit_suite[ \t\n]+[A-Za-z0-9_]+[ \t\n]*="))
		error("not each suite understood")
	for (i = 1; i <= nr_suites; i++)
		if (registered !~ "[^A-Za-z0-9_]" suites[i] "[^A-Za-z0-9_]")
			error("not registered: " suites[i])
}

BEGIN {
	w = "[ \t\n]*"
	id = "[A-Za-z0-9_]+"
	tokens = "KUNIT_CASE[A-Z_]*" w "\\(" w id \
		 "|struct[ \t\n]+kunit_case[ \t\n]+" id \
		 "|struct[ \t\n]+kunit_suite[ \t\n]+" id w "=" \
		 "|\\.name" w "=" w "\"[^\"]*\"" \
		 "|\\.test_cases" w "=" w id \
		 "|kunit_test_(init_section_)?suites?" w "\\([^)]*\\)" \
		 "|};"
}

FNR == 1 && NR > 1 { parse(text); text = "" }
{ file = FILENAME; text = text $0 "\n" }
END { parse(text); exit bad }
