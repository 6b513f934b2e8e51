/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks that amdgpu and amdkfd call; amdgpu-*.patch add the calls.
 *
 * All are called in process context, with the locks that the KFD holds there.
 * None is called for a node that gpubp_amd_node_add() rejected (node->gpubp is
 * NULL).
 */
#ifndef _GPUBP_PROVIDERS_AMDGPU_GPUBP_AMDGPU_H
#define _GPUBP_PROVIDERS_AMDGPU_GPUBP_AMDGPU_H

#include <linux/types.h>

struct kfd_node;
struct kfd_process;
struct kfd_process_device;
struct queue;

#ifdef CONFIG_GPUBP_AMDGPU
/* at the end of each address space, before what amdgpu reserves there, for our memory */
#define GPUBP_AMD_VA_SIZE	(32ULL << 20)

/* a node is initialised; it is removed, with no process using it any more */
void gpubp_amd_node_add(struct kfd_node *node);
void gpubp_amd_node_remove(struct kfd_node *node);

/* its queue manager is about to stop, for any reason; it runs again */
void gpubp_amd_node_stop(struct kfd_node *node);
void gpubp_amd_node_start(struct kfd_node *node);

/*
 * a process gets an address space on a node; its queues are about to be destroyed; it is
 * removed, without queues
 */
void gpubp_amd_ctx_add(struct kfd_process_device *pdd);
void gpubp_amd_ctx_dequeue(struct kfd_process_device *pdd);
void gpubp_amd_ctx_remove(struct kfd_process_device *pdd);

/* without HWS: the process gets a VMID, or (0) loses it; DQM's lock is held */
void gpubp_amd_ctx_resident(struct kfd_process_device *pdd, u32 vmid);

/* current created a user queue; a queue is destroyed; process->mutex is held */
void gpubp_amd_queue_add(struct kfd_process_device *pdd, struct queue *q);
void gpubp_amd_queue_remove(struct queue *q);

/* without control words; return: the process is mapped to the debug VMID */
bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd);

/*
 * With control words: firmware is given those of a process; add ours to
 * SPI_GDBG_PER_VMID_CNTL and four TCP_WATCHn_CNTL. Return: precise memory
 */
bool gpubp_amd_ctx_map(struct kfd_process_device *pdd, u32 *spi_dbg, u32 *watch);

/*
 * A debugger attaches, before it has changed anything; -EBUSY refuses it. It
 * has detached, or failed to attach. process->mutex is held
 */
int gpubp_amd_attach(struct kfd_process *process);
void gpubp_amd_detach(struct kfd_process *process);

/* a process sets its handler; true: saved until the core's is removed */
bool gpubp_amd_set_handler(struct kfd_process_device *pdd, u64 tba, u64 tma);

/* the KFD freed an address watch; node->watch_points_lock is held */
void gpubp_amd_watch_freed(struct kfd_node *node, u32 watch_id);

/* interrupt of a privileged s_sendmsg; true: handled here */
bool gpubp_amd_interrupt(struct kfd_node *node, const u32 *ih_ring_entry);

/* interrupt of a page fault; true: it comes again, later */
bool gpubp_amd_fault(struct kfd_node *node, const u32 *ih_ring_entry);
#else
#define GPUBP_AMD_VA_SIZE	0ULL

static inline void gpubp_amd_node_add(struct kfd_node *node) { }
static inline void gpubp_amd_node_remove(struct kfd_node *node) { }
static inline void gpubp_amd_node_stop(struct kfd_node *node) { }
static inline void gpubp_amd_node_start(struct kfd_node *node) { }
static inline void gpubp_amd_ctx_add(struct kfd_process_device *pdd) { }
static inline void gpubp_amd_ctx_dequeue(struct kfd_process_device *pdd) { }
static inline void gpubp_amd_ctx_remove(struct kfd_process_device *pdd) { }
static inline void gpubp_amd_ctx_resident(struct kfd_process_device *pdd,
					  u32 vmid) { }
static inline void gpubp_amd_queue_add(struct kfd_process_device *pdd,
				       struct queue *q) { }
static inline void gpubp_amd_queue_remove(struct queue *q) { }

static inline bool gpubp_amd_ctx_watched(struct kfd_process_device *pdd)
{
	return false;
}

static inline bool gpubp_amd_ctx_map(struct kfd_process_device *pdd,
				     u32 *spi_dbg, u32 *watch)
{
	return false;
}

static inline int gpubp_amd_attach(struct kfd_process *process)
{
	return 0;
}

static inline void gpubp_amd_detach(struct kfd_process *process) { }

static inline bool gpubp_amd_set_handler(struct kfd_process_device *pdd,
					 u64 tba, u64 tma)
{
	return false;
}

static inline void gpubp_amd_watch_freed(struct kfd_node *node,
					 u32 watch_id) { }

static inline bool gpubp_amd_interrupt(struct kfd_node *node,
				       const u32 *ih_ring_entry)
{
	return false;
}

static inline bool gpubp_amd_fault(struct kfd_node *node,
				   const u32 *ih_ring_entry)
{
	return false;
}
#endif

#endif /* _GPUBP_PROVIDERS_AMDGPU_GPUBP_AMDGPU_H */
