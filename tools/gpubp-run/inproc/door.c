// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include <uapi/linux/gpubp.h>
#include "door.h"
#include "watch.h"

static int door_call(const struct inproc_door *door, unsigned long cmd, void *arg)
{
	return ioctl(door->fd, cmd, arg) ? -errno : 0;
}

static struct gpubp_agent_queue door_queue(const struct inproc_door *door)
{
	return (struct gpubp_agent_queue){ .id = door->queue };
}

/* nothing is executed before inproc_door_await(): events that are open miss nothing */
static int door_join(struct inproc_door *door)
{
	struct gpubp_agent_queue queue = door_queue(door);
	int err = door_call(door, GPUBP_AGENT_JOIN, &door->join);

	queue.flags = GPUBP_AGENT_QUEUE_HELD;
	return err ?: door_call(door, GPUBP_AGENT_QUEUE_CREATE, &queue);
}

int inproc_door_open(struct inproc_door *door, const char *isa, __u32 queue)
{
	int err;

	*door = (struct inproc_door) {
		.names = -1, .queue = queue,
		.join = {
			.name = "gpubp_run", .node_fd = -1, .nr_slots = INPROC_SLOTS,
			.granule = INPROC_GRANULE, .va_bits = SIM_VA_BITS,
			.max_block = INPROC_MAX_BLOCK, .modes = 0xf,
			.flags = GPUBP_AGENT_PRECISE,
		},
	};
	strncpy(door->join.isa, isa, sizeof(door->join.isa) - 1);
	door->fd = open("/dev/gpubp_agent", O_RDWR | O_CLOEXEC);
	err = door->fd < 0 ? -errno : door_join(door);
	if (err)
		inproc_door_close(door);
	else
		door->names = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	return err;
}

void inproc_door_close(struct inproc_door *door)
{
	if (door->fd >= 0)
		close(door->fd);
	if (door->names >= 0)
		close(door->names);
	door->fd = -1;
	door->names = -1;
	door->join.context = 0;
	door->join.device = 0;
}

bool inproc_door_read(const struct inproc_door *door, struct gpubp_agent_program *program)
{
	return read(door->fd, program, sizeof(*program)) == sizeof(*program);
}

int inproc_door_write(const struct inproc_door *door, const void *message)
{
	const struct gpubp_agent_header *header = message;
	ssize_t n;

	if (door->fd < 0)
		return -ENOTCONN;
	do
		n = write(door->fd, message, header->size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

void inproc_door_hit(const struct inproc_door *door, const struct gpubp_agent_hit *hit)
{
	struct gpubp_agent_lost lost = {
		.header = { sizeof(lost), GPUBP_AGENT_LOST }, .nr = 1,
	};

	if (inproc_door_write(door, hit) == -ENOMEM)
		inproc_door_write(door, &lost);
}

void inproc_door_freed(const struct inproc_door *door, __u64 va, __u64 size)
{
	const struct gpubp_agent_freed freed = {
		.header = { sizeof(freed), GPUBP_AGENT_FREED }, .start = va, .len = size,
	};

	inproc_door_write(door, &freed);
}

void inproc_door_await(const struct inproc_door *door)
{
	struct gpubp_agent_queue queue = door_queue(door);

	if (door->fd >= 0)
		door_call(door, GPUBP_AGENT_WAIT_ARMED, &queue);
}

int inproc_door_name(const struct inproc_door *door, const struct gpubp_sim_name *name)
{
	struct gpubp_publish publish = {
		.va = name->va, .size = name->size,
		.kind = name->flags & GPUBP_SIM_NAME_CODE ? GPUBP_PUBLISH_CODE :
							     GPUBP_PUBLISH_BUFFER,
		.device = door->join.device + 1,
	};

	if (door->names < 0)
		return 0;
	memcpy(publish.name, name->name, sizeof(publish.name));
	return ioctl(door->names, GPUBP_PUBLISH, &publish) ? -errno : 0;
}
