/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mock with contexts that can be taken off the GPU, and with waves that
 * keep the control registers that they were launched with.
 */
#ifndef _GPUBP_KUNIT_MOCK_TRAP_ENABLE_H
#define _GPUBP_KUNIT_MOCK_TRAP_ENABLE_H

#include "mock.h"

#define LATE_WAVES	8
#define LATE_REGS	3	/* MODE, STATUS, TRAPSTS */

/**
 * struct late_wave - a wave
 * @c: context, NULL if there is none
 * @regs: its control registers
 * @written: how often they were
 */
struct late_wave {
	struct mock_ctx *c;
	u32 regs[LATE_REGS];
	unsigned int written;
};

/**
 * struct late_mock - what it has and does; a test that runs has one
 * @m: the mock
 * @wave: waves; their ids are their places
 * @stopped_at: the wave that a hit of the mock's is of, stopped until then; NULL:
 *	waves that hit are none of these
 * @off: contexts that are off the GPU, by number
 * @suspends: calls of ctx_suspend
 * @resumes: calls of ctx_resume
 * @grace_ms: what the last ctx_suspend was given
 * @err: what ctx_suspend shall return
 * @stuck: a context that cannot be suspended, nor can others with it
 * @read_err: what read_wave shall return
 * @write_err: likewise write_wave
 * @dies: the next wave that is read is gone then
 * @in_suspend: called by ctx_suspend, before it returns
 * @in_resume: called by ctx_resume, before it returns
 * @late_comer: a context of which a wave without traps appears at the next resume
 */
struct late_mock {
	struct mock *m;
	struct late_wave wave[LATE_WAVES];
	struct late_wave *stopped_at;
	bool off[MOCK_CTXS];
	unsigned int suspends;
	unsigned int resumes;
	unsigned int grace_ms;
	int err;
	struct mock_ctx *stuck;
	int read_err;
	int write_err;
	bool dies;
	void (*in_suspend)(void);
	void (*in_resume)(void);
	struct mock_ctx *late_comer;
};

extern struct late_mock enable;

int late_init(struct kunit *test);
int late_init_with(struct kunit *test, const struct gpubp_caps *caps);
void late_exit(struct kunit *test);
void late_settle(void);
void late_launch(struct mock_ctx *c, unsigned int nr, u32 mode, u32 status,
		 u32 trapsts);

#endif /* _GPUBP_KUNIT_MOCK_TRAP_ENABLE_H */
