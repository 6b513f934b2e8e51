// SPDX-License-Identifier: GPL-2.0
/* A context of a GPU, with a code object. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gpu.h"
#include "gpu_device.h"

static int complain(const char *what, int ret, const struct grun_err *err)
{
	if (ret)
		printf("# %d: %s: %s\n", getpid(), what, err->text);
	return ret;
}

/* code objects are in gpu/ next to the programs; the leader may have exited */
void gpu_code_path(char *path, size_t len, const char *name)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/thread-self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	snprintf(path, len, "%s/gpu/%s.elf", dirname(exe), name);
}

static int open_as(struct gpu *gpu, unsigned int nr, const char *name,
		   const char *published)
{
	char path[PATH_MAX + NAME_MAX];
	struct grun_err err;
	int ret;

	gpu->nr_mem = 0;
	gpu_code_path(path, sizeof(path), name);
	ret = complain(name, grun_code_open(&gpu->code, path, &err), &err);
	if (ret)
		return ret;
	ret = complain("open", gpu_device_open(&gpu->dev, nr, gpu->code, &err), &err);
	if (ret)
		goto free_code;
	ret = complain("load", grun_load(gpu->dev, gpu->code, published, &err),
		       &err);
	if (!ret)
		return 0;
	gpu_device_close(gpu->dev);
free_code:
	grun_code_free(gpu->code);
	return ret;
}

int gpu_open_on(struct gpu *gpu, unsigned int nr, const char *name)
{
	return open_as(gpu, nr, name, NULL);
}

int gpu_open_named(struct gpu *gpu, unsigned int nr, const char *name)
{
	return open_as(gpu, nr, name, name);
}

int gpu_open(struct gpu *gpu, const char *name)
{
	return gpu_open_on(gpu, 0, name);
}

void gpu_close(struct gpu *gpu)
{
	while (gpu->nr_mem)
		grun_release(gpu->dev, &gpu->mem[--gpu->nr_mem]);
	gpu_device_close(gpu->dev);
	grun_code_free(gpu->code);
}

uint64_t gpu_code_va(const struct gpu *gpu)
{
	return grun_code_va(gpu->code);
}

int gpu_buffer(struct gpu *gpu, struct grun_mem *mem, size_t size, uint64_t va)
{
	struct grun_err err = { "too many" };
	int ret = -ENOSPC;

	if (gpu->nr_mem < GPU_MAX_BUFFERS)
		ret = grun_alloc(gpu->dev, mem, size, va, &err);
	if (!ret)
		gpu->mem[gpu->nr_mem++] = *mem;
	return complain("buffer", ret, &err);
}

int gpu_name(struct gpu *gpu, uint64_t va, size_t size, const char *name)
{
	struct grun_err err;

	return complain(name, grun_name(gpu->dev, va, size, name, &err), &err);
}

int gpu_copy(const struct gpu *gpu, uint64_t dst, uint64_t src, uint64_t size)
{
	return gpu_device_copy(gpu->dev, dst, src, size);
}

int gpu_start_grid(struct gpu *gpu, const char *name,
		   const unsigned int groups[3], unsigned int nr_args,
		   const uint64_t *args, struct grun_launch *launch)
{
	const struct grun_kernel *kernel = grun_code_find(gpu->code, name);
	union grun_value values[GPU_MAX_ARGS] = {};
	struct grun_err err;
	unsigned int i;

	if (!kernel || nr_args > GPU_MAX_ARGS) {
		printf("# no kernel %s with %u arguments\n", name, nr_args);
		return -ENOENT;
	}
	gpu_size_grid(kernel, groups, launch);
	for (i = 0; i < nr_args; i++)
		values[i].va = args[i];
	return complain(name, grun_dispatch(gpu->dev, gpu->code, kernel, launch,
					    values, nr_args, NULL, &err), &err);
}

int gpu_start(struct gpu *gpu, const char *name, unsigned int groups,
	      unsigned int nr_args, const uint64_t *args)
{
	struct grun_launch launch = {};

	return gpu_start_grid(gpu, name, (unsigned int []){ groups, 1, 1 },
			      nr_args, args, &launch);
}

int gpu_wait(struct gpu *gpu, int seconds)
{
	int64_t ns = seconds < 0 ? -1 : seconds * 1000000000LL;
	struct grun_err err;
	int ret = grun_wait(gpu->dev, 0, ns, &err);

	if (ret == -ETIME)
		return ret;
	gpu_device_settle();
	return complain("wait", ret, &err);
}

int gpu_run(struct gpu *gpu, const char *kernel, unsigned int groups,
	    unsigned int nr_args, const uint64_t *args)
{
	int ret = gpu_start(gpu, kernel, groups, nr_args, args);

	return ret ?: gpu_wait(gpu, -1);
}
