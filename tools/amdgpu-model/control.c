// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "gc/gc_9_4_2_sh_mask.h"

#include "control.h"
#include "field.h"

/* TRAPSTS: comparator 0 is EXCP[7], 1 to 3 are EXCP_HI */
#define TRAPSTS_WATCH0	0x80
#define TRAPSTS_HI_AT	12

static uint64_t value64(const struct control *control, enum control_register lo)
{
	return control->value[lo] | (uint64_t)control->value[lo + 1] << 32;
}

static const struct queue *find_queue(const struct engine *e, uint32_t pasid)
{
	const struct queue *found = NULL;
	unsigned int i;

	for (i = 0; i < MODEL_MAX_QUEUES; i++) {
		const struct queue *q = &e->queue[i];

		if (q->kind == QUEUE_AQL && (!pasid || q->vm.pasid == pasid))
			found = q;
	}
	return found;
}

static struct sq_wave wave_init(const struct control *control,
				const struct queue *queue, uint32_t slots)
{
	uint32_t place = control->value[CONTROL_PLACE];
	uint64_t address = value64(control, CONTROL_ADDR_LO);
	struct sq_wave wave = {
		.place = {
			.se = place >> 16, .sh = place >> 12 & 0xf,
			.cu = place >> 8 & 0xf, .simd = place >> 4 & 3,
			.slot = place & 0xf,
		},
		.vm = queue->vm,
		.doorbell = DOORBELL_NUMBER(queue->doorbell),
		.code = control->value[CONTROL_CODE],
		.status = FIELD_PUT(SQ_WAVE_STATUS, HALT, 1) |
			  FIELD_PUT(SQ_WAVE_STATUS, VALID, 1),
		.trapsts = (slots & 1 ? TRAPSTS_WATCH0 : 0) |
			   (slots >> 1 & 7) << TRAPSTS_HI_AT,
		.mode = 0xf0,
		.pc = value64(control, CONTROL_PC_LO),
		.exec = 1,
	};
	unsigned int lane;

	for (lane = 0; lane < SQ_NR_LANES; lane++) {
		wave.vgpr[lane][0] = address;
		wave.vgpr[lane][1] = address >> 32;
		wave.vgpr[lane][2] = control->value[CONTROL_VALUE];
	}
	return wave;
}

static int stop_wave(struct control *control, struct engine *e, struct sq *sq,
		     uint32_t value)
{
	const struct queue *queue = find_queue(e, control->value[CONTROL_PASID]);
	struct sq_wave wave;

	if (!queue)
		return -ESRCH;
	if (value >> 8 & 1 &&
	    !vm_write32(e->access, &queue->vm, value64(control, CONTROL_ADDR_LO),
			control->value[CONTROL_VALUE]))
		return -EFAULT;
	wave = wave_init(control, queue, value & 0xf);
	return sq_add(sq, &wave);
}

static uint32_t count_comparators(const struct engine *e)
{
	static const enum model_register words[] = {
		R_GC_TCP_WATCH0_CNTL, R_GC_TCP_WATCH1_CNTL,
		R_GC_TCP_WATCH2_CNTL, R_GC_TCP_WATCH3_CNTL,
	};
	unsigned int vmid, i;
	uint32_t nr = 0;
	bool any = false;

	for (vmid = 1; vmid < MODEL_NR_VMIDS; vmid++) {
		if (!e->process[vmid].mapped)
			continue;
		any = true;
		for (i = 0; i < MODEL_NR_WATCHES; i++)
			nr += FIELD_GET(reg_get_of_vmid(e->regs, words[i], vmid),
					TCP_WATCH0_CNTL, VALID);
	}
	return any ? nr : CONTROL_NO_PROCESS;
}

static const struct register_cell *cell_of(const struct engine *e, enum model_register id)
{
	return &e->regs->cell[e->regs->index[id]];
}

static uint32_t count_wave_writes(const struct engine *e)
{
	return cell_of(e, R_GC_SQ_IND_INDEX)->writes + cell_of(e, R_GC_SQ_CMD)->writes +
	       cell_of(e, R_GC_GRBM_GFX_INDEX)->writes;
}

uint32_t control_read(const struct control *control, const struct engine *e,
		      const struct sq *sq, uint32_t index)
{
	switch (index - CONTROL_BASE) {
	case CONTROL_ID:	return CONTROL_IDENT;
	case CONTROL_STOP:	return control->error;
	case CONTROL_WAVES:	return sq_count(sq);
	case CONTROL_RESUMED:	return sq->resumed;
	case CONTROL_COMPARATORS: return count_comparators(e);
	case CONTROL_FAULTS:	return e->log->faults;
	case CONTROL_WAVE_READS: return cell_of(e, R_GC_SQ_IND_DATA)->reads;
	case CONTROL_WAVE_WRITES: return count_wave_writes(e);
	default:		return control->value[index - CONTROL_BASE];
	}
}

void control_write(struct control *control, struct engine *e, struct sq *sq,
		   uint32_t index, uint32_t value)
{
	control->value[index - CONTROL_BASE] = value;
	switch (index - CONTROL_BASE) {
	case CONTROL_MARK:
		log_line(e->log, "control", "mark %u", value);
		break;
	case CONTROL_SPURIOUS:
		e->steps.spurious = value;
		break;
	case CONTROL_OVERSTEP:
		e->steps.lost = value;
		break;
	case CONTROL_STOP:
		control->error = -stop_wave(control, e, sq, value);
		break;
	default:
		break;
	}
}
