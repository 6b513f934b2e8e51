// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: a session reads and writes memory of its target: what the context has
 * mapped, the LDS of a wave's workgroup, and private memory of a lane.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "hold.h"
#include "mem.h"
#include "runctl.h"

static_assert((int)GPUBP_MEM_SPACE_GLOBAL == (int)GPUBP_SPACE_GLOBAL);
static_assert((int)GPUBP_MEM_SPACE_LDS == (int)GPUBP_SPACE_LDS);
static_assert((int)GPUBP_MEM_SPACE_PRIVATE == (int)GPUBP_SPACE_PRIVATE);

#define FLUSH_MS	1000

static int mem_check(const struct gpubp_mem *m)
{
	bool global = m->space == GPUBP_MEM_SPACE_GLOBAL;

	if (!m->len || m->len > GPUBP_MEM_MAX || m->addr + m->len < m->addr ||
	    m->space > GPUBP_MEM_SPACE_PRIVATE || (global && m->wave) ||
	    (m->space != GPUBP_MEM_SPACE_PRIVATE && m->lane))
		return -EINVAL;
	return 0;
}

/* bytes of a space of a wave, fewer at its end; or an errno */
static ssize_t wave_mem_rw(const struct gpubp_holder *holder,
			   const struct gpubp_mem *m, void *buf,
			   unsigned int how)
{
	struct gpubp_ctx *ctx = holder->ctx;
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	struct gpubp_where where = {
		.space = m->space,
		.lane = m->lane,
		.wave = m->wave,
		.va = m->addr,
	};
	ssize_t n;

	if (isa && m->lane >= isa->nr_lanes)
		return -EINVAL;
	n = ctx->dev->ops.mem_rw(ctx->priv, &where, buf, m->len, how);
	return n == -ESRCH ? gpubp_wave_missing_error(holder, m->wave) : n;
}

static ssize_t wave_mem_read(const struct gpubp_holder *holder,
			     const struct gpubp_mem *m, void *buf)
{
	struct gpubp_wave_info info;
	int err = gpubp_wave_check_stopped(holder, m->wave, &info);

	return err ?: wave_mem_rw(holder, m, buf, GPUBP_MEM_WAIT);
}

/* private memory is in global memory, at addresses that the core does not know */
static ssize_t wave_mem_write(const struct gpubp_holder *holder,
			      const struct gpubp_mem *m, void *buf)
{
	ssize_t n = gpubp_move_begin(holder, m->wave);

	if (n)
		return n;
	n = wave_mem_rw(holder, m, buf, GPUBP_MEM_WAIT | GPUBP_MEM_WRITE);
	gpubp_move_end(holder, m->wave);
	guard(mutex)(&holder->ctx->dev->lock);
	gpubp_ctx_forget(holder->ctx, 0, U64_MAX);
	return n;
}

static int mem_flush(const struct gpubp_holder *holder,
		     const struct gpubp_mem *m, u32 what)
{
	struct gpubp_ctx *ctx = holder->ctx;

	return m->flags & GPUBP_MEM_FLUSH ?
	       ctx->dev->ops.flush(ctx->priv, what, FLUSH_MS) : 0;
}

static ssize_t mem_read(const struct gpubp_holder *holder,
			const struct gpubp_mem *m, void *buf)
{
	int err = mem_flush(holder, m, GPUBP_FLUSH_DATA);

	if (err)
		return err;
	return m->space == GPUBP_MEM_SPACE_GLOBAL ?
	       gpubp_program_read(holder->ctx, m->addr, buf, m->len,
				  GPUBP_MEM_WAIT) :
	       wave_mem_read(holder, m, buf);
}

static ssize_t mem_write(const struct gpubp_holder *holder,
			 const struct gpubp_mem *m, void *buf)
{
	ssize_t n = m->space == GPUBP_MEM_SPACE_GLOBAL ?
		    gpubp_program_write(holder->ctx, m->addr, buf, m->len) :
		    wave_mem_write(holder, m, buf);

	if (n < 0)
		return n;
	return mem_flush(holder, m, GPUBP_FLUSH_DATA | GPUBP_FLUSH_CODE) ?: n;
}

/*
 * Memory of the caller is accessed outside: a page that is not there must not keep a
 * context from being destroyed.
 */
static int mem_run(struct gpubp_session *session, struct gpubp_mem *m,
		   void *buf, u32 right)
{
	struct gpubp_holder holder;
	ssize_t n = gpubp_runctl_begin(session, m->event, right, m->context,
				       &holder);

	if (n)
		return n;
	n = right == GPUBP_RIGHT_WRITE ? mem_write(&holder, m, buf) :
					 mem_read(&holder, m, buf);
	gpubp_runctl_end(&holder);
	if (n < 0)
		return n;
	m->len = n;
	return 0;
}

/** gpubp_read_mem_cmd() - GPUBP_READ_MEM */
long gpubp_read_mem_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_mem *m = arg;
	int err = mem_check(m);
	void *buf;

	if (err)
		return err;
	buf = kvmalloc(m->len, GFP_KERNEL_ACCOUNT);
	if (!buf)
		return -ENOMEM;
	err = mem_run(session, m, buf, GPUBP_RIGHT_READ);
	if (!err && copy_to_user(u64_to_user_ptr(m->buf), buf, m->len))
		err = -EFAULT;
	kvfree(buf);
	return err;
}

/** gpubp_write_mem_cmd() - GPUBP_WRITE_MEM */
long gpubp_write_mem_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_mem *m = arg;
	int err = mem_check(m);
	void *buf;

	if (err)
		return err;
	buf = vmemdup_user(u64_to_user_ptr(m->buf), m->len);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	err = mem_run(session, m, buf, GPUBP_RIGHT_WRITE);
	kvfree(buf);
	return err;
}
