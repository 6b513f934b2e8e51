// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>
#include "agent_place.h"
#include "message.h"

static size_t regs_len(const struct gpubp_reg_req *req)
{
	return req->count * sizeof(u32) *
	       (req->file == GPUBP_REG_VECTOR ? GPUBP_AGENT_LANES : 1);
}

/* the values of a request, if the place has them; @at is the end of the message */
static void add_regs(struct message *msg, const struct gpubp_isa *isa, const void *place,
		     const struct gpubp_reg_req *req)
{
	struct gpubp_agent_regs head = {
		.file = req->file, .count = req->count, .first = req->first,
	};
	size_t at = msg->hit.header.size - sizeof(msg->hit), len = regs_len(req);
	u32 values[4 * GPUBP_AGENT_LANES] = { };

	if (!req->count || len > sizeof(values) || req->file > GPUBP_REG_VECTOR ||
	    at + sizeof(head) + len > sizeof(msg->regs) ||
	    isa->recorded_read(place, place, req, values))
		return;
	memcpy(msg->regs + at, &head, sizeof(head));
	memcpy(msg->regs + at + sizeof(head), values, len);
	msg->hit.header.size += sizeof(head) + len;
	msg->hit.nr_regs++;
}

static void add_access(struct message *msg, const struct gpubp_isa *isa, const void *place)
{
	const struct gpubp_handler *handler = isa->handler;
	const void *code = place + handler->place_code;
	struct gpubp_insn insn;
	unsigned int n;

	msg->hit.code_len = min(handler->place_code_len, (u32)GPUBP_AGENT_CODE);
	memcpy(msg->hit.code + GPUBP_AGENT_CODE - msg->hit.code_len, code, msg->hit.code_len);
	if (isa->access_before(code, handler->place_code_len, &insn) <= 0)
		return;
	for (n = 0; n < insn.nr_regs; n++)
		add_regs(msg, isa, place, &insn.regs[n]);
	add_regs(msg, isa, place, &insn.stored);
	add_regs(msg, isa, place, &insn.loaded);
}

bool message_fill(struct message *msg, struct message_place *out, uint32_t gfx,
		  const void *place, uint32_t number)
{
	const struct gpubp_isa *isa = agent_isa(gfx);
	struct gpubp_recorded_place where;
	struct gpubp_trap_record rec;
	bool decided;

	if (!agent_place_parse(isa, place, number, &rec, &where, &decided) || !rec.slots)
		return false;
	msg->hit = (struct gpubp_agent_hit) {
		.header = { sizeof(msg->hit), GPUBP_AGENT_HIT },
		.pc = rec.pc,
		.exec = rec.exec,
		.flags = (rec.has_dispatch ? GPUBP_AGENT_HIT_DISPATCH : 0) |
			 (rec.has_coords ? GPUBP_AGENT_HIT_COORDS : 0),
		.dispatch = rec.dispatch,
		.wg = { rec.wg[0], rec.wg[1], rec.wg[2] },
		.wave_in_group = rec.wave_in_group,
	};
	*out = (struct message_place) {
		.comparator = __builtin_ctz(rec.slots), .clock = where.clock,
		.doorbell = where.doorbell, .decided = decided,
	};
	if (decided)
		add_access(msg, isa, place);
	/* a message is a multiple of 8 */
	memset(msg->regs + msg->hit.header.size - sizeof(msg->hit), 0, 4);
	msg->hit.header.size = ALIGN(msg->hit.header.size, 8);
	return rec.exec;
}
