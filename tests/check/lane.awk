# SPDX-License-Identifier: GPL-2.0
#
# Results of the units of a lane: from what tests/vm/tap.awk says of its log, then
# the log itself. Lines "UNIT PASSED FAILED SKIPPED SECONDS", and "- UNIT F text" or
# "- UNIT S text" for what failed, with its first message, or was skipped. class is
# that of the lane.

function is_selftests(part)
{
	sub(/@.*/, "", part)
	return part == "selftests" || part == "defaults" || part == "cpus"
}

# "PART@N" is the Nth run
function unit_of(part, path,	run)
{
	if (match(part, /@.*/)) {
		run = substr(part, RSTART)
		part = substr(part, 1, RSTART - 1)
	}
	sub(/\/.*/, "", path)
	sub(/: the statistics balance$/, "", path)
	if (part == "selftests")
		return class "/" path run
	if (part == "defaults" || part == "cpus")
		return part "/" path run
	if (part == "nomsg" || part == "spin")
		return "nomsg-" class
	return part
}

FILENAME == ARGV[1] {
	if (!sub(/^T /, ""))
		next
	split($0, field, "\t")
	unit = unit_of(field[1], field[2])
	count[unit, field[3]]++
	seen[unit] = 1
	if (field[3] == "fail") {
		details[++n] = "- " unit " F " field[2]
		names[n] = field[2]
		sub(/.*\//, "", names[n])
		names[n] = field[1] SUBSEP names[n]
	}
	if (field[3] == "skip")
		details[++n] = "- " unit " S " field[2] ": " field[4]
	next
}

# what the harness, or KUnit, says of an assertion
/^ *# .*\.c:[0-9]+/ && said == "" {
	said = $0
	sub(/\r$/, "", said)
	sub(/^ *# ([^ ]*: [A-Z]+ FAILED at )?([^ ]*\/)?/, "", said)
}
/^ *(not )?ok [0-9]+ / {
	if ($1 == "not" && said != "" && !((part, $4) in message))
		message[part, $4] = said
	said = ""
}
/^# part [^ ]*$/ { part = $3 }
/^# part [^ ]*: [0-9]+ s/ {
	name = $3
	sub(/:$/, "", name)
	if (!is_selftests(name))
		seconds[unit_of(name, "")] += $4
}
/^# [^ ]*: [0-9]+ s\r?$/ && part != "" {
	name = $2
	sub(/:$/, "", name)
	if (is_selftests(part))
		seconds[unit_of(part, name)] += $3
}
END {
	for (unit in seen)
		print unit, count[unit, "pass"] + 0, count[unit, "fail"] + 0, \
			count[unit, "skip"] + 0, seconds[unit] + 0
	for (i = 1; i <= n; i++)
		print details[i] (names[i] in message ? ": " message[names[i]] : "")
}
