// SPDX-License-Identifier: GPL-2.0
/* Other tasks, and many events. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gpu.h"
#include "others.h"

static void be_task(const struct task_kind *kind, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kind->prepare)
		kind->prepare(kind->arg);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		if (kind->work)
			kind->work(kind->arg);
		else
			pause();
}

static pid_t start_task(const struct task_kind *kind)
{
	int ready[2];
	char byte;
	pid_t pid;

	bench_pipe(ready);
	pid = fork();
	if (!pid)
		be_task(kind, ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		die("fork");
	close(ready[0]);
	return pid;
}

void tasks_start(struct tasks *tasks, unsigned int nr,
		 const struct task_kind *kind)
{
	for (tasks->nr = 0; tasks->nr < nr; tasks->nr++)
		tasks->pid[tasks->nr] = start_task(kind);
}

void tasks_sleep(struct tasks *tasks, unsigned int nr)
{
	tasks_start(tasks, nr, &(struct task_kind) {});
}

static void use_context(const void *unused)
{
	static struct grun_mem out;
	static struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0) ||
	    gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, 1)))
		_exit(1);
}

void tasks_contexts(struct tasks *tasks, unsigned int nr)
{
	tasks_start(tasks, nr, &(struct task_kind) { .prepare = use_context });
}

void tasks_end(struct tasks *tasks)
{
	unsigned int i;

	for (i = 0; i < tasks->nr; i++)
		kill(tasks->pid[i], SIGKILL);
	for (i = 0; i < tasks->nr; i++)
		waitpid(tasks->pid[i], NULL, 0);
}

uint64_t events_address(unsigned int i)
{
	return 0x100000 + 64ULL * i;
}

static void events_alloc(struct events *events, unsigned int nr)
{
	allow_files(nr);
	events->nr = nr;
	events->fd = calloc(nr + 1, sizeof(*events->fd));
	if (!events->fd)
		die("calloc");
}

void events_open(struct events *events, unsigned int nr, enum subject subject,
		 unsigned int flags, pid_t pid)
{
	unsigned int i;

	events_alloc(events, nr);
	for (i = 0; i < nr; i++)
		events->fd[i] = bench_event(subject, events_address(i), flags,
					    pid);
}

void events_open_on(struct events *events, unsigned int nr, uint64_t addr,
		    unsigned int flags, pid_t pid)
{
	unsigned int i;

	events_alloc(events, nr);
	for (i = 0; i < nr; i++)
		events->fd[i] = bench_event(ARMED, addr, flags, pid);
}

void events_close(struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++)
		bench_close(events->fd[i]);
	free(events->fd);
}

void scene_start(struct scene *scene, enum subject subject)
{
	unsigned int nr = subject == NOTHING ? 0 : scene->nr_events;

	tasks_contexts(&scene->contexts, scene->nr_contexts);
	tasks_sleep(&scene->sleeper, 1);
	events_open(&scene->events, nr, subject, 0, scene->sleeper.pid[0]);
}

void scene_end(struct scene *scene)
{
	events_close(&scene->events);
	tasks_end(&scene->sleeper);
	tasks_end(&scene->contexts);
}

void allow_files(unsigned int nr)
{
	struct rlimit limit = { nr + 200, nr + 200 }, old;

	if (getrlimit(RLIMIT_NOFILE, &old))
		die("getrlimit");
	if (old.rlim_cur < limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit");
}

static void set_policy(pid_t pid, int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(pid, policy, &param))
		die("sched_setscheduler");
}

void be_first(pid_t pid)
{
	set_policy(pid, SCHED_FIFO | SCHED_RESET_ON_FORK, 1);
}

void be_ordinary(pid_t pid)
{
	set_policy(pid, SCHED_OTHER, 0);
}
