/* SPDX-License-Identifier: GPL-2.0 */
/* Where the packets of an engine come from: a ring, or an indirect buffer. */
#ifndef AMDGPU_MODEL_STREAM_H
#define AMDGPU_MODEL_STREAM_H

#include "engine.h"

/**
 * enum outcome - of a packet
 * @DONE: the next one follows
 * @WAITS: for memory or a register: it is looked at again later
 * @FAILED: the queue stops
 * @GONE: the queue does not exist any more
 */
enum outcome { DONE, WAITS, FAILED, GONE };

/**
 * struct stream - packets
 * @queue: whose
 * @serial: of it: a packet may have another one take its place
 * @at: address of an indirect buffer, 0: the ring
 * @size: dwords that are there
 * @depth: of indirect buffers
 */
struct stream {
	struct queue *queue;
	uint64_t serial;
	uint64_t at;
	uint64_t size;
	unsigned int depth;
};

/** typedef packet_function - execute the packet at dword *@nr, and move *@nr behind it if it is done */
typedef enum outcome (*packet_function)(struct engine *e, struct stream *s,
					uint64_t *nr);

/** join_halves() - an address of two dwords */
static inline uint64_t join_halves(uint32_t lo, uint32_t hi)
{
	return lo | (uint64_t)hi << 32;
}

/** compare_values() - function of a wait: 0 always, 1 <, 2 <=, 3 ==, 4 !=, 5 >=, 6 > */
bool compare_values(unsigned int function, uint32_t value, uint32_t reference);

/** stream_read() - dword @nr; false after queue_fault() */
bool stream_read(struct engine *e, struct stream *s, uint64_t nr, uint32_t *value);

/** stream_inner() - an indirect buffer of @size dwords at @at, named by a packet of @s */
struct stream stream_inner(const struct stream *s, uint64_t at, uint64_t size);

/** stream_run() - execute what an indirect buffer has */
enum outcome stream_run(struct engine *e, struct stream *s, packet_function run_one);

/** stream_run_ring() - execute what @queue has; false: it does not exist any more */
bool stream_run_ring(struct engine *e, struct queue *queue, packet_function run_one);

#endif /* AMDGPU_MODEL_STREAM_H */
