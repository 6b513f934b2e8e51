// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a watch set: kernel objects for each member, alone and when an event
 * wants it in one context. And its time.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gpu.h"
#include "others.h"
#include "watch_set.h"

#define MEMBERS	100000

/* bytes of all kernel objects and pages that are vmalloc()ed */
static double objects(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long kib, sum = 0;
	char name[32];

	if (!file)
		die("meminfo");
	while (fscanf(file, "%31s %lu kB ", name, &kib) == 2)
		if (!strcmp(name, "Slab:") || !strcmp(name, "VmallocUsed:"))
			sum += kib;
	fclose(file);
	return sum * 1024.0;
}

static void report(const char *name, double bytes, enum subject subject)
{
	bench_value(name, subject, bytes / MEMBERS);
}

void bench_set_memory(void)
{
	uint64_t filled_ns, armed_ns;
	double begin, filled, armed;
	struct watch_set set;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop"))
		die("gpu");
	usleep(100000);
	begin = objects();
	bench_begin();
	watch_set_fill(&set, MEMBERS);
	filled_ns = bench_end();
	filled = objects();
	bench_begin();
	watch_set_arm(&set);
	armed_ns = bench_end();
	armed = objects();
	watch_set_close(&set);
	watch_sets_gone();
	gpu_close(&gpu);
	report("bytes of a set's member, of 100000", filled - begin, WATCH);
	report("  in one context", armed - begin, ARMED);
	report("member added to a set, of 100000", filled_ns, WATCH);
	report("  in one context", armed_ns, ARMED);
}
