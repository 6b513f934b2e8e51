/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a wave recorded, as a message to the kernel. Compiled with the kernel's headers in user
 * space (tests/host/shim).
 */
#ifndef GPUBP_ROCR_MESSAGE_H
#define GPUBP_ROCR_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/gpubp_agent.h>

/**
 * struct message - a message
 * @hit: its beginning
 * @regs: registers behind it
 */
struct message {
	struct gpubp_agent_hit hit;
	unsigned char regs[GPUBP_AGENT_MESSAGE - sizeof(struct gpubp_agent_hit)];
};

/**
 * struct message_place - what the wave says of itself, and the kernel does not ask for
 * @comparator: KFD's number of it
 * @clock: time of the hit, ticks of the GPU
 * @doorbell: of its queue
 * @decided: it accessed watched bytes; otherwise the wave could not tell
 */
struct message_place {
	unsigned int comparator;
	uint64_t clock;
	uint32_t doorbell;
	bool decided;
};

/**
 * message_fill() - make the message of a place of the ring
 * @msg: out, but for .slots, .time and .queue
 * @where: out
 * @gfx: version of the GPU, as KFD's topology has it
 * @place: the place, aligned as a uint64_t
 * @number: its number
 *
 * Return: false if it is no hit.
 */
bool message_fill(struct message *msg, struct message_place *where, uint32_t gfx,
		  const void *place, uint32_t number);

#endif /* GPUBP_ROCR_MESSAGE_H */
