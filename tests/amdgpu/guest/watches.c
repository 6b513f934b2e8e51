// SPDX-License-Identifier: GPL-2.0
/*
 * watches PID NUMBER ADDRESS STEP OP...: perf events, each of which watches the
 * stores to four bytes by the queues of a process; the addresses are STEP apart.
 * Prints a line "OP: ..." for each:
 *
 *	sync		GPUBP_SYNC of all events: "sync: watches N armed N rotating N
 *			pending N unserved N", sums, or "sync: -ERRNO"
 *	read		for each event, "read: I count N enabled MS running MS"
 *	wait=MS
 *	until=FILE	wait until FILE exists
 *	touch=FILE
 *	close		close all events
 *
 * An event that cannot be opened ends it: "open: -ERRNO".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/perf_event.h>

#define EVENTS		64
#define SYNC_MS		10000

static int events[EVENTS], nr_events;
static uint64_t ids[EVENTS];

static int pmu_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/gpubp/type", "r");
	int type = -1;

	if (!file || fscanf(file, "%d", &type) != 1) {
		printf("open: no PMU\n");
		exit(1);
	}
	fclose(file);
	return type;
}

static void open_event(pid_t pid, uint64_t address)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = pmu_type(),
		.config = GPUBP_KIND_WATCH |
			  GPUBP_ACCESS_STORE << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = address,
		.config2 = 4,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ID, &ids[nr_events])) {
		printf("open: -%s\n", strerrorname_np(errno));
		exit(1);
	}
	events[nr_events++] = fd;
}

static void sync_events(char *arg)
{
	int gpubp = open("/dev/gpubp", O_RDWR | O_CLOEXEC), i;
	struct gpubp_sync sum = { };

	(void)arg;
	for (i = 0; i < nr_events; i++) {
		struct gpubp_sync sync = { .id = ids[i], .timeout_ms = SYNC_MS };

		if (ioctl(gpubp, GPUBP_SYNC, &sync)) {
			printf("sync: -%s\n", strerrorname_np(errno));
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

static void read_events(char *arg)
{
	uint64_t values[3];
	int i;

	(void)arg;
	for (i = 0; i < nr_events; i++) {
		if (read(events[i], values, sizeof(values)) != sizeof(values))
			printf("read: %d ended\n", i);
		else
			printf("read: %d count %lu enabled %lu running %lu\n", i,
			       values[0], values[1] / 1000000,
			       values[2] / 1000000);
	}
}

static void wait_ms(char *arg)
{
	usleep(atoi(arg) * 1000);
	printf("wait: 0\n");
}

static void wait_until(char *arg)
{
	while (access(arg, F_OK))
		usleep(50000);
	printf("until: 0\n");
}

static void touch_file(char *arg)
{
	int fd = open(arg, O_WRONLY | O_CREAT, 0644);

	printf("touch: %d\n", fd < 0 ? -1 : 0);
	if (fd >= 0)
		close(fd);
}

static void close_events(char *arg)
{
	(void)arg;
	while (nr_events)
		close(events[--nr_events]);
	printf("close: 0\n");
}

static const struct operation {
	const char *name;
	void (*perform)(char *arg);
} operations[] = {
	{ "sync", sync_events },
	{ "read", read_events },
	{ "wait", wait_ms },
	{ "until", wait_until },
	{ "touch", touch_file },
	{ "close", close_events },
};

static void perform_operation(char *op)
{
	size_t length = strcspn(op, "="), i;

	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (strlen(operations[i].name) != length ||
		    strncmp(operations[i].name, op, length))
			continue;
		operations[i].perform(op + length + (op[length] == '='));
		return;
	}
	fprintf(stderr, "watches: no such operation: %s\n", op);
	exit(2);
}

int main(int argc, char **argv)
{
	uint64_t address, step;
	int i, number;

	if (argc < 6) {
		fprintf(stderr, "usage: watches PID NUMBER ADDRESS STEP OP...\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	number = atoi(argv[2]);
	address = strtoull(argv[3], NULL, 0);
	step = strtoull(argv[4], NULL, 0);
	for (i = 0; i < number && i < EVENTS; i++)
		open_event(atoi(argv[1]), address + i * step);
	for (i = 5; i < argc; i++)
		perform_operation(argv[i]);
	return 0;
}
