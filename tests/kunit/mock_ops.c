// SPDX-License-Identifier: GPL-2.0
/* The mock's ops: memory, registers, ownership of comparators. */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "mock.h"

/* tests run in other threads: keep the complaint for mock_exit() */
void mock_complain(struct mock *m, const char *fmt, ...)
{
	va_list args;

	if (atomic_inc_return(&m->nr_complaints) > 1)
		return;
	va_start(args, fmt);
	vsnprintf(m->complaint, sizeof(m->complaint), fmt, args);
	va_end(args);
}

/* ops may sleep and take locks that are held around calls into the core */
void mock_check_caller(struct mock *m, const char *op)
{
	might_sleep();
#ifdef CONFIG_LOCKDEP
	if (debug_locks && current->lockdep_depth)
		mock_complain(m, "%s called with a lock held", op);
#endif
}

void mock_check_ctx(struct mock_ctx *c, const char *op)
{
	mock_check_caller(c->m, op);
	if (!READ_ONCE(c->alive))
		mock_complain(c->m, "%s for a destroyed context", op);
}

static int mock_acquire(void *priv, u32 slots)
{
	struct mock *m = priv;

	mock_check_caller(m, "acquire");
	if (m->busy)
		return m->busy;
	slots &= ~m->elsewhere;
	m->acquired |= slots;
	return slots;
}

/* slots of contexts that are not being destroyed */
static u32 slots_comparing(struct mock *m)
{
	unsigned int i;
	u32 slots = 0;

	guard(mutex)(&m->lock);
	for (i = 0; i < m->nr_ctxs; i++)
		if (m->ctxs[i].alive && !m->ctxs[i].unmap)
			slots |= m->ctxs[i].valid;
	return slots;
}

static void mock_release(void *priv, u32 slots)
{
	struct mock *m = priv;
	u32 comparing = slots_comparing(m);

	mock_check_caller(m, "release");
	if (comparing)
		mock_complain(m, "released while slots %x compare", comparing);
	m->acquired &= ~slots;
}

static int alloc_zeroed(u8 **mem, size_t *has, size_t size)
{
	*mem = kvzalloc(size, GFP_KERNEL);
	*has = *mem ? size : 0;
	return *mem ? 0 : -ENOMEM;
}

static void free_once(u8 **mem, size_t *has)
{
	*has = 0;
	kvfree(*mem);
	*mem = NULL;
}

/* the handler is first, and stays: what follows is the ring */
static int mock_code_alloc(void *ctx, size_t size, u64 *va)
{
	struct mock_ctx *c = ctx;
	bool ring = c->code_size && c->m->dev->desc.caps.records;

	mock_check_ctx(c, "code_alloc");
	atomic_inc(&c->code_allocs);
	if (c->m->in_code_alloc)
		c->m->in_code_alloc(c->m);
	if (c->code_err)
		return c->code_err;
	if (ring ? c->ring_size : c->code_size)
		mock_complain(c->m, "a second %s in one context",
			      ring ? "ring" : "handler");
	*va = ring ? MOCK_RING_VA : MOCK_HANDLER_VA;
	return ring ? alloc_zeroed(&c->ring, &c->ring_size, size) :
		      alloc_zeroed(&c->code, &c->code_size, size);
}

static void mock_code_free(void *ctx, u64 va)
{
	struct mock_ctx *c = ctx;

	mock_check_ctx(c, "code_free");
	if (va == MOCK_RING_VA && c->ring_size) {
		free_once(&c->ring, &c->ring_size);
		return;
	}
	if (va != MOCK_HANDLER_VA || !c->code_size || c->tma)
		mock_complain(c->m,
			      "code_free of memory in use or not allocated");
	free_once(&c->code, &c->code_size);
}

static void *mock_code_map(void *ctx, u64 va)
{
	struct mock_ctx *c = ctx;

	mock_check_ctx(c, "code_map");
	if (c->on_map)
		c->on_map(c);
	if (c->map_broken)
		return NULL;
	if (va - MOCK_RING_VA < c->ring_size)
		return c->ring + (va - MOCK_RING_VA);
	return va - MOCK_HANDLER_VA < c->code_size ?
	       c->code + (va - MOCK_HANDLER_VA) : NULL;
}

/* the image, but for the words that check what it decides, if @checked */
static bool is_image(const u8 *code, const u32 *image, u32 nr,
		     const u32 *checks, u32 nr_checks, bool checked)
{
	u32 i, c;

	for (i = 0; i < nr; i++) {
		u32 want = image[i];

		for (c = 0; checked && c < nr_checks; c += 2)
			if (checks[c] == i * sizeof(u32))
				want = checks[c + 1];
		if (get_unaligned_le32(code + i * sizeof(u32)) != want)
			return false;
	}
	return true;
}

static bool is_handler(const struct mock_ctx *c)
{
	const struct gpubp_handler *h = gpubp_isa_gfx90a.handler;
	bool checked = READ_ONCE(c->m->checked);

	if (c->ctx->dev->desc.caps.trap_level == GPUBP_TRAP_SECOND)
		return is_image(c->code, h->second, h->nr_second,
				h->second_checks, h->nr_second_checks, checked);
	return is_image(c->code, h->image, h->nr_words, h->checks, h->nr_checks,
			checked);
}

static int mock_trap_install(void *ctx, u64 tba, u64 tma)
{
	const struct gpubp_handler *h = gpubp_isa_gfx90a.handler;
	struct mock_ctx *c = ctx;

	mock_check_ctx(c, "trap_install");
	if (c->tma)
		mock_complain(c->m, "a second trap_install");
	if (tba != MOCK_HANDLER_VA || tma <= tba || tma % h->align)
		mock_complain(c->m, "handler at %llx, memory at %llx", tba, tma);
	if (!is_handler(c))
		mock_complain(c->m, "not the handler's code");
	WRITE_ONCE(c->tma, tma);
	return 0;
}

static void mock_trap_remove(void *ctx)
{
	struct mock_ctx *c = ctx;

	mock_check_ctx(c, "trap_remove");
	if (!c->tma)
		mock_complain(c->m, "trap_remove without trap_install");
	WRITE_ONCE(c->tma, 0);
}

static u8 *find_in(u64 va, size_t *len, u64 start, u8 *mem, size_t size)
{
	if (va < start || va - start >= size)
		return NULL;
	*len = min_t(u64, *len, start + size - va);
	return mem + (va - start);
}

/* the memory at @va; limits @len to the bytes that exist */
static u8 *find_mem(struct mock_ctx *c, u64 va, size_t *len)
{
	u8 *mem = find_in(va, len, MOCK_VA, c->mem, MOCK_SIZE);

	if (mem || READ_ONCE(c->m->mem_broken) || READ_ONCE(c->mem_broken))
		return mem;
	return find_in(va, len, MOCK_HANDLER_VA, c->code, c->code_size) ?:
	       find_in(va, len, MOCK_RING_VA, c->ring, c->ring_size);
}

/* the only part of a place that is the core's */
static bool is_checked_place(const struct mock_ctx *c, u64 va, size_t len)
{
	const struct gpubp_handler *h = gpubp_isa_gfx90a.handler;

	return READ_ONCE(c->m->checked) && len == sizeof(u64) &&
	       (va - MOCK_RING_VA) % h->place_size == h->place_memory;
}

static ssize_t mock_mem_rw(void *ctx, const struct gpubp_where *where,
			   void *buf, size_t len, unsigned int how)
{
	bool write = how & GPUBP_MEM_WRITE;
	struct mock_ctx *c = ctx;
	u64 va = where->va;
	u8 *mem;

	mock_check_ctx(c, "mem_rw");
	if (where->space != GPUBP_SPACE_GLOBAL)
		return -EOPNOTSUPP;
	if (va >= MOCK_HANDLER_VA && atomic_dec_if_positive(&c->m->mem_busy) >= 0)
		return -EAGAIN;
	mem = find_mem(c, va, &len);
	if (!mem)
		return -EFAULT;
	if (write && va < MOCK_HANDLER_VA)
		mock_complain(c->m, "the core wrote to a program's memory");
	if (write && va >= MOCK_RING_VA && !is_checked_place(c, va, len))
		mock_complain(c->m, "the core wrote to a place of the ring");
	if (write)
		memcpy(mem, buf, len);
	else
		memcpy(buf, mem, len);
	return len;
}

static int mock_flush(void *ctx, u32 what, unsigned int timeout_ms)
{
	struct mock_ctx *c = ctx;

	mock_check_ctx(c, "flush");
	return c->flush_err;
}

void mock_gate_close(struct mock *m)
{
	reinit_completion(&m->gate);
}

void mock_gate_open(struct mock *m)
{
	complete_all(&m->gate);
}

/* in mock.kept */
#define KEPT_STATUS	13
#define STATUS_PRIV	BIT(5)

/* what was not asked for is no value of the wave's */
static void spoil_other_lanes(const struct gpubp_reg_req *req, u32 *out)
{
	unsigned int i;

	for (i = 0; req->lanes && i < req->count * GPUBP_MAX_LANES; i++)
		if (!(req->lanes & BIT_ULL(i % GPUBP_MAX_LANES)))
			out[i] = ~out[i];
}

static int read_vectors(struct mock *m, const struct gpubp_reg_req *req,
			u32 **out)
{
	size_t size = req->count * sizeof(m->vgprs[0]);

	if (req->file != GPUBP_REG_VECTOR ||
	    req->first + req->count > ARRAY_SIZE(m->vgprs))
		return -EINVAL;
	memcpy(*out, m->vgprs[req->first], size);
	spoil_other_lanes(req, *out);
	*out += size / sizeof(u32);
	return 0;
}

/* the record that the handler stored for the wave, or a later one */
u32 mock_mark(const struct mock *m, unsigned int record)
{
	u32 seq = MOCK_SEQ + (READ_ONCE(m->wave_moved) ? 2 : 0);

	return gpubp_isa_gfx90a.record_mark(record, seq);
}

unsigned int mock_record(u64 wave)
{
	return wave % gpubp_isa_gfx90a.nr_records;
}

static int read_some(struct mock *m, u64 wave, const struct gpubp_reg_req *req,
		     u32 **out)
{
	if (memcmp(req, &gpubp_isa_gfx90a.mark_reg, sizeof(*req)))
		return read_vectors(m, req, out);
	*(*out)++ = mock_mark(m, mock_record(wave));
	return 0;
}

static bool is_record(const struct gpubp_reg_req *req, unsigned int nr)
{
	const struct gpubp_isa *isa = &gpubp_isa_gfx90a;

	return nr == isa->nr_record_regs &&
	       !memcmp(req, isa->record_regs, nr * sizeof(*req));
}

static int read_record(struct mock *m, u32 *out)
{
	memcpy(out, m->kept, sizeof(m->kept));
	if (m->restoring) {
		m->restoring--;
		out[KEPT_STATUS] |= STATUS_PRIV;
	}
	return 0;
}

static int mock_read_wave(void *priv, u64 wave,
			  const struct gpubp_reg_req *req, unsigned int nr,
			  u32 *out)
{
	struct mock *m = priv;
	int err = 0;

	mock_check_caller(m, "read_wave");
	atomic_inc(&m->at_gate);
	wait_for_completion(&m->gate);
	if (wave >= MOCK_WAVES || atomic_read(&m->done[wave]))
		mock_complain(m, "read_wave of a wave that was resumed");
	if (READ_ONCE(m->wave_gone))
		return -ESRCH;
	if (is_record(req, nr))
		return read_record(m, out);
	for (; nr && !err; nr--, req++)
		err = read_some(m, wave, req, &out);
	return err;
}

static void mock_hit_done(void *priv, const struct gpubp_hit *hit)
{
	struct mock *m = priv;

	if (m->in_hit_done)
		m->in_hit_done(m);
	if (hit->wave >= MOCK_WAVES)
		mock_complain(m, "hit_done of wave %llu", hit->wave);
	else
		atomic_inc(&m->done[hit->wave]);
}

/* waves read CLOCK_MONOTONIC, or whatever a test says */
static u64 mock_clock_ns(void *priv, u64 clock)
{
	return clock;
}

static void mock_quiesce_op(void *priv)
{
	struct mock *m = priv;

	mock_check_caller(m, "quiesce");
	m->quiesced++;
}

const struct gpubp_ops mock_ops = {
	.commit		= mock_commit,
	.acquire	= mock_acquire,
	.release	= mock_release,
	.trap_install	= mock_trap_install,
	.trap_remove	= mock_trap_remove,
	.code_alloc	= mock_code_alloc,
	.code_free	= mock_code_free,
	.code_map	= mock_code_map,
	.mem_rw		= mock_mem_rw,
	.flush		= mock_flush,
	.read_wave	= mock_read_wave,
	.hit_done	= mock_hit_done,
	.clock_ns	= mock_clock_ns,
	.quiesce	= mock_quiesce_op,
};
