// SPDX-License-Identifier: GPL-2.0
/*
 * Fault: the lanes and the address of a memory violation.
 *
 * A GPU only tells that the wave's access failed. With precise memory the
 * instruction and the addresses of its lanes are known, unless it overwrote
 * them; a lane faulted if no mapping of its context permits its access. Pages
 * of a process may be missing below their mapping: of these, and of LDS and
 * private memory, it is not known.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sizes.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "resolution.h"

/* smallest page of a GPU: mappings begin and end at pages */
#define FAULT_PAGE	SZ_4K

/* in this order: of two bytes of a lane, the later verdict is the lane's */
enum fault_verdict {
	FAULT_NO,
	FAULT_MAYBE,
	FAULT_YES,
};

static enum fault_verdict mapping_judge(const struct gpubp_mapping *map,
					u8 access)
{
	u32 needed = (access != GPUBP_ACCESS_STORE ? GPUBP_MAP_READ : 0) |
		     (access != GPUBP_ACCESS_LOAD ? GPUBP_MAP_WRITE : 0);

	if ((map->flags & needed) != needed)
		return FAULT_YES;
	return map->flags & GPUBP_MAP_USERPTR ? FAULT_MAYBE : FAULT_NO;
}

/**
 * struct fault_search - mappings of one fault
 * @map: the one that was found last, or of size 0
 * @gave_up: the provider could not say: do not ask again, as each time it may
 *	try for milliseconds, and the hits of all processes wait
 */
struct fault_search {
	struct gpubp_mapping map;
	bool gave_up;
};

static int search_map(const struct gpubp_hit_cell *cell, u64 va,
		      struct fault_search *search)
{
	struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = va };
	struct gpubp_mapping *map = &search->map;
	int err;

	if (va - map->start < map->size)
		return 0;
	if (search->gave_up)
		return -EAGAIN;
	err = cell->dev->ops.mem_translate(cell->ctx->priv, &where, map);
	if (err)
		map->size = 0;
	search->gave_up = err && err != -EFAULT;
	return err;
}

static enum fault_verdict byte_judge(const struct gpubp_hit_cell *cell, u64 va,
				     u8 access, struct fault_search *search)
{
	int err = search_map(cell, va, search);

	if (!err)
		return mapping_judge(&search->map, access);
	return err == -EFAULT ? FAULT_YES : FAULT_MAYBE;
}

/* the bytes of an access are in at most two pages: those of its first and last */
static enum fault_verdict access_judge(const struct gpubp_hit_cell *cell,
				       const struct gpubp_insn *insn, u64 addr,
				       struct fault_search *search)
{
	enum fault_verdict first, last;

	if (insn->align && !IS_ALIGNED(addr, insn->align))
		return FAULT_YES;
	first = byte_judge(cell, addr, insn->access, search);
	last = byte_judge(cell, addr + insn->width - 1, insn->access, search);
	return max(first, last);
}

/* a range check may have dropped the access, or those of its bytes that fault */
static enum fault_verdict lane_judge(const struct gpubp_hit_cell *cell,
				     const struct gpubp_resolution *res,
				     unsigned int lane,
				     struct fault_search *search)
{
	const struct gpubp_access *acc = &res->access;
	enum fault_verdict verdict = access_judge(cell, &res->insn,
						  acc->addr[lane], search);

	return acc->whole & BIT_ULL(lane) ? verdict :
					    min(verdict, FAULT_MAYBE);
}

/* returns the lanes that faulted; @maybe: (in, out) those that may have */
static u64 lanes_judge(const struct gpubp_hit_cell *cell,
		       const struct gpubp_resolution *res, u64 *maybe)
{
	struct fault_search search = {};
	u64 left = res->access.lanes, yes = 0;

	for (; left; left &= left - 1) {
		u64 lane = left & -left;

		switch (lane_judge(cell, res, __ffs64(left), &search)) {
		case FAULT_YES:
			yes |= lane;
			break;
		case FAULT_MAYBE:
			*maybe |= lane;
			break;
		case FAULT_NO:
			break;
		}
	}
	return yes;
}

/* one of @lanes faulted: if they are in one page, it is the one */
static void fault_set_page(struct gpubp_fault *fault,
			   struct gpubp_access *acc, u64 lanes)
{
	bool known = !(lanes & ~acc->lanes);
	u64 first, last;

	fault->lanes = lanes;
	if (!known)
		return;
	acc->lanes = lanes;
	gpubp_access_span(acc, &first, &last);
	if (first / FAULT_PAGE != last / FAULT_PAGE)
		return;
	fault->addr = ALIGN_DOWN(first, FAULT_PAGE);
	fault->addr_state = GPUBP_ADDR_BLOCK;
}

static void fault_set_exact(struct gpubp_fault *fault,
			    const struct gpubp_access *acc, u64 lanes)
{
	fault->lanes = lanes;
	fault->addr = acc->addr[__ffs64(lanes)];
	fault->addr_state = GPUBP_ADDR_EXACT;
}

static void fault_find_lanes(const struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res)
{
	struct gpubp_access *acc = &res->access;
	/* these accessed other memory, or none */
	u64 maybe = acc->exec & ~acc->lanes;
	u64 yes = lanes_judge(cell, res, &maybe);

	if (yes)
		fault_set_exact(&res->fault, acc, yes);
	else if (maybe)
		fault_set_page(&res->fault, acc, maybe);
}

/*
 * With precise memory a wave stops right behind the access. If it has executed
 * another instruction since, the violation is an old one: programs can set its
 * bit.
 */
static bool fault_is_old(const struct gpubp_trap_record *trap)
{
	return trap->trap_id || (trap->exceptions & GPUBP_EXC_ILLEGAL);
}

/**
 * gpubp_fault_find() - find the lanes and the address of a memory violation
 * @cell: the hit
 * @res: its resolution after gpubp_access_find(); (out) ->fault and ->access,
 *	and ->pc_exact if the instruction is not the one that failed
 *
 * The mappings are those of now: the wave is stopped, its process is not. The
 * resolver only; may sleep, but waits for no process.
 */
void gpubp_fault_find(struct gpubp_hit_cell *cell,
		      struct gpubp_resolution *res)
{
	const struct gpubp_access *acc = &res->access;
	bool is_old = fault_is_old(&res->trap);

	if (is_old)
		res->pc_exact = false;
	gpubp_access_find_lanes(cell, res, false);
	res->fault.lanes = acc->lanes;
	if (is_old)
		return;
	res->fault.access = acc->access;
	res->fault.width = acc->width;
	if (acc->addr_state != GPUBP_ADDR_EXACT)
		return;
	if ((cell->hit.valid & GPUBP_HITF_ADDR) && acc->exec)
		return fault_set_exact(&res->fault, acc, acc->lanes);
	res->fault.lanes = acc->exec;
	fault_find_lanes(cell, res);
}
