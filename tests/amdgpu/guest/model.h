/* SPDX-License-Identifier: GPL-2.0 */
/* The model's own registers, for programs in the guest; a failure ends the program. */
#ifndef AMDGPU_GUEST_MODEL_H
#define AMDGPU_GUEST_MODEL_H

#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "control_registers.h"

static inline int model_open(void)
{
	glob_t found;
	int fd = -1;

	if (!glob("/sys/kernel/debug/dri/*/amdgpu_regs", 0, NULL, &found))
		fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
	globfree(&found);
	if (fd < 0) {
		fprintf(stderr, "no amdgpu_regs\n");
		exit(1);
	}
	return fd;
}

/** model_read() - register @nr of enum control_register */
static inline uint32_t model_read(unsigned int nr)
{
	int fd = model_open();
	uint32_t value;

	if (pread(fd, &value, 4, (CONTROL_BASE + nr) * 4) != 4) {
		perror("amdgpu_regs");
		exit(1);
	}
	close(fd);
	return value;
}

/** model_write() - same */
static inline void model_write(unsigned int nr, uint32_t value)
{
	int fd = model_open();

	if (pwrite(fd, &value, 4, (CONTROL_BASE + nr) * 4) != 4) {
		perror("amdgpu_regs");
		exit(1);
	}
	close(fd);
}

#endif /* AMDGPU_GUEST_MODEL_H */
