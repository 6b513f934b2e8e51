/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wave control: access to waves that were not reported as stopped, on the GPU
 * or saved. A wave has one id for its lifetime; a stop has an id of its own
 * (stop.c), and read_wave and write_wave take either.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_WAVECTL_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_WAVECTL_H

#include <linux/gpubp.h>

struct sim_device;
struct sim_wave;

void sim_wavectl_write(struct sim_wave *wave, const struct gpubp_reg_req *req,
		       const u32 *in);

/* gpubp_ops */
int sim_read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		  unsigned int nr, u32 *out);
int sim_write_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		   unsigned int nr, const u32 *in);
int sim_halt(void *dev, const struct gpubp_waves *waves);
int sim_unhalt(void *dev, const struct gpubp_waves *waves);
int sim_step(void *dev, const struct gpubp_waves *waves);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_WAVECTL_H */
