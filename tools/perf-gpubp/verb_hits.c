// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp report and dump: the hits of a recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <subcmd/parse-options.h>
#include "show.h"
#include "verb.h"

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
static int read_map(const char *map, struct show *show, struct perf_err *err)
{
	char path[32];

	if (map)
		return symmap_read(&show->map, map, err);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map",
		 hits_first_pid(&show->hits));
	symmap_read(&show->map, path, err);
	return 0;
}

static int show_file(const char *data, const char *map, struct show *show,
		     void (*print)(const struct show *show))
{
	struct perf_err err;

	if (read_hits(data, &show->hits, &err))
		return complain("%s: %s", data, err.text);
	if (read_map(map, show, &err))
		return complain("%s", err.text);
	print(show);
	return EXIT_OK;
}

static int verb_show(int argc, const char **argv, const char * const *usage,
		     void (*print)(const struct show *show))
{
	const char *map = NULL, *code = NULL;
	struct show show = {};
	struct grun_err why;
	const struct option options[] = {
		OPT_STRING('c', "code", &code, "CODE.elf",
			   "code object: adds addresses in it and global ids"),
		OPT_STRING('m', "map", &map, "FILE",
			   "names of kernels and buffers; default: /tmp/perf-PID.map"),
		OPT_END()
	};
	int ret;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc > 1)
		return misuse("one recording at a time");
	if (code && grun_code_open(&show.code, code, &why))
		return complain("%s", why.text);
	ret = show_file(argc ? argv[0] : "perf.data", map, &show, print);
	symmap_free(&show.map);
	hits_free(&show.hits);
	grun_code_free(show.code);
	return ret;
}

int verb_report(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp report [<options>] [perf.data]", NULL
	};

	return verb_show(argc, argv, usage, show_report);
}

int verb_dump(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp dump [<options>] [perf.data]", NULL
	};

	return verb_show(argc, argv, usage, show_dump);
}
