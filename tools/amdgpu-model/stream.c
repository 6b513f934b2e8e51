// SPDX-License-Identifier: GPL-2.0
#include "stream.h"

bool compare_values(unsigned int function, uint32_t value, uint32_t reference)
{
	switch (function) {
	case 1: return value < reference;
	case 2: return value <= reference;
	case 3: return value == reference;
	case 4: return value != reference;
	case 5: return value >= reference;
	case 6: return value > reference;
	default: return true;
	}
}

bool stream_read(struct engine *e, struct stream *s, uint64_t nr, uint32_t *value)
{
	if (!s->at)
		return queue_dword(e, s->queue, nr, value);
	if (vm_read32(e->access, &s->queue->vm, s->at + nr * 4, value))
		return true;
	queue_fault(e, s->queue, "read of an indirect buffer");
	return false;
}

struct stream stream_inner(const struct stream *s, uint64_t at, uint64_t size)
{
	return (struct stream){
		.queue = s->queue, .serial = s->serial, .at = at,
		.size = size, .depth = s->depth + 1,
	};
}

static enum outcome run_packets(struct engine *e, struct stream *s, uint64_t *nr,
				packet_function run_one)
{
	enum outcome outcome = DONE;

	while (*nr < s->size && outcome == DONE) {
		if (!s->depth && !queue_begin_packet(e))
			return WAITS;
		outcome = run_one(e, s, nr);
	}
	return outcome;
}

enum outcome stream_run(struct engine *e, struct stream *s, packet_function run_one)
{
	uint64_t nr = 0;

	return run_packets(e, s, &nr, run_one);
}

bool stream_run_ring(struct engine *e, struct queue *queue, packet_function run_one)
{
	struct stream ring = { .queue = queue, .serial = queue->serial };
	enum outcome outcome;
	uint64_t nr = 0;

	queue->waiting = false;
	/* a doorbell further ahead than the ring is long is nonsense */
	if (queue->wptr - queue->rptr > queue->size) {
		queue_error(e, queue, "write pointer %llu, read pointer %llu, %u dwords",
			    (unsigned long long)queue->wptr,
			    (unsigned long long)queue->rptr, queue->size);
		return false;
	}
	ring.size = queue->wptr - queue->rptr;
	outcome = run_packets(e, &ring, &nr, run_one);
	if (outcome == GONE)
		return false;
	queue->rptr += nr;
	queue->waiting = outcome == WAITS;
	if (nr)
		queue->wait_ns = 0;
	return true;
}
