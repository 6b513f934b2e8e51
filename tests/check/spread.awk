# SPDX-License-Identifier: GPL-2.0
#
# Spread units over VMs: input "CPUS SECONDS UNIT" in the order in which they may
# run in one VM; output "NUMBER CPUS UNIT..." for each VM. The longest unit goes to
# the VM that has least to do.

{ cpus[NR] = $1; seconds[NR] = $2; unit[NR] = $3; total[$1] += $2 }

# the longest unit with that many CPUs that has no VM yet, 0: none
function longest(c,	i, best)
{
	for (i = 1; i <= NR; i++)
		if (cpus[i] == c && !vm[i] && (!best || seconds[i] > seconds[best]))
			best = i
	return best
}

function spread(c,	n, i, j, least, load, list)
{
	n = int(total[c] / length_of_vm) + 1
	while ((i = longest(c))) {
		least = 1
		for (j = 2; j <= n; j++)
			if (load[j] + 0 < load[least] + 0)
				least = j
		load[least] += seconds[i]
		vm[i] = least
	}
	for (j = 1; j <= n; j++) {
		list = ""
		for (i = 1; i <= NR; i++)
			if (cpus[i] == c && vm[i] == j)
				list = list " " unit[i]
		if (list != "")
			print ++number, c list
	}
}

END {
	if (!length_of_vm)
		length_of_vm = 420
	for (c = 1; c <= 64; c++)
		if (c in total)
			spread(c)
}
