/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by all cases. Statistics, comparators in use and armed watches are
 * read from the core's own objects; everything else goes through perf events
 * and the ops, like a user would do it.
 */
#ifndef _GPUBP_CONFORM_CONFORM_H
#define _GPUBP_CONFORM_CONFORM_H

#include <linux/delay.h>
#include <linux/gpubp_conform.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <uapi/linux/gpubp.h>

#include "core/context.h"
#include "core/device.h"
#include "core/stats.h"

#define CONFORM_CTXS	8
#define CONFORM_EVENTS	48
#define CONFORM_WAVES	8

#define LOAD	GPUBP_ACCESS_LOAD
#define STORE	GPUBP_ACCESS_STORE
#define ATOMIC	GPUBP_ACCESS_ATOMIC

/**
 * struct conform - a running case
 * @rig: its rig
 * @dev: its device, NULL while it is unplugged
 * @caps: what it declares
 * @raised: value of rig->raised() when @stat was taken
 * @recorded: hits that waves had recorded then
 * @stat: the statistics when the case began or the device was last plugged in
 * @ctx: contexts
 * @nr_ctxs: entries of @ctx
 * @event: open events
 * @nr_events: entries of @event
 */
struct conform {
	const struct gpubp_rig *rig;
	struct gpubp_device *dev;
	struct gpubp_caps caps;
	u64 raised;
	s64 recorded;
	s64 stat[GPUBP_NR_STATS];
	struct gpubp_rig_ctx ctx[CONFORM_CTXS];
	unsigned int nr_ctxs;
	struct perf_event *event[CONFORM_EVENTS];
	unsigned int nr_events;
};

/* skip the case with the reason @why unless @cond */
#define conform_need(test, cond, why)					\
do {									\
	struct conform *_c = (test)->priv;				\
	if (!(cond))							\
		kunit_skip(test, "%s: " why, _c->rig->name);		\
} while (0)

#define conform_need_slots(test)					\
	conform_need(test, _c->caps.nr_slots, "no comparators")

#define conform_need_run(test)						\
	conform_need(test, _c->rig->run, "no waves")

#define conform_need_start(test)					\
	conform_need(test, _c->rig->start, "no waves that run for long")

/* how long conform_is_stopped() observes */
#define CONFORM_STOPPED_MS	200

extern int conform_timeout_ms;

static inline ktime_t conform_in_ms(unsigned int ms)
{
	return ktime_add_ms(ktime_get(), ms);
}

/*
 * False if @cond did not become true in time. @cond is checked once more after
 * the timeout and a pause in which other threads run.
 */
#define conform_wait(cond)						\
({									\
	ktime_t _end = conform_in_ms(conform_timeout_ms);			\
	bool _ok, _late = false;					\
	while (!(_ok = (cond)) && !_late) {				\
		_late = ktime_after(ktime_get(), _end);			\
		msleep(5);						\
	}								\
	_ok;								\
})

/* rig.c: contexts, events, waves, the checks at the end of a case */
void conform_device_plugged(struct conform *c);
struct gpubp_rig_ctx *conform_ctx(struct kunit *test);
struct gpubp_rig_ctx *conform_ctx_as(struct kunit *test, bool fenced,
				     u32 max_stall_us);
void conform_destroy_ctxs(struct kunit *test);
void conform_settle(struct kunit *test);
void conform_armed(struct kunit *test);
void conform_armed_at(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va);
void conform_quiesce(struct kunit *test);
s64 conform_stat(struct conform *c, enum gpubp_stat s);
s64 conform_commits(struct conform *c);
void conform_expect_stats(struct kunit *test);

/* hits take @ms to resolve from now on, if the rig can do that; 0: no delay */
static inline void conform_slow_reads(struct conform *c, unsigned int ms)
{
	if (c->rig->slow_reads)
		c->rig->slow_reads(c->rig->gpu, ms);
}

/* access.c: accesses by waves */
void conform_access(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va,
		    u8 len, u8 kind);
void conform_store(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va);
void conform_start(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va);
void conform_end(struct kunit *test, struct gpubp_rig_ctx *ctx);
u32 conform_peek(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va);
bool conform_is_running(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va);
bool conform_is_stopped(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 va);
unsigned int conform_waves(struct kunit *test, struct gpubp_rig_ctx *ctx,
			   struct gpubp_wave_info *info);
int conform_halt(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 wave);
int conform_resume(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 wave);
int conform_step(struct kunit *test, struct gpubp_rig_ctx *ctx, u64 wave);

/* event.c: perf events on this thread */
struct perf_event_attr conform_attr(u64 addr, u64 len, u32 access);
struct perf_event *conform_try_event(struct kunit *test,
				     struct perf_event_attr *attr);
struct perf_event *conform_event(struct kunit *test, u64 addr, u64 len,
				 u32 access);
struct perf_event *conform_event_of(struct kunit *test,
				    struct gpubp_rig_ctx *ctx, u64 addr,
				    u64 len, u32 access);
void conform_close(struct kunit *test, struct perf_event *event);
u64 conform_count(struct perf_event *event);

/* the cases */
#define GPUBP_CONFORM_DECLARE(_name) \
	void conform_##_name(struct kunit *test);
GPUBP_CONFORM_CASES(GPUBP_CONFORM_DECLARE)

#endif /* _GPUBP_CONFORM_CONFORM_H */
