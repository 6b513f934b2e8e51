/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A patch: the ISA's break word, written over the first bytes of an
 * instruction, with the original bytes and the XOL buffer in which the
 * instruction is executed instead.
 *
 * The committer makes and ends patches. The resolver may find a patch from just
 * before the word is written until the last wave that fetched it was handled: a
 * patch that was removed from memory is kept until then, with its buffer.
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
struct gpubp_trap_point;

/**
 * enum gpubp_patch_state - life of a patch
 * @GPUBP_PATCH_NEW: nothing of it is in memory
 * @GPUBP_PATCH_READY: its buffer is written; the break word may be in memory
 * @GPUBP_PATCH_INSTALLED: the break word is in memory
 * @GPUBP_PATCH_RETIRED: the original bytes are back; hits of waves that fetched
 *	the word before may still be on their way to the resolver
 */
enum gpubp_patch_state {
	GPUBP_PATCH_NEW,
	GPUBP_PATCH_READY,
	GPUBP_PATCH_INSTALLED,
	GPUBP_PATCH_RETIRED,
};

/**
 * struct gpubp_patch - a break word in memory; under the device lock
 * @node: in gpubp_trap_ctx.patches, or in .retired
 * @pc: address of the instruction; constant
 * @state: enum gpubp_patch_state
 * @seq: value of gpubp_trap_ctx.seq at the last change of @state; no other
 *	change has the same value
 * @trap: the events' break at this instruction; NULL: no event wants it any
 *	more
 * @trap_point_id: gpubp_trap_point.id of @trap, kept when the trap is freed:
 *	hits are matched by it; 0: the patch belongs to a precise point only
 * @point: precise point at this instruction, or NULL
 * @buf_users: bit n is set if the patch owns @buf for enum gpubp_xol_user n
 * @insn: the original instruction; constant from GPUBP_PATCH_READY on
 * @orig: its bytes; likewise
 * @buf: XOL buffer that it is executed in; likewise
 * @removing: neither @trap nor @point was chosen for this quantum: the
 *	committer removes the patch in this run
 * @retired_ns: time from which on no wave can fetch the break word, in ns of
 *	CLOCK_MONOTONIC; set when the patch is retired
 * @hits_mark: gpubp_hits_mark(), taken gpubp_patch_keep_ms after @retired_ns or
 *	later; 0: not taken yet
 */
struct gpubp_patch {
	struct list_head node;
	u64 pc;
	u8 state;
	u64 seq;
	struct gpubp_trap_point *trap;
	u64 trap_point_id;
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
void gpubp_patches_hide(struct gpubp_ctx *ctx, u64 va, void *buf, size_t len);
u32 gpubp_patches_hash(struct gpubp_ctx *ctx, u64 va, size_t len);
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
void gpubp_patch_set_trap(struct gpubp_patch *patch,
			  struct gpubp_trap_point *trap);
void gpubp_patch_set_precise(struct gpubp_patch *patch,
			     struct gpubp_precise_point *point);
void gpubp_patch_clear_trap(struct gpubp_patch *patch);
void gpubp_patch_clear_precise(struct gpubp_patch *patch);
void gpubp_patch_add(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
int gpubp_patch_install(struct gpubp_ctx *ctx, struct gpubp_patch *patch);

/* true if installing a patch failed for a reason that may pass: try again */
static inline bool gpubp_patch_may_retry(int err)
{
	return err == -EBUSY || err == -EAGAIN || err == -ENOMEM;
}

void gpubp_patch_abandon(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
void gpubp_patch_retire(struct gpubp_ctx *ctx, struct gpubp_patch *patch);
bool gpubp_patches_expire(struct gpubp_ctx *ctx);
void gpubp_patches_exit(struct gpubp_ctx *ctx);

#endif /* _GPUBP_TRAP_PATCH_H */
