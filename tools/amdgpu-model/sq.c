// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>

#include "gc/gc_9_4_2_offset.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "soc15_ih_clientid.h"
#include "ivsrcid/gfx/irqsrcs_gfx_9_0.h"

#include "field.h"
#include "sq.h"

/* SQ_CMD.CMD and .MODE, enum SQ_IND_CMD_* */
#define CMD_SETHALT	1
#define MODE_SINGLE	0

/* the interrupt's word: see SQ_INTERRUPT_WORD_WAVE_CTXID in amdkfd */
#define ENCODING_INST	1
#define SOURCE_SQ	239

static bool place_equal(const struct sq_place *a, const struct sq_place *b)
{
	return a->se == b->se && a->sh == b->sh && a->cu == b->cu &&
	       a->simd == b->simd && a->slot == b->slot;
}

static struct sq_view *view_find(const struct sq *sq, const struct sq_place *place)
{
	struct sq_view *view;

	for (view = sq->view; view; view = view->next)
		if (place_equal(&view->place, place))
			return view;
	return NULL;
}

bool sq_place_is_free(const struct sq *sq, const struct sq_place *place)
{
	return !view_find(sq, place);
}

void sq_show(struct sq *sq, struct sq_view *view)
{
	view->next = sq->view;
	sq->view = view;
}

void sq_hide(struct sq *sq, struct sq_view *view)
{
	struct sq_view **at = &sq->view;

	while (*at && *at != view)
		at = &(*at)->next;
	if (*at)
		*at = view->next;
}

void sq_interrupt(struct sq *sq, const struct sq_view *view, uint32_t data,
		  bool priv)
{
	const struct sq_place *p = &view->place;
	struct ih_entry entry = {
		.client = SOC15_IH_CLIENTID_SE0SH + (p->se & 3),
		.source = SOURCE_SQ,
		.vmid = view->vm->vmid,
		.pasid = view->vm->pasid,
		.data = {
			(data & 0xfff) | (p->sh & 1) << 12 |
			(uint32_t)priv << 13 |
			(p->slot & 0xf) << 14 | (p->simd & 3) << 18 |
			(p->cu & 0xf) << 20 | (p->se & 3) << 24 |
			ENCODING_INST << 26 | (data >> 12 & 0xf) << 28,
			data >> 16 & 0xff,
		},
	};

	log_line(sq->log, "sq",
		 "interrupt 0x%06x%s: se %u sh %u cu %u simd %u slot %u vmid %u",
		 data & 0xffffff, priv ? " of a handler" : "", p->se, p->sh,
		 p->cu, p->simd, p->slot, view->vm->vmid);
	ih_raise(sq->ih, &entry);
}

/* ---- waves of tests ------------------------------------------------------ */

static struct sq_wave *wave_of(const struct sq_view *view)
{
	return (struct sq_wave *)((char *)view - offsetof(struct sq_wave, view));
}

static uint32_t wave_read(const struct sq_view *view, unsigned int index,
			  unsigned int lane)
{
	const struct sq_wave *wave = wave_of(view);

	if (index >= SQ_INDEX_VGPR)
		return index < SQ_INDEX_VGPR + SQ_NR_VGPRS ?
		       wave->vgpr[lane][index - SQ_INDEX_VGPR] : 0;
	if (index >= SQ_INDEX_TTMP && index < SQ_INDEX_TTMP + SQ_NR_TTMPS)
		return wave->ttmp[index - SQ_INDEX_TTMP];
	if (index >= SQ_INDEX_SGPR && index < SQ_INDEX_SGPR + SQ_NR_SGPRS)
		return wave->sgpr[index - SQ_INDEX_SGPR];
	switch (index) {
	case ixSQ_WAVE_MODE:	return wave->mode;
	case ixSQ_WAVE_STATUS:	return wave->status;
	case ixSQ_WAVE_TRAPSTS:	return wave->trapsts;
	case ixSQ_WAVE_HW_ID:	return sq_hw_id(&wave->place, wave->vm.vmid);
	case ixSQ_WAVE_PC_LO:	return wave->pc;
	case ixSQ_WAVE_PC_HI:	return wave->pc >> 32;
	case ixSQ_WAVE_EXEC_LO:	return wave->exec;
	case ixSQ_WAVE_EXEC_HI:	return wave->exec >> 32;
	/* 32 vector and 112 scalar registers */
	case ixSQ_WAVE_GPR_ALLOC:
		return FIELD_PUT(SQ_WAVE_GPR_ALLOC, VGPR_SIZE, 3) |
		       FIELD_PUT(SQ_WAVE_GPR_ALLOC, SGPR_SIZE, 6);
	default:		return 0;
	}
}

static void wave_remove(struct sq_wave *wave)
{
	sq_hide(wave->sq, &wave->view);
	wave->used = false;
}

static bool wave_halt(struct sq_view *view, bool halt)
{
	if (!halt)
		wave_remove(wave_of(view));
	return !halt;
}

int sq_add(struct sq *sq, const struct sq_wave *as)
{
	struct sq_wave *wave;
	unsigned int i;

	if (!sq_place_is_free(sq, &as->place))
		return -EBUSY;
	for (i = 0; i < SQ_MAX_WAVES && sq->wave[i].used; i++)
		;
	if (i == SQ_MAX_WAVES)
		return -ENOSPC;
	wave = &sq->wave[i];
	*wave = *as;
	wave->used = true;
	wave->sq = sq;
	wave->view = (struct sq_view){
		.place = wave->place, .vm = &wave->vm, .read = wave_read,
		.halt = wave_halt,
	};
	sq_show(sq, &wave->view);
	log_line(sq->log, "sq",
		 "wave se %u sh %u cu %u simd %u slot %u vmid %u pasid 0x%x: halted, pc 0x%llx trapsts 0x%x doorbell 0x%x code 0x%x",
		 wave->place.se, wave->place.sh, wave->place.cu,
		 wave->place.simd, wave->place.slot, wave->vm.vmid,
		 wave->vm.pasid, (unsigned long long)wave->pc, wave->trapsts,
		 wave->doorbell, wave->code);
	sq_interrupt(sq, &wave->view,
		     (wave->doorbell & 0x3ff) | (uint32_t)wave->code << 10, true);
	return 0;
}

unsigned int sq_count(const struct sq *sq)
{
	unsigned int i, nr = 0;

	for (i = 0; i < SQ_MAX_WAVES; i++)
		nr += sq->wave[i].used;
	return nr;
}

static struct sq_place selected_place(const struct sq *sq, unsigned int simd,
				      unsigned int slot)
{
	uint32_t index = reg_get(sq->regs, R_GC_GRBM_GFX_INDEX);

	return (struct sq_place){
		.se = FIELD_GET(index, GRBM_GFX_INDEX, SE_INDEX),
		.sh = FIELD_GET(index, GRBM_GFX_INDEX, SH_INDEX),
		.cu = FIELD_GET(index, GRBM_GFX_INDEX, INSTANCE_INDEX),
		.simd = simd,
		.slot = slot,
	};
}

uint32_t sq_hw_id(const struct sq_place *p, unsigned int vmid)
{
	return FIELD_PUT(SQ_WAVE_HW_ID, WAVE_ID, p->slot) |
	       FIELD_PUT(SQ_WAVE_HW_ID, SIMD_ID, p->simd) |
	       FIELD_PUT(SQ_WAVE_HW_ID, CU_ID, p->cu) |
	       FIELD_PUT(SQ_WAVE_HW_ID, SH_ID, p->sh) |
	       FIELD_PUT(SQ_WAVE_HW_ID, SE_ID, p->se) |
	       FIELD_PUT(SQ_WAVE_HW_ID, VM_ID, vmid);
}

uint32_t sq_read(struct sq *sq)
{
	uint32_t index = reg_get(sq->regs, R_GC_SQ_IND_INDEX);
	unsigned int lane = FIELD_GET(index, SQ_IND_INDEX, THREAD_ID);
	struct sq_place place = selected_place(sq,
		FIELD_GET(index, SQ_IND_INDEX, SIMD_ID),
		FIELD_GET(index, SQ_IND_INDEX, WAVE_ID));
	const struct sq_view *view = view_find(sq, &place);

	if (FIELD_GET(index, SQ_IND_INDEX, AUTO_INCR))
		reg_set(sq->regs, R_GC_SQ_IND_INDEX,
			index + (1u << SQ_IND_INDEX__INDEX__SHIFT));
	return view ? view->read(view, FIELD_GET(index, SQ_IND_INDEX, INDEX),
				 lane) : 0;
}

static bool command_concerns(const struct sq *sq, uint32_t command,
			     const struct sq_view *view)
{
	uint32_t index = reg_get(sq->regs, R_GC_GRBM_GFX_INDEX);
	struct sq_place place = selected_place(sq,
		FIELD_GET(command, SQ_CMD, SIMD_ID),
		FIELD_GET(command, SQ_CMD, WAVE_ID));

	if (FIELD_GET(command, SQ_CMD, CHECK_VMID) &&
	    FIELD_GET(command, SQ_CMD, VM_ID) != view->vm->vmid)
		return false;
	if (FIELD_GET(index, GRBM_GFX_INDEX, SE_BROADCAST_WRITES))
		place.se = view->place.se;
	if (FIELD_GET(index, GRBM_GFX_INDEX, SH_BROADCAST_WRITES))
		place.sh = view->place.sh;
	if (FIELD_GET(index, GRBM_GFX_INDEX, INSTANCE_BROADCAST_WRITES))
		place.cu = view->place.cu;
	if (FIELD_GET(command, SQ_CMD, MODE) != MODE_SINGLE) {
		place.simd = view->place.simd;
		place.slot = view->place.slot;
	}
	return place_equal(&place, &view->place);
}

void sq_command(struct sq *sq, uint32_t command)
{
	bool halt = FIELD_GET(command, SQ_CMD, DATA);
	struct sq_view *view, *next;
	unsigned int nr = 0;

	if (FIELD_GET(command, SQ_CMD, CMD) != CMD_SETHALT) {
		log_line(sq->log, "sq", "command 0x%08x is not modelled", command);
		return;
	}
	for (view = sq->view; view; view = next) {
		next = view->next;
		if (command_concerns(sq, command, view))
			nr += view->halt(view, halt);
	}
	sq->resumed += nr;
	log_line(sq->log, "sq", "command 0x%08x: %u waves go on", command, nr);
}

void sq_drop(struct sq *sq, unsigned int vmid)
{
	unsigned int i;

	for (i = 0; i < SQ_MAX_WAVES; i++)
		if (sq->wave[i].used && (!vmid || sq->wave[i].vm.vmid == vmid))
			wave_remove(&sq->wave[i]);
}
