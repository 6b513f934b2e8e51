// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "names.h"
#include "next.h"

/*
 * @name: a part of its path
 * @path: its path, once it is found
 */
struct library {
	const char *name;
	char path[PATH_MAX];
};

static int library_is_here(struct dl_phdr_info *info, size_t size, void *data)
{
	struct library *library = data;

	if (!strstr(info->dlpi_name, library->name) ||
	    strlen(info->dlpi_name) >= sizeof(library->path))
		return 0;
	strcpy(library->path, info->dlpi_name);
	return 1;
}

/* not opened while the list of libraries is locked; its handle is never closed */
static void *library_function(const char *library_name, const char *name)
{
	struct library library = { .name = library_name };
	void *handle;

	if (!dl_iterate_phdr(library_is_here, &library))
		return NULL;
	handle = dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD);
	return handle ? dlsym(handle, name) : NULL;
}

/* RTLD_NEXT does not find what the program loaded for itself only, as Python does */
void *next_function(const char *name)
{
	return dlsym(RTLD_NEXT, name) ?:
	       library_function("/libamdhip64.so", name) ?:
	       library_function("/libhsa-runtime64.so", name);
}
