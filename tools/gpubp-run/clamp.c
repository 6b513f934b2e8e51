// SPDX-License-Identifier: GPL-2.0
/*
 * DX10_CLAMP cleared in the descriptors of kernels, if GPUBP_CLEAR_CLAMP asks for
 * it: then their waves raise exceptions of floating point. The variable is the path
 * of a file, to which the names of these kernels are appended, a line each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "internal.h"

static void kernel_clear_clamp(const struct grun_code *code,
			       const struct grun_kernel *kernel, int fd)
{
	char *rsrc1 = (char *)code->mem.cpu + kernel->descriptor +
		      GRUN_DESCRIPTOR_RSRC1;
	uint32_t word;

	memcpy(&word, rsrc1, sizeof(word));
	word &= ~GRUN_RSRC1_DX10_CLAMP;
	memcpy(rsrc1, &word, sizeof(word));
	dprintf(fd, "%s\n", kernel->name);
}

void grun_clear_clamp(const struct grun_code *code)
{
	const char *path = getenv("GPUBP_CLEAR_CLAMP");
	unsigned int i;
	int fd;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	for (i = 0; i < code->nr_kernels; i++)
		if (code->kernels[i].dx10_clamp)
			kernel_clear_clamp(code, &code->kernels[i], fd);
	close(fd);
}
