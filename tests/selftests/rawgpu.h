/* SPDX-License-Identifier: GPL-2.0 */
/* The software GPU without the library: for programs of machine words. */
#ifndef SELFTESTS_RAWGPU_H
#define SELFTESTS_RAWGPU_H

#include <stddef.h>
#include <stdint.h>

/** struct raw_descriptor - a kernel descriptor in the layout of AMD's ABI */
struct raw_descriptor {
	uint32_t group_size, private_size, kernarg_size, reserved;
	uint64_t entry;
	uint8_t reserved1[20];
	uint32_t rsrc3, rsrc1, rsrc2;
	uint16_t properties;
	uint8_t reserved2[6];
};

/** raw_call() - an ioctl of an open device; 0 or a negative errno */
int raw_call(int fd, unsigned long cmd, void *arg);

/** raw_bo() - create a buffer of @size bytes at @va and map it; NULL on failure */
void *raw_bo(int fd, uint64_t va, size_t size);

#endif /* SELFTESTS_RAWGPU_H */
