// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "irq.h"

void irq_init(struct irq_line *line)
{
	*line = (struct irq_line){ .fd = -1 };
}

/* a write to a pipe could end this process, or block it */
static bool fd_is_eventfd(int fd)
{
	static const char name[] = "anon_inode:[eventfd]";
	char path[32], target[sizeof(name)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target)) == sizeof(name) - 1 &&
	       !memcmp(target, name, sizeof(name) - 1);
}

static void eventfd_take(struct irq_line *line, int *fd)
{
	if (line->fd >= 0)
		close(line->fd);
	line->fd = *fd;
	*fd = -1;
}

int irq_set(struct irq_line *line, int *fd)
{
	if (!fd_is_eventfd(*fd))
		return -EINVAL;
	eventfd_take(line, fd);
	return 0;
}

void irq_clear(struct irq_line *line)
{
	if (line->fd >= 0)
		close(line->fd);
	irq_init(line);
}

int irq_raise(struct irq_line *line)
{
	struct pollfd pfd = { .fd = line->fd, .events = POLLOUT };
	uint64_t one = 1;

	if (line->fd < 0)
		return -ENOTCONN;
	if (line->masked) {
		line->pending = true;
		return 0;
	}
	/* a counter that is full is an interrupt that is pending already */
	if (poll(&pfd, 1, 0) != 1 || !(pfd.revents & POLLOUT))
		return 0;
	return write(line->fd, &one, sizeof(one)) == sizeof(one) ? 0 : -errno;
}

static void irq_mask(struct irq_line *line, bool masked)
{
	line->masked = masked;
	if (masked || !line->pending)
		return;
	line->pending = false;
	irq_raise(line);
}

static void irq_act(struct irq_line *line, uint32_t action)
{
	if (action == VFIO_IRQ_SET_ACTION_TRIGGER)
		irq_raise(line);
	else
		irq_mask(line, action == VFIO_IRQ_SET_ACTION_MASK);
}

/* all or none */
static int eventfds_set(struct irq_line *lines, const struct vfu_irq_set *set)
{
	uint32_t i;

	/* of mask and unmask events QEMU needs none without KVM */
	if (set->action != VFIO_IRQ_SET_ACTION_TRIGGER)
		return -ENOTSUP;
	for (i = 0; set->fds && i < set->count; i++) {
		if (!fd_is_eventfd(set->fds[i]))
			return -EINVAL;
	}
	for (i = 0; i < set->count; i++) {
		if (set->fds)
			eventfd_take(&lines[set->start + i], &set->fds[i]);
		else
			irq_clear(&lines[set->start + i]);
	}
	return 0;
}

int irq_apply(struct irq_line *lines, uint32_t count, const struct vfu_irq_set *set)
{
	uint32_t i;

	if (set->start > count || set->count > count - set->start)
		return -EINVAL;
	if (set->data == VFIO_IRQ_SET_DATA_EVENTFD)
		return eventfds_set(lines, set);
	for (i = 0; !set->count && i < count; i++)
		irq_clear(&lines[i]);
	for (i = 0; i < set->count; i++) {
		if (set->data == VFIO_IRQ_SET_DATA_NONE || set->bools[i])
			irq_act(&lines[set->start + i], set->action);
	}
	return 0;
}
