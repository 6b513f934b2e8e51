// SPDX-License-Identifier: GPL-2.0
/* SQ: registers of waves and commands to waves, by hardware location. */
#include "amdgpu.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "kfd_device_queue_manager.h"
#include "kfd_kernel_queue.h"
#include "kfd_priv.h"

#include "wave.h"

#define SQ_CMD_SETHALT	1
#define ALL		0xffffffff

static bool sq_simd_in_instance(struct gpubp_amd_node *n)
{
	return !n->gen->field[AMD_F_CMD_SIMD];
}

static u32 sq_simd(struct gpubp_amd_node *n,
		   const struct gpubp_amd_place *place)
{
	return sq_simd_in_instance(n) ? 0 : place->simd;
}

/*
 * While queues are taken off the GPU and mapped again, their waves are not on it.
 * amdkfd does both under this lock, debug_lock_and_unmap() included; firmware does not:
 * sq_takes_turns().
 */
static void sq_begin(struct gpubp_amd_node *n)
{
	dqm_lock(n->node->dqm);
	amdgpu_gfx_off_ctrl(n->node->adev, false);
}

static void sq_end(struct gpubp_amd_node *n)
{
	amdgpu_gfx_off_ctrl(n->node->adev, true);
	dqm_unlock(n->node->dqm);
}

/* between sq_begin() and sq_end() */
static void sq_select_place(struct gpubp_amd_node *n,
			    const struct gpubp_amd_place *place)
{
	struct amdgpu_device *adev = n->node->adev;
	u32 instance = sq_simd_in_instance(n) ?
		       place->cu << 2 | place->simd : place->cu;

	mutex_lock(&adev->grbm_idx_mutex);
	amdgpu_gfx_select_se_sh(adev, place->se, place->sh, instance,
				place->xcc);
}

static void sq_unselect_place(struct gpubp_amd_node *n,
			      const struct gpubp_amd_place *place)
{
	struct amdgpu_device *adev = n->node->adev;

	amdgpu_gfx_select_se_sh(adev, ALL, ALL, ALL, place->xcc);
	mutex_unlock(&adev->grbm_idx_mutex);
}

static void sq_select(struct gpubp_amd_node *n,
		      const struct gpubp_amd_place *place)
{
	sq_begin(n);
	sq_select_place(n, place);
}

static void sq_unselect(struct gpubp_amd_node *n,
			const struct gpubp_amd_place *place)
{
	sq_unselect_place(n, place);
	sq_end(n);
}

/* word numbers in amdgpu's read_wave_data(), by the type in the first word */
static const struct layout {
	u8 hw_id;
	u8 vmid_shift;
	u8 halt_word;
	u8 halt_bit;
	u8 traps;
} layouts[] = {
	[1] = { 6, 20, 1, 13, 11 },	/* gfx9 */
	[2] = { 7, 24, 1, 13, 11 },	/* gfx10 */
	[3] = { 7, 24, 1, 13, 10 },	/* gfx11 */
	[4] = { 7, 24, 15, 14, 16 },	/* gfx12 */
};

#define MAX_WORDS	32
#define WORD_PC		2
#define WORD_EXEC	4

static u64 words_to_u64(const u32 *words)
{
	return (u64)words[1] << 32 | words[0];
}

static u32 sq_slots(u32 type, u32 traps)
{
	if (type == 4)			/* EXCP_FLAG_PRIV */
		return traps & GENMASK(3, 0);
	return (traps >> 7 & BIT(0)) | (traps >> 11 & GENMASK(3, 1));
}

/* @place is selected; returns the number of words */
static int sq_read_selected(struct gpubp_amd_node *n,
			    const struct gpubp_amd_place *place,
			    u32 words[MAX_WORDS])
{
	struct amdgpu_device *adev = n->node->adev;
	int nr = 0;

	adev->gfx.funcs->read_wave_data(adev, place->xcc, sq_simd(n, place),
					place->wave, words, &nr);
	return nr;
}

static bool sq_is_halted(const struct layout *l, const u32 *words, u32 vmid)
{
	return words[l->halt_word] & BIT(l->halt_bit) &&
	       (words[l->hw_id] >> l->vmid_shift & 0xf) == vmid;
}

/* ---- which wave it is ---------------------------------------------------- */

/*
 * amdgpu's function counts from the first scalar register on, and registers of
 * control are in front of these: STATUS, TRAPSTS, HW_ID. gfx9 only.
 */
#define FIRST_CONTROL	(0x12 - 0x200)

enum { CONTROL_STATUS, CONTROL_TRAPSTS, CONTROL_HW_ID, NR_CONTROL };

static void sq_read_scalars(struct gpubp_amd_node *n,
			    const struct gpubp_amd_place *place, u32 first,
			    u32 nr, u32 *out)
{
	struct amdgpu_device *adev = n->node->adev;

	adev->gfx.funcs->read_wave_sgprs(adev, place->xcc, sq_simd(n, place),
					 place->wave, first, nr, out);
}

static void sq_read_mark(struct gpubp_amd_node *n,
			 const struct gpubp_amd_place *place,
			 struct gpubp_amd_mark *mark)
{
	u32 regs[GPUBP_AMD_MARK_REGS];

	sq_read_scalars(n, place, n->isa->mark_reg.first, ARRAY_SIZE(regs), regs);
	gpubp_amd_mark_set(n, mark, regs);
}

#define HALTED		(SQ_WAVE_STATUS__HALT_MASK | SQ_WAVE_STATUS__VALID_MASK)

/* what is in the selected @wave->place; false: no wave is halted there */
static bool sq_look_selected(struct gpubp_amd_node *n, struct gpubp_amd_found *wave)
{
	u32 control[NR_CONTROL];

	sq_read_scalars(n, &wave->place, FIRST_CONTROL, NR_CONTROL, control);
	if ((control[CONTROL_STATUS] & HALTED) != HALTED)
		return false;
	wave->in_handler = control[CONTROL_STATUS] & SQ_WAVE_STATUS__PRIV_MASK;
	wave->mark.vmid = REG_GET_FIELD(control[CONTROL_HW_ID], SQ_WAVE_HW_ID,
					VM_ID);
	sq_read_mark(n, &wave->place, &wave->mark);
	return true;
}

static bool sq_look(struct gpubp_amd_node *n, struct gpubp_amd_found *wave)
{
	bool halted;

	sq_select_place(n, &wave->place);
	halted = sq_look_selected(n, wave);
	sq_unselect_place(n, &wave->place);
	return halted;
}

/*
 * More processes or queues than fit take turns: firmware takes them off the GPU at any
 * time, under no lock. A register may be another wave's then, and a command may reach none.
 * Waves are in memory while their context is taken off.
 */
static bool sq_takes_turns(struct gpubp_amd_node *n)
{
	const struct device_queue_manager *dqm = n->node->dqm;

	lockdep_assert_held(&dqm->lock_hidden);
	return !dqm->sched_running || dqm->packet_mgr.is_over_subscription;
}

/*
 * How much of packets firmware was sent; 0 if it is sent none (no HWS). Until more are sent
 * it takes no queue off the GPU, unless they take turns: a halted wave stays where it is, and
 * enters no handler.
 */
static u64 sq_packets(struct gpubp_amd_node *n)
{
	const struct device_queue_manager *dqm = n->node->dqm;

	lockdep_assert_held(&dqm->lock_hidden);
	return dqm->packet_mgr.priv_queue ?
	       dqm->packet_mgr.priv_queue->pending_wptr64 + 1 : 0;
}

/* nodes without a handler of ours do not know one wave from another */
static bool sq_is_there(struct gpubp_amd_node *n, struct gpubp_amd_found *wave)
{
	struct gpubp_amd_found now = { .place = wave->place };

	if (!n->isa)
		return true;
	if (!wave->is_placed || sq_takes_turns(n))
		return false;
	if (wave->packets && wave->packets == sq_packets(n))
		return true;
	if (!sq_look(n, &now))
		return false;
	now.mark.doorbell = wave->mark.doorbell;
	wave->in_handler = now.in_handler;
	return now.mark.vmid == wave->mark.vmid &&
	       gpubp_amd_mark_is_same(&now.mark, &wave->mark);
}

/* a wave that is there, and has been in a handler when it was looked at */
static bool sq_has_left_handler(struct gpubp_amd_node *n,
				const struct gpubp_amd_place *place)
{
	u32 status;

	sq_select_place(n, place);
	sq_read_scalars(n, place, FIRST_CONTROL + CONTROL_STATUS, 1, &status);
	sq_unselect_place(n, place);
	return (status & (HALTED | SQ_WAVE_STATUS__PRIV_MASK)) == HALTED;
}

/* of a wave that our handler has stopped: its record, and itself, have the rest */
static int sq_find(struct gpubp_amd_node *n, struct gpubp_amd_found *found, u32 vmid)
{
	int err = -ESRCH;

	sq_begin(n);
	if (!sq_takes_turns(n) && sq_look(n, found) && found->mark.vmid == vmid) {
		found->packets = sq_packets(n);
		err = 0;
	}
	sq_end(n);
	return err;
}

/**
 * gpubp_amd_sq_state() - read the state of a wave that stopped
 * @n: node
 * @found: @found->place is used; the rest, which tells it from others, is set
 * @hit: @hit->vmid is used; pc, exec and slots are set, unless our handler
 *	has stored them in its record: the wave may be in the handler still
 *
 * Return: 0, or -ESRCH if no such wave is halted, or queues take turns.
 */
int gpubp_amd_sq_state(struct gpubp_amd_node *n, struct gpubp_amd_found *found,
		       struct gpubp_hit *hit)
{
	u32 words[MAX_WORDS] = {};
	const struct layout *l;
	int nr;

	found->mark = (struct gpubp_amd_mark){ .vmid = hit->vmid };
	if (n->isa)
		return sq_find(n, found, hit->vmid);
	sq_select(n, &found->place);
	nr = sq_read_selected(n, &found->place, words);
	sq_unselect(n, &found->place);
	l = nr && words[0] < ARRAY_SIZE(layouts) ? &layouts[words[0]] : NULL;
	if (!l || !sq_is_halted(l, words, hit->vmid))
		return -ESRCH;
	hit->pc = words_to_u64(&words[WORD_PC]);
	hit->exec = words_to_u64(&words[WORD_EXEC]);
	hit->slots = sq_slots(words[0], words[l->traps]);
	hit->valid |= GPUBP_HITF_PC | GPUBP_HITF_EXEC | GPUBP_HITF_SLOTS;
	return 0;
}

/* ---- registers ----------------------------------------------------------- */

static void sq_read_vector(struct gpubp_amd_node *n,
			   const struct gpubp_amd_place *place,
			   const struct gpubp_reg_req *req, u32 *out)
{
	struct amdgpu_device *adev = n->node->adev;
	u64 left = req->lanes ?: U64_MAX;
	unsigned int lane, i;
	u32 values[256];

	memset(out, 0, req->count * GPUBP_MAX_LANES * sizeof(*out));
	for (; left; left &= left - 1) {
		lane = __ffs64(left);
		adev->gfx.funcs->read_wave_vgprs(adev, place->xcc,
						 sq_simd(n, place), place->wave,
						 lane, req->first, req->count,
						 values);
		for (i = 0; i < req->count; i++)
			out[i * GPUBP_MAX_LANES + lane] = values[i];
	}
}

/*
 * Control registers by number: their words in the layout of gfx9, the only ISA
 * that the core gets. None is at 0.
 */
static const u8 control_words[] = {
	[1] = 15,	/* MODE */
	[2] = 1,	/* STATUS */
	[3] = 11,	/* TRAPSTS */
	[4] = 6,	/* HW_ID */
	[5] = 9,	/* GPR_ALLOC */
	[6] = 10,	/* LDS_ALLOC */
	[7] = 12,	/* IB_STS */
	[8] = 2,	/* PC_LO */
	[9] = 3,	/* PC_HI */
};

static void sq_read_control(struct gpubp_amd_node *n,
			    const struct gpubp_amd_place *place,
			    const struct gpubp_reg_req *req, u32 *out)
{
	u32 words[MAX_WORDS] = {};
	unsigned int i;

	sq_read_selected(n, place, words);
	for (i = 0; i < req->count; i++)
		out[i] = words[control_words[req->first + i]];
}

/* returns the number of words written */
static unsigned int sq_read_regs(struct gpubp_amd_node *n,
				 const struct gpubp_amd_place *place,
				 const struct gpubp_reg_req *req, u32 *out)
{
	struct amdgpu_device *adev = n->node->adev;

	if (req->file == GPUBP_REG_VECTOR) {
		sq_read_vector(n, place, req, out);
		return req->count * GPUBP_MAX_LANES;
	}
	if (req->file == GPUBP_REG_CONTROL) {
		sq_read_control(n, place, req, out);
		return req->count;
	}
	adev->gfx.funcs->read_wave_sgprs(adev, place->xcc, sq_simd(n, place),
					 place->wave, req->first, req->count,
					 out);
	return req->count;
}

/* by it a wave was found to be there: it has this value */
static bool sq_is_mark(const struct gpubp_amd_node *n,
		       const struct gpubp_reg_req *req, unsigned int nr)
{
	return n->isa && nr == 1 && req->count == 1 &&
	       req->file == n->isa->mark_reg.file &&
	       req->first == n->isa->mark_reg.first;
}

static void sq_read_all(struct gpubp_amd_node *n, const struct gpubp_amd_found *wave,
			const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	unsigned int i;

	if (sq_is_mark(n, req, nr)) {
		*out = wave->mark.record;
		return;
	}
	sq_select_place(n, &wave->place);
	for (i = 0; i < nr; i++)
		out += sq_read_regs(n, &wave->place, &req[i], out);
	sq_unselect_place(n, &wave->place);
}

/**
 * gpubp_amd_sq_read() - read registers of a halted wave
 * @n: node
 * @wave: which wave, and where
 * @req: requests that passed gpubp_amd_sq_has()
 * @nr: number of requests
 * @out: (out) values
 *
 * Return: false if it is not there any more.
 */
bool gpubp_amd_sq_read(struct gpubp_amd_node *n, struct gpubp_amd_found *wave,
		       const struct gpubp_reg_req *req, unsigned int nr,
		       u32 *out)
{
	bool there;

	sq_begin(n);
	there = sq_is_there(n, wave);
	if (there)
		sq_read_all(n, wave, req, nr, out);
	sq_end(n);
	return there;
}

static unsigned int sq_nr_regs(enum gpubp_regfile file)
{
	switch (file) {
	case GPUBP_REG_SCALAR:
		return 128;
	case GPUBP_REG_VECTOR:
		return 512;
	default:
		return ARRAY_SIZE(control_words);
	}
}

/**
 * gpubp_amd_sq_has() - check register numbers, as amdgpu does not
 * @req: requests
 * @nr: number of requests
 */
bool gpubp_amd_sq_has(const struct gpubp_reg_req *req, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (req[i].first + req[i].count > sq_nr_regs(req[i].file) ||
		    (req[i].file == GPUBP_REG_CONTROL && !req[i].first))
			return false;
	return true;
}

static u32 sq_place_index(struct gpubp_amd_node *n,
			  const struct gpubp_amd_place *place)
{
	const u32 *f = n->gen->field;
	u32 instance = sq_simd_in_instance(n) ?
		       place->cu << 2 | place->simd : place->cu;

	return gpubp_amd_put(f[AMD_F_GRBM_SE], place->se) |
	       gpubp_amd_put(f[AMD_F_GRBM_SH], place->sh) |
	       gpubp_amd_put(f[AMD_F_GRBM_INSTANCE], instance);
}

/* resumes a wave of that VMID only: another wave may be in the slot now */
static u32 sq_resume_command(struct gpubp_amd_node *n,
			     const struct gpubp_amd_place *place, u32 vmid)
{
	const u32 *f = n->gen->field;

	return gpubp_amd_put(f[AMD_F_CMD_CMD], SQ_CMD_SETHALT) |
	       gpubp_amd_put(f[AMD_F_CMD_DATA], 0) |
	       f[AMD_F_CMD_CHECK_VMID] |
	       gpubp_amd_put(f[AMD_F_CMD_VMID], vmid) |
	       gpubp_amd_put(f[AMD_F_CMD_SIMD], place->simd) |
	       gpubp_amd_put(f[AMD_F_CMD_WAVE], place->wave);
}

/**
 * gpubp_amd_sq_resume() - resume a halted wave
 * @n: node
 * @wave: which wave, and where
 *
 * A wave that the firmware is saving is halted in a handler: it would be saved as
 * halted. Return: false if it is not there any more, or in a handler.
 */
bool gpubp_amd_sq_resume(struct gpubp_amd_node *n, struct gpubp_amd_found *wave)
{
	const struct gpubp_amd_place *place = &wave->place;
	bool there;

	sq_begin(n);
	there = sq_is_there(n, wave) &&
		(!wave->in_handler || sq_has_left_handler(n, place));
	if (there)
		n->node->kfd2kgd->wave_control_execute(n->node->adev,
			sq_place_index(n, place),
			sq_resume_command(n, place, wave->mark.vmid),
			place->xcc);
	sq_end(n);
	return there;
}
