// SPDX-License-Identifier: GPL-2.0
/*
 * Environment of the interpreter (wave.h): what instructions need of the
 * device.
 */
#include <linux/ktime.h>

#include "ctx.h"
#include "cu.h"
#include "group.h"
#include "pager.h"
#include "queue.h"
#include "sq.h"
#include "watch.h"

#define SGPR_M0			GFX9_SRC_M0
#define SGPR_EXEC_LO		GFX9_SRC_EXEC
#define MSG_ID(msg)		((msg) & 0xf)
#define MSG_PAYLOAD		0x00ffffff

static struct sim_vm *slot_vm(struct sim_slot *slot)
{
	return &slot->group->queue->ctx->vm;
}

static unsigned int access_flags(const struct sim_wave *wave)
{
	return wave->status & STATUS_PRIV ? SIM_ACCESS_PRIV : 0;
}

static size_t env_access(struct sim_wave *wave, u64 va, void *buf, size_t len,
			 unsigned int flags)
{
	struct sim_slot *slot = sim_slot_of(wave);
	struct sim_tlb *tlb = &slot->cu->tlb;

	sim_tlb_instruction(tlb, wave->nr_insts);
	return sim_vm_access(slot_vm(slot), tlb, va, buf, len,
			     flags | access_flags(wave));
}

bool sim_env_may_wait(struct sim_wave *wave)
{
	return sim_vm_may_wait(slot_vm(sim_slot_of(wave)));
}

int sim_env_need(struct sim_wave *wave, u64 va, u64 len, bool write)
{
	struct sim_slot *slot = sim_slot_of(wave);
	struct sim_tlb *tlb = &slot->cu->tlb;
	u64 missing;

	/* it has waited for the page already: let the access fail */
	if (slot->page_failed_inst == wave->nr_insts)
		return 0;
	sim_tlb_instruction(tlb, wave->nr_insts);
	if (!sim_vm_need(slot_vm(slot), tlb, va, len, access_flags(wave) |
			 (write ? SIM_ACCESS_WRITE : 0), &missing))
		return 0;
	if (sim_pager_request(slot->group->queue->ctx, missing, write) ==
	    -EAGAIN)
		return -EAGAIN;
	slot->page_failed_inst = wave->nr_insts;
	return 0;
}

static unsigned int env_read_code(void *arg, u64 va, u32 *words,
				  unsigned int max)
{
	return env_access(arg, va, words, max * sizeof(*words), 0) /
	       sizeof(*words);
}

/* what only the trap handler may read is cached for it only */
static u64 env_code_space(struct sim_wave *wave)
{
	u64 seq = READ_ONCE(slot_vm(sim_slot_of(wave))->code_seq);

	return seq << 1 | (access_flags(wave) ? 1 : 0);
}

int sim_env_fetch(struct sim_wave *wave, u64 pc, u32 *words, unsigned int max,
		  unsigned int *nr)
{
	*nr = sim_fetch(sim_slot_of(wave)->cu->icache, env_code_space(wave), pc,
			words, max, env_read_code, wave);
	return *nr ? 0 : -EFAULT;
}

struct sim_decoded *sim_env_decoded(struct sim_wave *wave)
{
	return sim_slot_of(wave)->cu->decoded;
}

void sim_env_icache_inv(struct sim_wave *wave)
{
	sim_fetch_invalidate(sim_slot_of(wave)->cu->icache);
}

int sim_env_read(struct sim_wave *wave, u64 va, void *buf, unsigned int len)
{
	return env_access(wave, va, buf, len, 0) == len ? 0 : -EFAULT;
}

int sim_env_write(struct sim_wave *wave, u64 va, const void *buf,
		  unsigned int len)
{
	size_t done = env_access(wave, va, (void *)buf, len, SIM_ACCESS_WRITE);

	return done == len ? 0 : -EFAULT;
}

int sim_env_rmw(struct sim_wave *wave, u64 va, unsigned int len,
		u64 (*fn)(u64 old, const void *data), const void *data,
		u64 *old)
{
	struct sim_slot *slot = sim_slot_of(wave);
	struct sim_tlb *tlb = &slot->cu->tlb;

	sim_tlb_instruction(tlb, wave->nr_insts);
	return sim_vm_rmw(slot_vm(slot), tlb, va, len, fn, data,
			  access_flags(wave), old);
}

u32 sim_env_watch(struct sim_wave *wave, enum sim_access kind,
		  unsigned int width, u64 lanes, const u64 *addrs)
{
	struct sim_device *dev = sim_slot_of(wave)->cu->dev;
	const struct sim_request req = {
		.kind = kind,
		.width = width,
		.lanes = lanes,
		.addrs = addrs,
	};
	u32 slots = sim_watch_compare(&dev->regs, HW_ID_VMID(wave->hw_id),
				      &req);

	if (slots)
		sim_stat_inc(dev, SIM_STAT_MATCHES);
	return slots;
}

void sim_env_sendmsg(struct sim_wave *wave, u32 msg)
{
	struct sim_slot *slot = sim_slot_of(wave);

	switch (MSG_ID(msg)) {
	case MSG_INTERRUPT:
		sim_sq_message(slot, wave->s[SGPR_M0] & MSG_PAYLOAD);
		break;
	case MSG_GET_DOORBELL:
		wave->s[SGPR_EXEC_LO] = slot->group->queue->doorbell;
		break;
	}
}

/* nothing makes sure that all waves of a grid are resident */
int sim_env_gws(struct sim_wave *wave, bool init, unsigned int resource, u32 value)
{
	return -EILSEQ;
}

enum sim_step sim_env_step(struct sim_wave *wave)
{
	struct sim_device *dev = sim_slot_of(wave)->cu->dev;

	if (sim_fault(dev, SIM_FAULT_SPURIOUS))
		return SIM_STEP_SPURIOUS;
	return sim_fault(dev, SIM_FAULT_OVERSTEP) ? SIM_STEP_LOST :
						    SIM_STEP_DONE;
}

u64 sim_env_time(struct sim_wave *wave, bool realtime)
{
	u64 ns = ktime_get_ns();

	return realtime ? div_u64(ns, SIM_REALTIME_NS) : ns;
}

void *sim_env_lds(struct sim_wave *wave, unsigned int *size)
{
	const struct sim_group *group = sim_slot_of(wave)->group;

	*size = group->lds_size;
	return *size ? sim_group_lds(group) : NULL;
}
