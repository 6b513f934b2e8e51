// SPDX-License-Identifier: GPL-2.0
/* Shared by all benchmarks: a clock, events, rounds, rows. */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/hw_breakpoint.h>
#include "bench.h"
#include "event.h"

#define ROUNDS	5

/* lets background work after the boot finish; idle time is not counted */
#define REST_S	5

static FILE *rows;

void die(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * The clock. Where it counts instructions there is one processor, and a thread
 * of idle priority: the instructions that it executes are the idle time.
 */

#define IDLER_INSNS	2	/* per iteration of its loop */

static volatile uint64_t *turns;	/* shared with the idler; NULL: none */
static pid_t idler;
static uint64_t begin, begin_turns;

static void be_idle(void)
{
	struct sched_param param = {};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		die("SCHED_IDLE");
	raise(SIGSTOP);
	__asm__ volatile("1: incq (%0)\n\tjmp 1b" :: "r"(turns) : "memory");
}

static void start_idler(void)
{
	turns = mmap(NULL, sizeof(*turns), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turns == MAP_FAILED)
		die("mmap");
	idler = fork();
	if (!idler)
		be_idle();
	if (idler < 0 || waitpid(idler, NULL, WUNTRACED) != idler)
		die("idler");
}

static void end_idler(void)
{
	kill(idler, SIGKILL);
	waitpid(idler, NULL, 0);
}

void bench_begin(void)
{
	if (turns) {
		kill(idler, SIGCONT);
		usleep(1000);
		begin_turns = *turns;
	}
	begin = now_ns();
}

uint64_t bench_end(void)
{
	uint64_t ns = now_ns() - begin;

	if (!turns)
		return ns;
	ns -= IDLER_INSNS * (*turns - begin_turns);
	kill(idler, SIGSTOP);
	return ns;
}

void bench_init(const char *path)
{
	rows = fopen(path, "we");
	if (!rows)
		die(path);
	if (getenv("BENCH_INSTRUCTIONS")) {
		sleep(REST_S);
		start_idler();
		atexit(end_idler);
	}
}

void bench_on_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

void bench_pipe(int fd[2])
{
	if (pipe(fd))
		die("pipe");
}

/*
 * Events.
 */

static struct perf_event_attr dummy_attr(uint64_t addr)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
}

static struct perf_event_attr breakpoint_attr(uint64_t addr)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(struct perf_event_attr),
		.bp_addr = addr,
		.bp_type = HW_BREAKPOINT_W,
		.bp_len = HW_BREAKPOINT_LEN_1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_LOST,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static struct perf_event_attr watch_attr(uint64_t addr)
{
	return event_watch(addr, 4, EVENT_STORES);
}

static struct perf_event_attr (*const attr_of[NR_SUBJECTS])(uint64_t addr) = {
	[DUMMY]		= dummy_attr,
	[BREAKPOINT]	= breakpoint_attr,
	[WATCH]		= watch_attr,
	[ARMED]		= watch_attr,
};

int bench_event(enum subject subject, uint64_t addr, unsigned int flags,
		pid_t pid)
{
	struct perf_event_attr attr;
	int fd;

	if (subject == NOTHING)
		return -1;
	attr = attr_of[subject](addr);
	attr.inherit = !!(flags & BENCH_INHERIT);
	attr.disabled = !!(flags & BENCH_DISABLED);
	if (flags & BENCH_SAMPLE)
		event_sample(&attr, 1);
	if (flags & BENCH_METER)
		attr.config |= GPUBP_CONFIG_METER;
	fd = event_open(&attr, pid, -1);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

void bench_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/*
 * Rows.
 */

void bench_row(const char *name, const double value[NR_SUBJECTS])
{
	int s;

	fputs(name, rows);
	printf("%-44s", name);
	for (s = 0; s < NR_SUBJECTS; s++) {
		if (value[s] < 0) {
			fputs("\t-", rows);
			printf(" %10s", "-");
		} else {
			fprintf(rows, "\t%.3f", value[s]);
			printf(" %10.*f", value[s] < 100 ? 2 : 0, value[s]);
		}
	}
	fputc('\n', rows);
	putchar('\n');
	fflush(rows);
	fflush(stdout);
}

void bench_value(const char *name, enum subject subject, double value)
{
	double values[NR_SUBJECTS] = { -1, -1, -1, -1, -1 };

	values[subject] = value;
	bench_row(name, values);
}

void bench_compare_times(const struct figure *fig, unsigned int rounds)
{
	double best[NR_SUBJECTS] = { -1, -1, -1, -1, -1 }, value;
	unsigned int round, s;

	for (round = 0; round < rounds; round++)
		for (s = 0; s < NR_SUBJECTS; s++) {
			if (!(fig->subjects & ONLY(s)))
				continue;
			value = (double)fig->run(s, fig) / fig->ops;
			if (!round || value < best[s])
				best[s] = value;
		}
	bench_row(fig->name, best);
}

void bench_compare(const struct figure *fig)
{
	bench_compare_times(fig, ROUNDS);
}
