// SPDX-License-Identifier: GPL-2.0
/* Hits: from the registers of a wave to the message. */
#include <errno.h>
#include <linux/string.h>
#include "../agent_message.h"
#include "unit.h"

/* the longest instruction of gfx9, and the one before it */
#define CODE_LEN	GPUBP_AGENT_CODE

static int hit_read(const void *arg, const struct gpubp_reg_req *req, u32 *out)
{
	const struct sim_wave *sim = arg;
	unsigned int i;

	if (req->file == GPUBP_REG_SCALAR) {
		if (req->first + req->count > ARRAY_SIZE(sim->s))
			return -EINVAL;
		memcpy(out, &sim->s[req->first], req->count * sizeof(*out));
		return 0;
	}
	if (req->first + req->count > sim->nr_vgprs)
		return -EINVAL;
	for (i = 0; i < req->count; i++)
		memcpy(out + i * SIM_LANES, sim->v[req->first + i], sizeof(*sim->v));
	return 0;
}

/* what is there of the code in front of the pc, at the end of @code */
static u32 hit_code(const struct inproc_wave *wave, u8 code[CODE_LEN])
{
	struct inproc_memory *memory = wave->group->unit->memory;
	u32 len;

	for (len = CODE_LEN; len; len -= sizeof(u32))
		if (inproc_memory_move(memory, wave->sim.pc - len, code + CODE_LEN - len, len,
				       false) == len)
			break;
	return len;
}

static void hit_fill(struct gpubp_agent_hit *hit, const struct inproc_wave *wave)
{
	const struct sim_launch *launch = &wave->group->launch;

	*hit = (struct gpubp_agent_hit) {
		.header = { sizeof(*hit), GPUBP_AGENT_HIT },
		.pc = wave->sim.pc,
		.exec = wave->sim.s[GFX9_SRC_EXEC] |
			(u64)wave->sim.s[GFX9_SRC_EXEC + 1] << 32,
		.time = inproc_now(),
		.queue = wave->group->unit->queue,
		.flags = GPUBP_AGENT_HIT_DISPATCH | GPUBP_AGENT_HIT_COORDS,
		.dispatch = launch->dispatch_id,
		.wg = { launch->wg[0], launch->wg[1], launch->wg[2] },
		.wave_in_group = wave - wave->group->wave,
	};
}

/* as on silicon: what overwrote the registers of its address is not known */
static bool hit_is_known(const struct gpubp_isa *isa, const u8 *code, u32 len)
{
	struct gpubp_insn insn;

	return isa->access_before(code, len, &insn) > 0 && !insn.clobbers_addr;
}

void inproc_wave_hit(struct inproc_wave *wave)
{
	struct inproc_unit *unit = wave->group->unit;
	union {
		struct gpubp_agent_hit hit;
		u8 bytes[GPUBP_AGENT_MESSAGE];
	} message;
	u8 code[CODE_LEN];
	u32 len = hit_code(wave, code), slots;

	slots = inproc_watch_decide(&unit->watch, &wave->touch,
				    hit_is_known(unit->isa, code + CODE_LEN - len, len));
	wave->touch = (struct inproc_touch){ };
	if (!slots || !unit->hit)
		return;
	hit_fill(&message.hit, wave);
	message.hit.slots = slots;
	agent_message_access(&message, unit->isa, code + CODE_LEN - len, len, hit_read,
			     &wave->sim);
	agent_message_end(&message);
	unit->hit(unit->hit_arg, &message.hit);
}
