# SPDX-License-Identifier: GPL-2.0
#
# Check the TAP and KTAP streams of a test run.  Output, fields after the first
# word separated by tabs:
#
#   E text				something that is wrong
#   T part path result directive	a result: pass, fail or skip
#   P part passed failed skipped	a part
#   N passed failed skipped		all (separated by spaces)
#
# Streams follow each other, each with a plan first or last.  "# part NAME"
# between streams begins a part; results before the first one have part "-".
#
# Blocks indented deeper are subtests; the result line after a block sums it up
# and is not counted again.  The path of a result is its description after those
# of the results above it, joined by "/".  A block needs a plan like a stream,
# but for KUnit's parameters, which have a "# Subtest: NAME" instead.
#
# "not ok # TODO" is a failure unless todo=judged is set: then it is a skip, and
# the caller must know that it was expected.  Keep to what mawk knows.

function error(text)
{
	print "E " text
	wrong[part] = 1
}

function count(result)
{
	n_all[result]++
	n_part[part, result]++
}

# Leaves: what has been reported, but is not yet named by all levels above it.
# Those from kids[depth] on are of the block that the next result sums up.
function leaf(path, result, directive)
{
	count(result)
	path_of[++leaves] = path
	result_of[leaves] = result
	directive_of[leaves] = directive
}

function name_leaves(name, from,	i)
{
	for (i = from; i <= leaves; i++)
		path_of[i] = name "/" path_of[i]
}

function print_leaves(	i)
{
	for (i = 1; i <= leaves; i++)
		print "T " part "\t" path_of[i] "\t" result_of[i] "\t" \
		      directive_of[i]
	leaves = 0
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
	subtest[depth] = child[depth] = reason[depth] = ""
	kids[depth] = leaves + 1
	where[depth] = FNR
}

function close_level()
{
	if (plan[depth] < 0 && (depth == 1 || subtest[depth] == "" || !results[depth]))
		error("no plan for the results from line " where[depth] " on")
	if (plan[depth] >= 0 && results[depth] != plan[depth])
		error("incomplete: " plan[depth] " planned, " \
		      results[depth] " reported (plan at line " \
		      plan_line[depth] ")")
	# no result has named them all
	if (kids[depth] <= leaves && below[depth]) {
		error("no result for the subtests before line " FNR)
		name_leaves(child[depth] == "" ? "?" : child[depth], kids[depth])
	}
	if (depth > 1 && results[depth]) {
		below[depth - 1] = 1
		child[depth - 1] = subtest[depth]
		below_bad[depth - 1] = bad[depth]
	}
	depth--
}

function close_stream()
{
	while (depth)
		close_level()
	print_leaves()
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

function begin_part(name)
{
	close_stream()
	if (name in wrong)
		error("part " name " comes twice")
	part = name
	parts[++n_parts] = name
	wrong[name] = 0
}

function version(indent)
{
	if (!indent)
		close_stream()
	else if (depth && ind[depth] == indent)
		close_level()
	enter(indent)
}

function got_plan(indent, text,    n, skip)
{
	skip = match(toupper(text), /# *SKIP[: \t]*/) ? \
		substr(text, RSTART + RLENGTH) : ""
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
	if (n > 0)
		return
	if (skip == "")
		error("empty plan at line " FNR ", without a reason")
	if (depth == 1)
		leaf("1..0", "skip", skip)
	else
		reason[depth - 1] = skip
}

# SKIP, TODO or XFAIL, or nothing; sets description and directive
function split_directive(text,	word)
{
	description = text
	directive = word = ""
	if (match(toupper(text), /# *(SKIP|TODO|XFAIL)/)) {
		description = substr(text, 1, RSTART - 1)
		word = toupper(substr(text, RSTART + 1, RLENGTH - 1))
		sub(/^ */, "", word)
		directive = substr(text, RSTART + RLENGTH)
		sub(/^[: \t]+/, "", directive)
		if (word != "SKIP")
			directive = word " " directive
	}
	sub(/^[0-9]*[ \t]*(- )?[ \t]*/, "", description)
	sub(/[ \t]+$/, "", description)
	sub(/[ \t]+$/, "", directive)
	gsub(/\t/, " ", description)
	gsub(/\t/, " ", directive)
	return word
}

function outcome(ok, word)
{
	if (!ok)
		return word == "TODO" && todo == "judged" ? "skip" : "fail"
	return word == "SKIP" || word == "XFAIL" ? "skip" : "pass"
}

function result(indent, text,    ok, n, word, got)
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

	word = split_directive(text)
	if (description == "")
		description = last[depth]
	got = outcome(ok, word)
	if (got == "fail") {
		error($0)
		bad[depth] = 1
	}
	if (below[depth])
		name_leaves(description, kids[depth])
	if (!below[depth] || (got == "fail" && !below_bad[depth]))
		leaf(description, got, directive == "" ? reason[depth] : directive)
	if (depth == 1)
		print_leaves()
	kids[depth] = leaves + 1
	below[depth] = below_bad[depth] = 0
	reason[depth] = ""
}

BEGIN { part = "-" }

{
	sub(/@vm:[0-9a-f]*:.*/, "")	# the harness's own
	sub(/\r$/, "")
	match($0, /^ */)
	indent = RLENGTH
	text = substr($0, indent + 1)
}

yaml { if (text == "...") yaml = 0; next }
indent && text == "---" && depth { yaml = 1; next }

/^# part [^ \t]+$/ { begin_part($3); next }
text ~ /^# Subtest: ./ && depth && ind[depth] == indent {
	subtest[depth] = substr(text, 12)
	next
}
text ~ /^Bail out!/ { error($0); count("fail"); next }
text ~ /^K?TAP version [0-9]+$/ { version(indent); next }
text ~ /^1\.\.[0-9]+[ \t]*(#.*)?$/ { got_plan(indent, text); next }
text ~ /^(not )?ok[ \t]+[0-9]+/ { result(indent, text); next }
text ~ /^(not )?ok([ \t]|$)/ && !indent { result(indent, text) }

function sums(part)
{
	return n_part[part, "pass"] + 0 "\t" \
	       (n_part[part, "fail"] ? n_part[part, "fail"] : wrong[part] + 0) \
	       "\t" n_part[part, "skip"] + 0
}

END {
	close_stream()
	if (!streams && !n_all["fail"])
		error("no TAP output at all")
	for (i = 1; i <= n_parts; i++)
		print "P " parts[i] "\t" sums(parts[i])
	print "N", n_all["pass"] + 0, n_all["fail"] + 0, n_all["skip"] + 0
}
