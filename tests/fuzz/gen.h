/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From choices to arguments. The same words generate the same arguments as long
 * as the resources are the same: a program consists of its words, and a
 * mutation changes some of them.
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
 * @at: the first element
 * @nr: number of elements
 * @dir: direction of fields without one of their own
 */
struct mem {
	const struct type *type;
	char *at;
	uint64_t nr;
	enum dir dir;
};

/**
 * struct made - a generated call
 * @call: its number
 * @args: registers
 * @mem: memory that its pointers point to
 * @nr_mem: entries of @mem
 * @used: number of words of the step that were used
 */
struct made {
	const struct call *call;
	uint64_t args[MAX_ARGS];
	struct mem mem[MAX_MEM];
	unsigned int nr_mem;
	unsigned int used;
};

/** gen_init() - allocate memory for arguments; false if there is none */
bool gen_init(void);

/** gen_mem() - the memory of a call at an address, NULL if no pointer has it */
const struct mem *gen_mem(const struct made *made, uint64_t at);

/** gen_pages() - VMA_PAGES pages for calls about memory */
char *gen_pages(void);

/**
 * gen_call() - generate the arguments of a step; frees those of the last one
 */
void gen_call(const struct step *step, struct made *made);

/** gen_harvest() - add the resources that a call returned to the pool */
void gen_harvest(const struct made *made, uint64_t ret);

/** gen_print() - print a call and its arguments */
void gen_print(FILE *file, const struct made *made);

/** gen_next() - the next pseudo-random number */
uint64_t gen_next(uint64_t *seed);

#endif /* FUZZ_GEN_H */
