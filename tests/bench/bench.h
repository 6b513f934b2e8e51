/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures: the same done with events of several kinds, in turns, in one run.
 *
 * A figure is a time in ns. On a machine whose clock counts instructions (see
 * --icount of tests/vm/run) that is the number of instructions that all
 * processors executed, for any process.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/perf_event.h>

/**
 * enum subject - what is compared
 * @NOTHING: no event
 * @DUMMY: software events that never count
 * @BREAKPOINT: breakpoints of the CPU
 * @WATCH: gpubp's, of a process without a GPU context
 * @ARMED: gpubp's, of a process with one: armed
 */
enum subject { NOTHING, DUMMY, BREAKPOINT, WATCH, ARMED, NR_SUBJECTS };

#define ONLY(subject)	(1u << (subject))
#define ALL_SUBJECTS	((1u << NR_SUBJECTS) - 1)

#define BREAKPOINTS	4	/* that a CPU has */

/* flags of bench_event() */
#define BENCH_INHERIT	1u
#define BENCH_DISABLED	2u
#define BENCH_SAMPLE	4u	/* each hit */

/** die() - something that must work did not; what it was is printed */
void die(const char *what) __attribute__((noreturn));

/** bench_init() - before the first figure; rows go to the file @path, too */
void bench_init(const char *path);

/**
 * bench_event() - open an event
 * @subject: its kind
 * @addr: what it watches
 * @flags: BENCH_*
 * @pid: task, 0 the caller
 *
 * Return: file descriptor, -1 for NOTHING.
 */
int bench_event(enum subject subject, uint64_t addr, unsigned int flags,
		pid_t pid);

/** bench_close() - close what bench_event() opened */
void bench_close(int fd);

/** bench_on_cpu() - run on CPU 0 only, children too */
void bench_on_cpu(void);

/** bench_pipe() - or die */
void bench_pipe(int fd[2]);

/**
 * bench_begin(), bench_end() - what is in between is measured
 *
 * Idle time does not count where the clock counts instructions.
 */
void bench_begin(void);
uint64_t bench_end(void);

/**
 * struct figure - one row
 * @name: what is done
 * @subjects: with what, a mask of ONLY()
 * @ops: how often a run does it
 * @run: do it; return what bench_end() said
 * @arg: for @run
 */
struct figure {
	const char *name;
	unsigned int subjects;
	unsigned int ops;
	uint64_t (*run)(enum subject subject, const struct figure *fig);
	const void *arg;
};

/** bench_compare() - several rounds with all subjects; the best of each is reported */
void bench_compare(const struct figure *fig);

/** bench_row() - tell a row; what is below 0 there is none of */
void bench_row(const char *name, const double value[NR_SUBJECTS]);

/** bench_value() - a row of one value */
void bench_value(const char *name, enum subject subject, double value);

/* the figures */
void bench_threads(void);
void bench_enables(void);
void bench_opens(void);
void bench_switches(void);
void bench_commits(void);
void bench_hits(void);

#endif /* BENCH_H */
