// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp list: devices, events that they serve, names of running processes.
 */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <subcmd/parse-options.h>
#include "symmap.h"
#include "sysfile.h"
#include "verb.h"

/* files of caps/, one value a device each */
static const struct {
	const char *file;
	const char *title;
	int width;
} columns[] = {
	{ "devices", "DEVICE", 6 }, { "names", "NAME", 13 }, { "isas", "ISA", 7 },
	{ "slots", "COMPARATORS", 11 }, { "granule", "GRANULE", 7 },
	{ "precise", "PRECISE", 7 }, { "exceptions", "EXCEPTIONS", 10 },
	{ "paths", "PATHS", 0 },
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static void line_print(const char * const *words)
{
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++)
		printf("%-*s%c", columns[i].width, words[i],
		       i + 1 < NR_COLUMNS ? ' ' : '\n');
}

static void title_print(void)
{
	const char *words[NR_COLUMNS];
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++)
		words[i] = columns[i].title;
	line_print(words);
}

static bool device_print(char texts[][SYS_FILE_MAX], unsigned int n)
{
	char words[NR_COLUMNS][64];
	const char *line[NR_COLUMNS];
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (!sys_word(texts[i], n, words[i], sizeof(words[i])) && !i)
			return false;
		line[i] = words[i];
	}
	line_print(line);
	return true;
}

static int list_devices(void)
{
	static char texts[NR_COLUMNS][SYS_FILE_MAX];
	char path[128];
	unsigned int n;
	size_t i;

	if (!sys_exists("", SYS_PMU))
		return complain("gpubp is not loaded: see perf-gpubp doctor");
	for (i = 0; i < NR_COLUMNS; i++) {
		snprintf(path, sizeof(path), SYS_PMU "/caps/%s", columns[i].file);
		sys_read("", path, texts[i]);
	}
	title_print();
	for (n = 0; device_print(texts, n); n++)
		;
	return EXIT_OK;
}

static int is_event(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void event_print(const char *name)
{
	char path[384], terms[SYS_FILE_MAX];

	snprintf(path, sizeof(path), SYS_PMU "/events/%s", name);
	if (sys_read("", path, terms) > 0)
		printf("gpubp/%s/%*s%s\n", name,
		       (int)(strlen(name) < 20 ? 20 - strlen(name) : 1), "", terms);
}

static int list_events(void)
{
	struct dirent **entries;
	int i, n = scandir(SYS_PMU "/events", &entries, is_event, alphasort);

	if (n < 0)
		return complain("gpubp is not loaded: see perf-gpubp doctor");
	for (i = 0; i < n; i++) {
		event_print(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return EXIT_OK;
}

/* a process may call itself what the terminal would execute */
static void make_harmless(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = '?';
}

static void names_print(uint32_t pid, const char *comm)
{
	struct symmap map;
	struct grun_err err;
	size_t i;

	if (symmap_read_process(&map, pid, &err))
		return;
	for (i = 0; i < map.nr; i++)
		printf("%-8u %-16s %#-18" PRIx64 " %-12" PRIu64 " %s\n", pid, comm,
		       map.syms[i].start, map.syms[i].size, map.syms[i].name);
	symmap_free(&map);
}

/* of a process that exists */
static void names_list(uint32_t pid, const char *path, void *data)
{
	char file[64], comm[SYS_FILE_MAX];

	snprintf(file, sizeof(file), "/proc/%u/comm", pid);
	if (sys_read("", file, comm) <= 0)
		return;
	make_harmless(comm);
	names_print(pid, comm);
}

static int list_names(void)
{
	printf("%-8s %-16s %-18s %-12s %s\n", "PID", "COMMAND", "ADDRESS",
	       "BYTES", "NAME");
	symmap_each_process("", names_list, NULL);
	return EXIT_OK;
}

int verb_list(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp list [devices|events|names]", NULL
	};
	static const struct {
		const char *what;
		int (*list)(void);
	} lists[] = {
		{ "devices", list_devices }, { "events", list_events },
		{ "names", list_names },
	};
	const struct option options[] = { OPT_END() };
	int i, ret = EXIT_OK;

	argc = parse_options(argc, argv, options, usage, 0);
	for (i = 0; i < 3 && !argc && !ret; i++) {
		if (i)
			putchar('\n');
		ret = lists[i].list();
	}
	for (i = 0; i < 3 && argc == 1; i++)
		if (!strcmp(argv[0], lists[i].what))
			return lists[i].list();
	if (argc)
		return misuse("list takes one of devices, events, names");
	return ret;
}
