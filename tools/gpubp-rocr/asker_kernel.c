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
#include "message.h"
#include "session.h"

#define DEVICE		"/dev/gpubp_agent"
#define MAX_DOORBELLS	1024

/**
 * struct door - the file
 * @fd: it, -1 none
 * @session: on the node
 * @gfx: version of the GPU
 * @seq: number of the program that is being done
 * @next: of that
 * @slot: of the last one that was done
 * @lost: of each slot, what the kernel knows
 * @lock: @queue, which queues' threads write
 * @queue: KFD's number of the queue with that doorbell, and 1; 0 none
 */
static struct door {
	int fd;
	struct session *session;
	uint32_t gfx;
	uint64_t seq;
	struct agent_slot next[AGENT_SLOTS];
	struct agent_slot slot[AGENT_SLOTS];
	uint64_t lost[AGENT_SLOTS];
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
	memset(door.slot, 0, sizeof(door.slot));
	memset(door.lost, 0, sizeof(door.lost));
	kfd_on_queue_made(queue_made);
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

/* the kernel finds out which bytes of a block were meant */
static struct agent_slot slot_of(const struct gpubp_agent_slot *slot)
{
	return (struct agent_slot) {
		.on = 1, .mode = slot->mode, .value = slot->value, .mask = slot->mask, .nr = 1,
		.range[0] = {
			.first = slot->value,
			.last = (slot->value + (slot->mask & -slot->mask) - 1) |
				kinds_of(slot->mode) << AGENT_KINDS_SHIFT,
		},
	};
}

static int door_program(struct agent_program *program, bool wait)
{
	struct gpubp_agent_program from;
	unsigned int n;

	/* nothing need be wanted before the first queue, see queue_made() */
	if (wait)
		return 0;
	if (read(door.fd, &from, sizeof(from)) != sizeof(from))
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	*program = (struct agent_program) {
		.type = AGENT_PROGRAM, .seq = (uint32_t)from.seq,
	};
	for (n = 0; n < AGENT_SLOTS; n++)
		if (from.valid & 1u << n)
			program->slot[n] = slot_of(&from.slot[n]);
	door.seq = from.seq;
	memcpy(door.next, program->slot, sizeof(door.next));
	return 1;
}

static bool door_lost(const struct agent_counts counts[AGENT_SLOTS])
{
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST },
	};
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++) {
		lost.nr += counts[n].lost - door.lost[n];
		door.lost[n] = counts[n].lost;
	}
	return !lost.nr || door_write(&lost);
}

static bool door_ack(const struct agent_ack *from)
{
	struct gpubp_agent_ack ack = {
		.header = { sizeof(ack), GPUBP_AGENT_ACK }, .seq = door.seq,
	};
	unsigned int n;

	memcpy(ack.err, from->err, sizeof(from->err));
	if (!door_lost(from->counts))
		return false;
	/* those that were set anew count from 0 */
	for (n = 0; n < AGENT_SLOTS; n++)
		if (memcmp(&door.slot[n], &door.next[n], sizeof(door.slot[n])))
			door.lost[n] = 0;
	memcpy(door.slot, door.next, sizeof(door.slot));
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
		there = door_write(&message);
	}
	return there && door_lost(hits->counts);
}

static void door_bye(const struct agent_ack *ack)
{
	door_lost(ack->counts);
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
	.hits = door_hits,
	.bye = door_bye,
	.close = door_close,
};
