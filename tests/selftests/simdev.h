/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software GPUs as root has them: made by configfs, spoilt and inspected by
 * debugfs.
 */
#ifndef SELFTESTS_SIMDEV_H
#define SELFTESTS_SIMDEV_H

#include <stdint.h>

/** simdev_mkdir() - a description; 0 or a negative errno */
int simdev_mkdir(const char *name);

/** simdev_rmdir() - it goes, and its device with the last open file */
int simdev_rmdir(const char *name);

/** simdev_set() - write one of its fields; 0 or a negative errno */
int simdev_set(const char *name, const char *field, const char *value);

/** simdev_get() - read one of its numbers; or a negative errno, also -1 */
int simdev_get(const char *name, const char *field);

/** simdev_fault() - one in @every goes wrong; 0 or a negative errno */
int simdev_fault(unsigned int nr, const char *fault, unsigned int every);

/** simdev_planted() - how often it did, or a negative errno */
int simdev_planted(unsigned int nr, const char *fault);

/** simdev_fault_at() - the @nth occasion from now goes wrong, and none soon after */
int simdev_fault_at(unsigned int nr, const char *fault, unsigned int nth);

/** simdev_sweep() - how often drivers look for stops that they did not hear of */
int simdev_sweep(unsigned int ms);

#define SIMDEV_SWEEP	100	/* ms, as it is */

/** simdev_reset() - reset the GPU; 0 or a negative errno */
int simdev_reset(unsigned int nr);

/** simdev_waves() - waves whose line in debugfs has @text; -1 without debugfs */
int simdev_waves(unsigned int nr, const char *text);

/** struct simdev_context - what debugfs tells of a context: from its line */
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

/** simdev_take() - another debugger has these comparators; 0 or an errno */
int simdev_take(unsigned int nr, unsigned int slots);

/** simdev_regs() - open the registers; file descriptor or a negative errno */
int simdev_regs(unsigned int nr);

/** simdev_read() - register at dword offset @reg, of @vmid if it is banked */
uint32_t simdev_read(int fd, uint32_t reg, unsigned int vmid);

/** simdev_write() - likewise; 0 or a negative errno */
int simdev_write(int fd, uint32_t reg, unsigned int vmid, uint32_t value);

/** simdev_halt() - SQ_CMD: halt the wave at a place; 0 or a negative errno */
int simdev_halt(unsigned int nr, unsigned int cu, unsigned int simd,
		unsigned int wave);

/** simdev_select() - flip a select and leave it so; 0 or a negative errno */
int simdev_select(unsigned int nr, const char *text);

#endif /* SELFTESTS_SIMDEV_H */
