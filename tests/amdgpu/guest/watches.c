// SPDX-License-Identifier: GPL-2.0
/*
 * watches PID NUMBER ADDRESS STEP OP...: perf events, each of which watches the
 * stores to four bytes by the queues of a process; the addresses are STEP apart.
 * Prints a line "OP: ..." for each:
 *
 *	sync		GPUBP_SYNC of all events: "sync: watches N armed N rotating N
 *			pending N unserved N", sums, or "sync: -ERRNO"
 *	begin		wait until each event was armed: "begin: 0". What is read later is from
 *			here on, as the time until then is not running
 *	read		for each event, "read: I count N enabled MS running MS"
 *	wait=MS
 *	until=FILE	wait until FILE exists
 *	touch=FILE
 *	close		close all events
 *
 * An event that cannot be opened ends it: "open: -ERRNO".
 */
#include <stdbool.h>
#include "events.h"
#include "operations.h"

#define EVENTS		64
static int events[EVENTS], nr_events;

/* what read(2) of an event returns */
struct values {
	uint64_t count;
	uint64_t enabled;	/* ns, as the next one */
	uint64_t running;
};

static struct values begin[EVENTS];

static void open_event(pid_t pid, uint64_t address)
{
	struct perf_event_attr attr = {
		.config = GPUBP_KIND_WATCH |
			  GPUBP_ACCESS_STORE << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = address,
		.config2 = 4,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = event_open(&attr, pid);

	if (fd < 0) {
		printf("open: -%s\n", strerrorname_np(errno));
		exit(1);
	}
	events[nr_events++] = fd;
}

static void sync_events(const char *op, char *arg)
{
	int gpubp = open("/dev/gpubp", O_RDWR | O_CLOEXEC), i;
	struct gpubp_sync sum = { }, sync;

	(void)arg;
	for (i = 0; i < nr_events; i++) {
		if (event_sync(gpubp, events[i], &sync)) {
			print_result(op, -1);
			printf("\n");
			close(gpubp);
			return;
		}
		sum.nr_watches += sync.nr_watches;
		sum.nr_armed += sync.nr_armed;
		sum.nr_rotating += sync.nr_rotating;
		sum.nr_pending += sync.nr_pending;
		sum.nr_unserved += sync.nr_unserved;
	}
	printf("sync: watches %u armed %u rotating %u pending %u unserved %u\n",
	       sum.nr_watches, sum.nr_armed, sum.nr_rotating, sum.nr_pending,
	       sum.nr_unserved);
	close(gpubp);
}

static bool read_event(int i, struct values *v)
{
	return read(events[i], v, sizeof(*v)) == sizeof(*v);
}

/* the times of a task that sleeps are read as they were when they were corrected last */
static void begin_events(const char *op, char *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < nr_events; i++)
		while (read_event(i, &begin[i]) && !begin[i].running)
			usleep(1000);
	printf("%s: 0\n", op);
}

static void read_events(const char *op, char *arg)
{
	struct values v;
	int i;

	(void)op;
	(void)arg;
	for (i = 0; i < nr_events; i++) {
		if (!read_event(i, &v))
			printf("read: %d ended\n", i);
		else
			printf("read: %d count %lu enabled %lu running %lu\n", i,
			       v.count - begin[i].count,
			       (v.enabled - begin[i].enabled) / 1000000,
			       (v.running - begin[i].running) / 1000000);
	}
}

static void wait_ms(const char *op, char *arg)
{
	usleep(atoi(arg) * 1000);
	printf("%s: 0\n", op);
}

static void close_events(const char *op, char *arg)
{
	(void)arg;
	while (nr_events)
		close(events[--nr_events]);
	printf("%s: 0\n", op);
}

static const struct operation operations[] = {
	{ "sync", sync_events },
	{ "begin", begin_events },
	{ "read", read_events },
	{ "wait", wait_ms },
	{ "until", wait_until },
	{ "touch", touch_file },
	{ "close", close_events },
	{ 0 }
};

int main(int argc, char **argv)
{
	uint64_t address, step;
	int i, number;

	if (argc < 6) {
		fprintf(stderr, "usage: watches PID NUMBER ADDRESS STEP OP...\n");
		return 2;
	}
	number = atoi(argv[2]);
	address = strtoull(argv[3], NULL, 0);
	step = strtoull(argv[4], NULL, 0);
	for (i = 0; i < number && i < EVENTS; i++)
		open_event(atoi(argv[1]), address + i * step);
	perform_operations(operations, argv + 5);
	return 0;
}
