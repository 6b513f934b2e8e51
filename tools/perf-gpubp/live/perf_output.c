// SPDX-License-Identifier: GPL-2.0
/*
 * Options of perf record, as far as it has to be known which words are values: those of
 * perf 6.1 to 7.2. What perf refuses need not be understood: then it has not written.
 */
#include <stdbool.h>
#include <string.h>
#include "perf_output.h"

/* what follows in the same word is the value, or else the next word is */
#define SHORT_VALUE	"eptrCcoFmGDujk"
/* ... or else there is no value */
#define SHORT_OPTIONAL	"ISz"

static const char * const long_value[] = {
	"affinity", "branch-filter", "call-graph", "cgroup", "clang-opt", "clang-path",
	"clockid", "control", "count", "cpu", "delay", "event", "filter", "freq",
	"max-size", "mmap-flush", "mmap-pages", "num-thread-synthesize",
	"off-cpu-thresh", "output", "pfm-events", "pid", "proc-map-timeout", "realtime",
	"setup-filter", "switch-max-files", "switch-output-event", "synth", "tid", "uid",
	"vmlinux",
};

/* what is the begin of a longer one, and has no value, or one behind an = */
static const char * const long_alone[] = { "off-cpu", "switch-output" };

static const char *next_word(const char *const **args)
{
	return **args ? *(*args)++ : NULL;
}

/* any begin of a name that is not also that of another one will do */
static const char *long_name(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(long_alone) / sizeof(long_alone[0]); i++)
		if (len == strlen(long_alone[i]) && !strncmp(word, long_alone[i], len))
			return NULL;
	for (i = 0; i < sizeof(long_value) / sizeof(long_value[0]); i++)
		if (!strncmp(word, long_value[i], len))
			return long_value[i];
	return NULL;
}

/**
 * struct wanted - an option that is looked for
 * @letter: its letter
 * @name: its name
 * @value: its last value, NULL none
 */
struct wanted {
	char letter;
	const char *name;
	const char *value;
};

/* --NAME VALUE, --NAME=VALUE, --no-NAME */
static void take_long(const char *word, const char *const **args, struct wanted *wanted)
{
	const char *equals = strchr(word, '='), *value;
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const char *name = long_name(word, len);

	if (!strncmp(word, "no-", 3) && !strcmp(word + 3, wanted->name))
		wanted->value = NULL;
	if (!name)
		return;
	value = equals ? equals + 1 : next_word(args);
	if (!strcmp(name, wanted->name))
		wanted->value = value;
}

/* several letters, of which the last one may have a value */
static void take_short(const char *letter, const char *const **args,
		       struct wanted *wanted)
{
	const char *value;

	while (*letter && !strchr(SHORT_VALUE SHORT_OPTIONAL, *letter))
		letter++;
	if (!*letter || strchr(SHORT_OPTIONAL, *letter))
		return;
	value = letter[1] ? letter + 1 : next_word(args);
	if (*letter == wanted->letter)
		wanted->value = value;
}

/* the command begins at the first word that is no option, or behind "--" */
static const char *option_value(const char *const *args, char letter, const char *name)
{
	struct wanted wanted = { .letter = letter, .name = name };
	const char *word;

	while ((word = next_word(&args)) && word[0] == '-' && word[1] &&
	       strcmp(word, "--") != 0)
		if (word[1] == '-')
			take_long(word + 2, &args, &wanted);
		else
			take_short(word + 1, &args, &wanted);
	return wanted.value;
}

const char *perf_output(const char *const *args)
{
	return option_value(args, 'o', "output");
}

const char *perf_pids(const char *const *args)
{
	return option_value(args, 'p', "pid");
}
