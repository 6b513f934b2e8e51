/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU of selftests (tests/selftests/gpu.h) is that of ROCr, in each process that opens
 * it. For one program each: these functions are not static.
 */
#ifndef TESTS_AMDGPU_ROCR_GPU_H
#define TESTS_AMDGPU_ROCR_GPU_H

#include <dirent.h>
#include <errno.h>
#include <glob.h>

#include "descriptor.h"
#include "rocr.h"
#include "selftests/books.h"
#include "selftests/gpu.h"
#include "selftests/session.h"

#define WAIT_SECONDS	300
#define DEVICES		"/sys/kernel/debug/gpubp/amdgpu*"

static struct rocr rocr;
static struct rocr_kernel kernel;
static char file[32];

void gpu_code_path(char *path, size_t len, const char *name)
{
	snprintf(path, len, "/lib/amdgpu/gpu/%s.elf", name);
}

/* the first GPU's statistics, from the start of each program on */
__attribute__((constructor))
static void find_books(void)
{
	glob_t devices;

	if (glob(DEVICES, 0, NULL, &devices)) {
		printf("Bail out! no %s\n", DEVICES);
		exit(1);
	}
	books_of_name(strrchr(devices.gl_pathv[0], '/') + 1);
	globfree(&devices);
}

static void start(void)
{
	if (!rocr.queue)
		rocr_start(&rocr);
}

static bool is_event(int fd)
{
	char target[64];

	return fd_target(fd, target) && !strcmp(target, "anon_inode:[perf_event]");
}

/* what this process wants is armed, and all hits until now are in its events */
static inline void await_events(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int session = session_open();
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_event(atoi(entry->d_name)))
			session_sync(session, atoi(entry->d_name), WAIT_SECONDS, NULL);
	if (dir)
		closedir(dir);
	if (session >= 0)
		close(session);
}

int gpu_open(struct gpu *gpu, const char *name)
{
	struct grun_err err;
	char path[256];

	start();
	*gpu = (struct gpu){ };
	snprintf(file, sizeof(file), "%s", name);
	gpu_code_path(path, sizeof(path), name);
	return grun_code_open(&gpu->code, path, &err);
}

void gpu_close(struct gpu *gpu)
{
	while (gpu->nr_mem)
		hsa_memory_free(gpu->mem[--gpu->nr_mem].cpu);
	rocr_unload(&kernel);
	kernel = (struct rocr_kernel){ };
	grun_code_free(gpu->code);
}

int gpu_buffer(struct gpu *gpu, struct grun_mem *mem, size_t size, uint64_t va)
{
	if (va || gpu->nr_mem == GPU_MAX_BUFFERS)
		return -EINVAL;
	*mem = (struct grun_mem){ .size = size };
	if (!rocr_ok(hsa_memory_allocate(rocr.system, size, &mem->cpu), "memory"))
		return -ENOMEM;
	mem->va = (uintptr_t)mem->cpu;
	gpu->mem[gpu->nr_mem++] = *mem;
	return 0;
}

/* which is the address of a kernel's descriptor, and that is known */
uint64_t gpu_code_va(const struct gpu *gpu)
{
	return kernel.packet.kernel_object -
	       grun_code_find(gpu->code, kernel.name)->descriptor;
}

int gpu_await(int event)
{
	static int session = -1;
	struct gpubp_sync sync;
	int ret;

	if (session < 0)
		session = session_open();
	ret = session_sync(session, event, WAIT_SECONDS, &sync);
	return ret ?: sync.nr_watches == 1 && sync.nr_armed == 1 ? 0 : -EBUSY;
}

/* the kernel does not see that work has ended: events may have recorded hits later */
static inline bool hits_are_late(void)
{
	FILE *parameter = fopen("/sys/module/gpubp/parameters/handler_records", "r");
	int records = parameter ? fgetc(parameter) : '0';

	if (parameter)
		fclose(parameter);
	return records > '0';
}

/*
 * Recording begins some time after a watch was armed, if it does, and what hits before
 * stops. This decides which of the two a test sees, not what it sees.
 */
static inline void await_recording(void)
{
	int tries = 10;

	while (tries-- && !books_state("recording"))
		usleep(10000);
}

int gpu_start_grid(struct gpu *gpu, const char *name, const unsigned int groups[3],
		   unsigned int nr_args, const uint64_t *args, struct grun_launch *launch)
{
	const struct grun_kernel *k = grun_code_find(gpu->code, name);

	if (kernel.packet.kernel_object && strcmp(kernel.name, name)) {
		rocr_unload(&kernel);
		kernel = (struct rocr_kernel){ };
	}
	if (!kernel.packet.kernel_object &&
	    !rocr_load(&rocr, &kernel, "/lib/amdgpu/gpu", file, name))
		return -ENOENT;
	gpu_size_grid(k, groups, launch);
	if (hits_are_late())
		await_recording();
	rocr_set_arguments(&kernel, args, launch);
	rocr_dispatch(&rocr, &kernel, launch);
	return 0;
}

int gpu_wait(struct gpu *gpu, int seconds)
{
	if (!rocr_wait(&rocr, seconds < 0 ? UINT32_MAX : seconds))
		return rocr.error ? -EIO : -ETIME;
	if (hits_are_late())
		await_events();
	return 0;
}

/* as on the software GPU, where each dispatch waits for the events of its owner */
int gpu_start(struct gpu *gpu, const char *name, unsigned int groups,
	      unsigned int nr_args, const uint64_t *args)
{
	struct grun_launch launch;

	await_events();
	return gpu_start_grid(gpu, name, (unsigned int []){ groups, 1, 1 }, nr_args, args,
			      &launch);
}

int gpu_run(struct gpu *gpu, const char *name, unsigned int groups,
	    unsigned int nr_args, const uint64_t *args)
{
	return gpu_start(gpu, name, groups, nr_args, args) ?: gpu_wait(gpu, WAIT_SECONDS);
}

#endif /* TESTS_AMDGPU_ROCR_GPU_H */
