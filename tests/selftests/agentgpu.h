/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU in this process, with an agent for /dev/gpubp_agent: what its waves store is
 * compared with the programs that the agent has acknowledged. A hit becomes a message
 * before the next store, but for strays and hits that need only be counted: these are
 * counted, and written before the next acknowledgement, every 10 ms, and by
 * agentgpu_flush().
 */
#ifndef SELFTESTS_AGENTGPU_H
#define SELFTESTS_AGENTGPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/gpubp_agent.h>

#define AGENT_QUEUE	7	/* its queue, of the thread that starts it */
#define AGENT_DISPATCH	3
#define AGENT_PC	0x7f0000001008ULL	/* behind the store */
#define AGENT_NAME	"agent_gpu"

/**
 * struct agentgpu_counts - of a comparator, since they were written
 * @strays: hits that touched no range
 * @hits: by range, hits that were only counted
 */
struct agentgpu_counts {
	uint32_t strays;
	uint32_t hits[GPUBP_AGENT_RANGES];
};

/**
 * struct agentgpu - a GPU
 * @fd: the agent's file
 * @join: what it joined with
 * @lock: what follows
 * @prog: the program that its comparators have
 * @err: what it answers, by comparator
 * @mute: it does not read programs
 * @nr_programs: that it acknowledged
 * @nr_hits: that it has written
 * @counts: by comparator, what it has not
 * @nr_counts: messages with counts that it has written
 * @behind: how much more than a wave stored is there when its message is written: others
 *	stored behind it
 * @waited: the queue was waited for, before which it executes nothing
 * @ends: its thread is to end
 * @thread: reads programs
 */
struct agentgpu {
	int fd;
	struct gpubp_agent_join join;
	pthread_mutex_t lock;
	struct gpubp_agent_program prog;
	int err[GPUBP_AGENT_SLOTS];
	bool mute;
	unsigned int nr_programs;
	uint64_t nr_hits;
	struct agentgpu_counts counts[GPUBP_AGENT_SLOTS];
	uint64_t nr_counts;
	uint32_t behind;
	bool waited;
	bool ends;
	pthread_t thread;
};

/** agentgpu_join() - what a gfx90a with four comparators of its own joins with */
struct gpubp_agent_join agentgpu_join(void);

/** agentgpu_file() - a file that has not joined, or a negative errno */
int agentgpu_file(void);

/** agentgpu_call() - an ioctl of a file; 0 or a negative errno */
int agentgpu_call(int fd, unsigned long cmd, void *arg);

/** agentgpu_start() - join, create the queue and serve; 0 or a negative errno */
int agentgpu_start(struct agentgpu *gpu, const struct gpubp_agent_join *join);

/** agentgpu_device() - name of its device, as root's debugfs has it; 0 or a negative errno */
int agentgpu_device(const struct agentgpu *gpu, char name[64]);

/** agentgpu_stop() - end the thread, close the file */
void agentgpu_stop(struct agentgpu *gpu);

/** agentgpu_mute() - read no programs, or read them again */
void agentgpu_mute(struct agentgpu *gpu, bool mute);

/** agentgpu_wait() - before a dispatch: what is wanted is armed; 0 or a negative errno */
int agentgpu_wait(struct agentgpu *gpu);

/** agentgpu_flush() - write what was counted; 0 or a negative errno */
int agentgpu_flush(struct agentgpu *gpu);

/** agentgpu_strays() - write that so many more of a comparator were strays; likewise */
int agentgpu_strays(struct agentgpu *gpu, uint32_t nr);

/**
 * agentgpu_hit() - write the message of a store's hit
 * @gpu: GPU, whose lock is held
 * @exec: lanes
 * @addr: address of each lane
 * @value: what it stored
 * @slots: comparators that matched, of which it is to be recorded
 *
 * Return: 0 or a negative errno.
 */
int agentgpu_hit(struct agentgpu *gpu, uint64_t exec, const uint64_t addr[64],
		 const uint32_t value[64], uint32_t slots);

/**
 * agentgpu_store() - a wave stores a word in each of its lanes
 * @gpu: GPU
 * @exec: lanes
 * @addr: address of each lane; the memory is the process's and is written
 * @value: likewise
 *
 * Return: 0, 1 if it was a hit of watched bytes, or a negative errno.
 */
int agentgpu_store(struct agentgpu *gpu, uint64_t exec, const uint64_t addr[64],
		   const uint32_t value[64]);

/** agentgpu_store_one() - the same of lane 0 */
int agentgpu_store_one(struct agentgpu *gpu, uint32_t *addr, uint32_t value);

/** agentgpu_freed() - memory is another buffer's from now on; 0 or a negative errno */
int agentgpu_freed(const struct agentgpu *gpu, const void *at, uint64_t len);

/** agentgpu_pause() - give all comparators back, or take some again; likewise */
int agentgpu_pause(const struct agentgpu *gpu, bool on);

/** agentgpu_write() - write a message; 0 or a negative errno */
int agentgpu_write(int fd, const void *msg);

#endif /* SELFTESTS_AGENTGPU_H */
