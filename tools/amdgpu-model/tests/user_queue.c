// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "user_queue.h"

uint32_t user_process[21];

struct queue *user_queue(struct world *w)
{
	return queue_find(&w->gpu->engine, DOORBELL);
}

static void kernel_packet(struct world *w, const uint32_t *dw, unsigned int nr)
{
	ring_begin(w, 0);
	ring_put(w, dw, nr);
	ring_kick(w);
}

void queue_map(struct world *w)
{
	const uint32_t map[] = {
		3u << 30 | 0xa2 << 8 | 5 << 16, 1u << 29, DOORBELL << 2,
		LO(GUEST_GART + AT_MQD), HI(GUEST_GART + AT_MQD), LO(USER(AT_WRITE)),
		HI(USER(AT_WRITE))
	};

	/* MAP_PROCESS, and then the queue, as a list */
	user_process[0] = 3u << 30 | 0xa1 << 8 | 19 << 16;
	user_process[1] |= USER_PASID;
	user_process[2] = VRAM_ROOT | 1;
	memcpy(w->guest + AT_LIST, user_process, sizeof(user_process));
	memcpy(w->guest + AT_LIST + sizeof(user_process), map, sizeof(map));
	kernel_packet(w, (const uint32_t []){
		3u << 30 | 0xa0 << 8 | 6 << 16, 0xff00, 0, 0, 0, 0, 0, 0,
		3u << 30 | 0xa5 << 8 | 2 << 16, LO(GUEST_GART + AT_LIST), 0, 28 }, 12);
}

void queue_unmap(struct world *w)
{
	kernel_packet(w, (const uint32_t []){ 3u << 30 | 0xa3 << 8 | 4 << 16, 2 << 4, 0, 0,
		      0, 0 }, 6);
}

void queue_begin(struct world *w, uint32_t first)
{
	struct v9_mqd *mqd = (struct v9_mqd *)(w->guest + AT_MQD);
	unsigned int i;

	queue_unmap(w);
	memset(w->guest + AT_PACKETS, 0, 0x6000);
	for (i = 0; i < NR_PACKETS; i++)
		*guest32(w, AT_PACKETS + i * 64) = TYPE_INVALID;
	memset(mqd, 0, sizeof(*mqd));
	mqd->cp_hqd_pq_base_lo = LO(USER(AT_PACKETS) >> 8);
	mqd->cp_hqd_pq_base_hi = HI(USER(AT_PACKETS) >> 8);
	mqd->cp_hqd_pq_control = __builtin_ctz(NR_PACKETS * 16) - 1;
	mqd->cp_hqd_pq_rptr_report_addr_lo = LO(USER(AT_READ));
	mqd->cp_hqd_pq_rptr_report_addr_hi = HI(USER(AT_READ));
	mqd->cp_hqd_pq_rptr = first;
	mqd->cp_hqd_aql_control = 1;
	*guest64(w, AT_WRITE) = first;
	queue_map(w);
	ih_drain(w);
}

uint32_t packet_at(unsigned int nr)
{
	return AT_PACKETS + nr % NR_PACKETS * 64;
}

void packet_put(struct world *w, unsigned int nr, unsigned int type, uint64_t signal)
{
	uint32_t at = packet_at(nr);

	memset(w->guest + at, 0, 64);
	*guest64(w, at + 56) = signal;
	/* barrier bit and scopes beside the type */
	*guest32(w, at) = type | 0x1500;
}

void queue_kick(struct world *w, uint64_t written)
{
	*guest64(w, AT_WRITE) = written;
	ring_doorbell(w, DOORBELL, written - 1);
}

uint64_t signal_at(unsigned int nr)
{
	return USER(AT_SIGNALS) + nr * 64;
}

int64_t *signal_value(struct world *w, unsigned int nr)
{
	return (int64_t *)guest64(w, AT_SIGNALS + nr * 64 + 8);
}

bool queue_is_idle(struct world *w, uint64_t rptr)
{
	const struct queue *q = user_queue(w);

	return q && !q->stopped && !q->waiting && q->rptr == rptr &&
	       *guest64(w, AT_READ) == rptr;
}
