/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shadow of the memory of a program that allocates, frees and reuses buffers, and
 * what watches may say of it: every value that a watch may have seen of each byte,
 * and what each hit must and may report.
 */
#ifndef SELFTESTS_SHADOW_H
#define SELFTESTS_SHADOW_H

#include <stdbool.h>
#include <stdint.h>
#include "event.h"
#include "gpu.h"
#include "model.h"

#define SHADOW_VA	0x600000000ULL
#define SHADOW_PAGE	4096U
#define SHADOW_PAGES	6U
#define SHADOW_SIZE	(SHADOW_PAGE * SHADOW_PAGES)
#define SHADOW_COPY	64U	/* bytes that the kernel keeps of a watch */
#define SHADOW_WATCHES	2U	/* two comparators each, so that all are armed at once */
#define SHADOW_GROUPS	3U
#define SHADOW_HITS	(SHADOW_GROUPS * SHADOW_WATCHES)

/** struct shadow_set - values that a byte may have had when it was last read */
struct shadow_set {
	uint64_t bits[4];
};

/**
 * struct shadow_watch - an open event
 * @fd: event
 * @ring: its samples
 * @access: GPUBP_ACCESS_*
 * @start: first byte, from SHADOW_VA; of a named one from the start of its page
 * @len: bytes
 * @named: it watches the page that has the name now
 * @place: first byte, from SHADOW_VA
 * @bound: it has a place
 * @unread: memory was mapped, or the watch placed, since its bytes were last read
 * @early: a reader may have read them since
 * @partial: some of its bytes were not mapped or known, or it was without a place: what
 *	it has seen may be forgotten
 * @reused: some of its bytes were unmapped while it was there, or it was there before
 * @places: pages where it was, a bit each
 * @seen: what its first bytes were when they were last read; empty: not mapped then
 * @count: samples so far
 */
struct shadow_watch {
	int fd;
	struct ring ring;
	unsigned int access;
	unsigned int start;
	unsigned int len;
	bool named;
	unsigned int place;
	bool bound;
	bool unread;
	bool early;
	bool partial;
	bool reused;
	unsigned int places;
	struct shadow_set seen[SHADOW_COPY];
	uint64_t count;
};

/**
 * struct shadow_hit - a sample that a launch must give
 * @watch: of which watch
 * @group: workgroup
 * @lanes: lanes that met the watch
 * @exec: active lanes
 * @access: GPUBP_ACCESS_*
 * @width: bytes a lane
 * @addr: of the first of @lanes
 * @at: the first of its watched bytes, from SHADOW_VA
 * @len: how many
 * @data: what it stored, loaded, or its operand there
 * @before: what it found
 * @returns: its registers have that
 * @differs: another lane stored something else there
 * @unsure: lanes stored different things to one of the first watched bytes
 */
struct shadow_hit {
	unsigned int watch;
	uint32_t group;
	uint64_t lanes;
	uint64_t exec;
	unsigned int access;
	unsigned int width;
	uint64_t addr;
	unsigned int at;
	unsigned int len;
	uint64_t data;
	uint64_t before;
	bool returns;
	bool differs;
	bool unsure;
};

/**
 * enum shadow_quirk - what registers of a kernel do not keep
 * @QUIRK_CONVERTS: data is in another form in them
 * @QUIRK_LOSES: what an atomic returns is over its operand
 * @QUIRK_EATS: what is loaded is over the address
 */
enum shadow_quirk {
	QUIRK_NONE,
	QUIRK_CONVERTS,
	QUIRK_LOSES,
	QUIRK_EATS,
};

/**
 * struct shadow_kernel - a kernel of values.cl
 * @name: name
 * @width: bytes a lane
 * @access: GPUBP_ACCESS_*
 * @quirk: what its registers do not keep
 */
struct shadow_kernel {
	const char *name;
	unsigned int width;
	unsigned int access;
	enum shadow_quirk quirk;
};

/**
 * struct shadow_launch - arguments of a kernel of values.cl
 * @kernel: which
 * @groups: workgroups; if there are more than one, no lanes overlap
 * @at: where lane 0 accesses, from SHADOW_VA
 * @stride: of lanes
 * @wrap: of lane numbers
 * @mask: lanes that access
 * @salt: of numbers
 */
struct shadow_launch {
	const struct shadow_kernel *kernel;
	unsigned int groups;
	unsigned int at;
	unsigned int stride;
	unsigned int wrap;
	uint64_t mask;
	unsigned int salt;
};

#define SHADOW_ARGS	6

/**
 * struct shadow - a program's memory
 * @now: contents
 * @was: before the last launch
 * @mapped: of each page
 * @out: what loads and atomics found, for the CPU
 * @out_va: where the GPU stores that
 * @watches: open events; .fd is -1 if there is none
 * @launch: the last one
 * @hits: that it must report
 * @nr_hits: entries of @hits
 * @device: what samples have
 * @context: likewise
 */
struct shadow {
	uint8_t now[SHADOW_SIZE];
	uint8_t was[SHADOW_SIZE];
	bool mapped[SHADOW_PAGES];
	uint8_t out[SHADOW_PAGE];
	uint64_t out_va;
	struct shadow_watch watches[SHADOW_WATCHES];
	struct shadow_launch launch;
	struct shadow_hit hits[SHADOW_HITS];
	unsigned int nr_hits;
	unsigned int device;
	unsigned int context;
};

/** shadow_map() - a page was mapped, or unmapped, for all that know it */
void shadow_map(struct shadow *s, unsigned int page, bool mapped);

/** shadow_place() - the watch has its place now; its bytes may be read from now on */
void shadow_place(struct shadow *s, struct shadow_watch *w, unsigned int place);

/** shadow_wrote() - bytes changed that no watch notices; the new ones are in @s->now */
void shadow_wrote(struct shadow *s);

/** shadow_copies() - a copy engine begins to write, which is work */
void shadow_copies(struct shadow *s);

/** shadow_set_has() - may the byte have been @value? */
static inline bool shadow_set_has(const struct shadow_set *set, uint8_t value)
{
	return set->bits[value / 64] >> value % 64 & 1;
}

/** shadow_is_mapped() - are all these bytes? */
bool shadow_is_mapped(const struct shadow *s, unsigned int at, unsigned int len);

/** shadow_watched() - bytes of the watch that the kernel keeps */
unsigned int shadow_watched(const struct shadow_watch *w);

/** shadow_args() - arguments of @s->launch; returns how many */
unsigned int shadow_args(const struct shadow *s, uint64_t *args);

/** shadow_run() - run @s->launch lane by lane; false: the model cannot */
bool shadow_run(struct shadow *s);

/** shadow_ran() - its samples were compared: what watches have seen is of now */
void shadow_ran(struct shadow *s);

/** enum shadow_field - values of samples */
enum shadow_field {
	FIELD_BYTES,
	FIELD_DATA,
	FIELD_BEFORE,
	FIELD_SEEN,
	FIELD_NOW,
	FIELD_OLD,
	FIELD_NEW,
	FIELDS,
};

/**
 * struct shadow_score - how often samples have a value
 * @hits: samples of hits
 * @reused: of these of memory that was freed and mapped again
 * @could: that could have it by the kind of access
 * @had: and had it
 */
struct shadow_score {
	unsigned int hits;
	unsigned int reused;
	unsigned int could[FIELDS];
	unsigned int had[FIELDS];
};

/**
 * shadow_check() - compare a sample of @w with the last launch
 *
 * Return: NULL, or what is wrong.
 */
const char *shadow_check(const struct shadow *s, const struct shadow_watch *w,
			 const struct sample *sample, struct shadow_score *score);

/** shadow_hit() - the hit of @w that a wave must report, or NULL */
const struct shadow_hit *shadow_hit(const struct shadow *s, const struct shadow_watch *w,
				    uint32_t group);

#endif /* SELFTESTS_SHADOW_H */
