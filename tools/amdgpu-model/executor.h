/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executors: threads that execute workgroups, the one that serves the driver among
 * them. Each has what a compute unit of silicon has of its own.
 *
 * They execute while executors_run() does not return, and nothing else does: what only
 * the driver or the end of a workgroup changes needs no lock. What waves of several
 * workgroups change is changed under compute.shared.
 */
#ifndef AMDGPU_MODEL_EXECUTOR_H
#define AMDGPU_MODEL_EXECUTOR_H

#include "group.h"

/* translations that are remembered, a power of two */
#define EXECUTOR_PAGES	1024

/**
 * struct executor_page - a translation
 * @root: address space
 * @va: of the page, plus 1
 * @write: it may be written
 * @at: it
 */
struct executor_page {
	uint64_t root;
	uint64_t va;
	bool write;
	uint8_t *at;
};

/**
 * struct executor - a thread
 * @access: memory, as waves access it
 * @page: translations
 * @icache: instructions; silicon has a cache for two or three units
 * @decoded: instructions decoded
 */
struct executor {
	struct vm_access access;
	struct executor_page page[EXECUTOR_PAGES];
	struct sim_fetch_cache icache;
	struct sim_decoded decoded[SIM_NR_DECODED];
};

/** executors_create() - @nr threads, with that of the caller; NULL: no memory, no thread */
struct executors *executors_create(const struct vm_access *access, unsigned int nr);

/** executors_destroy() - NULL is ignored */
void executors_destroy(struct executors *all);

/** executors_nr() - how many they are */
unsigned int executors_nr(const struct executors *all);

/** executors_forget() - all translations */
void executors_forget(struct executors *all);

/** executors_invalidate() - what was written to memory is executed from now on */
void executors_invalidate(struct executors *all);

/**
 * executor_invalidate() - likewise, by a wave
 *
 * At once for those that this executor executes, and for all others before the next
 * executors_run().
 */
void executor_invalidate(struct executors *all, struct executor *executor);

/** executors_run() - up to @insts instructions of each wave of @nr workgroups, and reap them */
void executors_run(struct executors *all, struct group * const *group, unsigned int nr,
		   unsigned int insts);

#endif /* AMDGPU_MODEL_EXECUTOR_H */
