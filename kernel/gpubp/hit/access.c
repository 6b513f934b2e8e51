// SPDX-License-Identifier: GPL-2.0
/*
 * Access: find the instruction of a wave that hit, and what its lanes accessed.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/gpubp.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../sched/sched.h"
#include "../trap/trap.h"
#include "resolution.h"

/* watches that are compared with the low halves of addresses */
#define MAX_NEAR_WATCHES	16

/*
 * Read the code in front of a pc; less than insn_max at the start of a mapping.
 */
static size_t access_read_code(struct gpubp_hit_cell *cell, u64 pc, u8 *code)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	size_t len;

	for (len = isa->insn_max; len; len -= isa->insn_align)
		if (gpubp_program_read(cell->ctx, pc - len, code, len, 0) == len)
			break;
	return len;
}

static void access_find_recorded(const struct gpubp_isa *isa,
				 struct gpubp_resolution *res)
{
	const u8 *code = (u8 *)res->head + isa->handler->place_code;
	size_t len = isa->handler->place_code_len;

	if (!res->decoded || memcmp(res->code, code, len)) {
		res->decoded = isa->access_before(code, len, &res->insn) > 0;
		memcpy(res->code, code, len);
	}
	res->pc_exact = res->decoded;
}

/**
 * gpubp_access_find() - find the instruction that hit
 * @cell: the hit
 * @res: its resolution, with the record; (out) ->insn and ->pc_exact
 *
 * With precise memory the access is the instruction right before the pc.
 * Without it, the access is some instructions back, perhaps before a branch.
 * The instruction before the pc may then be another access, so it does not
 * identify the hit.
 *
 * The resolver only; may sleep.
 */
void gpubp_access_find(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	u8 code[GPUBP_MAX_INSN];
	size_t len;

	if (!cell->dev->desc.caps.precise || !isa)
		return;
	if (cell->place)
		return access_find_recorded(isa, res);
	len = access_read_code(cell, res->trap.pc, code);
	res->pc_exact = isa->access_before(code, len, &res->insn) > 0;
}

/**
 * gpubp_hit_read_regs() - read registers of the wave of a hit
 * @cell: the hit
 * @res: its resolution
 * @reqs: requests; of a recorded hit only registers of its access are known
 * @nr: number of requests
 * @out: values
 *
 * The resolver only; may sleep. Return: false if they cannot be read.
 */
bool gpubp_hit_read_regs(const struct gpubp_hit_cell *cell,
			 const struct gpubp_resolution *res,
			 const struct gpubp_reg_req *reqs, unsigned int nr,
			 u32 *out)
{
	const struct gpubp_device *dev = cell->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	unsigned int i;

	if (!cell->place)
		return !dev->ops.read_wave(dev->priv, cell->hit.wave, reqs, nr,
					   out);
	for (i = 0; i < nr; i++) {
		if (isa->recorded_read(res->head, cell->place, &reqs[i], out))
			return false;
		out += reqs[i].count * (reqs[i].file == GPUBP_REG_VECTOR ?
					isa->nr_lanes : 1);
	}
	return true;
}

static unsigned int access_nr_values(const struct gpubp_isa *isa,
				     const struct gpubp_insn *insn)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < insn->nr_regs; i++)
		n += insn->regs[i].count * (insn->regs[i].file ==
			GPUBP_REG_VECTOR ? isa->nr_lanes : 1);
	return n;
}

/* only of @lanes; all if these are none */
static bool access_read_reqs(struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res,
			     const struct gpubp_reg_req *reqs, unsigned int nr,
			     u64 lanes, u32 *out)
{
	struct gpubp_reg_req of_lanes[GPUBP_MAX_REG_REQS];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		of_lanes[i] = reqs[i];
		of_lanes[i].lanes = lanes;
	}
	return gpubp_hit_read_regs(cell, res, of_lanes, nr, out);
}

static bool access_read_regs(struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res)
{
	if (WARN_ON_ONCE(access_nr_values(cell->dev->desc.isa, &res->insn) >
			 GPUBP_ACCESS_REGS))
		return false;
	/* a record has no other lanes */
	if (cell->place)
		return gpubp_hit_read_regs(cell, res, res->insn.regs,
					   res->insn.nr_regs, res->regs);
	return access_read_reqs(cell, res, res->insn.regs, res->insn.nr_regs,
				res->access.exec, res->regs);
}

/* the device reported an address: take it as the address of the lowest lane */
static void access_from_hit(const struct gpubp_hit *hit, bool may_drop,
			    struct gpubp_access *acc)
{
	acc->access = hit->access;
	acc->width = hit->width;
	acc->addr_state = GPUBP_ADDR_EXACT;
	acc->lanes = acc->exec & -acc->exec;
	acc->whole = may_drop ? 0 : acc->lanes;
	acc->dropped[__ffs64(acc->lanes)] = 0;
	acc->addr[__ffs64(acc->lanes)] = hit->addr;
}

/* without precise memory exec may have changed since the access: all lanes */
static u64 access_possible_lanes(const struct gpubp_device *dev, u64 exec)
{
	const struct gpubp_isa *isa = dev->desc.isa;

	if (dev->desc.caps.precise || !isa)
		return exec;
	return GENMASK_ULL(isa->nr_lanes - 1, 0);
}

/* of an access whose address is exact, from the same registers */
static u64 access_whole_lanes(const struct gpubp_isa *isa,
			      const struct gpubp_resolution *res)
{
	u64 lanes = res->access.lanes;

	if (!res->insn.may_drop)
		return lanes;
	return isa->lanes_whole ?
	       isa->lanes_whole(&res->insn, res->regs, lanes) : 0;
}

static void access_find_dropped(const struct gpubp_isa *isa,
				struct gpubp_resolution *res)
{
	struct gpubp_access *acc = &res->access;
	u64 left = acc->lanes & ~acc->whole;

	for (; left; left &= left - 1) {
		unsigned int lane = __ffs64(left);

		acc->dropped[lane] = isa->lane_dropped ?
			isa->lane_dropped(&res->insn, res->regs, lane) : 0;
	}
}

/* from ->regs, of @lanes */
static void access_set(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res, u64 lanes)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	struct gpubp_access *acc = &res->access;

	acc->access = res->insn.access;
	acc->width = res->insn.width;
	acc->lanes = isa->lane_addrs(&res->insn, res->regs, lanes, acc->addr);
	acc->whole = access_whole_lanes(isa, res);
	access_find_dropped(isa, res);
	gpubp_access_find_stride(acc);
	acc->addr_state = GPUBP_ADDR_EXACT;
}

/**
 * gpubp_access_read() - compute what an instruction accesses from the registers
 * @cell: the hit
 * @res: its resolution: ->insn and ->access.exec; (out) the rest of ->access
 *
 * The address registers must be unchanged since before the access. The resolver
 * only; may sleep. Return: false if they cannot be read.
 */
bool gpubp_access_read(struct gpubp_hit_cell *cell,
		       struct gpubp_resolution *res)
{
	if (!access_read_regs(cell, res))
		return false;
	access_set(cell, res, res->access.exec);
	return true;
}

/* does an access overlap a watch, as far as the low halves of addresses tell */
static bool is_near(u32 addr, u32 width, const struct gpubp_watch *w)
{
	u32 ahead = addr - (u32)w->start;

	return ahead <= w->last - w->start || (u32)-ahead < width;
}

/*
 * Of the active lanes, those whose address may be that of a watched byte, by its low half.
 * If there are many watches, all: no user makes the others wait.
 */
static u64 access_near_lanes(struct gpubp_hit_cell *cell,
			     const struct gpubp_resolution *res)
{
	const u64 *addr = res->access.addr;
	u64 left, near = 0;
	unsigned int nr = 0;
	struct gpubp_watch *w;

	guard(mutex)(&cell->dev->lock);
	for (w = gpubp_watch_first(cell->ctx, 0, U64_MAX); w;
	     w = gpubp_watch_next(w, 0, U64_MAX)) {
		if (nr++ == MAX_NEAR_WATCHES)
			return res->access.exec;
		for (left = res->access.exec & ~near; left; left &= left - 1)
			if (is_near(addr[__ffs64(left)], res->insn.width, w))
				near |= left & -left;
	}
	return near;
}

/*
 * Registers are slow to read. Of the high halves of addresses, read those of lanes that
 * may have accessed watched bytes; no other lane has.
 */
static bool access_read_near(struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res)
{
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	struct gpubp_reg_req half = res->insn.regs[0];
	u32 *high = res->regs + isa->nr_lanes;
	u64 near;

	half.count = 1;
	if (!access_read_reqs(cell, res, &half, 1, res->access.exec, res->regs))
		return false;
	memset(high, 0, isa->nr_lanes * sizeof(*high));
	isa->lane_addrs(&res->insn, res->regs, res->access.exec,
			res->access.addr);
	near = access_near_lanes(cell, res);
	half.first++;
	if (near && !access_read_reqs(cell, res, &half, 1, near, high))
		return false;
	access_set(cell, res, near);
	return true;
}

/**
 * gpubp_access_find_lanes() - find which lanes accessed which addresses
 * @cell: the hit
 * @res: its resolution after gpubp_access_find(); (out) ->access
 * @watched: of an exact access, lanes that accessed no watched byte may be
 *	missing
 *
 * The resolver only; may sleep; takes the device lock.
 */
void gpubp_access_find_lanes(struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res, bool watched)
{
	struct gpubp_access *acc = &res->access;

	acc->exec = res->trap.exec;
	acc->lanes = access_possible_lanes(cell->dev, acc->exec);
	acc->regular = false;
	acc->addr_state = GPUBP_ADDR_UNKNOWN;
	if ((cell->hit.valid & GPUBP_HITF_ADDR) && acc->exec) {
		access_from_hit(&cell->hit, res->insn.may_drop, acc);
		return;
	}
	if (!res->pc_exact)
		return;
	acc->access = res->insn.access;
	acc->width = res->insn.width;
	acc->addr_state = GPUBP_ADDR_BLOCK;
	if (res->insn.clobbers_addr)
		return;
	if (watched && res->insn.addr_halves && acc->exec && !cell->place)
		access_read_near(cell, res);
	else
		gpubp_access_read(cell, res);
}
