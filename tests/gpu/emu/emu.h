/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A software GPU inside a test program: the module's wave interpreter behind
 * the ioctls of /dev/gpubp_sim0. Programs that use libgpubp-run are linked with
 * it by
 * -Wl,--wrap=open,--wrap=ioctl and then need no kernel.
 *
 * It counts the hits of watches by checking the exact bytes of every access: no
 * comparators, no trap handler, no perf.
 */
#ifndef TESTS_GPU_EMU_H
#define TESTS_GPU_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EMU_MAX_WATCHES	512

/* ranges whose accesses are counted */
struct emu_watch {
	uint64_t addr;
	uint64_t len;
	unsigned int access;	/* GPUBP_ACCESS_* */
	uint64_t count;
};

extern struct emu_watch emu_watches[EMU_MAX_WATCHES];
extern unsigned int emu_nr_watches;

/** emu_insts() - instructions executed so far */
uint64_t emu_insts(void);

/*
 * Interface between emu_dev.c (the device file) and emu_wave.c (the
 * interpreter's environment).
 */

/**
 * emu_ptr() - the byte at GPU address @va, and the number of bytes from there
 */
void *emu_ptr(uint64_t va, size_t *len);

/* why a dispatch ended; values are GPUBP_SIM_DONE and so on */
struct emu_result {
	uint32_t status;
	uint64_t pc;
	uint64_t addr;
};

/**
 * emu_dispatch() - run a grid to its end
 * @desc_va: kernel descriptor
 * @kernarg: arguments
 * @packet: where the dispatch packet goes
 * @grid: work-items
 * @workgroup: work-items
 * @result: out
 *
 * Return: false if the descriptor cannot be launched.
 */
bool emu_dispatch(uint64_t desc_va, uint64_t kernarg, uint64_t packet,
		  const uint32_t grid[3], const uint32_t workgroup[3],
		  struct emu_result *result);

#endif /* TESTS_GPU_EMU_H */
