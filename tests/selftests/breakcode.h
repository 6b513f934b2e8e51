/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machine code for breaks: seven kernels of gfx9 words, whose instructions have
 * known offsets, in a context of their own.
 */
#ifndef SELFTESTS_BREAKCODE_H
#define SELFTESTS_BREAKCODE_H

#include <stdbool.h>
#include <stdint.h>

#define BC_DATA_VA	0x200000000ULL
#define BC_CODE_VA	0x300000000ULL
#define BC_TEXT		512	/* of the code from the page's start */
#define BC_PC(at)	(BC_CODE_VA + BC_TEXT + (at))
#define BC_NAME		"breakcode"
#define BC_WORD		0xbf920001u	/* the break instruction */
#define BC_LANES	64
#define BC_WAVES	4	/* of a workgroup */

/* the arguments of each are (address of two words, loops) */
enum bc_kernel {
	BC_LOOP,	/* adds 1 to the first word in each loop iteration, to the second once */
	BC_SUM,		/* sums @loops dwords from a third argument into the word */
	BC_TRAP,	/* executes three s_trap in each loop iteration, then adds 1 */
	BC_CALL,	/* adds 1 in a function called in each loop iteration */
	BC_BEAT,	/* adds 1 in each loop iteration, after an s_trap 3 */
	BC_SELF,	/* a single instruction, a branch to itself */
	BC_EDGES,	/* all instructions that read the pc: see bc_edges() */
};

/* offsets of instructions from the start of the text */
#define BC_LOOP_ADD	0x18	/* 8 bytes: global_atomic_add */
#define BC_LOOP_WAIT	0x20
#define BC_LOOP_NOP	0x24
#define BC_LOOP_NOP2	0x28
#define BC_LOOP_SUB	0x2c
#define BC_LOOP_BRANCH	0x34
#define BC_LOOP_BARRIER	0x38
#define BC_LOOP_END	0x44
#define BC_SUM_LOAD	0x9c
#define BC_TRAP_1	0x114
#define BC_TRAP_3	0x118
#define BC_TRAP_200	0x11c
#define BC_CALL_GETPC	0x154
#define BC_CALL_SWAPPC	0x160
#define BC_CALL_RETURN	0x180
#define BC_SELF_BRANCH	0x200
#define BC_EDGES_FIRST	0x240
#define BC_TEXT_SIZE	0x32c

/**
 * struct breakcode - a context with the code loaded
 * @fd: the open device
 * @queue: its queue
 * @page: descriptors, code and arguments
 * @data: memory that kernels write
 * @last: the last dispatch
 */
struct breakcode {
	int fd;
	uint32_t queue;
	uint8_t *page;
	volatile uint32_t *data;
	uint64_t last;
};

/** bc_fill() - write descriptors and code into the page */
void bc_fill(const struct breakcode *bc);

/** bc_object() - address of a kernel's descriptor */
uint64_t bc_object(enum bc_kernel kernel);

/** bc_arguments() - clear the data, write arguments: their address */
uint64_t bc_arguments(const struct breakcode *bc, uint32_t loops, uint64_t extra);

/*
 * The GPU: the software GPU (breakcode_sim.c), or another one.
 */

/** bc_open() - a new context; 0 or a negative errno */
int bc_open(struct breakcode *bc);

/** bc_open_on() - the same on /dev/gpubp_sim<nr> */
int bc_open_on(struct breakcode *bc, unsigned int nr);

void bc_close(struct breakcode *bc);

/** bc_start() - start @groups workgroups of four waves; @extra for BC_SUM */
int bc_start(struct breakcode *bc, enum bc_kernel kernel, unsigned int groups,
	     uint32_t loops, uint64_t extra);

/** bc_queue() - create a new queue in place of the current one */
int bc_queue(struct breakcode *bc);

/** bc_queue_destroy() - destroy the queue, which kills what runs in it */
int bc_queue_destroy(struct breakcode *bc);

/**
 * bc_edges() - true if all sums of BC_EDGES in memory are right
 * @bc: context, after the kernel ran alone
 * @waves: number of waves that ran it
 * @loops: iterations of each
 */
bool bc_edges(const struct breakcode *bc, unsigned int waves, uint32_t loops);

/** bc_wait() - wait for the started kernel: 0, -ETIME, or its error, negative */
int bc_wait(struct breakcode *bc, int seconds);

/** bc_run() - bc_start() and bc_wait(); the words are set to 0 first */
int bc_run(struct breakcode *bc, enum bc_kernel kernel, unsigned int groups,
	   uint32_t loops);

/** bc_text() - a word of the code, as the CPU sees it */
uint32_t bc_text(const struct breakcode *bc, unsigned int at);

/** bc_word() - a word of the code, for writing */
volatile uint32_t *bc_word(const struct breakcode *bc, unsigned int at);

/** bc_original() - the word that was loaded at @at */
uint32_t bc_original(unsigned int at);

/** bc_intact() - true if all code is as it was loaded */
bool bc_intact(const struct breakcode *bc);

#endif /* SELFTESTS_BREAKCODE_H */
