/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verbs that read a recording share: names, and hits in words.
 */
#ifndef PERF_GPUBP_SHOW_H
#define PERF_GPUBP_SHOW_H

#include "hits.h"
#include "launches.h"
#include "lifetimes.h"
#include "objects.h"
#include "recorded.h"

struct elem_type;

/**
 * struct names - the names of a process
 * @lives: with their times
 * @map: without, of addresses that @lives has no name for at any time
 * @launches: what its queues were given
 */
struct names {
	struct lifetimes lives;
	struct symmap map;
	struct launches launches;
};

/**
 * struct show - where names are found
 * @map_file: replaces perf's names and those of the process's files, NULL none
 * @names: the names in @map_file
 * @recorded: the names in the recording
 * @processes: those of processes, from there or of the process's files
 * @code: code object that was asked for, NULL those that perf knows
 * @color: for a terminal
 */
struct show {
	const char *map_file;
	struct names names;
	struct recorded recorded;
	void *processes;
	struct object *code;
	bool color;
};

/** show_read_map() - read show->map_file; 0 or -1 */
int show_read_map(struct show *show, struct grun_err *err);

/** show_free() - free the names in show->map_file and in the recording */
void show_free(struct show *show);

/** show_beside() - symmap_beside() with the names that were valid at a hit */
const char *show_beside(struct show *show, const struct hit *hit, char *out,
			size_t len);

/** show_pc() - "kernel+0x10", or a number */
const char *show_pc(struct show *show, const struct hit *hit, char *out,
		    size_t len);

/** show_addr() - "buffer+0x10", as the buffer was called at the hit, or a number */
const char *show_addr(struct show *show, const struct hit *hit, uint64_t addr,
		      char *out, size_t len);

/**
 * show_element() - "buffer[4]" for the first watched byte of an access to its
 *	elements, else as show_addr()
 */
const char *show_element(struct show *show, const struct hit *hit, char *out,
			 size_t len);

#define SHOW_FREED_MAX	1024

/**
 * show_freed() - what an address was before its name was withdrawn, if a hit came
 *	later: "freed 3 ms before, was act0[0], allocated at model.cc:41"; "" else
 */
const char *show_freed(struct show *show, const struct hit *hit, char *out,
		       size_t len);

/** show_allocated() - where the program named the buffer of a hit; "" unknown, or withdrawn */
const char *show_allocated(struct show *show, const struct hit *hit, char *out,
			   size_t len);

/** show_period() - lifetimes_period() of the buffer of a hit; 0 unknown */
unsigned int show_period(struct show *show, const struct hit *hit);

/**
 * show_context() - the context whose memory was hit, if contexts of its process have names
 *	of their own; 0: all contexts have the same memory, or none was hit
 */
uint32_t show_context(struct show *show, const struct hit *hit);

/**
 * struct place - a pc in a code object
 * @object: it
 * @function: where the pc is, as its symbol is
 * @name: the same for people: perf demangles it
 * @pc: address in the file
 */
struct place {
	struct object *object;
	const char *function;
	const char *name;
	uint64_t pc;
};

/** show_place() - the code object of a hit; false if it is not known */
bool show_place(struct show *show, const struct hit *hit, struct place *place);

/** show_source() - line of a hit's pc; false if it is not known */
bool show_source(struct show *show, const struct hit *hit, struct line *line);

/** show_launched() - where the program launched the kernel of a hit; "" unknown */
const char *show_launched(struct show *show, const struct hit *hit, char *out,
			  size_t len);

/** show_item() - global id of the first lane; false if it is not known */
bool show_item(struct show *show, const struct hit *hit, uint32_t item[3]);

/* a hit in words */

/** hit_access() - "store" and so on */
const char *hit_access(const struct hit *hit);

/** hit_is_stop() - of a break or an s_trap, which access nothing? */
bool hit_is_stop(const struct hit *hit);

/** hit_exceptions() - names of the classes of an exception, into @out */
const char *hit_exceptions(const struct hit *hit, char *out, size_t len);

/** hit_state() - what is known of the address */
const char *hit_state(const struct hit *hit);

/** hit_has_address() - is one known, or that of the watched bytes? */
bool hit_has_address(const struct hit *hit);

/** hit_lane() - first lane that met the watch */
unsigned int hit_lane(const struct hit *hit);

/** hit_type() - the type in the name of its event, "gamma.f32[0]"; NULL if it has none */
const struct elem_type *hit_type(const struct hit *hit);

/**
 * hit_element_size() - of what show_element() names: of its type, or of as many bytes as
 *	were hit; 0 if these are no element
 */
unsigned int hit_element_size(const struct hit *hit);

/** hit_first_element() - the same hit, whose values are of what show_element() names */
void hit_first_element(const struct hit *hit, struct hit *first);

/** hit_old() - what was there directly before the access: "0x10", or "?" */
const char *hit_old(const struct hit *hit, char *out, size_t len);

/** hit_new() - what it stored there, or loaded; likewise */
const char *hit_new(const struct hit *hit, char *out, size_t len);

/** hit_operand() - operand of an atomic; likewise */
const char *hit_operand(const struct hit *hit, char *out, size_t len);

/** hit_seen() - what was there when it was last read before; likewise */
const char *hit_seen(const struct hit *hit, char *out, size_t len);

/** hit_now() - what was there when the hit was resolved; likewise */
const char *hit_now(const struct hit *hit, char *out, size_t len);

/** hit_value() - "0x20 (last seen 0x10)", as far as it is known */
const char *hit_value(const struct hit *hit, char *out, size_t len);

#endif /* PERF_GPUBP_SHOW_H */
