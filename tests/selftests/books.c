// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "books.h"
#include "event.h"

#define ROOT	"/sys/kernel/debug/gpubp/"
#define POLLS_A_SECOND	50

static char books[64] = ROOT "gpubp_sim0/books";
static char state[64] = ROOT "gpubp_sim0/state";
static char sim[64] = "/sys/kernel/debug/gpubp_sim0/counters";

void books_of(unsigned int nr)
{
	char name[32];

	snprintf(name, sizeof(name), "gpubp_sim%u", nr);
	books_of_name(name);
	snprintf(sim, sizeof(sim), "/sys/kernel/debug/%s/counters", name);
}

void books_of_name(const char *name)
{
	snprintf(books, sizeof(books), ROOT "%s/books", name);
	snprintf(state, sizeof(state), ROOT "%s/state", name);
	sim[0] = '\0';
}

int books_agent_name(unsigned int device, char name[64])
{
	FILE *file = fopen("/sys/kernel/debug/gpubp_agents", "re");
	char line[256];
	unsigned int nr;
	int err = -ENOENT;

	while (file && err && fgets(line, sizeof(line), file))
		if (sscanf(line, "device %u %63s ", &nr, name) == 2 && nr == device)
			err = 0;
	if (file)
		fclose(file);
	return err;
}

void books_of_none(void)
{
	books[0] = '\0';
	state[0] = '\0';
	sim[0] = '\0';
}

/* call @fn for each "name value" line; -1 if the file does not exist */
static int for_each_line(const char *path,
			 void (*fn)(const char *name, const char *value, void *arg),
			 void *arg)
{
	char name[64], value[64];
	FILE *file = fopen(path, "re");

	if (!file)
		return -1;
	while (fscanf(file, " %63s %63[^\n]", name, value) == 2)
		fn(name, value, arg);
	fclose(file);
	return 0;
}

struct query {
	const char *name;
	int64_t value;
};

static void answer(const char *name, const char *value, void *arg)
{
	struct query *query = arg;

	if (!strcmp(name, query->name))
		query->value = strtoll(value, NULL, 0);
}

static int64_t look_up(const char *path, const char *name)
{
	struct query query = { name, -1 };

	for_each_line(path, answer, &query);
	return query.value;
}

int64_t books_get(const char *name)
{
	return look_up(books, name);
}

int64_t books_strays(void)
{
	return books_get("stray_bytes") + books_get("stray_filtered");
}

int64_t books_state(const char *name)
{
	return state[0] ? look_up(state, name) : 0;
}

int64_t books_checks(void)
{
	return books_get("checked") + books_get("differed");
}

/*
 * Without messages that were lost before the driver and not found by its sweep
 * either, but with strays and recorded hits, of which the handler sent none.
 */
int64_t books_raised(void)
{
	if (!sim[0])
		return books_get("raised") - books_checks();
	return books_get("stray_filtered") + books_state("recorded") +
	       look_up(sim, "raised") - look_up(sim, "lost") +
	       look_up(sim, "swept") - books_checks();
}

int64_t books_device(const char *name)
{
	return look_up(sim, name);
}

static void count_event(const char *name, const char *value, void *arg)
{
	(void)value;
	*(int *)arg += !strcmp(name, "event");
}

int books_events(void)
{
	int n = 0;

	return for_each_line(ROOT "events", count_event, &n) ?: n;
}

int books_break_error(uint64_t pc)
{
	char line[512], key[64];
	int err = 1;
	char *at;
	FILE *file = fopen(ROOT "events", "re");

	if (!file)
		return 1;
	snprintf(key, sizeof(key), "key %#llx ", (unsigned long long)pc);
	while (fgets(line, sizeof(line), file)) {
		at = strstr(line, " err ");
		if (at && strstr(line, key))
			err = atoi(at + 5);
	}
	fclose(file);
	return err;
}

struct sum {
	int64_t raised;
	int64_t booked;
};

static void add(const char *name, const char *value, void *arg)
{
	int64_t n = strtoll(value, NULL, 10);
	struct sum *sum = arg;

	if (!strcmp(name, "raised"))
		sum->raised += n;
	else if (!strcmp(name, "checked") || !strcmp(name, "differed"))
		sum->raised -= n;
	else
		sum->booked += n;
}

static bool balanced(void)
{
	struct sum sum = {};

	if (!books[0])
		return true;
	/* read the device first: hits raised from now on must not matter */
	int64_t raised = books_raised();

	for_each_line(books, add, &sum);
	return sum.raised == sum.booked &&
	       raised == sum.raised && !books_state("cells_in_use");
}

static bool idle(void)
{
	if (!balanced() || books_events())
		return false;
	return !books[0] || (!books_state("watches") && !books_state("breaks"));
}

static bool poll_for(bool (*fn)(void), int seconds)
{
	int n;

	for (n = 0; n < seconds * POLLS_A_SECOND; n++) {
		if (fn())
			return true;
		usleep(1000000 / POLLS_A_SECOND);
	}
	return fn();
}

bool books_settle(int seconds)
{
	return poll_for(balanced, seconds);
}

int64_t books_count(int fd, int seconds)
{
	return books_settle(seconds) ? event_count(fd) : -1;
}

bool books_idle(int seconds)
{
	return poll_for(idle, seconds);
}

bool books_wait_none(const char *name, int seconds)
{
	int ms;

	for (ms = 0; books_state(name) && ms < seconds * 1000; ms += 5)
		usleep(5000);
	return !books_state(name);
}

static void print_line(const char *name, const char *value, void *arg)
{
	printf("# %s%s %s\n", (const char *)arg, name, value);
}

void books_print(void)
{
	for_each_line(sim, print_line, "device: ");
	for_each_line(books, print_line, "books: ");
	for_each_line(state, print_line, "state: ");
	for_each_line(ROOT "events", print_line, "events: ");
}
