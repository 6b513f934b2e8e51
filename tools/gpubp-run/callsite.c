// SPDX-License-Identifier: GPL-2.0
/*
 * Where a program calls: the frames from the caller on, for GPUBP_CALLSITES.
 *
 * Each is the path of its object and the address of the call in that file, as its
 * symbols and its line table have it: readers look there.
 */
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>
#include "internal.h"

#define FRAMES_MAX	4
/* of a runtime, between the program and the library */
#define FRAMES_SKIPPED	32

/**
 * struct site - a walk from frame to frame
 * @text: what was found
 * @len: bytes of @text
 * @caller: return address that the walk begins at, or GRUN_OUTSIDE
 * @begun: it was met
 * @nr: frames in @text
 * @skipped: frames before
 */
struct site {
	char *text;
	size_t len;
	const void *caller;
	bool begun;
	unsigned int nr;
	unsigned int skipped;
};

/**
 * struct object - who has an address
 * @addr: address
 * @base: where the object is loaded, plus its addresses
 * @path: its file, "" the program
 * @found: there is one
 */
struct object {
	uintptr_t addr;
	uintptr_t base;
	const char *path;
	bool found;
};

static int object_has(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object *object = data;
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum && !object->found; i++)
		object->found = info->dlpi_phdr[i].p_type == PT_LOAD &&
			object->addr - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
			info->dlpi_phdr[i].p_memsz;
	if (!object->found)
		return 0;
	object->base = info->dlpi_addr;
	object->path = info->dlpi_name ? info->dlpi_name : "";
	return 1;
}

static struct object object_find(uintptr_t addr)
{
	struct object object = { .addr = addr };

	dl_iterate_phdr(object_has, &object);
	return object;
}

/* it calls main(), and what threads begin with: programs' and a runtime's own */
static bool is_libc(const struct object *object)
{
	return strstr(object->path, "/libc.so");
}

static bool is_of_runtime(const struct object *object)
{
	return object->base == object_find((uintptr_t)grun_callsite).base ||
	       is_libc(object) ||
	       strstr(object->path, "/libamdhip64.so") ||
	       strstr(object->path, "/libhsa-runtime64.so");
}

static bool site_begins(const struct site *site, uintptr_t ip,
			const struct object *object)
{
	return site->caller == GRUN_OUTSIDE ? !is_of_runtime(object) :
	       ip == (uintptr_t)site->caller;
}

static void site_add(struct site *site, const struct object *object)
{
	char program[PATH_MAX] = "";
	const char *path = object->path;
	size_t left = site->len - strlen(site->text);
	int len;

	if (!path[0] && readlink("/proc/self/exe", program, sizeof(program) - 1) > 0)
		path = program;
	len = snprintf(site->text + site->len - left, left, "%s%s+0x%llx",
		       site->nr ? "\t" : "", path,
		       (unsigned long long)(object->addr - object->base));
	if (len >= (int)left)
		site->text[site->len - left] = '\0';
	site->nr++;
}

/* a return address may be that of the next line, or function */
static _Unwind_Reason_Code site_frame(struct _Unwind_Context *context, void *data)
{
	struct site *site = data;
	uintptr_t ip = _Unwind_GetIP(context);
	struct object object = object_find(ip - 1);

	if (!site->begun)
		site->begun = object.found && site_begins(site, ip, &object);
	if (!site->begun)
		return ++site->skipped < FRAMES_SKIPPED ? _URC_NO_REASON :
							  _URC_END_OF_STACK;
	if (!object.found || (site->nr && is_libc(&object)) || site->nr == FRAMES_MAX)
		return _URC_END_OF_STACK;
	site_add(site, &object);
	return _URC_NO_REASON;
}

const char *grun_callsite(const void *caller, char out[GRUN_CALLSITE_MAX])
{
	struct site site = {
		.text = out, .len = GRUN_CALLSITE_MAX, .caller = caller,
	};
	const char *wanted = getenv("GPUBP_CALLSITES");

	out[0] = '\0';
	if (caller && wanted && !strcmp(wanted, "1"))
		_Unwind_Backtrace(site_frame, &site);
	return out;
}
