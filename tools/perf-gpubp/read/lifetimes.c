// SPDX-License-Identifier: GPL-2.0
/*
 * Names with their times.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "intern.h"
#include "internal.h"
#include "lifetimes_index.h"

#define BUCKETS		4096

/**
 * struct name_record - a line
 * @time: when
 * @nr: number of the line: names that were given at once keep their order
 * @sym: name and range; no bytes: the name is withdrawn
 * @context: that has it, 0 all
 * @site: where
 */
struct name_record {
	uint64_t time;
	size_t nr;
	struct sym sym;
	uint32_t context;
	const char *site;
};

/**
 * struct log - the lines of a file
 * @records: in the order of their times
 * @nr: entries of @records
 */
struct log {
	struct name_record *records;
	size_t nr;
};

static int by_time(const void *a, const void *b)
{
	const struct name_record *x = a, *y = b;

	if (x->time != y->time)
		return (x->time > y->time) - (x->time < y->time);
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static bool text_is_printable(const char *text)
{
	while (*text && (!iscntrl((unsigned char)*text) || *text == '\t'))
		text++;
	return !*text;
}

/* of "@5 ..."; NULL: that is no number */
static char *context_parse(struct name_record *record, char *text)
{
	unsigned long number;
	char *end = text;

	record->context = 0;
	if (*text != '@')
		return text;
	number = isdigit((unsigned char)text[1]) ? strtoul(text + 1, &end, 10) : 0;
	record->context = (uint32_t)number;
	return number && number <= UINT32_MAX ? end : NULL;
}

/* @site is in @line */
static bool record_parse(struct name_record *record, char *line)
{
	char *name, *site;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNx64 "%n", &record->time,
		   &record->sym.start, &record->sym.size, &at) < 3)
		return false;
	name = context_parse(record, line + at);
	if (!name || *name++ != ' ' || !text_is_printable(line))
		return false;
	site = strchr(name, '\t');
	if (!site || site == name || record->sym.start + record->sym.size < record->sym.start)
		return false;
	*site++ = '\0';
	snprintf(record->sym.name, sizeof(record->sym.name), "%s", name);
	record->site = site;
	return true;
}

static int log_add(struct log *log, const struct name_record *record)
{
	struct name_record *grown = log->records;

	if (!(log->nr & (log->nr - 1)))
		grown = realloc(grown, (log->nr ? 2 * log->nr : 1) * sizeof(*grown));
	if (!grown)
		return -1;
	log->records = grown;
	log->records[log->nr] = *record;
	log->records[log->nr].nr = log->nr;
	log->records[log->nr].site = intern(record->site);
	log->nr++;
	return 0;
}

uint64_t lifetimes_rest(FILE *file, char line[NAME_LINE_MAX])
{
	struct name_record record, first = { .time = UINT64_MAX };
	char copy[NAME_LINE_MAX], next[NAME_LINE_MAX];

	while (fgets(next, sizeof(next), file)) {
		strcpy(copy, next);
		if (!record_parse(&record, copy) || record.time >= first.time)
			continue;
		first.time = record.time;
		strcpy(line, next);
	}
	return first.time;
}

static int log_read(struct log *log, FILE *file)
{
	struct name_record record;
	char line[NAME_LINE_MAX];
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < NAME_RECORDS_MAX && fgets(line, sizeof(line), file); i++)
		if (record_parse(&record, line))
			ret = log_add(log, &record);
	if (log->nr)
		qsort(log->records, log->nr, sizeof(*log->records), by_time);
	return ret;
}

/**
 * struct valid - names that are valid while the records pass by
 * @heads: of lists by hash of the name: entries + 1, 0 none
 * @next: the next one in the list, likewise
 */
struct valid {
	size_t heads[BUCKETS];
	size_t *next;
};

static size_t *valid_head(struct valid *valid, const char *name)
{
	return &valid->heads[gpubp_name_hash(name) % BUCKETS];
}

/* @addr: only those that begin there; 0: all of this name of the context */
static bool valid_end(struct lifetimes *lives, struct valid *valid,
		      const struct name_record *record, uint64_t addr)
{
	size_t *at = valid_head(valid, record->sym.name);
	struct lifetime *life;
	bool found = false;

	while (*at) {
		life = &lives->list[*at - 1];
		if (life->context != record->context ||
		    strcmp(life->sym.name, record->sym.name) ||
		    (addr && life->sym.start != addr)) {
			at = &valid->next[*at - 1];
			continue;
		}
		life->until = record->time;
		life->withdrawn_at = record->site;
		*at = valid->next[*at - 1];
		found = true;
	}
	return found;
}

static void lifetime_begin(struct lifetimes *lives, struct valid *valid,
			   const struct name_record *record)
{
	size_t *head = valid_head(valid, record->sym.name);

	lives->list[lives->nr] = (struct lifetime) {
		.sym = record->sym, .context = record->context,
		.from = record->time, .until = UINT64_MAX,
		.named_at = record->site, .withdrawn_at = "",
	};
	lives->by_context |= record->context;
	valid->next[lives->nr] = *head;
	*head = ++lives->nr;
}

/* a name is withdrawn where it is said to be; elsewhere, if it is not there */
static int lifetimes_build(struct lifetimes *lives, const struct log *log)
{
	struct valid *valid = calloc(1, sizeof(*valid));
	size_t i;

	lives->list = calloc(log->nr + 1, sizeof(*lives->list));
	lives->parts = calloc(log->nr + 1, sizeof(*lives->parts));
	if (valid)
		valid->next = calloc(log->nr + 1, sizeof(*valid->next));
	if (!lives->list || !lives->parts || !valid || !valid->next)
		goto out;
	for (i = 0; i < log->nr; i++) {
		const struct name_record *record = &log->records[i];

		if (record->sym.size)
			lifetime_begin(lives, valid, record);
		else if (!valid_end(lives, valid, record, record->sym.start))
			valid_end(lives, valid, record, 0);
	}
	lifetimes_index(lives);
	i = SIZE_MAX;
out:
	if (valid)
		free(valid->next);
	free(valid);
	return i == SIZE_MAX ? 0 : -1;
}

int lifetimes_read(struct lifetimes *lives, FILE *file, struct grun_err *err)
{
	char header[sizeof(GRUN_NAMES_HEADER) + 1], rest[NAME_LINE_MAX];
	struct log log = {};
	int ret;

	memset(lives, 0, sizeof(*lives));
	if (!fgets(header, sizeof(header), file) ||
	    strcmp(header, GRUN_NAMES_HEADER "\n"))
		return 1;
	ret = log_read(&log, file) || lifetimes_build(lives, &log);
	lives->missing_from = lifetimes_rest(file, rest);
	lives->is_cut = lives->missing_from != UINT64_MAX;
	free(log.records);
	if (!ret)
		return 0;
	lifetimes_free(lives);
	return grun_fail(err, -1, "out of memory");
}

void lifetimes_free(struct lifetimes *lives)
{
	free(lives->list);
	free(lives->parts);
	memset(lives, 0, sizeof(*lives));
}

enum name_state lifetime_state(const struct lifetime *life, uint64_t time)
{
	if (life->from > time)
		return NAME_LATER;
	return life->until > time ? NAME_VALID : NAME_ENDED;
}

static bool lives_are_missing(const struct lifetimes *lives, uint64_t time)
{
	return lives->is_cut && time >= lives->missing_from;
}

const struct lifetime *lifetimes_find(const struct lifetimes *lives, uint32_t context,
				      uint64_t addr, uint64_t time,
				      enum name_state *state)
{
	const struct lifetime *best = NULL;

	if (lives_are_missing(lives, time)) {
		*state = NAME_MISSING;
		return NULL;
	}
	for (*state = NAME_VALID; *state > NAME_NONE; --*state) {
		best = lifetimes_best(lives, context, addr, time, *state);
		if (best)
			break;
	}
	return best;
}

unsigned int lifetimes_period(const struct lifetimes *lives, uint32_t context,
			      uint64_t addr, uint64_t time)
{
	enum name_state state;
	const struct lifetime *now = lifetimes_find(lives, context, addr, time, &state);

	if (state <= NAME_LATER)
		return 0;
	return 2 * (unsigned int)lifetimes_count(lives, context, addr, now->from) +
	       (state == NAME_ENDED);
}

int lifetimes_at(const struct lifetimes *lives, uint32_t context, uint64_t time,
		 struct symmap *map)
{
	size_t i, end;

	memset(map, 0, sizeof(*map));
	i = lifetimes_context(lives, context, &end);
	for (; i < end && !lives_are_missing(lives, time); i++)
		if (lifetime_state(&lives->list[i], time) == NAME_VALID &&
		    symmap_add(map, &lives->list[i].sym))
			return -1;
	return 0;
}

/* those of one range, in any context, by time */
static int by_range(const void *a, const void *b)
{
	const struct lifetime *x = *(const struct lifetime *const *)a;
	const struct lifetime *y = *(const struct lifetime *const *)b;

	if (x->sym.start != y->sym.start)
		return x->sym.start < y->sym.start ? -1 : 1;
	if (x->sym.size != y->sym.size)
		return x->sym.size > y->sym.size ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x < y ? -1 : x > y;
}

int lifetimes_ranges(const struct lifetimes *lives, struct symmap *map)
{
	const struct lifetime **list = calloc(lives->nr + 1, sizeof(*list));
	const struct sym *sym, *next;
	size_t i;
	int ret = list ? 0 : -1;

	memset(map, 0, sizeof(*map));
	for (i = 0; list && i < lives->nr; i++)
		list[i] = &lives->list[i];
	if (list)
		qsort(list, lives->nr, sizeof(*list), by_range);
	for (i = 0; !ret && i < lives->nr; i++) {
		sym = &list[i]->sym;
		next = i + 1 < lives->nr ? &list[i + 1]->sym : NULL;
		if (!next || next->start != sym->start || next->size != sym->size)
			ret = symmap_add(map, sym);
	}
	free(list);
	return ret;
}
