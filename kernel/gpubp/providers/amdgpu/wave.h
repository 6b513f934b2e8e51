/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waves that are known: those that are stopped, and those that were listed.
 *
 * A wave that was listed keeps its id for as long as it exists: it has its name, the lower
 * half of the id, in ttmp7, which amdkfd's handler saves with it and which programs
 * cannot write. (The ttmps that the dispatcher sets are not enough: waves that were
 * launched without traps have none. In ttmp7 ROCr's handler keeps the pc of a wave that
 * it parks in front of s_endpgm: that is another wave from then on.) Others are known from
 * their hit until they go on.
 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_WAVE_H
#define _GPUBP_PROVIDERS_AMDGPU_WAVE_H

#include "area.h"
#include "provider.h"

/**
 * struct gpubp_amd_wave - a wave
 * @link: in @list
 * @list: node->stopped, node->resuming, node->lost or node->listed; NULL: in none
 * @by_id: in node->by_id
 * @by_key: in node->by_key
 * @id: unique serial number
 * @ctx: its context
 * @at: its location, and what tells it from others
 * @moved: it is not there any more
 * @stops: how often a wave that is listed stopped
 * @holds: hits and halts that keep it stopped
 * @halts: halts among them
 * @failed: it is not resumed: amdkfd takes it off the GPU, for a page fault
 * @is_listed: @at.mark has its name, and so has the wave
 * @stepping: it makes a step, and is in node->listed
 * @call: the last call that listed it (node->last_call)
 * @rec: where it was in memory
 * @rec_seq: ctx->off_seq of that time
 * @edits: changes of its registers that it gets as it goes on, the first one first
 */
struct gpubp_amd_wave {
	struct list_head link;
	const struct list_head *list;
	struct hlist_node by_id;
	struct hlist_node by_key;
	u64 id;
	struct gpubp_amd_ctx *ctx;
	struct gpubp_amd_found at;
	bool moved;
	unsigned int stops;
	unsigned int holds;
	unsigned int halts;
	bool failed;
	bool is_listed;
	bool stepping;
	u64 call;
	struct gpubp_amd_record rec;
	u64 rec_seq;
	struct list_head edits;
};

/**
 * struct gpubp_amd_saved_wave - a wave in memory
 * @rec: where
 * @doorbell: of its queue, as the core has it
 */
struct gpubp_amd_saved_wave {
	struct gpubp_amd_record rec;
	u32 doorbell;
};

/**
 * struct gpubp_amd_tail - what a record has of a wave's state
 * @hwreg: enum gpubp_amd_hwreg
 * @ttmp: ttmps
 */
struct gpubp_amd_tail {
	u32 hwreg[GPUBP_AMD_RECORD_HWREGS];
	u32 ttmp[GPUBP_AMD_RECORD_TTMPS];
};

/* wave.c */
u64 gpubp_amd_pc_in_program(const struct gpubp_amd_ctx *ctx, u64 pc, const u32 *regs);
bool gpubp_amd_pc_is_end(struct gpubp_amd_ctx *ctx, u64 pc);
int gpubp_amd_saved_move(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 u64 pc);

/* all of these with node->stop_lock held */
struct gpubp_amd_wave *gpubp_amd_wave_find(struct gpubp_amd_node *n, u64 id);
struct gpubp_amd_wave *gpubp_amd_wave_find_stopped(struct gpubp_amd_node *n,
						   const struct gpubp_amd_ctx *ctx,
						   const struct gpubp_amd_mark *mark);
struct gpubp_amd_wave *gpubp_amd_wave_find_listed(struct gpubp_amd_node *n,
						  const struct gpubp_amd_ctx *ctx,
						  const struct gpubp_amd_mark *mark);
bool gpubp_amd_wave_is_stopped(const struct gpubp_amd_wave *w);
void gpubp_amd_wave_move(struct gpubp_amd_wave *w, struct list_head *list);
void gpubp_amd_wave_set_key(struct gpubp_amd_node *n, struct gpubp_amd_wave *w);
void gpubp_amd_wave_free(struct gpubp_amd_wave *w);
void gpubp_amd_wave_stop(struct gpubp_amd_node *n, struct gpubp_amd_wave *w);
void gpubp_amd_wave_release(struct gpubp_amd_node *n, struct gpubp_amd_wave *w);
void gpubp_amd_wave_put_hold(struct gpubp_amd_node *n, struct gpubp_amd_wave *w);
void gpubp_amd_ctx_use(struct gpubp_amd_ctx *ctx);

/* and without it */
void gpubp_amd_ctx_unuse(struct gpubp_amd_ctx *ctx);
u64 gpubp_amd_wave_list(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx,
			const struct gpubp_amd_mark *mark, u64 call);
bool gpubp_amd_wave_may_step(struct gpubp_amd_node *n, const struct gpubp_amd_ctx *ctx,
			     const struct gpubp_amd_found *found);
bool gpubp_amd_wave_stepped(struct gpubp_amd_node *n, const struct gpubp_amd_ctx *ctx,
			    const struct gpubp_amd_found *found);

/* records.c */
int gpubp_amd_saved_list(struct gpubp_amd_ctx *ctx, struct gpubp_amd_saved_wave **out);
int gpubp_amd_saved_tail(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 struct gpubp_amd_tail *tail);
u64 gpubp_amd_tail_pc(const struct gpubp_amd_tail *tail);
bool gpubp_amd_tail_is_halted(const struct gpubp_amd_tail *tail);
bool gpubp_amd_code_is(struct gpubp_amd_ctx *ctx, u64 pc, u32 insn);
int gpubp_amd_saved_set(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			u8 file, unsigned int reg, u32 value);
int gpubp_amd_saved_halt(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 bool halt);
int gpubp_amd_saved_read(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 const struct gpubp_reg_req *req, u32 *out);
int gpubp_amd_saved_write(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			  const struct gpubp_reg_req *req, const u32 *in);
u32 gpubp_amd_reg_merge(const struct gpubp_amd_node *n, u8 file, unsigned int reg,
			u32 old, u32 value);
struct gpubp_amd_mark gpubp_amd_tail_mark(const struct gpubp_amd_node *n,
					  const struct gpubp_amd_tail *tail, u32 doorbell);
bool gpubp_amd_mark_is_same(const struct gpubp_amd_mark *a, const struct gpubp_amd_mark *b);
bool gpubp_amd_mark_is_wave(const struct gpubp_amd_mark *a, const struct gpubp_amd_mark *b);
int gpubp_amd_saved_name(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 u64 id);
int gpubp_amd_saved_find(struct gpubp_amd_node *n, u64 id,
			 struct gpubp_amd_record *rec, struct gpubp_amd_tail *tail);
unsigned int gpubp_amd_req_values(const struct gpubp_reg_req *req);

/* edit.c */
bool gpubp_amd_record_has(const struct gpubp_amd_record *rec,
			  const struct gpubp_reg_req *req, unsigned int nr);
void gpubp_amd_edits_overlay(const struct gpubp_amd_wave *w,
			     const struct gpubp_reg_req *req, unsigned int nr, u32 *out);
int gpubp_amd_edits_apply(struct gpubp_amd_wave *w, const struct gpubp_amd_record *rec);
void gpubp_amd_edits_free(struct gpubp_amd_wave *w);

/* find.c */
void gpubp_amd_find_in_ctx(struct gpubp_amd_node *n, struct gpubp_amd_ctx *ctx);

#endif /* _GPUBP_PROVIDERS_AMDGPU_WAVE_H */
