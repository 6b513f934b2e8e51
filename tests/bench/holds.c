// SPDX-License-Identifier: GPL-2.0
/*
 * The longest time for which the lock of all events is held, while one user has
 * very many objects, or makes and removes them, and while another one makes each
 * call. The function that had it is in the row.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/gpubp_sim.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "others.h"
#include "watch_set.h"

#define JOBS		"/sys/kernel/debug/gpubp/jobs"
#define CTXS		4
#define OBJECTS		1024	/* code objects of one name, in each of them */
#define NAMED		16	/* events on that name */
#define WORDS		1000	/* events of a word */
#define MEMBERS		16384	/* of a set */

/* since the last call; and a row, unless @text is NULL */
static void report(const char *text)
{
	FILE *file = fopen(JOBS, "re");
	char function[64], row[128];
	double ns;

	if (!file || fscanf(file, "longest_ns %lf %63s", &ns, function) != 2)
		die(JOBS);
	fclose(file);
	snprintf(row, sizeof(row), "%s: %s", text ?: "", strtok(function, "+ "));
	if (text)
		bench_value(row, ARMED, ns);
}

/* ---- the user with very many objects ------------------------------------- */

static int named[NAMED];
static struct watch_set set;
static struct gpu many;

static void open_names(void)
{
	struct gpubp_sim_queue queue = {};
	struct gpubp_sim_name name = {
		.size = 64, .flags = GPUBP_SIM_NAME_CODE, .name = "same",
	};
	int i, fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, GPUBP_SIM_QUEUE_CREATE, &queue))
		die("context");
	for (i = 0; i < OBJECTS; i++) {
		name.va = 0x300000000 + 64 * i;
		if (ioctl(fd, GPUBP_SIM_NAME, &name))
			die("name");
	}
}

static void fill_names(void)
{
	struct perf_event_attr attr = event_named("same", 0, 4, EVENT_STORES);
	int i, session = session_open();

	for (i = 0; i < CTXS; i++)
		open_names();
	for (i = 0; i < NAMED; i++) {
		named[i] = event_open(&attr, 0, -1);
		if (named[i] < 0)
			die("event");
		session_sync(session, named[i], PATIENCE, NULL);
	}
	close(session);
	report("names by the thousand are bound");
}

static void fill_words(struct events *words)
{
	events_open(words, WORDS, ARMED, 0, 0);
	report("a thousand events are opened");
}

static void fill_set(void)
{
	watch_set_open(&set, MEMBERS);
	report("a set of 16384 members is bound");
}

/* ---- the other user ------------------------------------------------------ */

static struct gpu gpu;
static struct grun_mem out;
static int session, event;

static void victim_open(void)
{
	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 256, 0))
		die("gpu");
	session = session_open();
	event = bench_event(ARMED, out.va, BENCH_INHERIT, 0);
	if (session_sync(session, event, PATIENCE, NULL))
		die("sync");
}

static void call_sync(void)
{
	session_sync(session, event, PATIENCE, NULL);
}

static void call_stats(void)
{
	struct gpubp_event_stats stats;

	session_stats(session, event, &stats);
}

static void call_modify(void)
{
	session_modify(session, event, out.va + 4);
}

static void open_and_close_event(void)
{
	close(bench_event(ARMED, out.va + 64, 0, 0));
}

static void open_and_close_context(void)
{
	close(open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC));
}

static void dispatch(void)
{
	if (gpu_run(&gpu, "repeat", 1, GPU_ARGS(out.va, 10)))
		die("dispatch");
}

static void fork_and_exit(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void rest(void)
{
	sleep(1);
}

static const struct {
	const char *name;
	void (*call)(void);
} calls[] = {
	{ "nothing, for a second", rest },
	{ "SYNC", call_sync },
	{ "STATS", call_stats },
	{ "MODIFY", call_modify },
	{ "event opened and closed", open_and_close_event },
	{ "context opened and closed", open_and_close_context },
	{ "dispatch with ten hits", dispatch },
	{ "fork and exit", fork_and_exit },
};

static void report_calls(void)
{
	unsigned int i;

	report(NULL);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		calls[i].call();
		report(calls[i].name);
	}
}

/* ---- both ---------------------------------------------------------------- */

void bench_holds(void)
{
	struct events words;
	int i;

	allow_files(WORDS + NAMED + CTXS + 100);
	if (gpu_open(&many, "loop"))
		die("gpu");
	report(NULL);
	fill_names();
	fill_set();
	fill_words(&words);
	victim_open();
	report_calls();
	for (i = 0; i < NAMED; i++)
		close(named[i]);
	report("events with bindings by the thousand are closed");
	watch_set_close(&set);
	report("a set of 16384 members goes");
	events_close(&words);
	report("a thousand events are closed");
}
