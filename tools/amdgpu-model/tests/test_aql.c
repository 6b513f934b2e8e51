// SPDX-License-Identifier: GPL-2.0
/* User queues of AQL packets: barriers, signals, what stops a queue. */
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "soc15_int.h"
#include "v9_structs.h"

#include "tap.h"
#include "world.h"

#define le32_to_cpu(value)	(value)

#define LO(va)		((uint32_t)(va))
#define HI(va)		((uint32_t)((uint64_t)(va) >> 32))
#define USER(at)	(GUEST_USER + (at))

#define AT_PACKETS	0x20000u
#define AT_READ		0x24000u
#define AT_WRITE	0x24040u
#define AT_SIGNALS	0x25000u
#define AT_MQD		0x26000u
#define DOORBELL	0x804u
#define NR_PACKETS	64u

enum { TYPE_VENDOR, TYPE_INVALID, TYPE_DISPATCH, TYPE_AND, TYPE_AGENT, TYPE_OR };

static struct world w;

/* ---- a queue ------------------------------------------------------------- */

static struct queue *the_queue(void)
{
	return queue_find(&w.gpu->engine, DOORBELL);
}

static void kernel_packet(const uint32_t *dw, unsigned int nr)
{
	ring_begin(&w, 0);
	ring_put(&w, dw, nr);
	ring_kick(&w);
}

static void queue_map(void)
{
	const uint32_t map[] = {
		3u << 30 | 0xa2 << 8 | 5 << 16, 1u << 29, DOORBELL << 2,
		LO(GUEST_GART + AT_MQD), HI(GUEST_GART + AT_MQD), LO(USER(AT_WRITE)),
		HI(USER(AT_WRITE))
	};

	/* MAP_PROCESS of 21 dwords, and then the queue, as a list */
	memset(w.guest + 0x28000, 0, 84);
	*guest32(&w, 0x28000) = 3u << 30 | 0xa1 << 8 | 19 << 16;
	*guest32(&w, 0x28004) = 0x8003;
	*guest32(&w, 0x28008) = VRAM_ROOT | 1;
	memcpy(w.guest + 0x28000 + 84, map, sizeof(map));
	kernel_packet((const uint32_t []){
		3u << 30 | 0xa0 << 8 | 6 << 16, 0xff00, 0, 0, 0, 0, 0, 0,
		3u << 30 | 0xa5 << 8 | 2 << 16, LO(GUEST_GART + 0x28000), 0, 28 }, 12);
}

static void queue_unmap(void)
{
	kernel_packet((const uint32_t []){ 3u << 30 | 0xa3 << 8 | 4 << 16, 2 << 4, 0, 0,
		      0, 0 }, 6);
}

static void queue_begin(uint32_t first)
{
	struct v9_mqd *mqd = (struct v9_mqd *)(w.guest + AT_MQD);
	unsigned int i;

	queue_unmap();
	memset(w.guest + AT_PACKETS, 0, 0x6000);
	for (i = 0; i < NR_PACKETS; i++)
		*guest32(&w, AT_PACKETS + i * 64) = TYPE_INVALID;
	memset(mqd, 0, sizeof(*mqd));
	mqd->cp_hqd_pq_base_lo = LO(USER(AT_PACKETS) >> 8);
	mqd->cp_hqd_pq_base_hi = HI(USER(AT_PACKETS) >> 8);
	mqd->cp_hqd_pq_control = __builtin_ctz(NR_PACKETS * 16) - 1;
	mqd->cp_hqd_pq_rptr_report_addr_lo = LO(USER(AT_READ));
	mqd->cp_hqd_pq_rptr_report_addr_hi = HI(USER(AT_READ));
	mqd->cp_hqd_pq_rptr = first;
	mqd->cp_hqd_aql_control = 1;
	*guest64(&w, AT_WRITE) = first;
	queue_map();
	ih_drain(&w);
}

static void packet_put(unsigned int nr, unsigned int type, uint64_t signal)
{
	uint32_t at = AT_PACKETS + nr % NR_PACKETS * 64;

	memset(w.guest + at, 0, 64);
	*guest64(&w, at + 56) = signal;
	/* barrier bit and scopes beside the type */
	*guest32(&w, at) = type | 0x1500;
}

static void packet_depends(unsigned int nr, unsigned int i, uint64_t signal)
{
	*guest64(&w, AT_PACKETS + nr % NR_PACKETS * 64 + 8 + i * 8) = signal;
}

/* the doorbell has the index of the last packet */
static void queue_kick(uint64_t written)
{
	*guest64(&w, AT_WRITE) = written;
	ring_doorbell(&w, DOORBELL, written - 1);
}

static uint64_t signal_at(unsigned int nr)
{
	return USER(AT_SIGNALS) + nr * 64;
}

static int64_t *signal_value(unsigned int nr)
{
	return (int64_t *)guest64(&w, AT_SIGNALS + nr * 64 + 8);
}

static void signal_event(unsigned int nr, uint64_t mailbox, uint32_t event)
{
	*guest64(&w, AT_SIGNALS + nr * 64 + 16) = mailbox;
	*guest32(&w, AT_SIGNALS + nr * 64 + 24) = event;
}

static bool is_idle(uint64_t rptr)
{
	const struct queue *q = the_queue();

	return q && !q->stopped && !q->waiting && q->rptr == rptr &&
	       *guest64(&w, AT_READ) == rptr;
}

/* ---- packets ------------------------------------------------------------- */

static void check_signals(void)
{
	uint32_t entry[8];

	queue_begin(0);
	packet_put(0, TYPE_AND, signal_at(0));
	*signal_value(0) = 1;
	queue_kick(1);
	tap_ok(is_idle(1) && !*signal_value(0) && !ih_next(&w, entry),
	       "a barrier, its signal, the read pointer");
	tap_ok((*guest32(&w, AT_PACKETS) & 0xff) == TYPE_INVALID, "the packet is free");
	packet_put(1, TYPE_AND, signal_at(1));
	signal_event(1, USER(AT_SIGNALS + 0x800), 0x123);
	queue_kick(2);
	tap_ok(is_idle(2) && *signal_value(1) == -1 &&
	       *guest64(&w, AT_SIGNALS + 0x800) == 0x123 && ih_next(&w, entry),
	       "a signal with a mailbox interrupts");
	tap_ok(SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_GRBM_CP &&
	       SOC15_SOURCE_ID_FROM_IH_ENTRY(entry) == SOC15_INTSRC_CP_END_OF_PIPE &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == 0x8003 &&
	       SOC15_VMID_FROM_IH_ENTRY(entry) == 8 &&
	       SOC15_CONTEXT_ID0_FROM_IH_ENTRY(entry) == 0x123 && !ih_next(&w, entry + 0),
	       "with its event");
	packet_put(2, TYPE_AND, 0);
	packet_put(3, TYPE_OR, 0);
	queue_kick(4);
	tap_ok(is_idle(4) && !ih_next(&w, entry), "without a signal");
	packet_put(4, TYPE_AND, GUEST_USER + USER_BYTES);
	queue_kick(5);
	tap_ok(the_queue()->stopped && ih_next(&w, entry) &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_UTCL2 &&
	       entry[4] == LO((GUEST_USER + USER_BYTES) >> 12) &&
	       (entry[5] & 0xf) == HI((GUEST_USER + USER_BYTES) >> 12),
	       "a signal that is not there is a fault");
	queue_begin(0);
	packet_put(0, TYPE_AND, signal_at(1));
	signal_event(1, GUEST_USER - 8, 0x123);
	queue_kick(1);
	tap_ok(the_queue()->stopped && !world_log(&w, "FAULT"), "nor is a mailbox");
}

static void check_dependencies(void)
{
	unsigned int used, zero, i, bad = 0;

	/* each set of dependencies, and of those that are 0 */
	for (used = 0; used < 32; used++)
		for (zero = 0; zero < 32; zero++) {
			bool all = !(used & ~zero), one = used & zero || !used;

			queue_begin(0);
			packet_put(0, TYPE_AND, 0);
			for (i = 0; i < 5; i++) {
				*signal_value(i) = zero >> i & 1 ? 0 : 1ll << 32;
				if (used >> i & 1)
					packet_depends(0, i, signal_at(i));
			}
			queue_kick(1);
			bad += all ? !is_idle(1) : !the_queue()->waiting;
			packet_put(1, TYPE_OR, 0);
			for (i = 0; i < 5; i++)
				if (used >> i & 1)
					packet_depends(1, i, signal_at(i));
			queue_kick(2);
			bad += all && (one ? !is_idle(2) : !the_queue()->waiting);
		}
	tap_ok(!bad, "barriers AND and OR of five dependencies");
	queue_begin(0);
	packet_put(0, TYPE_OR, signal_at(5));
	*signal_value(0) = *signal_value(1) = 2;
	packet_depends(0, 1, signal_at(0));
	packet_depends(0, 4, signal_at(1));
	queue_kick(1);
	bad = !gpu_look_again(w.gpu) || !the_queue()->waiting || *signal_value(5);
	*signal_value(1) = 0;
	bad += gpu_look_again(w.gpu) || !is_idle(1) || *signal_value(5) != -1;
	tap_ok(!bad, "OR goes on when one becomes 0");
	packet_put(1, TYPE_AND, signal_at(5));
	packet_put(2, TYPE_AND, signal_at(6));
	*signal_value(1) = 2;
	packet_depends(1, 0, signal_at(0));
	packet_depends(1, 2, signal_at(1));
	queue_kick(3);
	*signal_value(0) = 0;
	bad = !gpu_look_again(w.gpu) || *signal_value(6);
	*signal_value(1) = 0;
	bad += gpu_look_again(w.gpu) || !is_idle(3) || *signal_value(6) != -1;
	tap_ok(!bad, "AND when all are, and so does what is behind it");
	packet_put(3, TYPE_AND, 0);
	packet_depends(3, 0, GUEST_USER - 64);
	queue_kick(4);
	tap_ok(the_queue()->stopped, "a dependency that is not there is a fault");
}

static void check_stops(void)
{
	static const unsigned int types[] = { TYPE_VENDOR, TYPE_DISPATCH, TYPE_AGENT, 6,
		0xff };
	unsigned int i, bad = 0;
	uint64_t faults = w.gpu->log.faults;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		queue_begin(0);
		packet_put(0, TYPE_AND, 0);
		packet_put(1, types[i], signal_at(0));
		packet_put(2, TYPE_AND, signal_at(1));
		queue_kick(3);
		bad += !the_queue()->stopped || the_queue()->rptr != 1 || *signal_value(0) ||
		       *signal_value(1) || *guest64(&w, AT_READ) != 1;
		queue_kick(3);
		bad += the_queue()->rptr != 1;
	}
	tap_ok(!bad && world_log(&w, "AQL packet of type 2 is not modelled") == 1,
	       "a kernel, and what is no barrier, stops a queue");
	tap_ok(w.gpu->log.faults == faults, "and is not the driver's fault");
}

/* ---- where a queue is ---------------------------------------------------- */

static void check_pointers(void)
{
	unsigned int i, bad = 0;

	queue_begin(0);
	for (i = 0; i < 3 * NR_PACKETS; i++) {
		packet_put(i, TYPE_AND, signal_at(0));
		queue_kick(i + 1);
		bad += !is_idle(i + 1);
	}
	tap_ok(!bad && *signal_value(0) == -3 * (int)NR_PACKETS, "three times around");
	for (i = 0; i < NR_PACKETS; i++)
		packet_put(3 * NR_PACKETS + i, TYPE_AND, signal_at(0));
	queue_kick(4 * NR_PACKETS);
	tap_ok(is_idle(4 * NR_PACKETS), "a queue that is full");
	/* a producer takes packets before there is room for them */
	packet_put(0, TYPE_AND, signal_at(1));
	queue_kick(1ull << 40);
	tap_ok(is_idle(4 * NR_PACKETS + 1) && *signal_value(1) == -1,
	       "a doorbell far ahead: up to the first packet that is invalid");
	queue_kick(4 * NR_PACKETS);
	packet_put(1, TYPE_AND, signal_at(1));
	queue_kick(4 * NR_PACKETS + 2);
	tap_ok(is_idle(4 * NR_PACKETS + 2) && *signal_value(1) == -2,
	       "doorbells that go back: producers overtake each other");
	ring_doorbell(&w, DOORBELL, UINT64_MAX);
	tap_ok(is_idle(4 * NR_PACKETS + 2), "one of -1, as before the first packet");
	queue_begin(0);
	packet_put(0, TYPE_INVALID, signal_at(0));
	packet_put(1, TYPE_AND, signal_at(1));
	queue_kick(2);
	bad = the_queue()->rptr || *signal_value(1);
	packet_put(0, TYPE_AND, signal_at(0));
	queue_kick(1);
	tap_ok(!bad && is_idle(2) && *signal_value(0) == -1 && *signal_value(1) == -1,
	       "a packet that is written after the one behind it");
}

static void check_mapped(void)
{
	unsigned int bad;

	queue_begin(0);
	packet_put(0, TYPE_AND, signal_at(0));
	packet_put(1, TYPE_AND, signal_at(1));
	packet_depends(1, 0, signal_at(2));
	packet_put(2, TYPE_AND, signal_at(3));
	*signal_value(2) = 1;
	queue_kick(3);
	queue_unmap();
	bad = the_queue() || *signal_value(0) != -1 ||
	      ((struct v9_mqd *)(w.guest + AT_MQD))->cp_hqd_pq_rptr != 1;
	*signal_value(2) = 0;
	bad += gpu_look_again(w.gpu) || *signal_value(1);
	tap_ok(!bad, "a queue that waits is taken off");
	queue_map();
	tap_ok(is_idle(3) && *signal_value(0) == -1 && *signal_value(1) == -1 &&
	       *signal_value(3) == -1, "and goes on where it was");
	queue_unmap();
	packet_put(3, TYPE_AND, signal_at(3));
	queue_kick(4);
	bad = *signal_value(3) != -1;
	queue_map();
	tap_ok(!bad && is_idle(4) && *signal_value(3) == -2,
	       "a doorbell while it is off is not lost");
	queue_unmap();
	/* an MQD has 32 bits of the read pointer */
	*guest64(&w, AT_WRITE) = 0x300000005;
	packet_put(4, TYPE_AND, signal_at(4));
	*signal_value(4) = 0;
	queue_map();
	tap_ok(is_idle(0x300000005) && *signal_value(4) == -1,
	       "nor are the upper bits of its read pointer");
}

/* the mailbox of a packet's signal is the packet: it is there once more */
static void check_work(void)
{
	uint64_t before = clock_ns();
	unsigned int i;

	queue_begin(0);
	packet_put(0, TYPE_AND, signal_at(0));
	for (i = 0; i < NR_PACKETS; i++) {
		signal_event(i, USER(AT_PACKETS) + i * 64, TYPE_AND);
		packet_put(i, TYPE_AND, signal_at(i));
	}
	queue_kick(1ull << 62);
	tap_ok(clock_ns() - before < 10000000000 && the_queue()->waiting &&
	       the_queue()->rptr > NR_PACKETS, "packets without an end are done in parts");
	queue_unmap();
	tap_ok(!the_queue() && !gpu_look_again(w.gpu), "and the queue is taken off");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(7 + 4 + 2 + 6 + 4 + 2 + 1);
	world_create(&w, true);
	check_signals();
	check_dependencies();
	check_stops();
	check_pointers();
	check_mapped();
	check_work();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
