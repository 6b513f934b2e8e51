/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A patch: the break word in the place of an instruction, what was there, and
 * where that is executed meanwhile.
 *
 * The committer makes and ends patches. The resolver may see one from the moment
 * before the word is written until the last wave that fetched it has been dealt
 * with: a patch that was taken out is kept for that, with its buffer.
 */
#ifndef _GPUBP_TRAP_PATCH_H
#define _GPUBP_TRAP_PATCH_H

#include <linux/errno.h>
#include <linux/gpubp_isa.h>
#include <linux/list.h>
#include <linux/types.h>

#include "xol.h"

struct gpubp_ctx;
struct gpubp_precise_point;
struct gpubp_trap;

/**
 * enum gpubp_patch_state - how far a patch is
 * @GPUBP_PATCH_NEW: nothing of it is in memory
 * @GPUBP_PATCH_READY: its buffer is written; the word may be in memory
 * @GPUBP_PATCH_INSTALLED: the word is in memory
 * @GPUBP_PATCH_RETIRED: it was, and waves that met it may be on their way here
 */
enum gpubp_patch_state {
	GPUBP_PATCH_NEW,
	GPUBP_PATCH_READY,
	GPUBP_PATCH_INSTALLED,
	GPUBP_PATCH_RETIRED,
};

/**
 * struct gpubp_patch - a break in memory; under the device lock
 * @node: in gpubp_trap_ctx.patches, or .retired
 * @pc: where; constant
 * @state: enum gpubp_patch_state
 * @seq: gpubp_trap_ctx.seq when that was changed: no other change has it
 * @trap: for which; NULL: no event wants it any more
 * @trap_id: gpubp_trap.id of that, also if it is gone: whose the hits are; 0: nobody's
 * @point: for which escalation, or NULL
 * @buf_users: for whom it holds @buf: a bit for each enum gpubp_xol_user
 * @insn: the instruction; constant once it is READY
 * @orig: its bytes; likewise
 * @buf: where it is executed; likewise
 * @removing: the committer is about to take it out
 * @retired_ns: since when no wave can fetch the word, ns of CLOCK_MONOTONIC
 * @hits_mark: gpubp_hits_mark() some time after that; 0 not taken yet
 */
struct gpubp_patch {
	struct list_head node;
	u64 pc;
	u8 state;
	u64 seq;
	struct gpubp_trap *trap;
	u64 trap_id;
	struct gpubp_precise_point *point;
	u8 buf_users;
	struct gpubp_insn insn;
	u8 orig[GPUBP_MAX_INSN];
	struct gpubp_xol_buf *buf;
	bool removing;
	u64 retired_ns;
	u64 hits_mark;
};

extern unsigned int gpubp_patch_keep_ms;

struct gpubp_patch *gpubp_patch_find(const struct gpubp_ctx *ctx, u64 pc,
				     u64 time);
struct gpubp_patch *gpubp_patch_find_retired(const struct gpubp_ctx *ctx,
					     u64 pc);
bool gpubp_patch_is_break(const struct gpubp_ctx *ctx, const void *code);
ssize_t gpubp_patch_read(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len,
			 unsigned int how);
int gpubp_patch_check(struct gpubp_ctx *ctx, u64 pc, s64 *budget, void *code,
		      struct gpubp_insn *insn);
int gpubp_patch_is_valid(struct gpubp_ctx *ctx,
			 const struct gpubp_patch *patch);
int gpubp_patch_uninstall(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
int gpubp_patch_reinstall(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
bool gpubp_patch_any_in(struct gpubp_ctx *ctx, u64 va, u64 last);
bool gpubp_patch_is_at(const struct gpubp_ctx *ctx, u64 pc);
int gpubp_patch_get_buf(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			enum gpubp_xol_user user);
void gpubp_patch_set_trap(struct gpubp_patch *patch, struct gpubp_trap *trap);
void gpubp_patch_set_precise(struct gpubp_patch *patch,
			     struct gpubp_precise_point *point);
void gpubp_patch_clear_trap(struct gpubp_patch *patch);
void gpubp_patch_clear_precise(struct gpubp_patch *patch);
void gpubp_patch_add(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
int gpubp_patch_install(struct gpubp_ctx *ctx, struct gpubp_patch *patch);

/* what could not be put in may be all right in a moment */
static inline bool gpubp_patch_may_retry(int err)
{
	return err == -EBUSY || err == -EAGAIN || err == -ENOMEM;
}

void gpubp_patch_abandon(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
void gpubp_patch_retire(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
bool gpubp_patches_expire(struct gpubp_ctx *ctx);
void gpubp_patches_exit(struct gpubp_ctx *ctx);

#endif /* _GPUBP_TRAP_PATCH_H */
