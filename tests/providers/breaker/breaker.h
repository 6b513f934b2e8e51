/* SPDX-License-Identifier: GPL-2.0 */
/*
 * breaker: a GPU like NVIDIA's. It has no comparators; a breakpoint in memory
 * stops the multiprocessor of the wave that executes it and raises an
 * interrupt. Waves can be single-stepped.
 */
#ifndef _GPUBP_BREAKER_H
#define _GPUBP_BREAKER_H

#include <linux/irq_work.h>

#include "../toy/toy.h"

/**
 * struct breaker - the GPU
 * @toy: the toy GPU that it is built on
 * @irq: its interrupt
 * @ring: stops that are not yet reported; under toy.lock
 * @head: number of the next entry
 * @tail: number of the oldest entry
 */
struct breaker {
	struct toy_gpu toy;
	struct irq_work irq;
	struct gpubp_hit ring[TOY_WAVES];
	unsigned int head;
	unsigned int tail;
};

extern struct breaker gpubp_breaker;

/* irq.c */
void breaker_irq(struct irq_work *irq);
void breaker_stopped(struct toy_gpu *gpu, const struct gpubp_hit *hit);
void breaker_quiesce(void *priv);

#endif /* _GPUBP_BREAKER_H */
