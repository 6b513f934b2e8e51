// SPDX-License-Identifier: GPL-2.0
/* The threads that are the software GPU, and those of the core for it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "device.h"
#include "others.h"

#define UNITS	"gpubp_sim0/cu"

static bool is_named(const char *pid, const char *prefix)
{
	char path[300], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%31s", name) != 1)
		name[0] = '\0';
	fclose(file);
	return !strncmp(name, prefix, strlen(prefix));
}

/* call @fn for each task whose name begins with @prefix */
static void for_each_named(const char *prefix, void (*fn)(const char *, void *),
			   void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		die("/proc");
	while ((entry = readdir(dir)))
		if (entry->d_name[0] > '0' && entry->d_name[0] <= '9' &&
		    is_named(entry->d_name, prefix))
			fn(entry->d_name, arg);
	closedir(dir);
}

static void add_runtime(const char *pid, void *arg)
{
	uint64_t ns, *sum = arg;
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/schedstat", pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%lu", &ns) != 1)
		die(path);
	fclose(file);
	*sum += ns;
}

static uint64_t runtime_of(const char *prefix)
{
	uint64_t sum = 0;

	for_each_named(prefix, add_runtime, &sum);
	return sum;
}

uint64_t device_runtime(void)
{
	return runtime_of(UNITS);
}

uint64_t device_threads_runtime(void)
{
	return runtime_of("gpubp");
}

static void run_first(const char *pid, void *unused)
{
	be_first(atoi(pid));
}

void device_first(void)
{
	for_each_named("gpubp", run_first, NULL);
}

static void run_as_others(const char *pid, void *unused)
{
	be_ordinary(atoi(pid));
}

void device_units_first(bool first)
{
	for_each_named(UNITS, first ? run_first : run_as_others, NULL);
}
