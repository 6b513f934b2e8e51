// SPDX-License-Identifier: GPL-2.0
/*
 * Access: find the instruction of a stopped wave, and what its lanes accessed.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/gpubp.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "resolution.h"

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
	u8 code[GPUBP_MAX_INSN];
	size_t len;

	if (!cell->dev->desc.caps.precise || !cell->dev->desc.isa)
		return;
	len = access_read_code(cell, res->trap.pc, code);
	res->pc_exact = cell->dev->desc.isa->access_before(code, len,
							   &res->insn) > 0;
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

static bool access_read_regs(struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res)
{
	struct gpubp_device *dev = cell->dev;

	if (WARN_ON_ONCE(access_nr_values(dev->desc.isa, &res->insn) >
			 GPUBP_ACCESS_REGS))
		return false;
	return !dev->ops.read_wave(dev->priv, cell->hit.wave,
				   res->insn.regs, res->insn.nr_regs,
				   res->regs);
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

	memset(acc->dropped, 0, sizeof(acc->dropped));
	if (!isa->lane_dropped)
		return;
	for (; left; left &= left - 1) {
		unsigned int lane = __ffs64(left);

		acc->dropped[lane] = isa->lane_dropped(&res->insn, res->regs,
						       lane);
	}
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
	const struct gpubp_isa *isa = cell->dev->desc.isa;
	struct gpubp_access *acc = &res->access;

	if (!access_read_regs(cell, res))
		return false;
	acc->access = res->insn.access;
	acc->width = res->insn.width;
	acc->lanes = isa->lane_addrs(&res->insn, res->regs, acc->exec,
				     acc->addr);
	acc->whole = access_whole_lanes(isa, res);
	access_find_dropped(isa, res);
	acc->addr_state = GPUBP_ADDR_EXACT;
	return true;
}

/**
 * gpubp_access_find_lanes() - find which lanes accessed which addresses
 * @cell: the hit
 * @res: its resolution after gpubp_access_find(); (out) ->access
 *
 * The resolver only; may sleep.
 */
void gpubp_access_find_lanes(struct gpubp_hit_cell *cell,
			     struct gpubp_resolution *res)
{
	struct gpubp_access *acc = &res->access;

	acc->exec = res->trap.exec;
	acc->lanes = access_possible_lanes(cell->dev, acc->exec);
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
	if (!res->insn.clobbers_addr)
		gpubp_access_read(cell, res);
}
