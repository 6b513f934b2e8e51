/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds: which sessions keep which waves halted.
 *
 * A hold is one halt of a wave, and ends with one resume. It belongs to a
 * session and one of its attachments. A hold that ended has no session until
 * its wave has been resumed.
 *
 * Operations on the holds of a session are serialised by &gpubp_session.op_sem.
 * Its holder may wait for a provider.
 */
#ifndef _GPUBP_SESSION_HOLD_H
#define _GPUBP_SESSION_HOLD_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/timerqueue.h>
#include <linux/types.h>

struct gpubp_caught_event;
struct gpubp_ctx;
struct gpubp_device;
struct gpubp_dstep;
struct gpubp_holding;
struct gpubp_session;
struct gpubp_user;

/**
 * struct gpubp_hold - a session holds a wave; under gpubp_holds_lock
 * @session_node: entry in &gpubp_session.holds until the session is closed
 * @ctx_node: entry in &gpubp_ctx.holds
 * @wave_node: entry in the hash table of all holds, by @wave
 * @ctx: context; the hold is destroyed before its context
 * @wave: the provider's id of the wave
 * @session: owning session, NULL once the hold has ended
 * @holding: holds of the session by the same attachment, NULL once it has ended
 * @holding_node: entry in it
 * @limit: entry in the queue of time limits, if it has one
 * @ended_node: entry in &gpubp_session.holds_due; once the hold has ended, in a
 *	list of hold_reaper.c
 * @user: user that the hold is charged to, with a reference
 * @reserve: session whose reserve it goes back to; NULL: it is freed
 * @halts: calls of ops->halt that it has to undo: one, or two if a hit was caught while
 *	GPUBP_HALT was halting the wave; 0: the first one has not returned yet
 * @caught: a hit that may not be done yet stopped the wave
 * @unsimulated: the wave may need gpubp_pc_catch_up() before it goes on
 * @ending: its wave is being resumed
 * @moving: the wave is being stepped, changed or resumed
 * @dstep: its displaced step that is not completed, or NULL; under
 *	&gpubp_session.op_sem
 */
struct gpubp_hold {
	struct list_head session_node;
	struct list_head ctx_node;
	struct hlist_node wave_node;
	struct gpubp_ctx *ctx;
	u64 wave;
	struct gpubp_session *session;
	struct gpubp_holding *holding;
	struct list_head holding_node;
	struct timerqueue_node limit;
	struct list_head ended_node;
	struct gpubp_user *user;
	struct gpubp_session *reserve;
	unsigned int halts;
	bool caught;
	bool unsimulated;
	bool ending;
	bool moving;
	struct gpubp_dstep *dstep;
};

/**
 * struct gpubp_holder - session that works on the waves of a context
 * @session: session, whose op_sem is held
 * @event: id of the attachment
 * @ctx: context of the waves, with a ctx op reference
 */
struct gpubp_holder {
	struct gpubp_session *session;
	u64 event;
	struct gpubp_ctx *ctx;
};

/**
 * struct gpubp_held - which sessions hold a wave
 * @nr: number of sessions that hold it
 * @mine: the calling session holds it
 * @caught: by a hit of an event that it catches
 * @displaced: it has a displaced step that is not completed
 */
struct gpubp_held {
	unsigned int nr;
	bool mine;
	bool caught;
	bool displaced;
};

int gpubp_halt_waves(struct gpubp_ctx *ctx, const struct gpubp_waves *waves);
void gpubp_hold_notice(const struct gpubp_hold *h, u64 event, u32 why);
void gpubp_wave_notice(const struct gpubp_holder *holder, u64 wave, u32 type);
bool gpubp_hold_needs_halt(const struct gpubp_holder *holder, u64 wave, int *err);
void gpubp_hold_caught(const struct gpubp_holder *holder, u64 wave,
		       struct gpubp_caught_event *ce, bool unsimulated);
int gpubp_holds_reserve(struct gpubp_session *session, unsigned int nr);
void gpubp_holds_unreserve(struct gpubp_session *session, unsigned int nr);
int gpubp_hold_waves(const struct gpubp_holder *holder, const u64 *waves,
		     unsigned int nr, u64 until);
int gpubp_hold_all(const struct gpubp_holder *holder, u64 until);
int gpubp_hold_release(const struct gpubp_holder *holder, u64 wave);
int gpubp_hold_list(const struct gpubp_holder *holder, u64 **waves);
struct gpubp_held gpubp_hold_state(const struct gpubp_holder *holder, u64 wave);
int gpubp_move_begin(const struct gpubp_holder *holder, u64 wave);
void gpubp_move_end(const struct gpubp_holder *holder, u64 wave);
void gpubp_move_wave_ended(const struct gpubp_holder *holder, u64 wave);

struct gpubp_dstep *gpubp_hold_dstep(const struct gpubp_holder *holder,
				     u64 wave);
void gpubp_hold_set_dstep(const struct gpubp_holder *holder, u64 wave,
			  struct gpubp_dstep *dstep);

/* hold_reaper.c */
void gpubp_holds_init_session(struct gpubp_session *session);
void gpubp_holds_exit_session(struct gpubp_session *session);
void gpubp_holds_yield(struct gpubp_session *session);
void gpubp_holds_unlock(struct gpubp_session *session);
void gpubp_holds_check(void);
void gpubp_holds_thread_wake(void);
unsigned int gpubp_holds_count(void);

/* shared by hold.c, hold_reaper.c and holding.c */
extern struct mutex gpubp_holds_lock;

u32 gpubp_hold_hash(u64 id);
void gpubp_hold_destroy(struct gpubp_hold *h);
void gpubp_moves_wake(void);
int gpubp_hold_resume(struct gpubp_hold *h);

#endif /* _GPUBP_SESSION_HOLD_H */
