// SPDX-License-Identifier: GPL-2.0
/* Instruction map: where instructions begin in published code objects. */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../core/core.h"
#include "insn_map.h"
#include "program_read.h"

#define CHUNK		4096	/* bytes of code read at a time */
#define MIN_SPAN	SZ_1K
#define MAX_SPANS	128	/* of an object of GPUBP_CODE_MAX */

/**
 * struct walk - decoding of one span
 * @ctx: context
 * @pc: address that is asked for
 * @id: gpubp_spans.id of the code object
 * @nr: number of the span
 * @at: where the next instruction to be decoded begins
 * @end: end of the span
 * @hash: hash of the instructions decoded so far
 * @chunk: CHUNK bytes for code
 */
struct walk {
	struct gpubp_ctx *ctx;
	u64 pc;
	u64 id;
	unsigned int nr;
	u64 at;
	u64 end;
	u32 hash;
	u8 *chunk;
};

/* ---- objects ------------------------------------------------------------- */

static u32 span_size(u64 size)
{
	return max_t(u32, MIN_SPAN, roundup_pow_of_two(size) / MAX_SPANS);
}

/**
 * gpubp_spans_alloc() - allocate the empty map of a new code object
 * @size: bytes of the object, not 0
 *
 * May sleep; charged to current. Return: the map, or NULL: no memory.
 */
struct gpubp_spans *gpubp_spans_alloc(u64 size)
{
	u64 served = min_t(u64, size, GPUBP_CODE_MAX);
	unsigned int max = DIV_ROUND_UP_ULL(served, span_size(served));
	struct gpubp_spans *spans;

	spans = kzalloc(struct_size(spans, span, max), GPUBP_GFP_USER);
	if (!spans)
		return NULL;
	spans->size = span_size(served);
	spans->max = max;
	return spans;
}

static bool code_obj_contains(const struct gpubp_name *n, u64 pc, u32 len)
{
	return n->code && pc >= n->va && pc - n->va < n->size &&
	       n->size - (pc - n->va) >= len;
}

static struct gpubp_name *code_find_at(const struct gpubp_ctx *ctx, u64 pc,
				       u32 len)
{
	struct gpubp_name *n;

	lockdep_assert_held(&ctx->dev->lock);
	if (gpubp_name_is_unmapping(ctx, pc, len))
		return NULL;
	list_for_each_entry(n, &ctx->names, node)
		if (code_obj_contains(n, pc, len))
			return n;
	return NULL;
}

/**
 * gpubp_code_contains() - are these bytes in a published code object
 * @ctx: context; no lock is held
 * @pc: first address
 * @len: bytes
 *
 * False during an unmapping of them. Takes the device lock; may sleep.
 */
bool gpubp_code_contains(struct gpubp_ctx *ctx, u64 pc, u32 len)
{
	guard(mutex)(&ctx->dev->lock);
	return code_find_at(ctx, pc, len);
}

/* ---- one span ------------------------------------------------------------ */

/*
 * Return: bytes to the next instruction; 0: @len is too small. Bytes that are
 * no instruction are skipped: they count as one with GPUBP_STEP_NEVER.
 */
static size_t insn_decode(const struct gpubp_isa *isa, const u8 *code,
			  size_t len, struct gpubp_insn *insn)
{
	int err = isa->decode(code, len, insn);
	u32 n = err ? isa->insn_align : insn->len;

	if (err)
		*insn = (struct gpubp_insn) { .step = GPUBP_STEP_NEVER };
	return err == -ENODATA || n > len ? 0 : n;
}

/* bytes that are no instruction are hashed like others */
static size_t walk_decode_insn(struct walk *w, const u8 *code, size_t len)
{
	struct gpubp_insn insn;
	size_t n = insn_decode(w->ctx->dev->desc.isa, code, len, &insn);

	if (n)
		w->hash = jhash(code, n, w->hash);
	return n;
}

static int walk_decode_chunk(struct walk *w, size_t len, size_t enough)
{
	size_t n, at = 0;

	while (at < enough && at < len) {
		n = walk_decode_insn(w, w->chunk + at, len - at);
		if (!n)
			break;
		at += n;
	}
	w->at += at;
	return at ? 0 : -EFAULT;
}

static int walk_to(struct walk *w, u64 to)
{
	u32 more = w->ctx->dev->desc.isa->insn_max;
	ssize_t n;
	int err = 0;

	while (w->at < to && !err) {
		n = min_t(u64, CHUNK, to - w->at + more);
		n = gpubp_program_read(w->ctx, w->at, w->chunk, n, 0);
		if (n > 0)
			err = walk_decode_chunk(w, n, to - w->at);
		else
			err = n == -EAGAIN ? -EAGAIN : -EFAULT;
		cond_resched();
	}
	return err;
}

static u64 span_start(const struct gpubp_name *n, unsigned int nr)
{
	return n->va + (u64)nr * n->spans->size +
	       (nr ? n->spans->span[nr - 1].over : 0);
}

/* start with the span that contains @pc, or the first one not decoded yet */
static int walk_begin(struct walk *w, u32 len)
{
	const struct gpubp_name *n;

	guard(mutex)(&w->ctx->dev->lock);
	n = code_find_at(w->ctx, w->pc, len);
	if (!n)
		return -ENOENT;
	if (w->pc - n->va >= GPUBP_CODE_MAX)
		return -EFBIG;
	w->id = n->spans->id;
	w->nr = min_t(u64, (w->pc - n->va) / n->spans->size, n->spans->nr);
	w->at = span_start(n, w->nr);
	w->end = n->va + min((w->nr + 1) * (u64)n->spans->size, n->size);
	w->hash = 0;
	return 0;
}

/* Return: 0; -EAGAIN: the code has changed, or another object is there now. */
static int spans_record(struct gpubp_spans *spans, const struct walk *w)
{
	struct gpubp_span now = { .hash = w->hash, .over = w->at - w->end };
	struct gpubp_span *span;

	if (spans->id != w->id)
		return -EAGAIN;
	span = &spans->span[w->nr];
	if (w->nr == spans->nr) {
		*span = now;
		spans->nr++;
	}
	if (w->nr < spans->nr && span->hash == now.hash &&
	    span->over == now.over)
		return 0;
	spans->nr = 0;
	return -EAGAIN;
}

static int walk_end(struct walk *w, u32 len)
{
	const struct gpubp_name *n;

	guard(mutex)(&w->ctx->dev->lock);
	n = code_find_at(w->ctx, w->pc, len);
	return n ? spans_record(n->spans, w) : -ENOENT;
}

/*
 * Return: 0: an instruction begins at @pc; -EINVAL: none does; -EAGAIN: decode
 * another span; or an errno. Code behind @pc that cannot be read changes
 * nothing.
 */
static int walk_span(struct walk *w, u32 len, s64 *budget)
{
	bool last, begins;
	u64 began;
	int err;

	err = walk_begin(w, len);
	if (err)
		return err;
	began = w->at;
	last = w->pc < w->end;
	if (last)
		err = walk_to(w, w->pc);
	begins = w->at == w->pc;
	if (!err && !walk_to(w, w->end))
		err = walk_end(w, len);
	else if (!last)
		err = -EFAULT;
	*budget -= max_t(s64, w->at - began, MIN_SPAN);
	if (err || !last)
		return err ?: -EAGAIN;
	return begins ? 0 : -EINVAL;
}

/**
 * gpubp_code_check_pc() - check whether an instruction begins at an address
 * @ctx: context that is not dead, of a device with an ISA; no lock is held
 * @pc: the address
 * @len: bytes from @pc on that must be in one published code object
 * @budget: bytes that may be decoded, possibly in several calls; reduced by
 *	what was. While it is above 0 a whole span is decoded, so it may be
 *	exceeded by one span: 1/128 of the object, or 1 KiB
 *
 * May sleep. Where objects overlap, the one that was published first counts.
 *
 * Return: 0; -EINVAL: no instruction begins at @pc; -EAGAIN: @budget is used
 * up, call again, what was decoded is kept; -ENOENT: no published code object
 * contains these bytes; -EFBIG: @pc is more than GPUBP_CODE_MAX from the start
 * of the object; -EFAULT: some byte in between cannot be read; -ENOMEM.
 */
int gpubp_code_check_pc(struct gpubp_ctx *ctx, u64 pc, u32 len, s64 *budget)
{
	struct walk w = { .ctx = ctx, .pc = pc };
	int err = -EAGAIN;

	if (pc % ctx->dev->desc.isa->insn_align)
		return -EINVAL;
	w.chunk = kmalloc(CHUNK, GFP_KERNEL);
	if (!w.chunk)
		return -ENOMEM;
	while (err == -EAGAIN && *budget > 0)
		err = walk_span(&w, len, budget);
	kfree(w.chunk);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_code_check_pc);

/* ---- scanning all code --------------------------------------------------- */

/*
 * Find the lowest address of code from *@at on, and the end of its object.
 * Return: false: there is none.
 */
static bool code_next_range(struct gpubp_ctx *ctx, u64 *at, u64 *end)
{
	u64 lowest = U64_MAX;
	struct gpubp_name *n;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(n, &ctx->names, node) {
		u64 to = n->va + min_t(u64, n->size, GPUBP_CODE_MAX);

		if (!n->code || to <= *at || max(n->va, *at) >= lowest)
			continue;
		lowest = max(n->va, *at);
		*end = to;
	}
	*at = lowest;
	return lowest != U64_MAX;
}

/* Return: bytes that were decoded; 0: they cannot be read. */
static u64 scan_chunk(struct gpubp_ctx *ctx, u64 at, u64 end, u8 *chunk,
		      void (*fn)(struct gpubp_ctx *ctx, u64 pc,
				 const struct gpubp_insn *insn))
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	ssize_t len = gpubp_program_read(ctx, at, chunk,
					 min_t(u64, CHUNK, end - at), 0);
	struct gpubp_insn insn;
	ssize_t done = 0;
	size_t n;

	while (done < len) {
		n = insn_decode(isa, chunk + done, len - done, &insn);
		if (!n)
			break;
		if (insn.step != GPUBP_STEP_NEVER)
			fn(ctx, at + done, &insn);
		done += n;
	}
	return done;
}

/**
 * gpubp_code_scan() - call a function for each instruction in published code
 * @ctx: context that is not dead, of a device with an ISA; no lock is held
 * @at: address to begin at; (out) where to go on; U64_MAX: all was scanned
 * @budget: bytes that may be decoded; reduced by what was
 * @fn: called with each instruction; no lock is held
 *
 * May sleep. Bytes that are no instruction are skipped, and so is the rest of
 * an object that cannot be read. Data between instructions may decode as
 * instructions: call gpubp_code_check_pc() before writing there.
 *
 * Return: false: no memory.
 */
bool gpubp_code_scan(struct gpubp_ctx *ctx, u64 *at, s64 *budget,
		     void (*fn)(struct gpubp_ctx *ctx, u64 pc,
				const struct gpubp_insn *insn))
{
	u8 *chunk = kmalloc(CHUNK, GFP_KERNEL);
	u64 end, done;

	if (!chunk)
		return false;
	while (*budget > 0 && code_next_range(ctx, at, &end)) {
		done = scan_chunk(ctx, *at, end, chunk, fn);
		*at = done ? *at + done : end;
		*budget -= max_t(s64, done, MIN_SPAN);
		cond_resched();
	}
	kfree(chunk);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_code_scan);
