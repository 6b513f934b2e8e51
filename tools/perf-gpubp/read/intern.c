// SPDX-License-Identifier: GPL-2.0
/*
 * One copy of each string.
 */
#include <err.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "intern.h"
#include "verb.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *intern(const char *text)
{
	static void *texts;
	char *const *found = tfind(text, &texts, by_text);
	char *copy;

	if (found)
		return *found;
	copy = strdup(text);
	if (!copy || !tsearch(copy, &texts, by_text))
		err(EXIT_ERROR, "out of memory");
	return copy;
}
