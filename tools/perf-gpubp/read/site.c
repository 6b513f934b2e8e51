// SPDX-License-Identifier: GPL-2.0
/*
 * Places in programs on the CPU.
 */
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "intern.h"
#include "lines.h"
#include "site.h"

#define FRAME_MAX	512

/**
 * struct frame - one that was looked up
 * @text: as recorded
 * @line: "model.cc:41", "" it has none
 */
struct frame {
	const char *text;
	char line[FRAME_MAX];
};

/**
 * struct program - a file that was looked into
 * @path: it
 * @lines: its lines, NULL none
 */
struct program {
	const char *path;
	struct lines *lines;
};

static int frame_compare(const void *a, const void *b)
{
	return strcmp(((const struct frame *)a)->text, ((const struct frame *)b)->text);
}

static int program_compare(const void *a, const void *b)
{
	return strcmp(((const struct program *)a)->path, ((const struct program *)b)->path);
}

/* files that have none are not opened again, either */
static struct lines *program_lines(const char *path)
{
	static void *programs;
	struct program key = { .path = path }, *program;
	struct program *const *found = tfind(&key, &programs, program_compare);

	if (found)
		return (*found)->lines;
	program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->path = intern(path);
	program->lines = path[0] == '/' ? lines_open(path) : NULL;
	if (!tsearch(program, &programs, program_compare))
		program->path = NULL;
	return program->lines;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void frame_look_up(struct frame *frame)
{
	char path[FRAME_MAX];
	const char *plus = strrchr(frame->text, '+');
	struct line line;
	uint64_t pc;
	int end = 0;

	if (!plus || plus - frame->text >= (int)sizeof(path) ||
	    sscanf(plus, "+0x%" SCNx64 "%n", &pc, &end) != 1 || plus[end])
		return;
	snprintf(path, sizeof(path), "%.*s", (int)(plus - frame->text), frame->text);
	if (lines_find(program_lines(path), pc, &line))
		snprintf(frame->line, sizeof(frame->line), "%s:%d",
			 base_name(line.file), line.line);
}

/* "model.cc:41", or "" */
static const char *frame_line(const char *text)
{
	static void *frames;
	struct frame key = { .text = text }, *frame;
	struct frame *const *found = tfind(&key, &frames, frame_compare);

	if (found)
		return (*found)->line;
	frame = calloc(1, sizeof(*frame));
	if (!frame)
		return "";
	frame->text = intern(text);
	frame_look_up(frame);
	return tsearch(frame, &frames, frame_compare) ? frame->line : "";
}

/* @between two frames; @whole: those without a line have their whole path */
static const char *frames_text(const char *frames, const char *between, bool whole,
			       bool all, char *out, size_t len)
{
	char frame[FRAME_MAX];
	const char *line;
	size_t at = 0, n;

	out[0] = '\0';
	do {
		n = strcspn(frames, "\t");
		snprintf(frame, sizeof(frame), "%.*s", (int)n, frames);
		line = frame_line(frame);
		if (!line[0])
			line = whole ? frame : base_name(frame);
		at += (size_t)snprintf(out + at, len - at, "%s%s", at ? between : "",
				       line);
		frames += n + (frames[n] == '\t');
	} while (all && *frames && at < len);
	return out;
}

const char *site_text(const char *frames, bool all, char *out, size_t len)
{
	return frames_text(frames, " < ", false, all, out, len);
}

const char *site_resolve(const char *frames, char *out, size_t len)
{
	return frames_text(frames, "\t", true, true, out, len);
}
