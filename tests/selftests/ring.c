// SPDX-License-Identifier: GPL-2.0
/* The ring buffer of an event. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include "event.h"

int ring_map(struct ring *ring, int fd, unsigned int pages)
{
	long page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);

	memset(ring, 0, sizeof(*ring));
	if (map == MAP_FAILED)
		return -errno;
	ring->page = map;
	ring->data = (char *)map + page;
	ring->size = (uint64_t)pages * page;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
}

static void copy_out(const struct ring *ring, uint64_t at, void *to, size_t len)
{
	uint64_t start = at & (ring->size - 1);
	size_t first = ring->size - start < len ? ring->size - start : len;

	memcpy(to, ring->data + start, first);
	memcpy((char *)to + first, ring->data, len - first);
}

/* layout of event_sample()'s sample_type */
struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t addr;
	uint32_t cpu, reserved;
	uint32_t raw_size;
	struct gpubp_hit_record raw;
	uint64_t data_src;
} __attribute__((packed, aligned(4)));

static bool parse_sample(const struct sample_record *rec, struct sample *s)
{
	if (rec->header.size != sizeof(*rec) ||
	    rec->raw_size != sizeof(rec->raw))
		return false;
	*s = (struct sample) {
		.ip = rec->ip,
		.addr = rec->addr,
		.time = rec->time,
		.data_src = rec->data_src,
		.pid = rec->pid,
		.tid = rec->tid,
		.cpu = rec->cpu,
		.rec = rec->raw,
	};
	return true;
}

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

/* true if the record at @tail is a sample */
static bool take_record(struct ring *ring, uint64_t tail,
			const struct perf_event_header *header,
			struct sample *sample)
{
	struct sample_record rec;
	struct lost_record lost;

	if (header->type == PERF_RECORD_LOST) {
		copy_out(ring, tail, &lost, sizeof(lost));
		ring->lost += lost.lost;
		return false;
	}
	if (header->type != PERF_RECORD_SAMPLE)
		return false;	/* throttle, exit, ...: not asked for, harmless */
	copy_out(ring, tail, &rec, sizeof(rec));
	if (parse_sample(&rec, sample))
		return true;
	ring->bad++;
	return false;
}

bool ring_next(struct ring *ring, struct sample *sample)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;
	bool found = false;

	while (tail != head && !found) {
		copy_out(ring, tail, &header, sizeof(header));
		found = take_record(ring, tail, &header, sample);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return found;
}

unsigned int ring_drain(struct ring *ring)
{
	struct sample sample;
	unsigned int n = 0;

	while (ring_next(ring, &sample))
		n++;
	return n;
}
