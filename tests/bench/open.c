// SPDX-License-Identifier: GPL-2.0
/*
 * Opens: events opened disabled on a sleeping task, and closed, while others
 * are open on that task or on another one.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

#define PAIRS		3400	/* per round */
#define MAX_LIVE	10000

/**
 * struct live - other events that stay open
 * @nr: number of events
 * @elsewhere: they are on another task
 */
struct live {
	unsigned int nr;
	bool elsewhere;
};

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void end_sleeper(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint64_t address_of(unsigned int i)
{
	return 0x100000 + 64ULL * i;
}

static uint64_t run_opens(enum subject subject, const struct figure *fig)
{
	const struct live *live = fig->arg;
	pid_t sleeper = start_sleeper(), other = start_sleeper();
	static int fd[MAX_LIVE];
	unsigned int i;
	uint64_t ns;

	for (i = 0; i < live->nr; i++)
		fd[i] = bench_event(subject, address_of(i), BENCH_DISABLED,
				    live->elsewhere ? other : sleeper);
	usleep(100000);
	bench_begin();
	for (i = 0; i < fig->ops; i++)
		bench_close(bench_event(subject, address_of(i), BENCH_DISABLED,
					sleeper));
	ns = bench_end();
	for (i = 0; i < live->nr; i++)
		bench_close(fd[i]);
	end_sleeper(sleeper);
	end_sleeper(other);
	return ns;
}

static void allow_files(void)
{
	struct rlimit limit = { MAX_LIVE + 100, MAX_LIVE + 100 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit");
}

void bench_opens(void)
{
	static const struct live few = { 10, false }, many = { 10000, false },
				 far = { 10000, true };
	static const struct figure figures[] = {
		{ "opened and closed, 10 more on the task",
		  ONLY(DUMMY) | ONLY(WATCH), PAIRS, run_opens, &few },
		{ "opened and closed, 10000 more on the task",
		  ONLY(DUMMY) | ONLY(WATCH), PAIRS, run_opens, &many },
		{ "opened and closed, 10000 on another task",
		  ONLY(DUMMY) | ONLY(WATCH), PAIRS, run_opens, &far },
	};
	unsigned int i;

	allow_files();
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		bench_compare(&figures[i]);
}
