// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp: what stock perf does not show of gpubp's samples.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "events.h"
#include "show.h"

enum {
	EXIT_OK = 0,
	EXIT_INPUT = 2,
};

struct options {
	const char *map;
	const char *code;
	const char *data;
	void (*verb)(const struct show *show);	/* NULL: events */
};

#define EVENTS	"/sys/kernel/debug/gpubp/events"

static const char help[] =
"usage: perf-gpubp report [OPTION]... [perf.data]\n"
"       perf-gpubp dump [OPTION]... [perf.data]\n"
"       perf-gpubp events [FILE]\n"
"\n"
"Decode the hits that \"perf record -R -e gpubp/.../\" recorded, or show what\n"
"events exist.\n"
"\n"
"  report               a paragraph for each instruction that hit\n"
"  dump                 a line for each hit\n"
"  events               a line for each event that is open: the share of time and\n"
"                       of quanta that its watches were armed, the longest gap,\n"
"                       hits and strays; default: " EVENTS "\n"
"\n"
"  -m, --map FILE       names of kernels and buffers; default: /tmp/perf-PID.map\n"
"                       of the first hit's process\n"
"  -c, --code CODE.elf  code object: adds addresses in it and global ids\n"
"  -h, --help\n"
"\n"
"exit status: 0 success; 2 wrong command line or file\n";

static int complain(const char *file, const char *text)
{
	fprintf(stderr, "perf-gpubp: %s%s%s\n", file, file[0] ? ": " : "", text);
	return EXIT_INPUT;
}

static bool parse_verb(struct options *opt, const char *verb)
{
	if (!strcmp(verb, "report"))
		opt->verb = show_report;
	else if (!strcmp(verb, "dump"))
		opt->verb = show_dump;
	else if (strcmp(verb, "events"))
		return false;
	opt->data = opt->verb ? "perf.data" : EVENTS;
	return true;
}

static bool parse_options(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "map", required_argument, NULL, 'm' },
		{ "code", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int c;

	while ((c = getopt_long(argc, argv, "m:c:h", longs, NULL)) != -1) {
		if (c == 'm') {
			opt->map = optarg;
		} else if (c == 'c') {
			opt->code = optarg;
		} else if (c == 'h') {
			fputs(help, stdout);
			exit(EXIT_OK);
		} else {
			return false;
		}
	}
	if (optind == argc || !parse_verb(opt, argv[optind++]))
		return false;
	if (optind < argc)
		opt->data = argv[optind++];
	return optind == argc;
}

static int map_file(const char *path, void **image, size_t *size,
		    struct perf_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return perf_fail(err, "%s", strerror(errno));
	*image = MAP_FAILED;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		*size = (size_t)st.st_size;
		*image = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return *image == MAP_FAILED ? perf_fail(err, "empty, or not a file") : 0;
}

static int read_hits(const char *path, struct hits *hits, struct perf_err *err)
{
	struct perf_file file;
	size_t size = 0;
	void *image;
	int ret;

	if (map_file(path, &image, &size, err))
		return -1;
	ret = perf_file_open(&file, image, size, err);
	if (!ret) {
		ret = hits_read(hits, &file, err);
		perf_file_close(&file);
	}
	munmap(image, size);
	return ret;
}

/* without a map addresses stay numbers, unless one was asked for */
static int read_map(const struct options *opt, struct show *show,
		    struct perf_err *err)
{
	char path[32];

	if (opt->map)
		return symmap_read(&show->map, opt->map, err);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map",
		 hits_first_pid(&show->hits));
	symmap_read(&show->map, path, err);
	return 0;
}

static int list_events(const char *path)
{
	FILE *in = fopen(path, "re");

	if (!in)
		return complain(path, strerror(errno));
	events_show(in, stdout);
	fclose(in);
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	struct options opt = {};
	struct show show = {};
	struct perf_err err;
	struct grun_err why;
	int ret = EXIT_OK;

	if (!parse_options(&opt, argc, argv))
		return complain("", "wrong usage, see perf-gpubp --help");
	if (!opt.verb)
		return list_events(opt.data);
	if (opt.code && grun_code_open(&show.code, opt.code, &why))
		return complain("", why.text);
	if (read_hits(opt.data, &show.hits, &err))
		ret = complain(opt.data, err.text);
	else if (read_map(&opt, &show, &err))
		ret = complain("", err.text);
	else
		opt.verb(&show);
	symmap_free(&show.map);
	hits_free(&show.hits);
	grun_code_free(show.code);
	return ret;
}
