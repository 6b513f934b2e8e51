/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Execution out of line: buffers in a context where an instruction is executed
 * whose place in memory has a break.
 *
 * A buffer holds one instruction and, behind it, the break word: a wave that was
 * sent there executes it and traps. Behind an access to memory the wave waits for it
 * to be done: what a comparator tells of it, it tells there. Who owns a buffer owns it for one
 * instruction of the program, and all waves that stand there share it, so no
 * wave ever waits for another one to come out, whatever the instruction waits
 * for. A buffer that its owners left is not used for another instruction before
 * no wave is in it.
 *
 * Breaks, sessions and the kernel's own steps have a share of the pool each, and
 * nobody takes another's. So a break that was promised a slot has it, whatever
 * debuggers keep. Of the sessions' share no user
 * has more than half, with all of his sessions together.
 */
#ifndef _GPUBP_TRAP_XOL_H
#define _GPUBP_TRAP_XOL_H

#include <linux/gpubp_isa.h>
#include <linux/list.h>
#include <linux/types.h>

struct gpubp_ctx;

#define GPUBP_XOL_SIZE	32	/* bytes of a buffer: an instruction and its guard */

/**
 * enum gpubp_xol_user - who takes a buffer
 * @GPUBP_XOL_BREAK: for an event's break
 * @GPUBP_XOL_SESSION: for a debugger's step
 * @GPUBP_XOL_KERNEL: for a step of the kernel's own
 * @GPUBP_XOL_NR_USERS: how many there are
 */
enum gpubp_xol_user {
	GPUBP_XOL_BREAK,
	GPUBP_XOL_SESSION,
	GPUBP_XOL_KERNEL,
	GPUBP_XOL_NR_USERS,
};

/**
 * struct gpubp_xol_buf - a buffer; under the device lock
 * @from: pc of the instruction that it is for
 * @to: where it is
 * @len: bytes of the instruction; 0: never used
 * @owners: by enum gpubp_xol_user
 * @inside: waves that were sent there and did not come out yet
 * @entering: of them, those whose pc may not say so yet
 * @may_end: some may have ended there
 * @unsure_since: the round in which that was seen first; 0 in none
 * @written: it holds the instruction
 * @code: the instruction
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
 * struct gpubp_xol - the buffers of a context; under the device lock
 * @va: of the first one; 0: there are none yet
 * @nr: entries of @buf: the sum of @share
 * @share: how many are whose, by enum gpubp_xol_user
 * @buf: buffers
 * @rounds: of finding out who is inside
 * @steps: struct gpubp_dstep that have a buffer
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
 * struct gpubp_xol_place - a pc in a buffer
 * @from: pc of the instruction that the buffer is for
 * @to: where the buffer is
 * @len: bytes of the instruction
 */
struct gpubp_xol_place {
	u64 from;
	u64 to;
	u8 len;
};

/* a wave at @pc has the instruction behind it */
static inline bool gpubp_xol_is_behind(const struct gpubp_xol_place *place,
				       u64 pc)
{
	return pc - place->to >= place->len;
}

/* where a wave at @pc would be in the program */
static inline u64 gpubp_xol_program_pc(const struct gpubp_xol_place *place,
				       u64 pc)
{
	return place->from + (gpubp_xol_is_behind(place, pc) ? place->len :
							       pc - place->to);
}

/* may a wave at @pc be in a buffer; any context */
static inline bool gpubp_xol_may_contain(const struct gpubp_xol *xol, u64 pc)
{
	/* where they are, then how many; pairs with the publication */
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
