// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>
#include "agent_message.h"
#include "agent_place.h"
#include "message.h"

/**
 * struct recorded - where a hit is recorded
 * @isa: of the wave
 * @place: the place
 */
struct recorded {
	const struct gpubp_isa *isa;
	const void *place;
};

static int read_recorded(const void *arg, const struct gpubp_reg_req *req, u32 *out)
{
	const struct recorded *rec = arg;

	return rec->isa->recorded_read(rec->place, rec->place, req, out);
}

static void add_access(struct message *msg, const struct gpubp_isa *isa, const void *place)
{
	const struct recorded rec = { isa, place };

	agent_message_access(msg, isa, place + isa->handler->place_code,
			     isa->handler->place_code_len, read_recorded, &rec);
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
	agent_message_end(msg);
	return rec.exec;
}
