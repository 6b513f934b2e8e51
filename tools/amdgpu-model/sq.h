/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waves as SQ shows them: registers through SQ_IND, commands through SQ_CMD, the
 * interrupt of s_sendmsg.
 *
 * Compute units show the waves that they execute (compute.h). Other waves are put
 * there, halted, by a test that asks for it (control.h): such a wave reports itself
 * by an interrupt as a trap handler does, and is gone when a command lets it go on.
 */
#ifndef AMDGPU_MODEL_SQ_H
#define AMDGPU_MODEL_SQ_H

#include "ih.h"

#define SQ_MAX_WAVES	16
#define SQ_NR_LANES	64
#define SQ_NR_VGPRS	16
#define SQ_NR_SGPRS	108	/* VCC, FLAT_SCRATCH and XNACK_MASK among them */
#define SQ_NR_TTMPS	16

/* indices of registers of a wave, SQ_IND_INDEX.INDEX */
#define SQ_INDEX_SGPR	0x200
#define SQ_INDEX_TTMP	0x26c
#define SQ_INDEX_M0	0x27c
#define SQ_INDEX_VGPR	0x400

/**
 * struct sq_place - where a wave is
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit
 * @simd: SIMD of it
 * @slot: wave of that
 */
struct sq_place {
	uint8_t se;
	uint8_t sh;
	uint8_t cu;
	uint8_t simd;
	uint8_t slot;
};

/**
 * struct sq_view - a wave that is on the GPU
 * @next: another one
 * @place: where
 * @vm: address space
 * @read: register @index, of @lane where each has its own
 * @halt: SETHALT; true: it was halted and goes on. It may remove @view
 */
struct sq_view {
	struct sq_view *next;
	struct sq_place place;
	const struct vm *vm;
	uint32_t (*read)(const struct sq_view *view, unsigned int index,
			 unsigned int lane);
	bool (*halt)(struct sq_view *view, bool halt);
};

/**
 * struct sq_wave - a halted wave that a test put there
 * @used: there is one
 * @view: it, as one of all
 * @sq: where it is
 * @place: where
 * @vm: address space
 * @doorbell: low 10 bits of its queue's doorbell, as the hardware numbers it
 * @code: that it sends
 * @status: STATUS
 * @trapsts: TRAPSTS
 * @mode: MODE
 * @pc: of the next instruction
 * @exec: active lanes
 * @sgpr: scalar registers
 * @ttmp: of the trap handler
 * @vgpr: vector registers
 */
struct sq_wave {
	bool used;
	struct sq_view view;
	struct sq *sq;
	struct sq_place place;
	struct vm vm;
	uint16_t doorbell;
	uint16_t code;
	uint32_t status;
	uint32_t trapsts;
	uint32_t mode;
	uint64_t pc;
	uint64_t exec;
	uint32_t sgpr[SQ_NR_SGPRS];
	uint32_t ttmp[SQ_NR_TTMPS];
	uint32_t vgpr[SQ_NR_LANES][SQ_NR_VGPRS];
};

/**
 * struct sq - all of them
 * @log: what happens
 * @regs: GRBM_GFX_INDEX, SQ_*
 * @ih: interrupts
 * @view: all waves
 * @wave: those of tests
 * @resumed: how many went on
 */
struct sq {
	struct log *log;
	struct registers *regs;
	struct ih *ih;
	struct sq_view *view;
	struct sq_wave wave[SQ_MAX_WAVES];
	uint64_t resumed;
};

/** sq_add() - a wave appears, halted, and sends its interrupt; -ENOSPC, -EBUSY: its place is taken */
int sq_add(struct sq *sq, const struct sq_wave *wave);

/** sq_count() - how many tests have put there */
unsigned int sq_count(const struct sq *sq);

/** sq_show() - @view is on the GPU; no other wave has its place */
void sq_show(struct sq *sq, struct sq_view *view);

/** sq_hide() - it is not, any more */
void sq_hide(struct sq *sq, struct sq_view *view);

/** sq_place_is_free() - whether no wave is there */
bool sq_place_is_free(const struct sq *sq, const struct sq_place *place);

/** sq_hw_id() - HW_ID of a wave there */
uint32_t sq_hw_id(const struct sq_place *place, unsigned int vmid);

/** sq_interrupt() - s_sendmsg of @data, 24 bits; @priv: by a trap handler */
void sq_interrupt(struct sq *sq, const struct sq_view *view, uint32_t data,
		  bool priv);

/** sq_read() - SQ_IND_DATA: the register that SQ_IND_INDEX names */
uint32_t sq_read(struct sq *sq);

/** sq_command() - a write to SQ_CMD */
void sq_command(struct sq *sq, uint32_t command);

/** sq_drop() - what tests have put there is gone, of @vmid or, if it is 0, of all */
void sq_drop(struct sq *sq, unsigned int vmid);

#endif /* AMDGPU_MODEL_SQ_H */
