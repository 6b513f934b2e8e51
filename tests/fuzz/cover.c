// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>
#include "cover.h"
#include "exec.h"
#include "state.h"

#define KCOV	"/sys/kernel/debug/kcov"
#define AREA	(64 << 10)	/* words */

/* coverage of the process itself, and of kernel threads that work for it */
static uint64_t *own, *remote;
static int own_fd = -1;

static uint64_t *open_area(int *fd)
{
	int low = open(KCOV, O_RDWR | O_CLOEXEC);
	void *area;

	*fd = fcntl(low, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	close(low);
	if (*fd < 0 || ioctl(*fd, KCOV_INIT_TRACE, AREA))
		return NULL;
	area = mmap(NULL, AREA * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED,
		    *fd, 0);
	return area == MAP_FAILED ? NULL : area;
}

bool cover_open(unsigned int worker)
{
	struct kcov_remote_arg arg = {
		.trace_mode = KCOV_TRACE_PC,
		.area_size = AREA,
		.common_handle = kcov_remote_handle(KCOV_SUBSYSTEM_COMMON, worker + 1),
	};
	int fd;

	own = open_area(&own_fd);
	remote = open_area(&fd);
	/* children inherit the handle, and so do contexts that they open */
	return own && remote && !ioctl(fd, KCOV_REMOTE_ENABLE, &arg);
}

void cover_begin(void)
{
	if (own)
		ioctl(own_fd, KCOV_ENABLE, KCOV_TRACE_PC);
	cover_take();
}

static bool set(uint8_t *map, uint64_t hash)
{
	uint8_t bit = 1 << (hash & 7);
	uint8_t *byte = &map[hash >> 3 & (MAX_SIGNALS - 1)];

	if (__atomic_load_n(byte, __ATOMIC_RELAXED) & bit)
		return false;
	return !(__atomic_fetch_or(byte, bit, __ATOMIC_RELAXED) & bit);
}

static uint64_t mix(uint64_t pc)
{
	return (pc * 0x9e3779b97f4a7c15) >> 40;
}

/* kernel threads interleave contexts: their previous block makes no edge */
static unsigned int take(uint64_t *area, bool edges)
{
	uint64_t n = __atomic_load_n(area, __ATOMIC_RELAXED), i, last = 0;
	unsigned int signals = 0, blocks = 0;

	for (i = 1; i <= n && i < AREA; i++) {
		uint64_t hash = mix(area[i]);

		blocks += set(state->blocks, hash);
		signals += set(state->signals, hash ^ last);
		last = edges ? hash >> 1 : 0;
	}
	__atomic_store_n(area, 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&state->nr_signals, signals, __ATOMIC_RELAXED);
	__atomic_fetch_add(&state->nr_blocks, blocks, __ATOMIC_RELAXED);
	return signals;
}

unsigned int cover_take(void)
{
	return own && remote ? take(own, true) + take(remote, false) : 0;
}
