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
#include "lifetimes.h"

#define BUCKETS		4096

/**
 * struct name_record - a line
 * @time: when
 * @nr: number of the line: names that were given at once keep their order
 * @sym: name and range; no bytes: the name is withdrawn
 * @site: where
 */
struct name_record {
	uint64_t time;
	size_t nr;
	struct sym sym;
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

static bool record_parse(struct name_record *record, char *line)
{
	char *name, *site;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNx64 "%n", &record->time,
		   &record->sym.start, &record->sym.size, &at) < 3 ||
	    line[at] != ' ' || !text_is_printable(line))
		return false;
	name = line + at + 1;
	site = strchr(name, '\t');
	if (!site || site == name || record->sym.start + record->sym.size < record->sym.start)
		return false;
	*site++ = '\0';
	snprintf(record->sym.name, sizeof(record->sym.name), "%s", name);
	record->site = intern(site);
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
	log->nr++;
	return 0;
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

/* @addr: only those that begin there; 0: all of this name */
static bool valid_end(struct lifetimes *lives, struct valid *valid,
		      const struct name_record *record, uint64_t addr)
{
	size_t *at = valid_head(valid, record->sym.name);
	struct lifetime *life;
	bool found = false;

	while (*at) {
		life = &lives->list[*at - 1];
		if (strcmp(life->sym.name, record->sym.name) ||
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
		.sym = record->sym, .from = record->time, .until = UINT64_MAX,
		.named_at = record->site, .withdrawn_at = "",
	};
	valid->next[lives->nr] = *head;
	*head = ++lives->nr;
}

static int by_place(const void *a, const void *b)
{
	const struct lifetime *x = a, *y = b;

	if (x->sym.start != y->sym.start)
		return (x->sym.start > y->sym.start) - (x->sym.start < y->sym.start);
	return (x->from > y->from) - (x->from < y->from);
}

static void lifetimes_sort(struct lifetimes *lives)
{
	uint64_t end = 0;
	size_t i;

	if (lives->nr)
		qsort(lives->list, lives->nr, sizeof(*lives->list), by_place);
	for (i = 0; i < lives->nr; i++) {
		if (lives->list[i].sym.start + lives->list[i].sym.size > end)
			end = lives->list[i].sym.start + lives->list[i].sym.size;
		lives->ends[i] = end;
	}
}

/* a name is withdrawn where it is said to be; elsewhere, if it is not there */
static int lifetimes_build(struct lifetimes *lives, const struct log *log)
{
	struct valid *valid = calloc(1, sizeof(*valid));
	size_t i;

	lives->list = calloc(log->nr + 1, sizeof(*lives->list));
	lives->ends = calloc(log->nr + 1, sizeof(*lives->ends));
	if (valid)
		valid->next = calloc(log->nr + 1, sizeof(*valid->next));
	if (!lives->list || !lives->ends || !valid || !valid->next)
		goto out;
	for (i = 0; i < log->nr; i++) {
		const struct name_record *record = &log->records[i];

		if (record->sym.size)
			lifetime_begin(lives, valid, record);
		else if (!valid_end(lives, valid, record, record->sym.start))
			valid_end(lives, valid, record, 0);
	}
	lifetimes_sort(lives);
	i = SIZE_MAX;
out:
	if (valid)
		free(valid->next);
	free(valid);
	return i == SIZE_MAX ? 0 : -1;
}

int lifetimes_read(struct lifetimes *lives, FILE *file, struct grun_err *err)
{
	char header[sizeof(GRUN_NAMES_HEADER) + 1];
	struct log log = {};
	int ret;

	memset(lives, 0, sizeof(*lives));
	if (!fgets(header, sizeof(header), file) ||
	    strcmp(header, GRUN_NAMES_HEADER "\n"))
		return 1;
	ret = log_read(&log, file) || lifetimes_build(lives, &log);
	free(log.records);
	if (!ret)
		return 0;
	lifetimes_free(lives);
	return grun_fail(err, -1, "out of memory");
}

void lifetimes_free(struct lifetimes *lives)
{
	free(lives->list);
	free(lives->ends);
	memset(lives, 0, sizeof(*lives));
}

/* entries that begin at or below @addr */
static size_t lifetimes_below(const struct lifetimes *lives, uint64_t addr)
{
	size_t low = 0, high = lives->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (lives->list[mid].sym.start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* the one with @addr before entry @i, NULL none; @i is that of the one found */
static const struct lifetime *lifetimes_prev(const struct lifetimes *lives,
					     uint64_t addr, size_t *i)
{
	while (*i && lives->ends[*i - 1] > addr) {
		const struct lifetime *life = &lives->list[--*i];

		if (addr - life->sym.start < life->sym.size)
			return life;
	}
	return NULL;
}

static enum name_state lifetime_state(const struct lifetime *life, uint64_t time)
{
	if (life->from > time)
		return NAME_LATER;
	return life->until > time ? NAME_VALID : NAME_ENDED;
}

/* is @a a better name than @b, which is in the same state? */
static bool lifetime_is_better(const struct lifetime *a, const struct lifetime *b,
			       enum name_state state)
{
	if (state == NAME_LATER)
		return a->from < b->from;
	if (state == NAME_ENDED && a->until != b->until)
		return a->until > b->until;
	return a->from > b->from;
}

const struct lifetime *lifetimes_find(const struct lifetimes *lives, uint64_t addr,
				      uint64_t time, enum name_state *state)
{
	const struct lifetime *life, *best = NULL;
	size_t i = lifetimes_below(lives, addr);
	enum name_state is;

	*state = NAME_NONE;
	while ((life = lifetimes_prev(lives, addr, &i))) {
		is = lifetime_state(life, time);
		if (is < *state || (is == *state &&
				    !lifetime_is_better(life, best, is)))
			continue;
		*state = is;
		best = life;
	}
	return best;
}

unsigned int lifetimes_period(const struct lifetimes *lives, uint64_t addr,
			      uint64_t time)
{
	enum name_state state;
	const struct lifetime *life, *now = lifetimes_find(lives, addr, time, &state);
	size_t i = lifetimes_below(lives, addr);
	unsigned int nr = state == NAME_ENDED;

	if (state <= NAME_LATER)
		return 0;
	while ((life = lifetimes_prev(lives, addr, &i)))
		nr += life->from <= now->from ? 2 : 0;
	return nr;
}

int lifetimes_at(const struct lifetimes *lives, uint64_t time,
		 struct symmap *map)
{
	size_t i;

	memset(map, 0, sizeof(*map));
	for (i = 0; i < lives->nr; i++)
		if (lifetime_state(&lives->list[i], time) == NAME_VALID &&
		    symmap_add(map, &lives->list[i].sym))
			return -1;
	return 0;
}
