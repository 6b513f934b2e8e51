// SPDX-License-Identifier: GPL-2.0
/* Quanta: when they end, and how long they were. */
#include <kunit/visibility.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include "../core/core.h"
#include "quantum.h"

#define MEAN_OF		64	/* quanta */
#define CATCH_UP	4	/* a quantum makes up for a quarter of the mean */

/**
 * gpubp_quantum_mean() - mean length of quanta
 * @wanted: mean that the parameters ask for, ns
 * @cost: duration of the last commit, ns
 * @percent: share of the time that commits may take
 *
 * Return: ns; %GPUBP_MAX_DEBT_NS at most, and a second if commits are not slow.
 */
u64 gpubp_quantum_mean(u64 wanted, u64 cost, unsigned int percent)
{
	return max(min_t(u64, wanted, NSEC_PER_SEC),
		   min(div_u64(cost * 100, percent), GPUBP_MAX_DEBT_NS));
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_quantum_mean);

/**
 * gpubp_quantum_end() - when a quantum ends
 * @due: when the run that begins it was to start; 0: at once
 * @began: when that run started
 * @mean: mean length, ns
 * @length: this one's length, drawn around @mean
 *
 * A run starts late by what its timer and its wakeup take. If its quantum ended
 * @length after it began, the mean would be longer by that; so it ends @length
 * after it was due. A long delay is not made up for by many short quanta.
 *
 * Return: ns of the clock of @due and @began.
 */
u64 gpubp_quantum_end(u64 due, u64 began, u64 mean, u64 length)
{
	if (!due || due > began)
		due = began;
	return began - min(began - due, mean / CATCH_UP) + length;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_quantum_end);

/**
 * gpubp_quanta_end_one() - a run starts: it ends the quantum, if there is one
 * @quanta: the device's
 * @now: start of the run, ns
 *
 * The device's worker only.
 */
void gpubp_quanta_end_one(struct gpubp_quanta *quanta, u64 now)
{
	s64 more;

	if (!quanta->began)
		return;
	quanta->nr = min(quanta->nr + 1, MEAN_OF);
	more = div_s64(now - quanta->began - quanta->mean, quanta->nr);
	WRITE_ONCE(quanta->mean, quanta->mean + more);
	quanta->began = 0;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_quanta_end_one);

/** gpubp_quanta_show() - print what was asked for, and what is; any context */
void gpubp_quanta_show(const struct gpubp_quanta *quanta, struct seq_file *m)
{
	seq_printf(m, "quantum_wanted_us %llu\n",
		   div_u64(READ_ONCE(quanta->wanted), NSEC_PER_USEC));
	seq_printf(m, "quantum_target_us %llu\n",
		   div_u64(READ_ONCE(quanta->target), NSEC_PER_USEC));
	seq_printf(m, "quantum_mean_us %llu\n",
		   div_u64(READ_ONCE(quanta->mean), NSEC_PER_USEC));
}
