# SPDX-License-Identifier: GPL-2.0
#
# The end of a check, from the files of results of all units: what each step took
# and how it ended, what was skipped, what was slow, what failed. Exit status 0 if
# all passed.

function clip(text)
{
	return substr(text, 1, 150)
}

FNR == 1 {
	unit = FILENAME
	sub(/.*\//, "", unit)
	gsub(/,/, "/", unit)
	step = unit
	sub(/[\/:].*/, "", step)
	if (!(step in seen))
		order[++steps] = step
	seen[step] = 1
	pass[step] += $1; fail[step] += $2; skip[step] += $3; time[step] += $4
	passed += $1; failed += $2; skipped += $3
	nr[step]++
	if ($5 != "") {
		old[step]++
		olds++
		if (oldest == "" || $5 < oldest)
			oldest = $5
	}
	units++
	took[unit] = $4
	next
}
/^F / { fails[++f] = unit ": " substr($0, 3); next }
/^S / {
	text = unit
	sub(/@.*/, "", text)	# of many runs, once
	text = text ": " substr($0, 3)
	if (!(text in told))
		skips[++s] = text
	told[text]
}

END {
	printf "\n%-18s %7s %7s %8s %11s %8s\n", "step", "passed", "failed", \
		"skipped", "remembered", "seconds"
	for (i = 1; i <= steps; i++) {
		step = order[i]
		printf "%-18s %7d %7d %8d %11s %8d\n", step, pass[step], \
			fail[step], skip[step], \
			old[step] ? old[step] " of " nr[step] : "-", time[step]
	}
	if (s)
		print "\nskipped:"
	for (i = 1; i <= s; i++)
		print "  " clip(skips[i])
	print "\nslowest:"
	for (i = 1; i <= slowest; i++) {
		best = ""
		for (unit in took)
			if (took[unit] > 0 && (best == "" || took[unit] > took[best]))
				best = unit
		if (best == "")
			break
		printf "  %5d s  %s\n", took[best], best
		delete took[best]
	}
	print ""
	if (olds)
		printf "%d of %d suites are remembered, the oldest of %s; FRESH=1 runs all\n", \
			olds, units, oldest
	if (left_out)
		printf "%d suites did not fit and were not run: make check\n", left_out
	if (not_complete != "")
		print not_complete
	if (reruns)
		printf "%d VMs were booted once more, as QEMU broke them\n", reruns
	if (f)
		print "failed (logs: " out "/jobs, build/vm):"
	for (i = 1; i <= f; i++)
		print "  " clip(fails[i])
	while (notes != "" && (getline line <notes) > 0)
		print line
	printf "%d:%02d minutes\n", seconds / 60, seconds % 60
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed || !passed
}
