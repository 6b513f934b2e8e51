/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp: description of an instruction set for the core.
 *
 * Pure: no lock, no time, no allocation, no sleep; all functions also compile
 * in user space. No code outside an ISA folder depends on an encoding.
 */
#ifndef _LINUX_GPUBP_ISA_H
#define _LINUX_GPUBP_ISA_H

#include <linux/types.h>

/* of all modules; as PACKAGE_VERSION in dkms.conf */
#define GPUBP_VERSION	"0.1"

#define GPUBP_MAX_LANES		64
#define GPUBP_MAX_REG_REQS	6
#define GPUBP_MAX_INSN		24	/* bytes; gfx12's longest */
#define GPUBP_MAX_DATA		64	/* bytes that a lane stores or loads */
#define GPUBP_MAX_TRAP_REGS	4
#define GPUBP_MAX_RECORD_REGS	4	/* requests for a record's content */
#define GPUBP_MAX_RECORD_VALUES	32	/* total number of their values */
#define GPUBP_MAX_DUMP_REGS	8
#define GPUBP_MAX_PARK_REGS	8
#define GPUBP_MAX_STEP_REGS	4	/* requests of a simulated instruction */
#define GPUBP_MAX_STEP_VALUES	32	/* total number of their values */
#define GPUBP_MAX_PLACE_HEAD	128	/* bytes */
#define GPUBP_MAX_EFFECT_REGS	4	/* requests that it writes */
#define GPUBP_MAX_EFFECT_VALUES	8	/* total number of their values */

/**
 * enum gpubp_regfile - register files of a wave
 * @GPUBP_REG_SCALAR: one 32-bit value per wave, numbered as the ISA encodes
 *	its scalar operands (gfx9: 0-101 SGPRs, 106 vcc, 108-123 ttmp,
 *	124 m0, 126 exec)
 * @GPUBP_REG_VECTOR: one 32-bit value per lane
 * @GPUBP_REG_CONTROL: one 32-bit value per wave, numbered as the ISA numbers
 *	its hardware registers (gfx9: s_getreg ids, MODE 1, STATUS 2, TRAPSTS
 *	3; and as the SQ numbers them, which is these plus 0x10: PC_LO 8, PC_HI
 *	9)
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
 * @lanes: read_wave only, of a vector file: lanes whose values are used, 0: all;
 *	what it returns for others is any value, and need not be read
 *
 * The values of a request are u32: @count of them for a scalar file,
 * @count * lanes for a vector file (register by register, lane by lane
 * within a register), whatever @lanes is. Several requests are laid out one
 * after another.
 */
struct gpubp_reg_req {
	u8 file;
	u8 count;
	u16 first;
	u64 lanes;
};

/**
 * enum gpubp_step_class - how to execute an instruction that was replaced by a
 *	break
 * @GPUBP_STEP_DISPLACED: it has the same effect at another address
 * @GPUBP_STEP_SIMULATED: it reads or writes the pc, or a register that makes a
 *	wave stop after one instruction: gpubp_isa.simulate() computes its
 *	effect. If that returns -EILSEQ, the instruction is illegal at any
 *	address
 * @GPUBP_STEP_END: it ends the wave: it has the same effect at another address,
 *	and the wave never gets behind it
 * @GPUBP_STEP_NEVER: invalid, privileged, or with operands undocumented for
 *	the instruction: its effect is known only to hardware, and at its own
 *	address
 */
enum gpubp_step_class {
	GPUBP_STEP_DISPLACED,
	GPUBP_STEP_SIMULATED,
	GPUBP_STEP_END,
	GPUBP_STEP_NEVER,
};

/**
 * struct gpubp_insn - properties of one instruction
 * @len: bytes
 * @is_access: it accesses memory through a path that comparators may watch
 * @access: one GPUBP_ACCESS_* (include/uapi/linux/gpubp.h); an atomic is an
 *	atomic whether or not it returns or stores a value
 * @width: bytes that each lane accesses
 * @align: the address must be a multiple of this, otherwise the access is a
 *	memory violation; a power of two, 0 or 1: any address
 * @may_drop: the range check of a buffer descriptor may drop the access of a
 *	lane, or a part of it
 * @returns: it writes loaded values to registers
 * @clobbers_addr: it overwrites registers from which its address is computed
 * @addr_halves: @regs is one request, for two vector registers: the low and the
 *	high half of what each lane's address is, but for an offset that is in the
 *	instruction. From high halves of 0 gpubp_isa.lane_addrs() computes
 *	addresses of all lanes whose low halves are right
 * @changes_pc: a branch, call, return or end: the instruction that follows it
 *	in memory need not be executed next
 * @nr_regs: requests in @regs
 * @regs: the registers that gpubp_isa.lane_addrs() needs
 * @stored: registers with what each lane stores, or with the operand of an
 *	atomic, which have the same values before and after the access; .count is
 *	0 if there are none, or the access overwrites them, or they are converted
 *	on the way
 * @loaded: registers that have after the access what each lane loaded; of an
 *	atomic that returns, what memory had before it. .count is 0 if there are
 *	none or if they are converted on the way
 * @step: enum gpubp_step_class; GPUBP_STEP_NEVER if it was not decoded
 * @nr_step_regs: requests in @step_regs; may be 0 with GPUBP_STEP_SIMULATED,
 *	is 0 with any other @step
 * @step_regs: the registers that gpubp_isa.simulate() needs, no vector
 *	registers, at most GPUBP_MAX_STEP_VALUES values in total
 * @isa_priv: private data of the ISA
 */
struct gpubp_insn {
	u8 len;
	bool is_access;
	u8 access;
	u8 width;
	u8 align;
	bool may_drop;
	bool returns;
	bool clobbers_addr;
	bool addr_halves;
	bool changes_pc;
	u8 nr_regs;
	struct gpubp_reg_req regs[GPUBP_MAX_REG_REQS];
	struct gpubp_reg_req stored;
	struct gpubp_reg_req loaded;
	u8 step;
	u8 nr_step_regs;
	struct gpubp_reg_req step_regs[GPUBP_MAX_STEP_REGS];
	u32 isa_priv[4];
};

/**
 * struct gpubp_step_effect - effect of a simulated instruction
 * @pc: pc after the instruction
 * @nr: requests in @reg
 * @reg: registers that it writes, each at most once, without the pc
 * @value: their values, one request after another, as for ops->write_wave
 */
struct gpubp_step_effect {
	u64 pc;
	u8 nr;
	struct gpubp_reg_req reg[GPUBP_MAX_EFFECT_REGS];
	u32 value[GPUBP_MAX_EFFECT_VALUES];
};

/**
 * enum gpubp_decision - what the trap handler decided of a hit
 * @GPUBP_DECIDED_NOT: nothing
 * @GPUBP_DECIDED_STRAY: it touched no watched bytes
 * @GPUBP_DECIDED_COUNTED: it did, and was counted
 * @GPUBP_DECIDED_RECORDED: it did, and is in the ring
 */
enum gpubp_decision {
	GPUBP_DECIDED_NOT,
	GPUBP_DECIDED_STRAY,
	GPUBP_DECIDED_COUNTED,
	GPUBP_DECIDED_RECORDED,
};

/**
 * struct gpubp_trap_record - record of one stop, decoded from the memory of the
 *	trap handler
 * @seq: sequence number of the record in its wave slot, never 0
 * @pc: pc at which the wave continues
 * @exec: active lanes
 * @slots: bit n: comparator n matched since these bits were last cleared
 * @exceptions: GPUBP_EXC_* that trapped (include/uapi/linux/gpubp.h)
 * @other: GPUBP_TRAP_*: other reasons for the trap
 * @at_limit: the handler counts hits of the only comparator in @slots, and this
 *	hit found the counter at its limit: it represents itself and the hits
 *	counted since the previous report
 * @decision: what the handler decided, of a hit that only stopped to be checked
 * @trap_id: id of an s_trap, 0 none
 * @trap_pc: pc of that s_trap
 * @has_coords: @wg and @wave_in_group are valid
 * @has_dispatch: @dispatch is valid
 * @wg: workgroup coordinates
 * @wave_in_group: number of the wave in its workgroup
 * @dispatch: packet number in the queue, as many low bits as the device
 *	provides
 */
struct gpubp_trap_record {
	u32 seq;
	u64 pc;
	u64 exec;
	u32 slots;
	u32 exceptions;
	u32 other;
	bool at_limit;
	enum gpubp_decision decision;
	u8 trap_id;
	u64 trap_pc;
	bool has_coords;
	bool has_dispatch;
	u32 wg[3];
	u32 wave_in_group;
	u32 dispatch;
};

#define GPUBP_TRAP_STEP		0x10	/* single step, perhaps the reason */

/**
 * struct gpubp_reg_field - bits of a control register
 * @name: name in the hardware documentation; NULL ends a list
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
 * @name: name in the hardware documentation
 * @fields: its fields, terminated by a field without a name
 */
struct gpubp_control_reg {
	const char *name;
	const struct gpubp_reg_field *fields;
};

/**
 * struct gpubp_wave_place - position of a wave in the device, and its resources
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit
 * @simd: SIMD of the compute unit
 * @slot: wave slot of the SIMD
 * @vmid: address space
 * @me: micro engine of its hardware queue
 * @pipe: pipe of the micro engine
 * @queue: hardware queue of the pipe
 * @group: workgroup slot of the compute unit
 * @state: graphics state
 * @nr_scalars: scalar registers
 * @nr_vectors: vector registers
 * @lds_base: first byte of LDS
 * @lds_bytes: bytes of LDS
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
 * struct gpubp_handler - trap handler of an ISA and the layout of its memory
 * @image: code, position independent, little-endian dwords; entered by hardware
 * @nr_words: dwords in @image
 * @second: likewise, entered by a first-level handler that saves waves
 *	(GPUBP_TRAP_SECOND); passes other traps on to the process's own handler.
 *	NULL if there is none
 * @nr_second: dwords in @second
 * @align: alignment of code and of the handler's memory, bytes
 * @record_offset: of the first record in the handler's memory, bytes
 * @record_size: bytes of one record; record n belongs to hardware wave n
 * @interrupt_code: value of the interrupt's code field when the handler has
 *	stored a record and halted the wave (gfx9: the trap code of the
 *	doorbell payload, KFD's EC_QUEUE_WAVE_TRAP bit)
 * @second_code: likewise, of @second: a value that no handler of a process's own sends,
 *	whose interrupts are not to be taken for hits
 * @notify_code: likewise, of both, of a wave that recorded a hit and went on: the
 *	provider calls gpubp_recorded(), see gpubp_handler_ring.notify
 * @nr_counters: the handler can count hits of this many comparators, from 0 on
 * @counter_offset: offset of the struct gpubp_handler_counter of comparator 0
 *	in the handler's memory, bytes; the others follow
 * @nr_ranges: ranges of a struct gpubp_handler_filter that the handler looks at; 0 if
 *	it decides nothing
 * @filter_offset: offset of the struct gpubp_handler_filter of comparator 0, bytes;
 *	those of the others, up to @nr_counters, follow
 * @second_counts_on: @second counts without end: a limit other than 0 must be U32_MAX,
 *	at which it does not stop, either
 * @third_offset: offset of two u64, the addresses of code and memory of the
 *	process's own handler, 0 if it has none; kept up to date by the
 *	provider; @second only
 * @wanted_offset: offset of a struct gpubp_handler_wanted; @second only
 * @ring_offset: offset of a struct gpubp_handler_ring; 0 if the handler records nothing
 * @place_size: bytes of a place of the ring
 * @place_head: bytes at its beginning, GPUBP_MAX_PLACE_HEAD at most, that have all but
 *	vector registers
 * @place_code: offset in the head of a place of the @place_code_len bytes that end at the pc: what
 *	gpubp_isa.access_before() takes, whatever has become of the code since
 * @place_code_len: bytes
 * @place_memory: offset in a place of a u64: with @checks, the address of the handler's
 *	memory
 * @checks: to check what the handler decides, pairs of u32: the offset of a word of
 *	@image, bytes, and what it is then. A wave whose hit it decided stops after
 *	that, with a record that has gpubp_trap_record.decision
 * @nr_checks: u32s in @checks
 * @second_checks: likewise, of @second
 * @nr_second_checks: u32s in @second_checks
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
	u32 second_code;
	u32 notify_code;
	u32 nr_counters;
	u32 counter_offset;
	u32 nr_ranges;
	u32 filter_offset;
	bool second_counts_on;
	u32 third_offset;
	u32 wanted_offset;
	u32 ring_offset;
	u32 place_size;
	u32 place_head;
	u32 place_code;
	u32 place_code_len;
	u32 place_memory;
	const u32 *checks;
	u32 nr_checks;
	const u32 *second_checks;
	u32 nr_second_checks;
};

/**
 * struct gpubp_handler_counter - counter of a comparator in the handler's
 *	memory
 * @limit: if 0, every hit is reported. Otherwise a hit that is the only reason
 *	for the trap is counted: the handler atomically adds 1 to @value, and
 *	the wave continues; but if @value is @limit, the handler sets it to 0
 *	and reports the hit. A trap with another reason, too, is reported in
 *	any case, and its hit not counted
 * @value: hits since the last reported one, at most @limit
 */
struct gpubp_handler_counter {
	u32 limit;
	u32 value;
};

#define GPUBP_HANDLER_RANGES		8

/* gpubp_handler_range.last: GPUBP_ACCESS_* above the address */
#define GPUBP_HANDLER_KINDS_SHIFT	48

/**
 * struct gpubp_handler_range - bytes that are watched
 * @first: first byte
 * @last: bits 47:0: last byte; from GPUBP_HANDLER_KINDS_SHIFT on: the kinds of access
 *	(GPUBP_ACCESS_*) for which they are; other bits: 0
 */
struct gpubp_handler_range {
	u64 first;
	u64 last;
};

/**
 * struct gpubp_handler_filter - what is watched in the block of a comparator
 * @nr: ranges in use. 0: the handler decides nothing: each hit is one of watched bytes
 * @strays: the handler atomically adds 1 for each hit that went on because no lane
 *	accessed a byte of a range in a way for which it is watched
 * @undecided: likewise, of a handler that stops no wave: hits that it could not decide; of
 *	others 0
 * @lost: likewise: hits that should have been recorded, and were not
 * @range: the ranges
 *
 * Only a hit that is the only reason for the trap is decided. If some lane accessed
 * watched bytes it is counted or reported, see struct gpubp_handler_counter. A hit that
 * the handler cannot decide is always reported, and never counted. Only for devices with
 * precise memory: the instruction in front of the wave's pc must be what hit.
 *
 * The host sets @nr to 0 before it changes @range, and waits until no wave can be in
 * the handler with the old ones.
 */
struct gpubp_handler_filter {
	u32 nr;
	u32 strays;
	u32 undecided;
	u32 lost;
	struct gpubp_handler_range range[GPUBP_HANDLER_RANGES];
};

/* gpubp_handler_ring.on: the bits for atomics */
#define GPUBP_HANDLER_ATOMICS_SHIFT	16

/**
 * struct gpubp_handler_ring - hits that are recorded, and do not stop their waves
 * @base: address of place 0, a multiple of 4096; the others follow,
 *	gpubp_handler.place_size bytes each
 * @limit: a wave takes a place only while fewer than this many are taken: @mask + 1
 *	minus the waves that can be in the handler at a time, so that none is
 *	overwritten
 * @tail: number of the first place that is taken: the host is done with those
 *	before it
 * @mask: places - 1; places are a power of two, 4 GiB at most
 * @on: bit n: hits of comparator n are recorded, but for atomics; these with bit
 *	GPUBP_HANDLER_ATOMICS_SHIFT + n. A handler that stops no wave records those
 *	that it cannot decide in any case
 * @notify: the wave that takes the place of this number sends an interrupt of
 *	gpubp_handler.notify_code when it has filled it. It reads this after it has
 *	added 1 to @head: if the host finds @head still at the number that it wrote
 *	here before, there is going to be an interrupt
 * @until: of a handler that stops no wave: until when, low bits of the clock that it reads, a
 *	wave waits in it for a place; less than %GPUBP_HANDLER_RING_WAIT from now, which the
 *	host sets again as long as it is taking places; 0 does not wait. Of others 0
 * @pad: 0
 * @head: number of the next place, to which waves atomically add 1. Numbers go on from
 *	U32_MAX to 0; number n is in place n & @mask
 * @pad_head: 0
 *
 * A hit is recorded that would be reported, its counter's limit being 0, if its
 * comparator has ranges (struct gpubp_handler_filter), the handler decided that some
 * lane accessed watched bytes, and there is a place. Otherwise it is reported, as it is
 * with @on 0. The handler forgets what its own accesses to places match.
 *
 * A wave fills its place after it has taken it, and then stores gpubp_place_seq() to the
 * first dword of the place: see gpubp_isa.recorded_parse().
 */
struct gpubp_handler_ring {
	u64 base;
	u32 limit;
	u32 tail;
	u32 mask;
	u32 on;
	u32 notify;
	u32 until;
	u32 pad[8];
	u32 head;
	u32 pad_head[15];
};

/* gpubp_handler_ring.until: ticks, about five seconds */
#define GPUBP_HANDLER_RING_WAIT	500000000

/** gpubp_place_seq() - first dword of the place of a number, once all of it is there */
static inline u32 gpubp_place_seq(u32 number)
{
	return 2 * number + 1;
}

/**
 * struct gpubp_recorded_place - what a place of the ring has of a hit, besides a
 *	struct gpubp_trap_record
 * @clock: when it was recorded, by the device's clock of constant rate (gfx9:
 *	s_memrealtime)
 * @doorbell: of the wave's queue (gfx9: MSG_GET_DOORBELL)
 * @se: shader engine
 * @sh: shader array
 * @cu: compute unit
 * @simd: SIMD of the compute unit
 * @wave_slot: wave slot of the SIMD
 * @xcc: the part of the device that has shader engines of the same numbers as others;
 *	0 if there is one
 */
struct gpubp_recorded_place {
	u64 clock;
	u32 doorbell;
	u8 se;
	u8 sh;
	u8 cu;
	u8 simd;
	u8 wave_slot;
	u8 xcc;
};

/**
 * struct gpubp_handler_wanted - traps that a second-level handler does not
 *	pass on
 * @reasons: mask from gpubp_isa.trap_reasons(), in addition to hits
 * @pad: 0
 * @traps: bitmap of s_trap ids, in addition to that of breaks
 */
struct gpubp_handler_wanted {
	u32 reasons;
	u32 pad[3];
	u32 traps[8];
};

/**
 * struct gpubp_isa - description of an ISA
 * @name: LLVM's name of the processor
 * @nr_lanes: lanes of a wave, at most GPUBP_MAX_LANES
 * @insn_align: alignment of instructions, bytes
 * @insn_max: longest instruction, bytes
 * @break_word: the instruction that traps as a breakpoint
 * @break_len: its length, bytes
 * @break_id: its gpubp_trap_record.trap_id. The handler leaves the pc at that
 *	instruction, not behind it: a wave that is resumed executes it again
 * @drain_word: the instruction that waits until all memory accesses of a wave
 *	are done
 * @drain_len: its length, bytes; 0 if there is none
 * @nr_records: hardware waves that @handler has records for
 * @handler: the trap handler, NULL if the ISA has none
 * @decode: decode the instruction at @code, of which @avail bytes can be
 *	read. 0, -EILSEQ, or -ENODATA (@avail is too small)
 * @access_before: with precise memory a wave stops right behind the access that
 *	hit. @code has the @avail bytes that end at the pc of the stop. Decodes
 *	that access and returns its length, so that its pc is the pc of the stop
 *	minus the length; -ENOENT if no access can end there
 * @lane_addrs: compute the address of each lane of @exec into @addrs, from the
 *	values of @insn->regs (struct gpubp_reg_req). Returns the lanes that
 *	access watched memory, without lanes that the range check of a buffer
 *	descriptor drops, or whose flat address is in LDS or private memory
 * @lanes_whole: of @lanes, which are what @lane_addrs returned from the same
 *	values, those that certainly accessed all bytes: of the others a range
 *	check may have dropped some, or all. NULL: with @insn->may_drop none did
 * @lane_dropped: of a lane of those that @lane_addrs returned, bytes at the end
 *	of its access that a range check drops. NULL: none
 * @lane_data: the bytes in memory, in the order of their addresses, that the
 *	values of @insn->stored or (@loaded) @insn->loaded mean for @nr lanes from @lane
 *	on, those of each behind those of the one before; @regs
 *	has the values laid out as struct gpubp_reg_req specifies (vector:
 *	register by register, lane by lane within a register: value of register
 *	r, lane l is regs[r * nr_lanes + l]; scalar: one per register, the lane
 *	does not matter). With @insn->may_drop, bytes beyond the range of the
 *	buffer are among them: a store drops these, a load returns 0 for them. At
 *	most GPUBP_MAX_DATA bytes of each, returns how many: @insn->width, or 0 if that is
 *	not known. NULL if the ISA does not know
 * @record_index: hardware wave number, < @nr_records, of the wave at a
 *	provider-neutral position (from the interrupt), or -ENOENT
 * @record_parse: decode one record of the handler's memory; -EINVAL if @rec is
 *	not a complete record
 * @mark_reg: register of a wave in which the handler left @record_mark when it
 *	stopped the wave, 0 in other stopped waves. .count is 0 if there is none
 * @mark_index: bits of it, from 0 on, with the number of the record; @nr_records is
 *	not larger
 * @record_mark: tells waves apart, as far as they stopped since the last 65536 stops
 *	in the same slot, from the numbers of a record and of its seq. Another wave
 *	may have been placed in the wave slot of a saved one, and have overwritten
 *	its record
 * @nr_record_regs: number of @record_regs, 0 if a record that was overwritten is
 *	lost
 * @record_regs: registers of a stopped wave that have all of its record: they
 *	are saved with the wave
 * @record_rebuild: what @record_parse did, from the values of @record_regs; of
 *	gpubp_trap_record.seq, the bits in @record_mark. -EINVAL if no handler of
 *	ours stopped the wave, -EAGAIN if it is in a handler, where some registers
 *	have other values
 * @recorded_parse: decode a place of the ring: number @number of the hits that were
 *	recorded. @head is a copy of its gpubp_handler.place_head, aligned as a u64, whose
 *	first dword was read before the rest. The
 *	wave did not stop: of @out, .seq is not that of a stop, and .slots has one
 *	bit. -EAGAIN if number @number is not all there yet; -EINVAL if the place has
 *	what no handler stores: waves can write there. NULL if
 *	gpubp_handler.ring_offset is 0
 * @recorded_read: what ops->read_wave would have returned for @req when the hit was
 *	recorded, of those of its lanes that were active, for a request of the access's
 *	gpubp_insn.regs, .stored or .loaded; values of other lanes are not written. @head
 *	is a copy that @recorded_parse took, and @place the place itself, which waves may
 *	write at the same time. -ENOENT if it does not have all of these registers
 * @nr_trap_regs: number of values of @trap_regs, at most GPUBP_MAX_TRAP_REGS; 0
 *	if traps of running waves cannot be changed
 * @trap_regs: consecutive control registers, initialised at the launch of a
 *	wave, that decide for what it enters the handler
 * @trap_edit: change the values of @trap_regs so that the wave enters the
 *	handler for comparator hits if @watch, and for @exceptions (GPUBP_EXC_*)
 *	in addition to those already enabled; but not for past hits and
 *	exceptions. Returns whether the values changed
 * @trap_reasons: convert @exceptions (GPUBP_EXC_*) to
 *	gpubp_handler_wanted.reasons; required with gpubp_handler.second
 * @trap_mute: change the values of @trap_regs so that the wave does not enter
 *	the handler for @exceptions, as far as the ISA can distinguish them.
 *	Returns whether the values changed. NULL if a wave survives no
 *	exception for which it enters the handler
 * @pc_reg: registers of a stopped wave with the pc of the instruction that it
 *	executes next, low part first; .count is 0 if there are none, and then
 *	waves cannot be moved to another pc
 * @park_offset: of instructions in the handler's code, bytes, that do what the end of
 *	a program does; 0 if a wave may be halted at that. The handler halts a wave
 *	there ("parks" it) that would otherwise be halted at the end of its
 *	program, where the hardware could not save it. ops->read_wave and
 *	ops->list_waves return for @pc_reg where it would be without that, and
 *	ops->write_wave moves it where it is sent
 * @park_regs: consecutive registers that have its pc then, at most
 *	GPUBP_MAX_PARK_REGS
 * @park_edit: change their values so that they have it, in the place where the
 *	handler has it if it is a second level, or not (@second)
 * @parked_pc: that pc, from their values
 * @simulate: compute the effect of @insn, a GPUBP_STEP_SIMULATED at @pc, on a
 *	wave outside of the trap handler, the @insn->step_regs of which have
 *	the values @regs. -EILSEQ: it is illegal, and @out is not written. NULL
 *	if no instruction is of that class
 * @step_edit: change the values of @trap_regs so that the wave stops behind its
 *	next instruction, or does not (@on). Returns whether the values changed.
 *	NULL if the ISA has no single step
 * @step_reg: a register that programs cannot write, in which the handler finds
 *	whether the kernel steps the wave or the program set single step itself;
 *	.count is 0 if it needs none
 * @step_bits: bits of @step_reg that are set while the kernel steps the wave
 * @exec_reg: registers with the active lanes, low part first; .count is 0 if
 *	there are none
 * @dump_regs: consecutive control registers with the state of a wave, for
 *	dumps, at most GPUBP_MAX_DUMP_REGS; .count is 0 if there are none
 * @control_regs: descriptions, one for each of @dump_regs
 * @wave_place: decode the position of a wave from the values of @dump_regs
 * @may_write: mask of bits of a register that a session may change: the wave's
 *	own code could change them, or they are part of the pc; 0 if none. NULL:
 *	all bits of all registers
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
	u64 (*lanes_whole)(const struct gpubp_insn *insn, const u32 *regs,
			   u64 lanes);
	unsigned int (*lane_dropped)(const struct gpubp_insn *insn,
				     const u32 *regs, unsigned int lane);
	unsigned int (*lane_data)(const struct gpubp_insn *insn, bool loaded,
				  const u32 *regs, unsigned int lane,
				  unsigned int nr, u8 *bytes);
	int (*record_index)(u32 se, u32 sh, u32 cu, u32 simd, u32 wave);
	int (*record_parse)(const void *rec, struct gpubp_trap_record *out);
	struct gpubp_reg_req mark_reg;
	u32 mark_index;
	u32 (*record_mark)(u32 index, u32 seq);
	u32 nr_record_regs;
	struct gpubp_reg_req record_regs[GPUBP_MAX_RECORD_REGS];
	int (*record_rebuild)(const u32 *regs, struct gpubp_trap_record *out);
	int (*recorded_parse)(const void *head, u32 number,
			      struct gpubp_trap_record *out,
			      struct gpubp_recorded_place *where);
	int (*recorded_read)(const void *head, const void *place,
			     const struct gpubp_reg_req *req, u32 *out);
	u32 nr_trap_regs;
	struct gpubp_reg_req trap_regs;
	bool (*trap_edit)(u32 *regs, bool watch, u32 exceptions);
	u32 (*trap_reasons)(u32 exceptions);
	bool (*trap_mute)(u32 *regs, u32 exceptions);
	struct gpubp_reg_req pc_reg;
	u32 park_offset;
	struct gpubp_reg_req park_regs;
	void (*park_edit)(u32 *regs, u64 pc, bool second);
	u64 (*parked_pc)(const u32 *regs, bool second);
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

/* one description per processor; modules gpubp_<family> */
extern const struct gpubp_isa gpubp_isa_gfx90a;
extern const struct gpubp_isa gpubp_isa_gfx900;
extern const struct gpubp_isa gpubp_isa_gfx942;

#endif /* _LINUX_GPUBP_ISA_H */
