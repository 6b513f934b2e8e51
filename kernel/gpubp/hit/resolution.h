/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A resolution: what is found out about one hit, and by which file. Only the
 * resolver uses it, for one hit at a time.
 */
#ifndef _GPUBP_HIT_RESOLUTION_H
#define _GPUBP_HIT_RESOLUTION_H

#include <linux/bits.h>
#include <linux/gpubp_isa.h>
#include <linux/types.h>

#include "../core/core.h"
#include "../lib/lane_filter.h"
#include "../sched/sched.h"
#include "../trap/trap.h"

struct gpubp_hit_cell;
struct gpubp_hit_match;
struct gpubp_trap_point;
struct gpubp_watch;

/* registers of one access: a pair of vectors for the address, some scalars */
#define GPUBP_ACCESS_REGS	(GPUBP_MAX_LANES * 8)

/* registers of its data: four vectors */
#define GPUBP_DATA_REGS		(GPUBP_MAX_LANES * 4)

/**
 * enum gpubp_cause - why a wave stopped: any number of these
 * @GPUBP_CAUSE_WATCH: comparators matched an access
 * @GPUBP_CAUSE_LIMIT: a period of a comparator whose hits the handler counts is
 *	over
 * @GPUBP_CAUSE_BREAK: a breakpoint of an event or a precise point, or one that
 *	was removed since
 * @GPUBP_CAUSE_TRAP: an s_trap of the program
 * @GPUBP_CAUSE_EXCEPTION: exceptions
 */
enum gpubp_cause {
	GPUBP_CAUSE_WATCH	= BIT(0),
	GPUBP_CAUSE_LIMIT	= BIT(1),
	GPUBP_CAUSE_BREAK	= BIT(2),
	GPUBP_CAUSE_TRAP	= BIT(3),
	GPUBP_CAUSE_EXCEPTION	= BIT(4),
};

/**
 * struct gpubp_fault - what is known of a memory violation
 * @addr: as in struct gpubp_hit_record, like the others
 * @lanes: lanes that faulted, or that may have
 * @width: bytes accessed per lane
 * @access: one GPUBP_ACCESS_*, 0 unknown
 * @addr_state: enum gpubp_addr_state
 */
struct gpubp_fault {
	u64 addr;
	u64 lanes;
	u16 width;
	u8 access;
	u8 addr_state;
};

/**
 * struct gpubp_resolution - scratch of one hit; see resolution_init()
 * @causes: enum gpubp_cause
 * @trap: the handler's record
 * @pc_exact: the instruction is known
 * @fault: the memory violation among the exceptions of @trap
 * @delta: hits that a hit with %GPUBP_CAUSE_LIMIT stands for
 * @counted: a match has the weight of @delta
 * @sampled: an event, or a reader of the tracepoint, wants the data of a match
 * @step: what the stop has to do with breaks
 * @access: what it accessed, by lane
 * @insn: the instruction that hit; valid if @pc_exact
 * @decoded: of a recorded hit: @insn is what was decoded from @code, as it is likely to
 *	be that of the next one, too
 * @code: likewise
 * @regs: register values of the instruction
 * @data: likewise, of its data
 * @recorded: what the wave recorded, of a hit with a place
 * @number: the number of that record
 * @head: a copy of the head of its place
 */
struct gpubp_resolution {
	u8 causes;
	struct gpubp_trap_record trap;
	bool pc_exact;
	struct gpubp_fault fault;
	struct gpubp_count_delta delta;
	bool counted;
	bool sampled;
	struct gpubp_step step;
	struct gpubp_access access;
	struct gpubp_insn insn;
	bool decoded;
	u8 code[GPUBP_MAX_INSN];
	u32 regs[GPUBP_ACCESS_REGS];
	u32 data[GPUBP_DATA_REGS];
	struct gpubp_trap_record recorded;
	u64 number;
	u64 head[GPUBP_MAX_PLACE_HEAD / sizeof(u64)];
};

/* record.c: what the handler, or the device, recorded */
bool gpubp_record_find(struct gpubp_hit_cell *cell,
		       struct gpubp_trap_record *trap);

/* resolve.c */
void gpubp_resolve_one(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res);

/* recorded.c: hits whose waves recorded them, and went on */
bool gpubp_recorded_resolve(struct gpubp_device *dev, bool first);
void gpubp_recorded_take_ending(struct gpubp_device *dev);
void gpubp_recorded_before(struct gpubp_ctx *ctx, u64 part);

/* check.c: decisions of the trap handler, once more */
void gpubp_check_decision(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res);

/* access.c: the instruction, and what it accessed */
bool gpubp_hit_read_regs(const struct gpubp_hit_cell *cell,
			 const struct gpubp_resolution *res,
			 const struct gpubp_reg_req *reqs, unsigned int nr,
			 u32 *out);
void gpubp_access_find(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res);
void gpubp_access_find_lanes(struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res, bool watched);
bool gpubp_access_read(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res);

/* match.c: watches and traps that match */
void gpubp_match_watches(struct gpubp_hit_cell *cell,
			 struct gpubp_resolution *res);
bool gpubp_match_any_watch(struct gpubp_hit_cell *cell,
			   const struct gpubp_resolution *res);
void gpubp_match_break(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res);
void gpubp_match_own_trap(struct gpubp_hit_cell *cell,
			  struct gpubp_resolution *res);
struct gpubp_hit_match *gpubp_match_trap(struct gpubp_hit_cell **cell,
					 const struct gpubp_resolution *res,
					 const struct gpubp_trap_point *trap);

/**
 * struct gpubp_data - the data of an access, by lane
 * @isa: ISA
 * @res: its resolution, with the registers in ->data
 * @loaded: what was loaded; else what was stored, or an operand
 */
struct gpubp_data {
	const struct gpubp_isa *isa;
	const struct gpubp_resolution *res;
	bool loaded;
};

/* data.c: what the wave stored or loaded */
unsigned int gpubp_data_at(const struct gpubp_data *data, unsigned int lane,
			   u64 va, u8 *out, unsigned int nr);
void gpubp_data_find(struct gpubp_hit_cell *cell, struct gpubp_resolution *res);

/* filter.c: which lanes meet the conditions of events */
bool gpubp_lanes_known(const struct gpubp_hit_cell *cell,
		       const struct gpubp_resolution *res);
void gpubp_filters_apply(struct gpubp_hit_cell *cell,
			 const struct gpubp_resolution *res,
			 const struct gpubp_data *data);

/* fault.c: lanes and address of a memory violation */
void gpubp_fault_find(struct gpubp_hit_cell *cell,
		      struct gpubp_resolution *res);

/* exception.c: exceptions, also those that no event wants any more */
void gpubp_match_exceptions(struct gpubp_hit_cell *cell,
			    struct gpubp_resolution *res);

/* precise_stop.c: stops at precise points, and hits after them */
void gpubp_precise_stop(struct gpubp_hit_cell *cell,
			struct gpubp_resolution *res);
bool gpubp_precise_stop_recall(struct gpubp_hit_cell *cell,
			       struct gpubp_resolution *res);
void gpubp_precise_stop_request(const struct gpubp_hit_cell *cell,
				const struct gpubp_resolution *res,
				const struct gpubp_watch *watch, bool certain);

#endif /* _GPUBP_HIT_RESOLUTION_H */
