// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatches: argument blocks, start, wait.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

#define MAX_WORKGROUP	1024
#define KERNARG_ALIGN	64
/* a dispatch that takes longer may wait for what the program does next */
#define SERIAL_NS	10000000000

static int launch_required(const struct grun_kernel *kernel,
			   const struct grun_launch *launch,
			   struct grun_err *err)
{
	if (!kernel->required[0] ||
	    !memcmp(kernel->required, launch->workgroup, sizeof(kernel->required)))
		return 0;
	return grun_fail(err, -EINVAL,
			 "kernel %s demands workgroups of %ux%ux%u, not %ux%ux%u",
			 kernel->name, kernel->required[0], kernel->required[1],
			 kernel->required[2], launch->workgroup[0],
			 launch->workgroup[1], launch->workgroup[2]);
}

static int launch_arguments(const struct grun_kernel *kernel, struct grun_err *err)
{
	unsigned int i;

	for (i = 0; i < kernel->nr_args; i++)
		if (kernel->args[i].kind == GRUN_ARG_OTHER)
			return grun_fail(err, -EINVAL,
					 "argument %u of kernel %s is not a buffer or a value of at most %zu bytes: such kernels are not launched",
					 i + 1, kernel->name,
					 sizeof(((union grun_value *)0)->bytes));
	return 0;
}

int grun_check_launch(const struct grun_kernel *kernel,
		      const struct grun_launch *launch, struct grun_err *err)
{
	unsigned int max = kernel->max_workgroup ?: MAX_WORKGROUP;
	uint64_t items = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (!launch->grid[i] || !launch->workgroup[i])
			return grun_fail(err, -EINVAL,
					 "grid and workgroup need at least 1 work-item in each dimension");
		if (launch->workgroup[i] > MAX_WORKGROUP)
			return grun_fail(err, -EINVAL,
					 "a workgroup of more than %d work-items",
					 MAX_WORKGROUP);
		items *= launch->workgroup[i];
	}
	if (items > max)
		return grun_fail(err, -EINVAL,
				 "kernel %s takes workgroups of at most %u work-items, not %llu",
				 kernel->name, max, (unsigned long long)items);
	return launch_required(kernel, launch, err) ?: launch_arguments(kernel, err);
}

static uint64_t hidden_value(const struct grun_arg *arg,
			     const struct grun_launch *launch)
{
	uint32_t grid = launch->grid[arg->dim];
	uint32_t group = launch->workgroup[arg->dim];

	switch (arg->hidden) {
	case GRUN_HIDDEN_BLOCK_COUNT:
		return grid / group;
	case GRUN_HIDDEN_GROUP_SIZE:
		return group;
	case GRUN_HIDDEN_REMAINDER:
		return grid % group;
	case GRUN_HIDDEN_GRID_DIMS:
		return launch->grid[2] > 1 ? 3 : launch->grid[1] > 1 ? 2 : 1;
	case GRUN_HIDDEN_ZERO:
		break;
	}
	return 0;
}

/* little-endian hosts only, as the GPU is; @size is checked by meta_check() */
void grun_pack_args(const struct grun_kernel *kernel,
		    const struct grun_launch *launch,
		    const union grun_value *args, void *out)
{
	const struct grun_arg *arg;
	char *block = out;
	uint64_t hidden;

	memset(block, 0, kernel->kernarg_size);
	for (arg = kernel->args; arg < kernel->args + kernel->nr_args; arg++) {
		if (arg->kind == GRUN_ARG_OTHER) {
			args++;
			continue;
		}
		if (arg->kind != GRUN_ARG_HIDDEN) {
			memcpy(block + arg->offset, args++->bytes, arg->size);
			continue;
		}
		hidden = hidden_value(arg, launch);
		if (arg->size <= sizeof(hidden))
			memcpy(block + arg->offset, &hidden, arg->size);
	}
}

/* blocks are reused only when no dispatch can read them any more */
static int kernarg_get(struct grun_device *dev, size_t size, size_t *offset,
		       struct grun_err *err)
{
	int ret;

	size = grun_round_up(size ? size : 1, KERNARG_ALIGN);
	if (dev->kernarg.size - dev->kernarg_used < size) {
		ret = grun_wait(dev, 0, -1, err);
		if (ret)
			return ret;
		dev->kernarg_used = 0;
	}
	*offset = dev->kernarg_used;
	dev->kernarg_used += size;
	return 0;
}

/* whatever its end is; false: not within @timeout_ns */
static bool dispatch_has_ended(struct grun_device *dev, uint64_t seq, int64_t timeout_ns)
{
	struct gpubp_sim_wait wait = {
		.seq = seq, .timeout_ns = timeout_ns, .queue = dev->queue,
	};

	return !dev->backend->wait(dev, &wait);
}

/* how long a tool wants dispatches to wait for those before them */
static int64_t dispatch_serial_ns(const struct grun_device *dev)
{
	const char *text = getenv("GPUBP_SERIAL");

	return text && !strcmp(text, "1") && !dev->overlaps ? SERIAL_NS : 0;
}

/* which dispatches have ended, for a tool that listens */
static void dispatch_settle(struct grun_device *dev)
{
	const int64_t timeout_ns = dispatch_serial_ns(dev);

	if (dev->done_seq == dev->last_seq || !grun_listener_is_there())
		return;
	if (dispatch_has_ended(dev, dev->last_seq, timeout_ns)) {
		dev->done_seq = dev->last_seq;
		return;
	}
	dev->overlaps |= timeout_ns > 0;
	while (dev->done_seq < dev->last_seq &&
	       dispatch_has_ended(dev, dev->done_seq + 1, 0))
		dev->done_seq++;
}

/* what is about to be started, for a tool that listens; @block: its arguments */
static void dispatch_say(const struct grun_device *dev, const struct grun_kernel *kernel,
			 const void *block)
{
	const struct grun_start start = {
		.context = dev->info.context, .queue = dev->queue,
		.seq = dev->last_seq + 1, .done = dev->done_seq,
	};

	grun_listener_dispatch(&start, kernel, block);
}

/*
 * What the next dispatch is, before it begins. Its number is known once it has begun:
 * another one than expected has what was said of it then.
 */
static int dispatch_start(struct grun_device *dev, struct gpubp_sim_dispatch *arg,
			  const struct grun_launch *launch, const void *caller)
{
	const uint64_t seq = dev->last_seq + 1;
	char site[GRUN_CALLSITE_MAX];
	int ret;

	grun_callsite(caller, site);
	grun_launches_add(dev->launches, seq, arg->kernel_object, launch, site);
	ret = dev->backend->dispatch(dev, arg);
	if (!ret && arg->seq == seq)
		return 0;
	grun_launches_add(dev->launches, seq, 0, NULL, "");
	if (ret)
		return ret;
	grun_launches_add(dev->launches, arg->seq, arg->kernel_object, launch, site);
	return 0;
}

int grun_dispatch(struct grun_device *dev, const struct grun_code *code,
		  const struct grun_kernel *kernel,
		  const struct grun_launch *launch,
		  const union grun_value *args, unsigned int nr_args,
		  uint64_t *seq, struct grun_err *err)
{
	struct gpubp_sim_dispatch arg = { .queue = dev->queue };
	size_t offset;
	void *block;
	int ret;

	if (!code->window)
		return grun_fail(err, -EINVAL, "code object is not loaded");
	if (nr_args != grun_kernel_nr_params(kernel))
		return grun_fail(err, -EINVAL,
				 "kernel %s takes %u arguments, not %u",
				 kernel->name, grun_kernel_nr_params(kernel),
				 nr_args);
	ret = grun_check_launch(kernel, launch, err);
	if (!ret)
		ret = kernarg_get(dev, kernel->kernarg_size, &offset, err);
	if (ret)
		return ret;
	block = (char *)dev->kernarg.cpu + offset;
	grun_pack_args(kernel, launch, args, block);
	arg.kernel_object = code->mem.va + kernel->descriptor;
	arg.kernarg = dev->kernarg.va + offset;
	memcpy(arg.grid, launch->grid, sizeof(arg.grid));
	memcpy(arg.workgroup, launch->workgroup, sizeof(arg.workgroup));
	dispatch_settle(dev);
	dispatch_say(dev, kernel, block);
	ret = dispatch_start(dev, &arg, launch, __builtin_return_address(0));
	if (ret)
		return grun_fail(err, ret, "cannot start kernel %s: %s",
				 kernel->name, strerror(-ret));
	dev->last_seq = arg.seq;
	if (seq)
		*seq = arg.seq;
	return 0;
}

static int wait_verdict(const struct grun_device *dev,
			const struct gpubp_sim_wait *wait, struct grun_err *err)
{
	unsigned long long pc = wait->pc;
	char where[112];

	grun_code_where(dev->code, pc, where, sizeof(where));
	switch (wait->status) {
	case GPUBP_SIM_DONE:
		return 0;
	case GPUBP_SIM_MEM_VIOL:
		return grun_fail(err, -EFAULT,
				 "memory violation at pc %#llx%s, address %#llx",
				 pc, where, (unsigned long long)wait->addr);
	case GPUBP_SIM_ILLEGAL_INST:
		return grun_fail(err, -EILSEQ,
				 "illegal instruction at pc %#llx%s", pc, where);
	case GPUBP_SIM_KILLED:
		return grun_fail(err, -ECANCELED, "the queue was killed");
	case GPUBP_SIM_TRAP:
		return grun_fail(err, -EIO, "unexpected trap at pc %#llx%s",
				 pc, where);
	case GPUBP_SIM_RESET:
		return grun_fail(err, -EIO, "the GPU was reset");
	default:
		return grun_fail(err, -EIO, "the queue ended with status %u",
				 wait->status);
	}
}

int grun_wait(struct grun_device *dev, uint64_t seq, int64_t timeout_ns,
	      struct grun_err *err)
{
	struct gpubp_sim_wait wait = {
		.seq = seq ? seq : dev->last_seq,
		.timeout_ns = timeout_ns,
		.queue = dev->queue,
	};
	int ret;

	if (!wait.seq)
		return 0;
	ret = dev->backend->wait(dev, &wait);
	if (ret == -ETIME)
		return grun_fail(err, ret, "the GPU is still busy");
	if (ret)
		return grun_fail(err, ret, "cannot wait: %s", strerror(-ret));
	return wait_verdict(dev, &wait, err);
}
