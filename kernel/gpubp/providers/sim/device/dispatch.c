// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatches: from the arguments of the system call to the initial state of
 * waves.
 */
#include <kunit/visibility.h>
#include <linux/gpubp.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "cu.h"
#include "device.h"
#include "queue.h"
#include "reset.h"
#include "save.h"

#define MAX_WORKGROUP		1024
#define KERNARG_ALIGN		16
#define SCRATCH_ALIGN		1024

/* HSA kernel dispatch packet; only fields that kernels read */
struct packet {
	__le16 header;
	__le16 setup;
	__le16 workgroup[3];
	__le16 reserved0;
	__le32 grid[3];
	__le32 private_size;
	__le32 group_size;
	__le64 kernel_object;
	__le64 kernarg;
	__le64 reserved1;
	__le64 completion_signal;
};

#define PACKET_TYPE_DISPATCH	2

static int check_sizes(const struct gpubp_sim_dispatch *args)
{
	u64 items = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (!args->grid[i] || !args->workgroup[i] ||
		    args->workgroup[i] > MAX_WORKGROUP)
			return -EINVAL;
		items *= args->workgroup[i];
	}
	if (items > MAX_WORKGROUP)
		return -EINVAL;
	if (args->flags || !IS_ALIGNED(args->kernarg, KERNARG_ALIGN))
		return -EINVAL;
	return 0;
}

static int count_groups(struct sim_dispatch *dispatch)
{
	const struct sim_launch *launch = &dispatch->launch;
	int i;

	dispatch->total = 1;
	for (i = 0; i < 3; i++) {
		dispatch->nr_groups[i] = DIV_ROUND_UP_ULL(launch->grid[i],
							  launch->workgroup[i]);
		if (check_mul_overflow(dispatch->total, dispatch->nr_groups[i],
				       &dispatch->total))
			return -EINVAL;
	}
	return 0;
}

static int read_kernel(struct sim_queue *queue, struct sim_dispatch *dispatch)
{
	u8 desc[SIM_DESC_SIZE] __aligned(8);
	int err;

	if (sim_vm_access(&queue->ctx->vm, NULL, dispatch->launch.desc_va, desc,
			  sizeof(desc), 0) != sizeof(desc))
		return -EFAULT;
	err = sim_kernel_parse(desc, sim_config_arch(&queue->ctx->dev->config),
			       &dispatch->kernel);
	if (!err)
		sim_kernel_add_stack(&dispatch->kernel);
	return err;
}

static int dispatch_fill(struct sim_dispatch *dispatch, struct sim_queue *queue,
			 const struct gpubp_sim_dispatch *args)
{
	struct sim_launch *launch = &dispatch->launch;
	int err;

	dispatch->queue = queue;
	launch->kernel = &dispatch->kernel;
	launch->desc_va = args->kernel_object;
	launch->kernarg = args->kernarg;
	memcpy(launch->grid, args->grid, sizeof(launch->grid));
	memcpy(launch->workgroup, args->workgroup, sizeof(launch->workgroup));
	err = read_kernel(queue, dispatch) ?: count_groups(dispatch);
	if (!err && !sim_dispatch_max_groups(dispatch))
		err = -EINVAL;
	return err;
}

/*
 * The packet's entry is free: the dispatch that used it, SIM_QUEUE_DEPTH ago,
 * has ended.
 */
static void write_packet(struct sim_queue *queue, struct sim_dispatch *dispatch,
			 u64 seq)
{
	struct sim_launch *launch = &dispatch->launch;
	struct packet packet = {
		.header = cpu_to_le16(PACKET_TYPE_DISPATCH),
		.setup = cpu_to_le16(3),
		.private_size = cpu_to_le32(dispatch->kernel.private_size),
		.group_size = cpu_to_le32(dispatch->kernel.lds_size),
		.kernel_object = cpu_to_le64(launch->desc_va),
		.kernarg = cpu_to_le64(launch->kernarg),
	};
	int i;

	static_assert(sizeof(packet) * SIM_QUEUE_DEPTH <= PAGE_SIZE);
	for (i = 0; i < 3; i++) {
		packet.workgroup[i] = cpu_to_le16(launch->workgroup[i]);
		packet.grid[i] = cpu_to_le32(launch->grid[i]);
	}
	launch->dispatch_id = seq;
	launch->dispatch_ptr = queue->packets +
			       (seq % SIM_QUEUE_DEPTH) * sizeof(packet);
	sim_vm_access(&queue->ctx->vm, NULL, launch->dispatch_ptr, &packet,
		      sizeof(packet), SIM_ACCESS_WRITE | SIM_ACCESS_PRIV);
}

static u64 nr_active_dispatches(struct sim_queue *queue)
{
	return READ_ONCE(queue->submitted) - READ_ONCE(queue->ended);
}

/* wait until no wave of an earlier dispatch uses the memory that is replaced */
static int grow_scratch(struct sim_queue *queue, u32 wave_size)
{
	u64 size = (u64)wave_size * sim_device_nr_waves(queue->ctx->dev);
	struct sim_vm *vm = &queue->ctx->vm;
	int err;

	err = wait_event_interruptible(queue->wait,
				       !nr_active_dispatches(queue));
	if (err)
		return err;
	if (queue->scratch)
		sim_vm_free(vm, queue->scratch);
	queue->scratch = 0;
	queue->scratch_wave = 0;
	err = sim_vm_alloc(vm, SIM_MAP_SCRATCH, size, &queue->scratch);
	if (!err)
		queue->scratch_wave = wave_size;
	return err;
}

static int set_up_scratch(struct sim_queue *queue,
			  struct sim_dispatch *dispatch)
{
	struct sim_launch *launch = &dispatch->launch;
	u64 need = ALIGN((u64)dispatch->kernel.private_size * SIM_LANES,
			 SCRATCH_ALIGN);
	int err = 0;

	if (!need)
		return 0;
	if (need * sim_device_nr_waves(queue->ctx->dev) > U32_MAX)
		return -ENOMEM;
	if (need > queue->scratch_wave)
		err = grow_scratch(queue, need);
	launch->scratch = queue->scratch;
	launch->scratch_size = queue->scratch_wave *
			       sim_device_nr_waves(queue->ctx->dev);
	return err;
}

static int dispatch_submit_locked(struct sim_queue *queue,
				  struct sim_dispatch *dispatch, u64 *seq)
{
	int err;

	lockdep_assert_held(&queue->submit);
	if (!queue->packets)
		return -ENOENT;
	err = set_up_scratch(queue, dispatch) ?:
	      sim_save_area_reserve(queue, dispatch) ?:
	      wait_event_interruptible(queue->wait,
				       nr_active_dispatches(queue) <
					       SIM_QUEUE_DEPTH);
	if (err)
		return err;
	*seq = queue->submitted + 1;
	write_packet(queue, dispatch, *seq);
	return sim_queue_add(queue, dispatch) ? 0 : -EAGAIN;
}

static int dispatch_submit(struct sim_queue *queue,
			   struct sim_dispatch *dispatch, u64 *seq)
{
	int err;

	if (mutex_lock_interruptible(&queue->submit))
		return -ERESTARTSYS;
	err = dispatch_submit_locked(queue, dispatch, seq);
	mutex_unlock(&queue->submit);
	return err;
}

/* a reset disarms the events: wait for them again */
static int dispatch_submit_armed(struct sim_queue *queue,
				 struct sim_dispatch *dispatch, u64 *seq)
{
	struct sim_ctx *ctx = queue->ctx;
	int err;

	do {
		err = sim_reset_wait(ctx->dev, &dispatch->nr_resets) ?:
		      gpubp_ctx_wait_armed(ctx->core) ?:
		      dispatch_submit(queue, dispatch, seq);
	} while (err == -EAGAIN);
	return err;
}

/**
 * sim_dispatch_submit() - check a dispatch and append it to its queue
 * @queue: queue
 * @args: GPUBP_SIM_DISPATCH; seq is filled in
 *
 * Waits that a signal ends are before the dispatch is appended: a restart does
 * not repeat it.
 *
 * Return: 0, -EINVAL, -EFAULT, -ERESTARTSYS, -EINTR (a fatal signal), -ENOMEM,
 * or -ENOENT if the queue was destroyed during the call.
 */
int sim_dispatch_submit(struct sim_queue *queue,
			struct gpubp_sim_dispatch *args)
{
	struct sim_dispatch *dispatch;
	int err = check_sizes(args);

	if (err)
		return err;
	dispatch = kzalloc(sizeof(*dispatch), GFP_KERNEL_ACCOUNT);
	if (!dispatch)
		return -ENOMEM;
	err = dispatch_fill(dispatch, queue, args);
	if (!err)
		err = dispatch_submit_armed(queue, dispatch, &args->seq);
	if (err)
		kfree(dispatch);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(sim_dispatch_submit);
