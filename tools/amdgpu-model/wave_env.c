// SPDX-License-Identifier: GPL-2.0
/* What instructions need of the rest of the GPU (the interpreter's wave.h). */
#include <errno.h>
#include <string.h>

#include "isa/gfx9/regs.h"

#include "group.h"

#define PAGE_BYTES	4096u

static struct wave *wave_of(struct sim_wave *sim)
{
	return container_of(sim, struct wave, sim);
}

/* amdgpu is interrupted once for a page, not for each lane */
static void report_fault(struct dispatch *d, uint64_t va)
{
	struct compute *c = d->compute;

	if (d->fault == va / PAGE_BYTES + 1)
		return;
	d->fault = va / PAGE_BYTES + 1;
	log_line(c->log, "vm",
		 "fault: pasid 0x%x vmid %u: a wave accesses 0x%llx, level %d, entry 0x%llx",
		 d->vm.pasid, d->vm.vmid, (unsigned long long)va,
		 c->access.fault.level, (unsigned long long)c->access.fault.entry);
	ih_raise_fault(c->engine->ih, &d->vm, &c->access.fault);
}

/* memory at @va, and @len as far as the page goes; NULL: no such page */
static uint8_t *memory_at(struct dispatch *d, uint64_t va, size_t *len, bool write)
{
	uint64_t page = va / PAGE_BYTES, offset = va % PAGE_BYTES;
	struct compute *c = d->compute;
	struct compute_page *entry = &c->tlb[page % COMPUTE_TLB];

	*len = PAGE_BYTES - offset;
	if (entry->va != page + 1 || entry->root != d->vm.root ||
	    (write && !entry->write)) {
		uint8_t *at = vm_at(&c->access, &d->vm, va, len, write);

		if (!at)
			return NULL;
		*entry = (struct compute_page){
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
	struct dispatch *d = dispatch_of(sim);
	size_t done = 0, part;

	while (done < len) {
		uint8_t *at = memory_at(d, va + done, &part, write);

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
	struct dispatch *d = dispatch_of(sim);

	*nr = sim_fetch(d->compute->icache, d->vm.root, pc, words, max, read_code,
			sim);
	if (*nr)
		return 0;
	report_fault(d, pc);
	return -EFAULT;
}

void sim_env_icache_inv(struct sim_wave *sim)
{
	compute_invalidate_code(dispatch_of(sim)->compute);
}

static int move_all(struct sim_wave *sim, uint64_t va, void *buf, size_t len,
		    bool write)
{
	size_t done = move(sim, va, buf, len, write);

	if (done == len)
		return 0;
	report_fault(dispatch_of(sim), va + done);
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
#define ATOMIC_UPDATE(type, at, fn, data, old)				\
do {									\
	type was_ = __atomic_load_n((type *)(at), __ATOMIC_SEQ_CST);	\
									\
	while (!__atomic_compare_exchange_n((type *)(at), &was_,	\
			(type)(fn)(was_, data), false,			\
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))		\
		;							\
	*(old) = was_;							\
} while (0)

int sim_env_rmw(struct sim_wave *sim, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data, u64 *old)
{
	size_t part;
	uint8_t *at = memory_at(dispatch_of(sim), va, &part, true);

	if (!at || part < len) {
		report_fault(dispatch_of(sim), va);
		return -EFAULT;
	}
	if (len == 4)
		ATOMIC_UPDATE(uint32_t, at, fn, data, old);
	else
		ATOMIC_UPDATE(uint64_t, at, fn, data, old);
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
	group->dispatch->compute->matches += slots != 0;
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

void sim_env_sendmsg(struct sim_wave *sim, u32 msg)
{
	struct dispatch *d = dispatch_of(sim);

	switch (msg & 0xf) {
	case MSG_INTERRUPT:
		if (sim->fatal_trapsts & TRAPSTS_ILLEGAL_INST)
			log_illegal(sim);
		sq_interrupt(d->compute->sq, &wave_of(sim)->view,
			     sim->s[GFX9_SRC_M0], sim->status & STATUS_PRIV);
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
}

static bool is_due(uint32_t every, uint32_t *nr)
{
	return every && !(++*nr % every);
}

enum sim_step sim_env_step(struct sim_wave *sim)
{
	struct engine_steps *steps = &dispatch_of(sim)->compute->engine->steps;

	if (is_due(steps->spurious, &steps->nr_spurious))
		return SIM_STEP_SPURIOUS;
	return is_due(steps->lost, &steps->nr_lost) ? SIM_STEP_LOST : SIM_STEP_DONE;
}

/* the last wave opens the barrier, for as many waves as its @value says */
int sim_env_gws(struct sim_wave *sim, bool init, unsigned int resource, u32 value)
{
	struct dispatch *d = dispatch_of(sim);
	struct compute_gws *gws = &d->compute->gws[resource % COMPUTE_GWS];
	struct wave *wave = wave_of(sim);

	if (init) {
		*gws = (struct compute_gws){ d->vm.root, value, gws->phase + 1 };
		return 0;
	}
	if (gws->root != d->vm.root)
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
