/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions executed like those at a break: simulated, or copied into a
 * buffer and executed there.
 */
#ifndef TESTS_WAVE_DISPLACE_H
#define TESTS_WAVE_DISPLACE_H

#include <linux/gpubp_isa.h>
#include "machine.h"

#define DISPLACE_BUF	0x7ffe00000000ull
#define DISPLACE_SIZE	32

const struct gpubp_isa *displace_isa(enum gfx9_arch arch);

/* values of @nr requests, like read_wave returns them */
void displace_read(const struct sim_wave *w, const struct gpubp_reg_req *req,
		   unsigned int nr, u32 *out);

/* the effect of a simulated instruction */
void displace_apply(struct sim_wave *w, const struct gpubp_step_effect *effect);

/* like sim_wave_run(@w, 1) */
enum sim_stop displace_step(struct sim_wave *w);

/* displaced if DISPLACED is set in the environment, else sim_wave_run() */
enum sim_stop displace_run(struct sim_wave *w, unsigned int budget);

#endif /* TESTS_WAVE_DISPLACE_H */
