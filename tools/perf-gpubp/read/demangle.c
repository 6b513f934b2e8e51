// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"

#define NAME_MAX_BYTES	512	/* longer ones are printed as they are */

/* of the library of C++, whose header is for C++ only */
extern char *__cxa_demangle(const char *name, char *out, size_t *len, int *status);

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
	char *found = strncmp(name, "_Z", 2) ? NULL : name_part(name);

	snprintf(out, len, "%s", found ? found : name);
	free(found);
	return out;
}
