# SPDX-License-Identifier: GPL-2.0
#
# Check the TAP and KTAP streams of a test run.  Output: one line "E text" for
# each thing that is wrong, then "N passed failed skipped".
#
# Streams follow each other, each with a plan first or last.  Blocks indented
# deeper are subtests; the result line after a block sums it up and is not
# counted again.  A subtest may lack a plan (KUnit's parameters do), a stream
# may not.  Keep to what mawk knows.

function error(text)
{
	print "E " text
}

# Levels 1 (the stream) to depth (the innermost open block).
function open_level(indent)
{
	depth++
	ind[depth] = indent
	plan[depth] = -1
	results[depth] = last[depth] = 0
	bad[depth] = 0
	below[depth] = below_bad[depth] = 0
	where[depth] = FNR
}

function close_level()
{
	if (plan[depth] < 0 && depth == 1)
		error("no plan for the results from line " where[1] " on")
	if (plan[depth] >= 0 && results[depth] != plan[depth])
		error("incomplete: " plan[depth] " planned, " \
		      results[depth] " reported (plan at line " \
		      plan_line[depth] ")")
	if (depth > 1 && results[depth]) {
		below[depth - 1] = 1
		below_bad[depth - 1] = bad[depth]
	}
	depth--
}

function close_stream()
{
	while (depth)
		close_level()
}

# Make the level with this indentation the innermost one.
function enter(indent)
{
	while (depth && ind[depth] > indent)
		close_level()
	if (depth && ind[depth] == indent)
		return
	if (!depth && indent)
		return		# not part of a stream
	if (!depth)
		streams++
	open_level(indent)
}

function complete()
{
	return depth == 1 && plan[1] >= 0 && results[1] >= plan[1]
}

function version(indent)
{
	if (!indent)
		close_stream()
	else if (depth && ind[depth] == indent)
		close_level()
	enter(indent)
}

function got_plan(indent, text,    n)
{
	n = text
	sub(/^1\.\./, "", n)
	n += 0
	while (depth && ind[depth] > indent)
		close_level()
	if (!indent && complete())
		close_stream()
	enter(indent)
	if (!depth)
		return
	if (plan[depth] >= 0)
		error("second plan at line " FNR ": " text)
	plan[depth] = n
	plan_line[depth] = FNR
	if (n == 0 && depth == 1) {
		if (toupper(text) !~ /# *SKIP/)
			error("empty plan at line " FNR)
		skipped++
	}
}

function result(indent, text,    ok, n, directive)
{
	ok = text !~ /^not /
	sub(/^(not )?ok[ \t]*/, "", text)
	n = text ~ /^[0-9]+/ ? text + 0 : -1
	while (depth && ind[depth] > indent)
		close_level()
	if (!indent && n == 1 && complete())
		close_stream()
	enter(indent)
	if (!depth)
		return

	if (n >= 0 && n != last[depth] + 1)
		error("out of order at line " FNR ": result " n ", expected " \
		      last[depth] + 1)
	last[depth] = n >= 0 ? n : last[depth] + 1
	results[depth]++

	directive = ""
	if (match(toupper(text), /# *(SKIP|TODO|XFAIL)/)) {
		directive = substr(toupper(text), RSTART + 1, RLENGTH - 1)
		sub(/^ */, "", directive)
	}
	if (!ok && (directive == "" || directive == "SKIP")) {
		error($0)
		bad[depth] = 1
		if (!below[depth] || !below_bad[depth])
			failed++
	} else if (!below[depth]) {
		if (directive == "SKIP" || (!ok && directive != "") ||
		    directive == "XFAIL")
			skipped++
		else
			passed++
	}
	below[depth] = below_bad[depth] = 0
}

{
	sub(/@vm:[0-9a-f]*:.*/, "")	# the harness's own
	sub(/\r$/, "")
	match($0, /^ */)
	indent = RLENGTH
	text = substr($0, indent + 1)
}

yaml { if (text == "...") yaml = 0; next }
indent && text == "---" && depth { yaml = 1; next }

text ~ /^Bail out!/ { error($0); failed++; next }
text ~ /^K?TAP version [0-9]+$/ { version(indent); next }
text ~ /^1\.\.[0-9]+[ \t]*(#.*)?$/ { got_plan(indent, text); next }
text ~ /^(not )?ok[ \t]+[0-9]+/ { result(indent, text); next }
text ~ /^(not )?ok([ \t]|$)/ && !indent { result(indent, text) }

END {
	close_stream()
	if (!streams && !failed)
		error("no TAP output at all")
	print "N", passed + 0, failed + 0, skipped + 0
}
