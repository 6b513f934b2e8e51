// SPDX-License-Identifier: GPL-2.0
/* Run control. */
#include <errno.h>
#include <unistd.h>
#include "event.h"
#include "session.h"
#include "waves.h"

#define PATIENCE	60	/* s */

/* with all rights, or read access only */
static int open_event(pid_t pid, bool tracer)
{
	struct perf_event_attr attr = event_watch(0x1000, 4, EVENT_STORES);

	attr.disabled = 1;
	attr.exclude_kernel = 1;	/* allowed for every user */
	if (tracer) {
		attr.sigtrap = 1;
		attr.remove_on_exec = 1;
	}
	return event_open(&attr, pid, -1);
}

static int attach(struct owner *o)
{
	struct gpubp_attach a = { .fd = o->fd };
	int err = session_call(o->session, GPUBP_ATTACH, &a);

	o->id = a.id;
	return err;
}

int contexts(struct owner *o, struct gpubp_context *c, uint32_t nr)
{
	struct gpubp_contexts list = {
		.event = o->id,
		.contexts = (uintptr_t)c,
		.nr = nr,
		.entry_len = sizeof(*c),
	};
	int err = session_call(o->session, GPUBP_CONTEXTS, &list);

	return err ?: (int)list.nr;
}

int owner_open(struct owner *o, pid_t pid, bool tracer)
{
	struct gpubp_context c = {};
	int err;

	*o = (struct owner) { .session = session_open() };
	if (o->session < 0)
		return o->session;
	o->fd = open_event(pid, tracer);
	if (o->fd < 0)
		return o->fd;
	err = attach(o);
	if (err)
		return err;
	if (contexts(o, &c, 1) == 1)
		o->ctx = c.id;
	return 0;
}

void owner_close(struct owner *o)
{
	close(o->session);
	close(o->fd);
}

int list(struct owner *o, struct gpubp_wave_entry *e, uint32_t nr)
{
	struct gpubp_wave_list l = {
		.event = o->id,
		.waves = (uintptr_t)e,
		.context = o->ctx,
		.nr = nr,
		.entry_len = sizeof(*e),
	};
	int err = session_call(o->session, GPUBP_WAVES, &l);

	return err ?: (int)l.nr;
}

int find_waves(struct owner *o, uint64_t *w)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int i, n = list(o, e, MAX_WAVES);

	for (i = 0; i < n; i++)
		w[i] = e[i].wave;
	return n;
}

int run(struct owner *o, unsigned long cmd, const uint64_t *waves, uint32_t nr,
	uint32_t timeout_ms)
{
	struct gpubp_run r = {
		.event = o->id,
		.waves = (uintptr_t)waves,
		.context = o->ctx,
		.nr = nr,
		.timeout_ms = timeout_ms,
	};
	int err = session_call(o->session, cmd, &r);

	o->scope = r.scope;
	o->nr_done = r.nr_done;
	return err;
}

int halt(struct owner *o, uint64_t wave)
{
	return run(o, GPUBP_HALT, &wave, 1, 0);
}

int resume(struct owner *o, uint64_t wave)
{
	return run(o, GPUBP_RESUME, &wave, 1, 0);
}

int step(struct owner *o, uint64_t wave)
{
	return run(o, GPUBP_STEP, &wave, 1, 0);
}

int halt_all(struct owner *o)
{
	return run(o, GPUBP_HALT, NULL, 0, 0);
}

int halt_started(struct owner *o, int nr, const volatile uint32_t *stored, uint64_t *w)
{
	int ms;

	for (ms = 0; ms < PATIENCE * 1000; ms++) {
		if (find_waves(o, w) == nr && *stored)
			return halt_all(o);
		usleep(1000);
	}
	return -ETIMEDOUT;
}

int regs(struct owner *o, unsigned long cmd, uint64_t wave,
	 struct gpubp_reg_range range, uint32_t *values, uint32_t nr)
{
	struct gpubp_regs r = {
		.event = o->id,
		.wave = wave,
		.ranges = (uintptr_t)&range,
		.values = (uintptr_t)values,
		.context = o->ctx,
		.nr_ranges = 1,
		.nr_values = nr,
		.entry_len = sizeof(range),
	};

	return session_call(o->session, cmd, &r);
}

struct gpubp_reg_range range(uint32_t file, uint32_t first, uint32_t nr)
{
	return (struct gpubp_reg_range) {
		.file = file,
		.first = first,
		.count = nr,
	};
}

uint32_t get_s(struct owner *o, uint64_t wave, unsigned int reg)
{
	uint32_t value = 0;

	regs(o, GPUBP_READ_REGS, wave, range(GPUBP_REGS_SCALAR, reg, 1),
	     &value, 1);
	return value;
}

int64_t memory(struct owner *o, unsigned long cmd, struct space in, uint64_t addr,
	       void *buf, uint64_t len)
{
	struct gpubp_mem m = {
		.event = o->id,
		.addr = addr,
		.buf = (uintptr_t)buf,
		.len = len,
		.context = o->ctx,
		.flags = in.flags,
		.wave = in.wave,
		.space = in.space,
		.lane = in.lane,
	};
	int err = session_call(o->session, cmd, &m);

	return err ?: (int64_t)m.len;
}

int64_t peek(struct owner *o, uint64_t addr, void *buf, uint64_t len)
{
	return memory(o, GPUBP_READ_MEM, (struct space) {}, addr, buf, len);
}

int64_t poke(struct owner *o, uint64_t addr, const void *buf, uint64_t len)
{
	return memory(o, GPUBP_WRITE_MEM, (struct space) {}, addr, (void *)buf, len);
}

int dump(struct owner *o, uint64_t wave, struct gpubp_wave_dump *d)
{
	*d = (struct gpubp_wave_dump) {
		.event = o->id,
		.wave = wave,
		.context = o->ctx,
	};
	return session_call(o->session, GPUBP_DUMP_WAVE, d);
}

struct gpubp_wave_entry entry(struct owner *o, uint64_t wave)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int i, n = list(o, e, MAX_WAVES);

	for (i = 0; i < n; i++)
		if (e[i].wave == wave)
			return e[i];
	return (struct gpubp_wave_entry) {};
}

bool has_stopped(struct owner *o, uint64_t wave)
{
	return entry(o, wave).flags & GPUBP_WAVE_STOPPED;
}

bool goes_on(struct owner *o, uint64_t wave)
{
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (!has_stopped(o, wave))
			return true;
		usleep(10000);
	}
	return false;
}

#define PC	range(GPUBP_REGS_CONTROL, 8, 2)

uint64_t get_pc(struct owner *o, uint64_t wave)
{
	uint32_t pc[2];

	return regs(o, GPUBP_READ_REGS, wave, PC, pc, 2) ? 0 :
	       pc[0] | (uint64_t)pc[1] << 32;
}

int step_to(struct owner *o, uint64_t wave, uint64_t pc)
{
	int i, err = 0;

	for (i = 0; i < 64 && !err; i++) {
		if (get_pc(o, wave) == pc)
			return 0;
		err = step(o, wave);
	}
	return err ?: -ELOOP;
}

int set_pc(struct owner *o, uint64_t wave, uint64_t pc)
{
	uint32_t value[2] = { pc, pc >> 32 };

	return regs(o, GPUBP_WRITE_REGS, wave, PC, value, 2);
}

int displaced(struct owner *o, unsigned long cmd, uint64_t wave,
	      struct gpubp_displaced *d)
{
	*d = (struct gpubp_displaced) {
		.event = o->id,
		.wave = wave,
		.id = d->id,
		.context = o->ctx,
	};
	return session_call(o->session, cmd, d);
}

int displaced_as(struct owner *o, uint64_t wave, const void *insn, uint32_t len,
		 struct gpubp_displaced *d)
{
	*d = (struct gpubp_displaced) {
		.event = o->id,
		.wave = wave,
		.context = o->ctx,
		.len = len,
		.insn = (uintptr_t)insn,
	};
	return session_call(o->session, GPUBP_DISPLACED_START, d);
}
