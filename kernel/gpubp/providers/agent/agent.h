/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Agents: GPUs whose comparators a process in user space programs for itself.
 *
 * Each agent is a device of its own, with one context. So only its own workers wait for
 * it; what agents share are the comparators of a GPU (node.c).
 */
#ifndef _GPUBP_AGENT_H
#define _GPUBP_AGENT_H

#include <linux/gpubp.h>
#include <linux/gpubp_isa.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <uapi/linux/gpubp_agent.h>

struct agent_hit;
struct agent_node;
struct seq_file;

#define AGENT_MAX_HITS		64	/* that are not resolved */
#define AGENT_MAX_QUEUES	1024

/**
 * struct agent_program - a program
 * @msg: as the agent reads it
 * @ranges: what its ranges are; a reference is held; or NULL
 */
struct agent_program {
	struct gpubp_agent_program msg;
	struct gpubp_ranges *ranges;
};

/**
 * struct agent_programs - what it should compare, and what it does
 * @lock: these fields, and struct agent.granted; not with interrupts off
 * @part: of the last commit, of its context
 * @next: the program that is being made; the committer only
 * @want: the newest program
 * @sent: the last one that it read
 * @armed: the last one that it acknowledged
 * @err: its answer to that, by comparator
 * @late: it has not answered in time, and is not waited for until it does
 * @news: readers wait for programs
 * @acks: the committer waits for the answer
 */
struct agent_programs {
	spinlock_t lock;
	struct gpubp_ctx_prog part;
	struct agent_program next;
	struct agent_program want;
	struct agent_program sent;
	struct agent_program armed;
	int err[GPUBP_MAX_SLOTS];
	bool late;
	wait_queue_head_t news;
	wait_queue_head_t acks;
};

/**
 * struct agent_hits - hits that the kernel has not resolved
 * @lock: the table, not with interrupts off
 * @hit: by the low bits of the wave's id
 * @serial: number of the last one
 * @nr: of them
 * @room: writers wait until there are fewer, or those of before are none
 * @nr_reported: hits that were accepted
 * @nr_lost: hits that the agent has lost
 * @nr_counted: hits that the agent has counted
 * @nr_strays: strays that it has counted
 */
struct agent_hits {
	spinlock_t lock;
	struct agent_hit *hit[AGENT_MAX_HITS];
	u64 serial;
	unsigned int nr;
	wait_queue_head_t room;
	u64 nr_reported;
	u64 nr_lost;
	u64 nr_counted;
	u64 nr_strays;
};

/**
 * struct agent - an open file
 * @lock: join, queues
 * @joined: it serves a process; set last
 * @dead: its process, or its file, is at its end
 * @mm: address space that it joined with; a reference keeps the struct
 * @tgid: thread group likewise
 * @uid: user who is charged
 * @notifier: tells the end of @mm
 * @name: of its device: that of the process, and a number that no other one has
 * @isa: of its waves, without what needs a trap handler of the kernel's
 * @has_isa: it has one
 * @device: its device
 * @ctx: its context
 * @queues: gpubp_queue by number
 * @nr_queues: of them
 * @programs: see there
 * @hits: likewise
 * @all: in the list of all that have joined
 * @node: GPU whose comparators it shares, NULL: they are its own
 * @in_node: in its list
 * @nr_slots: comparators that it can program
 * @paused: it has given them back for a time; under the lock of nodes, as @wants and @held
 * @wants: the core wants comparators
 * @held: comparators that no other agent may have
 * @granted: of these, those that the core may use
 */
struct agent {
	struct mutex lock;
	bool joined;
	bool dead;
	struct mm_struct *mm;
	struct pid *tgid;
	kuid_t uid;
	struct mmu_notifier notifier;
	char name[32];
	struct gpubp_isa isa;
	bool has_isa;
	struct gpubp_device *device;
	struct gpubp_ctx *ctx;
	struct xarray queues;
	unsigned int nr_queues;
	struct agent_programs programs;
	struct agent_hits hits;
	struct list_head all;
	struct agent_node *node;
	struct list_head in_node;
	u32 nr_slots;
	bool paused;
	bool wants;
	u32 held;
	u32 granted;
};

/* agent.c: joining, queues, the end */
struct agent *agent_create(void);
void agent_destroy(struct agent *a);
int agent_check_caller(struct agent *a);
int agent_join(struct agent *a, struct gpubp_agent_join *join);
int agent_queue_create(struct agent *a, const struct gpubp_agent_queue *q);
int agent_queue_destroy(struct agent *a, const struct gpubp_agent_queue *q);
int agent_queue_wait_armed(struct agent *a, const struct gpubp_agent_queue *q);
void agent_show_all(struct seq_file *m);

static inline bool agent_is_dead(const struct agent *a)
{
	return READ_ONCE(a->dead);
}

/* program.c: from commits to programs, and what the agent answers */
void agent_programs_init(struct agent *a);
void agent_commit(void *dev, const struct gpubp_program *prog,
		  struct gpubp_commit_result *res);
bool agent_has_program(struct agent *a);
bool agent_next_program(struct agent *a, struct agent_program *out);
void agent_program_sent(struct agent *a, const struct agent_program *prog);
void agent_programs_destroy(struct agent *a);
struct gpubp_ranges *agent_counted_ranges(struct agent *a,
					  const struct gpubp_agent_counts *msg);
int agent_ack(struct agent *a, const struct gpubp_agent_ack *ack);
int agent_retry(struct agent *a, const struct gpubp_agent_retry *msg);
u32 agent_slots_in_use(struct agent *a);
u32 agent_slots_in_program(struct agent *a);

/* hits.c: from messages to reports */
void agent_hits_init(struct agent *a);
int agent_report(struct agent *a, const struct gpubp_agent_hit *msg, bool wait);
int agent_lost(struct agent *a, const struct gpubp_agent_lost *msg);
int agent_counts(struct agent *a, const struct gpubp_agent_counts *msg);
int agent_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		    unsigned int nr, u32 *out);
bool agent_hit_code(struct agent *a, u64 va, void *buf, size_t len);
int agent_hits_await(struct agent *a, bool wait);
void agent_hit_done(void *dev, const struct gpubp_hit *hit);

/* memory.c: memory of the process */
ssize_t agent_mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		     size_t len, unsigned int how);
int agent_freed(struct agent *a, const struct gpubp_agent_freed *msg, bool wait);

/* node.c: comparators that several agents share */
int agent_node_join(struct agent *a, int fd);
void agent_node_leave(struct agent *a);
void agent_node_settle(struct agent *a);
int agent_pause(struct agent *a, const struct gpubp_agent_pause *msg);
int agent_acquire(void *dev, u32 slots);
void agent_release(void *dev, u32 slots);

#endif /* _GPUBP_AGENT_H */
