// SPDX-License-Identifier: GPL-2.0
/*
 * The wave interpreter's environment in the emulator: waves run one after
 * another to their ends.
 */
#include <stdlib.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>
#include "isa/gfx9/regs.h"
#include "providers/sim/wave/wave.h"
#include "emu.h"

/* limit for endless kernels */
#define MAX_INSTS	(1ULL << 28)
#define SLICE		100000

#define DONE		0	/* GPUBP_SIM_* */
#define MEM_VIOL	1
#define ILLEGAL_INST	2
#define KILLED		3
#define TRAP		4

struct emu_watch emu_watches[EMU_MAX_WATCHES];
unsigned int emu_nr_watches;
static uint64_t insts;

uint64_t emu_insts(void)
{
	return insts;
}

/* private memory of the workgroup that runs, at its own address */
static struct {
	char *bytes;
	size_t size;
} scratch;

static char *memory_at(u64 va, size_t *n)
{
	u64 start = (u64)scratch.bytes;

	if (va < start || va - start >= scratch.size)
		return emu_ptr(va, n);
	*n = scratch.size - (va - start);
	return scratch.bytes + (va - start);
}

/* an access may cross unrelated mappings */
static int emu_copy(u64 va, char *buf, size_t len, bool write)
{
	size_t n = 0;
	char *p;

	for (; len; len -= n, va += n, buf += n) {
		p = memory_at(va, &n);
		if (!p)
			return -EFAULT;
		n = n < len ? n : len;
		if (write)
			memcpy(p, buf, n);
		else
			memcpy(buf, p, n);
	}
	return 0;
}

bool sim_env_may_wait(struct sim_wave *wave)
{
	return false;
}

int sim_env_need(struct sim_wave *wave, u64 va, u64 len, bool write)
{
	return 0;
}

int sim_env_fetch(struct sim_wave *wave, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr)
{
	for (*nr = 0; *nr < max; ++*nr)
		if (emu_copy(pc + 4 * *nr, (char *)&words[*nr], 4, false))
			break;
	return *nr ? 0 : -EFAULT;
}

int sim_env_read(struct sim_wave *wave, u64 va, void *buf, unsigned int len)
{
	return emu_copy(va, buf, len, false);
}

int sim_env_write(struct sim_wave *wave, u64 va, const void *buf,
		  unsigned int len)
{
	return emu_copy(va, (char *)buf, len, true);
}

int sim_env_rmw(struct sim_wave *wave, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data,
		u64 *old)
{
	u64 new;

	*old = 0;
	if (emu_copy(va, (char *)old, len, false))
		return -EFAULT;
	new = fn(*old, data);
	return emu_copy(va, (char *)&new, len, true);
}

static unsigned int access_bit(enum sim_access kind)
{
	switch (kind) {
	case SIM_LOAD:
		return GPUBP_ACCESS_LOAD;
	case SIM_STORE:
		return GPUBP_ACCESS_STORE;
	default:
		return GPUBP_ACCESS_ATOMIC;
	}
}

static bool watch_meets(const struct emu_watch *watch, unsigned int width,
			u64 lanes, const u64 *addrs)
{
	unsigned int lane;

	for (lane = 0; lane < SIM_LANES; lane++)
		if (lanes >> lane & 1 && addrs[lane] < watch->addr + watch->len &&
		    watch->addr < addrs[lane] + width)
			return true;
	return false;
}

/* counts and never traps */
u32 sim_env_watch(struct sim_wave *wave, enum sim_access kind,
		  unsigned int width, u64 lanes, const u64 *addrs)
{
	struct emu_watch *watch;

	for (watch = emu_watches; watch < emu_watches + emu_nr_watches; watch++)
		if (watch->access & access_bit(kind) &&
		    watch_meets(watch, width, lanes, addrs))
			watch->count++;
	return 0;
}

void sim_env_sendmsg(struct sim_wave *wave, u32 msg)
{
}

enum sim_step sim_env_step(struct sim_wave *wave)
{
	return SIM_STEP_DONE;
}

struct sim_decoded *sim_env_decoded(struct sim_wave *wave)
{
	static struct sim_decoded decoded[SIM_NR_DECODED];

	return decoded;
}

void sim_env_icache_inv(struct sim_wave *wave)
{
}

int sim_env_gws(struct sim_wave *wave, bool init, unsigned int resource, u32 value)
{
	return -EILSEQ;
}

u64 sim_env_time(struct sim_wave *wave, bool realtime)
{
	return wave->nr_insts;
}

/* of the workgroup that runs */
static struct {
	char bytes[SIM_LDS_SIZE];
	unsigned int size;
} lds;

void *sim_env_lds(struct sim_wave *wave, unsigned int *size)
{
	*size = lds.size;
	return lds.bytes;
}

static void wave_failed(const struct sim_wave *wave, struct emu_result *result)
{
	result->status = wave->fatal_trap_id ? TRAP :
			 wave->fatal_trapsts & TRAPSTS_ILLEGAL_INST ? ILLEGAL_INST :
			 MEM_VIOL;
	result->pc = wave->fatal_pc;
	result->addr = wave->fatal_addr;
}

/* until it ends or waits at a barrier; returns whether it waits */
static bool run_wave(struct sim_wave *wave, struct emu_result *result)
{
	uint64_t before = wave->nr_insts;
	enum sim_stop stop;

	do {
		stop = sim_wave_run(wave, SLICE);
	} while ((stop == SIM_STOP_BUDGET || stop == SIM_STOP_SLEEP) &&
		 wave->nr_insts < MAX_INSTS);
	insts += wave->nr_insts - before;
	if (stop == SIM_STOP_FATAL)
		wave_failed(wave, result);
	else if (stop != SIM_STOP_ENDED && stop != SIM_STOP_BARRIER)
		result->status = KILLED;
	return stop == SIM_STOP_BARRIER;
}

/* from barrier to barrier, one wave after another; waves that ended wait nowhere */
static void run_waves(struct sim_wave *waves, unsigned int nr,
		      struct emu_result *result)
{
	bool again = true, *ended = calloc(nr, sizeof(*ended));
	unsigned int n;

	while (again) {
		again = false;
		for (n = 0; n < nr && result->status == DONE; n++) {
			if (ended[n])
				continue;
			waves[n].in_barrier = false;
			ended[n] = !run_wave(&waves[n], result);
			again |= !ended[n] && result->status == DONE;
		}
	}
	free(ended);
}

static void run_group(struct sim_launch *launch, struct emu_result *result)
{
	unsigned int n, nr = sim_launch_nr_waves(launch);
	struct sim_wave *waves = calloc(nr, sizeof(*waves));
	u32 private_size = launch->kernel->private_size * SIM_LANES;

	scratch.size = (size_t)nr * private_size;
	scratch.bytes = calloc(1, scratch.size);
	launch->scratch = (u64)scratch.bytes;
	launch->scratch_size = scratch.size;
	lds.size = launch->kernel->lds_size;
	memset(lds.bytes, 0, sizeof(lds.bytes));
	for (n = 0; n < nr; n++) {
		launch->wave = n;
		launch->scratch_offset = n * private_size;
		waves[n].arch = EMU_ARCH;
		waves[n].v = calloc(SIM_NR_VGPRS, sizeof(*waves[n].v));
		sim_launch_wave(launch, &waves[n]);
	}
	run_waves(waves, nr, result);
	for (n = 0; n < nr; n++)
		free(waves[n].v);
	free(waves);
	free(scratch.bytes);
	scratch.size = 0;
}

/* the fields of an AQL packet that kernels read */
struct packet {
	u16 header, setup, workgroup[3], reserved;
	u32 grid[3], private_size, group_size;
	u64 kernel_object, kernarg;
};

static bool put_packet(const struct sim_launch *launch)
{
	struct packet packet = {
		.setup = 3,
		.private_size = launch->kernel->private_size,
		.group_size = launch->kernel->lds_size,
		.kernel_object = launch->desc_va,
		.kernarg = launch->kernarg,
	};
	int i;

	for (i = 0; i < 3; i++) {
		packet.workgroup[i] = (u16)launch->workgroup[i];
		packet.grid[i] = launch->grid[i];
	}
	return !emu_copy(launch->dispatch_ptr, (char *)&packet, sizeof(packet), true);
}

bool emu_dispatch(uint64_t desc_va, uint64_t kernarg, uint64_t packet,
		  const uint32_t grid[3], const uint32_t workgroup[3],
		  struct emu_result *result)
{
	struct sim_kernel kernel;
	struct sim_launch launch = { .kernel = &kernel, .desc_va = desc_va,
				     .kernarg = kernarg, .dispatch_ptr = packet };
	char desc[SIM_DESC_SIZE];
	u32 *wg = launch.wg;

	if (emu_copy(desc_va, desc, sizeof(desc), false) ||
	    sim_kernel_parse(desc, EMU_ARCH, &kernel))
		return false;
	sim_kernel_add_stack(&kernel);
	memcpy(launch.grid, grid, sizeof(launch.grid));
	memcpy(launch.workgroup, workgroup, sizeof(launch.workgroup));
	if (!put_packet(&launch))
		return false;
	memset(result, 0, sizeof(*result));
	for (wg[2] = 0; wg[2] * workgroup[2] < grid[2]; wg[2]++)
		for (wg[1] = 0; wg[1] * workgroup[1] < grid[1]; wg[1]++)
			for (wg[0] = 0; wg[0] * workgroup[0] < grid[0]; wg[0]++)
				run_group(&launch, result);
	return true;
}
