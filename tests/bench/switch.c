// SPDX-License-Identifier: GPL-2.0
/*
 * Context switches: a byte is sent back and forth between two tasks of one CPU.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>
#include "bench.h"
#include "gpu.h"

#define TRIPS		2000
#define MAX_EVENTS	16

struct pipes {
	int there[2];
	int back[2];
};

static bool pass(int from, int to)
{
	char byte;

	return read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1;
}

/* sends a byte when it is ready */
static void answer(enum subject subject, struct pipes *p)
{
	struct gpu gpu;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (subject == ARMED && gpu_open(&gpu, "loop"))
		_exit(1);
	if (write(p->back[1], "", 1) != 1)
		_exit(1);
	while (pass(p->there[0], p->back[1]))
		;
	_exit(0);
}

static pid_t start_answerer(enum subject subject, struct pipes *p)
{
	char byte;
	pid_t pid;

	bench_pipe(p->there);
	bench_pipe(p->back);
	pid = fork();
	if (!pid)
		answer(subject, p);
	if (pid < 0 || read(p->back[0], &byte, 1) != 1)
		die("fork");
	return pid;
}

static void end_answerer(pid_t pid, struct pipes *p)
{
	int i;

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 2; i++) {
		close(p->there[i]);
		close(p->back[i]);
	}
}

static uint64_t travel(struct pipes *p, unsigned int trips)
{
	bench_begin();
	if (write(p->there[1], "", 1) != 1)
		die("write");
	while (trips--)
		if (!pass(p->back[0], p->there[1]))
			die("pass");
	return bench_end();
}

static uint64_t run_switches(enum subject subject, const struct figure *fig)
{
	unsigned int i, nr = *(const unsigned int *)fig->arg;
	static char watched[MAX_EVENTS * 64];
	int fd[MAX_EVENTS];
	struct pipes pipes;
	uint64_t ns;
	pid_t pid;

	pid = start_answerer(subject, &pipes);
	for (i = 0; i < nr; i++)
		fd[i] = bench_event(subject, (uint64_t)(watched + 64 * i), 0,
				    pid);
	usleep(20000);
	ns = travel(&pipes, fig->ops);
	for (i = 0; i < nr; i++)
		bench_close(fd[i]);
	end_answerer(pid, &pipes);
	return ns;
}

void bench_switches(void)
{
	static const unsigned int one = 1, all = BREAKPOINTS, many = MAX_EVENTS;
	static const struct figure figures[] = {
		{ "switch to a task and back, 1 event", ALL_SUBJECTS, TRIPS,
		  run_switches, &one },
		{ "switch to a task and back, 4 events", ALL_SUBJECTS, TRIPS,
		  run_switches, &all },
		{ "switch to a task and back, 16 events",
		  ALL_SUBJECTS & ~ONLY(BREAKPOINT), TRIPS, run_switches, &many },
	};
	unsigned int i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		bench_compare(&figures[i]);
}
