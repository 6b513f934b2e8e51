// SPDX-License-Identifier: GPL-2.0
/* SQ: registers of waves and commands to waves, by hardware location. */
#include "amdgpu.h"
#include "kfd_device_queue_manager.h"
#include "kfd_priv.h"

#include "provider.h"

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
 * amdkfd does both under this lock, debug_lock_and_unmap() included.
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

static void sq_select(struct gpubp_amd_node *n,
		      const struct gpubp_amd_place *place)
{
	struct amdgpu_device *adev = n->node->adev;
	u32 instance = sq_simd_in_instance(n) ?
		       place->cu << 2 | place->simd : place->cu;

	sq_begin(n);
	mutex_lock(&adev->grbm_idx_mutex);
	amdgpu_gfx_select_se_sh(adev, place->se, place->sh, instance,
				place->xcc);
}

static void sq_unselect(struct gpubp_amd_node *n,
			const struct gpubp_amd_place *place)
{
	struct amdgpu_device *adev = n->node->adev;

	amdgpu_gfx_select_se_sh(adev, ALL, ALL, ALL, place->xcc);
	mutex_unlock(&adev->grbm_idx_mutex);
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

static const struct layout *sq_read_words(struct gpubp_amd_node *n,
					  const struct gpubp_amd_place *place,
					  u32 words[MAX_WORDS])
{
	int nr;

	sq_select(n, place);
	nr = sq_read_selected(n, place, words);
	sq_unselect(n, place);
	return nr && words[0] < ARRAY_SIZE(layouts) ? &layouts[words[0]] : NULL;
}

static bool sq_is_halted(const struct layout *l, const u32 *words, u32 vmid)
{
	return words[l->halt_word] & BIT(l->halt_bit) &&
	       (words[l->hw_id] >> l->vmid_shift & 0xf) == vmid;
}

/**
 * gpubp_amd_sq_state() - read the state of a wave that stopped
 * @n: node
 * @place: location of the wave
 * @hit: @hit->vmid is used; pc, exec and slots are set, unless our handler
 *	has stored them in its record: the wave may be in the handler still
 *
 * Return: 0, or -ESRCH if no such wave is halted.
 */
int gpubp_amd_sq_state(struct gpubp_amd_node *n,
		       const struct gpubp_amd_place *place,
		       struct gpubp_hit *hit)
{
	u32 words[MAX_WORDS] = {};
	const struct layout *l = sq_read_words(n, place, words);

	if (!l || !sq_is_halted(l, words, hit->vmid))
		return -ESRCH;
	if (n->isa)
		return 0;
	hit->pc = words_to_u64(&words[WORD_PC]);
	hit->exec = words_to_u64(&words[WORD_EXEC]);
	hit->slots = sq_slots(words[0], words[l->traps]);
	hit->valid |= GPUBP_HITF_PC | GPUBP_HITF_EXEC | GPUBP_HITF_SLOTS;
	return 0;
}

static void sq_read_vector(struct gpubp_amd_node *n,
			   const struct gpubp_amd_place *place,
			   const struct gpubp_reg_req *req, u32 *out)
{
	struct amdgpu_device *adev = n->node->adev;
	unsigned int lane, i;
	u32 values[256];

	for (lane = 0; lane < GPUBP_MAX_LANES; lane++) {
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

/**
 * gpubp_amd_sq_read() - read registers of a halted wave
 * @n: node
 * @place: location of the wave
 * @req: requests that passed gpubp_amd_sq_has()
 * @nr: number of requests
 * @out: (out) values
 */
void gpubp_amd_sq_read(struct gpubp_amd_node *n,
		       const struct gpubp_amd_place *place,
		       const struct gpubp_reg_req *req, unsigned int nr,
		       u32 *out)
{
	unsigned int i;

	sq_select(n, place);
	for (i = 0; i < nr; i++)
		out += sq_read_regs(n, place, &req[i], out);
	sq_unselect(n, place);
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
 * @place: location of the wave
 * @vmid: its VMID
 */
void gpubp_amd_sq_resume(struct gpubp_amd_node *n,
			 const struct gpubp_amd_place *place, u32 vmid)
{
	struct amdgpu_device *adev = n->node->adev;

	sq_begin(n);
	n->node->kfd2kgd->wave_control_execute(adev, sq_place_index(n, place),
					       sq_resume_command(n, place,
								 vmid),
					       place->xcc);
	sq_end(n);
}
