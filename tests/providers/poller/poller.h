/* SPDX-License-Identifier: GPL-2.0 */
/*
 * poller: a GPU like Intel's Xe. It has no comparators and no interrupts: a
 * context that hits a breakpoint raises attention, which the core polls; all of
 * the context stops. Registers of its waves are in memory. Hits do not report
 * VMIDs.
 */
#ifndef _GPUBP_POLLER_H
#define _GPUBP_POLLER_H

#include "../toy/toy.h"

/**
 * struct poller - the GPU
 * @toy: the toy GPU that it is built on
 * @attention: bit n: wave n stopped and is not yet reported; under toy.lock
 * @hit: the hit to report, by wave
 * @flush_ms: duration of a flush
 */
struct poller {
	struct toy_gpu toy;
	unsigned long attention;
	struct gpubp_hit hit[TOY_WAVES];
	unsigned int flush_ms;
};

extern struct poller gpubp_poller;

/* attention.c */
void poller_stopped(struct toy_gpu *gpu, const struct gpubp_hit *hit);
void poller_poll(void *priv);
void poller_quiesce(void *priv);

/* regs.c */
int poller_read_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out);
int poller_write_wave(void *priv, u64 wave, const struct gpubp_reg_req *req,
		      unsigned int nr, const u32 *in);

#endif /* _GPUBP_POLLER_H */
