/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_AMDGPU_DESCRIPTOR_H
#define TESTS_AMDGPU_DESCRIPTOR_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* what a descriptor is of; false: there is none */
static inline bool fd_target(int fd, char target[64])
{
	char path[32];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, 63);
	target[len < 0 ? 0 : len] = '\0';
	return len > 0;
}

#endif /* TESTS_AMDGPU_DESCRIPTOR_H */
