/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who held which comparator when, with the hits.
 *
 * Raw events of the kernel (struct timeline_raw) become bars and hits
 * (struct timeline), which are drawn.
 */
#ifndef PERF_GPUBP_TIMELINE_H
#define PERF_GPUBP_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TIMELINE_LABEL	96
#define TIMELINE_SLOTS	32	/* bits of slots */

#define TIMELINE_NOT_FOUND	((size_t)-1)

/**
 * struct timeline_index - finds a value by two numbers
 * @places: hash table
 * @nr: values
 * @room: entries of @places, a power of two or 0
 */
struct timeline_index {
	struct timeline_place *places;
	size_t nr;
	size_t room;
};

/** timeline_index_get() - the value, or TIMELINE_NOT_FOUND */
size_t timeline_index_get(const struct timeline_index *index, uint64_t a, uint64_t b);

/** timeline_index_set() - set or replace a value; 0 or -1 (memory) */
int timeline_index_set(struct timeline_index *index, uint64_t a, uint64_t b,
		       size_t value);

/** timeline_index_free() - forget all */
void timeline_index_free(struct timeline_index *index);

#define TIMELINE_LEVELS	65	/* of sizes of watches: powers of two */

/**
 * struct timeline_ranges - finds watches by an address
 * @first: the newest entry of each cell
 * @cells: watches in cells
 * @nr: entries of @cells
 * @nr_looks: cells and watches that were looked at
 * @levels: has a watch of that size
 */
struct timeline_ranges {
	struct timeline_index first;
	struct timeline_cell *cells;
	size_t nr;
	uint64_t nr_looks;
	bool levels[TIMELINE_LEVELS];
};

/** timeline_ranges_add() - add a watch of a context; 0 or -1 (memory) */
int timeline_ranges_add(struct timeline_ranges *ranges, uint64_t context,
			uint64_t start, uint64_t last, size_t watch);

/**
 * timeline_ranges_each() - call @see for each watch that may have an address
 * @ranges: watches
 * @context: that of the watch
 * @addr: the address; also watches that end near it are seen
 * @see: gets the watch and @data
 * @data: for @see
 */
void timeline_ranges_each(struct timeline_ranges *ranges, uint64_t context,
			  uint64_t addr, void (*see)(size_t watch, void *data),
			  void *data);

/** timeline_ranges_free() - forget all */
void timeline_ranges_free(struct timeline_ranges *ranges);

/**
 * struct timeline_watch - one watch in one context
 * @device: number of its device
 * @context: id of its context
 * @id: id of the watch
 * @start: first byte
 * @last: last byte
 * @label: its name, else its address
 * @span: index of the span of its context
 * @slots: comparators that it has now
 * @first_slots: comparators that it had first
 * @since: since then
 * @unarmed: without a comparator since then
 * @armed_ns: time with a comparator
 * @longest_gap: longest time without one
 * @nr_bars: how often it got comparators
 * @nr_hits: hits
 * @nr_stalls: how often it was throttled
 */
struct timeline_watch {
	uint8_t device;
	uint32_t context;
	uint64_t id;
	uint64_t start;
	uint64_t last;
	char label[TIMELINE_LABEL];
	size_t span;
	uint32_t slots;
	uint32_t first_slots;
	uint64_t since;
	uint64_t unarmed;
	uint64_t armed_ns;
	uint64_t longest_gap;
	uint64_t nr_bars;
	uint64_t nr_hits;
	uint64_t nr_stalls;
};

/**
 * struct timeline_bar - a watch has comparators for some time
 * @watch: index of the watch
 * @slots: the comparators
 * @lane: of each of them, from 0: watches that share a comparator have others
 * @from: begin, ns
 * @to: end, ns
 */
struct timeline_bar {
	size_t watch;
	uint32_t slots;
	unsigned int lane;
	uint64_t from;
	uint64_t to;
};

/**
 * struct timeline_mark - a moment of a watch
 * @watch: index of the watch
 * @time: ns
 * @slots: comparators that the watch had
 * @stall: it was throttled; else a hit
 * @level: of the stall
 * @possible: the hit may be of other bytes
 * @outside: its watch had no comparator then, as far as the events say
 * @access: GPUBP_ACCESS_*
 * @addr: address of the hit
 * @pc: instruction of the hit
 */
struct timeline_mark {
	size_t watch;
	uint64_t time;
	uint32_t slots;
	bool stall;
	uint32_t level;
	bool possible;
	bool outside;
	uint8_t access;
	uint64_t addr;
	uint64_t pc;
};

/**
 * struct timeline_span - time in which a context had watches
 * @device: number of the device
 * @context: id of the context
 * @from: first event, ns
 * @to: last event, ns
 */
struct timeline_span {
	uint8_t device;
	uint32_t context;
	uint64_t from;
	uint64_t to;
};

/**
 * struct timeline_dispatch - what the hits of a dispatch tell of it
 * @device: number of the device
 * @context: id of the context
 * @queue: its queue
 * @number: of the dispatch in its queue, as hits have it
 * @from: first hit, ns
 * @to: last hit, ns
 * @pc: instruction of the first hit
 * @nr_hits: hits
 * @kernel: name of the kernel; "": not known
 * @track: index of its track
 */
struct timeline_dispatch {
	uint8_t device;
	uint32_t context;
	uint32_t queue;
	uint32_t number;
	uint64_t from;
	uint64_t to;
	uint64_t pc;
	uint64_t nr_hits;
	char kernel[TIMELINE_LABEL];
	size_t track;
};

/**
 * struct timeline_track - dispatches of a queue that do not overlap
 * @device: number of the device
 * @context: id of the context
 * @queue: the queue
 * @lane: of the tracks of the queue, from 0
 * @busy: until then, while tracks are given
 */
struct timeline_track {
	uint8_t device;
	uint32_t context;
	uint32_t queue;
	uint32_t lane;
	uint64_t busy;
};

/**
 * struct timeline - all of it
 * @watches: in order of device, context and address after timeline_finish()
 * @bars: in order of their begin after timeline_finish()
 * @marks: in order of time after timeline_finish()
 * @spans: contexts
 * @early: hits of watches that are not known yet: a commit arms them before it says
 *	so, and breaks have no comparators
 * @dispatches: in order of their begin after timeline_finish()
 * @dispatch_index: of @dispatches, before timeline_finish()
 * @span_index: of @spans
 * @watch_index: of @watches, before timeline_finish()
 * @ranges: of @watches, before timeline_finish()
 * @nr_looks: questions that were looked at for names
 * @tracks: of the dispatches
 * @begin: first event, ns
 * @end: last event, ns
 * @lost: events that are missing
 * @nr_commits: commits seen
 */
struct timeline {
	struct timeline_watch *watches;
	size_t nr_watches;
	struct timeline_bar *bars;
	size_t nr_bars;
	struct timeline_mark *marks;
	size_t nr_marks;
	struct timeline_span *spans;
	size_t nr_spans;
	struct timeline_event *early;
	size_t nr_early;
	struct timeline_dispatch *dispatches;
	size_t nr_dispatches;
	struct timeline_index dispatch_index;
	struct timeline_index span_index;
	struct timeline_index watch_index;
	struct timeline_ranges ranges;
	uint64_t nr_looks;
	struct timeline_track *tracks;
	size_t nr_tracks;
	uint64_t begin;
	uint64_t end;
	uint64_t lost;
	uint64_t nr_commits;
};

/**
 * struct timeline_event - an event of the kernel, decoded
 * @name: gpubp_arm, gpubp_disarm, gpubp_stall, gpubp_hit or gpubp_rotate
 * @time: ns
 * @device: as in the event, like all that follow
 * @context: 0 of gpubp_rotate
 * @watch: id
 * @start: first byte; the address of a hit
 * @last: last byte
 * @slots: comparators
 * @level: of a stall
 * @access: of a hit
 * @exact: the address of the hit is exact
 * @pc: of a hit
 * @has_dispatch: @queue and @dispatch are those of a hit
 * @queue: of a hit
 * @dispatch: of a hit
 */
struct timeline_event {
	const char *name;
	uint64_t time;
	uint8_t device;
	uint32_t context;
	uint64_t watch;
	uint64_t start;
	uint64_t last;
	uint32_t slots;
	uint32_t level;
	uint8_t access;
	bool exact;
	uint64_t pc;
	bool has_dispatch;
	uint32_t queue;
	uint32_t dispatch;
};

/** timeline_add() - add the next event; they come in order of time; 0 or -1 (memory) */
int timeline_add(struct timeline *tl, const struct timeline_event *event);

/** timeline_finish() - end the bars, sort and label the watches; 0 or -1 (memory) */
int timeline_finish(struct timeline *tl);

/** timeline_tracks() - sort bars and marks, and give each bar a lane; 0 or -1 (memory) */
int timeline_tracks(struct timeline *tl);

/** timeline_dispatch_add() - the dispatch of a hit; 0 or -1 (memory) */
int timeline_dispatch_add(struct timeline *tl, const struct timeline_event *hit);

/** timeline_dispatch_tracks() - sort dispatches, give them tracks; 0 or -1 (memory) */
int timeline_dispatch_tracks(struct timeline *tl);

/** timeline_free() - undo all of it */
void timeline_free(struct timeline *tl);

/** timeline_span_of() - the span of the context of @watch */
const struct timeline_span *timeline_span_of(const struct timeline *tl,
					     const struct timeline_watch *watch);

/** timeline_share() - part of its context's time in which @watch was armed, 0 to 1 */
double timeline_share(const struct timeline *tl,
		      const struct timeline_watch *watch);

/** timeline_nr_slots() - comparators of a device, as far as they were used */
unsigned int timeline_nr_slots(const struct timeline *tl, uint8_t device);

/** timeline_nr_lanes() - lanes of a comparator: watches that it served at once */
unsigned int timeline_nr_lanes(const struct timeline *tl, uint8_t device,
			       unsigned int slot);

/** timeline_svg() - draw it */
void timeline_svg(const struct timeline *tl, FILE *out);

/** timeline_json() - write trace events as Chrome and Perfetto read them */
void timeline_json(const struct timeline *tl, FILE *out);

/*
 * Raw events, as the kernel wrote them.
 */

/**
 * struct timeline_record - one raw event
 * @time: ns
 * @cpu: CPU
 * @size: bytes of @data
 * @data: as the format of the event says
 */
struct timeline_record {
	uint64_t time;
	uint32_t cpu;
	uint32_t size;
	void *data;
};

/**
 * struct timeline_text - a file of the system that belongs to the events
 * @pid: of a perf map; 0: a format of an event
 * @text: its text
 * @size: bytes of @text
 */
struct timeline_text {
	uint32_t pid;
	char *text;
	size_t size;
};

/**
 * struct timeline_raw - raw events, and what is needed to read them
 * @records: sorted by time after timeline_raw_sort()
 * @texts: formats of the events, names of processes
 * @lost: events that the ring buffers had no room for
 */
struct timeline_raw {
	struct timeline_record *records;
	size_t nr_records;
	struct timeline_text *texts;
	size_t nr_texts;
	uint64_t lost;
};

/** timeline_raw_add() - add an event, copied; 0 or -1 (memory) */
int timeline_raw_add(struct timeline_raw *raw, uint64_t time, uint32_t cpu,
		     const void *data, size_t size);

/** timeline_raw_text() - add a text, copied; 0 or -1 (memory) */
int timeline_raw_text(struct timeline_raw *raw, uint32_t pid, const char *text,
		      size_t size);

/** timeline_raw_file() - likewise, of a file; -1: it cannot be read */
int timeline_raw_file(struct timeline_raw *raw, uint32_t pid, const char *path);

/** timeline_raw_sort() - sort by time */
void timeline_raw_sort(struct timeline_raw *raw);

/** timeline_raw_save() - write to a file */
void timeline_raw_save(const struct timeline_raw *raw, FILE *out);

/**
 * timeline_raw_load() - read what timeline_raw_save() wrote
 *
 * Return: 0, or the number of the bad part, from 1 on.
 */
unsigned int timeline_raw_load(struct timeline_raw *raw, FILE *in);

/** timeline_raw_free() - undo all of it */
void timeline_raw_free(struct timeline_raw *raw);

/**
 * timeline_decode() - make a timeline of raw events
 *
 * Return: NULL, or one sentence on what is wrong.
 */
const char *timeline_decode(struct timeline *tl, struct timeline_raw *raw);

/** timeline_decode_pids() - call @see with the process of each hit */
const char *timeline_decode_pids(const struct timeline_raw *raw,
				 void (*see)(uint32_t pid, void *data),
				 void *data);

#endif /* PERF_GPUBP_TIMELINE_H */
