/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Displaced steps of sessions: a wave that is held executes the instruction at
 * its pc in a buffer, so that whatever stands in the instruction's place can stay
 * there for other waves.
 */
#ifndef _GPUBP_SESSION_DISPLACED_H
#define _GPUBP_SESSION_DISPLACED_H

#include <linux/gpubp_isa.h>
#include <linux/types.h>

#include "../trap/trap.h"

struct gpubp_ctx;
struct gpubp_holder;
struct gpubp_session;
struct gpubp_user;

/**
 * struct gpubp_dstep - a displaced step that is not complete; its session's, in
 *	its turn
 * @id: unique since the module was loaded
 * @node: in gpubp_xol.steps, while it has a buffer; under the device lock
 * @user: whose session's, likewise
 * @from: pc of the instruction
 * @buf: where it is executed; NULL: it is simulated
 * @to: of @buf
 * @len: bytes of the instruction
 * @was_inside: the wave was in @buf before, on its way past a break that has
 *	counted it
 * @simulated: it was
 * @insn: the instruction
 */
struct gpubp_dstep {
	u64 id;
	struct list_head node;
	const struct gpubp_user *user;
	u64 from;
	struct gpubp_xol_buf *buf;
	u64 to;
	u8 len;
	bool was_inside;
	bool simulated;
	struct gpubp_insn insn;
};

int gpubp_wave_step(const struct gpubp_holder *holder, u64 wave);
int gpubp_dstep_end(struct gpubp_ctx *ctx, u64 wave, struct gpubp_dstep *d,
		    bool *done);
void gpubp_dstep_abandon(struct gpubp_ctx *ctx, struct gpubp_dstep *d);

long gpubp_displaced_start_cmd(struct gpubp_session *session, void *arg);
long gpubp_displaced_complete_cmd(struct gpubp_session *session, void *arg);
long gpubp_displaced_info_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_DISPLACED_H */
