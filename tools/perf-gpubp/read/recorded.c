// SPDX-License-Identifier: GPL-2.0
/*
 * Names in a recording: "process PID BYTES" lines, each with so many bytes of a file
 * of names behind it, and at the end of the file struct recorded_end.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "hits.h"
#include "internal.h"
#include "lifetimes.h"
#include "perf_data.h"
#include "recorded.h"
#include "site.h"

#define RECORDED_MAGIC	"gpubpNM1"
#define RECORDED_MAX	(1ULL << 30)

/**
 * struct recorded_end - the last bytes of a recording with names
 * @magic: RECORDED_MAGIC
 * @size: bytes of names in front of it
 */
struct recorded_end {
	char magic[8];
	uint64_t size;
};

/* where the names begin; the end of the file if there are none; -1: no such file */
static off_t recorded_start(FILE *file, struct recorded_end *end)
{
	struct stat st;

	memset(end, 0, sizeof(*end));
	if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode))
		return -1;
	if (pread(fileno(file), end, sizeof(*end),
		  st.st_size - (off_t)sizeof(*end)) == sizeof(*end) &&
	    !memcmp(end->magic, RECORDED_MAGIC, sizeof(end->magic)) &&
	    end->size < RECORDED_MAX &&
	    end->size + sizeof(*end) <= (uint64_t)st.st_size)
		return st.st_size - (off_t)(sizeof(*end) + end->size);
	memset(end, 0, sizeof(*end));
	return st.st_size;
}

void recorded_read(struct recorded *recorded, const char *path)
{
	struct recorded_end end;
	struct stat st;
	off_t start;
	FILE *file;

	memset(recorded, 0, sizeof(*recorded));
	local_names_init(&recorded->local, path);
	/* a pipe is opened once only */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	file = fopen(path, "re");
	if (!file)
		return;
	start = recorded_start(file, &end);
	if (start > 0 && end.size)
		recorded->text = malloc(end.size);
	if (recorded->text &&
	    pread(fileno(file), recorded->text, end.size, start) == (ssize_t)end.size)
		recorded->len = end.size;
	fclose(file);
}

void recorded_free(struct recorded *recorded)
{
	free(recorded->text);
	memset(recorded, 0, sizeof(*recorded));
}

/* the next process at *@at, which then is behind its names; false at the end */
static bool recorded_next(const struct recorded *recorded, size_t *at, uint32_t *pid,
			  size_t *start, size_t *len)
{
	size_t left = recorded->len - *at;
	char line[64];
	int end = 0;

	snprintf(line, sizeof(line), "%.*s", left < 63 ? (int)left : 63,
		 recorded->text + *at);
	if (!left || sscanf(line, "process %" SCNu32 " %zu%n", pid, len, &end) != 2 ||
	    line[end] != '\n' || *len > left - (size_t)end - 1)
		return false;
	*start = *at + (size_t)end + 1;
	*at = *start + *len;
	return true;
}

FILE *recorded_open(const struct recorded *recorded, uint32_t pid)
{
	size_t at = 0, start, len;
	uint32_t it;

	while (recorded->len && recorded_next(recorded, &at, &it, &start, &len))
		if (it == pid && len)
			return fmemopen(recorded->text + start, len, "r");
	return NULL;
}

/* ---- putting names into it -------------------------------------------------- */

/* what is known of the program on the CPU is on this machine, too */
static void copy_line(const char *line, FILE *out)
{
	char sites[2 * GRUN_CALLSITE_MAX];
	const char *tab = strchr(line, '\t');

	if (!tab || !tab[1]) {
		fprintf(out, "%s\n", line);
		return;
	}
	fprintf(out, "%.*s\t%s\n", (int)(tab - line), line,
		site_resolve(tab + 1, sites, sizeof(sites)));
}

/* the header and all lines that are read, and of the rest the one that says when it begins */
static void copy_lines(FILE *in, FILE *out)
{
	char line[NAME_LINE_MAX];
	unsigned int i;

	for (i = 0; i <= NAME_RECORDS_MAX && fgets(line, sizeof(line), in); i++) {
		line[strcspn(line, "\n")] = '\0';
		copy_line(line, out);
	}
	if (lifetimes_rest(in, line) != UINT64_MAX) {
		line[strcspn(line, "\n")] = '\0';
		copy_line(line, out);
	}
}

/* true if the process has names */
static bool copy_process(const struct local_names *local, uint32_t pid, FILE *out)
{
	FILE *in = local_names_open(local, pid, GRUN_NAMES), *to;
	char *text = NULL;
	size_t len = 0;

	if (!in)
		in = local_names_open(local, pid, GRUN_PERF_MAP);
	to = in ? open_memstream(&text, &len) : NULL;
	if (to) {
		copy_lines(in, to);
		fclose(to);
	}
	if (in)
		fclose(in);
	if (len)
		fprintf(out, "process %u %zu\n", pid, len);
	fwrite(text, 1, len, out);
	free(text);
	return len;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/**
 * struct processes - those that have hits
 * @tree: of their numbers
 * @local: whose names are those of the recording
 * @out: where their names go
 * @nr: those with names
 */
struct processes {
	void *tree;
	const struct local_names *local;
	FILE *out;
	int nr;
};

static int processes_add(struct processes *processes, uint32_t pid)
{
	uint32_t *copy;

	if (tfind(&pid, &processes->tree, by_number))
		return 0;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -1;
	*copy = pid;
	if (!tsearch(copy, &processes->tree, by_number))
		return -1;
	processes->nr += copy_process(processes->local, pid,
				      processes->out);
	return 0;
}

static int processes_read(struct processes *processes, const char *path,
			  struct grun_err *err)
{
	struct hits *hits;
	struct hit hit;
	int ret;

	if (hits_open(&hits, path, true, err))
		return -1;
	while ((ret = hits_next(hits, &hit, err)) > 0)
		if (processes_add(processes, hit.pid)) {
			ret = grun_fail(err, -1, "out of memory");
			break;
		}
	hits_close(hits);
	tdestroy(processes->tree, free);
	return ret;
}

/* a recording of a pipe has no end */
static bool has_end(FILE *file)
{
	struct file_header hdr = {};

	return pread(fileno(file), &hdr, sizeof(hdr), 0) == sizeof(hdr) &&
	       !memcmp(hdr.magic, FILE_MAGIC, sizeof(hdr.magic)) &&
	       hdr.size == sizeof(hdr);
}

static int write_names(FILE *file, const char *text, size_t len,
		       struct grun_err *err)
{
	struct recorded_end end;
	off_t start = recorded_start(file, &end);

	if (len >= RECORDED_MAX)
		return grun_fail(err, -1, "more than %llu bytes", RECORDED_MAX);
	end = (struct recorded_end) { .magic = RECORDED_MAGIC, .size = len };
	if (start < 0 || ftruncate(fileno(file), start) ||
	    fseeko(file, start, SEEK_SET) || fwrite(text, 1, len, file) != len ||
	    fwrite(&end, sizeof(end), 1, file) != 1 || fflush(file))
		return grun_fail(err, -1, "%s", strerror(errno));
	return 0;
}

/* the names of all processes in the recording as one text */
static int collect_names(const char *path, const struct local_names *local,
			 char **text, size_t *len, struct grun_err *err)
{
	struct processes processes = {
		.local = local, .out = open_memstream(text, len),
	};
	int ret;

	if (!processes.out)
		return grun_fail(err, -1, "out of memory");
	ret = processes_read(&processes, path, err);
	fclose(processes.out);
	return ret ? -1 : processes.nr;
}

int recorded_append(const char *path, const struct local_names *local,
		    struct grun_err *err)
{
	FILE *file = fopen(path, "r+e");
	struct local_names now;
	char *text = NULL;
	size_t len = 0;
	int ret = 0;

	if (!file)
		return grun_fail(err, -1, "%s", strerror(errno));
	if (!local)
		local_names_init(&now, path);
	if (has_end(file))
		ret = collect_names(path, local ? local : &now, &text, &len, err);
	if (ret > 0 && write_names(file, text, len, err))
		ret = -1;
	fclose(file);
	free(text);
	return ret;
}
