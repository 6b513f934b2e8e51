/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts: eventfds of the client, by which an MSI (or INTx) is delivered.
 */
#ifndef AMDGPU_MODEL_IRQ_H
#define AMDGPU_MODEL_IRQ_H

#include <stdbool.h>
#include "vfio_user.h"

/**
 * struct irq_line - one interrupt
 * @fd: eventfd, -1 none
 * @masked: by the client
 * @pending: raised while it was masked
 */
struct irq_line {
	int fd;
	bool masked;
	bool pending;
};

/** irq_init() - no eventfd, not masked */
void irq_init(struct irq_line *line);

/** irq_set() - use *@fd, an eventfd, from now on, and take it (*@fd is -1 then); 0 or -EINVAL */
int irq_set(struct irq_line *line, int *fd);

/** irq_clear() - close the eventfd, unmask */
void irq_clear(struct irq_line *line);

/** irq_raise() - interrupt the guest; 0, also if masked, or -ENOTCONN without an eventfd */
int irq_raise(struct irq_line *line);

/** irq_apply() - what vfu_ops.set_irqs() has to do for the @count lines of an index; 0 or -errno */
int irq_apply(struct irq_line *lines, uint32_t count,
	      const struct vfu_irq_set *set);

#endif /* AMDGPU_MODEL_IRQ_H */
