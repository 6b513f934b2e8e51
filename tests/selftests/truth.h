/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits that a watch must report by the model of a kernel, and a comparison with
 * samples.
 */
#ifndef SELFTESTS_TRUTH_H
#define SELFTESTS_TRUTH_H

#include "event.h"
#include "gpubp_run.h"
#include "model.h"

#define MAX_EXPECTED	8192

/**
 * struct expected - an instruction that the comparators report
 * @order: position in the model's execution
 * @group: workgroup
 * @wave: wave in it
 * @access: one GPUBP_ACCESS_*
 * @width: bytes a lane
 * @kept: what happened to the address register
 * @lanes: lanes that access the watched bytes, 0: none, it is a stray
 * @addr: address of the lowest lane of @lanes
 */
struct expected {
	unsigned int order;
	uint32_t group[3];
	unsigned int wave;
	unsigned int access;
	unsigned int width;
	enum model_addr kept;
	uint64_t lanes;
	uint64_t addr;
};

/**
 * struct truth - all hits that a run of a kernel must report
 * @addr: watched bytes
 * @len: their number
 * @access: GPUBP_ACCESS_*
 * @nr: entries of @list
 * @list: in the order of workgroups, waves, execution
 */
struct truth {
	uint64_t addr;
	uint64_t len;
	unsigned int access;
	unsigned int nr;
	struct expected list[MAX_EXPECTED];
};

/** truth_granule() - smallest block that comparators of the first GPU match, in bytes */
uint64_t truth_granule(void);

/** truth_begin() - make the model record accesses of truth->addr, ->len, ->access */
void truth_begin(struct truth *truth, struct model *model);

/** truth_end() - to be called after the run of the model */
void truth_end(struct truth *truth);

/**
 * truth_compare() - compare samples with the expected hits
 * @truth: expected hits
 * @samples: samples in the order of the ring; sorted on return
 * @nr: entries of @samples
 *
 * Return: NULL, or a description of the difference.
 */
const char *truth_compare(const struct truth *truth, struct sample *samples,
			  unsigned int nr);

/**
 * code_access() - what an instruction does
 * @elf: file of the code object
 * @code: the same
 * @offset: of the instruction, from the load address
 * @kernel: kernel
 * @callee: beginning of the names of functions that it calls, or NULL
 *
 * Return: GPUBP_ACCESS_*; 0: none, or it is in neither.
 */
unsigned int code_access(const char *elf, const struct grun_code *code,
			 uint64_t offset, const char *kernel, const char *callee);

#endif /* SELFTESTS_TRUTH_H */
