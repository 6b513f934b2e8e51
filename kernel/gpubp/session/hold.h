/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds: which sessions keep which waves halted.
 *
 * A hold is one halt of a wave, and ends with one resume. It is a session's, by
 * one of its attachments; when that is over, the hold has no session until the wave
 * has been resumed.
 *
 * What happens to the holds of a session happens in its *turn*: one call at a
 * time. Whoever has a turn may wait for a provider.
 */
#ifndef _GPUBP_SESSION_HOLD_H
#define _GPUBP_SESSION_HOLD_H

#include <linux/gpubp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_device;
struct gpubp_dstep;
struct gpubp_session;
struct gpubp_user;

/**
 * struct gpubp_hold - a session holds a wave; under gpubp_holds_lock
 * @node: in the list of all
 * @wave_node: in the table of all, by @wave
 * @ctx: context; the hold is forgotten before that goes
 * @wave: as the provider calls it
 * @session: owning session, NULL once the hold is over
 * @last_session: its last one, NULL once that is closed
 * @ended_node: if it is over, in a list of hold_reaper.c
 * @user: whom it is charged to, with a reference
 * @event: id of the attachment
 * @until: when it is over, ns of CLOCK_MONOTONIC
 * @moving: whoever holds it makes the wave move, or changes it, or lets it go
 * @dstep: its displaced step that is not complete, or NULL; the session's, in
 *	its turn
 */
struct gpubp_hold {
	struct list_head node;
	struct hlist_node wave_node;
	struct gpubp_ctx *ctx;
	u64 wave;
	struct gpubp_session *session;
	struct gpubp_session *last_session;
	struct list_head ended_node;
	struct gpubp_user *user;
	u64 event;
	u64 until;
	bool moving;
	struct gpubp_dstep *dstep;
};

/**
 * struct gpubp_holder - on whose behalf something is done to waves
 * @session: session, in its turn
 * @event: id of the attachment
 * @ctx: context of the waves, visited
 */
struct gpubp_holder {
	struct gpubp_session *session;
	u64 event;
	struct gpubp_ctx *ctx;
};

/**
 * struct gpubp_held - who holds a wave
 * @nr: sessions that do
 * @mine: the one that asks does
 * @displaced: one has a displaced step of it that is not complete
 */
struct gpubp_held {
	unsigned int nr;
	bool mine;
	bool displaced;
};

int gpubp_hold_waves(const struct gpubp_holder *holder, const u64 *waves,
		     unsigned int nr, u64 until);
int gpubp_hold_all(const struct gpubp_holder *holder, u64 until);
int gpubp_hold_release(const struct gpubp_holder *holder, u64 wave);
int gpubp_hold_list(const struct gpubp_holder *holder, u64 **waves);
struct gpubp_held gpubp_hold_state(const struct gpubp_holder *holder, u64 wave);
int gpubp_move_begin(const struct gpubp_holder *holder, u64 wave);
void gpubp_move_end(const struct gpubp_holder *holder, u64 wave);
void gpubp_move_ended(const struct gpubp_holder *holder, u64 wave);

struct gpubp_dstep *gpubp_hold_dstep(const struct gpubp_holder *holder,
				     u64 wave);
void gpubp_hold_set_dstep(const struct gpubp_holder *holder, u64 wave,
			  struct gpubp_dstep *dstep);

/* hold_reaper.c */
void gpubp_holds_release(struct gpubp_session *session);
void gpubp_holds_yield(struct gpubp_session *session);
void gpubp_holds_check(void);
unsigned int gpubp_holds_count(void);

/* what the two have in common */
extern struct mutex gpubp_holds_lock;
extern struct list_head gpubp_holds;

void gpubp_hold_destroy(struct gpubp_hold *h);
void gpubp_hold_moved(void);
int gpubp_hold_resume(struct gpubp_ctx *ctx, u64 wave);

#endif /* _GPUBP_SESSION_HOLD_H */
