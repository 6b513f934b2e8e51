/* SPDX-License-Identifier: GPL-2.0 */
/* Run control: sessions list, halt, resume and step waves of their targets. */
#ifndef _GPUBP_SESSION_RUNCTL_H
#define _GPUBP_SESSION_RUNCTL_H

#include <linux/types.h>

#include "hold.h"

struct gpubp_session;
struct gpubp_wave_entry;
struct gpubp_wave_info;

int gpubp_runctl_begin(struct gpubp_session *session, u64 event, u32 right,
		       u32 context, struct gpubp_holder *holder);
void gpubp_runctl_end(struct gpubp_holder *holder);
int gpubp_wave_missing_error(const struct gpubp_holder *holder, u64 wave);
int gpubp_wave_check_stopped(const struct gpubp_holder *holder, u64 wave,
			     struct gpubp_wave_info *info);
int gpubp_wave_entries(const struct gpubp_holder *holder,
		       struct gpubp_wave_entry **entries);
u32 gpubp_wave_queue(struct gpubp_ctx *ctx, u32 doorbell);
u32 gpubp_wave_flags(const struct gpubp_wave_info *info,
		     const struct gpubp_held *held);

long gpubp_contexts_cmd(struct gpubp_session *session, void *arg);
long gpubp_waves_cmd(struct gpubp_session *session, void *arg);
long gpubp_halt_cmd(struct gpubp_session *session, void *arg);
long gpubp_resume_cmd(struct gpubp_session *session, void *arg);
long gpubp_step_cmd(struct gpubp_session *session, void *arg);

#endif /* _GPUBP_SESSION_RUNCTL_H */
