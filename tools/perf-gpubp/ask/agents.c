// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "agents.h"

#define AGENTS	"/sys/kernel/debug/gpubp_agents"

/* "device N NAME pid PID uid UID paused granted ..." */
static int line_paused(const char *line, const uint32_t *devices)
{
	unsigned int device;
	int pid;

	if (!strstr(line, " paused ") ||
	    sscanf(line, "device %u %*s pid %d ", &device, &pid) != 2 || device >= AGENTS_DEVICES)
		return 0;
	return !devices || devices[device / 32] >> device % 32 & 1 ? pid : 0;
}

int agents_paused(const char *root, const uint32_t *devices)
{
	char path[PATH_MAX], line[512];
	int found = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s" AGENTS, root);
	in = fopen(path, "re");
	while (in && !found && fgets(line, sizeof(line), in))
		found = line_paused(line, devices);
	if (in)
		fclose(in);
	return found;
}
