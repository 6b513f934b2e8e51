// SPDX-License-Identifier: GPL-2.0
/* Saved queues: were waves saved when a queue was taken off the GPU. */
#include "saved.h"

/**
 * gpubp_amd_saved_waves() - may a queue have waves that were launched before
 * @saved: its control stack, of one graphics core
 *
 * The control stack grows downwards from its end and has entries for each wave
 * that was saved. An offset behind its end makes no sense: assume waves.
 */
bool gpubp_amd_saved_waves(const struct gpubp_amd_saved *saved)
{
	return saved->offset != saved->size;
}
