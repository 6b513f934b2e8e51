// SPDX-License-Identifier: GPL-2.0
/*
 * Waves in memory: those of a context that is off the GPU, and their registers.
 *
 * They do not move while the context stays off; the KFD may destroy queues of a process
 * that ends. Their records are the process's memory: what is there may make no sense,
 * and harms only its own waves.
 */
#include <linux/delay.h>
#include <linux/mm.h>

#include "amdgpu.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "kfd_device_queue_manager.h"
#include "v9_structs.h"

#include "compat.h"
#include "wave.h"

/* some milliseconds: the process may be changing its mappings */
#define COPY_TRIES	16

#define SCALAR_TTMP0		108
#define SCALAR_TTMP7		(SCALAR_TTMP0 + 7)

/* bits that hardware derives, those of amdkfd's handler, and the one that halts a wave */
#define STATUS_KEPT	(SQ_WAVE_STATUS__SPI_PRIO_MASK | SQ_WAVE_STATUS__PRIV_MASK |	\
			 SQ_WAVE_STATUS__EXECZ_MASK | SQ_WAVE_STATUS__VCCZ_MASK |	\
			 SQ_WAVE_STATUS__IN_TG_MASK | SQ_WAVE_STATUS__IN_BARRIER_MASK |	\
			 SQ_WAVE_STATUS__HALT_MASK | SQ_WAVE_STATUS__VALID_MASK |	\
			 SQ_WAVE_STATUS__ECC_ERR_MASK)

static struct gpubp_amd_area queue_area(const struct queue *q)
{
	const struct v9_mqd *mqd = q->mqd;

	return (struct gpubp_amd_area){
		.base = q->properties.ctx_save_restore_area_address,
		.size = q->properties.ctx_save_restore_area_size,
		.stack_size = mqd->cp_hqd_cntl_stack_size,
		.stack_offset = mqd->cp_hqd_cntl_stack_offset,
		.state_offset = mqd->cp_hqd_wg_state_offset,
	};
}

/* the stack is one page behind the descriptor; DQM's lock is held */
static unsigned int queue_list_saved(const struct gpubp_amd_ctx *ctx, const struct queue *q,
				     struct gpubp_amd_saved_wave *out, unsigned int max)
{
	u32 doorbell = gpubp_amd_doorbell(gpubp_amd_pasid(ctx->pdd), q->doorbell_id);
	const u32 *stack = (const u32 *)((const u8 *)q->mqd + PAGE_SIZE);
	struct gpubp_amd_area area = queue_area(q);
	struct gpubp_amd_walk walk;
	unsigned int nr = 0;

	if (q->properties.type != KFD_QUEUE_TYPE_COMPUTE ||
	    area.stack_size > q->properties.ctl_stack_size ||
	    !gpubp_amd_walk_begin(&walk, &area, stack))
		return 0;
	while (nr < max && gpubp_amd_walk_next(&walk, &out[nr].rec))
		out[nr++].doorbell = doorbell;
	return nr;
}

/**
 * gpubp_amd_saved_list() - the waves of a context in memory
 * @ctx: context, all queues of which are off the GPU
 * @out: (out) waves; the caller frees them with kvfree(), also after an error
 *
 * May sleep. Return: their number, or -ENOMEM.
 */
int gpubp_amd_saved_list(struct gpubp_amd_ctx *ctx, struct gpubp_amd_saved_wave **out)
{
	struct device_queue_manager *dqm = ctx->node->node->dqm;
	unsigned int max = gpubp_amd_nr_waves(ctx->node->node), nr = 0;
	struct queue *q;

	*out = kvmalloc_array(max, sizeof(**out), GFP_KERNEL);
	if (!*out)
		return -ENOMEM;
	dqm_lock(dqm);
	list_for_each_entry(q, &ctx->pdd->qpd.queues_list, list)
		nr += queue_list_saved(ctx, q, *out + nr, max - nr);
	dqm_unlock(dqm);
	return nr;
}

/* ---- registers ----------------------------------------------------------- */

/* Return: 0; -EBUSY: not now; -ESRCH: the memory is gone. */
static int saved_copy(struct gpubp_amd_ctx *ctx, u64 va, void *buf, size_t len,
		      unsigned int how)
{
	const struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = va };
	unsigned int tries;
	ssize_t n;

	for (tries = 0; tries < COPY_TRIES; tries++) {
		n = gpubp_amd_mem_rw(ctx, &where, buf, len, how | GPUBP_AMD_MEM_FAULT);
		if (n != -EAGAIN)
			return n == len ? 0 : -ESRCH;
		usleep_range(200, 500);
	}
	return -EBUSY;
}

/** gpubp_amd_saved_tail() - read the state in a record; -EBUSY, -ESRCH; may sleep */
int gpubp_amd_saved_tail(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 struct gpubp_amd_tail *tail)
{
	return saved_copy(ctx, gpubp_amd_record_tail(rec), tail, sizeof(*tail), 0);
}

/** gpubp_amd_tail_pc() - where a wave in memory is */
u64 gpubp_amd_tail_pc(const struct gpubp_amd_tail *tail)
{
	return tail->hwreg[GPUBP_AMD_HWREG_PC_LO] |
	       (u64)(tail->hwreg[GPUBP_AMD_HWREG_PC_HI] & 0xffff) << 32;
}

/** gpubp_amd_tail_is_halted() - is it restored as halted */
bool gpubp_amd_tail_is_halted(const struct gpubp_amd_tail *tail)
{
	return tail->hwreg[GPUBP_AMD_HWREG_STATUS] & SQ_WAVE_STATUS__HALT_MASK;
}

/** gpubp_amd_code_is() - is @insn at @pc; may sleep */
bool gpubp_amd_code_is(struct gpubp_amd_ctx *ctx, u64 pc, u32 insn)
{
	const struct gpubp_where where = { .space = GPUBP_SPACE_GLOBAL, .va = pc };
	u32 word;

	return gpubp_amd_mem_rw(ctx, &where, &word, sizeof(word), 0) == sizeof(word) &&
	       word == insn;
}

/** gpubp_amd_req_values() - number of values of a request */
unsigned int gpubp_amd_req_values(const struct gpubp_reg_req *req)
{
	return req->count * (req->file == GPUBP_REG_VECTOR ? GPUBP_MAX_LANES : 1);
}

/* what is not in the record: positions are those of no wave */
static u32 saved_derived(const struct gpubp_amd_record *rec, unsigned int reg)
{
	switch (reg) {
	case GPUBP_AMD_CONTROL_GPR_ALLOC:
		return gpubp_amd_record_gpr_alloc(rec);
	case GPUBP_AMD_CONTROL_LDS_ALLOC:
		return gpubp_amd_record_lds_alloc(rec);
	default:
		return 0;
	}
}

static int saved_read_one(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			  u8 file, unsigned int reg, u32 *out)
{
	s32 offset = gpubp_amd_record_offset(rec, file, reg);
	unsigned int lanes = file == GPUBP_REG_VECTOR ? GPUBP_MAX_LANES : 1;
	int err;

	if (offset < 0) {
		*out = file == GPUBP_REG_CONTROL ? saved_derived(rec, reg) : 0;
		return 0;
	}
	err = saved_copy(ctx, rec->at + offset, out, lanes * sizeof(*out), 0);
	if (file == GPUBP_REG_CONTROL && reg == GPUBP_AMD_CONTROL_STATUS)
		*out &= ~SQ_WAVE_STATUS__PRIV_MASK;
	return err;
}

/**
 * gpubp_amd_saved_read() - read registers of a wave in memory
 * @ctx: its context
 * @rec: wave
 * @req: request; a register that is not saved is 0
 * @out: (out) values
 *
 * May sleep. Return: 0, -EBUSY (not now), -ESRCH (its memory is gone).
 */
int gpubp_amd_saved_read(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 const struct gpubp_reg_req *req, u32 *out)
{
	unsigned int i, step = gpubp_amd_req_values(req) / (req->count ?: 1);
	int err = 0;

	for (i = 0; i < req->count && !err; i++, out += step)
		err = saved_read_one(ctx, rec, req->file, req->first + i, out);
	return err;
}

/**
 * gpubp_amd_reg_merge() - what a register has after a write
 * @n: node
 * @file: enum gpubp_regfile
 * @reg: number
 * @old: what it had
 * @value: what is written
 */
u32 gpubp_amd_reg_merge(const struct gpubp_amd_node *n, u8 file, unsigned int reg,
			u32 old, u32 value)
{
	u32 kept = 0;

	if (file == GPUBP_REG_SCALAR && reg == SCALAR_TTMP0 + n->gen->ttmp_kept)
		kept = n->gen->ttmp_kept_bits;
	else if (file == GPUBP_REG_CONTROL && reg == GPUBP_AMD_CONTROL_STATUS)
		kept = STATUS_KEPT;
	else if (file == GPUBP_REG_CONTROL && reg == GPUBP_AMD_CONTROL_TRAPSTS)
		kept = SQ_WAVE_TRAPSTS__SAVECTX_MASK;
	else if (file == GPUBP_REG_CONTROL && reg == GPUBP_AMD_CONTROL_PC_LO)
		value &= ~3u;
	else if (file == GPUBP_REG_CONTROL && reg == GPUBP_AMD_CONTROL_PC_HI)
		value &= 0xffff;
	else if (file == GPUBP_REG_CONTROL && reg != GPUBP_AMD_CONTROL_MODE)
		kept = ~0u;
	return (old & kept) | (value & ~kept);
}

/** gpubp_amd_saved_set() - write all bits of a register; as gpubp_amd_saved_read() */
int gpubp_amd_saved_set(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			u8 file, unsigned int reg, u32 value)
{
	return saved_copy(ctx, rec->at + gpubp_amd_record_offset(rec, file, reg), &value,
			  sizeof(value), GPUBP_MEM_WRITE);
}

/** gpubp_amd_saved_halt() - whether a wave in memory is halted when it is restored */
int gpubp_amd_saved_halt(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 bool halt)
{
	struct gpubp_amd_tail tail;
	u32 status;
	int err = gpubp_amd_saved_tail(ctx, rec, &tail);

	if (err)
		return err;
	status = tail.hwreg[GPUBP_AMD_HWREG_STATUS] & ~SQ_WAVE_STATUS__HALT_MASK;
	return gpubp_amd_saved_set(ctx, rec, GPUBP_REG_CONTROL, GPUBP_AMD_CONTROL_STATUS,
				   status | (halt ? SQ_WAVE_STATUS__HALT_MASK : 0));
}

/** gpubp_amd_saved_name() - give a wave in memory its name; as gpubp_amd_saved_set() */
int gpubp_amd_saved_name(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			 u64 id)
{
	return gpubp_amd_saved_set(ctx, rec, GPUBP_REG_SCALAR, SCALAR_TTMP7,
				   lower_32_bits(id));
}

static int saved_write_one(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			   u8 file, unsigned int reg, const u32 *in)
{
	s32 offset = gpubp_amd_record_offset(rec, file, reg);
	u32 old;
	int err;

	if (offset < 0)
		return 0;
	if (file == GPUBP_REG_VECTOR)
		return saved_copy(ctx, rec->at + offset, (void *)in,
				  GPUBP_MAX_LANES * sizeof(*in), GPUBP_MEM_WRITE);
	err = saved_copy(ctx, rec->at + offset, &old, sizeof(old), 0);
	return err ?: gpubp_amd_saved_set(ctx, rec, file, reg,
					  gpubp_amd_reg_merge(ctx->node, file, reg,
							      old, *in));
}

/**
 * gpubp_amd_saved_write() - write registers of a wave in memory
 * @ctx: its context
 * @rec: wave
 * @req: request, see gpubp_amd_record_has()
 * @in: values
 *
 * As gpubp_amd_saved_read().
 */
int gpubp_amd_saved_write(struct gpubp_amd_ctx *ctx, const struct gpubp_amd_record *rec,
			  const struct gpubp_reg_req *req, const u32 *in)
{
	unsigned int i, step = gpubp_amd_req_values(req) / (req->count ?: 1);
	int err = 0;

	for (i = 0; i < req->count && !err; i++, in += step)
		err = saved_write_one(ctx, rec, req->file, req->first + i, in);
	return err;
}

/* ---- which wave it is ---------------------------------------------------- */

/** gpubp_amd_mark_set() - what tells a wave of @n from others, by ttmp4 to ttmp11 */
void gpubp_amd_mark_set(const struct gpubp_amd_node *n, struct gpubp_amd_mark *mark,
			const u32 ttmp4[GPUBP_AMD_MARK_REGS])
{
	mark->record = ttmp4[0];
	mark->own[0] = ttmp4[2] & n->gen->ttmp6_own;
	memcpy(&mark->own[1], &ttmp4[4], 3 * sizeof(u32));
	mark->own[4] = ttmp4[7] & n->gen->ttmp11_own;
	mark->name = ttmp4[3];
}

/** gpubp_amd_tail_mark() - likewise, of a wave in memory, with its queue */
struct gpubp_amd_mark gpubp_amd_tail_mark(const struct gpubp_amd_node *n,
					  const struct gpubp_amd_tail *tail, u32 doorbell)
{
	struct gpubp_amd_mark mark = { .doorbell = doorbell };

	gpubp_amd_mark_set(n, &mark, &tail->ttmp[4]);
	return mark;
}

static bool mark_may_be_wave(const struct gpubp_amd_mark *a, const struct gpubp_amd_mark *b)
{
	return !memcmp(a->own, b->own, sizeof(a->own)) &&
	       (a->doorbell == b->doorbell || !a->doorbell || !b->doorbell);
}

/** gpubp_amd_mark_is_wave() - are these of one wave, perhaps at two times */
bool gpubp_amd_mark_is_wave(const struct gpubp_amd_mark *a, const struct gpubp_amd_mark *b)
{
	return a->name == b->name && mark_may_be_wave(a, b);
}

/**
 * gpubp_amd_mark_is_same() - are these of one stop of a wave
 * @a: mark
 * @b: mark
 *
 * A wave that our handler has stopped may get its name while its hit is reported.
 */
bool gpubp_amd_mark_is_same(const struct gpubp_amd_mark *a, const struct gpubp_amd_mark *b)
{
	return a->record == b->record && (a->record || a->name == b->name) &&
	       mark_may_be_wave(a, b);
}

/**
 * struct wanted - a wave to be found in memory
 * @ctx: its context
 * @mark: wave
 * @stopped: it is halted, with this mark
 * @rec: where it is, if it was found since the context went off; @rec.at is 0 else
 */
struct wanted {
	struct gpubp_amd_ctx *ctx;
	struct gpubp_amd_mark mark;
	bool stopped;
	struct gpubp_amd_record rec;
};

static bool wanted_get(struct gpubp_amd_node *n, u64 id, struct wanted *wanted)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, id);
	if (!w)
		return false;
	*wanted = (struct wanted){
		.ctx = w->ctx, .mark = w->at.mark,
		.stopped = gpubp_amd_wave_is_stopped(w),
	};
	if (w->rec_seq == w->ctx->off_seq)
		wanted->rec = w->rec;
	return true;
}

static int wanted_check(const struct wanted *wanted, u32 doorbell,
			const struct gpubp_amd_record *rec, struct gpubp_amd_tail *tail)
{
	struct gpubp_amd_mark mark;
	int err = gpubp_amd_saved_tail(wanted->ctx, rec, tail);

	if (err)
		return err;
	mark = gpubp_amd_tail_mark(wanted->ctx->node, tail, doorbell);
	return (wanted->stopped ? gpubp_amd_mark_is_same(&mark, &wanted->mark) :
				  gpubp_amd_mark_is_wave(&mark, &wanted->mark)) ?
	       0 : -ESRCH;
}

static int wanted_search(const struct wanted *wanted, struct gpubp_amd_record *rec,
			 struct gpubp_amd_tail *tail)
{
	struct gpubp_amd_saved_wave *saved;
	int i, err = -ESRCH, nr = gpubp_amd_saved_list(wanted->ctx, &saved);

	for (i = 0; i < nr && err == -ESRCH; i++) {
		*rec = saved[i].rec;
		err = wanted_check(wanted, saved[i].doorbell, rec, tail);
	}
	kvfree(saved);
	return nr < 0 ? nr : err;
}

static void wanted_keep(struct gpubp_amd_node *n, u64 id, const struct gpubp_amd_record *rec)
{
	struct gpubp_amd_wave *w;

	guard(spinlock)(&n->stop_lock);
	w = gpubp_amd_wave_find(n, id);
	if (!w)
		return;
	w->rec = *rec;
	w->rec_seq = w->ctx->off_seq;
}

/**
 * gpubp_amd_saved_find() - find a wave in memory
 * @n: node
 * @id: wave that is stopped or was listed; its context is off the GPU, and used
 * @rec: (out) where
 * @tail: (out) its state
 *
 * May sleep. Return: 0, -ESRCH, -EBUSY, -ENOMEM.
 */
int gpubp_amd_saved_find(struct gpubp_amd_node *n, u64 id, struct gpubp_amd_record *rec,
			 struct gpubp_amd_tail *tail)
{
	struct wanted wanted;
	int err;

	if (!wanted_get(n, id, &wanted))
		return -ESRCH;
	*rec = wanted.rec;
	if (rec->at && !wanted_check(&wanted, wanted.mark.doorbell, rec, tail))
		return 0;
	err = wanted_search(&wanted, rec, tail);
	if (!err)
		wanted_keep(n, id, rec);
	return err;
}
