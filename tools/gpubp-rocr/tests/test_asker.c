// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel gets of the counts of comparators: by which program, once, and as hits of a
 * range only where that is certain.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/gpubp.h>

#include "asker.h"
#include "kfd.h"
#include "kfd_abi.h"
#include "late.h"
#include "message.h"
#include "session.h"
#include "tap.h"

#define BLOCK	0x1000
#define QUEUE	5
#define DOORBELL	9
#define READ_POINTER	0x777000

/* the kernel's end */
static int kernel = -1;

int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_open(const char *path, int flags, ...)
{
	int fds[2];

	(void)flags;
	if (strcmp(path, "/dev/gpubp_agent") || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return -1;
	kernel = fds[1];
	return fds[0];
}

/* the last queue of which it got a message */
static struct gpubp_agent_queue created;

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;

	(void)fd;
	va_start(ap, request);
	if (request == GPUBP_AGENT_QUEUE_CREATE)
		created = *va_arg(ap, struct gpubp_agent_queue *);
	va_end(ap);
	return request == GPUBP_AGENT_JOIN || request == GPUBP_AGENT_QUEUE_CREATE ? 0 : -1;
}

int session_node(const struct session *session)
{
	(void)session;
	return 3;
}

/* one that the process had before */
int session_queues(const struct session *session, struct agent_kfd_queue *queues)
{
	(void)session;
	queues[0] = (struct agent_kfd_queue){ .id = QUEUE, .read_pointer = READ_POINTER };
	return 1;
}

bool late_doorbell(uint64_t read_pointer, uint32_t *doorbell)
{
	*doorbell = DOORBELL;
	return read_pointer == READ_POINTER;
}

uint64_t session_time(struct session *session, uint64_t clock)
{
	(void)session;
	return clock;
}

void kfd_on_queue_made(void (*fn)(uint32_t id, uint32_t doorbell))
{
	(void)fn;
}

/* a place is the number of its comparator, and whether it was decided */
bool message_fill(struct message *msg, struct message_place *where, uint32_t gfx,
		  const void *place, uint32_t number)
{
	const unsigned char *bytes = place;

	(void)gfx;
	(void)number;
	msg->hit = (struct gpubp_agent_hit) {
		.header = { sizeof(msg->hit), GPUBP_AGENT_HIT },
	};
	*where = (struct message_place) { .comparator = bytes[0], .decided = bytes[1],
					 .doorbell = DOORBELL };
	return true;
}

/* ---- what the kernel gets ------------------------------------------------------------ */

union got {
	struct gpubp_agent_header header;
	struct gpubp_agent_ack ack;
	struct gpubp_agent_counts counts;
	struct gpubp_agent_lost lost;
	struct gpubp_agent_hit hit;
	struct gpubp_agent_freed freed;
};

static union got got;

static bool gets(uint32_t type)
{
	memset(&got, 0, sizeof(got));
	return recv(kernel, &got, sizeof(got), MSG_DONTWAIT) == got.header.size &&
	       got.header.type == type;
}

static bool gets_nothing(void)
{
	return recv(kernel, &got, sizeof(got), MSG_DONTWAIT) < 0;
}

static bool gets_ack(uint64_t seq)
{
	return gets(GPUBP_AGENT_ACK) && got.ack.seq == seq;
}

static bool gets_counts(uint64_t seq, uint32_t slot, uint32_t strays, uint32_t hits)
{
	return gets(GPUBP_AGENT_COUNTS) && got.counts.seq == seq && got.counts.slot == slot &&
	       got.counts.strays == strays && got.counts.hits[0] == hits && !got.counts.hits[1];
}

static bool gets_lost(uint64_t nr)
{
	return gets(GPUBP_AGENT_LOST) && got.lost.nr == nr;
}

/* ---- programs ------------------------------------------------------------------------ */

static struct gpubp_agent_program wanted;
static struct agent_program program;
static struct agent_ack ack;

static struct gpubp_agent_slot slot_with(unsigned int nr, uint32_t flags)
{
	struct gpubp_agent_slot slot = {
		.value = BLOCK, .mask = -64ull & 0xffffffffffff, .mode = 1, .nr_ranges = nr,
	};
	unsigned int n;

	for (n = 0; n < nr; n++)
		slot.range[n] = (struct gpubp_agent_range) {
			BLOCK + 8 * n, 4, GPUBP_ACCESS_STORE, flags,
		};
	return slot;
}

static bool take(void)
{
	wanted.seq++;
	return write(kernel, &wanted, sizeof(wanted)) == sizeof(wanted) &&
	       asker_kernel.program(&program, false) == 1;
}

static bool begins(void)
{
	const struct agent_hello hello = { .gfx = 90010, .granule = 64, .largest = 1 << 30 };
	static int session;

	return asker_kernel.open("kernel") >= 0 &&
	       asker_kernel.hello(&hello, (struct session *)&session);
}

/* the comparator of one range that is counted counts; all have the kernel's bytes */
static bool has_ranges(void)
{
	const struct agent_slot *slot = program.slot;

	wanted.valid = 7;
	wanted.slot[0] = slot_with(1, GPUBP_AGENT_RANGE_COUNT);
	wanted.slot[1] = slot_with(2, GPUBP_AGENT_RANGE_COUNT);
	wanted.slot[2] = slot_with(0, 0);
	return take() && slot[0].counts && slot[0].nr == 1 && slot[0].range[0].first == BLOCK &&
	       slot[0].range[0].last == (BLOCK + 3) + (2ull << AGENT_KINDS_SHIFT) &&
	       !slot[1].counts && slot[1].nr == 2 && slot[1].range[1].first == BLOCK + 8 &&
	       !slot[2].counts && slot[2].nr == 1 && slot[2].range[0].first == BLOCK &&
	       slot[2].range[0].last == BLOCK + 63 + (6ull << AGENT_KINDS_SHIFT) && !slot[3].on;
}

static bool acknowledges(uint32_t anew)
{
	return asker_kernel.ack(&ack, anew) && gets_ack(wanted.seq);
}

static bool tells_once(void)
{
	ack.counts[0] = (struct agent_counts){ .counted = 10, .strays = 4 };
	return asker_kernel.counts(ack.counts) && gets_counts(1, 0, 4, 0) &&
	       gets_counts(1, 0, 0, 10) && gets_nothing() && asker_kernel.counts(ack.counts) &&
	       gets_nothing();
}

static bool tells_many(void)
{
	ack.counts[0].counted += 5ull << 31;
	return asker_kernel.counts(ack.counts) && gets_counts(1, 0, 0, 1u << 31) &&
	       gets_counts(1, 0, 0, 1u << 31) && gets_counts(1, 0, 0, 1u << 31) &&
	       gets_counts(1, 0, 0, 1u << 31) && gets_counts(1, 0, 0, 1u << 31) &&
	       gets_nothing();
}

/* which one of two ranges was hit is not known; without ranges there are no strays */
static bool lost_of_several(void)
{
	ack.counts[1] = (struct agent_counts){ .counted = 9, .strays = 2, .lost = 3 };
	ack.counts[2] = (struct agent_counts){ .counted = 9, .strays = 2, .lost = 4 };
	return asker_kernel.counts(ack.counts) && gets_counts(1, 1, 2, 0) && gets_lost(3) &&
	       gets_lost(4) && gets_nothing();
}

static bool hit(unsigned int comparator, bool decided)
{
	static unsigned char places[1][AGENT_PLACE];
	struct agent_hits hits = { .nr = 1, .slot = { 0, 1, 2, 3 } };

	memcpy(hits.counts, ack.counts, sizeof(hits.counts));
	places[0][0] = (unsigned char)comparator;
	places[0][1] = decided;
	return asker_kernel.hits(&hits, (const unsigned char (*)[AGENT_PLACE])places) &&
	       gets(GPUBP_AGENT_HIT) && got.hit.slots == 1u << comparator &&
	       got.hit.queue == QUEUE;
}

/*
 * Counted by the old ranges, then recorded by new ones in the same block; the rest is what was
 * in neither number.
 */
static bool ranges_change(void)
{
	bool ok;

	wanted.slot[0].range[0].len = 8;
	ok = take() && program.slot[0].range[0].last == (BLOCK + 7) + (2ull << AGENT_KINDS_SHIFT);
	ack.counts[0].counted += 2;
	ok &= asker_kernel.ack(&ack, 0) && gets_counts(1, 0, 0, 2) && gets_ack(2);
	ack.counts[0].counted += 6;
	ok &= asker_kernel.counts(ack.counts) && gets_nothing();
	ok &= hit(0, true) && hit(0, true) && hit(0, false) && gets_nothing();
	ack.counts[0].lost = 1;
	ok &= asker_kernel.counts(ack.counts) && gets_counts(2, 0, 0, 1) && gets_nothing();
	wanted.valid &= ~1u;
	ok &= take() && asker_kernel.ack(&ack, 1) && gets_counts(2, 0, 0, 3) && gets_ack(3);
	/* nor are its numbers those of what has it next */
	return ok && asker_kernel.counts(ack.counts) && gets_nothing();
}

static bool lost_of_one(void)
{
	bool ok;

	wanted.valid |= 1;
	wanted.slot[0] = slot_with(1, 0);
	ok = take() && !program.slot[0].counts && acknowledges(1);
	ack.counts[0] = (struct agent_counts){ .counted = 9, .lost = 7 };
	ok &= asker_kernel.counts(ack.counts) && gets_counts(4, 0, 0, 7) && gets_nothing();
	/* those may be hits of no range */
	ack.counts[0].undecided = 1;
	ack.counts[0].lost += 2;
	return ok && asker_kernel.counts(ack.counts) && gets_lost(2) && gets_nothing();
}

static bool failed_ones_have_none(void)
{
	wanted.slot[0] = slot_with(1, GPUBP_AGENT_RANGE_COUNT);
	ack.err[0] = -12;
	if (!take() || !acknowledges(1))
		return false;
	ack.counts[0].counted += 100;
	return asker_kernel.counts(ack.counts) && gets_nothing();
}

static bool says_freed(void)
{
	return asker_kernel.freed(BLOCK, 64) && gets(GPUBP_AGENT_FREED) &&
	       got.freed.start == BLOCK && got.freed.len == 64 && gets_nothing();
}

static bool says_bye(void)
{
	ack.counts[1].strays += 5;
	asker_kernel.bye(&ack);
	return gets_counts(5, 1, 5, 0) && gets_nothing();
}

int main(void)
{
	tap_plan(12);
	tap_ok(begins(), "it joins");
	tap_ok(created.id == QUEUE && created.tid == (uint32_t)getpid() && !created.flags,
	       "with the queue that it had");
	tap_ok(has_ranges(), "a program has the ranges");
	tap_ok(acknowledges(7) && gets_nothing(), "its answer");
	tap_ok(tells_once(), "counts and strays");
	tap_ok(tells_many(), "... of more than 32 bits");
	tap_ok(lost_of_several(), "lost records of several ranges");
	tap_ok(ranges_change(), "other ranges in a block");
	tap_ok(lost_of_one(), "lost records of one range");
	tap_ok(failed_ones_have_none(), "a comparator that is not set");
	tap_ok(says_freed(), "memory that was freed");
	tap_ok(says_bye(), "the end");
	asker_kernel.close();
	return tap_status();
}
