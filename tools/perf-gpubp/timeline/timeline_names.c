// SPDX-License-Identifier: GPL-2.0
/*
 * Perf maps have as many lines as the process had names, and there are as many
 * questions as watches and dispatches. So the lines are read from the newest to the
 * oldest, each once, and each answers the questions in its range that have no answer:
 * those that have one are skipped, however many they are.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "timeline_names.h"

#define LINE_BYTES	256	/* what follows them is no name */

int timeline_names_ask(struct timeline_names *names, uint32_t pid, uint64_t addr)
{
	struct timeline_question *list = names->list;

	if (!(names->nr & (names->nr - 1)))
		list = realloc(list, (names->nr ? 2 * names->nr : 1) * sizeof(*list));
	if (!list)
		return -1;
	names->list = list;
	list[names->nr++] = (struct timeline_question){ .pid = pid, .addr = addr };
	return 0;
}

/* ---- order ---------------------------------------------------------------- */

static int question_compare(const void *a, const void *b)
{
	const struct timeline_question *p = a, *q = b;

	if (p->pid != q->pid)
		return p->pid < q->pid ? -1 : 1;
	return p->addr < q->addr ? -1 : p->addr > q->addr;
}

/* each question once */
static void questions_sort(struct timeline_names *names)
{
	size_t i, nr = 0;

	if (names->nr)
		qsort(names->list, names->nr, sizeof(*names->list), question_compare);
	for (i = 0; i < names->nr; i++)
		if (!i || question_compare(&names->list[i], &names->list[nr - 1]))
			names->list[nr++] = names->list[i];
	names->nr = nr;
}

/* the first one that is not below */
static size_t question_find(const struct timeline_names *names, uint32_t pid,
			    uint64_t addr)
{
	const struct timeline_question key = { .pid = pid, .addr = addr };
	size_t low = 0, high = names->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (question_compare(&names->list[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- answers -------------------------------------------------------------- */

/* a line alone: sscanf() of the map would read all that follows, for each line */
static bool line_read(const char *line, uint64_t *start, uint64_t *size,
		      char name[TIMELINE_NAME])
{
	size_t len = (size_t)(strchrnul(line, '\n') - line);
	char copy[LINE_BYTES];

	if (len >= sizeof(copy))
		len = sizeof(copy) - 1;
	memcpy(copy, line, len);
	copy[len] = 0;
	return sscanf(copy, "%" SCNx64 " %" SCNx64 " %63s", start, size, name) == 3;
}

/*
 * @next: of each question, one that is not behind the next one without an answer;
 *	paths are halved, so that few steps lead there
 */
static size_t question_open(struct timeline_names *names, size_t *next, size_t i)
{
	for (; next[i] != i; i = next[i]) {
		next[i] = next[next[i]];
		names->nr_looks++;
	}
	names->nr_looks++;
	return i;
}

static void line_answer(struct timeline_names *names, size_t *next, uint32_t pid,
			const char *line)
{
	char name[TIMELINE_NAME];
	uint64_t start, size;
	size_t i;

	if (!line_read(line, &start, &size, name))
		return;
	i = question_open(names, next, question_find(names, pid, start));
	while (i < names->nr && names->list[i].pid == pid &&
	       names->list[i].addr - start < size) {
		names->list[i].line = line;
		next[i] = i + 1;
		i = question_open(names, next, i);
	}
}

/* from the last line to the first one; what no newline ends is not complete */
static void text_answer(struct timeline_names *names, size_t *next,
			const struct timeline_text *text)
{
	const char *end = memrchr(text->text, '\n', strlen(text->text)), *before;

	for (; end; end = before) {
		before = memrchr(text->text, '\n', (size_t)(end - text->text));
		line_answer(names, next, text->pid, before ? before + 1 : text->text);
	}
}

int timeline_names_answer(struct timeline_names *names,
			  const struct timeline_raw *raw)
{
	size_t i, *next;

	questions_sort(names);
	next = malloc((names->nr + 1) * sizeof(*next));
	if (!next)
		return -1;
	for (i = 0; i <= names->nr; i++)
		next[i] = i;
	for (i = raw->nr_texts; i--;)
		if (raw->texts[i].pid)
			text_answer(names, next, &raw->texts[i]);
	free(next);
	return 0;
}

bool timeline_names_get(const struct timeline_names *names, uint32_t pid,
			uint64_t addr, uint64_t *start, char name[TIMELINE_NAME])
{
	size_t i = question_find(names, pid, addr);
	uint64_t size;

	return i < names->nr && names->list[i].pid == pid &&
	       names->list[i].addr == addr && names->list[i].line &&
	       line_read(names->list[i].line, start, &size, name);
}

void timeline_names_free(struct timeline_names *names)
{
	free(names->list);
	*names = (struct timeline_names){};
}
