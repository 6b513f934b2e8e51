/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpubp: the conformance suite for providers.
 *
 * A provider comes with a rig: functions by which tests create contexts on its
 * device, let waves access memory, and provoke device events such as resets.
 * Members described as optional may be NULL: cases that need them are skipped,
 * with a reason. The module of the rig contains
 *
 *	gpubp_conform_suite(my_rig);
 *
 * and is loaded after the provider and gpubp_conform. KUnit then runs the suite
 * "gpubp_conform_my_rig". See Documentation/gpubp/driver/new-gpu.rst.
 */
#ifndef _LINUX_GPUBP_CONFORM_H
#define _LINUX_GPUBP_CONFORM_H

#include <kunit/test.h>
#include <linux/gpubp.h>

/**
 * struct gpubp_rig_access - one access by a wave with one active lane
 * @va: address
 * @len: 1, 2, 4 or 8 bytes; atomics have 4
 * @kind: one GPUBP_ACCESS_* (include/uapi/linux/gpubp.h)
 */
struct gpubp_rig_access {
	u64 va;
	u8 len;
	u8 kind;
};

/**
 * struct gpubp_rig_ctx - a context with one queue, for a test
 * @rig: the rig that created it
 * @gpu: gpubp_rig.gpu
 * @fenced: in: as struct gpubp_ctx_desc
 * @max_stall_us: in: as struct gpubp_ctx_desc
 * @core: out: the core's object
 * @doorbell: out: doorbell of its queue
 * @data: out: memory that waves read and write, zeroed, page-aligned
 * @size: out: bytes of @data, at least 0x8000; nothing is mapped behind it
 * @priv: private data of the rig
 */
struct gpubp_rig_ctx {
	const struct gpubp_rig *rig;
	void *gpu;
	bool fenced;
	u32 max_stall_us;
	struct gpubp_ctx *core;
	u32 doorbell;
	u64 data;
	u64 size;
	void *priv;
};

/**
 * struct gpubp_rig - functions by which tests control a device
 * @name: for messages
 * @gpu: private data of the rig, first argument of functions without a context
 * @own_devices: each context is the only one of a device that comes and goes with it;
 *	@device returns that of the first context of a case, before and after it is
 *	created
 * @read_only: mem_rw writes nothing
 * @device: return the device as it is registered now
 * @ctx_create: create a context and a queue of the calling thread. 0, an errno,
 *	or -EOPNOTSUPP for a fenced context if the device has none
 * @ctx_destroy: undo @ctx_create; running waves are killed
 * @task: return the task, referenced, that a context belongs to, or NULL if it
 *	is gone: events are opened on that of a case's first context. Optional,
 *	for contexts that are not the calling thread's
 * @run: run one wave that does @nr accesses one by one and ends. Returns when
 *	it has ended, or -ETIMEDOUT after a long time. Optional
 * @start: start a wave that repeats @nr accesses forever; several waves may be
 *	started. Optional
 * @finish: make started waves end soon, or when they continue. Optional, with
 *	@start
 * @wait: wait until all waves have ended, or -ETIMEDOUT. Optional, with @start
 * @settle: wait until the hits of work that has ended are reported. Optional: they are
 *	before its end is known
 * @run_break: run a wave that executes one breakpoint in memory, and ends.
 *	Returns as @run. Optional
 * @nr_stopped: return the number of waves of the device stopped now by a hit or
 *	a halt
 * @raised: return the number of hits reported since the device was registered
 * @complaint: return the first breach of the contract that the provider
 *	noticed, or NULL. Optional
 * @reset: reset the device, which loses its state and reports that. Optional
 * @suspend: take the power of the device away, until @resume. Optional
 * @resume: undo @suspend
 * @unplug: unregister the device; it has no contexts. Optional
 * @plug: register the device again; 0 or an errno
 * @lose: let another user take comparators. Optional
 * @give_back: undo @lose
 * @fail: from now on, programming exactly these comparators fails. Optional
 * @acquired: return the comparators that the core has acquired. Optional
 * @slow_reads: delay ops that read memory or registers by so many ms. Optional
 * @refuse_suspend: ops->ctx_suspend returns -ETIMEDOUT from now on, or no
 *	longer. Optional
 *
 * Functions without @ctx get @gpu. All may sleep.
 */
struct gpubp_rig {
	const char *name;
	void *gpu;
	bool own_devices;
	bool read_only;
	struct gpubp_device *(*device)(void *gpu);
	int (*ctx_create)(struct gpubp_rig_ctx *ctx);
	void (*ctx_destroy)(struct gpubp_rig_ctx *ctx);
	struct task_struct *(*task)(struct gpubp_rig_ctx *ctx);
	int (*run)(struct gpubp_rig_ctx *ctx,
		   const struct gpubp_rig_access *accesses, unsigned int nr);
	int (*start)(struct gpubp_rig_ctx *ctx,
		     const struct gpubp_rig_access *accesses, unsigned int nr);
	void (*finish)(struct gpubp_rig_ctx *ctx);
	int (*wait)(struct gpubp_rig_ctx *ctx);
	void (*settle)(struct gpubp_rig_ctx *ctx);
	int (*run_break)(struct gpubp_rig_ctx *ctx);
	unsigned int (*nr_stopped)(void *gpu);
	u64 (*raised)(void *gpu);
	const char *(*complaint)(void *gpu);
	void (*reset)(void *gpu);
	void (*suspend)(void *gpu);
	void (*resume)(void *gpu);
	void (*unplug)(void *gpu);
	int (*plug)(void *gpu);
	void (*lose)(void *gpu, u32 slots);
	void (*give_back)(void *gpu, u32 slots);
	void (*fail)(void *gpu, u32 slots);
	u32 (*acquired)(void *gpu);
	void (*slow_reads)(void *gpu, unsigned int ms);
	void (*refuse_suspend)(void *gpu, bool refuse);
};

/* all cases; GPUBP_CONFORM_CASES(X) expands to X(name) for each of them */
#define GPUBP_CONFORM_CASES(X)						\
	/* contexts and queues */					\
	X(what_is_not_used_costs_no_commit)				\
	X(a_doorbell_has_one_queue)					\
	X(slots_are_acquired_and_released)				\
	/* watches */							\
	X(a_device_without_comparators_refuses_watches)			\
	X(a_store_in_the_watch_counts_one)				\
	X(accesses_outside_count_none)					\
	X(holes_of_a_mask_compare_nothing)				\
	X(each_kind_of_access_counts_where_it_is_asked_for)		\
	X(accesses_that_begin_outside_count)				\
	X(unaligned_and_straddling_accesses_count)			\
	X(two_slots_that_match_count_one)				\
	X(more_watches_than_slots_are_all_seen)				\
	X(a_strangers_context_counts_nothing)				\
	/* hits */							\
	X(every_wave_goes_on)						\
	X(the_end_of_work_comes_after_its_hits)				\
	X(a_hit_after_the_watch_was_closed)				\
	X(a_context_goes_with_waves_that_hit)				\
	X(breaks_in_memory_are_reported)				\
	X(a_fenced_context_is_never_stopped)				\
	X(a_hit_resolved_too_late_is_dropped)				\
	/* what happens to a device */					\
	X(watches_survive_a_reset)					\
	X(lost_slots_leave_the_rest)					\
	X(all_slots_lost_and_returned)					\
	X(a_pinned_watch_keeps_its_slot)				\
	X(failing_slots_are_quarantined)				\
	X(watches_survive_power_loss)					\
	X(events_survive_their_device)					\
	X(resets_while_waves_hit)					\
	X(power_goes_while_waves_hit)					\
	X(slots_come_and_go_while_waves_hit)				\
	X(events_come_and_go_while_waves_hit)				\
	X(halts_while_waves_hit)					\
	/* memory */							\
	X(memory_reads_what_was_written)				\
	X(memory_is_short_at_the_end_of_a_mapping)			\
	X(memory_that_is_not_there_is_efault)				\
	X(memory_of_a_wave_needs_a_stopped_wave)			\
	X(memory_of_a_stopped_wave_can_be_read_or_not_at_all)		\
	X(mappings_are_what_memory_says)				\
	X(flushes_are_bounded)						\
	/* waves */							\
	X(waves_are_listed)						\
	X(registers_of_a_stopped_wave_are_consistent)			\
	X(registers_of_others_are_esrch)				\
	X(registers_are_written_all_or_none)				\
	X(halts_have_the_declared_scope)				\
	X(halts_nest)							\
	X(a_halt_of_a_wave_that_is_gone_stops_nobody)			\
	X(halts_nest_with_hits)						\
	X(a_step_is_one_instruction)					\
	X(a_step_that_hits_is_counted)					\
	X(a_wave_that_ends_in_a_step_is_esrch)				\
	X(a_suspended_wave_is_not_stepped)				\
	X(no_step_is_lost_in_a_suspension)				\
	X(suspended_contexts_do_not_run)				\
	X(suspended_waves_can_be_read_and_written)			\
	/* watches on running waves */					\
	X(a_late_watch_counts_what_runs)				\
	X(late_watches_come_and_go)					\
	X(a_late_watch_waits_for_its_suspension)			\
	X(a_late_watch_beside_hits)					\
	X(a_late_watch_whose_suspension_takes_long)

void gpubp_conform_case(struct kunit *test);
int gpubp_conform_init(struct kunit *test, const struct gpubp_rig *rig);
void gpubp_conform_exit(struct kunit *test);

#define GPUBP_CONFORM_KUNIT_CASE(_name)					\
	{ .run_case = gpubp_conform_case, .name = #_name,		\
	  .module_name = KBUILD_MODNAME },

/**
 * gpubp_conform_suite() - define the suite gpubp_conform_<rig> of a rig
 * @_rig: a struct gpubp_rig
 */
#define gpubp_conform_suite(_rig)					\
	static int _rig##_conform_init(struct kunit *test)		\
	{								\
		return gpubp_conform_init(test, &(_rig));		\
	}								\
	static struct kunit_case _rig##_conform_cases[] = {		\
		GPUBP_CONFORM_CASES(GPUBP_CONFORM_KUNIT_CASE)		\
		{}							\
	};								\
	static struct kunit_suite _rig##_conform_suite = {		\
		.name = "gpubp_conform_" #_rig,				\
		.init = _rig##_conform_init,				\
		.exit = gpubp_conform_exit,				\
		.test_cases = _rig##_conform_cases,			\
	};								\
	kunit_test_suite(_rig##_conform_suite)

#endif /* _LINUX_GPUBP_CONFORM_H */
