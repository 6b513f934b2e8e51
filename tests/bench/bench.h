/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Benchmarks: the same work with events of several kinds, alternating, in one
 * run.
 *
 * A figure is a time in ns. On a machine whose clock counts instructions (see
 * --icount of tests/vm/run) that is the number of instructions that all
 *	processors executed, for any process.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/perf_event.h>

/**
 * enum subject - the alternatives that are compared
 * @NOTHING: no event
 * @DUMMY: software events that never count
 * @BREAKPOINT: breakpoints of the CPU
 * @WATCH: gpubp events of a process without a GPU context
 * @ARMED: gpubp events of a process with a GPU context, armed
 */
enum subject { NOTHING, DUMMY, BREAKPOINT, WATCH, ARMED, NR_SUBJECTS };

#define ONLY(subject)	(1u << (subject))
#define ALL_SUBJECTS	((1u << NR_SUBJECTS) - 1)

#define BREAKPOINTS	4	/* number of breakpoints of a CPU */

/* flags of bench_event() */
#define BENCH_INHERIT	1u
#define BENCH_DISABLED	2u
#define BENCH_SAMPLE	4u	/* sample each hit */
#define BENCH_METER	8u	/* the trap handler counts */

/** die() - print the error of @what and exit with status 1 */
void die(const char *what) __attribute__((noreturn));

/**
 * bench_init() - before the first figure; rows are also written to the file
 *	@path
 */
void bench_init(const char *path);

/**
 * bench_event() - open an event
 * @subject: its kind
 * @addr: address to watch
 * @flags: BENCH_*
 * @pid: task, 0 the caller
 *
 * Return: file descriptor, -1 for NOTHING.
 */
int bench_event(enum subject subject, uint64_t addr, unsigned int flags,
		pid_t pid);

/** bench_close() - close what bench_event() opened */
void bench_close(int fd);

/** bench_on_cpu() - run on CPU 0 only, with all children */
void bench_on_cpu(void);

/** bench_pipe() - create a pipe, or die */
void bench_pipe(int fd[2]);

/**
 * bench_begin(), bench_end() - measure the time in between
 *
 * Idle time is excluded where the clock counts instructions.
 */
void bench_begin(void);
uint64_t bench_end(void);

/**
 * struct figure - one row
 * @name: text of the row
 * @subjects: subjects to measure, a mask of ONLY()
 * @ops: number of operations of a run
 * @run: does a run and returns the value of bench_end()
 * @arg: for @run
 */
struct figure {
	const char *name;
	unsigned int subjects;
	unsigned int ops;
	uint64_t (*run)(enum subject subject, const struct figure *fig);
	const void *arg;
};

/**
 * bench_compare() - several rounds with all subjects; reports the best of each
 */
void bench_compare(const struct figure *fig);

/** bench_compare_times() - likewise, that many rounds */
void bench_compare_times(const struct figure *fig, unsigned int rounds);

/** bench_row() - print a row; values below 0 are missing */
void bench_row(const char *name, const double value[NR_SUBJECTS]);

/** bench_value() - a row with one value */
void bench_value(const char *name, enum subject subject, double value);

/* the figures */
void bench_threads(void);
void bench_enables(void);
void bench_opens(void);
void bench_switches(void);
void bench_commits(void);
void bench_hits(void);
void bench_background(void);
void bench_beside(void);
void bench_inexact(void);
void bench_irqs_off(void);
void bench_one_word(void);
void bench_set_close(void);
void bench_quanta(void);
void bench_set_memory(void);
void bench_churn(void);
void bench_crowd(void);
void bench_fairness(void);
void bench_recorded(void);
void bench_holds(void);

#endif /* BENCH_H */
