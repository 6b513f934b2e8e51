// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns of findings that are not to be reported.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "guard.h"

static bool suppress_add(char ***suppress, size_t *nr, const char *pattern)
{
	char **bigger = realloc(*suppress, (*nr + 2) * sizeof(*bigger));

	if (!bigger)
		return false;
	*suppress = bigger;
	bigger[*nr] = strdup(pattern);
	bigger[*nr + 1] = NULL;
	return bigger[(*nr)++];
}

/* each of its words */
static bool suppress_words(char ***suppress, size_t *nr, const char *text,
			   const char *between)
{
	char *copy = strdup(text), *word, *left = NULL;
	bool ok = copy;

	for (word = ok ? strtok_r(copy, between, &left) : NULL; ok && word;
	     word = strtok_r(NULL, between, &left))
		ok = suppress_add(suppress, nr, word);
	free(copy);
	return ok;
}

static bool suppress_lines(char ***suppress, size_t *nr, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	bool ok = true;

	while (ok && getline(&line, &size, file) > 0) {
		line[strcspn(line, "#")] = '\0';
		ok = suppress_words(suppress, nr, line, " \t\n");
	}
	free(line);
	return ok;
}

int guard_suppress_read(char ***suppress, const char *list, const char *path,
			struct grun_err *err)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t nr = 0;
	bool ok;

	*suppress = NULL;
	if (path && !file)
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	ok = !list || suppress_words(suppress, &nr, list, ",");
	ok = ok && (!file || suppress_lines(suppress, &nr, file));
	if (file)
		fclose(file);
	return ok ? 0 : grun_fail(err, -ENOMEM, "out of memory");
}

void guard_suppress_free(char **suppress)
{
	char **pattern;

	for (pattern = suppress; pattern && *pattern; pattern++)
		free(*pattern);
	free(suppress);
}
