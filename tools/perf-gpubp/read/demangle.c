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

const char *demangle(const char *name, char *out, size_t len)
{
	bool is_mangled = !strncmp(name, "_Z", 2) && references(name) <= REFERENCES_MAX;
	char *found = is_mangled ? name_part(name) : NULL;

	snprintf(out, len, "%s", found ? found : name);
	free(found);
	return out;
}
