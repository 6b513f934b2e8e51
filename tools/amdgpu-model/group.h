/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workgroups of a dispatch and their waves, each of which is one of the software
 * GPU's interpreter (kernel/gpubp/providers/sim/wave).
 */
#ifndef AMDGPU_MODEL_GROUP_H
#define AMDGPU_MODEL_GROUP_H

#include "providers/sim/device/compare.h"
#include "providers/sim/wave/wave.h"

#include "compute.h"

struct executor;

#define GROUP_MAX_WAVES	16
#define GROUP_SIMDS	4

/* waves of all groups that have private memory, at most */
#define SCRATCH_MAX_WAVES	(COMPUTE_UNITS * GROUP_MAX_WAVES)

/**
 * struct dispatch - a kernel that executes
 * @compute: units
 * @vm: address space
 * @base: of the queue, which is known by that and by its address space
 * @doorbell: of the queue, as s_sendmsg(MSG_GET_DOORBELL) has it
 * @packet: index of the packet in the queue
 * @started: when it was begun, in ticks of the GPU's clock
 * @launch: the next workgroup
 * @kernel: descriptor
 * @launched: all workgroups are
 * @off: the queue is not mapped
 * @saving: it is being taken off
 * @area: where waves are saved
 * @nr_groups: workgroups that have not ended
 * @nr_saved: of them, those that are in @area
 * @parked: of them, those that are neither there nor have a unit
 * @scratch_waves: waves that the private memory is enough for
 * @scratch_used: which parts of it are used
 * @tba: trap handler
 * @tma: its memory
 * @single_memop: memory instructions end before the next one begins
 * @fault: last page that an access failed at, plus 1
 * @state: of it
 * @why: it failed
 */
struct dispatch {
	struct compute *compute;
	struct vm vm;
	uint64_t base;
	uint32_t doorbell;
	uint64_t packet;
	uint64_t started;
	struct sim_launch launch;
	struct sim_kernel kernel;
	bool launched;
	bool off;
	bool saving;
	struct save_area area;
	unsigned int nr_groups;
	unsigned int nr_saved;
	struct group *parked;
	unsigned int scratch_waves;
	bool scratch_used[SCRATCH_MAX_WAVES];
	uint64_t tba;
	uint64_t tma;
	bool single_memop;
	uint64_t fault;
	enum compute_state state;
	char why[160];
};

/**
 * enum wave_save - how far a wave is saved
 * @SAVE_NOT: it is not to be
 * @SAVE_ASKED: its handler has not asked yet where to
 * @SAVE_READY: it has, and waits
 * @SAVE_GOES: it stores
 * @SAVE_DONE: all is in memory
 */
enum wave_save {
	SAVE_NOT,
	SAVE_ASKED,
	SAVE_READY,
	SAVE_GOES,
	SAVE_DONE,
};

/**
 * struct wave - a wave
 * @sim: its registers
 * @view: what SQ has of it
 * @group: workgroup
 * @ended: it is to be reaped
 * @scratch: part of the private memory
 * @halted: it waits for SETHALT 0
 * @save: how far it is saved
 * @gws_waits: it waits at a barrier of global wave sync
 * @gws_phase: of that, when it came there
 */
struct wave {
	struct sim_wave sim;
	struct sq_view view;
	struct group *group;
	bool ended;
	unsigned int scratch;
	bool halted;
	enum wave_save save;
	bool gws_waits;
	uint32_t gws_phase;
};

/**
 * struct group - a workgroup that executes
 * @next: another one that is parked
 * @dispatch: of that
 * @unit: compute unit that it has, or had
 * @nr_waves: that it had
 * @wave: waves, NULL: it has ended
 * @lds_size: bytes of LDS
 * @lds: LDS
 * @executor: that executes it, or did last
 * @failed: a wave of it that cannot go on
 * @comparator: as they are now
 * @valid: bitmap of those that are used
 */
struct group {
	struct group *next;
	struct dispatch *dispatch;
	unsigned int unit;
	unsigned int nr_waves;
	struct wave *wave[GROUP_MAX_WAVES];
	uint32_t lds_size;
	uint8_t *lds;
	struct executor *executor;
	struct wave *failed;
	struct sim_comparator comparator[MODEL_NR_WATCHES];
	unsigned int valid;
};

/** group_create() - a workgroup of @nr_waves that are to be created, NULL: no memory */
struct group *group_create(struct dispatch *d, unsigned int nr_waves);

/** wave_create() - a wave that is to be launched or restored, NULL: no memory */
struct wave *wave_create(struct group *group, uint32_t nr_vgprs);

/** group_launch() - the next workgroup, without a unit; NULL: it has no private memory */
struct group *group_launch(struct dispatch *d);

/** group_free() - it is gone, with the waves that it still has */
void group_free(struct group *group);

/** group_enter() - it has @unit: its waves are on the GPU, in its dispatch's address space */
void group_enter(struct group *group, unsigned int unit);

/** group_leave() - it has none, any more */
void group_leave(struct group *group);

/** group_can_run() - whether a wave is neither halted nor at a barrier */
bool group_can_run(const struct group *group);

/** group_execute() - up to @insts instructions of each wave; in any thread */
void group_execute(struct group *group, struct executor *executor, unsigned int insts);

/** group_reap() - waves that have ended then are gone; its dispatch may have failed */
void group_reap(struct group *group);

/** group_waves() - how many have not ended */
unsigned int group_waves(const struct group *group);

/** dispatch_scratch_bytes() - private memory of a wave; COMPUTE_TMPRING_SIZE has it in KiB */
uint64_t dispatch_scratch_bytes(const struct dispatch *d);

/* number of scalar registers of each wave, with VCC behind its last ones */
#define GROUP_NR_SGPRS	112u

/** dispatch_of() - a wave's */
struct dispatch *dispatch_of(const struct sim_wave *wave);

/** dispatch_follow() - what its process and VMID have now is for waves from now on */
void dispatch_follow(struct dispatch *d, const struct queue *queue);

/** dispatch_find() - that of @queue, NULL none */
struct dispatch **dispatch_find(struct compute *c, const struct queue *queue);

/** dispatch_free() - it is gone, with its workgroups */
void dispatch_free(struct dispatch **at);

/** dispatch_fail() - it cannot go on: its workgroups are gone, and its queue stops */
void dispatch_fail(struct dispatch *d, const char *why);

/** unit_free() - the workgroup of a unit is gone */
void unit_free(struct compute *c, unsigned int unit);

/** unit_clean() - the same, if none of its waves is left or its dispatch has failed */
void unit_clean(struct compute *c, unsigned int unit);

/** place_groups() - units for workgroups of @d that had some before */
void place_groups(struct dispatch *d);

/** dispatch_waits() - whether there are such workgroups */
bool dispatch_waits(const struct dispatch *d);

#endif /* AMDGPU_MODEL_GROUP_H */
