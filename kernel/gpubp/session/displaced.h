/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Displaced steps of sessions: a held wave executes the instruction at its pc
 * in an XOL buffer. What replaces the instruction in the program, such as a
 * breakpoint, stays there for other waves.
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
 * struct gpubp_dstep - a displaced step that is not completed; protected by
 *	&gpubp_session.op_sem of the session that holds the wave
 * @id: unique since the module was loaded
 * @node: entry in gpubp_xol.steps while it has a buffer; under the device lock
 * @user: user of the session, for its quota; likewise
 * @from: pc of the instruction in the program
 * @buf: buffer in which it is executed; NULL if it is simulated
 * @to: GPU address of the instruction in @buf
 * @len: bytes of the instruction
 * @was_inside: the wave was in @buf before the step, on its way past a break
 *	that has counted it
 * @simulated: the instruction was simulated
 * @insn: the decoded instruction
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
