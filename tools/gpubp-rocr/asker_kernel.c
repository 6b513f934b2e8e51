// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel asks: gpubp's door for providers in user space, <linux/gpubp_agent.h>.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/gpubp.h>

#include "asker.h"
#include "kfd.h"
#include "kfd_abi.h"
#include "late.h"
#include "message.h"
#include "session.h"
#include "waves.h"

#define DEVICE		"/dev/gpubp_agent"
#define MAX_DOORBELLS	1024

/**
 * struct known - what the kernel knows of a slot
 * @slot: what it is for; .on: it is set
 * @nr_ranges: that the kernel gave
 * @counts: decided hits are counted, and not recorded
 * @mixed: first they were, and then recorded
 * @told: of its counts
 * @sent: hits that were decided, as messages
 */
struct known {
	struct agent_slot slot;
	uint32_t nr_ranges;
	bool counts;
	bool mixed;
	struct agent_counts told;
	uint64_t sent;
};

/**
 * struct door - the file
 * @fd: it, -1 none
 * @session: on the node
 * @gfx: version of the GPU
 * @seq: number of the program that is being done
 * @next: of that
 * @done_seq: number of the last one that was done
 * @known: of each of its slots, what the kernel knows
 * @lock: @queue, which queues' threads write
 * @queue: KFD's number of the queue with that doorbell, and 1; 0 none
 */
static struct door {
	int fd;
	struct session *session;
	uint32_t gfx;
	uint64_t seq;
	struct gpubp_agent_program next;
	uint64_t done_seq;
	struct known known[AGENT_SLOTS];
	pthread_mutex_t lock;
	uint32_t queue[MAX_DOORBELLS];
} door = { .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

/* false: the kernel does not listen any more */
static bool door_write(const void *message)
{
	const struct gpubp_agent_header *header = message;
	ssize_t n;

	do
		n = write(door.fd, message, header->size);
	while (n < 0 && errno == EINTR);
	/* what it refuses is no hit of what it wants */
	return n >= 0 || (errno != EPERM && errno != EBADF);
}

/* ---- queues ---------------------------------------------------------------------------- */

/* hits of the old queue with that number have been written long ago */
static void queue_create(uint32_t id)
{
	struct gpubp_agent_queue queue = { .id = id, .flags = GPUBP_AGENT_QUEUE_HELD };

	if (ioctl(door.fd, GPUBP_AGENT_QUEUE_CREATE, &queue) && errno == EEXIST) {
		ioctl(door.fd, GPUBP_AGENT_QUEUE_DESTROY, &queue);
		ioctl(door.fd, GPUBP_AGENT_QUEUE_CREATE, &queue);
	}
}

/* a thread of the program has a queue, and goes on when what is wanted is armed */
static void queue_made(uint32_t id, uint32_t doorbell)
{
	struct gpubp_agent_queue queue = { .id = id };

	if (door.fd < 0)
		return;
	pthread_mutex_lock(&door.lock);
	queue_create(id);
	door.queue[doorbell % MAX_DOORBELLS] = id + 1;
	pthread_mutex_unlock(&door.lock);
	ioctl(door.fd, GPUBP_AGENT_WAIT_ARMED, &queue);
}

/* those that the process has when it joins: their hits are the first thread's, which it has in any case */
static void queues_create(const struct session *session)
{
	static struct agent_kfd_queue queues[WAVES_MAX_QUEUES];
	int n, nr = session_queues(session, queues);
	uint32_t doorbell;

	for (n = 0; n < nr; n++) {
		struct gpubp_agent_queue queue = {
			.id = queues[n].id, .tid = (uint32_t)getpid(),
		};

		ioctl(door.fd, GPUBP_AGENT_QUEUE_CREATE, &queue);
		if (!late_doorbell(queues[n].read_pointer, &doorbell))
			continue;
		pthread_mutex_lock(&door.lock);
		door.queue[doorbell % MAX_DOORBELLS] = queues[n].id + 1;
		pthread_mutex_unlock(&door.lock);
	}
}

static uint32_t queue_of(uint32_t doorbell)
{
	uint32_t id;

	pthread_mutex_lock(&door.lock);
	id = door.queue[doorbell % MAX_DOORBELLS];
	pthread_mutex_unlock(&door.lock);
	return id ? id - 1 : GPUBP_AGENT_NO_QUEUE;
}

/* ---- asker ------------------------------------------------------------------------------- */

static int door_open(const char *name)
{
	door.fd = strcmp(name, "kernel") ? -1 : open(DEVICE, O_RDWR | O_CLOEXEC);
	return door.fd;
}

static bool door_hello(const struct agent_hello *hello, struct session *session)
{
	struct gpubp_agent_join join = {
		.node_fd = session ? session_node(session) : -1,
		.nr_slots = AGENT_SLOTS,
		.granule = hello->granule,
		.va_bits = 48,
		.max_block = hello->largest,
		.modes = 0xf,
		.flags = GPUBP_AGENT_PRECISE,
	};

	if (hello->err)
		return false;
	strcpy(join.isa, hello->gfx == 90402 ? "gfx942" : "gfx90a");
	strcpy(join.name, join.isa);
	if (ioctl(door.fd, GPUBP_AGENT_JOIN, &join))
		return false;
	door.session = session;
	door.gfx = hello->gfx;
	door.done_seq = 0;
	memset(&door.next, 0, sizeof(door.next));
	memset(door.known, 0, sizeof(door.known));
	kfd_on_queue_made(queue_made);
	queues_create(session);
	return true;
}

/* GPUBP_ACCESS_* that a comparator of that mode sees */
static uint64_t kinds_of(uint32_t mode)
{
	static const uint64_t kinds[] = {
		GPUBP_ACCESS_LOAD, GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC, GPUBP_ACCESS_ATOMIC,
		GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC,
	};

	return kinds[mode & 3];
}

/* the counter of a comparator is of all of its ranges */
static bool counts_are_enough(const struct gpubp_agent_slot *slot)
{
	return slot->nr_ranges == 1 && slot->range[0].flags & GPUBP_AGENT_RANGE_COUNT;
}

/* without ranges the kernel finds out which bytes of a block were meant */
static struct agent_slot slot_of(const struct gpubp_agent_slot *from)
{
	struct agent_slot slot = {
		.on = 1, .mode = from->mode, .value = from->value, .mask = from->mask, .nr = 1,
		.counts = counts_are_enough(from),
		.range[0] = {
			.first = from->value,
			.last = agent_block_last(from->value, from->mask) |
				kinds_of(from->mode) << AGENT_KINDS_SHIFT,
		},
	};
	unsigned int n;

	if (from->nr_ranges)
		slot.nr = from->nr_ranges;
	for (n = 0; n < from->nr_ranges; n++)
		slot.range[n] = (struct agent_range) {
			.first = from->range[n].start,
			.last = (from->range[n].start + from->range[n].len - 1) |
				(uint64_t)from->range[n].access << AGENT_KINDS_SHIFT,
		};
	return slot;
}

static int door_program(struct agent_program *program, bool wait)
{
	unsigned int n;

	/* nothing need be wanted before the first queue, see queue_made() */
	if (wait)
		return 0;
	if (read(door.fd, &door.next, sizeof(door.next)) != sizeof(door.next))
		return errno == EINTR || errno == EAGAIN || errno == ENOMEM ? 0 : -1;
	*program = (struct agent_program) {
		.type = AGENT_PROGRAM, .seq = (uint32_t)door.next.seq,
	};
	for (n = 0; n < AGENT_SLOTS; n++)
		if (door.next.valid & 1u << n)
			program->slot[n] = slot_of(&door.next.slot[n]);
	door.seq = door.next.seq;
	return 1;
}

/* ---- counts ------------------------------------------------------------------------------ */

static bool write_lost(uint64_t nr)
{
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST }, .nr = nr,
	};

	return !nr || door_write(&lost);
}

static uint32_t part_of(uint64_t *nr)
{
	const uint32_t part = *nr < 1u << 31 ? (uint32_t)*nr : 1u << 31;

	*nr -= part;
	return part;
}

/* of the only range, or 0 */
static bool write_counts(unsigned int n, uint64_t hits, uint64_t strays)
{
	bool there = true;

	while (there && (hits || strays)) {
		struct gpubp_agent_counts counts = {
			.header = { sizeof(counts), GPUBP_AGENT_COUNTS },
			.seq = door.done_seq, .slot = n, .strays = part_of(&strays),
		};

		/* together they have 32 bits */
		if (!counts.strays)
			counts.hits[0] = part_of(&hits);
		there = door_write(&counts);
	}
	return there;
}

/*
 * What was counted in one of two ways when it was decided to record it is known when the
 * slot is cleared, and all of its hits have been sent.
 */
static uint64_t rest_of(const struct known *known, const struct agent_counts *c)
{
	const uint64_t booked = known->told.counted + known->sent + c->lost;

	return known->mixed && c->counted > booked ? c->counted - booked : 0;
}

/*
 * Of one range it is known what was lost, unless waves could not tell whether they accessed
 * its bytes.
 */
static bool tell_counts(unsigned int n, const struct agent_counts *c, uint64_t rest)
{
	struct known *known = &door.known[n];
	uint64_t lost = c->lost - known->told.lost, strays = c->strays - known->told.strays;
	uint64_t hits = rest;

	/* counts of what had it before */
	if (!known->slot.on)
		return true;
	if (known->counts) {
		hits += c->counted - known->told.counted;
		known->told.counted = c->counted;
	} else if (known->nr_ranges == 1 && !c->undecided) {
		hits += lost;
		lost = 0;
	}
	known->told.lost = c->lost;
	known->told.strays = c->strays;
	if (known->nr_ranges != 1) {
		lost += hits;
		hits = 0;
	}
	return write_counts(n, hits, known->nr_ranges ? strays : 0) && write_lost(lost);
}

static bool door_counts(const struct agent_counts counts[AGENT_SLOTS])
{
	unsigned int n;
	bool there = true;

	for (n = 0; n < AGENT_SLOTS && there; n++)
		there = tell_counts(n, &counts[n], 0);
	return there;
}

/* @final: bitmap of slots that were cleared */
static bool tell_final(const struct agent_counts counts[AGENT_SLOTS], uint32_t final)
{
	unsigned int n;
	bool there = true;

	for (n = 0; n < AGENT_SLOTS && there; n++)
		there = tell_counts(n, &counts[n],
				    final & 1u << n ? rest_of(&door.known[n], &counts[n]) : 0);
	return there;
}

static void known_next(unsigned int n, bool anew, int32_t err)
{
	const struct gpubp_agent_slot *from = &door.next.slot[n];
	const bool on = door.next.valid & 1u << n && !err;
	struct agent_slot slot = on ? slot_of(from) : (struct agent_slot){ 0 };
	struct known *known = &door.known[n];

	if (anew) {
		*known = (struct known){ .counts = slot.counts };
	} else if (memcmp(&known->slot, &slot, sizeof(slot))) {
		known->mixed |= known->counts;
		known->counts = false;
	}
	known->slot = slot;
	known->nr_ranges = on ? from->nr_ranges : 0;
}

static bool door_ack(const struct agent_ack *from, uint32_t anew)
{
	struct gpubp_agent_ack ack = {
		.header = { sizeof(ack), GPUBP_AGENT_ACK }, .seq = door.seq,
	};
	unsigned int n;

	memcpy(ack.err, from->err, sizeof(from->err));
	if (!tell_final(from->counts, anew))
		return false;
	for (n = 0; n < AGENT_SLOTS; n++)
		known_next(n, anew & 1u << n, from->err[n]);
	door.done_seq = door.seq;
	return door_write(&ack);
}

static bool door_hits(const struct agent_hits *hits, const unsigned char (*places)[AGENT_PLACE])
{
	static struct message message;
	struct message_place where;
	unsigned int n;
	bool there = true;

	for (n = 0; n < hits->nr && there; n++) {
		if (!message_fill(&message, &where, door.gfx, places[n], hits->first + n) ||
		    where.comparator >= AGENT_SLOTS)
			continue;
		message.hit.slots = 1u << hits->slot[where.comparator];
		message.hit.queue = queue_of(where.doorbell);
		message.hit.time = session_time(door.session, where.clock);
		door.known[hits->slot[where.comparator]].sent += where.decided;
		there = door_write(&message);
	}
	return there && door_counts(hits->counts);
}

static bool door_freed(uint64_t at, uint64_t size)
{
	const struct gpubp_agent_freed freed = {
		.header = { sizeof(freed), GPUBP_AGENT_FREED }, .start = at, .len = size,
	};

	return door_write(&freed);
}

static bool door_paused(bool on, struct session *session)
{
	const struct gpubp_agent_pause pause = {
		.header = { sizeof(pause), GPUBP_AGENT_PAUSE }, .on = on,
	};

	door.session = session;
	return door_write(&pause);
}

static void door_bye(const struct agent_ack *ack)
{
	tell_final(ack->counts, ~0u);
}

static void door_close(void)
{
	kfd_on_queue_made(NULL);
	close(door.fd);
	door.fd = -1;
	memset(door.queue, 0, sizeof(door.queue));
}

const struct asker asker_kernel = {
	.open = door_open,
	.hello = door_hello,
	.program = door_program,
	.ack = door_ack,
	.counts = door_counts,
	.hits = door_hits,
	.freed = door_freed,
	.paused = door_paused,
	.bye = door_bye,
	.close = door_close,
	.updates = true,
};
