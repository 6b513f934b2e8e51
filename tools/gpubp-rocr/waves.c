// SPDX-License-Identifier: GPL-2.0
/*
 * Save areas are as those of kernel/gpubp/providers/amdgpu/area.c: a control stack, which grows
 * down, whose words describe records of waves, the last one first.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kfd.h"
#include "waves.h"

/* words of the control stack: COMPUTE_RELAUNCH */
#define IS_STATE		(1u << 31)
#define IS_EVENT		(1u << 30)
#define IS_FIRST_WAVE		(1u << 17)
#define STATE_VGPRS(x)		(((x) & 0x3f) + 1)	/* by 8 */
#define STATE_SGPRS(x)		((x) >> 6 & 7)		/* by 16 */
#define STATE_LDS(x)		((x) >> 9 & 0x1ff)	/* by 512 bytes */
#define HEADER_WORDS		2

/* of a record, behind its vector and scalar registers */
#define VGPR_BYTES		256
#define TAIL_WORDS		32
#define TAIL_MODE		9
#define TAIL_TTMP6		(16 + 6)
#define GAP_BYTES		64

#define MODE_WATCHES		(AGENT_TRAP_WATCHES << 12)	/* EXCP_EN */
#define TTMP6_NO_SETUP		(1u << 31)

/* ---- a save area ----------------------------------------------------------------------- */

static uint32_t front_bytes(uint32_t state)
{
	return STATE_VGPRS(state) * 8 * VGPR_BYTES + STATE_SGPRS(state) * 16 * 4;
}

static uint32_t back_bytes(uint32_t state, uint32_t word)
{
	return TAIL_WORDS * 4 + (word & IS_FIRST_WAVE ? STATE_LDS(state) * 512 : 0) + GAP_BYTES;
}

static void wave_edit(uint32_t *tail, bool has_setup)
{
	tail[TAIL_MODE] |= MODE_WATCHES;
	if (!has_setup)
		tail[TAIL_TTMP6] |= TTMP6_NO_SETUP;
}

static bool area_is_possible(const struct agent_kfd_save_area *h, uint32_t size)
{
	return !((h->stack_offset | h->stack_size | h->state_offset) & 3) &&
	       h->stack_offset <= size && h->stack_size <= size - h->stack_offset &&
	       h->state_offset <= size && h->state_offset >= h->stack_offset + h->stack_size;
}

int waves_edit(void *area, uint32_t size, bool has_setup)
{
	const struct agent_kfd_save_area *h = area;
	const uint32_t *word = (uint32_t *)((char *)area + h->stack_offset) + HEADER_WORDS;
	const uint32_t *end = word - HEADER_WORDS + h->stack_size / 4;
	uint32_t top = h->state_offset, state = 0, back, bytes;
	int nr = 0;

	if (!area_is_possible(h, size))
		return -EINVAL;
	for (; word < end; word++) {
		if (*word & IS_STATE)
			state = *word;
		if (*word & (IS_STATE | IS_EVENT))
			continue;
		back = back_bytes(state, *word);
		bytes = front_bytes(state) + back;
		if (!state || top - (h->stack_offset + h->stack_size) < bytes)
			return -EINVAL;
		wave_edit((uint32_t *)((char *)area + top - back), has_setup);
		top -= bytes;
		nr++;
	}
	return nr;
}

/* ---- queues ------------------------------------------------------------------------------ */

static int trap(int kfd, uint32_t op, struct agent_kfd_trap *args)
{
	args->pid = (uint32_t)getpid();
	args->op = op;
	return kfd_ioctl(kfd, AGENT_KFD_TRAP, args);
}

/* those of waves, to the front; one that a snapshot has not had is new, and is not suspended */
int waves_queues(int kfd, uint32_t gpu_id, struct agent_kfd_queue *queues)
{
	struct agent_kfd_trap args = {
		.snapshot = {
			.exception_mask = AGENT_QUEUE_NEW, .entries = (uintptr_t)queues,
			.nr = WAVES_MAX_QUEUES, .entry_size = sizeof(*queues),
		},
	};
	int ret = trap(kfd, AGENT_TRAP_SNAPSHOT, &args);
	unsigned int n, nr = 0;

	if (ret)
		return ret;
	for (n = 0; n < args.snapshot.nr && n < WAVES_MAX_QUEUES; n++)
		if (queues[n].gpu_id == gpu_id && queues[n].type != AGENT_KFD_SDMA &&
		    queues[n].type != AGENT_KFD_SDMA_XGMI)
			queues[nr++] = queues[n];
	return (int)nr;
}

/* one that was not suspended, as it is being destroyed, has no waves */
static int edit_queue(const struct agent_kfd_queue *queue, const struct node *node,
		      bool has_setup)
{
	char *area = (char *)(uintptr_t)queue->save_area;
	uint32_t n;
	int nr = 0;

	for (n = 0; n < node->xccs && nr >= 0; n++)
		nr = waves_edit(area + (uint64_t)n * queue->save_area_size,
				queue->save_area_size, has_setup);
	return nr < 0 ? nr : 0;
}

static int edit_queues(const struct agent_kfd_queue *queues, const uint32_t *ids, int nr,
		       const struct node *node, bool has_setup)
{
	int n, ret = 0;

	for (n = 0; n < nr && !ret; n++) {
		if (ids[n] & AGENT_QUEUE_ERROR)
			ret = -EIO;
		else if (!(ids[n] & AGENT_QUEUE_INVALID) && queues[n].save_area)
			ret = edit_queue(&queues[n], node, has_setup);
	}
	return ret;
}

static int edit_suspended(int kfd, const struct agent_kfd_queue *queues, uint32_t *ids, int nr,
			  const struct node *node, bool has_setup)
{
	struct agent_kfd_trap suspend = {
		.suspend = { .queues = (uintptr_t)ids, .nr = (uint32_t)nr },
	};
	struct agent_kfd_trap resume = {
		.resume = { .queues = (uintptr_t)ids, .nr = (uint32_t)nr },
	};
	int n, ret = trap(kfd, AGENT_TRAP_SUSPEND, &suspend);

	ret = ret ? ret : edit_queues(queues, ids, nr, node, has_setup);
	for (n = 0; n < nr; n++)
		ids[n] = queues[n].id;
	n = trap(kfd, AGENT_TRAP_RESUME, &resume);
	return ret ? ret : n;
}

int waves_catch_up(int kfd, const struct node *node, bool has_setup)
{
	struct agent_kfd_queue *queues = calloc(WAVES_MAX_QUEUES, sizeof(*queues));
	uint32_t *ids = calloc(WAVES_MAX_QUEUES, sizeof(*ids));
	int n, nr, ret = -ENOMEM;

	if (queues && ids) {
		ret = nr = waves_queues(kfd, node->gpu_id, queues);
		for (n = 0; n < nr; n++)
			ids[n] = queues[n].id;
		if (nr > 0)
			ret = edit_suspended(kfd, queues, ids, nr, node, has_setup);
	}
	free(queues);
	free(ids);
	return ret;
}
