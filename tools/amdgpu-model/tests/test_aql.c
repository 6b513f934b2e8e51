// SPDX-License-Identifier: GPL-2.0
/* User queues of AQL packets: barriers, signals, what stops a queue. */
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "soc15_int.h"

#include "tap.h"
#include "user_queue.h"

#define le32_to_cpu(value)	(value)

static struct world w;

/* ---- signals ------------------------------------------------------------- */

static void packet_depends(unsigned int nr, unsigned int i, uint64_t signal)
{
	*guest64(&w, packet_at(nr) + 8 + i * 8) = signal;
}

static void signal_event(unsigned int nr, uint64_t mailbox, uint32_t event)
{
	*guest64(&w, AT_SIGNALS + nr * 64 + 16) = mailbox;
	*guest32(&w, AT_SIGNALS + nr * 64 + 24) = event;
}

/* ---- packets ------------------------------------------------------------- */

static void check_signals(void)
{
	uint32_t entry[8];

	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_AND, signal_at(0));
	*signal_value(&w, 0) = 1;
	queue_kick(&w, 1);
	tap_ok(queue_is_idle(&w, 1) && !*signal_value(&w, 0) && !ih_next(&w, entry),
	       "a barrier, its signal, the read pointer");
	tap_ok((*guest32(&w, AT_PACKETS) & 0xff) == TYPE_INVALID, "the packet is free");
	packet_put(&w, 1, TYPE_AND, signal_at(1));
	signal_event(1, USER(AT_SIGNALS + 0x800), 0x123);
	queue_kick(&w, 2);
	tap_ok(queue_is_idle(&w, 2) && *signal_value(&w, 1) == -1 &&
	       *guest64(&w, AT_SIGNALS + 0x800) == 0x123 && ih_next(&w, entry),
	       "a signal with a mailbox interrupts");
	tap_ok(SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_GRBM_CP &&
	       SOC15_SOURCE_ID_FROM_IH_ENTRY(entry) == SOC15_INTSRC_CP_END_OF_PIPE &&
	       SOC15_PASID_FROM_IH_ENTRY(entry) == 0x8003 &&
	       SOC15_VMID_FROM_IH_ENTRY(entry) == 8 &&
	       SOC15_CONTEXT_ID0_FROM_IH_ENTRY(entry) == 0x123 && !ih_next(&w, entry + 0),
	       "with its event");
	packet_put(&w, 2, TYPE_AND, 0);
	packet_put(&w, 3, TYPE_OR, 0);
	queue_kick(&w, 4);
	tap_ok(queue_is_idle(&w, 4) && !ih_next(&w, entry), "without a signal");
	packet_put(&w, 4, TYPE_AND, GUEST_USER + USER_BYTES);
	queue_kick(&w, 5);
	tap_ok(user_queue(&w)->stopped && ih_next(&w, entry) &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(entry) == SOC15_IH_CLIENTID_UTCL2 &&
	       entry[4] == LO((GUEST_USER + USER_BYTES) >> 12) &&
	       (entry[5] & 0xf) == HI((GUEST_USER + USER_BYTES) >> 12),
	       "a signal that is not there is a fault");
	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_AND, signal_at(1));
	signal_event(1, GUEST_USER - 8, 0x123);
	queue_kick(&w, 1);
	tap_ok(user_queue(&w)->stopped && !world_log(&w, "FAULT"), "nor is a mailbox");
}

static void check_dependencies(void)
{
	unsigned int used, zero, i, bad = 0;

	/* each set of dependencies, and of those that are 0 */
	for (used = 0; used < 32; used++)
		for (zero = 0; zero < 32; zero++) {
			bool all = !(used & ~zero), one = used & zero || !used;

			queue_begin(&w, 0);
			packet_put(&w, 0, TYPE_AND, 0);
			for (i = 0; i < 5; i++) {
				*signal_value(&w, i) = zero >> i & 1 ? 0 : 1ll << 32;
				if (used >> i & 1)
					packet_depends(0, i, signal_at(i));
			}
			queue_kick(&w, 1);
			bad += all ? !queue_is_idle(&w, 1) : !user_queue(&w)->waiting;
			packet_put(&w, 1, TYPE_OR, 0);
			for (i = 0; i < 5; i++)
				if (used >> i & 1)
					packet_depends(1, i, signal_at(i));
			queue_kick(&w, 2);
			bad += all && (one ? !queue_is_idle(&w, 2) : !user_queue(&w)->waiting);
		}
	tap_ok(!bad, "barriers AND and OR of five dependencies");
	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_OR, signal_at(5));
	*signal_value(&w, 0) = *signal_value(&w, 1) = 2;
	packet_depends(0, 1, signal_at(0));
	packet_depends(0, 4, signal_at(1));
	queue_kick(&w, 1);
	bad = gpu_look_again(w.gpu) < 0 || !user_queue(&w)->waiting || *signal_value(&w, 5);
	*signal_value(&w, 1) = 0;
	bad += gpu_look_again(w.gpu) >= 0 || !queue_is_idle(&w, 1) || *signal_value(&w, 5) != -1;
	tap_ok(!bad, "OR goes on when one becomes 0");
	packet_put(&w, 1, TYPE_AND, signal_at(5));
	packet_put(&w, 2, TYPE_AND, signal_at(6));
	*signal_value(&w, 1) = 2;
	packet_depends(1, 0, signal_at(0));
	packet_depends(1, 2, signal_at(1));
	queue_kick(&w, 3);
	*signal_value(&w, 0) = 0;
	bad = gpu_look_again(w.gpu) < 0 || *signal_value(&w, 6);
	*signal_value(&w, 1) = 0;
	bad += gpu_look_again(w.gpu) >= 0 || !queue_is_idle(&w, 3) || *signal_value(&w, 6) != -1;
	tap_ok(!bad, "AND when all are, and so does what is behind it");
	packet_put(&w, 3, TYPE_AND, 0);
	packet_depends(3, 0, GUEST_USER - 64);
	queue_kick(&w, 4);
	tap_ok(user_queue(&w)->stopped, "a dependency that is not there is a fault");
}

/* one with a value: @condition, and whether it is met */
static bool value_met(uint32_t condition, int64_t value, int64_t with, int64_t mask)
{
	uint64_t *packet = guest64(&w, AT_PACKETS);

	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_VENDOR, signal_at(1));
	*signal_value(&w, 0) = value;
	packet[0] = TYPE_VENDOR | 2 << 16;
	packet[1] = signal_at(0);
	packet[2] = with;
	packet[3] = mask;
	packet[4] = condition;
	queue_kick(&w, 1);
	return queue_is_idle(&w, 1) && *signal_value(&w, 1) == -1;
}

static void check_values(void)
{
	static const bool met[4][3] = {		/* EQ, NE, LT, GTE; -2, 3, 4 with 3 */
		{ false, true, false }, { true, false, true },
		{ true, false, false }, { false, true, true },
	};
	static const int64_t values[] = { -2, 3, 4 };
	unsigned int i, k, bad = 0;

	for (i = 0; i < 4; i++)
		for (k = 0; k < 3; k++)
			bad += value_met(i, values[k], 3, -1) != met[i][k];
	tap_ok(!bad, "a barrier with a value: four conditions");
	tap_ok(value_met(0, 0x1234, 0x30, 0xf0) && !value_met(0, 0x1234, 0x1234, 0xf0) &&
	       value_met(0, 0x30, 0x30, 0xf0), "of some bits of a signal");
	bad = value_met(3, 0, 1, -1) || user_queue(&w)->stopped;
	*signal_value(&w, 0) = 1;
	bad += gpu_look_again(w.gpu) >= 0;
	tap_ok(!bad && queue_is_idle(&w, 1) && *signal_value(&w, 1) == -1,
	       "it waits for the value");
	tap_ok(!value_met(4, 0, 0, -1) && user_queue(&w)->stopped, "there is no fifth condition");
}

/* properties of the queue */
#define AT_PROPERTIES	(AT_READ + 52)

static void check_times(void)
{
	uint64_t *time = (uint64_t *)signal_value(&w, 0) + 3, before = clock_ticks();

	queue_begin(&w, 0);
	time[0] = time[1] = 7;
	packet_put(&w, 0, TYPE_AND, signal_at(0));
	queue_kick(&w, 1);
	tap_ok(time[0] == 7 && time[1] == 7, "a queue without profiling tells no times");
	queue_begin(&w, 0);
	*guest32(&w, AT_PROPERTIES) = 1 << 3;
	packet_put(&w, 0, TYPE_AND, signal_at(0));
	queue_kick(&w, 1);
	tap_ok(time[0] >= before && time[1] >= time[0] && time[1] <= clock_ticks(),
	       "one with profiling does, in the packet's signal");
	*guest32(&w, AT_PROPERTIES) = 0;
}

static void check_stops(void)
{
	static const unsigned int types[] = { TYPE_VENDOR, TYPE_DISPATCH, TYPE_AGENT, 6,
		0xff };
	unsigned int i, bad = 0;
	uint64_t faults = w.gpu->log.faults;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		queue_begin(&w, 0);
		packet_put(&w, 0, TYPE_AND, 0);
		packet_put(&w, 1, types[i], signal_at(0));
		packet_put(&w, 2, TYPE_AND, signal_at(1));
		queue_kick(&w, 3);
		bad += !user_queue(&w)->stopped || user_queue(&w)->rptr != 1 || *signal_value(&w, 0) ||
		       *signal_value(&w, 1) || *guest64(&w, AT_READ) != 1;
		queue_kick(&w, 3);
		bad += user_queue(&w)->rptr != 1;
	}
	tap_ok(!bad && world_log(&w, "AQL packet of type 4 is not modelled") == 1,
	       "a kernel that is not there, and what is no barrier, stops a queue");
	tap_ok(w.gpu->log.faults == faults, "and is not the driver's fault");
}

/* ---- where a queue is ---------------------------------------------------- */

static void check_pointers(void)
{
	unsigned int i, bad = 0;

	queue_begin(&w, 0);
	for (i = 0; i < 3 * NR_PACKETS; i++) {
		packet_put(&w, i, TYPE_AND, signal_at(0));
		queue_kick(&w, i + 1);
		bad += !queue_is_idle(&w, i + 1);
	}
	tap_ok(!bad && *signal_value(&w, 0) == -3 * (int)NR_PACKETS, "three times around");
	for (i = 0; i < NR_PACKETS; i++)
		packet_put(&w, 3 * NR_PACKETS + i, TYPE_AND, signal_at(0));
	queue_kick(&w, 4 * NR_PACKETS);
	tap_ok(queue_is_idle(&w, 4 * NR_PACKETS), "a queue that is full");
	/* a producer takes packets before there is room for them */
	packet_put(&w, 0, TYPE_AND, signal_at(1));
	queue_kick(&w, 1ull << 40);
	tap_ok(queue_is_idle(&w, 4 * NR_PACKETS + 1) && *signal_value(&w, 1) == -1,
	       "a doorbell far ahead: up to the first packet that is invalid");
	queue_kick(&w, 4 * NR_PACKETS);
	packet_put(&w, 1, TYPE_AND, signal_at(1));
	queue_kick(&w, 4 * NR_PACKETS + 2);
	tap_ok(queue_is_idle(&w, 4 * NR_PACKETS + 2) && *signal_value(&w, 1) == -2,
	       "doorbells that go back: producers overtake each other");
	ring_doorbell(&w, DOORBELL, UINT64_MAX);
	tap_ok(queue_is_idle(&w, 4 * NR_PACKETS + 2), "one of -1, as before the first packet");
	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_INVALID, signal_at(0));
	packet_put(&w, 1, TYPE_AND, signal_at(1));
	queue_kick(&w, 2);
	bad = user_queue(&w)->rptr || *signal_value(&w, 1);
	packet_put(&w, 0, TYPE_AND, signal_at(0));
	queue_kick(&w, 1);
	tap_ok(!bad && queue_is_idle(&w, 2) && *signal_value(&w, 0) == -1 && *signal_value(&w, 1) == -1,
	       "a packet that is written after the one behind it");
}

static void check_mapped(void)
{
	unsigned int bad;

	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_AND, signal_at(0));
	packet_put(&w, 1, TYPE_AND, signal_at(1));
	packet_depends(1, 0, signal_at(2));
	packet_put(&w, 2, TYPE_AND, signal_at(3));
	*signal_value(&w, 2) = 1;
	queue_kick(&w, 3);
	queue_unmap(&w);
	bad = user_queue(&w) || *signal_value(&w, 0) != -1 ||
	      ((struct v9_mqd *)(w.guest + AT_MQD))->cp_hqd_pq_rptr != 1;
	*signal_value(&w, 2) = 0;
	bad += gpu_look_again(w.gpu) >= 0 || *signal_value(&w, 1);
	tap_ok(!bad, "a queue that waits is taken off");
	queue_map(&w);
	tap_ok(queue_is_idle(&w, 3) && *signal_value(&w, 0) == -1 && *signal_value(&w, 1) == -1 &&
	       *signal_value(&w, 3) == -1, "and goes on where it was");
	queue_unmap(&w);
	packet_put(&w, 3, TYPE_AND, signal_at(3));
	queue_kick(&w, 4);
	bad = *signal_value(&w, 3) != -1;
	queue_map(&w);
	tap_ok(!bad && queue_is_idle(&w, 4) && *signal_value(&w, 3) == -2,
	       "a doorbell while it is off is not lost");
	queue_unmap(&w);
	/* an MQD has 32 bits of the read pointer */
	*guest64(&w, AT_WRITE) = 0x300000005;
	packet_put(&w, 4, TYPE_AND, signal_at(4));
	*signal_value(&w, 4) = 0;
	queue_map(&w);
	tap_ok(queue_is_idle(&w, 0x300000005) && *signal_value(&w, 4) == -1,
	       "nor are the upper bits of its read pointer");
}

/* the mailbox of a packet's signal is the packet: it is there once more */
static void check_work(void)
{
	uint64_t before = clock_ns();
	unsigned int i;

	queue_begin(&w, 0);
	packet_put(&w, 0, TYPE_AND, signal_at(0));
	for (i = 0; i < NR_PACKETS; i++) {
		signal_event(i, USER(AT_PACKETS) + i * 64, TYPE_AND);
		packet_put(&w, i, TYPE_AND, signal_at(i));
	}
	queue_kick(&w, 1ull << 62);
	tap_ok(clock_ns() - before < 10000000000 && user_queue(&w)->waiting &&
	       user_queue(&w)->rptr > NR_PACKETS, "packets without an end are done in parts");
	queue_unmap(&w);
	tap_ok(!user_queue(&w) && gpu_look_again(w.gpu) < 0, "and the queue is taken off");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(7 + 4 + 4 + 2 + 2 + 6 + 4 + 2 + 1);
	world_create(&w, true);
	check_signals();
	check_dependencies();
	check_values();
	check_times();
	check_stops();
	check_pointers();
	check_mapped();
	check_work();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
