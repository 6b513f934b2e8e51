/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wave/ interprets one wave of the software GPU: 64 lanes, their registers, and
 * one function that executes its machine code. Other folders may include this
 * header only; it includes launch.h, which creates a wave of a dispatch, and fetch.h, an
 * instruction cache for environments.
 *
 * The interpreter is pure except for the environment below: it also runs in
 * user space. It models the processor given by sim_wave.arch, with the SPI and
 * SQ functions on which trap handlers of amdgpu and ROCr rely.
 *
 * The environment is resolved at link time, to that of the device
 * (device/env.c) or of a test: a table of functions would cost an indirect call
 * per access and lane.
 */
#ifndef _GPUBP_PROVIDERS_SIM_WAVE_WAVE_H
#define _GPUBP_PROVIDERS_SIM_WAVE_WAVE_H

#include <linux/kernel.h>
#include <linux/types.h>
#include "../../../isa/gfx9/gfx9.h"
#include "fetch.h"
#include "launch.h"

#define SIM_LANES	64
#define SIM_NR_VGPRS	512	/* 256 + 256 accumulation registers */

/* apertures of LDS and private memory, as amdkfd programs SH_MEM_BASES */
#define SIM_PRIVATE_BASE	0x0002000000000000ull
#define SIM_SHARED_BASE		0x0001000000000000ull
#define SIM_APERTURE_SIZE	0x0000000100000000ull

/* half of it is for the trap handler, of 800 words; a power of two */
#define SIM_NR_DECODED		2048

/* MODE, STATUS, TRAPSTS, HW_ID bits: isa/gfx9/regs.h */

#define SIM_INST_WORDS		2	/* at most */

/**
 * struct sim_decoded - decoded instruction, valid for exactly these words
 * @words: words decoded; compared on lookup, so no invalidation is needed
 * @nr: number of @words, 0 if empty
 * @inst: the instruction
 */
struct sim_decoded {
	u32 words[SIM_INST_WORDS];
	u32 nr;
	struct gfx9_inst inst;
};

/**
 * struct sim_work - data too large for a kernel stack
 * @addrs: address of each lane of a memory instruction
 * @data: bytes moved by a memory instruction, packed
 * @copy: scalar operands, for each lane, and modified copies of vector operands
 * @copy_hi: of their upper halves
 * @out: results that are merged into their destination afterwards
 * @moved: bytes of each lane's element moved so far
 * @avail: bytes of it to move
 * @zero: zeros, for operands that an instruction does not have
 */
struct sim_work {
	u64 addrs[SIM_LANES];
	u32 data[SIM_LANES * 4];
	u32 copy[3][SIM_LANES];
	u32 copy_hi[3][SIM_LANES];
	u32 out[SIM_LANES];
	u8 moved[SIM_LANES];
	u8 avail[SIM_LANES];
	u32 zero[SIM_LANES];
};

/**
 * enum sim_stop - why sim_wave_run() returned
 * @SIM_STOP_BUDGET: budget used up; run the wave again
 * @SIM_STOP_HALTED: STATUS.HALT is set and the wave is outside the handler; run
 *	the wave again once the bit is clear
 * @SIM_STOP_ENDED: s_endpgm
 * @SIM_STOP_SAVED: s_endpgm_saved of a handler: the wave's state is in memory
 * @SIM_STOP_SLEEP: s_sleep: run other waves first
 * @SIM_STOP_BARRIER: s_barrier; the environment clears wave->in_barrier when
 *	all waves of the group have arrived
 * @SIM_STOP_PAGE: a page that the instruction needs is not present; the
 *	instruction had no effect: run other waves, and this one again when the
 *	page may be present
 * @SIM_STOP_FATAL: an exception without a handler; fatal_* describe it
 */
enum sim_stop {
	SIM_STOP_BUDGET,
	SIM_STOP_HALTED,
	SIM_STOP_ENDED,
	SIM_STOP_SAVED,
	SIM_STOP_SLEEP,
	SIM_STOP_BARRIER,
	SIM_STOP_PAGE,
	SIM_STOP_FATAL,
};

/**
 * struct sim_wave - state of a wave, as hardware has it
 * @s: scalar registers by operand code: 0-101 SGPRs, 102/103 flat_scratch,
 *	104/105 xnack_mask, 106/107 vcc, 108-123 ttmp0-15, 124 m0, 126/127 exec
 * @v: vector registers, [register][lane]
 * @nr_vgprs: number of vector registers of the kernel
 * @acc_offset: number of the first accumulation register among them; ordinary
 *	registers are those below
 * @pc: next instruction
 * @mode: MODE
 * @status: STATUS, SCC included
 * @trapsts: TRAPSTS; sticky
 * @hw_id: HW_ID
 * @xcc_id: XCC_ID of gfx942
 * @gpr_alloc: GPR_ALLOC
 * @lds_alloc: LDS_ALLOC
 * @ib_sts: IB_STS
 * @private_va: its private memory, swizzled by dwords; 0 none
 * @private_size: bytes of it for each lane
 * @tba: trap handler, 0 none
 * @tma: memory of the trap handler
 * @single_memop: SQ_DEBUG.SINGLE_MEMOP: a watch hit traps directly after the
 *	instruction
 * @in_barrier: waits at s_barrier
 * @nr_insts: instructions executed
 * @fatal_trapsts: TRAPSTS bits of a fatal exception; also set when the handler
 *	is entered for it, and valid until the next entry
 * @fatal_trap_id: s_trap id of a fatal trap; likewise
 * @fatal_pc: its pc
 * @fatal_addr: faulting address of a memory violation
 * @arch: processor
 * @pending: exceptions that happened while enabled and were not taken yet; part
 *	of the state, zero in a new wave
 * @max_skid: without @single_memop: most further instructions until a watch hit
 *	is taken; configured by the device
 * @skid: instructions until a pending trap is taken
 * @skid_state: state of the skid sequence; part of the state
 * @work: scratch memory of the interpreter, no state. struct sim_work
 */
struct sim_wave {
	u32 s[128];
	u32 (*v)[SIM_LANES];
	u32 nr_vgprs;
	u32 acc_offset;
	u64 pc;
	u32 mode;
	u32 status;
	u32 trapsts;
	u32 hw_id;
	u32 xcc_id;
	u32 gpr_alloc, lds_alloc, ib_sts;
	u64 private_va;
	u32 private_size;
	u64 tba, tma;
	bool single_memop;
	bool in_barrier;
	u64 nr_insts;
	u32 fatal_trapsts;
	u8 fatal_trap_id;
	u64 fatal_pc;
	u64 fatal_addr;
	enum gfx9_arch arch;
	u32 pending;
	u32 max_skid;
	u32 skid;
	u32 skid_state;
	struct sim_work work;
};

/* pending: single step; gfx9 has no TRAPSTS bit for it */
#define SIM_PENDING_STEP	0x80000000u

/** sim_swizzled_va() - address of a byte of a lane's private memory */
static inline u64 sim_swizzled_va(u64 base, u64 off, unsigned int lane)
{
	return base + (off & ~3ull) * SIM_LANES + lane * 4 + (off & 3);
}

/* the device reads the pc of running waves: sim_list_waves() */
static inline void sim_set_pc(struct sim_wave *w, u64 pc)
{
	WRITE_ONCE(w->pc, pc);
}

/* kind of a vector memory access, for the watch comparison */
enum sim_access {
	SIM_LOAD,
	SIM_STORE,
	SIM_ATOMIC,
};

/*
 * The environment: functions of the rest of the GPU that the interpreter calls.
 * The device implements it in env.c, each user-space test implements its own.
 * Addresses are GPU virtual; accesses may cross pages. 0 or -EFAULT.
 */
/**
 * sim_env_may_wait() - may an access have to wait for a page?
 * @wave: wave
 *
 * Return: false if sim_env_need() always returns 0.
 */
bool sim_env_may_wait(struct sim_wave *wave);

/**
 * sim_env_need() - request the pages of a memory access
 * @wave: wave
 * @va: address
 * @len: bytes, not 0
 * @write: write access
 *
 * An instruction requests all its pages before it has any effect, so that it
 * can be restarted. Return: 0, or -EAGAIN if a page is not present.
 */
int sim_env_need(struct sim_wave *wave, u64 va, u64 len, bool write);

/**
 * sim_env_fetch() - read instructions, perhaps from a cache (fetch.h)
 * @wave: wave
 * @pc: address
 * @words: (out) dwords
 * @max: how many are wanted
 * @nr: (out) how many there are
 *
 * Return: 0, or -EFAULT if there are none.
 */
int sim_env_fetch(struct sim_wave *wave, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr);

/**
 * sim_env_decoded() - memory for decoded instructions
 * @wave: wave
 *
 * Return: SIM_NR_DECODED entries, zero at first, that no other thread uses; waves share
 * them.
 */
struct sim_decoded *sim_env_decoded(struct sim_wave *wave);

/** sim_env_icache_inv() - s_icache_inv: what is fetched next is in memory */
void sim_env_icache_inv(struct sim_wave *wave);

int sim_env_read(struct sim_wave *wave, u64 va, void *buf, unsigned int len);
int sim_env_write(struct sim_wave *wave, u64 va, const void *buf,
		  unsigned int len);

/**
 * sim_env_rmw() - atomic read-modify-write, naturally aligned
 * @wave: wave
 * @va: address
 * @len: 4 or 8
 * @fn: pure; new value from the old one and @data
 * @data: for @fn
 * @old: the old value
 */
int sim_env_rmw(struct sim_wave *wave, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data,
		u64 *old);

/**
 * sim_env_watch() - compare an access with the comparators (TCP_WATCH)
 * @wave: wave
 * @kind: kind of access
 * @width: bytes per lane
 * @lanes: lanes that access global memory (without flat accesses to the LDS and
 *	scratch apertures and without dropped lanes)
 * @addrs: address of each of @lanes
 *
 * Called after the access. Return: bitmap of comparators that match.
 */
u32 sim_env_watch(struct sim_wave *wave, enum sim_access kind,
		  unsigned int width, u64 lanes, const u64 *addrs);

/**
 * sim_env_sendmsg() - s_sendmsg
 * @wave: wave; m0 is in wave->s[124], STATUS.PRIV distinguishes handler and
 *	program
 * @msg: SIMM16 of the instruction
 *
 * MSG_GET_DOORBELL (10) returns the doorbell in exec_lo, as on gfx9; bit 31 is
 * clear when it is valid. For MSG_SAVEWAVE (4) exec becomes the address to save
 * to, at once or later: the handler waits until it is not 0.
 */
void sim_env_sendmsg(struct sim_wave *wave, u32 msg);

/**
 * sim_env_gws() - a barrier of waves of several workgroups, global wave sync
 * @wave: wave
 * @init: a barrier is made for @value and one more waves; else @wave is there, and the
 *	last one makes it for as many, again
 * @resource: which one, below 64
 * @value: see @init
 *
 * Return: 0, -EAGAIN if others have not come, and the same is called again, or -EILSEQ
 * where there is no such thing.
 */
int sim_env_gws(struct sim_wave *wave, bool init, unsigned int resource, u32 value);

/**
 * enum sim_step - what becomes of a single step (MODE.DEBUG_EN)
 * @SIM_STEP_DONE: the wave enters the handler behind its instruction
 * @SIM_STEP_SPURIOUS: it enters the handler in front of it
 * @SIM_STEP_LOST: it does not enter the handler, and executes the next one, too
 */
enum sim_step {
	SIM_STEP_DONE,
	SIM_STEP_SPURIOUS,
	SIM_STEP_LOST,
};

/**
 * sim_env_step() - a wave is about to execute an instruction in a single step
 * @wave: wave
 *
 * Silicon loses the trap, or takes one without an instruction, where a wave
 * enters the handler for something else at the same time.
 */
enum sim_step sim_env_step(struct sim_wave *wave);

/** sim_env_time() - s_memtime (core clock) and s_memrealtime (100 MHz) */
u64 sim_env_time(struct sim_wave *wave, bool realtime);

/**
 * sim_env_lds() - LDS of the wave's workgroup
 * @wave: wave
 * @size: its size in bytes
 *
 * The interpreter takes no lock: waves of a workgroup must not run
 * concurrently. Return: NULL if there is none.
 */
void *sim_env_lds(struct sim_wave *wave, unsigned int *size);

/**
 * sim_wave_halts_at_end() - is the wave halted at s_endpgm, outside the handler?
 * @wave: wave that does not execute during the call
 *
 * Silicon of gfx900 and gfx90a has fetched the end of the program already, and does not enter
 * the handler to save that wave.
 */
bool sim_wave_halts_at_end(struct sim_wave *wave);

/**
 * sim_wave_run() - execute up to @budget instructions
 * @wave: wave
 * @budget: instructions
 *
 * Before each instruction: halt, then pending traps. Entry as on gfx9: ttmp0 =
 * pc[31:0], ttmp1 = HT, TrapID and pc[47:32], STATUS.PRIV = 1, pc = TBA. Rules:
 *
 * - An exception *event* (a comparator matched, memory violation, illegal
 *   instruction, an active lane's arithmetic) sets its TRAPSTS bit and, if it
 *   is enabled at that moment (memory violation and illegal instruction always
 *   are, floating point never with MODE.DX10_CLAMP), becomes pending. A bit
 *   that stays set is not a new event: it does not trap again.
 * - Pending exceptions are taken outside the handler if STATUS.TRAP_EN and TBA
 *   are set, all in one entry. An exception in the handler is taken after
 *   s_rfe, unless its TRAPSTS bit was cleared before.
 * - The pc in ttmp0/1 is behind the instruction that accessed memory or
 *   computed, and at an illegal instruction or s_trap.
 * - Without a handler comparators and arithmetic only set their bits; other
 *   exceptions are fatal (SIM_STOP_FATAL). So they are inside the handler, and
 *   s_trap there, too.
 * - Without @wave->single_memop a watch hit is taken after 0 to @wave->max_skid
 *   further instructions, a varying number; s_waitcnt does not change that, as
 *   on some silicon. s_endpgm and s_barrier wait for the trap, another trap
 *   does not. Hits until then share the entry.
 * - MODE.DEBUG_EN: the handler is entered after each instruction outside it,
 *   unless sim_env_step() says otherwise.
 * - TRAPSTS.SAVECTX, which a device sets in a wave with a handler: the handler is
 *   entered before the next instruction outside it, also of a wave that is halted,
 *   which stays so, or waits at a barrier: its pc is at s_barrier then. A wave
 *   that is halted at s_endpgm does not enter it.
 *
 * Outside the handler: s_rfe and writes to ttmps are illegal instructions;
 * ttmps, TBA and TMA read as zero; s_setreg is ignored for STATUS and for all
 * of TRAPSTS but the exception bits; STATUS.PRIV cannot be written.
 *
 * Instructions that the interpreter does not support are illegal.
 */
enum sim_stop sim_wave_run(struct sim_wave *wave, unsigned int budget);

#endif /* _GPUBP_PROVIDERS_SIM_WAVE_WAVE_H */
