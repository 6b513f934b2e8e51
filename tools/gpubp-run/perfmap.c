// SPDX-License-Identifier: GPL-2.0
/*
 * /tmp/perf-PID.map, from which perf takes the names of addresses that no file
 * backs. Buffers go there, too: they do not overlap code, and tools that know
 * GPU addresses find their names in the same place.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "internal.h"

/*
 * Names in /tmp are guessable: a link is not followed, and a file that an
 * earlier process with our pid left is removed before the first line.
 */
static int perf_map_open(void)
{
	static pid_t owner;
	pid_t pid = getpid();
	char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	if (owner != pid) {
		unlink(path);
		owner = pid;
	}
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		    0644);
}

void grun_perf_map(uint64_t addr, uint64_t size, const char *name)
{
	int fd = perf_map_open();

	if (fd < 0)
		return;
	dprintf(fd, "%llx %llx %s\n", (unsigned long long)addr,
		(unsigned long long)size, name);
	close(fd);
}

void grun_perf_map_code(const struct grun_code *code)
{
	struct grun_symbol sym;
	uint64_t i;

	for (i = 0; i < code->elf.nr_syms; i++) {
		if (!grun_elf_symbol(&code->elf, i, &sym))
			continue;
		if (sym.type == STT_FUNC && sym.size)
			grun_perf_map(code->mem.va + sym.value, sym.size, sym.name);
	}
}
