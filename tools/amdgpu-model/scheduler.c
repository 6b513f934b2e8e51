// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>

#include "amd_compat.h"
#include "v9_structs.h"
#include "kfd_pm4_headers_ai.h"
#include "kfd_pm4_headers_aldebaran.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "athub/athub_1_0_sh_mask.h"
#include "sdma0/sdma0_4_2_sh_mask.h"

#include "compute.h"
#include "field.h"
#include "runlist.h"
#include "scheduler.h"
#include "stream.h"

/* the structs of packets have the header, our bodies do not */
#define PACKET(type, body)	((const struct type *)((body) - 1))

void scheduler_set_resources(struct engine *e, const uint32_t *body)
{
	const struct pm4_mes_set_resources *p = PACKET(pm4_mes_set_resources, body);

	e->vmids = p->bitfields2.vmid_mask;
	e->hardware_queues = __builtin_popcount(p->queue_mask_lo) +
			     __builtin_popcount(p->queue_mask_hi);
	log_line(e->log, "hws", "SET_RESOURCES vmids 0x%04x, %u hardware queues",
		 e->vmids, e->hardware_queues);
}

static struct process *find_vmid(struct engine *e, uint64_t root)
{
	struct process *unused = NULL;
	unsigned int vmid;

	for (vmid = 1; vmid < MODEL_NR_VMIDS; vmid++) {
		struct process *p = &e->process[vmid];

		if (!(e->vmids >> vmid & 1))
			continue;
		if (p->mapped && p->vm.root == root)
			return p;
		if (!p->mapped && !unused) {
			unused = p;
			unused->vm.vmid = vmid;
		}
	}
	return unused;
}

/* those of all VMIDs follow each other; PASID 0: the VMID is free */
static void load_pasid(struct engine *e, unsigned int vmid, uint32_t pasid)
{
	uint32_t first = e->regs->index[R_ATHUB_ATC_VMID0_PASID_MAPPING];

	register_set(e->regs, first + vmid,
		     pasid ? FIELD_PUT(ATC_VMID0_PASID_MAPPING, PASID, pasid) |
			     FIELD_PUT(ATC_VMID0_PASID_MAPPING, VALID, 1) : 0);
}

static void load_words(struct engine *e, unsigned int vmid,
		       const struct pm4_mes_map_process_aldebaran *p)
{
	struct registers *r = e->regs;

	reg_set_of_vmid(r, R_GC_SH_MEM_BASES, vmid, p->sh_mem_bases);
	reg_set_of_vmid(r, R_GC_SH_MEM_CONFIG, vmid, p->sh_mem_config);
	reg_set_of_vmid(r, R_GC_SQ_SHADER_TBA_LO, vmid, p->sq_shader_tba_lo);
	reg_set_of_vmid(r, R_GC_SQ_SHADER_TBA_HI, vmid, p->sq_shader_tba_hi);
	reg_set_of_vmid(r, R_GC_SQ_SHADER_TMA_LO, vmid, p->sq_shader_tma_lo);
	reg_set_of_vmid(r, R_GC_SQ_SHADER_TMA_HI, vmid, p->sq_shader_tma_hi);
	reg_set_of_vmid(r, R_GC_SPI_GDBG_PER_VMID_CNTL, vmid,
			p->spi_gdbg_per_vmid_cntl);
	reg_set_of_vmid(r, R_GC_TCP_WATCH0_CNTL, vmid, p->tcp_watch_cntl[0]);
	reg_set_of_vmid(r, R_GC_TCP_WATCH1_CNTL, vmid, p->tcp_watch_cntl[1]);
	reg_set_of_vmid(r, R_GC_TCP_WATCH2_CNTL, vmid, p->tcp_watch_cntl[2]);
	reg_set_of_vmid(r, R_GC_TCP_WATCH3_CNTL, vmid, p->tcp_watch_cntl[3]);
}

/* amdkfd's handler jumps to the address at the start of its memory, if there is one */
static uint64_t second_level(struct engine *e, const struct process *process)
{
	uint64_t tba = 0;

	if (process->tma)
		vm_read64(e->access, &process->vm, process->tma, &tba);
	return tba;
}

static void tell_process(struct engine *e, const struct process *process,
			 const struct pm4_mes_map_process_aldebaran *p)
{
	log_line(e->log, "hws",
		 "MAP_PROCESS pasid 0x%x vmid %u tba 0x%llx tma 0x%llx second 0x%llx new_debug %u debug_vmid %u single_memops %u spi_gdbg 0x%08x watch 0x%08x 0x%08x 0x%08x 0x%08x",
		 process->vm.pasid, process->vm.vmid,
		 (unsigned long long)process->tba,
		 (unsigned long long)process->tma,
		 (unsigned long long)second_level(e, process),
		 p->bitfields2.new_debug,
		 p->bitfields2.debug_vmid, p->bitfields2.single_memops,
		 p->spi_gdbg_per_vmid_cntl, p->tcp_watch_cntl[0],
		 p->tcp_watch_cntl[1], p->tcp_watch_cntl[2], p->tcp_watch_cntl[3]);
}

/* gfx9 before 9.4.2 has a shorter one, without words for debugging */
bool scheduler_process_is_whole(struct engine *e, unsigned int nr)
{
	if (nr + 1 >= sizeof(struct pm4_mes_map_process_aldebaran) / 4)
		return true;
	log_fault(e->log, "hws", "MAP_PROCESS of %u dwords", nr + 1);
	return false;
}

static uint64_t process_root(const struct pm4_mes_map_process_aldebaran *p)
{
	return join_halves(p->vm_context_page_table_base_addr_lo32,
			   p->vm_context_page_table_base_addr_hi32);
}

uint32_t scheduler_pasid(const uint32_t *body)
{
	return PACKET(pm4_mes_map_process_aldebaran, body)->bitfields2.pasid;
}

bool scheduler_has_vmid(struct engine *e, const uint32_t *body)
{
	return find_vmid(e, process_root(PACKET(pm4_mes_map_process_aldebaran, body)));
}

struct process *scheduler_map_process(struct engine *e, const uint32_t *body,
				      unsigned int nr)
{
	const struct pm4_mes_map_process_aldebaran *p =
		PACKET(pm4_mes_map_process_aldebaran, body);
	uint64_t root = process_root(p);
	struct process *process;

	if (!scheduler_process_is_whole(e, nr))
		return NULL;
	process = find_vmid(e, root);
	if (!process) {
		log_fault(e->log, "hws", "no VMID is free for pasid 0x%x",
			  p->bitfields2.pasid);
		return NULL;
	}
	process->mapped = true;
	process->vm.root = root;
	process->vm.pasid = p->bitfields2.pasid;
	process->tba = join_halves(p->sq_shader_tba_lo,
			    p->sq_shader_tba_hi & 0xff) << 8;
	process->tma = join_halves(p->sq_shader_tma_lo, p->sq_shader_tma_hi) << 8;
	process->single_memop = p->bitfields2.single_memops;
	load_words(e, process->vm.vmid, p);
	load_pasid(e, process->vm.vmid, process->vm.pasid);
	if (!e->in_turn)
		tell_process(e, process, p);
	return process;
}

/* the write pointer that is in memory: of doorbells while the queue was off, too */
static void find_pointers(struct engine *e, struct queue *q, uint64_t rptr,
			  unsigned int unit)
{
	uint64_t value;

	q->rptr = q->wptr = rptr;
	if (!q->wptr_addr || !vm_read64(e->access, &q->vm, q->wptr_addr, &value))
		return;
	q->wptr = value / unit;
	/* an MQD has the lower half of the read pointer */
	q->rptr = q->wptr - (uint32_t)(q->wptr - rptr);
}

/* amdkfd has the control stack of a queue behind the page of its MQD */
#define MQD_PAGE	4096u

static struct save_area save_area(const struct v9_mqd *mqd, uint64_t at)
{
	struct save_area a = {
		.base = join_halves(mqd->cp_hqd_ctx_save_base_addr_lo,
				    mqd->cp_hqd_ctx_save_base_addr_hi),
		.size = mqd->cp_hqd_ctx_save_size,
		.stack = at + MQD_PAGE,
		.stack_size = mqd->cp_hqd_cntl_stack_size,
		.stack_offset = mqd->cp_hqd_cntl_stack_offset,
		.state_offset = mqd->cp_hqd_wg_state_offset,
	};

	if (a.size < a.stack_size || a.stack_offset > a.stack_size ||
	    a.state_offset < a.stack_size || a.state_offset > a.size)
		return (struct save_area){ 0 };
	return a;
}

static struct queue compute_queue(struct engine *e, const struct v9_mqd *mqd,
				  const struct queue *as)
{
	struct queue q = *as;

	q.base = join_halves(mqd->cp_hqd_pq_base_lo, mqd->cp_hqd_pq_base_hi) << 8;
	q.size = queue_size(mqd->cp_hqd_pq_control & 0x3f) * 2;
	q.rptr_addr = join_halves(mqd->cp_hqd_pq_rptr_report_addr_lo,
			   mqd->cp_hqd_pq_rptr_report_addr_hi);
	q.kind = QUEUE_PM4;
	find_pointers(e, &q, mqd->cp_hqd_pq_rptr, 1);
	if (!mqd->cp_hqd_aql_control)
		return q;
	q.area = save_area(mqd, q.mqd);
	q.kind = QUEUE_AQL;
	q.size = q.size < 16 ? 1 : q.size / 16;
	return q;
}

static struct queue sdma_queue(struct engine *e, const struct v9_sdma_mqd *mqd,
			       const struct queue *as)
{
	struct queue q = *as;

	q.kind = QUEUE_SDMA;
	q.base = join_halves(mqd->sdmax_rlcx_rb_base, mqd->sdmax_rlcx_rb_base_hi) << 8;
	q.size = queue_size(FIELD_GET(mqd->sdmax_rlcx_rb_cntl,
				      SDMA0_GFX_RB_CNTL, RB_SIZE));
	q.rptr_addr = join_halves(mqd->sdmax_rlcx_rb_rptr_addr_lo,
			   mqd->sdmax_rlcx_rb_rptr_addr_hi);
	find_pointers(e, &q, join_halves(mqd->sdmax_rlcx_rb_rptr,
				  mqd->sdmax_rlcx_rb_rptr_hi) / 4, 4);
	q.sdma = mqd->sdma_engine_id % MODEL_NR_SDMA;
	q.ring_id = 2;
	return q;
}

/* me 1 or 2, pipe and queue of the packets that amdgpu sends; the KFD leaves it to us */
static uint8_t kernel_ring_id(uint32_t word)
{
	return (word >> 18 & 1 ? 2 : 1) << 2 | (word >> 16 & 3) |
	       (word >> 13 & 7) << 4;
}

uint32_t scheduler_doorbell(const uint32_t *body)
{
	return PACKET(pm4_mes_map_queues, body)->bitfields3.doorbell_offset;
}

bool scheduler_is_sdma(const uint32_t *body)
{
	const struct pm4_mes_map_queues *p = PACKET(pm4_mes_map_queues, body);

	return p->bitfields2.extended_engine_sel ||
	       p->bitfields2.engine_sel == engine_sel__mes_map_queues__sdma0_vi ||
	       p->bitfields2.engine_sel == engine_sel__mes_map_queues__sdma1_vi;
}

static void tell_queue(struct engine *e, const struct queue *q)
{
	log_line(e->log, "hws",
		 "MAP_QUEUES doorbell 0x%x %s pasid 0x%x vmid %u base 0x%llx size %u rptr %llu",
		 q->doorbell, q->kind == QUEUE_AQL ? "AQL" :
			      q->kind == QUEUE_SDMA ? "SDMA" : "PM4",
		 q->vm.pasid, q->vm.vmid, (unsigned long long)q->base, q->size,
		 (unsigned long long)q->rptr);
}

struct queue *scheduler_map_queue(struct engine *e, const uint32_t *body,
				  const struct process *process)
{
	const struct pm4_mes_map_queues *p = PACKET(pm4_mes_map_queues, body);
	bool sdma = scheduler_is_sdma(body);
	struct queue q = {
		.user = process,
		.kicked = true,
		.vm = process ? process->vm : vm_kernel,
		.doorbell = p->bitfields3.doorbell_offset,
		.mqd = join_halves(p->mqd_addr_lo, p->mqd_addr_hi),
		.wptr_addr = join_halves(p->wptr_addr_lo, p->wptr_addr_hi),
		.ring_id = kernel_ring_id(body[0]),
	};
	union {
		struct v9_mqd compute;
		struct v9_sdma_mqd sdma;
	} mqd;
	struct queue *old = queue_find(e, q.doorbell), *added;

	if (!vm_read(e->access, &vm_kernel, q.mqd, &mqd,
		     sdma ? sizeof(mqd.sdma) : sizeof(mqd.compute))) {
		log_fault(e->log, "hws", "MAP_QUEUES: no MQD at 0x%llx",
			  (unsigned long long)q.mqd);
		return NULL;
	}
	q = sdma ? sdma_queue(e, &mqd.sdma, &q) : compute_queue(e, &mqd.compute, &q);
	if (old)
		queue_remove(old);
	added = queue_add(e, &q);
	if (!added)
		return NULL;
	compute_mapped(e->compute, added);
	if (!e->in_turn)
		tell_queue(e, added);
	return added;
}

/* a dword of the MQD of @q, and no more: others may be next to it */
static void mqd_write(struct engine *e, const struct queue *q, size_t at,
		      uint32_t value)
{
	vm_write32(e->access, &vm_kernel, q->mqd + at, value);
}

/* what a driver may read of a queue that is off */
static void save_queue(struct engine *e, const struct queue *q)
{
	if (!q->mqd)
		return;
	if (q->kind == QUEUE_SDMA) {
		mqd_write(e, q, offsetof(struct v9_sdma_mqd, sdmax_rlcx_rb_rptr),
			  q->rptr * 4);
		mqd_write(e, q, offsetof(struct v9_sdma_mqd, sdmax_rlcx_rb_rptr_hi),
			  q->rptr * 4 >> 32);
		return;
	}
	mqd_write(e, q, offsetof(struct v9_mqd, cp_hqd_pq_rptr), q->rptr);
	if (!q->area.base)
		return;
	mqd_write(e, q, offsetof(struct v9_mqd, cp_hqd_cntl_stack_offset),
		  q->area.stack_offset);
	mqd_write(e, q, offsetof(struct v9_mqd, cp_hqd_wg_state_offset),
		  q->area.state_offset);
}

bool scheduler_selects(const uint32_t *body, uint32_t doorbell, uint32_t pasid)
{
	const struct pm4_mes_unmap_queues *p = PACKET(pm4_mes_unmap_queues, body);

	switch (p->bitfields2.queue_sel) {
	case queue_sel__mes_unmap_queues__perform_request_on_specified_queues:
		return doorbell == p->bitfields3b.doorbell_offset0;
	case queue_sel__mes_unmap_queues__perform_request_on_pasid_queues:
		return pasid == p->bitfields3a.pasid;
	default:
		return true;
	}
}

/* the kernel's only by their doorbells */
static bool selects(const uint32_t *body, const struct queue *q)
{
	return (q->user || PACKET(pm4_mes_unmap_queues, body)->bitfields2.queue_sel ==
		queue_sel__mes_unmap_queues__perform_request_on_specified_queues) &&
	       scheduler_selects(body, q->doorbell, q->vm.pasid);
}

void scheduler_free_vmids(struct engine *e)
{
	uint16_t used = 0;
	unsigned int i;

	for (i = 0; i < MODEL_MAX_QUEUES; i++)
		if (e->queue[i].kind != QUEUE_FREE && e->queue[i].user)
			used |= 1u << e->queue[i].vm.vmid;
	for (i = 1; i < MODEL_NR_VMIDS; i++) {
		if (used >> i & 1 || !e->process[i].mapped)
			continue;
		e->process[i].mapped = false;
		load_pasid(e, i, 0);
	}
}

bool scheduler_unmap_queue(struct engine *e, struct queue *q, bool reset)
{
	q->leaving = true;
	if (reset)
		compute_drop(e->compute, q);
	else if (!compute_unmap(e->compute, q))
		return false;
	save_queue(e, q);
	queue_remove(q);
	return true;
}

bool scheduler_unmap_queues(struct engine *e, const uint32_t *body)
{
	const struct pm4_mes_unmap_queues *p = PACKET(pm4_mes_unmap_queues, body);
	bool reset = p->bitfields2.action == action__mes_unmap_queues__reset_queues;
	bool off = true;
	unsigned int i;

	runlist_drop(e->runlist, body);
	for (i = 0; i < MODEL_MAX_QUEUES; i++) {
		if (e->queue[i].kind == QUEUE_FREE || !selects(body, &e->queue[i]))
			continue;
		if (scheduler_unmap_queue(e, &e->queue[i], reset))
			e->unmapped++;
		else
			off = false;
	}
	if (!off)
		return false;
	scheduler_free_vmids(e);
	log_line(e->log, "hws", "UNMAP_QUEUES select %u action %u: %u queues",
		 p->bitfields2.queue_sel, p->bitfields2.action, e->unmapped);
	e->unmapped = 0;
	return true;
}
