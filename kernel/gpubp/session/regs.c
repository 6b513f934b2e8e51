// SPDX-License-Identifier: GPL-2.0
/*
 * Registers: a session reads registers of a stopped wave, and writes registers
 * of a wave that it holds, many in one call.
 *
 * The kernel controls what makes a wave trap. In such registers only those bits
 * are written that the wave's own code could change; the others are kept.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "entry.h"
#include "hold.h"
#include "regs.h"
#include "runctl.h"

static_assert((int)GPUBP_REGS_SCALAR == (int)GPUBP_REG_SCALAR);
static_assert((int)GPUBP_REGS_VECTOR == (int)GPUBP_REG_VECTOR);
static_assert((int)GPUBP_REGS_CONTROL == (int)GPUBP_REG_CONTROL);

#define MAX_COUNT	U8_MAX	/* registers of one request */

static unsigned int nr_lanes(const struct gpubp_isa *isa, u32 file)
{
	return file == GPUBP_REG_VECTOR ? isa->nr_lanes : 1;
}

static unsigned int nr_values(const struct gpubp_isa *isa,
			      const struct gpubp_reg_req *req, unsigned int nr)
{
	unsigned int n = 0;

	for (; nr; nr--, req++)
		n += req->count * nr_lanes(isa, req->file);
	return n;
}

/* how often a register of the pc is in @req */
static unsigned int count_pc_reg(const struct gpubp_isa *isa,
				 const struct gpubp_reg_req *req,
				 unsigned int nr, unsigned int reg)
{
	unsigned int n = 0;

	for (; nr; nr--, req++)
		n += req->file == isa->pc_reg.file && reg >= req->first &&
		     reg - req->first < req->count;
	return n;
}

/* 1: @req has each register of the pc once; 0: it has none; else -EINVAL */
static int has_pc(const struct gpubp_isa *isa, const struct gpubp_reg_req *req,
		  unsigned int nr)
{
	const struct gpubp_reg_req *pc = &isa->pc_reg;
	bool none = true, once = true;
	unsigned int i, n;

	for (i = 0; i < pc->count; i++) {
		n = count_pc_reg(isa, req, nr, pc->first + i);
		none &= !n;
		once &= n == 1;
	}
	return none ? 0 : once ? 1 : -EINVAL;
}

/* ---- registers of a wave ------------------------------------------------- */

/* address in @out of the value of a register of the pc, or NULL */
static u32 *pc_find_value(const struct gpubp_isa *isa,
			  const struct gpubp_reg_req *req, unsigned int nr,
			  u32 *out, unsigned int reg)
{
	for (; nr; out += nr_values(isa, req, 1), nr--, req++)
		if (req->file == isa->pc_reg.file && reg >= req->first &&
		    reg - req->first < req->count)
			return out + (reg - req->first);
	return NULL;
}

/* for a wave in an XOL buffer, show the pc in the program */
static void regs_show_pc(const struct gpubp_holder *holder,
			 const struct gpubp_reg_req *req, unsigned int nr,
			 u32 *out)
{
	const struct gpubp_isa *isa = holder->ctx->dev->desc.isa;
	u32 *lo = pc_find_value(isa, req, nr, out, isa->pc_reg.first);
	u32 *hi = pc_find_value(isa, req, nr, out, isa->pc_reg.first + 1);
	u64 pc;

	if (isa->pc_reg.count != 2 || !lo || !hi)
		return;
	pc = gpubp_pc_in_program(holder->ctx, *lo | (u64)*hi << 32);
	*lo = lower_32_bits(pc);
	*hi = upper_32_bits(pc);
}

/**
 * regs_read() - read registers of a stopped wave
 * @holder: session and context
 * @wave: id of the wave
 * @req: requests
 * @nr: entries of @req
 * @out: (out) values
 *
 * Return: 0, -ESRCH, -EBADFD (the wave runs), -EINVAL.
 */
static int regs_read(const struct gpubp_holder *holder, u64 wave,
		     const struct gpubp_reg_req *req, unsigned int nr, u32 *out)
{
	const struct gpubp_device *dev = holder->ctx->dev;
	struct gpubp_wave_info info;
	int err;

	/* the op does not check that the wave belongs to this context */
	err = gpubp_wave_check_stopped(holder, wave, &info);
	if (err)
		return err;
	err = dev->ops.read_wave(dev->priv, wave, req, nr, out);
	if (!err)
		regs_show_pc(holder, req, nr, out);
	return err == -ESRCH ? gpubp_wave_missing_error(holder, wave) : err;
}

/* -EACCES: a register has no bits that may be written */
static int regs_keep_bits(const struct gpubp_isa *isa,
			  const struct gpubp_reg_req *req, u32 *in,
			  const u32 *old)
{
	unsigned int reg, lane, lanes = nr_lanes(isa, req->file);
	u32 mask;

	for (reg = 0; reg < req->count; reg++) {
		mask = isa->may_write(req->file, req->first + reg);
		if (!mask)
			return -EACCES;
		for (lane = 0; lane < lanes; lane++, in++, old++)
			*in = (*in & mask) | (*old & ~mask);
	}
	return 0;
}

static int regs_keep_all(const struct gpubp_isa *isa,
			 const struct gpubp_reg_req *req, unsigned int nr,
			 u32 *in, const u32 *old)
{
	unsigned int n;
	int err = 0;

	for (; !err && nr; nr--, req++) {
		err = regs_keep_bits(isa, req, in, old);
		n = nr_values(isa, req, 1);
		in += n;
		old += n;
	}
	return err;
}

/* 1: the pc is written; never in part, as the wave may be in an XOL buffer */
static int regs_check_pc(const struct gpubp_holder *holder, u64 wave,
			 const struct gpubp_reg_req *req, unsigned int nr)
{
	int pc = has_pc(holder->ctx->dev->desc.isa, req, nr);

	return pc > 0 && gpubp_hold_dstep(holder, wave) ? -EINPROGRESS : pc;
}

static int regs_write_locked(const struct gpubp_holder *holder, u64 wave,
			     const struct gpubp_reg_req *req, unsigned int nr,
			     u32 *in, u32 *old)
{
	struct gpubp_device *dev = holder->ctx->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	int err;

	guard(gpubp_wave_regs)(dev);
	err = dev->ops.read_wave(dev->priv, wave, req, nr, old);
	if (!err && isa->may_write)
		err = regs_keep_all(isa, req, nr, in, old);
	return err ?: dev->ops.write_wave(dev->priv, wave, req, nr, in);
}

/* a new pc also takes the wave out of the XOL buffer of a break */
static int regs_write_moving(const struct gpubp_holder *holder, u64 wave,
			     const struct gpubp_reg_req *req, unsigned int nr,
			     u32 *in, u32 *old)
{
	struct gpubp_ctx *ctx = holder->ctx;
	int err, with_pc = regs_check_pc(holder, wave, req, nr);
	u64 pc = 0;

	if (with_pc < 0)
		return with_pc;
	err = with_pc ? gpubp_pc_read(ctx->dev, wave, &pc) : 0;
	err = err ?: regs_write_locked(holder, wave, req, nr, in, old);
	if (err || !with_pc)
		return err;
	gpubp_pc_park(ctx, wave);
	guard(mutex)(&ctx->dev->lock);
	gpubp_xol_leave(ctx, pc);
	return 0;
}

/**
 * regs_write() - write registers of a wave that only this session holds
 * @holder: session and context
 * @wave: id of the wave
 * @req: requests
 * @nr: entries of @req
 * @in: values; updated to those that were written
 *
 * Return: 0; or, with nothing written, -ESRCH, -EBADFD, -EBUSY, -EINPROGRESS,
 * -EINVAL, -EACCES, -ENOMEM.
 */
static int regs_write(const struct gpubp_holder *holder, u64 wave,
		      const struct gpubp_reg_req *req, unsigned int nr, u32 *in)
{
	const struct gpubp_isa *isa = holder->ctx->dev->desc.isa;
	struct gpubp_wave_info info;
	u32 *old;
	int err;

	/*
	 * Fail early: reading a running wave may take long, and all users of
	 * the device share gpubp_wave_regs_lock().
	 */
	err = gpubp_wave_check_stopped(holder, wave, &info);
	if (err)
		return err;
	old = kvmalloc_array(nr_values(isa, req, nr), sizeof(*old),
			     GFP_KERNEL_ACCOUNT);
	if (!old)
		return -ENOMEM;
	err = gpubp_move_begin(holder, wave);
	if (!err) {
		err = regs_write_moving(holder, wave, req, nr, in, old);
		gpubp_move_end(holder, wave);
	}
	kvfree(old);
	return err;
}

/* ---- ioctls -------------------------------------------------------------- */

/**
 * struct bulk - registers of one call
 * @regs: argument of the ioctl
 * @req: requests
 * @nr: entries of @req
 * @values: the values
 */
struct bulk {
	const struct gpubp_regs *regs;
	struct gpubp_reg_req *req;
	unsigned int nr;
	u32 *values;
};

static int reg_range_check(const struct gpubp_reg_range *range)
{
	if (range->reserved || range->file > GPUBP_REGS_CONTROL ||
	    !range->count || range->count > GPUBP_REG_VALUES_MAX ||
	    range->first > U16_MAX ||
	    range->first + range->count > U16_MAX + 1)
		return -EINVAL;
	return 0;
}

/* split a range into requests: their count is a byte */
static void bulk_add_range(struct bulk *b, const struct gpubp_reg_range *range)
{
	u32 first = range->first, left = range->count;

	while (left) {
		u32 n = min(left, MAX_COUNT);

		b->req[b->nr++] = (struct gpubp_reg_req) {
			.file = range->file,
			.count = n,
			.first = first,
		};
		first += n;
		left -= n;
	}
}

static int bulk_add_ranges(struct bulk *b, const struct gpubp_reg_range *range)
{
	unsigned int i, nr = 0, count = 0, max = b->regs->nr_ranges;
	int err;

	for (i = 0; i < max; i++) {
		err = reg_range_check(&range[i]);
		if (err)
			return err;
		nr += DIV_ROUND_UP(range[i].count, MAX_COUNT);
		count += range[i].count;
	}
	/* so few registers that nr_values() cannot overflow */
	if (count > GPUBP_REG_VALUES_MAX)
		return -EINVAL;
	b->req = kvmalloc_array(nr, sizeof(*b->req), GFP_KERNEL_ACCOUNT);
	if (!b->req)
		return -ENOMEM;
	for (i = 0; i < max; i++)
		bulk_add_range(b, &range[i]);
	return 0;
}

static int bulk_copy_ranges(struct bulk *b)
{
	struct gpubp_reg_range *range;
	int err;

	range = gpubp_entries_get(b->regs->ranges, b->regs->nr_ranges,
				  b->regs->entry_len, sizeof(*range));
	if (IS_ERR(range))
		return PTR_ERR(range);
	err = bulk_add_ranges(b, range);
	kvfree(range);
	return err;
}

static int regs_check_args(const struct gpubp_regs *r)
{
	if (r->reserved || !r->nr_ranges ||
	    r->nr_ranges > GPUBP_REG_RANGES_MAX || !r->nr_values ||
	    r->nr_values > GPUBP_REG_VALUES_MAX)
		return -EINVAL;
	return 0;
}

static int bulk_init(struct bulk *b, const struct gpubp_regs *r)
{
	int err = regs_check_args(r);

	*b = (struct bulk) { .regs = r };
	if (err)
		return err;
	b->values = kvcalloc(r->nr_values, sizeof(*b->values),
			     GFP_KERNEL_ACCOUNT);
	return b->values ? bulk_copy_ranges(b) : -ENOMEM;
}

static void bulk_exit(struct bulk *b)
{
	kvfree(b->values);
	kvfree(b->req);
}

static int bulk_check_isa(const struct gpubp_ctx *ctx, const struct bulk *b)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;

	if (!isa)
		return -EOPNOTSUPP;
	return nr_values(isa, b->req, b->nr) == b->regs->nr_values ? 0 :
								     -EINVAL;
}

static int regs_run_cmd(struct gpubp_session *session, struct bulk *b,
			u32 right)
{
	const struct gpubp_regs *r = b->regs;
	struct gpubp_holder holder;
	int err = gpubp_runctl_begin(session, r->event, right, r->context,
				     &holder);

	if (err)
		return err;
	err = bulk_check_isa(holder.ctx, b);
	if (!err)
		err = right == GPUBP_RIGHT_WRITE ?
		      regs_write(&holder, r->wave, b->req, b->nr, b->values) :
		      regs_read(&holder, r->wave, b->req, b->nr, b->values);
	gpubp_runctl_end(&holder);
	return err;
}

/** gpubp_read_regs_cmd() - GPUBP_READ_REGS */
long gpubp_read_regs_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_regs *r = arg;
	struct bulk b;
	int err = bulk_init(&b, r);

	err = err ?: regs_run_cmd(session, &b, GPUBP_RIGHT_READ);
	if (!err && copy_to_user(u64_to_user_ptr(r->values), b.values,
				 r->nr_values * sizeof(*b.values)))
		err = -EFAULT;
	bulk_exit(&b);
	return err;
}

/** gpubp_write_regs_cmd() - GPUBP_WRITE_REGS */
long gpubp_write_regs_cmd(struct gpubp_session *session, void *arg)
{
	const struct gpubp_regs *r = arg;
	struct bulk b;
	int err = bulk_init(&b, r);

	if (!err && copy_from_user(b.values, u64_to_user_ptr(r->values),
				   r->nr_values * sizeof(*b.values)))
		err = -EFAULT;
	err = err ?: regs_run_cmd(session, &b, GPUBP_RIGHT_WRITE);
	bulk_exit(&b);
	return err;
}
