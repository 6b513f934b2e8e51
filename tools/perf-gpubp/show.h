/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf-gpubp's verbs.
 */
#ifndef PERF_GPUBP_SHOW_H
#define PERF_GPUBP_SHOW_H

#include "gpubp_run.h"
#include "hits.h"
#include "symmap.h"

/**
 * struct show - what a verb may use
 * @hits: hits
 * @map: names
 * @code: code object, NULL none
 */
struct show {
	struct hits hits;
	struct symmap map;
	struct grun_code *code;
};

/** show_dump() - one line a hit */
void show_dump(const struct show *show);

/** show_report() - one paragraph for each instruction that hit */
void show_report(const struct show *show);

/* pieces of both */

/** hit_access() - "store" and so on */
const char *hit_access(const struct hit *hit);

/** hit_exceptions() - names of the classes of an exception, into @out */
const char *hit_exceptions(const struct hit *hit, char *out, size_t len);

/** hit_state() - what is known of the address */
const char *hit_state(const struct hit *hit);

/** hit_lane() - first lane that met the watch */
unsigned int hit_lane(const struct hit *hit);

/** hit_value() - "0x10 -> 0x20", as far as it is known */
const char *hit_value(const struct hit *hit, char *out, size_t len);

#endif /* PERF_GPUBP_SHOW_H */
