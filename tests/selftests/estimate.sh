#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The counts that the distribution's perf stat estimates for 64 watches on four
# comparators are right on average, and their error is no larger than chance explains.
#
# The target (pacer) stores at K random moments, at each of them to a random subset of
# the watched granules: to each with probability q, independently of the others and of
# which watches are armed. Let S be the number of stores made to a watch, and p its
# share of the time. If p is right, the watch counts p S of them on average, each
# store in an independent trial: a binomial number, with variance p (1 - p) S. perf
# divides it by p: its estimate E has the variance (1 - p) S / p, and z = (E - S) /
# sqrt((1 - p) S / p) has mean 0 and variance 1.
#
# This holds if the moments are independent of each other. But a store takes some time
# and is followed by a pause, which makes them more regular. With fixed moments, in
# the worst case with exactly p K of them in the time of each watch, only the trial
# for q remains: the variance of z is then 1 - q. The actual variance is between the
# two.
#
# The sum of all z does not depend on that: at every moment exactly four watches are
# armed, so moments that one watch gains are lost by others. For any distribution of
# the moments, its variance is 1 - q for each.
#
# With 3 x 64 of them, and bounds that chance exceeds less than once in a million
# runs:
#	- their mean is within 5 sigma, 5 sqrt((1 - q) / 192). (Weighted by the
#	  sigma of each, as a sum of E - S.) A p that is wrong by 5% moves it by
#	  more than seven, where K is 600.
#	- the mean of z^2 is below 1.6 and above 0.55 (1 - q): quantiles of
#	  chi-square with 192 degrees of freedom, divided by these.
#
# All of this assumes a machine that runs all the time. If its CPUs are taken away now
# and then, the target and the watches that are armed stop for the same time L, of T
# in all: these four watches have a share that is too large by L / T, so that E is too
# small by S L / (p T) for each. The target measures its stalls (of more than 10 ms),
# and the bounds are widened by what they explain: the sum of E - S by 4 S / p times
# the sum of all L / T, that of z^2 by 4 S / (p (1 - p)) times the sum of their
# squares, twice, as one watch may have two. Without a stall, nothing is added.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/selftests/tool.sh
. "$here/tool.sh"

show()
{
	[ "$1" = ok ] || show_figures
}

watches=64	# each a lane of the target's wave
slots=4		# of the software GPU
runs=3
moments=600
stock_only "each hit takes long here: too few for a share that is wrong by 5%"
chance=0.75
pause=3000	# us, on average
parameters=/sys/module/gpubp/parameters

# set NAME VALUE: a parameter of the module
set_parameter()
{
	echo "$2" >"$parameters/$1"
}

# as many quanta as the machine can make, if time is left in between
quantum=$(cat $parameters/quantum_us)
overhead=$(cat $parameters/max_overhead_percent)
# shellcheck disable=SC2317 # called at exit
restore()
{
	set_parameter quantum_us "$quantum"
	set_parameter max_overhead_percent "$overhead"
	cleanup
}
trap restore EXIT
set_parameter quantum_us 500
set_parameter max_overhead_percent 30

# estimate SEED: a line "estimate time-running percentage stores" for each watch
estimate()
{
	# shellcheck disable=SC2046
	perf stat -x, -o out $(all) -- "$here/pacer" $va $watches $moments \
		$chance $pause "$1" >stores 2>>stalls
	ok "run $1: the target stores" $? -eq 0
	values
	ok "run $1: all are counted" "$(grep -c '^[0-9]* [1-9]' figures)" = $watches
	paste -d ' ' figures stores >"run$1"
}

# Over all runs: the number of percentages that differ, by more than rounding, from
# the share of the time running in the time of all comparators; the squared sum of E -
# S, divided by its variance; the mean of z squared; E and S; the bounds of the second
# and the third. In each run all comparators are in use all the time.
statistics()
{
	awk -v slots=$slots -v q=$chance -v watches=$watches '
		# the awk of busybox has no such function
		function root(x, r, i) {
			for (r = x; i < 60; i++)
				r = (r + x / r) / 2
			return r
		}
		FILENAME == "stalls" {
			if ($1 == "stalls") {
				stood += $2
				squared += $3
			}
			next
		}
		{ n++ }
		{ sum[FILENAME] += $2; run[n] = $2; file[n] = FILENAME }
		{ e[n] = $1; percent[n] = $3; s[n] = $4 }
		END {
			for (i = 1; i <= n; i++) {
				p = slots * run[i] / sum[file[i]]
				off = percent[i] - 100 * p
				wrong += off > 1 || off < -2
				d = e[i] - s[i]
				v = (1 - p) * s[i] / p
				all_d += d
				all_v += v
				squares += d * d / v
				all_e += e[i]
				all_s += s[i]
			}
			p = slots / watches
			mean = all_s / n
			sigmas = 5 + slots * mean / p * stood / root(all_v * (1 - q))
			more = 2 * slots * mean / (p * (1 - p)) * squared / n
			printf "%d %.3f %.3f %d %d %.3f %.3f\n", wrong,
				all_d * all_d / (all_v * (1 - q)), squares / n,
				all_e, all_s, sigmas * sigmas, 1.6 + more
		}' "$@"
}

# less A B: numbers
less()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

i=0
while [ $i -lt $runs ]; do
	i=$((i + 1))
	estimate $i
done
# shellcheck disable=SC2046
set -- $(statistics stalls run*)
echo "# $4 estimated, $5 made; z of the sum, squared, is $2 of $6; z squared is $3 of $7"
ok "percentages are shares of the time" "$1" = 0
less "$2" "$6"
ok "unbiased" $? = 0
less "$3" "$7"
ok "no farther off than by chance" $? = 0
less 0.1375 "$3"
ok "and no nearer" $? = 0

echo "1..$n"
exit $failed
