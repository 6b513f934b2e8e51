/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Execution out of line (XOL): buffers in the memory of a context, in which
 * instructions are executed that a break word replaces in memory.
 *
 * A buffer holds a copy of one instruction, followed by break words (the
 * guard): a wave whose pc is moved there executes the instruction and traps.
 * After an access to memory the wave first waits for the access to complete, so
 * that a comparator's hit is reported there.
 *
 * Owners (breaks, precise points, steps) own a buffer for one instruction of
 * the program, and all waves at this instruction share the buffer, so that no
 * wave waits for another one to leave it, whatever the instruction waits for. A
 * buffer without owners is reused for another instruction only when no wave is
 * inside.
 *
 * Breaks, sessions and precise points have a share of the pool each, and cannot
 * exceed it: a break that has a slot gets its buffer, whatever debuggers keep.
 * All sessions of a user together can own half of the sessions' share.
 */
#ifndef _GPUBP_TRAP_XOL_H
#define _GPUBP_TRAP_XOL_H

#include <linux/gpubp_isa.h>
#include <linux/list.h>
#include <linux/types.h>

struct gpubp_ctx;

#define GPUBP_XOL_SIZE	32	/* bytes of a buffer: instruction and guard */

/**
 * enum gpubp_xol_user - kinds of owners of buffers
 * @GPUBP_XOL_BREAK: an event's break
 * @GPUBP_XOL_SESSION: a displaced step of a session
 * @GPUBP_XOL_PRECISE: a precise point
 * @GPUBP_XOL_NR_USERS: number of kinds
 */
enum gpubp_xol_user {
	GPUBP_XOL_BREAK,
	GPUBP_XOL_SESSION,
	GPUBP_XOL_PRECISE,
	GPUBP_XOL_NR_USERS,
};

/**
 * struct gpubp_xol_buf - a XOL buffer; under the device lock
 * @from: address of the instruction in the program
 * @to: address of the buffer
 * @len: bytes of the instruction; 0: the buffer was never used
 * @owners: number of owners, by enum gpubp_xol_user; 0 of all kinds: free as
 *	soon as no wave is inside
 * @inside: waves that were sent into the buffer and have not left it
 * @entering: of @inside, waves whose pc may not be in the buffer yet
 * @may_end: a wave may have ended in the buffer, so that @inside may be too
 *	high
 * @unsure_since: number of the round (gpubp_xol.rounds) in which it was first
 *	found without owners and with waves inside that may have ended; 0: not
 *	so
 * @written: the copy is in memory; see gpubp_xol_write()
 * @code: bytes of the instruction
 */
struct gpubp_xol_buf {
	u64 from;
	u64 to;
	u8 len;
	u16 owners[GPUBP_XOL_NR_USERS];
	unsigned int inside;
	unsigned int entering;
	bool may_end;
	u64 unsure_since;
	bool written;
	u8 code[GPUBP_MAX_INSN];
};

/**
 * struct gpubp_xol - XOL buffers of a context; under the device lock
 * @va: address of the first buffer; 0: there are none yet; read without the
 *	lock by gpubp_xol_may_contain()
 * @nr: entries of @buf: the sum of @share
 * @share: buffers for each enum gpubp_xol_user
 * @buf: the buffers, GPUBP_XOL_SIZE bytes each, in order of their addresses
 * @rounds: calls of gpubp_xol_reclaim() so far
 * @steps: struct gpubp_dstep that own a buffer
 */
struct gpubp_xol {
	u64 va;
	unsigned int nr;
	unsigned int share[GPUBP_XOL_NR_USERS];
	struct gpubp_xol_buf *buf;
	u64 rounds;
	struct list_head steps;
};

/**
 * struct gpubp_xol_place - the buffer that contains a pc
 * @from: address of the instruction in the program
 * @to: address of the buffer
 * @len: bytes of the instruction
 */
struct gpubp_xol_place {
	u64 from;
	u64 to;
	u8 len;
};

/** gpubp_xol_is_behind() - has a wave at @pc executed the instruction there */
static inline bool gpubp_xol_is_behind(const struct gpubp_xol_place *place,
				       u64 pc)
{
	return pc - place->to >= place->len;
}

/** gpubp_xol_program_pc() - pc in the program for @pc in the buffer */
static inline u64 gpubp_xol_program_pc(const struct gpubp_xol_place *place,
				       u64 pc)
{
	return place->from + (gpubp_xol_is_behind(place, pc) ? place->len :
							       pc - place->to);
}

/* any context: may @pc be in a buffer; false is certain */
static inline bool gpubp_xol_may_contain(const struct gpubp_xol *xol, u64 pc)
{
	/* @va, then @nr: pairs with the release in xol_pool_publish() */
	u64 va = smp_load_acquire(&xol->va);

	return va && pc - va < (u64)xol->nr * GPUBP_XOL_SIZE;
}

extern unsigned int gpubp_break_slots;

int gpubp_xol_init(struct gpubp_ctx *ctx);
void gpubp_xol_exit(struct gpubp_ctx *ctx);

struct gpubp_xol_buf *gpubp_xol_get(struct gpubp_ctx *ctx, u64 pc,
				    const void *code, u8 len,
				    enum gpubp_xol_user user);
void gpubp_xol_put(struct gpubp_xol_buf *buf, enum gpubp_xol_user user);
int gpubp_xol_write(struct gpubp_ctx *ctx, struct gpubp_xol_buf *buf);
int gpubp_xol_rewrite(struct gpubp_ctx *ctx);
void gpubp_xol_enter(struct gpubp_xol_buf *buf, bool may_end);
void gpubp_xol_leave(struct gpubp_ctx *ctx, u64 pc);
void gpubp_xol_enter_begin(struct gpubp_xol_buf *buf, bool may_end);
void gpubp_xol_enter_end(struct gpubp_ctx *ctx, u64 to, bool there);
bool gpubp_xol_find(const struct gpubp_ctx *ctx, u64 pc,
		    struct gpubp_xol_place *place);
bool gpubp_xol_overlaps(const struct gpubp_ctx *ctx, u64 va, u64 len);
void gpubp_xol_reclaim(struct gpubp_ctx *ctx);
bool gpubp_xol_any_inside(const struct gpubp_ctx *ctx);
unsigned int gpubp_xol_new_slots(void);
unsigned int gpubp_xol_slots(const struct gpubp_ctx *ctx);
unsigned int gpubp_xol_quota(const struct gpubp_ctx *ctx);
unsigned int gpubp_xol_in_use(const struct gpubp_ctx *ctx);

#endif /* _GPUBP_TRAP_XOL_H */
