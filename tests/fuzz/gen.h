/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From choices to arguments. The same words make the same arguments as long as the
 * resources are the same: a program is its words, and to mutate it is to change some.
 */
#ifndef FUZZ_GEN_H
#define FUZZ_GEN_H

#include <stdio.h>
#include "state.h"
#include "syntax.h"

#define VMA_PAGES	64	/* pages for mmap() and so on */
#define PAGE		4096
#define MAX_MEM	16

/**
 * struct mem - memory that a call reads or writes
 * @type: of each element
 * @at: the first
 * @nr: how many
 * @dir: of what does not say it itself
 */
struct mem {
	const struct type *type;
	char *at;
	uint64_t nr;
	enum dir dir;
};

/**
 * struct made - a call that can be made
 * @call: which
 * @args: registers
 * @mem: what its pointers point at
 * @nr_mem: how many
 * @used: words of the step that mattered
 */
struct made {
	const struct call *call;
	uint64_t args[MAX_ARGS];
	struct mem mem[MAX_MEM];
	unsigned int nr_mem;
	unsigned int used;
};

/** gen_init() - memory for arguments; false: there is none */
bool gen_init(void);

/** gen_mem() - what a call has at an address, or NULL: none of its pointers is that */
const struct mem *gen_mem(const struct made *made, uint64_t at);

/** gen_pages() - VMA_PAGES pages for calls about memory */
char *gen_pages(void);

/** gen_call() - the arguments of a step; what was there of the last one is gone */
void gen_call(const struct step *step, struct made *made);

/** gen_harvest() - put what a call made into the pool */
void gen_harvest(const struct made *made, uint64_t ret);

/** gen_print() - a call and its arguments, for people */
void gen_print(FILE *file, const struct made *made);

/** gen_next() - a generator of choices */
uint64_t gen_next(uint64_t *seed);

#endif /* FUZZ_GEN_H */
