// SPDX-License-Identifier: GPL-2.0
/* What instructions need of the rest of the GPU (the interpreter's wave.h). */
#include <errno.h>
#include <string.h>

#include "isa/gfx9/regs.h"

#include "../wave_rmw.h"
#include "executor.h"

#define PAGE_BYTES	4096u

static struct wave *wave_of(struct sim_wave *sim)
{
	return container_of(sim, struct wave, sim);
}

static struct executor *executor_of(struct sim_wave *sim)
{
	return wave_of(sim)->group->executor;
}

/* amdgpu is interrupted once for a page, not for each lane */
static void report_fault(struct sim_wave *sim, uint64_t va)
{
	const struct vm_fault *fault = &executor_of(sim)->access.fault;
	struct dispatch *d = dispatch_of(sim);
	struct compute *c = d->compute;

	pthread_mutex_lock(&c->shared);
	if (d->fault != va / PAGE_BYTES + 1) {
		d->fault = va / PAGE_BYTES + 1;
		log_line(c->log, "vm",
			 "fault: pasid 0x%x vmid %u: a wave accesses 0x%llx, level %d, entry 0x%llx",
			 d->vm.pasid, d->vm.vmid, (unsigned long long)va,
			 fault->level, (unsigned long long)fault->entry);
		ih_raise_fault(c->engine->ih, &d->vm, fault);
	}
	pthread_mutex_unlock(&c->shared);
}

/* memory at @va, and @len as far as the page goes; NULL: no such page */
static uint8_t *memory_at(struct sim_wave *sim, uint64_t va, size_t *len, bool write)
{
	uint64_t page = va / PAGE_BYTES, offset = va % PAGE_BYTES;
	const struct dispatch *d = dispatch_of(sim);
	struct executor *executor = executor_of(sim);
	struct executor_page *entry = &executor->page[page % EXECUTOR_PAGES];

	*len = PAGE_BYTES - offset;
	if (entry->va != page + 1 || entry->root != d->vm.root ||
	    (write && !entry->write)) {
		uint8_t *at = vm_at(&executor->access, &d->vm, va, len, write);

		if (!at)
			return NULL;
		*entry = (struct executor_page){
			.root = d->vm.root, .va = page + 1, .write = write,
			.at = at - offset,
		};
		*len = PAGE_BYTES - offset;
	}
	return entry->at + offset;
}

static size_t move(struct sim_wave *sim, uint64_t va, void *buf, size_t len,
		   bool write)
{
	size_t done = 0, part;

	while (done < len) {
		uint8_t *at = memory_at(sim, va + done, &part, write);

		if (!at)
			break;
		if (part > len - done)
			part = len - done;
		if (write)
			memcpy(at, (const uint8_t *)buf + done, part);
		else
			memcpy((uint8_t *)buf + done, at, part);
		done += part;
	}
	return done;
}

bool sim_env_may_wait(struct sim_wave *sim)
{
	return false;
}

int sim_env_need(struct sim_wave *sim, u64 va, u64 len, bool write)
{
	return 0;
}

static unsigned int read_code(void *sim, u64 va, u32 *words, unsigned int max)
{
	return move(sim, va, words, max * sizeof(*words), false) / sizeof(*words);
}

/* what is fetched in advance, behind the program, is no fault */
int sim_env_fetch(struct sim_wave *sim, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr)
{
	const struct dispatch *d = dispatch_of(sim);

	*nr = sim_fetch(&executor_of(sim)->icache, d->vm.root, pc, words, max,
			read_code, sim);
	if (*nr)
		return 0;
	report_fault(sim, pc);
	return -EFAULT;
}

struct sim_decoded *sim_env_decoded(struct sim_wave *sim)
{
	return executor_of(sim)->decoded;
}

void sim_env_icache_inv(struct sim_wave *sim)
{
	executor_invalidate(dispatch_of(sim)->compute->executors, executor_of(sim));
}

static int move_all(struct sim_wave *sim, uint64_t va, void *buf, size_t len,
		    bool write)
{
	size_t done = move(sim, va, buf, len, write);

	if (done == len)
		return 0;
	report_fault(sim, va + done);
	return -EFAULT;
}

int sim_env_read(struct sim_wave *sim, u64 va, void *buf, unsigned int len)
{
	return move_all(sim, va, buf, len, false);
}

int sim_env_write(struct sim_wave *sim, u64 va, const void *buf, unsigned int len)
{
	return move_all(sim, va, (void *)buf, len, true);
}

/* the guest's processors may access the same word */
int sim_env_rmw(struct sim_wave *sim, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data, u64 *old)
{
	size_t part;
	uint8_t *at = memory_at(sim, va, &part, true);

	if (!at || part < len) {
		report_fault(sim, va);
		return -EFAULT;
	}
	wave_rmw(at, len, fn, data, old);
	return 0;
}

u32 sim_env_watch(struct sim_wave *sim, enum sim_access kind, unsigned int width,
		  u64 lanes, const u64 *addrs)
{
	const struct sim_request request = {
		.kind = kind, .width = width, .lanes = lanes, .addrs = addrs,
	};
	const struct group *group = wave_of(sim)->group;
	u32 slots = 0;
	unsigned int i;

	for (i = 0; i < MODEL_NR_WATCHES; i++)
		if (group->valid >> i & 1 &&
		    sim_comparator_matches(&group->comparator[i], &request))
			slots |= 1u << i;
	if (slots)
		__atomic_fetch_add(&group->dispatch->compute->matches, 1,
				   __ATOMIC_RELAXED);
	return slots;
}

/* what the interpreter does not know, or the program should not have reached */
static void log_illegal(struct sim_wave *sim)
{
	struct dispatch *d = dispatch_of(sim);
	uint32_t words[2] = { 0 };

	move(sim, sim->fatal_pc, words, sizeof(words), false);
	log_line(d->compute->log, "wave", "illegal instruction 0x%08x 0x%08x at 0x%llx",
		 words[0], words[1], (unsigned long long)sim->fatal_pc);
}

static void send_interrupt(struct sim_wave *sim)
{
	if (sim->fatal_trapsts & TRAPSTS_ILLEGAL_INST)
		log_illegal(sim);
	sq_interrupt(dispatch_of(sim)->compute->sq, &wave_of(sim)->view,
		     sim->s[GFX9_SRC_M0], sim->status & STATUS_PRIV);
}

void sim_env_sendmsg(struct sim_wave *sim, u32 msg)
{
	struct dispatch *d = dispatch_of(sim);

	pthread_mutex_lock(&d->compute->shared);
	switch (msg & 0xf) {
	case MSG_INTERRUPT:
		send_interrupt(sim);
		break;
	case MSG_SAVEWAVE:
		if (wave_of(sim)->save == SAVE_ASKED && sim->status & STATUS_PRIV)
			wave_of(sim)->save = SAVE_READY;
		break;
	case MSG_GET_DOORBELL:
		sim->s[GFX9_SRC_EXEC] = d->doorbell;
		break;
	default:
		log_line(d->compute->log, "wave", "message %u is not modelled",
			 msg & 0xf);
	}
	pthread_mutex_unlock(&d->compute->shared);
}

static bool is_due(uint32_t every, uint32_t *nr)
{
	return every && !(++*nr % every);
}

enum sim_step sim_env_step(struct sim_wave *sim)
{
	struct compute *c = dispatch_of(sim)->compute;
	struct engine_steps *steps = &c->engine->steps;
	enum sim_step step = SIM_STEP_DONE;

	pthread_mutex_lock(&c->shared);
	if (is_due(steps->spurious, &steps->nr_spurious))
		step = SIM_STEP_SPURIOUS;
	else if (is_due(steps->lost, &steps->nr_lost))
		step = SIM_STEP_LOST;
	pthread_mutex_unlock(&c->shared);
	return step;
}

/* the last wave opens the barrier, for as many waves as its @value says */
static int gws_barrier(struct compute_gws *gws, struct wave *wave, u32 value)
{
	if (gws->root != wave->group->dispatch->vm.root)
		return -EILSEQ;
	if (!wave->gws_waits) {
		wave->gws_waits = true;
		wave->gws_phase = gws->phase;
		if (!gws->left--) {
			gws->left = value;
			gws->phase++;
		}
	}
	wave->gws_waits = wave->gws_phase == gws->phase;
	return wave->gws_waits ? -EAGAIN : 0;
}

int sim_env_gws(struct sim_wave *sim, bool init, unsigned int resource, u32 value)
{
	struct dispatch *d = dispatch_of(sim);
	struct compute_gws *gws = &d->compute->gws[resource % COMPUTE_GWS];
	int err = 0;

	pthread_mutex_lock(&d->compute->shared);
	if (init)
		*gws = (struct compute_gws){ d->vm.root, value, gws->phase + 1 };
	else
		err = gws_barrier(gws, wave_of(sim), value);
	pthread_mutex_unlock(&d->compute->shared);
	return err;
}

u64 sim_env_time(struct sim_wave *sim, bool realtime)
{
	return realtime ? clock_ticks() : clock_ns();
}

void *sim_env_lds(struct sim_wave *sim, unsigned int *size)
{
	const struct group *group = wave_of(sim)->group;

	*size = group->lds_size;
	return group->lds;
}
