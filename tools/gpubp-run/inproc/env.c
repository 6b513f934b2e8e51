// SPDX-License-Identifier: GPL-2.0
/* What instructions need of the rest of the GPU: the interpreter's wave.h. */
#include <errno.h>
#include <time.h>
#include "../../wave_rmw.h"
#include "unit.h"

#define MSG_ID(msg)		((msg) & 0xf)
#define MSG_GET_DOORBELL	10
#define REALTIME_NS		10	/* a tick of s_memrealtime */

static struct inproc_unit *unit_of(struct sim_wave *sim)
{
	return inproc_wave_of(sim)->group->unit;
}

static size_t env_move(struct sim_wave *sim, u64 va, void *buf, size_t len, bool write)
{
	return inproc_memory_move(unit_of(sim)->memory, va, buf, len, write);
}

bool sim_env_may_wait(struct sim_wave *sim)
{
	return false;
}

int sim_env_need(struct sim_wave *sim, u64 va, u64 len, bool write)
{
	return 0;
}

static unsigned int env_read_code(void *sim, u64 va, u32 *words, unsigned int max)
{
	return env_move(sim, va, words, max * sizeof(*words), false) / sizeof(*words);
}

int sim_env_fetch(struct sim_wave *sim, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr)
{
	*nr = sim_fetch(&unit_of(sim)->icache, 0, pc, words, max, env_read_code, sim);
	return *nr ? 0 : -EFAULT;
}

struct sim_decoded *sim_env_decoded(struct sim_wave *sim)
{
	return unit_of(sim)->decoded;
}

void sim_env_icache_inv(struct sim_wave *sim)
{
	sim_fetch_invalidate(&unit_of(sim)->icache);
}

int sim_env_read(struct sim_wave *sim, u64 va, void *buf, unsigned int len)
{
	return env_move(sim, va, buf, len, false) == len ? 0 : -EFAULT;
}

int sim_env_write(struct sim_wave *sim, u64 va, const void *buf, unsigned int len)
{
	return env_move(sim, va, (void *)buf, len, true) == len ? 0 : -EFAULT;
}

int sim_env_rmw(struct sim_wave *sim, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data, u64 *old)
{
	size_t part;
	void *at = inproc_memory_at(unit_of(sim)->memory, va, &part);

	*old = 0;
	if (!at || part < len)
		return -EFAULT;
	wave_rmw(at, len, fn, data, old);
	return 0;
}

/* nothing traps: what is watched is in inproc_wave.touch */
u32 sim_env_watch(struct sim_wave *sim, enum sim_access kind, unsigned int width,
		  u64 lanes, const u64 *addrs)
{
	const struct sim_request req = {
		.kind = kind, .width = width, .lanes = lanes, .addrs = addrs,
	};
	struct inproc_unit *unit = unit_of(sim);

	if (unit->watch.program.valid)
		inproc_watch_compare(&unit->watch, &req, &inproc_wave_of(sim)->touch);
	return 0;
}

void sim_env_sendmsg(struct sim_wave *sim, u32 msg)
{
	if (MSG_ID(msg) == MSG_GET_DOORBELL)
		sim->s[GFX9_SRC_EXEC] = unit_of(sim)->queue;
}

/* not all waves of a grid are on the GPU at once */
int sim_env_gws(struct sim_wave *sim, bool init, unsigned int resource, u32 value)
{
	return -EILSEQ;
}

enum sim_step sim_env_step(struct sim_wave *sim)
{
	return SIM_STEP_DONE;
}

u64 inproc_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

u64 sim_env_time(struct sim_wave *sim, bool realtime)
{
	return realtime ? inproc_now() / REALTIME_NS : inproc_now();
}

void *sim_env_lds(struct sim_wave *sim, unsigned int *size)
{
	const struct inproc_group *group = inproc_wave_of(sim)->group;

	*size = group->launch.kernel->lds_size;
	return group->lds;
}
