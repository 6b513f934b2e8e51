// SPDX-License-Identifier: GPL-2.0
/* The mock's waves: they stop, write a record like the handler, and report. */
#include <linux/ktime.h>

#include "core/cell.h"
#include "mock.h"

/* the layout of the trap handler's record, in dwords */
#define REC_SEQ		0
#define REC_REASONS	1
#define REC_PC		2
#define REC_EXEC	4
#define REC_TTMP6	10

#define TRAPSTS_WATCH0	BIT(7)
#define TRAPSTS_WATCH1	BIT(12)
#define TRAPSTS_ILLEGAL	BIT(11)

#define PC_HI_TRAP_ID	16

#define NO_SETUP	BIT(31)	/* of TTMP6 */

static u32 trapsts(u32 slots)
{
	return (slots & BIT(0) ? TRAPSTS_WATCH0 : 0) |
	       (slots >> 1) * TRAPSTS_WATCH1;
}

/* what gpubp_isa.record_regs have then: ttmp4-13, exec, MODE, STATUS, the pc */
static void keep_record(struct mock *m, const u32 rec[16], unsigned int index,
			const struct mock_stop *stop)
{
	u64 pc = stop->pc + (stop->trap_id > 1 ? 4 : 0);

	m->kept[0] = stop->not_ours ? 0 : mock_mark(m, index);
	m->kept[1] = rec[REC_REASONS] | stop->trap_id << 16;
	memcpy(&m->kept[2], &rec[REC_TTMP6], 6 * sizeof(u32));
	memcpy(&m->kept[10], &rec[REC_EXEC], 2 * sizeof(u32));
	m->kept[14] = lower_32_bits(pc);
	m->kept[15] = upper_32_bits(pc);
}

static void write_record(struct mock_ctx *c, unsigned int index,
			 const struct mock_stop *stop)
{
	const struct gpubp_handler *h = gpubp_isa_gfx90a.handler;
	u32 rec[16] = {
		[REC_SEQ] = MOCK_SEQ,
		[REC_REASONS] = trapsts(stop->slots) |
				(stop->illegal ? TRAPSTS_ILLEGAL : 0) |
				stop->trapsts,
		[REC_PC] = lower_32_bits(stop->pc),
		[REC_PC + 1] = upper_32_bits(stop->pc) |
			       stop->trap_id << PC_HI_TRAP_ID,
		[REC_EXEC] = lower_32_bits(stop->exec),
		[REC_EXEC + 1] = upper_32_bits(stop->exec),
		[REC_TTMP6] = 0x55 |	/* dispatch */
			      (stop->no_coords ? NO_SETUP : 0),
		[REC_TTMP6 + 2] = 1,	/* workgroup */
		[REC_TTMP6 + 3] = 2,
		[REC_TTMP6 + 4] = 3,
		[REC_TTMP6 + 5] = 4,	/* wave in it */
	};
	u64 tma = READ_ONCE(c->tma);	/* a commit may be setting it */
	u64 at = tma - MOCK_HANDLER_VA + h->record_offset + (u64)index * h->record_size;

	keep_record(c->m, rec, index, stop);
	if (stop->no_record)
		rec[REC_SEQ] = 0;
	if (READ_ONCE(c->m->wave_moved))
		rec[REC_REASONS] = 0;
	if (tma)
		memcpy(c->code + at, rec, sizeof(rec));
}

/* a wave of @c stops; returns its interrupt */
struct gpubp_hit mock_hit(struct mock_ctx *c, const struct mock_stop *stop)
{
	unsigned int wave = atomic_inc_return(&c->m->next_wave);
	unsigned int index = mock_record(wave);

	if (wave >= MOCK_WAVES)
		mock_complain(c->m, "the test has more than %u waves", wave);
	write_record(c, index, stop);
	return (struct gpubp_hit) {
		.valid = (GPUBP_HITF_VMID | GPUBP_HITF_PASID |
			  GPUBP_HITF_DOORBELL | GPUBP_HITF_POSITION |
			  GPUBP_HITF_CODE | GPUBP_HITF_TIME) & ~stop->without,
		.vmid = c->vmid,
		.pasid = c->pasid,
		.doorbell = c->doorbell,
		.cu = index / 64,
		.simd = index / 16 % 4,
		.wave_slot = index % 16,
		.code = gpubp_isa_gfx90a.handler->interrupt_code,
		.wave = wave,
		.stopped = GPUBP_STOPS_WAVE,
		.gpu_time = stop->time ?: ktime_get_ns(),
	};
}

enum gpubp_verdict mock_report(struct mock *m, const struct gpubp_hit *hit)
{
	enum gpubp_verdict verdict = gpubp_report(m->dev, hit);

	if (verdict == GPUBP_TAKEN && hit->wave < MOCK_WAVES)
		atomic_inc(&m->taken[hit->wave]);
	return verdict;
}

enum gpubp_verdict mock_raise(struct mock_ctx *c, const struct mock_stop *stop)
{
	struct gpubp_hit hit = mock_hit(c, stop);

	return mock_report(c->m, &hit);
}

/* an instruction at MOCK_CODE; returns the pc after it */
u64 mock_put_insn(struct mock_ctx *c, u32 word0, u32 word1)
{
	u32 words[] = { word0, word1 };

	memcpy(c->mem + (MOCK_CODE - MOCK_VA), words, sizeof(words));
	return MOCK_CODE + sizeof(words);
}

/* sets v[0:1] of a lane */
void mock_lane_addr(struct mock *m, unsigned int lane, u64 addr)
{
	m->vgprs[0][lane] = lower_32_bits(addr);
	m->vgprs[1][lane] = upper_32_bits(addr);
}

/* lane 0 of a wave stores a dword at @addr and stops if that is armed */
enum gpubp_verdict mock_store(struct mock_ctx *c, u64 addr)
{
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.slots = mock_slots(c, addr),
	};

	mock_lane_addr(c->m, 0, addr);
	return mock_raise(c, &stop);
}
