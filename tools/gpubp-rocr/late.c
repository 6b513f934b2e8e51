// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kfd.h"
#include "kfd_abi.h"
#include "late.h"
#include "node.h"

#define PAGE		4096u
#define HANDLER_BYTES	192	/* of it that are compared */
#define MAX_MAPPING	(64ull << 20)

/* of the AQL queue and its doorbell in memory, <amd_hsa_queue.h> and <amd_hsa_signal.h> */
#define QUEUE_DOORBELL		16	/* hsa_queue.doorbell_signal */
#define QUEUE_READ		128	/* read_dispatch_id */
#define SIGNAL_DOORBELL		8	/* hardware_doorbell_ptr */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

bool late_is(void)
{
	Dl_info info;

	/* of a library that is preloaded it is the program's, too */
	return !dladdr(dlsym(RTLD_DEFAULT, "ioctl"), &info) || info.dli_fbase != __ehdr_start;
}

/* ---- files --------------------------------------------------------------------------- */

static bool file_is_render(int fd, uint32_t minor)
{
	char link[32], path[64] = "", want[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(want, sizeof(want), "/dev/dri/renderD%u", minor);
	return readlink(link, path, sizeof(path) - 1) > 0 && !strcmp(path, want);
}

bool late_next_file(struct kfd_gpu *gpu)
{
	const long max = sysconf(_SC_OPEN_MAX);
	int fd;

	if (!gpu->render)
		return false;
	for (fd = gpu->drm_fd + 1; fd < (max < 65536 ? max : 65536); fd++) {
		if (!file_is_render(fd, gpu->render))
			continue;
		gpu->drm_fd = fd;
		return true;
	}
	return false;
}

/* ---- ROCr's trap handler --------------------------------------------------------------- */

struct mapping {
	uint64_t start, end;
	char rights[8];
	char path[PATH_MAX];
};

static bool next_mapping(FILE *maps, struct mapping *m)
{
	char line[PATH_MAX + 128];

	if (!fgets(line, sizeof(line), maps))
		return false;
	m->path[0] = '\0';
	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %4095[^\n]", &m->start,
		      &m->end, m->rights, m->path) >= 3;
}

/* which may be gone, or have no memory behind it */
static bool peek(uint64_t at, void *to, size_t len)
{
	const struct iovec here = { to, len }, there = { (void *)(uintptr_t)at, len };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)len;
}

static uint64_t mapping_start(uint64_t at)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m = { 0 };

	if (!maps)
		return 0;
	while (next_mapping(maps, &m) && m.end <= at)
		;
	fclose(maps);
	return m.start <= at && at < m.end ? m.start : 0;
}

bool late_doorbell(uint64_t read_pointer, uint32_t *doorbell)
{
	uint64_t signal, at, start;

	if (!peek(read_pointer - QUEUE_READ + QUEUE_DOORBELL, &signal, sizeof(signal)) ||
	    !peek(signal + SIGNAL_DOORBELL, &at, sizeof(at)))
		return false;
	start = mapping_start(at);
	*doorbell = (uint32_t)(at - start) / 8;
	return start && at - start < AGENT_KFD_DOORBELLS;
}

/* an instruction whose first operand is a ttmp, which only a trap handler has */
static bool begins_as_handler(const uint32_t *code)
{
	const uint32_t operand = code[0] & 0xff;
	const bool is_scalar = code[0] >> 30 == 2;

	return is_scalar && operand >= 108 && operand < 124;
}

/* in the data of ROCr, which copies it from there */
static bool is_of_rocr(const void *code)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m;
	bool is = false;

	if (!maps)
		return false;
	while (!is && next_mapping(maps, &m))
		is = m.rights[0] == 'r' &&
		     strstr(m.path, "/libhsa-runtime64.so") &&
		     memmem((void *)(uintptr_t)m.start, (size_t)(m.end - m.start), code,
			    HANDLER_BYTES);
	fclose(maps);
	return is;
}

static uint64_t handler_in(const struct mapping *m)
{
	uint32_t code[HANDLER_BYTES / 4];
	uint64_t at;

	if (strncmp(m->rights, "rw", 2) || m->end - m->start > MAX_MAPPING)
		return 0;
	for (at = m->start; at < m->end; at += PAGE)
		if (peek(at, code, sizeof(code)) && begins_as_handler(code) && is_of_rocr(code))
			return at;
	return 0;
}

/*
 * Memory of the system, which all GPUs of the process have mapped: it does not matter for
 * which of them it was made.
 */
static uint64_t find_handler(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping m;
	uint64_t at = 0;

	if (!maps)
		return 0;
	while (!at && next_mapping(maps, &m))
		at = handler_in(&m);
	fclose(maps);
	return at;
}

/* ---- GPUs ------------------------------------------------------------------------------- */

void late_find_gpus(void)
{
	struct kfd_gpu found, *gpu;
	struct node node;
	unsigned int n = 0;
	uint64_t tba = 0;

	while (node_next(&n, &node)) {
		found = (struct kfd_gpu){ .render = node.render, .drm_fd = -1 };
		if (!late_next_file(&found))
			continue;
		gpu = kfd_gpu_add(node.gpu_id);
		if (!gpu || gpu->drm_fd >= 0)
			continue;
		tba = tba ? tba : find_handler();
		gpu->render = node.render;
		gpu->drm_fd = found.drm_fd;
		gpu->tba = tba;
	}
}
