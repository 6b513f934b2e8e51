// SPDX-License-Identifier: GPL-2.0
/* Opening and reading events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "event.h"

#define TYPE_FILE	"/sys/bus/event_source/devices/gpubp/type"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

uint32_t event_type(void)
{
	static uint32_t type;
	FILE *file;

	if (type)
		return type;
	file = fopen(TYPE_FILE, "re");
	if (!file || fscanf(file, "%u", &type) != 1) {
		printf("Bail out! no %s: is gpubp loaded?\n", TYPE_FILE);
		exit(1);
	}
	fclose(file);
	return type;
}

struct perf_event_attr event_watch(uint64_t addr, uint64_t len,
				   unsigned int access)
{
	return (struct perf_event_attr) {
		.type = event_type(),
		.size = sizeof(struct perf_event_attr),
		.config = GPUBP_KIND_WATCH |
			  (uint64_t)access << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = addr,
		.config2 = len,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_LOST,
	};
}

struct perf_event_attr event_named(const char *name, uint64_t offset,
				   uint64_t len, unsigned int access)
{
	struct perf_event_attr attr = event_watch(offset, len, access);

	attr.config |= GPUBP_CONFIG_NAMED |
		       (uint64_t)gpubp_name_hash(name) << GPUBP_CONFIG_CODE_SHIFT;
	return attr;
}

struct perf_event_attr event_break(uint64_t pc)
{
	struct perf_event_attr attr = event_watch(pc, 0, 0);

	attr.config = GPUBP_KIND_BREAK;
	return attr;
}

void event_if(struct perf_event_attr *attr, uint32_t condition)
{
	attr->config2 |= (uint64_t)condition << GPUBP_CONFIG2_COND_SHIFT;
}

void event_sample(struct perf_event_attr *attr, uint64_t period)
{
	attr->sample_period = period;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			    PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC;
	attr->wakeup_events = 1;
}

int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int event_open_break(uint64_t pc, pid_t pid)
{
	struct perf_event_attr attr = event_break(pc);

	return event_open(&attr, pid, -1);
}

int event_read(int fd, struct event_value *value)
{
	ssize_t n = read(fd, value, sizeof(*value));

	if (n < 0)
		return -errno;
	return n == sizeof(*value) ? 0 : -EIO;
}

int events_read(const int *fd, unsigned int nr, struct event_value *values)
{
	int err = 0;

	for (; nr && !err; nr--)
		err = event_read(*fd++, values++);
	return err;
}

unsigned int events_wrong(const int *fd, unsigned int nr,
			  const struct event_value *before, uint64_t accesses)
{
	struct event_value now;
	unsigned int i, wrong = 0;

	for (i = 0; i < nr; i++)
		wrong += event_read(fd[i], &now) ||
			 now.count - before[i].count != accesses ||
			 now.enabled - before[i].enabled !=
			 now.running - before[i].running;
	return wrong;
}

int64_t event_count(int fd)
{
	struct event_value value;

	return event_read(fd, &value) ? -1 : (int64_t)value.count;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int env_number(const char *name, int unless)
{
	const char *text = getenv(name);

	return text ? atoi(text) : unless;
}

bool debug_kernel(void)
{
	return !access("/proc/lockdep", F_OK);
}

bool slow_kernel(void)
{
	return debug_kernel() || !access("/sys/kernel/debug/kcsan", F_OK);
}

static long write_number(const char *path, long value)
{
	FILE *file = fopen(path, "r+e");
	long old = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &old) == 1) {
		rewind(file);
		fprintf(file, "%ld\n", value);
	}
	return fclose(file) ? -1 : old;
}

int event_paranoid(int value)
{
	return write_number(PARANOID, value);
}

static long set_parameter(const char *module, const char *name, long value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	return write_number(path, value);
}

long event_parameter(const char *name, long value)
{
	return set_parameter("gpubp", name, value);
}

long event_sim_parameter(const char *name, long value)
{
	return set_parameter("gpubp_sim", name, value);
}
