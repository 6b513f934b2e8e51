// SPDX-License-Identifier: GPL-2.0
/*
 * Resolve: the instruction, the accessed bytes and the watch of a hit, each
 * checked by a counting event.
 */
#include "event/event.h"
#include "mock.h"
#include "sched/sched.h"
#include "sched/watch.h"

#define BLOCK	(MOCK_VA + 0x1000)	/* 64 bytes: a comparator's range */
#define ADDR	(BLOCK + 16)
#define LOAD	GPUBP_ACCESS_LOAD
#define STORE	GPUBP_ACCESS_STORE
#define ATOMIC	GPUBP_ACCESS_ATOMIC
#define ANY	(LOAD | STORE | ATOMIC)

enum trouble {
	WAVE_GONE = 1,		/* its registers cannot be read */
	MEM_BROKEN,		/* the handler's memory cannot be read */
	NO_RECORD,		/* the record is empty */
	NO_POSITION,		/* the index of the record is not reported */
	MOVED,			/* record reused by another wave since */
	RESTORING,		/* likewise, and is being restored */
	NOT_OURS,		/* likewise, and no handler of ours stopped it */
	GONE_MAYBE_MOVED,	/* whether it was reused is unknown */
	SAVES,			/* not reused, though it could have been */
	OTHER_SLOTS,		/* not the watch's slot */
	NO_SLOTS,		/* another reason of the trap */
	BY_TRAP,		/* an s_trap, with stale watch bits */
	BY_EXCEPTION,		/* an illegal instruction, likewise */
};

struct resolve_case {
	const char *name;
	u32 insn[2];
	u64 at;			/* address that lane 0 accesses */
	u64 start, len;		/* watched range */
	u32 access;
	enum trouble trouble;
	enum gpubp_stat want;
};

static const struct resolve_case resolve_cases[] = {
	{ "store_to_it", { INSN_STORE }, ADDR, ADDR, 4, STORE, 0,
	  GPUBP_STAT_DELIVERED },
	{ "store_right_before_it", { INSN_STORE }, ADDR - 4, ADDR, 4, STORE, 0,
	  GPUBP_STAT_STRAY_BYTES },
	{ "store_to_its_first_byte", { INSN_STORE }, ADDR - 3, ADDR, 4, STORE,
	  0, GPUBP_STAT_DELIVERED },
	{ "store_to_its_last_byte", { INSN_STORE }, ADDR + 3, ADDR, 4, STORE,
	  0, GPUBP_STAT_DELIVERED },
	{ "store_right_behind_it", { INSN_STORE }, ADDR + 4, ADDR, 4, STORE, 0,
	  GPUBP_STAT_STRAY_BYTES },
	{ "store_around_one_byte", { INSN_STORE }, ADDR, ADDR + 2, 1, STORE, 0,
	  GPUBP_STAT_DELIVERED },
	{ "store_far_away", { INSN_STORE }, BLOCK + 4096, ADDR, 4, STORE, 0,
	  GPUBP_STAT_STRAY_BYTES },
	{ "load_of_a_store_watch", { INSN_LOAD }, ADDR, ADDR, 4, STORE, 0,
	  GPUBP_STAT_STRAY_KIND },
	{ "load_of_a_load_watch", { INSN_LOAD }, ADDR, ADDR, 4, LOAD, 0,
	  GPUBP_STAT_DELIVERED },
	{ "store_to_a_load_watch", { INSN_STORE }, ADDR, ADDR, 4, LOAD, 0,
	  GPUBP_STAT_STRAY_KIND },
	{ "atomic_on_an_atomic_watch", { INSN_ATOMIC }, ADDR, ADDR, 4, ATOMIC,
	  0, GPUBP_STAT_DELIVERED },
	{ "atomic_on_a_store_watch", { INSN_ATOMIC }, ADDR, ADDR, 4, STORE, 0,
	  GPUBP_STAT_STRAY_KIND },
	{ "atomic_by_default", { INSN_ATOMIC }, ADDR, ADDR, 4, 0, 0,
	  GPUBP_STAT_DELIVERED },

	/* the load overwrites its own address */
	{ "clobbering_load", { INSN_LOAD_CLOBBER }, ADDR, ADDR, 4, LOAD, 0,
	  GPUBP_STAT_POSSIBLE },
	{ "clobbering_load_elsewhere", { INSN_LOAD_CLOBBER }, ADDR + 8, ADDR, 4,
	  LOAD, 0, GPUBP_STAT_POSSIBLE },
	{ "clobbering_load_of_a_store_watch", { INSN_LOAD_CLOBBER }, ADDR, ADDR,
	  4, STORE, 0, GPUBP_STAT_STRAY_KIND },
	{ "clobbering_load_of_a_whole_block", { INSN_LOAD_CLOBBER }, ADDR,
	  BLOCK, 64, LOAD, 0, GPUBP_STAT_DELIVERED },
	{ "wave_gone", { INSN_STORE }, ADDR, ADDR, 4, STORE, WAVE_GONE,
	  GPUBP_STAT_POSSIBLE },
	{ "wave_gone_whole_block", { INSN_STORE }, ADDR, BLOCK, 64, STORE,
	  WAVE_GONE, GPUBP_STAT_DELIVERED },

	/* the instruction before the pc is no access */
	{ "unknown_instruction", { INSN_NOPS }, ADDR, ADDR, 4, STORE, 0,
	  GPUBP_STAT_POSSIBLE },
	{ "unknown_instruction_any_access_whole_block", { INSN_NOPS }, ADDR,
	  BLOCK, 64, ANY, 0, GPUBP_STAT_DELIVERED },
	{ "unknown_instruction_store_watch_whole_block", { INSN_NOPS }, ADDR,
	  BLOCK, 64, STORE, 0, GPUBP_STAT_POSSIBLE },

	{ "memory_broken", { INSN_STORE }, ADDR, ADDR, 4, STORE, MEM_BROKEN,
	  GPUBP_STAT_DROP_RECORD },
	{ "no_record", { INSN_STORE }, ADDR, ADDR, 4, STORE, NO_RECORD,
	  GPUBP_STAT_DROP_RECORD },
	{ "no_position", { INSN_STORE }, ADDR, ADDR, 4, STORE, NO_POSITION,
	  GPUBP_STAT_DROP_RECORD },
	{ "moved", { INSN_STORE }, ADDR, ADDR, 4, STORE, MOVED,
	  GPUBP_STAT_DELIVERED },
	{ "moved_by_another_store", { INSN_STORE }, ADDR + 4, ADDR, 4, STORE,
	  MOVED, GPUBP_STAT_STRAY_BYTES },
	{ "moved_and_in_a_handler", { INSN_STORE }, ADDR, ADDR, 4, STORE,
	  RESTORING, GPUBP_STAT_DELIVERED },
	{ "moved_and_not_ours", { INSN_STORE }, ADDR, BLOCK, 64, STORE,
	  NOT_OURS, GPUBP_STAT_DROP_RECORD },
	{ "gone_maybe_moved", { INSN_STORE }, ADDR, BLOCK, 64, STORE,
	  GONE_MAYBE_MOVED, GPUBP_STAT_DROP_RECORD },
	{ "saves", { INSN_STORE }, ADDR, ADDR, 4, STORE, SAVES,
	  GPUBP_STAT_DELIVERED },
	{ "other_slots", { INSN_STORE }, ADDR, ADDR, 4, STORE, OTHER_SLOTS,
	  GPUBP_STAT_STRAY_STALE },
	{ "no_slots", { INSN_STORE }, ADDR, ADDR, 4, STORE, NO_SLOTS,
	  GPUBP_STAT_STRAY_TRAP },
	{ "watch_bits_and_a_trap", { INSN_STORE }, ADDR, ADDR, 4, STORE, BY_TRAP,
	  GPUBP_STAT_STRAY_TRAP },
	{ "watch_bits_and_an_exception", { INSN_STORE }, ADDR, ADDR, 4, STORE,
	  BY_EXCEPTION, GPUBP_STAT_STRAY_TRAP },
};
KUNIT_ARRAY_PARAM_DESC(resolve, resolve_cases, name);

static void apply_trouble(struct mock *m, struct mock_stop *stop,
			  enum trouble trouble)
{
	m->wave_gone = trouble == WAVE_GONE || trouble == GONE_MAYBE_MOVED;
	m->wave_moved = trouble == MOVED || trouble == RESTORING ||
			trouble == NOT_OURS;
	m->restoring = trouble == RESTORING ? 3 : 0;
	m->dev->desc.caps.saves_waves = m->wave_moved || trouble == SAVES ||
					trouble == GONE_MAYBE_MOVED;
	m->mem_broken = trouble == MEM_BROKEN;
	stop->no_record = trouble == NO_RECORD;
	stop->not_ours = trouble == NOT_OURS;
	stop->without = trouble == NO_POSITION ? GPUBP_HITF_POSITION : 0;
	if (trouble == OTHER_SLOTS)
		stop->slots = ~stop->slots & GENMASK(MOCK_SLOTS - 1, 0);
	if (trouble == NO_SLOTS)
		stop->slots = 0;
	stop->trap_id = trouble == BY_TRAP ? 3 : 0;
	stop->illegal = trouble == BY_EXCEPTION;
}

static void expect_all_booked_as(struct kunit *test, enum gpubp_stat want)
{
	struct mock *m = test->priv;

	mock_expect_stats_balance(test);
	KUNIT_EXPECT_EQ(test, mock_stat(m, want),
			mock_stat(m, GPUBP_STAT_RAISED));
}

static bool is_counted(enum gpubp_stat s)
{
	return s == GPUBP_STAT_DELIVERED || s == GPUBP_STAT_POSSIBLE;
}

static void resolved_as(struct kunit *test)
{
	const struct resolve_case *r = test->param_value;
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, r->start, r->len, r->access);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, r->insn[0], r->insn[1]),
		.exec = 1,
	};

	mock_settle(c->m);
	stop.slots = mock_slots(c, r->start);
	KUNIT_ASSERT_NE(test, stop.slots, 0u);
	apply_trouble(c->m, &stop, r->trouble);
	mock_lane_addr(c->m, 0, r->at);
	KUNIT_EXPECT_EQ(test, mock_raise(c, &stop), GPUBP_TAKEN);
	expect_all_booked_as(test, r->want);
	KUNIT_EXPECT_EQ(test, mock_count(event), is_counted(r->want));
}

/* one wave instruction counts once, however many lanes and slots hit */
static void many_lanes_are_one_count(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, BLOCK - 100, 256, STORE);
	struct mock_stop stop = { .exec = U64_MAX };
	int lane;

	mock_settle(c->m);
	stop.slots = mock_slots(c, BLOCK - 1) | mock_slots(c, BLOCK + 1);
	KUNIT_EXPECT_EQ(test, hweight32(stop.slots), 2u);
	stop.pc = mock_put_insn(c, INSN_STORE);
	for (lane = 0; lane < GPUBP_MAX_LANES; lane++)
		mock_lane_addr(c->m, lane, BLOCK - 128 + 4 * lane);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

/* an inactive lane stored nothing, whatever its registers contain */
static void a_lane_that_is_off_does_not_count(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);
	struct mock_stop stop = { .exec = ~BIT_ULL(17) };
	int lane;

	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	stop.pc = mock_put_insn(c, INSN_STORE);
	for (lane = 0; lane < GPUBP_MAX_LANES; lane++)
		mock_lane_addr(c->m, lane, BLOCK + 4096 + 4 * lane);
	mock_lane_addr(c->m, 17, ADDR);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_STRAY_BYTES);
	stop.exec = BIT_ULL(17);
	mock_raise(c, &stop);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static void no_lane_is_on(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = { .pc = mock_put_insn(c, INSN_STORE) };

	mock_open(test, ADDR, 4, STORE);
	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_STRAY_BYTES);
}

#define MANY	20

/*
 * more matching watches than fit in a cell: each counts, one hit is accounted
 */
static void many_watches_hit_at_once(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *events[MANY];
	int i;

	for (i = 0; i < MANY; i++)
		events[i] = mock_open(test, ADDR, 4 + i, STORE);
	mock_settle(c->m);
	mock_store(c, ADDR);
	mock_quiesce(test);
	mock_store(c, ADDR + 2);
	expect_all_booked_as(test, GPUBP_STAT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_DELIVERED), 2);
	for (i = 0; i < MANY; i++)
		KUNIT_EXPECT_EQ_MSG(test, mock_count(events[i]), 2,
				    "watch %d", i);
}

static void only_the_watches_that_are_hit(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *events[16];
	int i;

	for (i = 0; i < 16; i++)
		events[i] = mock_open(test, BLOCK + 4 * i, 4, STORE);
	mock_settle(c->m);
	mock_store(c, BLOCK + 4 * 5 + 2);	/* half in 5, half in 6 */
	expect_all_booked_as(test, GPUBP_STAT_DELIVERED);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ_MSG(test, mock_count(events[i]),
				    i == 5 || i == 6, "watch %d", i);
}

static void the_same_address_elsewhere(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct task_struct *thread = mock_thread(test);
	struct mock_ctx *mine = mock_ctx(test);
	struct mock_ctx *theirs = mock_ctx_of(test, task_pid(thread));
	struct perf_event *event = mock_open(test, ADDR, 4, STORE), *other;

	other = mock_open_attr(test, &attr, thread, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	mock_settle(mine->m);
	mock_store(mine, ADDR);
	mock_store(theirs, ADDR);
	mock_store(theirs, ADDR);
	expect_all_booked_as(test, GPUBP_STAT_DELIVERED);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
	KUNIT_EXPECT_EQ(test, mock_count(other), 2);
}

/* ---- time of the hit ----------------------------------------------------- */

static void raised_before_it_was_armed(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	u64 before = ktime_get_ns();
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.time = before,
	};

	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, ADDR);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_STRAY_STALE);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

/* no wave may be stopped for that long: the wave resumes, the hit is dropped */
static void raised_longer_ago_than_a_wave_may_be_stopped(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.time = ktime_get_ns() - 11 * NSEC_PER_SEC,
	};

	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, ADDR);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_DROP_STALL);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

/* no wave waits for it: it is resolved, here as one that is older than its watch */
static void raised_long_ago_without_a_wave_that_stopped(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.time = ktime_get_ns(),
	};
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);
	struct gpubp_hit hit;

	c->ctx->max_stall_ns = 1;
	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, ADDR);
	hit = mock_hit(c, &stop);
	hit.stopped = GPUBP_STOPS_NONE;
	KUNIT_EXPECT_EQ(test, mock_report(c->m, &hit), GPUBP_TAKEN);
	expect_all_booked_as(test, GPUBP_STAT_STRAY_STALE);
	KUNIT_EXPECT_EQ(test, mock_count(event), 0);
}

/* a hit in the previous slot of a watch that moved because the slot failed */
static void hit_in_the_slot_it_had(struct kunit *test, bool window,
				   enum gpubp_stat want)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
	};

	mock_open(test, ADDR, 4, STORE);
	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	c->m->keep_window = window;
	c->m->failing = stop.slots;
	mock_reset(c->m);
	mock_settle(c->m);
	mock_settle(c->m);
	KUNIT_ASSERT_NE(test, mock_slots(c, ADDR), 0u);
	KUNIT_ASSERT_NE(test, mock_slots(c, ADDR), stop.slots);
	mock_lane_addr(c->m, 0, ADDR);
	mock_raise(c, &stop);
	expect_all_booked_as(test, want);
}

static void a_hit_of_the_old_program_in_its_window(struct kunit *test)
{
	hit_in_the_slot_it_had(test, true, GPUBP_STAT_DELIVERED);
}

static void a_hit_of_the_old_program_after_all_were_drained(struct kunit *test)
{
	hit_in_the_slot_it_had(test, false, GPUBP_STAT_STRAY_STALE);
}

/* ---- hits during a commit ------------------------------------------------ */

/* the comparators are programmed, and the commit is not over */
static void store_before_the_end(struct mock *m, u64 seq)
{
	struct mock_ctx *c = &m->ctxs[0];

	if (!mock_slots(c, ADDR))
		return;
	m->in_commit = NULL;
	mock_store(c, ADDR);
	kthread_flush_worker(m->dev->resolver);
}

static void hit_during_the_commit(struct kunit *test, u64 start, u64 len,
				  enum gpubp_stat want)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *event;

	c->m->in_commit = store_before_the_end;
	event = mock_open(test, start, len, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_EQ(test, mock_stat(c->m, GPUBP_STAT_RAISED), 1);
	expect_all_booked_as(test, want);
	KUNIT_EXPECT_EQ(test, mock_count(event), is_counted(want));
}

static void a_hit_of_the_new_program_during_its_commit(struct kunit *test)
{
	hit_during_the_commit(test, ADDR, 4, GPUBP_STAT_DELIVERED);
}

/* the comparator may have had another watch when it matched */
static void no_hit_is_certain_during_a_commit(struct kunit *test)
{
	struct mock *m = test->priv;

	m->wave_gone = true;
	hit_during_the_commit(test, BLOCK, 64, GPUBP_STAT_POSSIBLE);
}

static void store_without_an_address(struct kunit *test, struct mock_ctx *c,
				     enum gpubp_stat want)
{
	mock_settle(c->m);
	c->m->wave_gone = true;
	mock_store(c, ADDR);
	expect_all_booked_as(test, want);
}

static void no_hit_is_certain_while_older_ones_may_come(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	c->m->keep_window = true;
	mock_open(test, BLOCK, 64, STORE);
	store_without_an_address(test, c, GPUBP_STAT_POSSIBLE);
}

static void a_commit_of_other_slots_changes_nothing(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	mock_open(test, BLOCK, 64, STORE);
	mock_settle(c->m);
	c->m->keep_window = true;
	mock_open(test, BLOCK + 4096, 64, STORE);
	store_without_an_address(test, c, GPUBP_STAT_DELIVERED);
}

/* ---- a device that stops with skid --------------------------------------- */

static struct mock_ctx *imprecise_ctx(struct kunit *test, u32 hit_fields)
{
	struct gpubp_caps caps = mock_caps;

	caps.precise = false;
	caps.hit_fields = hit_fields;
	mock_replace(test, &caps);
	return mock_ctx(test);
}

/* the instruction before the pc proves nothing */
static void with_skid_nothing_is_exact(struct kunit *test)
{
	struct mock_ctx *c = imprecise_ctx(test, 0);

	mock_open(test, ADDR, 4, STORE);
	mock_settle(c->m);
	KUNIT_EXPECT_FALSE(test, c->prog.precise);
	mock_store(c, ADDR);
	expect_all_booked_as(test, GPUBP_STAT_POSSIBLE);
}

/* the store before the pc went elsewhere; an earlier one hit */
static void with_skid_another_store_is_in_front(struct kunit *test)
{
	struct mock_ctx *c = imprecise_ctx(test, 0);
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
	};

	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, BLOCK + 4096);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_POSSIBLE);
	KUNIT_EXPECT_EQ(test, mock_count(event), 1);
}

static void with_skid_a_whole_block_is_no_proof(struct kunit *test)
{
	struct mock_ctx *c = imprecise_ctx(test, 0);

	mock_open(test, BLOCK, 64, ANY);
	mock_settle(c->m);
	mock_store(c, ADDR);
	expect_all_booked_as(test, GPUBP_STAT_POSSIBLE);
}

/* exec is read at the stop: the lane that stored may be inactive by then */
static void with_skid_the_record_claims_nothing(struct kunit *test)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct mock_ctx *c = imprecise_ctx(test, 0);
	struct mock_kept *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	u64 pc = mock_put_insn(c, INSN_STORE);
	struct mock_stop stop = { .pc = pc, .exec = 2 };

	KUNIT_ASSERT_NOT_NULL(test, k);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	KUNIT_ASSERT_FALSE(test, IS_ERR(mock_open_attr(test, &attr, current,
						       mock_keep, k)));
	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 1, ADDR);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_POSSIBLE);
	KUNIT_ASSERT_EQ(test, k->nr, 1);
	KUNIT_EXPECT_EQ(test, k->rec.addr_state, GPUBP_ADDR_UNKNOWN);
	KUNIT_EXPECT_EQ(test, k->rec.flags & (GPUBP_HIT_PC_EXACT |
					      GPUBP_HIT_POSSIBLE),
			GPUBP_HIT_POSSIBLE);
	KUNIT_EXPECT_EQ(test, k->rec.pc, pc);
	KUNIT_EXPECT_EQ(test, k->rec.lanes, U64_MAX);
	KUNIT_EXPECT_EQ(test, k->rec.exec, 2);
	KUNIT_EXPECT_EQ(test, k->rec.width, 0);
	KUNIT_EXPECT_EQ(test, k->rec.access, 0);
	KUNIT_EXPECT_EQ(test, k->rec.nr_merged, 1);
}

static int try_precise(struct kunit *test, unsigned int precise_ip)
{
	struct perf_event_attr attr = mock_attr(ADDR, 4, STORE);
	struct perf_event *event;

	attr.precise_ip = precise_ip;
	event = mock_open_attr(test, &attr, current, NULL, NULL);
	return PTR_ERR_OR_ZERO(event);
}

/* precise_ip that is unsupported is refused, not silently set to 0 */
static void with_skid_precise_events_are_refused(struct kunit *test)
{
	imprecise_ctx(test, 0);
	KUNIT_EXPECT_EQ(test, try_precise(test, 0), 0);
	KUNIT_EXPECT_EQ(test, try_precise(test, 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, try_precise(test, 2), -EOPNOTSUPP);
}

static void with_skid_the_device_may_tell_the_address(struct kunit *test)
{
	imprecise_ctx(test, GPUBP_HITF_ADDR);
	KUNIT_EXPECT_EQ(test, try_precise(test, 1), 0);
	KUNIT_EXPECT_EQ(test, try_precise(test, 2), -EOPNOTSUPP);
}

static s64 strays_of(struct perf_event *event)
{
	struct gpubp_event *gev = event->pmu_private;

	return atomic64_read(&gev->strays);
}

/* no event wants those bytes: counted by the events of the slot that matched */
static void a_stray_is_told_to_those_in_its_slot(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct perf_event *in[2] = {
		mock_open(test, ADDR, 4, STORE),
		mock_open(test, ADDR + 8, 4, STORE),
	}, *elsewhere = mock_open(test, BLOCK + 4096, 4, STORE);
	struct gpubp_watch *w;

	mock_settle(c->m);
	KUNIT_ASSERT_EQ(test, mock_slots(c, ADDR), mock_slots(c, ADDR + 4));
	mock_store(c, ADDR + 4);
	expect_all_booked_as(test, GPUBP_STAT_STRAY_BYTES);
	KUNIT_EXPECT_EQ(test, strays_of(in[0]), 1);
	KUNIT_EXPECT_EQ(test, strays_of(in[1]), 1);
	KUNIT_EXPECT_EQ(test, strays_of(elsewhere), 0);
	mock_store(c, ADDR);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ_MSG(test, strays_of(in[1]), 1, "an event wants it");
	scoped_guard(mutex, &c->m->dev->lock) {
		w = gpubp_watch_first(c->ctx, ADDR, ADDR);
		KUNIT_ASSERT_NOT_NULL(test, w);
		w->strays = U32_MAX;
	}
	mock_store(c, ADDR + 4);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ_MSG(test, w->strays, U32_MAX, "or more");
}

/* neither armed now nor armed when the hit was raised */
static void a_stray_of_another_time_is_nobodys(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);
	struct mock_stop stop = {
		.pc = mock_put_insn(c, INSN_STORE),
		.exec = 1,
		.time = ktime_get_ns(),
	};
	struct perf_event *event = mock_open(test, ADDR, 4, STORE);

	mock_settle(c->m);
	stop.slots = mock_slots(c, ADDR);
	mock_lane_addr(c->m, 0, ADDR + 4);
	mock_raise(c, &stop);
	expect_all_booked_as(test, GPUBP_STAT_STRAY_BYTES);
	KUNIT_EXPECT_EQ(test, strays_of(event), 0);
	stop.time = 0;
	mock_raise(c, &stop);
	mock_quiesce(test);
	KUNIT_EXPECT_EQ(test, strays_of(event), 1);
}

static struct kunit_case resolve_test_cases[] = {
	KUNIT_CASE_PARAM(resolved_as, resolve_gen_params),
	KUNIT_CASE(many_lanes_are_one_count),
	KUNIT_CASE(a_lane_that_is_off_does_not_count),
	KUNIT_CASE(no_lane_is_on),
	KUNIT_CASE(many_watches_hit_at_once),
	KUNIT_CASE(only_the_watches_that_are_hit),
	KUNIT_CASE(the_same_address_elsewhere),
	KUNIT_CASE(a_stray_is_told_to_those_in_its_slot),
	KUNIT_CASE(a_stray_of_another_time_is_nobodys),
	KUNIT_CASE(raised_before_it_was_armed),
	KUNIT_CASE(raised_longer_ago_than_a_wave_may_be_stopped),
	KUNIT_CASE(raised_long_ago_without_a_wave_that_stopped),
	KUNIT_CASE(a_hit_of_the_old_program_in_its_window),
	KUNIT_CASE(a_hit_of_the_old_program_after_all_were_drained),
	KUNIT_CASE(a_hit_of_the_new_program_during_its_commit),
	KUNIT_CASE(no_hit_is_certain_during_a_commit),
	KUNIT_CASE(no_hit_is_certain_while_older_ones_may_come),
	KUNIT_CASE(a_commit_of_other_slots_changes_nothing),
	KUNIT_CASE(with_skid_nothing_is_exact),
	KUNIT_CASE(with_skid_another_store_is_in_front),
	KUNIT_CASE(with_skid_a_whole_block_is_no_proof),
	KUNIT_CASE(with_skid_the_record_claims_nothing),
	KUNIT_CASE(with_skid_precise_events_are_refused),
	KUNIT_CASE(with_skid_the_device_may_tell_the_address),
	{}
};

static struct kunit_suite resolve_test_suite = {
	.name = "gpubp_resolve",
	.init = mock_init,
	.exit = mock_exit,
	.test_cases = resolve_test_cases,
};
kunit_test_suite(resolve_test_suite);
