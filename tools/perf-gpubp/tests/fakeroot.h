/* SPDX-License-Identifier: GPL-2.0 */
/* A directory with files as in /proc and /sys. */
#ifndef PERF_GPUBP_FAKEROOT_H
#define PERF_GPUBP_FAKEROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fakeroot[64];

static inline void fakeroot_make(void)
{
	snprintf(fakeroot, sizeof(fakeroot), "/tmp/gpubp-root-XXXXXX");
	if (!mkdtemp(fakeroot))
		abort();
}

static inline void fakeroot_drop(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", fakeroot);
	if (system(command))
		abort();
}

/* a file with this text; without text, no file */
static inline void fakeroot_file(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", fakeroot, path);
	if (!text) {
		unlink(full);
		return;
	}
	for (slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

#endif /* PERF_GPUBP_FAKEROOT_H */
