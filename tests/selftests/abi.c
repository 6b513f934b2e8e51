// SPDX-License-Identifier: GPL-2.0
/*
 * An extensible ABI: each ioctl of /dev/gpubp with shorter and longer structs,
 * and arrays with longer entries.
 *
 * A struct lies at the end of a page with nothing mapped behind it, so that an
 * access past its end is -EFAULT, and behind guard bytes that must not change.
 * The calls repeat their normal operation on one wave of the test.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define PATIENCE	60	/* s */
#define SIZE		(64 * sizeof(uint32_t))
#define LONGEST		_IOC_SIZEMASK
#define ROOM		(5 * 4096)
#define CANARY		0xa5
#define NAME		"abi"
#define NAMED_VA	(g.mem.va + 192)
#define SGPR		7	/* overwritten by the test; the kernel is killed at the end */

_Static_assert(LONGEST < ROOM, "a struct of any size fits");

/**
 * struct world - what the calls work on
 * @gpu: a context with a kernel of one wave, which runs until it is killed
 * @out: output of the kernel
 * @want: command word: keep running
 * @seen: second output of the kernel
 * @mem: memory that no wave writes
 * @o: session that holds the wave
 * @w: the wave
 * @fd: an event on @mem
 * @late: event that is attached and detached
 * @by_name: event on NAME
 * @set: a set of one member
 * @doomed: set to be destroyed
 * @condition: condition to be destroyed
 * @member: the member
 * @step: displaced step that is not complete
 * @values: register values
 * @insn: memory to read
 */
static struct world {
	struct gpu gpu;
	struct grun_mem out, want, seen, mem;
	struct owner o;
	uint64_t w;
	int fd, late, by_name;
	uint32_t set, doomed, condition;
	struct gpubp_set_watch member;
	uint64_t step;
	uint32_t values[2];
	uint8_t insn[GPUBP_INSN_MAX];
} g;

static uint8_t *room;	/* ROOM bytes with nothing mapped behind them */

/* ---- the state that a refused call must not change ------------------------ */

/**
 * struct shot - snapshot of the visible state
 * @rights: of the attachment of world.late: 0 or -ENOENT
 * @sets: of world.doomed: 0 or -ENOENT
 * @conditions: of world.condition: 0 or -EINVAL
 * @member: of world.set
 * @wave: flags and holders of the wave
 * @caught: world.late: 0 or -ENOENT; it is not any more
 * @displaced: of world.step: 0 or -ENOENT
 * @value: of the register
 * @moved: the event watches other bytes
 * @named: the bytes that have a name are watched
 */
struct shot {
	int rights;
	int sets;
	int conditions;
	struct gpubp_set_watch member;
	uint32_t wave[2];
	int caught;
	int displaced;
	uint32_t value;
	int moved;
	int named;
};

static int rights_of(int fd)
{
	struct gpubp_attach a = { .id = session_id(fd) };

	return session_call(g.o.session, GPUBP_RIGHTS, &a);
}

/* true if debugfs shows a watch that begins at @addr */
static int watched(uint64_t addr)
{
	FILE *file = fopen("/sys/kernel/debug/gpubp/events", "re");
	char line[512], start[32];
	int found = 0;

	if (!file)
		return -errno;
	snprintf(start, sizeof(start), "[0x%llx-", (unsigned long long)addr);
	while (fgets(line, sizeof(line), file))
		found |= !!strstr(line, start);
	fclose(file);
	return found;
}

/* 0 if an event may have the condition */
static int condition_now(void)
{
	struct perf_event_attr attr = event_watch(g.mem.va, 4, EVENT_STORES);
	int fd;

	event_if(&attr, g.condition);
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int displaced_now(void)
{
	struct gpubp_displaced d = { .id = g.step };

	return displaced(&g.o, GPUBP_DISPLACED_INFO, g.w, &d);
}

static void shoot(struct shot *shot)
{
	struct gpubp_wave_entry e = entry(&g.o, g.w);

	memset(shot, 0, sizeof(*shot));
	shot->conditions = condition_now();
	/* requests made before are visible from here on */
	session_sync(g.o.session, g.fd, PATIENCE, NULL);
	shot->rights = rights_of(g.late);
	shot->sets = session_update(g.o.session, g.doomed, NULL, 0, NULL);
	session_read(g.o.session, g.set, 0, &shot->member, 1);
	/* a commit briefly stops waves that no session holds */
	if (!(e.flags & GPUBP_WAVE_HELD))
		e.flags &= ~GPUBP_WAVE_STOPPED;
	shot->wave[0] = e.flags;
	shot->wave[1] = e.nr_holders;
	shot->displaced = displaced_now();
	if (e.flags & GPUBP_WAVE_HELD)
		regs(&g.o, GPUBP_READ_REGS, g.w,
		     range(GPUBP_REGS_SCALAR, SGPR, 1), &shot->value, 1);
	shot->moved = watched(g.mem.va + 64) - watched(g.mem.va);
	shot->named = watched(NAMED_VA);
}

/* ---- what each call needs -------------------------------------------------- */

static int nothing(void)
{
	return 0;
}

static struct gpubp_publish named(uint64_t size)
{
	return (struct gpubp_publish) {
		.va = NAMED_VA, .size = size, .name = NAME,
	};
}

static int no_name(void)
{
	struct gpubp_publish p = named(0);

	return session_call(g.o.session, GPUBP_PUBLISH, &p);
}

static int event_back(void)
{
	return session_modify(g.o.session, g.fd, g.mem.va);
}

static int member_back(void)
{
	g.member.len = 4;
	return session_update(g.o.session, g.set, &g.member, 1, NULL);
}

static int new_doomed(void)
{
	return session_set(g.o.session, &g.doomed);
}

static const struct gpubp_condition first_group = { .places = GPUBP_PLACE_WG_X };

static int new_condition(void)
{
	return session_condition_create(g.o.session, &first_group, &g.condition);
}

static int attached(void)
{
	struct gpubp_attach a = { .fd = g.late };
	int err = session_call(g.o.session, GPUBP_ATTACH, &a);

	return err == -EEXIST ? 0 : err;
}

static int detached(void)
{
	struct gpubp_attach a = { .id = session_id(g.late) };
	int err = session_call(g.o.session, GPUBP_DETACH, &a);

	return err == -ENOENT ? 0 : err;
}

static int not_caught(void)
{
	struct gpubp_catch c = { .event = g.o.id, .id = session_id(g.late) };
	int err = session_call(g.o.session, GPUBP_UNCATCH, &c);

	return err == -ENOENT ? 0 : err;
}

static int caught(void)
{
	struct gpubp_catch c = { .event = g.o.id, .fd = g.late };

	return session_call(g.o.session, GPUBP_CATCH, &c);
}

static int not_displaced(void)
{
	struct gpubp_displaced d = { .id = g.step };
	int err = displaced(&g.o, GPUBP_DISPLACED_COMPLETE, g.w, &d);

	return err == -ENOENT ? 0 : err;
}

static int held(void)
{
	return halt(&g.o, g.w) ?: not_displaced();
}

static int not_held(void)
{
	return held() ?: resume(&g.o, g.w);
}

static int half_a_step(void)
{
	struct gpubp_displaced d = {};
	int err = held() ?: displaced(&g.o, GPUBP_DISPLACED_START, g.w, &d);

	g.step = d.id;
	return err;
}

static int refused(void)
{
	struct perf_event_attr attr = event_watch(g.mem.va, 0, EVENT_STORES);

	return event_open(&attr, 0, -1) == -EINVAL ? 0 : -EIO;
}

static int register_back(void)
{
	uint32_t one = 1;

	return held() ?: regs(&g.o, GPUBP_WRITE_REGS, g.w,
			      range(GPUBP_REGS_SCALAR, SGPR, 1), &one, 1);
}

/* ---- the calls -------------------------------------------------------------- */

static void fill_modify(void *arg)
{
	struct perf_event_attr attr = event_watch(g.mem.va + 64, 4, EVENT_STORES);

	*(struct gpubp_modify *)arg = (struct gpubp_modify) {
		.id = session_id(g.fd),
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
	};
}

static void fill_sync(void *arg)
{
	((struct gpubp_sync *)arg)->id = session_id(g.fd);
	((struct gpubp_sync *)arg)->timeout_ms = PATIENCE * 1000;
}

static void fill_stats(void *arg)
{
	((struct gpubp_event_stats *)arg)->id = session_id(g.fd);
}

static void fill_nothing(void *arg __attribute__((unused)))
{
}

static void fill_publish(void *arg)
{
	*(struct gpubp_publish *)arg = named(4);
}

static void fill_destroy(void *arg)
{
	((struct gpubp_set *)arg)->id = g.doomed;
}

static void fill_condition(void *arg)
{
	*(struct gpubp_condition *)arg = first_group;
}

static void fill_old_condition(void *arg)
{
	((struct gpubp_condition *)arg)->id = g.condition;
}

static void fill_update(void *arg)
{
	g.member.len = 8;
	*(struct gpubp_set_update *)arg = (struct gpubp_set_update) {
		.set = g.set,
		.nr = 1,
		.watches = (uintptr_t)&g.member,
		.entry_len = sizeof(g.member),
	};
}

static void fill_read(void *arg)
{
	static struct gpubp_set_watch got;

	*(struct gpubp_set_read *)arg = (struct gpubp_set_read) {
		.set = g.set,
		.nr = 1,
		.watches = (uintptr_t)&got,
		.entry_len = sizeof(got),
	};
}

static void fill_attach(void *arg)
{
	((struct gpubp_attach *)arg)->fd = g.late;
}

static void fill_attached(void *arg)
{
	((struct gpubp_attach *)arg)->id = session_id(g.late);
}

static void fill_contexts(void *arg)
{
	static struct gpubp_context got;

	*(struct gpubp_contexts *)arg = (struct gpubp_contexts) {
		.event = g.o.id,
		.contexts = (uintptr_t)&got,
		.nr = 1,
		.entry_len = sizeof(got),
	};
}

static void fill_waves(void *arg)
{
	static struct gpubp_wave_entry got;

	*(struct gpubp_wave_list *)arg = (struct gpubp_wave_list) {
		.event = g.o.id,
		.waves = (uintptr_t)&got,
		.context = g.o.ctx,
		.nr = 1,
		.entry_len = sizeof(got),
	};
}

static void fill_run(void *arg)
{
	*(struct gpubp_run *)arg = (struct gpubp_run) {
		.event = g.o.id,
		.waves = (uintptr_t)&g.w,
		.context = g.o.ctx,
		.nr = 1,
	};
}

static void fill_catch(void *arg)
{
	struct gpubp_catch *c = arg;

	c->event = g.o.id;
	c->fd = g.late;
	c->waves = 4;
}

static void fill_caught(void *arg)
{
	struct gpubp_catch *c = arg;

	c->event = g.o.id;
	c->id = session_id(g.late);
}

static void fill_regs(void *arg)
{
	static const struct gpubp_reg_range r = {
		.file = GPUBP_REGS_SCALAR, .first = SGPR, .count = 1,
	};

	g.values[0] = 2;
	*(struct gpubp_regs *)arg = (struct gpubp_regs) {
		.event = g.o.id,
		.wave = g.w,
		.ranges = (uintptr_t)&r,
		.values = (uintptr_t)g.values,
		.context = g.o.ctx,
		.nr_ranges = 1,
		.nr_values = 1,
		.entry_len = sizeof(r),
	};
}

static void fill_mem(void *arg)
{
	*(struct gpubp_mem *)arg = (struct gpubp_mem) {
		.event = g.o.id,
		.addr = g.mem.va,
		.buf = (uintptr_t)g.insn,
		.len = sizeof(g.insn),
		.context = g.o.ctx,
	};
}

static void fill_dump(void *arg)
{
	struct gpubp_wave_dump *d = arg;

	d->event = g.o.id;
	d->wave = g.w;
	d->context = g.o.ctx;
}

static void fill_displaced(void *arg)
{
	struct gpubp_displaced *d = arg;

	d->event = g.o.id;
	d->wave = g.w;
	d->id = g.step;
	d->context = g.o.ctx;
}

/**
 * struct row - an ioctl
 * @name: its name
 * @cmd: its code
 * @flags: offset of the member flags
 * @defined: flags that are
 * @before: set up what the call needs; 0 or a negative errno
 * @fill: fill in an argument, all 0 at first, with which the call returns 0
 */
struct row {
	const char *name;
	unsigned long cmd;
	size_t flags;
	uint32_t defined;
	int (*before)(void);
	void (*fill)(void *arg);
};

#define ROW_FLAGS(_cmd, _struct, _defined, _before, _fill)		\
	{ #_cmd, _cmd, offsetof(struct _struct, flags), _defined, _before, _fill }
#define ROW(_cmd, _struct, _before, _fill)				\
	ROW_FLAGS(_cmd, _struct, 0, _before, _fill)

static const struct row rows[] = {
	ROW(GPUBP_MODIFY, gpubp_modify, event_back, fill_modify),
	ROW(GPUBP_SYNC, gpubp_sync, nothing, fill_sync),
	ROW(GPUBP_STATS, gpubp_event_stats, nothing, fill_stats),
	ROW(GPUBP_REASON, gpubp_refusal, refused, fill_nothing),
	ROW(GPUBP_PUBLISH, gpubp_publish, no_name, fill_publish),
	ROW(GPUBP_CONDITION_CREATE, gpubp_condition, nothing, fill_condition),
	ROW(GPUBP_CONDITION_DESTROY, gpubp_condition, new_condition,
	    fill_old_condition),
	ROW(GPUBP_SET_CREATE, gpubp_set, nothing, fill_nothing),
	ROW(GPUBP_SET_DESTROY, gpubp_set, new_doomed, fill_destroy),
	ROW(GPUBP_SET_UPDATE, gpubp_set_update, member_back, fill_update),
	ROW(GPUBP_SET_READ, gpubp_set_read, nothing, fill_read),
	ROW(GPUBP_ATTACH, gpubp_attach, detached, fill_attach),
	ROW(GPUBP_DETACH, gpubp_attach, attached, fill_attached),
	ROW(GPUBP_RIGHTS, gpubp_attach, attached, fill_attached),
	ROW(GPUBP_CONTEXTS, gpubp_contexts, nothing, fill_contexts),
	ROW(GPUBP_WAVES, gpubp_wave_list, nothing, fill_waves),
	ROW(GPUBP_HALT, gpubp_run, not_held, fill_run),
	ROW(GPUBP_RESUME, gpubp_run, held, fill_run),
	ROW(GPUBP_STEP, gpubp_run, held, fill_run),
	ROW(GPUBP_CATCH, gpubp_catch, not_caught, fill_catch),
	ROW(GPUBP_UNCATCH, gpubp_catch, caught, fill_caught),
	ROW(GPUBP_READ_REGS, gpubp_regs, held, fill_regs),
	ROW(GPUBP_WRITE_REGS, gpubp_regs, register_back, fill_regs),
	ROW_FLAGS(GPUBP_READ_MEM, gpubp_mem, GPUBP_MEM_FLUSH, nothing, fill_mem),
	ROW_FLAGS(GPUBP_WRITE_MEM, gpubp_mem, GPUBP_MEM_FLUSH, nothing, fill_mem),
	ROW(GPUBP_DUMP_WAVE, gpubp_wave_dump, held, fill_dump),
	ROW(GPUBP_DISPLACED_START, gpubp_displaced, held, fill_displaced),
	ROW(GPUBP_DISPLACED_COMPLETE, gpubp_displaced, half_a_step, fill_displaced),
	ROW(GPUBP_DISPLACED_INFO, gpubp_displaced, half_a_step, fill_displaced),
};

static size_t known(const struct row *row)
{
	return _IOC_SIZE(row->cmd);
}

static size_t shortest(const struct row *row)
{
	return row->flags + sizeof(uint32_t);
}

/* the same command with another size and direction */
static unsigned long cmd_of(const struct row *row, unsigned int dir, size_t size)
{
	return _IOC(dir, 'B', _IOC_NR(row->cmd), size);
}

/* ---- one call --------------------------------------------------------------- */

/**
 * struct call - an argument and the result of the call
 * @row: ioctl
 * @size: of the struct
 * @bit: bit to set in the argument, -1 none
 * @ret: 0 or a negative errno
 * @changed: results were written
 * @clean: nothing in front of the argument changed, nor behind the part that
 *	the kernel knows
 */
struct call {
	const struct row *row;
	size_t size;
	long bit;
	int ret;
	bool changed;
	bool clean;
};

static bool all(const uint8_t *bytes, size_t len, uint8_t value)
{
	while (len && *bytes == value)
		bytes++, len--;
	return !len;
}

static struct call call_as(const struct row *row, unsigned int dir, size_t size, long bit)
{
	static uint8_t arg[LONGEST + 1];
	struct call c = { .row = row, .size = size, .bit = bit };
	uint8_t *at = room + ROOM - size;
	size_t ours = size < known(row) ? size : known(row);

	memset(arg, 0, sizeof(arg));
	row->fill(arg);
	if (bit >= 0)
		arg[bit / 8] |= 1 << bit % 8;
	memset(room, CANARY, ROOM);
	memcpy(at, arg, size);
	c.ret = session_call(g.o.session, cmd_of(row, dir, size), at);
	if (!c.ret && row->cmd == GPUBP_DISPLACED_START)
		memcpy(&g.step, at + offsetof(struct gpubp_displaced, id), sizeof(g.step));
	c.changed = memcmp(at, arg, ours);
	c.clean = all(room, at - room, CANARY) &&
		  !memcmp(at + ours, arg + ours, size - ours);
	return c;
}

static struct call call(const struct row *row, size_t size, long bit)
{
	return call_as(row, _IOC_DIR(row->cmd), size, bit);
}

static void expect_done(struct __test_metadata *_metadata, struct call c)
{
	EXPECT_EQ(0, c.ret) TH_LOG("%s of %zu bytes", c.row->name, c.size);
	EXPECT_TRUE(c.clean) TH_LOG("%s of %zu bytes", c.row->name, c.size);
}

static void expect_refused(struct __test_metadata *_metadata, int err, struct call c)
{
	EXPECT_EQ(err, c.ret)
		TH_LOG("%s of %zu bytes, bit %ld", c.row->name, c.size, c.bit);
	EXPECT_TRUE(c.clean && !c.changed)
		TH_LOG("%s of %zu bytes, bit %ld: written", c.row->name, c.size,
		       c.bit);
}

static void expect_as_it_was(struct __test_metadata *_metadata, const struct row *row,
			     const struct shot *before)
{
	struct shot after;

	shoot(&after);
	EXPECT_EQ(0, memcmp(before, &after, sizeof(after)))
		TH_LOG("%s changed the state", row->name);
}

/* ---- the world ---------------------------------------------------------------- */

static int start_kernel(void)
{
	struct gpubp_wave_entry e = {};
	int err = gpu_open(&g.gpu, "loop") ?:
		  gpu_buffer(&g.gpu, &g.out, SIZE, 0) ?:
		  gpu_buffer(&g.gpu, &g.want, sizeof(uint32_t), 0) ?:
		  gpu_buffer(&g.gpu, &g.seen, SIZE, 0) ?:
		  gpu_buffer(&g.gpu, &g.mem, SIZE, 0) ?:
		  gpu_start(&g.gpu, "on_demand", 1,
			    GPU_ARGS(g.out.va, g.want.va, g.seen.va)) ?:
		  owner_open(&g.o, 0, true);

	if (err)
		return err;
	while (!*(volatile uint32_t *)g.out.cpu)
		usleep(1000);	/* ended by the harness's alarm */
	err = list(&g.o, &e, 1);
	g.w = e.wave;
	return err == 1 ? 0 : -ESRCH;
}

static int watch_name(void)
{
	struct perf_event_attr attr = event_named(NAME, 0, 4, EVENT_STORES);

	return event_open(&attr, 0, -1);
}

static int watch_mem(void)
{
	struct perf_event_attr attr = event_watch(g.mem.va, 4, EVENT_STORES);

	return event_open(&attr, 0, -1);
}

FIXTURE(abi) {
};

FIXTURE_SETUP(abi)
{
	memset(&g, 0, sizeof(g));
	room = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)room);
	ASSERT_EQ(0, mprotect(room + ROOM, 4096, PROT_NONE));
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, start_kernel());
	g.fd = watch_mem();
	g.late = watch_mem();
	g.by_name = watch_name();
	ASSERT_LE(0, g.fd);
	ASSERT_LE(0, g.by_name);
	ASSERT_LE(0, g.late);
	ASSERT_EQ(0, session_set(g.o.session, &g.set));
	g.member.addr = g.mem.va + 128;
	ASSERT_EQ(0, member_back());
}

FIXTURE_TEARDOWN(abi)
{
	close(g.fd);
	close(g.late);
	close(g.by_name);
	owner_close(&g.o);
	gpu_close(&g.gpu);
	munmap(room, ROOM + 4096);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- structs ------------------------------------------------------------------- */

static const struct row *row_of(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (_IOC_NR(rows[i].cmd) == nr)
			return &rows[i];
	return NULL;
}

/* a known command refuses size 0 with -EINVAL, an unknown one is -ENOTTY */
TEST_F(abi, every_command_has_a_row)
{
	unsigned int nr;
	int ret;

	for (nr = 0; nr <= _IOC_NRMASK; nr++) {
		ret = session_call(g.o.session, _IOC(_IOC_WRITE, 'B', nr, 0), room);
		EXPECT_EQ(row_of(nr) ? -EINVAL : -ENOTTY, ret)
			TH_LOG("number 0x%x", nr);
	}
}

TEST_F(abi, structs_that_are_too_short)
{
	struct shot before;
	unsigned int i;
	size_t size;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ASSERT_EQ(0, rows[i].before()) TH_LOG("%s", rows[i].name);
		shoot(&before);
		for (size = 0; size < shortest(&rows[i]); size++)
			expect_refused(_metadata, -EINVAL, call(&rows[i], size, -1));
		expect_as_it_was(_metadata, &rows[i], &before);
	}
}

/* all of the struct, and without results that the caller does not know */
TEST_F(abi, structs_from_the_shortest_to_the_whole)
{
	unsigned int i;
	size_t size;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (size = shortest(&rows[i]); size <= known(&rows[i]); size++) {
			ASSERT_EQ(0, rows[i].before()) TH_LOG("%s", rows[i].name);
			expect_done(_metadata, call(&rows[i], size, -1));
		}
}

TEST_F(abi, longer_structs_whose_rest_is_zero)
{
	static const unsigned int more[] = { 1, 7, 8, 256 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < ARRAY_SIZE(more); j++) {
			ASSERT_EQ(0, rows[i].before()) TH_LOG("%s", rows[i].name);
			expect_done(_metadata, call(&rows[i], known(&rows[i]) + more[j], -1));
		}
		ASSERT_EQ(0, rows[i].before()) TH_LOG("%s", rows[i].name);
		expect_done(_metadata, call(&rows[i], LONGEST, -1));
	}
}

/* any bit behind the part that the kernel knows */
TEST_F(abi, longer_structs_whose_rest_is_not)
{
	struct shot before;
	unsigned int i;
	size_t byte;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		ASSERT_EQ(0, row->before()) TH_LOG("%s", row->name);
		shoot(&before);
		for (byte = known(row); byte < known(row) + 17; byte++)
			expect_refused(_metadata, -E2BIG,
				       call(row, known(row) + 17, byte * 8 + byte % 8));
		expect_refused(_metadata, -E2BIG, call(row, LONGEST, LONGEST * 8 - 1));
		expect_as_it_was(_metadata, row, &before);
	}
}

TEST_F(abi, flags_that_are_not_defined)
{
	struct shot before;
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		ASSERT_EQ(0, row->before()) TH_LOG("%s", row->name);
		shoot(&before);
		for (bit = 0; bit < 32; bit++) {
			if (row->defined >> bit & 1)
				continue;
			expect_refused(_metadata, -EINVAL,
				       call(row, known(row), row->flags * 8 + bit));
			expect_refused(_metadata, -EINVAL,
				       call(row, shortest(row), row->flags * 8 + bit));
		}
		expect_as_it_was(_metadata, row, &before);
	}
}

/* a change that the snapshots of refused calls would show */
TEST_F(abi, calls_that_are_not_refused_show)
{
	static const unsigned long seen[] = {
		GPUBP_MODIFY, GPUBP_PUBLISH, GPUBP_CONDITION_DESTROY,
		GPUBP_SET_DESTROY, GPUBP_SET_UPDATE, GPUBP_ATTACH,
		GPUBP_DETACH, GPUBP_HALT, GPUBP_RESUME, GPUBP_WRITE_REGS,
		GPUBP_DISPLACED_START, GPUBP_DISPLACED_COMPLETE,
	};
	struct shot before, after;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		const struct row *row = row_of(_IOC_NR(seen[i]));

		ASSERT_EQ(0, row->before()) TH_LOG("%s", row->name);
		shoot(&before);
		expect_done(_metadata, call(row, known(row), -1));
		shoot(&after);
		EXPECT_NE(0, memcmp(&before, &after, sizeof(before)))
			TH_LOG("%s", row->name);
	}
}

TEST_F(abi, results_go_where_they_are_wanted)
{
	unsigned int i;
	struct call c;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* without its id the step could never be completed */
		if (rows[i].cmd != GPUBP_DISPLACED_START) {
			ASSERT_EQ(0, rows[i].before()) TH_LOG("%s", rows[i].name);
			c = call_as(&rows[i], _IOC_WRITE, known(&rows[i]), -1);
			expect_done(_metadata, c);
			EXPECT_FALSE(c.changed) TH_LOG("%s", rows[i].name);
		}
		ASSERT_EQ(0, rows[i].before()) TH_LOG("%s", rows[i].name);
		expect_refused(_metadata, -ENOTTY,
			       call_as(&rows[i], _IOC_READ, known(&rows[i]), -1));
	}
}

/* ---- arrays -------------------------------------------------------------------- */

/**
 * struct array - structs that a command's struct points to
 * @name: contents
 * @cmd: the command
 * @known: size of an entry that the kernel knows
 * @at: offset of the pointer
 * @len: offset of entry_len
 * @in: the kernel reads them
 * @out: the kernel writes them
 */
struct array {
	const char *name;
	unsigned long cmd;
	size_t known;
	size_t at;
	size_t len;
	bool in;
	bool out;
};

#define ARRAY(_cmd, _struct, _at, _entry, _in, _out)			\
	{ #_cmd, _cmd, sizeof(struct _entry), offsetof(struct _struct, _at), \
	  offsetof(struct _struct, entry_len), _in, _out }

static const struct array arrays[] = {
	ARRAY(GPUBP_SET_UPDATE, gpubp_set_update, watches, gpubp_set_watch, true, true),
	ARRAY(GPUBP_SET_READ, gpubp_set_read, watches, gpubp_set_watch, false, true),
	ARRAY(GPUBP_CONTEXTS, gpubp_contexts, contexts, gpubp_context, false, true),
	ARRAY(GPUBP_WAVES, gpubp_wave_list, waves, gpubp_wave_entry, false, true),
	ARRAY(GPUBP_READ_REGS, gpubp_regs, ranges, gpubp_reg_range, true, false),
	ARRAY(GPUBP_WRITE_REGS, gpubp_regs, ranges, gpubp_reg_range, true, false),
};

/**
 * call_array() - call with one entry, at the end of the page
 * @a: array
 * @entry_len: the caller's size of it
 * @poke: byte of the entry to set non-zero, 0 none
 * @clean: (out) nothing in front of the entry was written
 */
static int call_array(const struct array *a, uint32_t entry_len, size_t poke, bool *clean)
{
	const struct row *row = row_of(_IOC_NR(a->cmd));
	uint64_t arg[64] = {}, at = (uintptr_t)room + ROOM - entry_len;
	uint64_t from;
	int ret;

	if (row->before())
		return -EPROTO;
	row->fill(arg);
	memcpy(&from, (char *)arg + a->at, sizeof(from));
	memcpy((char *)arg + a->at, &at, sizeof(at));
	memcpy((char *)arg + a->len, &entry_len, sizeof(entry_len));
	memset(room, CANARY, ROOM);
	if (a->in) {
		memset(room + ROOM - entry_len, 0, entry_len);
		memcpy(room + ROOM - entry_len, (void *)(uintptr_t)from,
		       entry_len < a->known ? entry_len : a->known);
	}
	if (poke)
		room[ROOM - entry_len + poke] = 1;
	ret = session_call(g.o.session, a->cmd, arg);
	*clean = all(room, ROOM - entry_len, CANARY);
	return ret;
}

TEST_F(abi, entries_of_other_sizes)
{
	static const unsigned int more[] = { 0, 1, 8, 64 };
	unsigned int i, j;
	bool clean;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct array *a = &arrays[i];

		for (len = 0; len < a->known; len++) {
			EXPECT_EQ(-EINVAL, call_array(a, len, 0, &clean))
				TH_LOG("%s, entry of %zu", a->name, len);
			EXPECT_TRUE(clean && (a->in || all(room + ROOM - len, len, CANARY)));
		}
		for (j = 0; j < ARRAY_SIZE(more); j++) {
			len = a->known + more[j];
			EXPECT_EQ(0, call_array(a, len, 0, &clean))
				TH_LOG("%s, entry of %zu", a->name, len);
			EXPECT_TRUE(clean);
			/* the part unknown to the kernel is 0, also if it writes no entry */
			EXPECT_TRUE(all(room + ROOM - more[j], more[j], 0))
				TH_LOG("%s, entry of %zu", a->name, len);
			EXPECT_EQ(a->out && !a->in,
				  a->out && !a->in &&
				  !all(room + ROOM - len, a->known, CANARY))
				TH_LOG("%s writes nothing", a->name);
		}
		EXPECT_EQ(0, call_array(a, GPUBP_ENTRY_LEN_MAX, 0, &clean))
			TH_LOG("%s", a->name);
		EXPECT_EQ(-E2BIG, call_array(a, GPUBP_ENTRY_LEN_MAX + 1, 0, &clean))
			TH_LOG("%s", a->name);
	}
}

TEST_F(abi, entries_whose_rest_is_not_zero)
{
	unsigned int i;
	bool clean;
	size_t len, byte;

	for (i = 0; i < ARRAY_SIZE(arrays); i++) {
		const struct array *a = &arrays[i];

		len = a->known + 16;
		for (byte = a->known; byte < len; byte++)
			EXPECT_EQ(a->in ? -E2BIG : 0,
				  call_array(a, len, byte, &clean))
				TH_LOG("%s, byte %zu", a->name, byte);
	}
	EXPECT_EQ(0, member_back());
}

TEST_HARNESS_MAIN
