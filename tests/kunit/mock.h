/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mock: a provider whose hardware is a few tables. It checks that the core
 * keeps the contract in <linux/gpubp.h>, and complains where it does not.
 *
 * A suite sets .init = mock_init, or an own one that calls mock_init_with() or
 * mock_init_ops(), and .exit = mock_exit; test->priv is then a struct mock with
 * one registered device. mock_exit() closes the remaining
 * events, destroys the remaining contexts, and fails the test if the statistics
 * do not balance, if a cell or an owner leaked, or if the mock complained.
 * Suites with many tests that leave no state in a device share one
 * (mock_init_shared, mock_exit_shared, mock_suite_exit).
 */
#ifndef _GPUBP_KUNIT_MOCK_H
#define _GPUBP_KUNIT_MOCK_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/gpubp.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sizes.h>
#include <linux/wait.h>
#include <uapi/linux/gpubp.h>

#include "core/context.h"
#include "core/device.h"

#define MOCK_SLOTS	4
#define MOCK_SEQ	2	/* of all records */
#define MOCK_CTXS	24
#define MOCK_EVENTS	320
#define MOCK_PROBES	16
#define MOCK_WAVES	4096
#define MOCK_CELLS	256	/* a test that needs more has mock_replace_all_cells() */

/* names: both have the FNV-1a hash 0x0007001a */
#define MOCK_TWIN_A	"ydtrd"
#define MOCK_TWIN_B	"gckxr"

/* each context has memory here, zeroed at first */
#define MOCK_VA		0x100000ULL
#define MOCK_SIZE	SZ_64K
/* tests put instructions here, watched data is below */
#define MOCK_CODE	(MOCK_VA + 0x8000)
/* the trap handler is here */
#define MOCK_HANDLER_VA	0x7f0000000000ULL
/* with caps.records: what is allocated after it */
#define MOCK_RING_VA	0x7f8000000000ULL

struct mock;

/**
 * struct mock_ctx - an address space of the mock GPU
 * @m: the mock
 * @ctx: the core's
 * @queue: its only queue
 * @alive: ops may be called
 * @unmap: it is being destroyed: a program may include it or not
 * @mem: MOCK_SIZE bytes at MOCK_VA
 * @code: the trap handler and its memory
 * @code_size: bytes of @code, 0 none
 * @ring: the ring of hits that waves record
 * @ring_size: bytes of @ring, 0 none
 * @mem_broken: mem_rw fails for both
 * @map_broken: code_map fails
 * @on_map: called in code_map, if it is set
 * @flush_err: what flush returns
 * @tma: the handler's memory, 0 not installed
 * @code_err: what code_alloc returns
 * @code_allocs: calls of code_alloc
 * @prog: its part of the last program
 * @valid: slots that are active, without those that failed
 * @vmid: where it is resident
 * @doorbell: of @queue
 * @pasid: of the context
 */
struct mock_ctx {
	struct mock *m;
	struct gpubp_ctx *ctx;
	struct gpubp_queue *queue;
	bool alive;
	bool unmap;
	u8 *mem;
	u8 *code;
	size_t code_size;
	u8 *ring;
	size_t ring_size;
	bool mem_broken;
	bool map_broken;
	void (*on_map)(struct mock_ctx *c);
	int flush_err;
	u64 tma;
	int code_err;
	atomic_t code_allocs;
	struct gpubp_ctx_prog prog;
	u32 valid;
	u32 vmid;
	u32 doorbell;
	u32 pasid;
};

/**
 * struct mock_probe - an address whose armed quanta are counted
 * @ctx: context
 * @addr: address
 * @armed: quanta in which it was armed
 * @gap: current number of consecutive quanta in which it was not
 * @max_gap: the largest @gap
 */
struct mock_probe {
	struct mock_ctx *ctx;
	u64 addr;
	unsigned int armed;
	unsigned int gap;
	unsigned int max_gap;
};

/**
 * struct mock - the GPU and what it recorded
 * @dev: the core's device
 * @ops: ops to register with: mock_ops, or a suite's own
 * @isa: likewise: gfx90a, or NULL for a device whose waves run no handler
 * @pid: the thread of the test
 * @lock: protects the fields from here to @probes
 * @ctxs: contexts, dead ones included
 * @nr_ctxs: entries of @ctxs
 * @doorbells: gpubp_ctx_desc.doorbells of those that come
 * @slot: the device-wide part of the last program
 * @failing: slots that cannot be programmed
 * @forgot: a reset happened: the next program must name every context
 * @loose: resets come at any time: do not compare with the last program
 * @keep_window: do not drain: hits of the old program may arrive at any time
 * @window_ns: likewise, until that long after a commit
 * @pending: what a commit returns as pending
 * @seq: number of the last commit
 * @in_commit: called by commit, with its number, before it returns
 * @commit_ms: duration of a commit
 * @commit_began: start of the last commit, ns of CLOCK_MONOTONIC
 * @commit_ended: end of the last commit
 * @nr_commits: number of completed commits
 * @quantum: number of the quantum that the last commit began, 0 unknown
 * @nr_quanta: quanta counted by @probes, with a commit or without
 * @probes: addresses whose armed quanta are counted
 * @nr_probes: entries of @probes
 * @committing: a commit is in progress
 * @registered: the device is registered
 * @busy: what acquire returns
 * @elsewhere: slots that acquire does not grant
 * @acquired: slots acquired and not released
 * @quiesced: calls of quiesce
 * @vgprs: registers of every wave, lane by lane; a test that changes them waits
 *	until the hits that need them are resolved
 * @wave_gone: read_wave fails
 * @wave_moved: the wave's record was overwritten by another wave
 * @kept: registers of the last wave with all of its record
 * @restoring: that many reads of these are of a wave in a handler
 * @mem_broken: mem_rw fails for the handler's memory and the ring, of all contexts
 * @mem_busy: so many mem_rw of it return -EAGAIN
 * @checked: what the handler decides is checked: its image, and places of the ring, have
 *	what belongs to that
 * @in_code_alloc: called by code_alloc
 * @gate: read_wave waits until it is open
 * @at_gate: number of read_wave calls that reached the gate
 * @next_wave: id of the wave of the next hit
 * @taken: by wave: how often the core took it
 * @done: by wave: how often the core resumed it
 * @in_hit_done: called by hit_done
 * @nr_complaints: breaches of the contract
 * @complaint: the first one
 * @events: open events
 * @nr_events: entries of @events
 */
struct mock {
	struct gpubp_device *dev;
	const struct gpubp_ops *ops;
	const struct gpubp_isa *isa;
	struct pid *pid;
	struct mutex lock;
	struct mock_ctx ctxs[MOCK_CTXS];
	unsigned int nr_ctxs;
	u32 doorbells;
	struct gpubp_slot_prog slot[GPUBP_MAX_SLOTS];
	u32 failing;
	bool forgot;
	bool loose;
	bool keep_window;
	u64 window_ns;
	u64 pending;
	u64 seq;
	void (*in_commit)(struct mock *m, u64 seq);
	unsigned int commit_ms;
	u64 commit_began;
	u64 commit_ended;
	unsigned int nr_commits;
	u64 quantum;
	unsigned int nr_quanta;
	struct mock_probe probes[MOCK_PROBES];
	unsigned int nr_probes;
	atomic_t committing;
	bool registered;
	int busy;
	u32 elsewhere;
	u32 acquired;
	unsigned int quiesced;
	u32 vgprs[16][GPUBP_MAX_LANES];
	bool wave_gone;
	bool wave_moved;
	u32 kept[GPUBP_MAX_RECORD_VALUES];
	unsigned int restoring;
	bool mem_broken;
	atomic_t mem_busy;
	bool checked;
	void (*in_code_alloc)(struct mock *m);
	struct completion gate;
	atomic_t at_gate;
	atomic_t next_wave;
	atomic_t taken[MOCK_WAVES];
	atomic_t done[MOCK_WAVES];
	void (*in_hit_done)(struct mock *m);
	atomic_t nr_complaints;
	char complaint[128];
	struct perf_event *events[MOCK_EVENTS];
	unsigned int nr_events;
};

/* mock.c: the device, contexts, the checks at the end of a test */
extern const struct gpubp_caps mock_caps;

int mock_init(struct kunit *test);
int mock_init_with(struct kunit *test, const struct gpubp_caps *caps);
int mock_init_ops(struct kunit *test, const struct gpubp_ops *ops,
		  const struct gpubp_caps *caps);
struct mock *mock_replace(struct kunit *test, const struct gpubp_caps *caps);
void mock_exit(struct kunit *test);
void mock_all_cells(struct kunit *test);
void mock_replace_all_cells(struct kunit *test);
void mock_never_throttle(struct kunit *test);
void mock_suite_exit(struct kunit_suite *suite);
int mock_init_shared(struct kunit *test);
void mock_exit_shared(struct kunit *test);
struct mock *mock_alloc(struct kunit *test);
int mock_register(struct mock *m, const struct gpubp_caps *caps);
void mock_unregister(struct mock *m);
struct mock_ctx *mock_ctx(struct kunit *test);
struct gpubp_queue *mock_queue(struct gpubp_ctx *ctx, struct pid *creator,
			       u32 id, u32 doorbell);
struct mock_ctx *mock_ctx_of(struct kunit *test, struct pid *pid);
void mock_ctx_destroy(struct mock_ctx *c);
void mock_settle(struct mock *m);
void mock_quiesce(struct kunit *test);
s64 mock_stat(struct mock *m, enum gpubp_stat s);
void mock_expect_stats_balance(struct kunit *test);

/* mock_ops.c: memory, waves, ownership of comparators */
extern const struct gpubp_ops mock_ops;

__printf(2, 3) void mock_complain(struct mock *m, const char *fmt, ...);
void mock_check_caller(struct mock *m, const char *op);
void mock_check_ctx(struct mock_ctx *c, const char *op);
u32 mock_mark(const struct mock *m, unsigned int record);
unsigned int mock_record(u64 wave);
void mock_gate_close(struct mock *m);
void mock_gate_open(struct mock *m);

/* mock_commit.c: the comparators */
void mock_commit(void *priv, const struct gpubp_program *prog,
		 struct gpubp_commit_result *res);
u32 mock_slots(struct mock_ctx *c, u64 addr);
u32 mock_valid(struct mock *m);
void mock_reset(struct mock *m);
void mock_resume(struct mock *m);
unsigned int mock_commits(struct mock *m);
void mock_probe(struct mock_ctx *c, u64 addr);
void mock_probes_restart(struct mock *m);
bool mock_wait_commits(struct mock *m, unsigned int nr);
void mock_commits_wait(struct mock *m);
void mock_commits_go_on(struct mock *m);
bool mock_is_idle(struct mock *m);

/* mock_param.c: module parameters */
void mock_param(struct kunit *test, const char *name, unsigned int value);
void mock_short_quanta(struct kunit *test);
int mock_init_short(struct kunit *test);

/**
 * struct mock_stop - a wave that stopped
 * @pc: where it resumes
 * @exec: active lanes
 * @slots: comparators that matched
 * @time: when, 0: now
 * @without: GPUBP_HITF_* that the interrupt does not report
 * @trap_id: of the s_trap at @pc; 0: none
 * @illegal: an illegal instruction is at @pc
 * @trapsts: further enabled bits of TRAPSTS
 * @no_record: the handler stored nothing
 * @not_ours: no handler of ours stopped it
 * @no_coords: the dispatcher gave it no coordinates
 */
struct mock_stop {
	u64 pc;
	u64 exec;
	u32 slots;
	u64 time;
	u32 without;
	u8 trap_id;
	bool illegal;
	u32 trapsts;
	bool no_record;
	bool not_ours;
	bool no_coords;
};

/* mock_hit.c: stopped waves */
struct gpubp_hit mock_hit(struct mock_ctx *c, const struct mock_stop *stop);
enum gpubp_verdict mock_report(struct mock *m, const struct gpubp_hit *hit);
enum gpubp_verdict mock_raise(struct mock_ctx *c, const struct mock_stop *stop);
u64 mock_put_insn(struct mock_ctx *c, u32 word0, u32 word1);
void mock_lane_addr(struct mock *m, unsigned int lane, u64 addr);
enum gpubp_verdict mock_store(struct mock_ctx *c, u64 addr);

/* gfx9 instructions, address in v[0:1], data in v2 */
#define INSN_STORE		0xdc708000, 0x007f0200	/* global_store_dword */
#define INSN_LOAD		0xdc508000, 0x057f0000	/* load_dword v5 */
#define INSN_LOAD_CLOBBER	0xdc508000, 0x007f0000	/* load_dword v0 */
#define INSN_ATOMIC		0xdd088000, 0x007f0200	/* global_atomic_add */
#define INSN_NOPS		0xbf800000, 0xbf800000	/* s_nop 0, twice */

/* mock_event.c: perf events of the PMU on threads */

/**
 * struct mock_kept - of an event's samples, or of the tracepoint
 * @rec: the last record
 * @nr: number of records
 */
struct mock_kept {
	struct gpubp_hit_record rec;
	int nr;
};

void mock_keep(struct perf_event *event, struct perf_sample_data *data,
	       struct pt_regs *regs);
struct perf_event_attr mock_attr(u64 addr, u64 len, u32 access);
struct perf_event *mock_open_attr(struct kunit *test,
				  struct perf_event_attr *attr,
				  struct task_struct *task,
				  perf_overflow_handler_t handler, void *data);
struct perf_event *mock_open_attr_on(struct kunit *test,
				     struct perf_event_attr *attr,
				     struct task_struct *task, int cpu,
				     perf_overflow_handler_t handler,
				     void *data);
struct perf_event *mock_open_on(struct kunit *test,
				struct perf_event_attr *attr,
				struct task_struct *task, int cpu);
struct perf_event *mock_open(struct kunit *test, u64 addr, u64 len,
			     u32 access);
struct gpubp_filter *mock_condition(struct kunit *test,
				    const struct gpubp_condition *condition);
u64 mock_with_condition(u64 len, const struct gpubp_filter *filter);
void mock_close(struct mock *m, struct perf_event *event);
const struct cred *mock_become(struct kunit *test, kuid_t uid,
			       struct cred **mine);
void mock_become_root(const struct cred *old, struct cred *mine);
u64 mock_count(struct perf_event *event);

/* threads that own something; stopped at the end of the test at the latest */
struct task_struct *mock_thread(struct kunit *test);
struct task_struct *mock_thread_in(struct kunit *test, unsigned int state);
struct task_struct *mock_moving_thread(struct kunit *test);
void mock_thread_end(struct kunit *test, struct task_struct *thread);

#endif /* _GPUBP_KUNIT_MOCK_H */
