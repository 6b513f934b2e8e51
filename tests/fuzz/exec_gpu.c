// SPDX-License-Identifier: GPL-2.0
/*
 * Calls about code objects. A scratch is a page of a context:
 *
 *	   0	arguments of the object's kernels, ARGS bytes each
 *	 512	arguments of syz_gpu_args()
 *	1024	descriptors
 *	2048	code
 *	3072	the descriptor that was read last
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "exec.h"
#include "gpubp_run.h"
#include "rawgpu.h"
#include "waves.h"

#define MAX_SCRATCHES	32
#define KERNELS		4
#define ARGS		128
#define OWN_ARGS	512
#define DESCRIPTORS	1024
#define CODE		2048
#define READ		3072
#define S_ENDPGM	0xbf810000
#define BUFFER		16384
#define BUFFER_VA	0x400000000ULL	/* as a count 0 or small: no endless loop */
#define COUNT		16	/* value of arguments that are not pointers */
#define HELD_LOOPS	50000	/* held waves end by themselves */
#define LAUNCH_MS	50

static struct scratch {
	uint64_t va;
	char *cpu;
	int fd;
} scratches[MAX_SCRATCHES];
static unsigned int nr_scratches;

/* pages of contexts have equal addresses: programs use numbers, from 1 */
static struct scratch *scratch_nr(uint64_t nr)
{
	return nr && nr <= nr_scratches ? &scratches[(nr - 1) % MAX_SCRATCHES] : NULL;
}

/* struct gpu_object of the descriptions */
struct object {
	uint64_t buffer;
	uint64_t scratch;
	uint64_t kernels[KERNELS];
	uint64_t kernargs[KERNELS];
	uint64_t entries[KERNELS];
};

static int open_code(struct grun_code **code, const char *name)
{
	char exe[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct grun_err err;

	exe[n > 0 ? n : 0] = '\0';
	snprintf(path, sizeof(path), "%s/gpu/%.32s.elf", dirname(exe), name);
	return grun_code_open(code, path, &err);
}

/* copy the descriptor at @va to the scratch page, offset READ */
static struct raw_descriptor *read_descriptor(struct scratch *b, uint64_t va)
{
	struct gpubp_sim_copy copy = {
		.dst = b->va + READ, .src = va, .size = sizeof(struct raw_descriptor),
	};

	return ioctl(b->fd, GPUBP_SIM_COPY, &copy) ? NULL :
		(struct raw_descriptor *)(b->cpu + READ);
}

static void fill_args(char *at, const struct grun_kernel *kernel, uint64_t buffer)
{
	const struct grun_arg *arg;
	unsigned int i;

	for (i = 0; (arg = grun_kernel_param(kernel, i)); i++) {
		uint64_t value = arg->kind == GRUN_ARG_POINTER ? buffer : COUNT;

		if (arg->offset + arg->size <= ARGS && arg->size <= sizeof(value))
			memcpy(at + arg->offset, &value, arg->size);
	}
}

static void describe(struct scratch *b, const struct grun_code *code, struct object *object)
{
	unsigned int nr = grun_code_nr_kernels(code), i;
	struct raw_descriptor *desc;

	/* the last one is used most: choose another one each time */
	for (i = 0; i < KERNELS && i < nr; i++) {
		const struct grun_kernel *kernel =
			grun_code_kernel(code, (i + nr_scratches) % nr);

		uint64_t va = grun_code_va(code) + kernel->descriptor;

		object->kernels[i] = va;
		object->kernargs[i] = b->va + i * ARGS;
		fill_args(b->cpu + i * ARGS, kernel, object->buffer);
		desc = read_descriptor(b, va);
		if (desc)
			object->entries[i] = va + desc->entry;
	}
}

/* a context with the code object, and a buffer */
static int open_device(const char *name, struct grun_code **code,
		       struct grun_device **dev, struct grun_mem *buffer)
{
	struct grun_err err;
	int ret = open_code(code, name);

	if (ret)
		return ret;
	ret = grun_open(dev, GRUN_DEVICE, &err);
	if (ret)
		goto free_code;
	ret = grun_load(*dev, *code, NULL, &err) ?:
	      grun_alloc(*dev, buffer, BUFFER, BUFFER_VA, &err);
	if (!ret)
		return 0;
	grun_close(*dev);
free_code:
	grun_code_free(*code);
	return ret;
}

static int64_t gpu_open(const struct made *made)
{
	const struct mem *name = gen_mem(made, made->args[0]);
	const struct mem *out = gen_mem(made, made->args[1]);
	struct scratch *b = &scratches[nr_scratches % MAX_SCRATCHES];
	struct grun_mem scratch, buffer;
	struct grun_device *dev;
	struct grun_code *code;
	struct grun_err err;
	int ret;

	if (!name || !out)
		return -EFAULT;
	ret = open_device(name->at, &code, &dev, &buffer);
	if (ret)
		return ret;
	ret = grun_alloc(dev, &scratch, PAGE, 0, &err);
	if (ret) {
		grun_close(dev);
		grun_code_free(code);
		return ret;
	}
	*b = (struct scratch){ scratch.va, scratch.cpu, grun_fd(dev) };
	nr_scratches++;
	describe(b, code, memcpy(out->at, &(struct object){
		.buffer = buffer.va, .scratch = nr_scratches }, sizeof(struct object)));
	return b->fd;
}

/* struct gpu_held of the descriptions */
struct held {
	int32_t session;
	uint32_t context;
	uint64_t event;
	uint64_t wave;
};

/* 0: no wave was launched in time */
static uint64_t first_wave(struct owner *o)
{
	struct gpubp_wave_entry wave = {};
	int i;

	for (i = 0; i < LAUNCH_MS && !list(o, &wave, 1); i++)
		poll(NULL, 0, 1);
	return wave.wave;
}

static int hold(int fd, struct held *held)
{
	struct gpubp_sim_info info;
	struct owner owner;
	int ret;

	if (ioctl(fd, GPUBP_SIM_INFO, &info))
		return -errno;
	ret = owner_open(&owner, 0, true);
	if (ret)
		return ret;
	owner.ctx = info.context;
	*held = (struct held){ owner.session, owner.ctx, owner.id, first_wave(&owner) };
	ret = held->wave ? halt_all(&owner) : -ETIME;
	if (ret)
		owner_close(&owner);
	return ret;
}

static int64_t gpu_hold(const struct made *made)
{
	const struct mem *out = gen_mem(made, made->args[0]);
	const struct grun_launch launch = { { 128, 1, 1 }, { 64, 1, 1 } };
	union grun_value args[2] = { { .va = BUFFER_VA }, { .va = HELD_LOOPS } };
	struct grun_device *dev;
	struct grun_code *code;
	struct grun_mem buffer;
	struct grun_err err;
	int ret;

	if (!out)
		return -EFAULT;
	ret = open_device("loop", &code, &dev, &buffer);
	if (ret)
		return ret;
	ret = grun_dispatch(dev, code, grun_code_find(code, "repeat"), &launch, args, 2,
			    NULL, &err) ?:
	      hold(grun_fd(dev), (struct held *)out->at);
	if (!ret)
		return grun_fd(dev);
	grun_close(dev);
	grun_code_free(code);
	return ret;
}

static int64_t gpu_descriptor(const struct made *made)
{
	struct scratch *b = scratch_nr(made->args[0]);
	const struct mem *fields = gen_mem(made, made->args[4]);
	uint64_t at = DESCRIPTORS + made->args[1] % 8 * sizeof(struct raw_descriptor);
	struct raw_descriptor *desc;
	unsigned int i;

	if (!b || !fields)
		return -EFAULT;
	desc = read_descriptor(b, made->args[2]);
	if (!desc)
		return -errno;
	desc->entry += made->args[2] - (b->va + at);
	for (i = 0; i < fields->type->nr; i++) {
		const struct field *f = &fields->type->fields[i];

		if (made->args[3] >> i & 1)
			memcpy((char *)desc + f->offset, fields->at + f->offset,
			       f->type->size);
	}
	memcpy(b->cpu + at, desc, sizeof(*desc));
	return b->va + at;
}

static int64_t gpu_code(const struct made *made)
{
	static const uint32_t end = S_ENDPGM;
	struct scratch *b = scratch_nr(made->args[0]);
	const struct mem *words = gen_mem(made, made->args[1]);
	size_t size;

	if (!b || !words)
		return -EFAULT;
	size = words->nr * words->type->size;
	memcpy(b->cpu + CODE, words->at, size);
	memcpy(b->cpu + CODE + size, &end, sizeof(end));
	return b->va + CODE;
}

static int64_t gpu_args(const struct made *made)
{
	struct scratch *b = scratch_nr(made->args[0]);
	const struct mem *args = gen_mem(made, made->args[2]);
	uint64_t at = OWN_ARGS + made->args[1] % 4 * ARGS;

	if (!b || !args)
		return -EFAULT;
	memcpy(b->cpu + at, args->at, args->type->size);
	return b->va + at;
}

const struct own_call exec_gpu[] = {
	{ "syz_gpu_open", gpu_open },
	{ "syz_gpu_hold", gpu_hold },
	{ "syz_gpu_descriptor", gpu_descriptor },
	{ "syz_gpu_code", gpu_code },
	{ "syz_gpu_args", gpu_args },
	{ NULL, NULL },
};
