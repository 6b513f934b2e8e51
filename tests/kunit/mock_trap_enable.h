/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mock with contexts that can be suspended, and with waves that keep the
 * control registers with which they were launched.
 */
#ifndef _GPUBP_KUNIT_MOCK_TRAP_ENABLE_H
#define _GPUBP_KUNIT_MOCK_TRAP_ENABLE_H

#include "mock.h"

#define TRAP_ENABLE_WAVES	8
#define TRAP_ENABLE_REGS	3	/* MODE, STATUS, TRAPSTS */

/**
 * struct trap_enable_wave - a wave
 * @c: context, NULL if there is none
 * @regs: its control registers
 * @written: how often they were written
 */
struct trap_enable_wave {
	struct mock_ctx *c;
	u32 regs[TRAP_ENABLE_REGS];
	unsigned int written;
};

/**
 * struct trap_enable_mock - state of the running test
 * @m: the mock
 * @wave: waves; the index is the id
 * @stopped_at: the stopped wave of the hits that the mock raises; NULL: the
 *	waves of hits are not in @wave
 * @off: suspended contexts, by number
 * @suspends: calls of ctx_suspend
 * @resumes: calls of ctx_resume
 * @grace_ms: argument of the last ctx_suspend
 * @err: what ctx_suspend returns
 * @stuck: a context that cannot be suspended, nor others in the same call
 * @read_err: what read_wave returns
 * @write_err: what write_wave returns
 * @dies: the next wave that is read has ended
 * @in_suspend: called by ctx_suspend, before it returns
 * @in_resume: called by ctx_resume, before it returns
 * @launch_on_resume: context in which the next resume launches a wave
 *	without traps
 */
struct trap_enable_mock {
	struct mock *m;
	struct trap_enable_wave wave[TRAP_ENABLE_WAVES];
	struct trap_enable_wave *stopped_at;
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
	struct mock_ctx *launch_on_resume;
};

extern struct trap_enable_mock enable;

int trap_enable_init(struct kunit *test);
int trap_enable_init_with(struct kunit *test, const struct gpubp_caps *caps);
void trap_enable_exit(struct kunit *test);
void trap_enable_settle(void);
void trap_enable_launch(struct mock_ctx *c, unsigned int nr, u32 mode,
			u32 status, u32 trapsts);

#endif /* _GPUBP_KUNIT_MOCK_TRAP_ENABLE_H */
