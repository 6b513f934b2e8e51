/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's door for providers in user space, /dev/gpubp_agent: what the GPU in the
 * process says through it. Compiled with tools/Makefile.isa.
 */
#ifndef INPROC_DOOR_H
#define INPROC_DOOR_H

#include <stdbool.h>
#include <linux/gpubp_agent.h>

struct gpubp_sim_name;

/**
 * struct inproc_door - an agent
 * @fd: its file, -1 none: nothing is watched
 * @names: a session, for names
 * @join: what it joined with
 * @queue: number of its queue
 */
struct inproc_door {
	int fd;
	int names;
	struct gpubp_agent_join join;
	__u32 queue;
};

/** inproc_door_open() - join; 0 or a negative errno, with which nothing is watched */
int inproc_door_open(struct inproc_door *door, const char *isa, __u32 queue);

/** inproc_door_close() - the agent's end */
void inproc_door_close(struct inproc_door *door);

/** inproc_door_read() - the newest program; false if there is none */
bool inproc_door_read(const struct inproc_door *door, struct gpubp_agent_program *program);

/** inproc_door_write() - a message; 0 or a negative errno */
int inproc_door_write(const struct inproc_door *door, const void *message);

/** inproc_door_hit() - write a hit, or that it is lost */
void inproc_door_hit(const struct inproc_door *door, const struct gpubp_agent_hit *hit);

/** inproc_door_freed() - memory is another buffer's from now on; no lock is held */
void inproc_door_freed(const struct inproc_door *door, __u64 va, __u64 size);

/** inproc_door_await() - before a dispatch: what is wanted is armed, or is late */
void inproc_door_await(const struct inproc_door *door);

/** inproc_door_name() - publish a name; 0 or a negative errno */
int inproc_door_name(const struct inproc_door *door, const struct gpubp_sim_name *name);

#endif /* INPROC_DOOR_H */
