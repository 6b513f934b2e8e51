/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues that the process had before its session, and waves that run in them: they were launched
 * without what makes them trap for a hit.
 */
#ifndef GPUBP_ROCR_WAVES_H
#define GPUBP_ROCR_WAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "kfd_abi.h"
#include "node.h"

#define WAVES_MAX_QUEUES	1024

/**
 * waves_queues() - queues of a GPU
 * @kfd: file of KFD, of a process that debugs itself
 * @gpu_id: the GPU
 * @queues: out: WAVES_MAX_QUEUES of them
 *
 * Return: how many; or a negative errno.
 */
int waves_queues(int kfd, uint32_t gpu_id, struct agent_kfd_queue *queues);

/**
 * waves_catch_up() - let waves that run trap for hits as those do that are launched from now on
 * @kfd: as above
 * @node: the GPU
 * @has_setup: the dispatcher has told them where they are (TTMPs)
 *
 * They are saved, changed in the memory of the process, and go on.
 *
 * Return: 0 or a negative errno.
 */
int waves_catch_up(int kfd, const struct node *node, bool has_setup);

/**
 * waves_edit() - change the waves in a save area
 * @area: it
 * @size: its bytes
 * @has_setup: as above
 *
 * Return: how many there were; -EINVAL if it makes no sense, and then the first ones may have
 * been changed.
 */
int waves_edit(void *area, uint32_t size, bool has_setup);

#endif /* GPUBP_ROCR_WAVES_H */
