/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What others have and do while something is measured: tasks that sleep or are
 * busy, contexts, many events.
 */
#ifndef OTHERS_H
#define OTHERS_H

#include <stdint.h>
#include <sys/types.h>
#include "bench.h"

#define MAX_TASKS	64

/**
 * struct task_kind - what a task does
 * @prepare: called once, or NULL
 * @work: called again and again, or NULL: the task sleeps
 * @arg: for both
 */
struct task_kind {
	void (*prepare)(const void *arg);
	void (*work)(const void *arg);
	const void *arg;
};

/**
 * struct tasks - running tasks
 * @nr: entries of @pid
 * @pid: processes
 */
struct tasks {
	unsigned int nr;
	pid_t pid[MAX_TASKS];
};

/** tasks_start() - start @nr processes; all of them are prepared then */
void tasks_start(struct tasks *tasks, unsigned int nr,
		 const struct task_kind *kind);

/** tasks_sleep() - start @nr processes that sleep */
void tasks_sleep(struct tasks *tasks, unsigned int nr);

/** tasks_contexts() - likewise, with contexts in which a kernel has run */
void tasks_contexts(struct tasks *tasks, unsigned int nr);

/** tasks_end() - kill all, and wait for their ends */
void tasks_end(struct tasks *tasks);

/**
 * struct events - many events of one kind
 * @nr: entries of @fd
 * @fd: file descriptors
 */
struct events {
	unsigned int nr;
	int *fd;
};

/** events_address() - the granule that event @i of many watches */
uint64_t events_address(unsigned int i);

/** events_open() - open @nr events of different granules on @pid */
void events_open(struct events *events, unsigned int nr, enum subject subject,
		 unsigned int flags, pid_t pid);

/** events_open_on() - likewise, all of them on the word at @addr */
void events_open_on(struct events *events, unsigned int nr, uint64_t addr,
		    unsigned int flags, pid_t pid);

void events_close(struct events *events);

/**
 * struct scene - others that do nothing
 * @nr_events: enabled events of a sleeping task without a GPU
 * @nr_contexts: contexts of other processes
 * @contexts: those processes
 * @sleeper: the task
 * @events: its events
 */
struct scene {
	unsigned int nr_events;
	unsigned int nr_contexts;
	struct tasks contexts;
	struct tasks sleeper;
	struct events events;
};

/** scene_start() - start a scene of that size; without events for NOTHING */
void scene_start(struct scene *scene, enum subject subject);

void scene_end(struct scene *scene);

/** allow_files() - permit @nr file descriptors, and some more */
void allow_files(unsigned int nr);

/** be_first() - let @pid (0: the caller) run before all tasks that are not */
void be_first(pid_t pid);

/** be_ordinary() - undo be_first() */
void be_ordinary(pid_t pid);

#endif /* OTHERS_H */
