// SPDX-License-Identifier: GPL-2.0
/* The ring buffer of an event. */
#include <errno.h>
#include <stdio.h>
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

#define HIT_FLAGS	(2 * GPUBP_HIT_NOW - 1)

/* a value of @len bytes that has meaning if the record has @flag */
static bool value_is_clean(const struct gpubp_hit_record *rec, uint16_t flag,
			   unsigned int len, uint64_t value)
{
	if (!(rec->flags & flag))
		return !value;
	return len >= 8 || !(value >> 8 * len);
}

bool record_is_clean(const struct gpubp_hit_record *rec)
{
	if (rec->unused[0] || rec->unused[1] || rec->unused[2] || rec->unused2 ||
	    rec->flags & ~HIT_FLAGS)
		return false;
	if (!(rec->flags & GPUBP_HIT_BYTES) && (rec->hit_addr || rec->hit_len))
		return false;
	if (!(rec->flags & GPUBP_HIT_COORDS) &&
	    (rec->wg_x || rec->wg_y || rec->wg_z || rec->wave_in_group))
		return false;
	return value_is_clean(rec, GPUBP_HIT_OLD_VALUE, rec->value_len, rec->old_value) &&
	       value_is_clean(rec, GPUBP_HIT_NEW_VALUE, rec->value_len, rec->new_value) &&
	       value_is_clean(rec, GPUBP_HIT_DATA, rec->hit_len, rec->data) &&
	       value_is_clean(rec, GPUBP_HIT_BEFORE, rec->hit_len, rec->before) &&
	       value_is_clean(rec, GPUBP_HIT_SEEN, rec->hit_len, rec->seen) &&
	       value_is_clean(rec, GPUBP_HIT_NOW, rec->hit_len, rec->now);
}

void record_print(const struct gpubp_hit_record *rec)
{
	printf("# group %u flags %#x state %u lanes %#llx exec %#llx addr %#llx width %u access %u\n",
	       rec->wg_x, rec->flags, rec->addr_state, (unsigned long long)rec->lanes,
	       (unsigned long long)rec->exec, (unsigned long long)rec->addr, rec->width,
	       rec->access);
	printf("# old %#llx new %#llx, %u bytes; hit %#llx+%u data %#llx before %#llx seen %#llx now %#llx\n",
	       (unsigned long long)rec->old_value, (unsigned long long)rec->new_value,
	       rec->value_len, (unsigned long long)rec->hit_addr, rec->hit_len,
	       (unsigned long long)rec->data, (unsigned long long)rec->before,
	       (unsigned long long)rec->seen, (unsigned long long)rec->now);
}
