// SPDX-License-Identifier: GPL-2.0
/*
 * Precise points: which instructions have one, and for how long.
 *
 * The resolver requests points, the committer adds them. For events that want
 * exact hits only, the committer scans code objects for them in advance. A
 * point stays while its watch exists and has an event that may write its
 * target's code. A point is throttled if too many waves stopped there that were
 * not about to access watched bytes, or if it has been idle and another point
 * needs its room; longer each time.
 *
 * Users' breaks lose no slots to precise points, which have XOL buffers of
 * their own.
 */
#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/version.h"
#include "../core/core.h"
#include "insn_map.h"
#include "patch.h"
#include "precise.h"
#include "trap.h"
#include "trap_point.h"
#include "xol.h"

#define MAX_POINTS	64

/* table entries for each point in memory: the rest is for throttled points */
#define TABLE_FACTOR	2

/* MAX_MISSES useless stops within MISSES_NS throttle a point */
#define MAX_MISSES	256
#define MISSES_NS	((u64)NSEC_PER_SEC)

/* bytes searched before a stop that is not exact, and accesses taken of them */
#define WINDOW		128
#define MAX_NEAREST	4

#define REQUEST_NS	((u64)NSEC_PER_SEC)	/* between equal requests */
#define REVIEW_NS	((u64)NSEC_PER_SEC)	/* between reviews of points */

unsigned int gpubp_max_precise_points = MAX_POINTS;
EXPORT_SYMBOL_IF_KUNIT(gpubp_max_precise_points);
module_param_named(escalations, gpubp_max_precise_points, uint, 0644);
MODULE_PARM_DESC(escalations, "precise points (breaks of the kernel's own for exact addresses) in the memory of a context (0-64); applies to contexts without one yet");

unsigned int gpubp_precise_idle_ms = 1000;
EXPORT_SYMBOL_IF_KUNIT(gpubp_precise_idle_ms);
module_param_named(escalation_idle_ms, gpubp_precise_idle_ms, uint, 0644);
MODULE_PARM_DESC(escalation_idle_ms, "idle time after which a precise point may be replaced by another one, in ms");

/* a patch that was removed keeps its buffer for a moment */
#define GENERATIONS		2

/** gpubp_precise_buffers() - XOL buffers that a new context needs for points */
unsigned int gpubp_precise_buffers(void)
{
	return min(READ_ONCE(gpubp_max_precise_points), MAX_POINTS + 0u) *
	       GENERATIONS;
}

static u64 idle_ns(void)
{
	return (u64)READ_ONCE(gpubp_precise_idle_ms) * NSEC_PER_MSEC;
}

static gpubp_watch_find_fn find_watch;

/** gpubp_precise_set_find() - set how watches are found; once, at init */
void gpubp_precise_set_find(gpubp_watch_find_fn find)
{
	find_watch = find;
}

/* ---- events that need points --------------------------------------------- */

/* @certain: it is known that the watch was hit, though not at which address */
static bool event_needs_precise(const struct gpubp_event *gev, bool certain)
{
	return gev->may_patch &&
	       (!certain || gev->filter || gev->spec.precise_ip ||
		(gev->event->attr.sample_type & PERF_SAMPLE_ADDR));
}

static bool any_event_needs_precise(const struct list_head *bindings,
				    bool certain)
{
	const struct gpubp_binding *b;

	list_for_each_entry(b, bindings, watch_node)
		if (event_needs_precise(b->event, certain))
			return true;
	return false;
}

static bool watch_needs_precise(const struct gpubp_watch *w, bool certain)
{
	const struct gpubp_member_binding *mb;

	if (any_event_needs_precise(&w->bindings, certain))
		return true;
	hlist_for_each_entry(mb, &w->members, watch_node)
		if (any_event_needs_precise(&mb->set_binding->bindings,
					    certain))
			return true;
	return false;
}

static void set_precise_watch(struct gpubp_precise_watch *watch,
			      const struct gpubp_watch *w)
{
	*watch = (struct gpubp_precise_watch) {
		.id = w->id, .start = w->start, .last = w->last,
	};
}

/**
 * gpubp_precise_binding_changed() - an event was bound in a context, or unbound
 * @ctx: context; the device lock is held
 * @gev: event
 * @by: 1 or -1
 *
 * Counts the events that want exact hits only; the first one starts a scan.
 */
void gpubp_precise_binding_changed(struct gpubp_ctx *ctx,
				   const struct gpubp_event *gev, int by)
{
	lockdep_assert_held(&ctx->dev->lock);
	if (!gev->may_patch || gev->spec.precise_ip < 2 ||
	    gpubp_kind_is_trap(gev->spec.kind))
		return;
	/* the points of the last scan were removed with its last event */
	if (!ctx->trap->precise.nr_exact)
		ctx->trap->precise.scanned = 0;
	ctx->trap->precise.nr_exact += by;
}

/*
 * True if the point's watch exists and has an event that may patch code, or if
 * events that want exact hits only need the point.
 */
static bool point_is_needed(struct gpubp_ctx *ctx,
			    const struct gpubp_precise_point *point)
{
	const struct gpubp_precise_watch *watch = &point->watch;
	const struct gpubp_watch *w;

	if (point->from_scan && ctx->trap->precise.nr_exact)
		return true;
	w = find_watch(ctx, watch->start, watch->last, watch->id);
	return w && watch_needs_precise(w, false);
}

/* ---- requests of the resolver -------------------------------------------- */

/**
 * gpubp_precise_point_find() - find the precise point at a pc
 * @ctx: context; the device lock is held
 * @pc: address of the instruction
 *
 * Return: the point, in memory or not, or NULL.
 */
struct gpubp_precise_point *
gpubp_precise_point_find(const struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	unsigned int i;

	lockdep_assert_held(&ctx->dev->lock);
	for (i = 0; i < precise->nr; i++)
		if (precise->table[i].pc == pc)
			return &precise->table[i];
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_precise_point_find);

/* Return: a free request; NULL: none, or an equal one was made lately. */
static struct gpubp_precise_request *
request_find_free(struct gpubp_precise_ctx *precise, u64 pc, u64 watch, u64 now)
{
	struct gpubp_precise_request *req, *found = NULL;
	unsigned int i;

	for (i = 0; i < GPUBP_PRECISE_REQUESTS; i++) {
		req = &precise->request[i];
		if (req->until <= now && !req->fresh)
			found = req;
		else if (req->pc == pc && req->watch.id == watch)
			return NULL;
	}
	return found;
}

/* true if @pc is the instruction and has a point that is not throttled */
static bool point_is_in_use(const struct gpubp_ctx *ctx, u64 pc, bool exact)
{
	const struct gpubp_precise_point *point =
		gpubp_precise_point_find(ctx, pc);

	return exact && point && !point->throttled;
}

/**
 * gpubp_precise_request() - request a point after a hit that is not exact
 * @ctx: context of the hit; the device lock is held
 * @watch: watch that was hit, or possibly hit
 * @pc: address of the instruction, or where the wave stopped after it
 * @exact: @pc is the instruction
 * @certain: it is known that @watch was hit, though not at which address
 *
 * The resolver only. Does not wait for the point. Does nothing if no event of
 * the watch needs it.
 */
void gpubp_precise_request(struct gpubp_ctx *ctx,
			   const struct gpubp_watch *watch, u64 pc, bool exact,
			   bool certain)
{
	struct gpubp_precise_request *req;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&ctx->dev->lock);
	if (point_is_in_use(ctx, pc, exact))
		return;
	req = request_find_free(&ctx->trap->precise, pc, watch->id, now);
	if (!req || !watch_needs_precise(watch, certain))
		return;
	req->pc = pc;
	req->exact = exact;
	req->kinds = watch->access;
	set_precise_watch(&req->watch, watch);
	req->until = now + REQUEST_NS;
	req->fresh = true;
	gpubp_request(ctx->dev);
}

/**
 * gpubp_precise_useful() - a stopped wave is about to access watched bytes
 * @point: point where the wave stopped; the device lock is held, as
 *	gpubp_precise_point_find() in the caller asserts
 * @watch: the watch
 *
 * The point is of use: its idle time begins anew.
 */
void gpubp_precise_useful(struct gpubp_precise_point *point,
			  const struct gpubp_watch *watch)
{
	point->active_ns = ktime_get_ns();
	if (watch_needs_precise(watch, false))
		set_precise_watch(&point->watch, watch);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_precise_useful);

/* misses so far, less those that have decayed since misses_ns */
static unsigned int point_recent_misses(const struct gpubp_precise_point *point,
					u64 now)
{
	u64 ns = min(now - point->misses_ns, MISSES_NS);
	u64 expired = div_u64(ns * MAX_MISSES, MISSES_NS);

	return expired < point->misses ? point->misses - expired : 0;
}

/**
 * gpubp_precise_stray() - a hit was proven to be of bytes that are not watched
 * @point: point that the proof comes from; the device lock is held, as
 *	gpubp_precise_point_find() in the caller asserts
 *
 * The point is of use: without it the hit would have been counted as possible.
 */
void gpubp_precise_stray(struct gpubp_precise_point *point)
{
	point->active_ns = ktime_get_ns();
	if (point->misses)
		point->misses--;
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_precise_stray);

static void point_throttle(struct gpubp_ctx *ctx,
			   struct gpubp_precise_point *point)
{
	gpubp_backoff_begin(&point->backoff, ktime_get_ns());
	point->throttled = true;
	point->misses = 0;
	ctx->dev->trap->precise.throttled++;
}

/**
 * gpubp_precise_useless() - a stopped wave is not about to access watched bytes
 * @ctx: context; the device lock is held
 * @point: point where the wave stopped
 *
 * Throttles the point if this happens too often.
 */
void gpubp_precise_useless(struct gpubp_ctx *ctx,
			   struct gpubp_precise_point *point)
{
	u64 now = ktime_get_ns();

	lockdep_assert_held(&ctx->dev->lock);
	if (point->throttled)
		return;
	point->misses = point_recent_misses(point, now) + 1;
	point->misses_ns = now;
	if (point->misses < MAX_MISSES)
		return;
	point_throttle(ctx, point);
	gpubp_request(ctx->dev);
}
EXPORT_SYMBOL_IF_KUNIT(gpubp_precise_useless);

/**
 * gpubp_precise_set_inconclusive() - a wave enters a buffer and was not read
 * @ctx: context; the device lock is held
 * @pc: address of the instruction; it need not have a point
 */
void gpubp_precise_set_inconclusive(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_precise_point *point = gpubp_precise_point_find(ctx, pc);

	if (point)
		point->conclusive = false;
}

/* ---- choosing points ----------------------------------------------------- */

static bool scan_is_incomplete(const struct gpubp_ctx *ctx)
{
	const struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	const struct gpubp_device *dev = ctx->dev;

	return precise->nr_exact && dev->can_trap && dev->desc.caps.precise &&
	       READ_ONCE(gpubp_max_precise_points) && gpubp_ctx_can_arm(ctx) &&
	       (precise->scanned != ctx->trap->traps.changes ||
		precise->scan_at != U64_MAX);
}

/**
 * gpubp_precise_any() - does a context have points, or need a run for them
 * @ctx: context; the device lock is held
 */
bool gpubp_precise_any(const struct gpubp_ctx *ctx)
{
	const struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	unsigned int i;

	lockdep_assert_held(&ctx->dev->lock);
	if (precise->nr || scan_is_incomplete(ctx))
		return true;
	for (i = 0; i < GPUBP_PRECISE_REQUESTS; i++)
		if (precise->request[i].fresh)
			return true;
	return false;
}

static bool point_is_idle(const struct gpubp_precise_point *point, u64 now)
{
	return point->patch && now > point->active_ns + idle_ns();
}

/*
 * Remove a point that no watch needs, or whose throttling ended at least as
 * long ago as it lasted: it begins anew if it is requested again.
 */
static void point_review(struct gpubp_ctx *ctx,
			 struct gpubp_precise_point *point, u64 now)
{
	point->gone |= !point_is_needed(ctx, point);
	if (point->throttled && gpubp_backoff_is_over(&point->backoff, now))
		point->gone = true;
	if (point->err && point->tried != ctx->trap->traps.changes)
		point->err = 0;
}

static void point_remove(struct gpubp_ctx *ctx, unsigned int i)
{
	struct gpubp_precise_ctx *precise = &ctx->trap->precise;

	/* read without the lock by gpubp_precise_insert() */
	WRITE_ONCE(precise->nr, precise->nr - 1);
	precise->table[i] = precise->table[precise->nr];
	if (precise->table[i].patch)
		precise->table[i].patch->point = &precise->table[i];
	precise->table[precise->nr] = (struct gpubp_precise_point) {};
}

static void points_review(struct gpubp_ctx *ctx, u64 now)
{
	struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	unsigned int i = precise->nr;

	while (i--) {
		point_review(ctx, &precise->table[i], now);
		if (precise->table[i].gone && !precise->table[i].patch)
			point_remove(ctx, i);
	}
}

static bool point_is_eligible(const struct gpubp_precise_point *point)
{
	return !point->gone && !point->throttled && !point->err;
}

/* true if an event's break at this instruction is chosen: they share a patch */
static bool point_shares_break(struct gpubp_ctx *ctx, u64 pc)
{
	const struct gpubp_trap_point *trap;

	trap = gpubp_trap_find(ctx, GPUBP_KIND_BREAK, pc);
	return trap && trap->chosen;
}

static void points_choose(struct gpubp_ctx *ctx, unsigned int nr_slots)
{
	struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	unsigned int i, left = precise->max;
	struct gpubp_precise_point *point;
	bool shared;

	for (i = 0; i < precise->nr; i++) {
		point = &precise->table[i];
		shared = point_shares_break(ctx, point->pc);
		point->chosen = point_is_eligible(point) && nr_slots &&
			      (shared || left);
		if (point->chosen && !shared)
			left--;
	}
}

/* when a point may have become idle, or may find the buffer that it lacked */
static void schedule_review(struct gpubp_device *dev)
{
	mod_delayed_work(system_percpu_wq, &dev->trap->precise.work,
			 nsecs_to_jiffies(min(idle_ns(), REVIEW_NS)) + 1);
}

/**
 * gpubp_precise_choose() - choose the points of a context for the next quantum
 * @ctx: context; the device lock is held
 * @nr_slots: trap slots of the context; 0: its waves do not trap
 *
 * The committer only, after breaks are chosen. Sets gpubp_precise_point.chosen.
 */
void gpubp_precise_choose(struct gpubp_ctx *ctx, unsigned int nr_slots)
{
	struct gpubp_device *dev = ctx->dev;

	lockdep_assert_held(&dev->lock);
	if (!ctx->trap->precise.nr)
		return;
	points_review(ctx, ktime_get_ns());
	points_choose(ctx, nr_slots);
	schedule_review(dev);
}

/* ---- adding points ------------------------------------------------------- */

static bool request_next(struct gpubp_ctx *ctx,
			 struct gpubp_precise_request *out)
{
	struct gpubp_precise_request *req = ctx->trap->precise.request;
	unsigned int i;

	guard(mutex)(&ctx->dev->lock);
	for (i = 0; i < GPUBP_PRECISE_REQUESTS; i++, req++) {
		if (!req->fresh)
			continue;
		req->fresh = false;
		*out = *req;
		return true;
	}
	return false;
}

/* the table keeps the size of its first use until the context is destroyed */
static int points_alloc(struct gpubp_ctx *ctx)
{
	unsigned int max =
		min(READ_ONCE(gpubp_max_precise_points), MAX_POINTS + 0u);
	struct gpubp_precise_point *table;

	if (ctx->trap->precise.table)
		return 0;
	if (!max)
		return -ENOSPC;
	table = kcalloc(max * TABLE_FACTOR, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	guard(mutex)(&ctx->dev->lock);
	ctx->trap->precise.table = table;
	ctx->trap->precise.max = max;
	return 0;
}

static unsigned int
points_count_eligible(const struct gpubp_precise_ctx *precise)
{
	unsigned int i, n = 0;

	for (i = 0; i < precise->nr; i++)
		n += point_is_eligible(&precise->table[i]);
	return n;
}

static bool points_have_room(const struct gpubp_precise_ctx *precise)
{
	return precise->nr < precise->max * TABLE_FACTOR &&
	       points_count_eligible(precise) < precise->max;
}

/* use a throttled point again if its throttling has ended */
static void point_unthrottle(struct gpubp_precise_point *point,
			     const struct gpubp_precise_watch *watch)
{
	if (!point->throttled || point->backoff.until > ktime_get_ns())
		return;
	point->throttled = false;
	point->gone = false;
	point->watch = *watch;
	point->chosen = true;
}

/* throttle the point that has been idle for longest, if one is idle */
static void points_evict_idle(struct gpubp_ctx *ctx)
{
	struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	struct gpubp_precise_point *point, *coldest = NULL;
	u64 now = ktime_get_ns();
	unsigned int i;

	for (i = 0; i < precise->nr; i++) {
		point = &precise->table[i];
		if (point_is_eligible(point) && point_is_idle(point, now) &&
		    (!coldest || point->active_ns < coldest->active_ns))
			coldest = point;
	}
	if (coldest)
		point_throttle(ctx, coldest);
}

/*
 * A run that removes points chooses them first, and adds those of a new event last: one
 * that is to be removed stays then, as it is not looked for again. @watch: as in
 * point_add()
 */
static void point_want_again(struct gpubp_precise_point *point,
			     const struct gpubp_precise_watch *watch)
{
	/* also once what asked for it before is gone */
	point->from_scan |= !watch;
	if (!point->gone)
		return;
	point->gone = false;
	point->throttled = false;
	point->misses = 0;
	if (watch)
		point->watch = *watch;
}

/* @watch: which asks for it, or NULL: a scan */
static void point_add(struct gpubp_ctx *ctx, u64 pc,
		      const struct gpubp_precise_watch *watch)
{
	struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	struct gpubp_precise_point *point;

	if (!gpubp_code_contains(ctx, pc, 1))
		return;
	guard(mutex)(&ctx->dev->lock);
	point = gpubp_precise_point_find(ctx, pc);
	if (point) {
		point_want_again(point, watch);
		if (watch)
			point_unthrottle(point, watch);
		return;
	}
	if (watch && !points_have_room(precise))
		points_evict_idle(ctx);
	if (!points_have_room(precise))
		return;
	precise->table[precise->nr] = (struct gpubp_precise_point) {
		.pc = pc, .from_scan = !watch,
	};
	if (watch)
		precise->table[precise->nr].watch = *watch;
	WRITE_ONCE(precise->nr, precise->nr + 1);
}

/* Return: bytes read, fewer at the start of a mapping. */
static size_t read_window(struct gpubp_ctx *ctx, u64 pc, u8 *code)
{
	size_t len;

	for (len = WINDOW; len; len /= 2)
		if (gpubp_program_read(ctx, pc - len, code, len, 0) == len)
			break;
	return len;
}

/*
 * Which instruction accessed the watch is unknown: add points at the nearest
 * accesses before the stop. What only looks like an access is rejected when the
 * point is to be armed.
 */
static void points_add_nearest(struct gpubp_ctx *ctx,
			       const struct gpubp_precise_request *request)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	u8 code[WINDOW];
	size_t len = read_window(ctx, request->pc, code), at = len;
	struct gpubp_insn insn;
	unsigned int n = 0;

	while (at >= isa->insn_align && n < MAX_NEAREST) {
		at -= isa->insn_align;
		if (isa->decode(code + at, len - at, &insn) ||
		    !insn.is_access || !(insn.access & request->kinds))
			continue;
		point_add(ctx, request->pc - len + at, &request->watch);
		n++;
	}
}

static void request_grant(struct gpubp_ctx *ctx,
			  const struct gpubp_precise_request *request)
{
	if (points_alloc(ctx) || gpubp_pending_accesses_init(ctx))
		return;
	if (request->exact)
		point_add(ctx, request->pc, &request->watch);
	else
		points_add_nearest(ctx, request);
}

/*
 * The result of these loads and atomics overwrites their address: their hits
 * are not exact. Of those whose bytes no register says, none ever is.
 */
static void scan_insn(struct gpubp_ctx *ctx, u64 pc,
		      const struct gpubp_insn *insn)
{
	if (insn->is_access && insn->clobbers_addr && insn->nr_regs)
		point_add(ctx, pc, NULL);
}

static bool scan_begin(struct gpubp_ctx *ctx, u64 *at)
{
	struct gpubp_precise_ctx *precise = &ctx->trap->precise;

	guard(mutex)(&ctx->dev->lock);
	if (!scan_is_incomplete(ctx))
		return false;
	if (precise->scanned != ctx->trap->traps.changes) {
		precise->scanned = ctx->trap->traps.changes;
		precise->scan_at = 0;
	}
	*at = precise->scan_at;
	return true;
}

/*
 * Scan code in advance for events that want exact hits only, since they would
 * lose the first hit. Breaks have the other half of the budget.
 */
static void scan_code(struct gpubp_ctx *ctx, s64 *budget)
{
	s64 half = (max_t(s64, *budget, 0) + 1) / 2, left = half;
	u64 at;

	if (!scan_begin(ctx, &at) || points_alloc(ctx) ||
	    gpubp_pending_accesses_init(ctx) ||
	    !gpubp_code_scan(ctx, &at, &left, scan_insn))
		return;
	*budget -= half - left;
	ctx->trap->precise.scan_at = at;
	if (at != U64_MAX)
		gpubp_request_ctx(ctx);
}

/**
 * gpubp_precise_add_points() - process requests, and scan code if needed
 * @ctx: context; no lock is held
 * @budget: bytes of code that may be decoded; reduced by what was
 *
 * The committer only; may sleep.
 */
void gpubp_precise_add_points(struct gpubp_ctx *ctx, s64 *budget)
{
	struct gpubp_precise_request request;

	while (request_next(ctx, &request))
		request_grant(ctx, &request);
	scan_code(ctx, budget);
}

/* ---- arming points ------------------------------------------------------- */

/* by pc, since a point that was found before may have been moved or removed */
static struct gpubp_precise_point *
point_find_pending(const struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_precise_point *point = gpubp_precise_point_find(ctx, pc);

	return point && point->chosen && !point->patch ? point : NULL;
}

/*
 * Return: the lowest pc above @after of a chosen point without a patch, or
 * U64_MAX.
 */
static u64 points_next_pending(struct gpubp_ctx *ctx, u64 after)
{
	const struct gpubp_precise_ctx *precise = &ctx->trap->precise;
	u64 pc = U64_MAX;
	unsigned int i;

	guard(mutex)(&ctx->dev->lock);
	for (i = 0; i < precise->nr; i++)
		if (precise->table[i].pc > after &&
		    point_find_pending(ctx, precise->table[i].pc))
			pc = min(pc, precise->table[i].pc);
	return pc;
}

static void point_trace(const struct gpubp_ctx *ctx,
			const struct gpubp_precise_point *point)
{
	trace_gpubp_escalate(ctx->dev->number, ctx->id, point->watch.id,
			     point->pc);
}

/* waves that are in the buffer already were not read: not conclusive */
static void point_start(struct gpubp_ctx *ctx,
			struct gpubp_precise_point *point, u64 checked)
{
	point->active_ns = ktime_get_ns();
	point->misses = 0;
	point->misses_ns = point->active_ns;
	point->checked = checked;
	point->conclusive = !point->patch->buf->inside;
	point->watches = ctx->trap->precise.watches;
	ctx->dev->trap->precise.armed++;
	point_trace(ctx, point);
}

/*
 * Use the patch that an event's break has at this instruction. Return: 1: done;
 * 0: there is no patch; or -EBUSY.
 */
static int point_join_patch(struct gpubp_ctx *ctx, u64 pc)
{
	struct gpubp_precise_point *point;
	struct gpubp_patch *patch;
	int err;

	guard(mutex)(&ctx->dev->lock);
	if (!gpubp_patch_is_at(ctx, pc))
		return 0;
	patch = gpubp_patch_find(ctx, pc, U64_MAX);
	point = point_find_pending(ctx, pc);
	if (!patch || !patch->trap || !point)
		return -EBUSY;
	err = gpubp_patch_get_buf(ctx, patch, GPUBP_XOL_PRECISE);
	if (err)
		return err;
	gpubp_patch_set_precise(patch, point);
	point_start(ctx, point, patch->trap->checked);
	return 1;
}

static int point_link_patch(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			    u64 checked)
{
	struct gpubp_precise_point *point;
	int err;

	guard(mutex)(&ctx->dev->lock);
	point = point_find_pending(ctx, patch->pc);
	if (!point || gpubp_patch_is_at(ctx, patch->pc))
		return -EBUSY;
	err = gpubp_patch_get_buf(ctx, patch, GPUBP_XOL_PRECISE);
	if (err)
		return err;
	gpubp_patch_set_precise(patch, point);
	gpubp_patch_add(ctx, patch);
	/* before a wave can stop at it */
	point_start(ctx, point, checked);
	return 0;
}

static int point_check_insn(struct gpubp_ctx *ctx, struct gpubp_patch *patch,
			    s64 *budget)
{
	int err = gpubp_patch_check(ctx, patch->pc, budget, patch->orig,
				    &patch->insn);

	if (err)
		return err;
	return patch->insn.is_access && patch->insn.nr_regs &&
	       patch->insn.step == GPUBP_STEP_DISPLACED ? 0 : -EOPNOTSUPP;
}

static int point_arm_new(struct gpubp_ctx *ctx, u64 pc, s64 *budget)
{
	struct gpubp_patch *patch = kzalloc(sizeof(*patch), GFP_KERNEL);
	u64 changes;
	int err;

	if (!patch)
		return -ENOMEM;
	patch->pc = pc;
	scoped_guard(mutex, &ctx->dev->lock)
		changes = ctx->trap->traps.changes;
	err = point_check_insn(ctx, patch, budget) ?:
		      point_link_patch(ctx, patch, changes);
	if (err) {
		kfree(patch);
		return err;
	}
	return gpubp_patch_install(ctx, patch);
}

static int point_arm(struct gpubp_ctx *ctx, u64 pc, s64 *budget)
{
	int joined = point_join_patch(ctx, pc);

	return joined ? min(joined, 0) : point_arm_new(ctx, pc, budget);
}

static void point_refuse(struct gpubp_ctx *ctx, u64 pc, int err)
{
	struct gpubp_precise_point *point;

	guard(mutex)(&ctx->dev->lock);
	point = gpubp_precise_point_find(ctx, pc);
	if (!point)
		return;
	point->err = err;
	point->tried = ctx->trap->traps.changes;
	point->chosen = false;
}

static void points_choose_new(struct gpubp_ctx *ctx)
{
	guard(mutex)(&ctx->dev->lock);
	points_choose(ctx, gpubp_xol_slots(ctx));
}

/**
 * gpubp_precise_insert() - put chosen points into memory
 * @ctx: context with XOL buffers, whose waves all trap; no lock is held
 * @budget: bytes of code that may be decoded; reduced by what was
 *
 * The committer only, after users' breaks; may sleep. A point that finds no
 * buffer is tried again at the next review of all points.
 *
 * Return: false: some point needs the budget of another run.
 */
bool gpubp_precise_insert(struct gpubp_ctx *ctx, s64 *budget)
{
	bool all = true;
	u64 pc = 0;
	int err;

	if (!READ_ONCE(ctx->trap->precise.nr))
		return all;
	points_choose_new(ctx);
	while ((pc = points_next_pending(ctx, pc)) != U64_MAX) {
		err = point_arm(ctx, pc, budget);
		if (err == -EAGAIN && *budget <= 0)
			all = false;
		else if (err && !gpubp_patch_may_retry(err))
			point_refuse(ctx, pc, err);
	}
	schedule_review(ctx->dev);
	return all;
}

/* ---- init, exit, debugfs ------------------------------------------------- */

static void precise_review_fn(struct work_struct *work)
{
	gpubp_request(container_of(to_delayed_work(work), struct gpubp_dev_trap,
				   precise.work)->dev);
}

/** gpubp_precise_init() - initialise a new device's part */
void gpubp_precise_init(struct gpubp_device *dev)
{
	INIT_DELAYED_WORK(&dev->trap->precise.work, precise_review_fn);
}

/** gpubp_precise_exit() - stop requesting commits; no commit runs; may sleep */
void gpubp_precise_exit(struct gpubp_device *dev)
{
	cancel_delayed_work_sync(&dev->trap->precise.work);
}

/** gpubp_precise_exit_ctx() - free the points of a context without patches */
void gpubp_precise_exit_ctx(struct gpubp_ctx *ctx)
{
	gpubp_pending_accesses_exit(ctx);
	kfree(ctx->trap->precise.table);
	ctx->trap->precise.table = NULL;
	ctx->trap->precise.nr = 0;
}

/* points whose patch is being installed or removed do not count */
static unsigned int
points_count_installed(const struct gpubp_precise_ctx *precise)
{
	const struct gpubp_patch *patch;
	unsigned int i, n = 0;

	for (i = 0; i < precise->nr; i++) {
		patch = precise->table[i].patch;
		n += patch && patch->state == GPUBP_PATCH_INSTALLED;
	}
	return n;
}

/** gpubp_precise_show() - print statistics of points; device lock held */
void gpubp_precise_show(struct gpubp_device *dev, struct seq_file *m)
{
	const struct gpubp_precise *precise = &dev->trap->precise;
	unsigned int now = 0, pending = 0;
	struct gpubp_ctx *ctx;

	lockdep_assert_held(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		now += points_count_installed(&ctx->trap->precise);
		pending += ctx->trap->precise.pending.nr;
	}
	seq_printf(m, "escalations %u\n", now);
	seq_printf(m, "escalations_made %llu\n", precise->armed);
	seq_printf(m, "escalations_rested %llu\n", precise->throttled);
	seq_printf(m, "escalation_stops %llu\n", precise->stops);
	seq_printf(m, "escalation_hits %llu\n", precise->hits);
	seq_printf(m, "escalation_misses %llu\n", precise->strays);
	seq_printf(m, "notes %llu\n", precise->matched);
	seq_printf(m, "notes_lost %llu\n", precise->lost);
	seq_printf(m, "notes_in_use %u\n", pending);
}
