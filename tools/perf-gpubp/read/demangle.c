// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"

#define NAME_MAX_BYTES	512	/* longer ones are printed as they are */
/* of parts before: two double a name, and another user may have made it */
#define REFERENCES_MAX	24

/* of the library of C++, whose header is for C++ only */
extern char *__cxa_demangle(const char *name, char *out, size_t *len, int *status);

/* S_, S0_, T_, ... as many as there are at most: a name may have these letters */
static unsigned int references(const char *name)
{
	unsigned int i, nr = 0;
	bool is_open = false;

	for (i = 0; name[i] && i < NAME_MAX_BYTES; i++) {
		nr += is_open && name[i] == '_';
		is_open = name[i] == 'S' || name[i] == 'T' ||
			  (is_open && (isupper((unsigned char)name[i]) ||
				       isdigit((unsigned char)name[i])));
	}
	return nr;
}

/*
 * The parameters follow the name, so the name is the shortest part from the begin that
 * is a name; but not without its template arguments, which begin with an I.
 */
static char *name_part(const char *name)
{
	char part[NAME_MAX_BYTES], *found;
	size_t i, len = strlen(name);

	for (i = 3; i <= len && i < sizeof(part); i++) {
		if (name[i] == 'I')
			continue;
		memcpy(part, name, i);
		part[i] = 0;
		found = __cxa_demangle(part, NULL, NULL, NULL);
		if (found)
			return found;
	}
	return NULL;
}

static bool name_is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) && references(name) <= REFERENCES_MAX;
}

const char *demangle(const char *name, char *out, size_t len)
{
	bool is_mangled = name_is_mangled(name);
	char *found = is_mangled ? name_part(name) : NULL;

	snprintf(out, len, "%s", found ? found : name);
	free(found);
	return out;
}

/* ---- parameters ------------------------------------------------------------------ */

static int depth_change(char c)
{
	return strchr("(<[", c) ? 1 : strchr(")>]", c) ? -1 : 0;
}

/* the list at the end, without its parentheses; NULL: there is none */
static char *parameters_of(char *full)
{
	char *at = full + strlen(full);
	int depth = 0;

	if (at == full || at[-1] != ')')
		return NULL;
	at[-1] = 0;
	for (at--; at > full; at--) {
		if (at[-1] == '(' && !depth)
			return at;
		depth -= depth_change(at[-1]);
	}
	return NULL;
}

/* @list: from here on; cut where it ends. Return: the next one, NULL at the end */
static char *parameter_end(char *list)
{
	int depth = 0;

	for (; *list; list++) {
		if (*list == ',' && !depth) {
			*list = 0;
			return list + 1;
		}
		depth += depth_change(*list);
	}
	return NULL;
}

static bool text_ends(const char *text, const char *end)
{
	const size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static bool parameter_is_const(const char *text)
{
	return text_ends(text, " const*") || text_ends(text, " const volatile*");
}

bool demangle_is_const(const char *name, unsigned int nr, unsigned int n)
{
	bool is_mangled = name_is_mangled(name) && strlen(name) < NAME_MAX_BYTES;
	char *full = is_mangled ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
	char *at = full ? parameters_of(full) : NULL, *next;
	bool is_const = false;
	unsigned int i;

	for (i = 0; at; i++, at = next) {
		next = parameter_end(at);
		if (i == n)
			is_const = parameter_is_const(at);
	}
	free(full);
	/* or the list was misread */
	return is_const && i == nr;
}
