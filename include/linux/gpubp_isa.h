/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp: what the core must know of an instruction set.
 *
 * Pure: no lock, no time, no allocation, nothing that sleeps; every function
 * here also compiles in user space. Nothing outside an ISA folder knows an
 * encoding.
 */
#ifndef _LINUX_GPUBP_ISA_H
#define _LINUX_GPUBP_ISA_H

#include <linux/types.h>

#define GPUBP_MAX_LANES		64
#define GPUBP_MAX_REG_REQS	6
#define GPUBP_MAX_INSN		24	/* bytes; gfx12's longest */
#define GPUBP_MAX_TRAP_REGS	4
#define GPUBP_MAX_DUMP_REGS	8
#define GPUBP_MAX_STEP_REGS	4	/* requests of one simulated instruction */
#define GPUBP_MAX_STEP_VALUES	32	/* values of them together */
#define GPUBP_MAX_EFFECT_REGS	4	/* requests that it writes */
#define GPUBP_MAX_EFFECT_VALUES	8	/* values of them together */

/**
 * enum gpubp_regfile - register files of a wave
 * @GPUBP_REG_SCALAR: one 32-bit value a wave, numbered as the ISA encodes
 *	its scalar operands (gfx9: 0-101 SGPRs, 106 vcc, 108-123 ttmp,
 *	124 m0, 126 exec)
 * @GPUBP_REG_VECTOR: one 32-bit value a lane
 * @GPUBP_REG_CONTROL: one 32-bit value a wave, numbered as the ISA numbers its
 *	hardware registers (gfx9: s_getreg ids, MODE 1, STATUS 2, TRAPSTS 3;
 *	and as the SQ numbers them, which is these plus 0x10: PC_LO 8, PC_HI 9)
 */
enum gpubp_regfile {
	GPUBP_REG_SCALAR,
	GPUBP_REG_VECTOR,
	GPUBP_REG_CONTROL,
};

/**
 * struct gpubp_reg_req - consecutive registers of one file
 * @file: enum gpubp_regfile
 * @first: first register
 * @count: number of registers
 *
 * The values of a request are u32: @count of them for a scalar file,
 * @count * lanes for a vector file (register by register, lane by lane
 * within a register). Several requests are laid out one after another.
 */
struct gpubp_reg_req {
	u8 file;
	u8 count;
	u16 first;
};

/**
 * enum gpubp_step_class - how to execute an instruction that something stands
 *	in the place of
 * @GPUBP_STEP_DISPLACED: it does the same at another address
 * @GPUBP_STEP_SIMULATED: it reads or writes the pc, or what makes a wave stop
 *	after one instruction: gpubp_isa.simulate() says what it does. Where that
 *	says -EILSEQ it is illegal at any address.
 * @GPUBP_STEP_END: it ends the wave: it does the same at another address, and
 *	the wave never comes behind it
 * @GPUBP_STEP_NEVER: no instruction, privileged, or with operands that nobody
 *	has documented for it: only hardware, and at its place, knows what it does
 */
enum gpubp_step_class {
	GPUBP_STEP_DISPLACED,
	GPUBP_STEP_SIMULATED,
	GPUBP_STEP_END,
	GPUBP_STEP_NEVER,
};

/**
 * struct gpubp_insn - what the core wants to know of one instruction
 * @len: bytes
 * @is_access: it accesses memory through a path that comparators may watch
 * @access: one GPUBP_ACCESS_* (include/uapi/linux/gpubp.h); an atomic is an
 *	atomic whether or not it returns or stores
 * @width: bytes each lane accesses
 * @returns: it writes registers with what it loaded
 * @clobbers_addr: it overwrites registers that its own address came from
 * @changes_pc: a branch, call, return or end: what follows it in memory need
 *	not be executed next
 * @nr_regs: requests in @regs
 * @regs: the registers that gpubp_isa.lane_addrs() needs
 * @step: enum gpubp_step_class; GPUBP_STEP_NEVER if it was not decoded
 * @nr_step_regs: requests in @step_regs, 0 unless @step is
 *	GPUBP_STEP_SIMULATED, and perhaps then
 * @step_regs: the registers that gpubp_isa.simulate() needs, no vectors among
 *	them, at most GPUBP_MAX_STEP_VALUES values together
 * @isa_priv: the ISA's own
 */
struct gpubp_insn {
	u8 len;
	bool is_access;
	u8 access;
	u8 width;
	bool returns;
	bool clobbers_addr;
	bool changes_pc;
	u8 nr_regs;
	struct gpubp_reg_req regs[GPUBP_MAX_REG_REQS];
	u8 step;
	u8 nr_step_regs;
	struct gpubp_reg_req step_regs[GPUBP_MAX_STEP_REGS];
	u32 isa_priv[4];
};

/**
 * struct gpubp_step_effect - what a simulated instruction did
 * @pc: where the wave goes on
 * @nr: requests in @reg
 * @reg: registers that it wrote, none of them twice and the pc not among them
 * @value: their values, one request after another, as write_wave takes them
 */
struct gpubp_step_effect {
	u64 pc;
	u8 nr;
	struct gpubp_reg_req reg[GPUBP_MAX_EFFECT_REGS];
	u32 value[GPUBP_MAX_EFFECT_VALUES];
};

/**
 * struct gpubp_trap_record - what the trap handler stored of one stop, in the
 *	core's terms
 * @seq: number of the record among those of its place, never 0
 * @pc: where the wave goes on
 * @exec: active lanes
 * @slots: bit n: comparator n matched since these bits were last cleared
 * @exceptions: GPUBP_EXC_* that trapped (include/uapi/linux/gpubp.h)
 * @other: GPUBP_TRAP_*: other reasons to be in the handler
 * @at_limit: the one comparator of @slots is counted by the handler, and this hit
 *	found its counter at the limit: it stands for itself and for those that
 *	were counted since
 * @trap_id: id of an s_trap, 0 none
 * @trap_pc: of that s_trap
 * @has_coords: @wg and @wave_in_group are valid
 * @has_dispatch: @dispatch is valid
 * @wg: workgroup coordinates
 * @wave_in_group: number of the wave in its workgroup
 * @dispatch: packet number in the queue, as many low bits as the device tells
 */
struct gpubp_trap_record {
	u32 seq;
	u64 pc;
	u64 exec;
	u32 slots;
	u32 exceptions;
	u32 other;
	bool at_limit;
	u8 trap_id;
	u64 trap_pc;
	bool has_coords;
	bool has_dispatch;
	u32 wg[3];
	u32 wave_in_group;
	u32 dispatch;
};

#define GPUBP_TRAP_STEP		0x10	/* single step was on, and perhaps the reason */

/**
 * struct gpubp_reg_field - bits of a control register
 * @name: what the hardware's documentation calls them; NULL ends a list
 * @low: lowest bit
 * @high: highest bit
 */
struct gpubp_reg_field {
	const char *name;
	u8 low;
	u8 high;
};

/**
 * struct gpubp_control_reg - a control register
 * @name: what the hardware's documentation calls it
 * @fields: its fields, ended by one without a name
 */
struct gpubp_control_reg {
	const char *name;
	const struct gpubp_reg_field *fields;
};

/**
 * struct gpubp_wave_place - where a wave is, and what it has there
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit
 * @simd: SIMD of the compute unit
 * @slot: wave slot of the SIMD
 * @vmid: address space
 * @me: micro engine of its hardware queue
 * @pipe: pipe of it
 * @queue: hardware queue of the pipe
 * @group: workgroup slot of the compute unit
 * @state: graphics state
 * @nr_scalars: scalar registers
 * @nr_vectors: vector registers
 * @lds_base: first byte of LDS
 * @lds_bytes: bytes of it
 */
struct gpubp_wave_place {
	u8 se;
	u8 sh;
	u8 cu;
	u8 simd;
	u8 slot;
	u8 vmid;
	u8 me;
	u8 pipe;
	u8 queue;
	u8 group;
	u8 state;
	u32 nr_scalars;
	u32 nr_vectors;
	u32 lds_base;
	u32 lds_bytes;
};

/**
 * struct gpubp_handler - an ISA's trap handler and where it stores
 * @image: code, position independent, little-endian dwords; entered by hardware
 * @nr_words: dwords in @image
 * @second: the same to be entered by a first level that saves waves
 *	(GPUBP_TRAP_SECOND), which hands what it does not want to the process's
 *	own handler; NULL if there is none
 * @nr_second: dwords in @second
 * @align: alignment of code and of the handler's memory, bytes
 * @record_offset: of the first record in the handler's memory, bytes
 * @record_size: bytes of one record; record n is that of hardware wave n
 * @interrupt_code: value of the interrupt's code field when the handler has
 *	stored a record and halted the wave (gfx9: the trap code of the
 *	doorbell payload, KFD's EC_QUEUE_WAVE_TRAP bit)
 * @nr_counters: comparators, from 0 on, whose hits the handler can count; 0 none
 * @counter_offset: of the first one's struct gpubp_handler_counter in the
 *	handler's memory, bytes; the others follow
 * @third_offset: of two u64, code and memory of the process's own handler, 0
 *	none, which the provider keeps up to date; @second only
 * @wanted_offset: of a struct gpubp_handler_wanted; @second only
 */
struct gpubp_handler {
	const u32 *image;
	u32 nr_words;
	const u32 *second;
	u32 nr_second;
	u32 align;
	u32 record_offset;
	u32 record_size;
	u32 interrupt_code;
	u32 nr_counters;
	u32 counter_offset;
	u32 third_offset;
	u32 wanted_offset;
};

/**
 * struct gpubp_handler_counter - a comparator's, in the handler's memory
 * @limit: 0 every hit is reported. Else the handler reports a hit that is alone
 *	if it finds @value at @limit, and makes that 0; any other such hit adds 1
 *	to it, atomically, and the wave goes on. What a wave stops for besides is
 *	reported in any case, and not counted
 * @value: hits since one was reported, at most @limit
 */
struct gpubp_handler_counter {
	u32 limit;
	u32 value;
};

/**
 * struct gpubp_handler_wanted - what a handler of the second level keeps
 * @reasons: as gpubp_isa.trap_reasons() says, besides hits
 * @pad: 0
 * @traps: bitmap of ids of s_trap, besides that of breaks
 */
struct gpubp_handler_wanted {
	u32 reasons;
	u32 pad[3];
	u32 traps[8];
};

/**
 * struct gpubp_isa - the ISA table
 * @name: LLVM's name of the processor
 * @nr_lanes: lanes of a wave, at most GPUBP_MAX_LANES
 * @insn_align: alignment of instructions, bytes
 * @insn_max: longest instruction, bytes
 * @break_word: the instruction that traps as a breakpoint
 * @break_len: its length, bytes
 * @break_id: its gpubp_trap_record.trap_id. The handler leaves the wave at that
 *	instruction, not behind it: one that is let go meets it again.
 * @drain_word: the instruction that waits until all accesses to memory of a wave are
 *	done
 * @drain_len: its length, bytes; 0 if there is none
 * @nr_records: hardware waves that @handler has records for
 * @handler: the trap handler, NULL if the ISA has none
 * @decode: decode the instruction at @code, of which @avail bytes can be
 *	read. 0 or -EILSEQ, -ENODATA (@avail too small).
 * @access_before: with precise memory a wave stops right behind the access
 *	that hit. @code holds the @avail bytes that end at the stop's pc.
 *	Decodes that access; returns its length, so that its pc is the stop's
 *	pc - length, or -ENOENT if no access can end there.
 * @lane_addrs: from the values of @insn->regs (struct gpubp_reg_req) compute
 *	the address of each lane of @exec into @addrs. Returns the lanes that
 *	really access watched memory (lanes that a buffer descriptor's range
 *	check drops, or whose flat address is in LDS or private memory, are
 *	left out).
 * @record_index: hardware wave number, < @nr_records, of the wave with this
 *	provider-neutral position (as the interrupt told it), or -ENOENT
 * @record_parse: one record of the handler's memory in the core's terms;
 *	-EINVAL if @rec is not a complete record
 * @seq_reg: register of a wave that the handler stopped where it left
 *	gpubp_trap_record.seq, so that the record of a wave that has moved is
 *	not taken for that of the wave that came to its place; .count is 0 if
 *	there is none
 * @nr_trap_regs: values of @trap_regs, at most GPUBP_MAX_TRAP_REGS; 0 if
 *	waves cannot be edited
 * @trap_regs: consecutive control registers that decide what a wave enters
 *	the handler for, which it took at its launch
 * @trap_edit: change the values of @trap_regs so that the wave enters the
 *	handler for comparator hits if @watch, and for @exceptions
 *	(GPUBP_EXC_*) beside those that it does already; for nothing that
 *	happened before. Returns whether they differ now.
 * @trap_reasons: @exceptions (GPUBP_EXC_*) for gpubp_handler_wanted.reasons;
 *	required with gpubp_handler.second
 * @trap_mute: change them so that it does not enter the handler for
 *	@exceptions, as far as the ISA can tell. Returns whether they differ
 *	now. NULL if it enters the handler for no exception that it survives.
 * @pc_reg: registers of a stopped wave that hold the pc of the instruction that
 *	it executes next, low part first; .count is 0 if there are none, and then
 *	no wave can be made to go on elsewhere
 * @simulate: what @insn, a GPUBP_STEP_SIMULATED that stands at @pc, does to a
 *	wave outside of the trap handler whose @insn->step_regs have the values
 *	@regs. -EILSEQ: it is illegal, and @out is not written. NULL if no
 *	instruction is of that class.
 * @step_edit: change the values of @trap_regs so that the wave stops behind its
 *	next instruction, or does not (@on). Returns whether they differ now.
 *	NULL if the ISA knows no way.
 * @step_reg: a register that programs cannot write, for the handler to tell such
 *	a wave from one that made itself stop behind its instructions; .count is 0
 *	if it needs none
 * @step_bits: bits of it that are set while somebody steps the wave
 * @exec_reg: registers that hold the active lanes, low part first; .count is 0
 *	if there are none
 * @dump_regs: consecutive control registers that tell how a wave is, at most
 *	GPUBP_MAX_DUMP_REGS; .count is 0 if there are none
 * @control_regs: what they are, one for each of @dump_regs
 * @wave_place: what the values of @dump_regs say of where the wave is
 * @may_write: bits of a register that the owner of a wave may change, since its
 *	own code could, or since they say where it goes on; 0 none. NULL: all
 */
struct gpubp_isa {
	const char *name;
	u32 nr_lanes;
	u32 insn_align;
	u32 insn_max;
	u32 break_word;
	u32 break_len;
	u8 break_id;
	u32 drain_word;
	u32 drain_len;
	u32 nr_records;
	const struct gpubp_handler *handler;

	int (*decode)(const void *code, size_t avail, struct gpubp_insn *insn);
	int (*access_before)(const void *code, size_t avail,
			     struct gpubp_insn *insn);
	u64 (*lane_addrs)(const struct gpubp_insn *insn, const u32 *regs,
			  u64 exec, u64 addrs[GPUBP_MAX_LANES]);
	int (*record_index)(u32 se, u32 sh, u32 cu, u32 simd, u32 wave);
	int (*record_parse)(const void *rec, struct gpubp_trap_record *out);
	struct gpubp_reg_req seq_reg;
	u32 nr_trap_regs;
	struct gpubp_reg_req trap_regs;
	bool (*trap_edit)(u32 *regs, bool watch, u32 exceptions);
	u32 (*trap_reasons)(u32 exceptions);
	bool (*trap_mute)(u32 *regs, u32 exceptions);
	struct gpubp_reg_req pc_reg;
	int (*simulate)(const struct gpubp_insn *insn, u64 pc, const u32 *regs,
			struct gpubp_step_effect *out);
	bool (*step_edit)(u32 *regs, bool on);
	struct gpubp_reg_req step_reg;
	u32 step_bits;
	struct gpubp_reg_req exec_reg;
	struct gpubp_reg_req dump_regs;
	const struct gpubp_control_reg *control_regs;
	void (*wave_place)(const u32 *regs, struct gpubp_wave_place *out);
	u32 (*may_write)(u8 file, unsigned int reg);
};

/* one table a processor; modules gpubp_<family> */
extern const struct gpubp_isa gpubp_isa_gfx90a;
extern const struct gpubp_isa gpubp_isa_gfx900;

#endif /* _LINUX_GPUBP_ISA_H */
