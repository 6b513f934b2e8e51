// SPDX-License-Identifier: GPL-2.0
/*
 * Memory, comparators, messages: the interpreter's environment.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"

struct machine machine;

static struct sim_wave *waves[64];
static unsigned int nr_waves;

void machine_reset(void)
{
	unsigned int n;

	for (n = 0; n < machine.nr_regions; n++)
		free(machine.region[n].bytes);
	for (n = 0; n < nr_waves; n++) {
		free(waves[n]->v);
		free(waves[n]);
	}
	nr_waves = 0;
	memset(&machine, 0, sizeof(machine));
}

u8 *machine_map(u64 va, u64 size)
{
	struct region *r = &machine.region[machine.nr_regions++];

	*r = (struct region){ va, calloc(1, size), size };
	return r->bytes;
}

u8 *machine_at(u64 va, u64 len)
{
	unsigned int n;

	for (n = 0; n < machine.nr_regions; n++) {
		struct region *r = &machine.region[n];

		if (va >= r->va && va - r->va <= r->size &&
		    len <= r->size - (va - r->va))
			return r->bytes + (va - r->va);
	}
	return NULL;
}

struct sim_wave *machine_wave(unsigned int nr_vgprs)
{
	struct sim_wave *w = calloc(1, sizeof(*w));

	w->v = calloc(nr_vgprs, sizeof(*w->v));
	w->nr_vgprs = nr_vgprs;
	w->acc_offset = nr_vgprs;
	w->arch = GFX9_GFX90A;
	w->mode = MODE_FP_DENORM | MODE_IEEE | MODE_DX10_CLAMP;
	w->status = STATUS_VALID;
	w->single_memop = true;
	w->max_skid = 4;
	w->skid_state = 1;
	w->s[GFX9_SRC_EXEC] = w->s[GFX9_SRC_EXEC + 1] = ~0u;
	waves[nr_waves++] = w;
	return w;
}

bool sim_env_may_wait(struct sim_wave *wave)
{
	return machine.delays;
}

static struct needed *needed_by(const struct sim_wave *wave)
{
	struct needed *n = &machine.needed;

	if (n->wave == wave && n->inst == wave->nr_insts)
		return n;
	n->wave = wave;
	n->inst = wave->nr_insts;
	n->refused = 0;
	n->nr = 0;
	return n;
}

/*
 * any range that an instruction needs may be missing at first, also the last
 * one
 */
int sim_env_need(struct sim_wave *wave, u64 va, u64 len, bool write)
{
	struct needed *n = needed_by(wave);

	machine.delay_state = machine.delay_state * 1664525 + 1013904223;
	if (machine.delays && n->refused < 2 && machine.delay_state >> 30 == 0) {
		n->refused++;
		n->nr = 0;
		machine.nr_delayed++;
		return -EAGAIN;
	}
	if (n->nr < MAX_NEEDED)
		n->range[n->nr++] = (typeof(n->range[0])) { va, len, write };
	return 0;
}

static void check_asked(const struct sim_wave *wave, u64 va, u64 len, bool write)
{
	struct needed *n = needed_by(wave);
	unsigned int i;

	if (!machine.delays)
		return;
	for (i = 0; i < n->nr; i++)
		if (va >= n->range[i].va && len <= n->range[i].len &&
		    va - n->range[i].va <= n->range[i].len - len &&
		    n->range[i].write == write)
			return;
	machine.nr_unasked++;
}

/* code may become unavailable between fetch and sim_env_need() */
static bool is_code_delayed(const struct sim_wave *wave)
{
	return machine.delays && !needed_by(wave)->nr && !needed_by(wave)->refused &&
	       machine.delay_state >> 28 == 0;
}

int sim_env_fetch(struct sim_wave *wave, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr)
{
	machine.delay_state = machine.delay_state * 1664525 + 1013904223;
	*nr = 0;
	if (is_code_delayed(wave))
		return -EFAULT;
	for (*nr = 0; *nr < max; ++*nr) {
		u8 *at = machine_at(pc + 4 * *nr, 4);

		if (!at)
			break;
		memcpy(&words[*nr], at, 4);
	}
	return *nr ? 0 : -EFAULT;
}

int sim_env_read(struct sim_wave *wave, u64 va, void *buf, unsigned int len)
{
	u8 *at = machine_at(va, len);

	check_asked(wave, va, len, false);
	if (!at)
		return -EFAULT;
	memcpy(buf, at, len);
	return 0;
}

int sim_env_write(struct sim_wave *wave, u64 va, const void *buf,
		  unsigned int len)
{
	u8 *at = machine_at(va, len);

	check_asked(wave, va, len, true);
	if (!at)
		return -EFAULT;
	memcpy(at, buf, len);
	return 0;
}

int sim_env_rmw(struct sim_wave *wave, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data,
		u64 *old)
{
	u8 *at = machine_at(va, len);
	u64 new;

	check_asked(wave, va, len, true);
	if (!at)
		return -EFAULT;
	*old = 0;
	memcpy(old, at, len);
	new = fn(*old, data);
	memcpy(at, &new, len);
	return 0;
}

static bool mode_matches(unsigned int mode, enum sim_access kind)
{
	switch (mode) {
	case 0:
		return kind == SIM_LOAD;
	case 1:
		return kind != SIM_LOAD;
	case 2:
		return kind == SIM_ATOMIC;
	default:
		return true;
	}
}

static bool lane_matches(const struct watch *c, u64 addr, unsigned int width)
{
	return (addr & c->mask) == c->value ||
	       ((addr + width - 1) & c->mask) == c->value;
}

u32 sim_env_watch(struct sim_wave *wave, enum sim_access kind,
		  unsigned int width, u64 lanes, const u64 *addrs)
{
	unsigned int n, lane;
	u32 hits = 0;

	if (machine.watch_fn)
		return machine.watch_fn(wave, kind, width, lanes, addrs);
	for (n = 0; n < NR_WATCHES; n++) {
		const struct watch *c = &machine.watch[n];

		if (!c->valid || !mode_matches(c->mode, kind))
			continue;
		for (lane = 0; lane < SIM_LANES; lane++)
			if ((lanes >> lane & 1) &&
			    lane_matches(c, addrs[lane], width))
				hits |= 1u << n;
	}
	machine.nr_hits += !!hits;
	return hits;
}

void sim_env_sendmsg(struct sim_wave *wave, u32 msg)
{
	if ((msg & 15) == MSG_GET_DOORBELL) {
		wave->s[GFX9_SRC_EXEC] = DOORBELL;
		return;
	}
	if (machine.nr_messages < MAX_MESSAGES)
		machine.message[machine.nr_messages++] = (struct message){
			msg, wave->s[GFX9_SRC_M0], wave->status & STATUS_PRIV,
		};
}

enum sim_step sim_env_step(struct sim_wave *wave)
{
	return machine.step;
}

struct sim_decoded *sim_env_decoded(struct sim_wave *wave)
{
	static struct sim_decoded decoded[SIM_NR_DECODED];

	return decoded;
}

void sim_env_icache_inv(struct sim_wave *wave)
{
}

/* one that is closed opens when machine.gws_waits is 0 */
int sim_env_gws(struct sim_wave *wave, bool init, unsigned int resource, u32 value)
{
	machine.gws = (struct gws){ machine.gws.calls + 1, init, resource, value };
	return !init && machine.gws_waits ? -EAGAIN : 0;
}

u64 sim_env_time(struct sim_wave *wave, bool realtime)
{
	return machine.time += realtime ? 1 : 16;
}

void *sim_env_lds(struct sim_wave *wave, unsigned int *size)
{
	*size = LDS_SIZE;
	return machine.lds;
}
