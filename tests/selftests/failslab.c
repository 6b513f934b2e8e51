// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation failures: each call of the ABI is repeated, each time with its
 * next allocation failing, until it makes no more. It then returns -ENOMEM, or
 * succeeds where the allocation is retried later; there is no other result, and
 * nothing is leaked.
 *
 * Only allocations requested by a module of ours count, not those of perf core
 * and of the rest of the kernel. Needs CONFIG_FAILSLAB, CONFIG_FAIL_PAGE_ALLOC
 * and CONFIG_FAULT_INJECTION_STACKTRACE_FILTER.
 *
 * environment:
 *	GPUBP_FAIL_SECONDS	repeat for so long; default: once
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "kselftest.h"
#include "books.h"
#include "breakcode.h"
#include "event.h"
#include "rawgpu.h"
#include "session.h"
#include "waves.h"

#define DEBUG		"/sys/kernel/debug/"
#define PATIENCE	60	/* s */
#define MAX_NTH		200
#define MEMBERS		8
#define PAGE		4096
#define FREE_VA		0x400000000ULL
#define TRAP_ID		3
#define FOREVER		0x7fffffff

/* address range of modules on x86-64 */
#define MODULES_START	"0xffffffffa0000000"
#define MODULES_END	"0xffffffffff000000"

/* ---- fault injection -------------------------------------------------------- */

static int fail_nth;	/* /proc/thread-self/fail-nth */

static int put(const char *file, const char *text)
{
	char path[128];
	int fd, err = 0;

	snprintf(path, sizeof(path), DEBUG "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* usercopy failures are not injected here: they have a test of their own */
static int set_up(void)
{
	static const char * const settings[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "failslab/require-start", MODULES_START },
		{ "failslab/require-end", MODULES_END },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
		{ "fail_page_alloc/require-start", MODULES_START },
		{ "fail_page_alloc/require-end", MODULES_END },
		{ "fail_usercopy/require-start", "1" },
		{ "fail_usercopy/require-end", "2" },
	};
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = put(settings[i][0], settings[i][1]);
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_nth < 0 ? -errno : err;
}

static void arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fail_nth, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth\n");
}

/* stop injecting; true if an allocation has failed */
static bool disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		ksft_exit_fail_msg("fail-nth\n");
	arm(0);
	return !atoi(text);
}

/* ---- fixture of a call --------------------------------------------------------- */

/**
 * struct rig - all objects that calls use
 * @bc: a context
 * @owner: session for its waves
 * @session: session
 * @fd: file opened by a call
 * @event: an event
 * @set: a watch set
 * @member: ids of its members
 * @bo: buffer made by a call
 * @id: id made by a call
 */
struct rig {
	struct breakcode bc;
	struct owner owner;
	int session;
	int fd;
	int event;
	uint32_t set;
	struct gpubp_set_watch member[MEMBERS];
	struct gpubp_sim_bo bo;
	uint32_t id;
};

static void close_fd(struct rig *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

static int result(struct rig *r, int fd)
{
	r->fd = fd;
	return fd < 0 ? fd : 0;
}

static struct perf_event_attr of_kind(uint64_t kind, uint64_t config1)
{
	struct perf_event_attr attr = event_watch(config1, 0, 0);

	attr.config = kind;
	return attr;
}

/* ---- events -------------------------------------------------------------------- */

static int open_watch(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_STORES);

	return result(r, event_open(&attr, 0, -1));
}

static int open_pinned(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA + 64, 4, EVENT_STORES);

	attr.pinned = 1;
	return result(r, event_open(&attr, 0, -1));
}

static int open_sampling(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_STORES);

	event_sample(&attr, 1);
	return result(r, event_open(&attr, 0, -1));
}

static int open_changed(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_STORES);

	attr.config |= GPUBP_CONFIG_CHANGED;
	return result(r, event_open(&attr, 0, -1));
}

static int open_meter(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 64, EVENT_ANY);

	attr.config |= GPUBP_CONFIG_METER;
	return result(r, event_open(&attr, 0, -1));
}

static int open_named(struct rig *r)
{
	struct perf_event_attr attr = event_named(BC_NAME, 0, 4, EVENT_STORES);

	return result(r, event_open(&attr, 0, -1));
}

static int open_break(struct rig *r)
{
	struct perf_event_attr attr =
		of_kind(GPUBP_KIND_BREAK, BC_PC(BC_LOOP_NOP));

	return result(r, event_open(&attr, 0, -1));
}

static int open_trap(struct rig *r)
{
	struct perf_event_attr attr = of_kind(GPUBP_KIND_TRAP |
		(uint64_t)TRAP_ID << GPUBP_CONFIG_CODE_SHIFT, 0);

	return result(r, event_open(&attr, 0, -1));
}

static int open_exception(struct rig *r)
{
	struct perf_event_attr attr = of_kind(GPUBP_KIND_EXCEPTION, 0);

	return result(r, event_open(&attr, 0, -1));
}

static int open_of_set(struct rig *r)
{
	struct perf_event_attr attr = of_kind(GPUBP_KIND_WATCH_SET |
		(uint64_t)r->set << GPUBP_CONFIG_CODE_SHIFT, 0);

	return result(r, event_open(&attr, 0, -1));
}

/* a child inherits the event */
static int fork_inherits(struct rig *r)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0)
		return -errno;
	return waitpid(pid, NULL, 0) == pid ? 0 : -errno;
}

static int prepare_inherits(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_STORES);

	attr.inherit = 1;
	attr.read_format = 0;
	return result(r, event_open(&attr, 0, -1));
}

static int prepare_disabled(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_STORES);

	attr.disabled = 1;
	return result(r, event_open(&attr, 0, -1));
}

static int enable(struct rig *r)
{
	return ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* ---- sessions ---------------------------------------------------------------- */

static int do_session(struct rig *r)
{
	return result(r, session_open());
}

static int modify(struct rig *r)
{
	static unsigned int n;

	return session_modify(r->session, r->fd,
			      BC_DATA_VA + 256 + n++ % 8 * 64);
}

static int sync_event(struct rig *r)
{
	return session_sync(r->session, r->event, PATIENCE, NULL);
}

static int create_set(struct rig *r)
{
	return session_set(r->session, &r->id);
}

static void drop_set(struct rig *r)
{
	if (r->id)
		session_drop_set(r->session, r->id);
	r->id = 0;
}

static int prepare_set(struct rig *r)
{
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		r->member[i] = (struct gpubp_set_watch) {
			.addr = BC_DATA_VA + 1024 + i * 8, .len = 4,
		};
	return session_set(r->session, &r->id);
}

static const struct gpubp_condition small = {
	.type = GPUBP_VALUE_U32, .high = 10,
};

static int create_condition(struct rig *r)
{
	return session_condition_create(r->session, &small, &r->id);
}

static void drop_condition(struct rig *r)
{
	if (r->id)
		session_condition_destroy(r->session, r->id);
	r->id = 0;
}

static int open_filtered(struct rig *r)
{
	struct perf_event_attr attr = event_watch(BC_DATA_VA, 4, EVENT_STORES);

	event_if(&attr, r->id);
	return result(r, event_open(&attr, 0, -1));
}

static void close_filtered(struct rig *r)
{
	close_fd(r);
	drop_condition(r);
}

static int destroy_condition(struct rig *r)
{
	return session_condition_destroy(r->session, r->id);
}

/* of a set that an event uses */
static int update_set(struct rig *r)
{
	return session_update(r->session, r->id, r->member, MEMBERS, NULL);
}

static int prepare_used_set(struct rig *r)
{
	struct perf_event_attr attr;
	int err = prepare_set(r);

	attr = of_kind(GPUBP_KIND_WATCH_SET |
		       (uint64_t)r->id << GPUBP_CONFIG_CODE_SHIFT, 0);
	return err ?: result(r, event_open(&attr, 0, -1));
}

static void drop_used_set(struct rig *r)
{
	close_fd(r);
	drop_set(r);
}

static int read_set(struct rig *r)
{
	struct gpubp_set_watch got[MEMBERS];
	int n = session_read(r->session, r->set, 0, got, MEMBERS);

	return n < 0 ? n : 0;
}

static int attach_event(struct rig *r)
{
	struct gpubp_attach a = { .fd = r->fd };
	int err = session_call(r->session, GPUBP_ATTACH, &a);

	if (!err)
		r->bo.va = a.id;
	return err;
}

static int prepare_attach(struct rig *r)
{
	r->bo.va = 0;
	return prepare_disabled(r);
}

static void detach_event(struct rig *r)
{
	struct gpubp_attach a = { .id = r->bo.va };

	if (a.id)
		session_call(r->session, GPUBP_DETACH, &a);
	close_fd(r);
}

/* ---- run control ----------------------------------------------------------- */

static int get_contexts(struct rig *r)
{
	struct gpubp_context c[4];
	int n = contexts(&r->owner, c, 4);

	return n < 0 ? n : 0;
}

static int get_waves(struct rig *r)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int n = list(&r->owner, e, MAX_WAVES);

	return n < 0 ? n : 0;
}

static int do_halt(struct rig *r)
{
	return halt_all(&r->owner);
}

static void do_resume(struct rig *r)
{
	run(&r->owner, GPUBP_RESUME, NULL, 0, 0);
}

static uint64_t first_wave(struct rig *r)
{
	struct gpubp_wave_entry e[MAX_WAVES];

	return list(&r->owner, e, MAX_WAVES) > 0 ? e[0].wave : 0;
}

static int read_regs(struct rig *r)
{
	uint32_t values[4];
	uint64_t wave = first_wave(r);

	arm(r->id);
	return regs(&r->owner, GPUBP_READ_REGS, wave,
		    range(GPUBP_REGS_SCALAR, 0, 4), values, 4);
}

static int read_mem(struct rig *r)
{
	char buf[256];
	int64_t n = peek(&r->owner, BC_CODE_VA, buf, sizeof(buf));

	return n < 0 ? n : 0;
}

static int dump_wave(struct rig *r)
{
	struct gpubp_wave_dump d = {};
	uint64_t wave = first_wave(r);

	arm(r->id);
	return dump(&r->owner, wave, &d);
}

/* ---- the software GPU ---------------------------------------------------------- */

static int open_device(struct rig *r)
{
	int fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);

	return result(r, fd < 0 ? -errno : fd);
}

static int create_bo(struct rig *r)
{
	int err;

	r->bo = (struct gpubp_sim_bo) { .size = 16 * PAGE, .va = FREE_VA };
	err = raw_call(r->bc.fd, GPUBP_SIM_BO_CREATE, &r->bo);
	r->bo.va = err ? 0 : FREE_VA;
	return err;
}

static void unmap_bo(struct rig *r)
{
	struct gpubp_sim_unmap unmap = { .va = r->bo.va };

	if (unmap.va)
		raw_call(r->bc.fd, GPUBP_SIM_UNMAP, &unmap);
	r->bo.va = 0;
}

static int map_userptr(struct rig *r)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	struct gpubp_sim_userptr user = {
		.cpu_addr = (uintptr_t)page, .size = PAGE, .va = FREE_VA,
	};
	int err = raw_call(r->bc.fd, GPUBP_SIM_USERPTR, &user);

	r->bo.va = err ? 0 : FREE_VA;
	return err;
}

static int create_queue(struct rig *r)
{
	struct gpubp_sim_queue queue = {};
	int err = raw_call(r->bc.fd, GPUBP_SIM_QUEUE_CREATE, &queue);

	r->id = queue.id;
	r->bo.va = !err;
	return err;
}

static void destroy_queue(struct rig *r)
{
	struct gpubp_sim_queue queue = { .id = r->id };

	if (r->bo.va)
		raw_call(r->bc.fd, GPUBP_SIM_QUEUE_DESTROY, &queue);
	r->bo.va = 0;
	r->id = 0;
}

static int name_it(struct rig *r, uint64_t va, uint32_t flags, uint64_t size)
{
	struct gpubp_sim_name name = {
		.va = va, .size = size, .flags = flags, .name = "failslab",
	};

	return raw_call(r->bc.fd, GPUBP_SIM_NAME, &name);
}

static int name_buffer(struct rig *r)
{
	return name_it(r, BC_DATA_VA, 0, PAGE);
}

static void withdraw_buffer(struct rig *r)
{
	name_it(r, BC_DATA_VA, 0, 0);
}

static int dispatch(struct rig *r)
{
	return bc_start(&r->bc, BC_LOOP, 1, 1, 0);
}

static void wait_for_it(struct rig *r)
{
	bc_wait(&r->bc, PATIENCE);
}

static int copy_page(struct rig *r)
{
	struct gpubp_sim_copy copy = {
		.dst = BC_DATA_VA + 2048, .src = BC_DATA_VA, .size = 64,
	};

	return raw_call(r->bc.fd, GPUBP_SIM_COPY, &copy);
}

/* ---- the table ------------------------------------------------------------------ */

/**
 * struct call - a call
 * @name: of it
 * @prepare: set up before it; or NULL
 * @call: 0 or a negative errno
 * @undo: clean up after it, with any result; or NULL
 * @event: it opens an event, which must become armed eventually if that
 *	succeeds
 * @opens: its failure has a reason (GPUBP_REASON)
 * @arms: it starts the fault injection itself
 * @runs: waves run during the call
 * @none: it allocates nothing, so no failure can be injected
 */
struct call {
	const char *name;
	int (*prepare)(struct rig *r);
	int (*call)(struct rig *r);
	void (*undo)(struct rig *r);
	bool event;
	bool opens;
	bool arms;
	bool runs;
	bool none;
};

#define OPENS	.undo = close_fd, .event = true, .opens = true

static const struct call calls[] = {
	{ "open a watch", NULL, open_watch, OPENS },
	{ "open a pinned watch", NULL, open_pinned, OPENS },
	{ "open a sampling watch", NULL, open_sampling, OPENS },
	{ "open a watch for changes", NULL, open_changed, OPENS },
	{ "open a watch with a condition", create_condition, open_filtered,
	  close_filtered, .event = true, .opens = true },
	{ "open a meter", NULL, open_meter, OPENS },
	{ "open a named watch", NULL, open_named, OPENS },
	{ "open a break", NULL, open_break, OPENS },
	{ "open a trap", NULL, open_trap, OPENS },
	{ "open an exception", NULL, open_exception, OPENS },
	{ "open an event of a set", NULL, open_of_set, OPENS },
	{ "fork with an inherited event", prepare_inherits, fork_inherits,
	  close_fd },
	{ "enable", prepare_disabled, enable, close_fd, .none = true },
	{ "a session", NULL, do_session, close_fd },
	{ "MODIFY", open_watch, modify, OPENS },
	{ "SYNC", NULL, sync_event, .none = true },
	{ "CONDITION_CREATE", NULL, create_condition, drop_condition },
	{ "CONDITION_DESTROY", create_condition, destroy_condition,
	  .none = true },
	{ "SET_CREATE", NULL, create_set, drop_set },
	{ "SET_UPDATE", prepare_set, update_set, drop_set },
	{ "SET_UPDATE of a set in use", prepare_used_set, update_set,
	  drop_used_set, .event = true },
	{ "SET_READ", NULL, read_set, .none = true },
	{ "ATTACH", prepare_attach, attach_event, detach_event },
	{ "CONTEXTS", NULL, get_contexts },
	{ "WAVES", NULL, get_waves, .runs = true },
	{ "HALT", NULL, do_halt, do_resume, .runs = true },
	{ "READ_REGS", do_halt, read_regs, do_resume, .runs = true, .arms = true },
	{ "READ_MEM", NULL, read_mem },
	{ "DUMP_WAVE", do_halt, dump_wave, do_resume, .runs = true, .arms = true },
	{ "a context", NULL, open_device, close_fd },
	{ "BO_CREATE", NULL, create_bo, unmap_bo },
	{ "USERPTR", NULL, map_userptr, unmap_bo },
	{ "QUEUE_CREATE", NULL, create_queue, destroy_queue },
	{ "NAME", NULL, name_buffer, withdraw_buffer },
	{ "DISPATCH", NULL, dispatch, wait_for_it },
	{ "COPY", NULL, copy_page },
};

/**
 * struct tally - results of a call
 * @failed: allocations that failed
 * @enomem: calls that returned -ENOMEM
 * @bad: any other error, or 0
 * @more: it makes more allocations than the test tries
 */
struct tally {
	unsigned int failed;
	unsigned int enomem;
	int bad;
	bool more;
};

/* a failed allocation is retried later */
static bool is_armed_in_the_end(struct rig *r)
{
	struct gpubp_sync sync;

	return !session_sync(r->session, r->fd, PATIENCE, &sync) &&
	       !sync.nr_unserved;
}

static bool is_refused_for_memory(struct rig *r)
{
	struct gpubp_refusal refusal = {};

	return !session_call(r->session, GPUBP_REASON, &refusal) &&
	       refusal.reason == GPUBP_REASON_NO_MEMORY;
}

/* false: the call makes no more allocations */
static bool fail_one(struct rig *r, const struct call *c, unsigned int nth,
		     struct tally *t)
{
	bool failed;
	int err = c->prepare ? c->prepare(r) : 0;

	if (err) {
		t->bad = err;
		return false;
	}
	if (c->arms)
		r->id = nth;
	else
		arm(nth);
	err = c->call(r);
	failed = disarm();
	if (c->arms)
		r->id = 0;
	if (err && (err != -ENOMEM || !failed))
		t->bad = err;
	if (err && c->opens && !is_refused_for_memory(r))
		t->bad = -ENOENT;
	if (!err && c->event && !is_armed_in_the_end(r))
		t->bad = -ETIMEDOUT;
	if (c->undo)
		c->undo(r);
	t->failed += failed;
	t->enomem += err == -ENOMEM;
	return failed && !t->bad;
}

static struct tally fail_each(struct rig *r, const struct call *c)
{
	struct tally t = {};
	unsigned int n = 1;

	while (n <= MAX_NTH && fail_one(r, c, n, &t))
		n++;
	t.more = n > MAX_NTH;
	return t;
}

static bool wait_until_it_runs(struct rig *r)
{
	int i;

	for (i = 0; i < PATIENCE * 100 && !r->bc.data[0]; i++)
		usleep(10000);
	return r->bc.data[0];
}

static bool begin_waves(struct rig *r)
{
	return !bc_start(&r->bc, BC_LOOP, 1, FOREVER, 0) && wait_until_it_runs(r);
}

static bool end_waves(struct rig *r)
{
	return !bc_queue_destroy(&r->bc) && !bc_queue(&r->bc);
}

static int open_rig(struct rig *r)
{
	struct gpubp_set_watch w = { .addr = BC_DATA_VA + 512, .len = 4 };
	int err;

	*r = (struct rig) { .fd = -1 };
	r->session = session_open();
	err = r->session < 0 ? r->session : bc_open(&r->bc);
	err = err ?: session_set(r->session, &r->set);
	err = err ?: session_update(r->session, r->set, &w, 1, NULL);
	err = err ?: owner_open(&r->owner, 0, true);
	r->event = r->owner.fd;
	return err;
}

static void close_rig(struct rig *r)
{
	owner_close(&r->owner);
	bc_close(&r->bc);
	close(r->session);
}

/* in a rig of its own, so that leaks are those of this call */
static void test_call(const struct call *c)
{
	struct tally t = {};
	struct rig r;
	bool ok = !open_rig(&r) && (!c->runs || begin_waves(&r));

	if (ok)
		t = fail_each(&r, c);
	ok = ok && (!c->runs || end_waves(&r));
	close_rig(&r);
	ksft_print_msg("%s: %u allocations failed, %u calls were -ENOMEM\n",
		       c->name, t.failed, t.enomem);
	if (t.bad || t.more)
		ksft_print_msg("%s\n", t.more ? "too many allocations" : strerror(-t.bad));
	ok = ok && !t.bad && !t.more && (t.failed > 0) != c->none;
	if (!books_idle(PATIENCE)) {
		books_print();
		ok = false;
	}
	ksft_test_result(ok, "%s\n", c->name);
}

static time_t seconds(void)
{
	return env_number("GPUBP_FAIL_SECONDS", 0);
}

int main(void)
{
	unsigned int i, rounds = 0;
	time_t end = time(NULL) + seconds();

	ksft_print_header();
	if (access("/proc/self/fail-nth", F_OK))
		ksft_exit_skip("no fault injection in this kernel\n");
	if (set_up())
		ksft_exit_fail_msg("no fault injection: %s\n", strerror(errno));
	do {
		for (i = 0; i < ARRAY_SIZE(calls); i++)
			test_call(&calls[i]);
		rounds++;
	} while (time(NULL) < end);
	ksft_set_plan(rounds * ARRAY_SIZE(calls));
	ksft_finished();
}
