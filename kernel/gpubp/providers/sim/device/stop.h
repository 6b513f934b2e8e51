/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stopped waves, as the driver deals with them: from an interrupt's cookie to
 * a hit, registers by position, resumption.
 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_STOP_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_STOP_H

#include <linux/gpubp.h>

#include "../wave/wave.h"

struct sim_ctx;
struct sim_device;
struct sim_queue;
struct sim_slot;

/** sim_stop_nr_lanes() - values of each register of a request */
static inline unsigned int sim_stop_nr_lanes(const struct gpubp_reg_req *req)
{
	return req->file == GPUBP_REG_VECTOR ? SIM_LANES : 1;
}

bool sim_stop_is_halted(struct sim_slot *slot);
void sim_stop_command(struct sim_slot *slot, bool halt);
int sim_stop_reg_index(const struct sim_wave *wave,
		       const struct gpubp_reg_req *req, u32 *index);
int sim_stop_copy_regs(const struct sim_wave *wave,
		       const struct gpubp_reg_req *req, u32 *out);
u64 sim_stop_pc(const struct sim_ctx *ctx, const struct sim_wave *wave);
int sim_stop_read_regs(const struct sim_ctx *ctx, const struct sim_wave *wave,
		       const struct gpubp_reg_req *req, u32 *out);
void sim_stop_init(struct sim_device *dev);
void sim_stop_interrupt(struct sim_device *dev, const u32 *entry);
void sim_stop_begin(struct sim_slot *slot, struct sim_queue *queue);
void sim_stop_attach(struct sim_slot *slot, struct sim_queue *queue);
void sim_stop_detach(struct sim_slot *slot);
void sim_stop_end(struct sim_slot *slot);
void sim_stop_end_step(struct sim_slot *slot);
void sim_stop_resume(struct sim_device *dev, u64 id);
void sim_stop_resume_all(struct sim_device *dev);
void sim_stop_sweep_slot(struct sim_slot *slot);
void sim_stop_sweep(struct sim_device *dev);
bool sim_stop_possible(struct sim_device *dev);
unsigned int sim_stop_count(struct sim_device *dev);
int sim_stop_wait_halted(struct sim_device *dev, u64 id);
int sim_stop_read(struct sim_device *dev, u64 id,
		  const struct gpubp_reg_req *req, unsigned int nr, u32 *out);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_STOP_H */
