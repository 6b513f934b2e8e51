// SPDX-License-Identifier: GPL-2.0
/*
 * sleeper PID ADDRESS NUMBER: an event that samples the stores to four bytes by the queues
 * of a process, and a reader that sleeps in poll(). Prints
 *
 *	armed
 *	hit		as it is woken, so many times
 *
 * or what failed.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "events.h"

#define WAIT_MS		60000

static struct perf_event_mmap_page *ring;
static long page;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_samples(pid_t pid, uint64_t address)
{
	struct perf_event_attr attr = {
		.config = GPUBP_KIND_WATCH |
			  GPUBP_ACCESS_STORE << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = address,
		.config2 = 4,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.wakeup_events = 1,
	};
	int fd = event_open(&attr, pid);

	if (fd < 0)
		die("event");
	ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		die("mmap");
	return fd;
}

/* the first sample of the next ones: few fit into the ring as it is */
static struct gpubp_hit_record take_sample(void)
{
	const char *data = (const char *)ring + page;
	struct gpubp_hit_record record = { };

	if (ring->data_head <= ring->data_tail)
		return record;
	memcpy(&record, data + ring->data_tail + sizeof(struct perf_event_header) +
	       sizeof(uint32_t), sizeof(record));
	ring->data_tail = ring->data_head;
	return record;
}

static void await_hit(int event)
{
	struct pollfd pollfd = { .fd = event, .events = POLLIN };

	if (poll(&pollfd, 1, WAIT_MS) <= 0)
		die("poll");
	if (!take_sample().gpu_time)
		die("no sample");
	printf("hit\n");
}

int main(int argc, char **argv)
{
	int gpubp = open("/dev/gpubp", O_RDWR | O_CLOEXEC), event, number;
	struct gpubp_sync sync;

	if (argc < 4) {
		fprintf(stderr, "usage: sleeper PID ADDRESS NUMBER\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	page = sysconf(_SC_PAGESIZE);
	event = open_samples(atoi(argv[1]), strtoull(argv[2], NULL, 0));
	if (event_sync(gpubp, event, &sync))
		die("sync");
	printf("armed\n");
	for (number = atoi(argv[3]); number > 0; number--)
		await_hit(event);
	return 0;
}
