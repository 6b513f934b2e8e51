// SPDX-License-Identifier: GPL-2.0
/* Interrupt lines: what is counted in the eventfd, and what is no eventfd. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "irq.h"
#include "mock.h"
#include "tap.h"

#define NR_LINES	4

static struct irq_line lines[NR_LINES];

/* what was counted since the last call */
static uint64_t counted(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static int apply(uint32_t flags, uint32_t start, uint32_t count, int *fds,
		 const uint8_t *bools)
{
	const struct vfu_irq_set set = {
		.start = start, .count = count, .fds = fds, .bools = bools,
		.action = flags & VFIO_IRQ_SET_ACTION_TYPE_MASK,
		.data = flags & VFIO_IRQ_SET_DATA_TYPE_MASK,
	};

	return irq_apply(lines, NR_LINES, &set);
}

static void single_line(int event)
{
	struct irq_line line;
	int fd = dup(event);

	irq_init(&line);
	tap_ok(irq_raise(&line) == -ENOTCONN, "a line without an eventfd");
	tap_ok(!irq_set(&line, &fd) && fd == -1 && line.fd >= 0, "the eventfd is taken");
	irq_raise(&line);
	irq_raise(&line);
	tap_ok(counted(event) == 2, "raised twice");
	fd = dup(event);
	irq_set(&line, &fd);
	tap_ok(!irq_raise(&line) && counted(event) == 1, "replaced by another");
	irq_clear(&line);
	tap_ok(irq_raise(&line) == -ENOTCONN && !counted(event), "cleared");
}

/* another writer filled the counter: raising must neither block nor fail */
static void full_counter(void)
{
	struct irq_line line;
	uint64_t most = UINT64_MAX - 1;
	int event = eventfd(0, EFD_CLOEXEC), fd = dup(event);

	irq_init(&line);
	irq_set(&line, &fd);
	tap_ok(write(event, &most, sizeof(most)) == sizeof(most) && !irq_raise(&line) &&
	       counted(event) == most, "a counter that is full");
	irq_clear(&line);
	close(event);
}

static void no_eventfds(void)
{
	struct irq_line line;
	int pipes[2], file = sample_file(), closed, none = -1;

	irq_init(&line);
	if (pipe(pipes))
		abort();
	tap_ok(irq_set(&line, &pipes[1]) == -EINVAL && pipes[1] >= 0, "a pipe");
	tap_ok(irq_set(&line, &file) == -EINVAL && file >= 0, "a file");
	closed = pipes[0];
	close(pipes[0]);
	close(pipes[1]);
	tap_ok(irq_set(&line, &closed) == -EINVAL, "a descriptor that is closed");
	tap_ok(irq_set(&line, &none) == -EINVAL, "no descriptor");
}

static void masked_line(int event)
{
	int fds[1] = { dup(event) };
	const uint32_t none = VFIO_IRQ_SET_DATA_NONE;

	apply(VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 1, fds, NULL);
	apply(none | VFIO_IRQ_SET_ACTION_MASK, 0, 1, NULL, NULL);
	irq_raise(&lines[0]);
	irq_raise(&lines[0]);
	tap_ok(!counted(event), "masked");
	apply(none | VFIO_IRQ_SET_ACTION_UNMASK, 0, 1, NULL, NULL);
	tap_ok(counted(event) == 1, "unmasked: raised once");
	apply(none | VFIO_IRQ_SET_ACTION_UNMASK, 0, 1, NULL, NULL);
	tap_ok(!counted(event), "unmasked again: not raised");
	irq_clear(&lines[0]);
}

static void several_lines(int event)
{
	const uint32_t eventfds = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	const uint8_t bools[2] = { 0, 1 };
	int fds[2] = { dup(event), dup(event) };
	int mixed[2] = { dup(event), sample_file() };

	tap_ok(!apply(eventfds, 1, 2, fds, NULL) && fds[0] == -1 && fds[1] == -1 &&
	       lines[0].fd < 0 && lines[1].fd >= 0 && lines[2].fd >= 0, "two of four");
	tap_ok(apply(eventfds, 0, 2, mixed, NULL) == -EINVAL && lines[0].fd < 0 &&
	       mixed[0] >= 0, "one of two is no eventfd: none is taken");
	close(mixed[0]);
	tap_ok(!apply(VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_TRIGGER, 1, 2, NULL,
		      bools) && counted(event) == 1, "the client triggers one");
	tap_ok(!apply(VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, 1, 2, NULL,
		      NULL) && counted(event) == 2, "the client triggers both");
	tap_ok(!apply(eventfds, 1, 1, NULL, NULL) && lines[1].fd < 0 && lines[2].fd >= 0,
	       "one is removed");
	tap_ok(apply(eventfds, 3, 2, NULL, NULL) == -EINVAL &&
	       apply(eventfds, UINT32_MAX, 2, NULL, NULL) == -EINVAL && lines[2].fd >= 0,
	       "beyond the last");
	tap_ok(!apply(VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, 0, 0, NULL,
		      NULL) && lines[2].fd < 0, "all are disabled");
}

int main(void)
{
	unsigned int i, fds;
	int event;

	/* a write to a full counter that blocks */
	alarm(60);
	samples_init();
	event = sample_event();
	fds = count_fds();
	for (i = 0; i < NR_LINES; i++)
		irq_init(&lines[i]);
	tap_plan(5 + 1 + 4 + 3 + 7 + 1);
	single_line(event);
	full_counter();
	no_eventfds();
	masked_line(event);
	several_lines(event);
	tap_ok(count_fds() == fds, "no descriptor is left");
	return tap_status();
}
