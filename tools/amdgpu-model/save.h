/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context save of a workgroup: the trap handler stores its waves, and loads them again.
 *
 * As on silicon, a wave is asked (TRAPSTS.SAVECTX), its handler asks where to
 * (MSG_SAVEWAVE) and waits for that in EXEC; a restored wave begins in the handler.
 */
#ifndef AMDGPU_MODEL_SAVE_H
#define AMDGPU_MODEL_SAVE_H

#include "group.h"

/** save_is_possible() - the waves of @d have a handler and a place to be saved to */
bool save_is_possible(const struct dispatch *d);

/** save_ask() - each wave is to enter its handler */
void save_ask(struct group *group);

/**
 * save_is_refused() - a wave is halted where the hardware does not save it
 *
 * Its pc is at s_endpgm. It waits until it goes on.
 */
bool save_is_refused(const struct group *group);

/** save_is_ready() - each one asks where to */
bool save_is_ready(const struct group *group);

/** save_place() - its waves have a record each, and go on; false: there is no room */
bool save_place(struct group *group);

/** save_is_done() - each one is in memory */
bool save_is_done(const struct group *group);

/**
 * save_restore() - the workgroup that was saved last, without a unit
 *
 * Return: NULL if the control stack has none, which makes no sense while
 * @d->nr_saved is not 0, or if there is no memory.
 */
struct group *save_restore(struct dispatch *d);

#endif /* AMDGPU_MODEL_SAVE_H */
