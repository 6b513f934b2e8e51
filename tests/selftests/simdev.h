/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software GPUs from root's side: created through configfs, with faults and
 * internal state in debugfs.
 */
#ifndef SELFTESTS_SIMDEV_H
#define SELFTESTS_SIMDEV_H

#include <stdbool.h>
#include <stdint.h>

/** simdev_mkdir() - create a device description; 0 or a negative errno */
int simdev_mkdir(const char *name);

/** simdev_rmdir() - remove it; its device goes with the last open file */
int simdev_rmdir(const char *name);

/** simdev_set() - write one of its attributes; 0 or a negative errno */
int simdev_set(const char *name, const char *field, const char *value);

/** simdev_get() - read a numeric attribute; or a negative errno, also -1 */
int simdev_get(const char *name, const char *field);

#define SIMDEV_MAX	16	/* devices that these look at */
#define SIMDEV_WORD	64

/** simdev_caps() - words of a file in caps/ of the PMU, one a device; how many */
unsigned int simdev_caps(const char *file, char words[SIMDEV_MAX][SIMDEV_WORD]);

/** simdev_place() - which of these words is of a live device, or a negative errno */
int simdev_place(const char *name);

/** simdev_device() - number of a live device for GPUBP_CONFIG_DEVICE, or a negative errno */
int simdev_device(const char *name);

/** simdev_fault() - inject a fault once in @every cases; 0 or a negative errno */
int simdev_fault(unsigned int nr, const char *fault, unsigned int every);

/** simdev_planted() - number of injected faults, or a negative errno */
int simdev_planted(unsigned int nr, const char *fault);

/** simdev_fault_at() - inject one fault, at the @nth occasion from now */
int simdev_fault_at(unsigned int nr, const char *fault, unsigned int nth);

/** simdev_sweep() - set the interval in which drivers look for stopped waves */
int simdev_sweep(unsigned int ms);

#define SIMDEV_SWEEP	100	/* ms, the default */

/** simdev_reset() - reset the GPU; 0 or a negative errno */
int simdev_reset(unsigned int nr);

/** simdev_waves() - waves whose line in debugfs has @text; -1 without debugfs */
int simdev_waves(unsigned int nr, const char *text);

/** simdev_await_waves() - wait until they are @number; false: timeout */
bool simdev_await_waves(unsigned int nr, const char *text, int number, int seconds);

/** simdev_print_waves() - print the lines of all waves */
void simdev_print_waves(unsigned int nr);

/** struct simdev_context - a context's line in debugfs */
struct simdev_context {
	unsigned int id;
	unsigned int vmid;
	unsigned int groups;
	unsigned int saved;
	unsigned int can_run;
	unsigned int recount;
};

/** simdev_contexts() - how many, @max at most, the oldest first; or a negative errno */
int simdev_contexts(unsigned int nr, struct simdev_context *contexts, int max);

/** simdev_take() - take these comparators as another debugger would; 0 or an errno */
int simdev_take(unsigned int nr, unsigned int slots);

/** simdev_regs() - open the register file; descriptor or a negative errno */
int simdev_regs(unsigned int nr);

/** simdev_read() - read the register at dword offset @reg, of @vmid if it is banked */
uint32_t simdev_read(int fd, uint32_t reg, unsigned int vmid);

/** simdev_write() - write a register; 0 or a negative errno */
int simdev_write(int fd, uint32_t reg, unsigned int vmid, uint32_t value);

/** simdev_halt() - SQ_CMD: halt the wave in a slot; 0 or a negative errno */
int simdev_halt(unsigned int nr, unsigned int cu, unsigned int simd,
		unsigned int wave);

/** simdev_select() - change a select and leave it changed; 0 or a negative errno */
int simdev_select(unsigned int nr, const char *text);

#endif /* SELFTESTS_SIMDEV_H */
