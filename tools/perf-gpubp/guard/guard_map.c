// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of programs, and their code objects.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"
#include "guard.h"

/* ---- buffers -------------------------------------------------------------- */

/* "buffer PID VA SIZE NAME" */
static enum guard_news take_buffer(struct guard_map *map, const char *text)
{
	struct guard_buffer new = {};

	if (sscanf(text, "buffer %" SCNu32 " %" SCNx64 " %" SCNx64 " %63s",
		   &new.pid, &new.va, &new.size, new.name) != 4)
		return GUARD_MALFORMED;
	if (new.size + new.va < new.va)
		return GUARD_MALFORMED;
	if (!guard_buffer_set(&map->buffers, &new))
		return GUARD_NO_MEMORY;
	return new.size ? GUARD_NAMES : GUARD_WITHDRAWN;
}

bool guard_withdraws(const char *text)
{
	uint64_t size;

	return sscanf(text, "buffer %*u %*x %" SCNx64, &size) == 1 && !size;
}

/* ---- code objects --------------------------------------------------------- */

/* "code PID VA SIZE NAME PATH" */
static enum guard_news take_code(struct guard_map *map, const char *text)
{
	struct guard_code new = {}, *code;
	int path = 0;

	if (sscanf(text, "code %" SCNu32 " %" SCNx64 " %" SCNx64 " %*s %n",
		   &new.pid, &new.va, &new.size, &path) != 3 ||
	    !path || !text[path])
		return GUARD_MALFORMED;
	code = realloc(map->codes, (map->nr_codes + 1) * sizeof(*code));
	if (!code)
		return GUARD_NO_MEMORY;
	map->codes = code;
	code += map->nr_codes++;
	*code = new;
	code->path = strdup(text + path);
	/* without the file, kernels have no names and arguments are not const */
	if (code->path && !grun_code_open(&code->code, code->path, NULL))
		code->lines = lines_open(code->path);
	return code->path ? GUARD_NAMES : GUARD_NO_MEMORY;
}

const struct guard_code *guard_code_at(const struct guard_map *map,
				       uint32_t pid, uint64_t pc)
{
	size_t i;

	/* a later one may be where an earlier one was */
	for (i = map->nr_codes; i--;)
		if (map->codes[i].pid == pid &&
		    pc - map->codes[i].va < map->codes[i].size)
			return &map->codes[i];
	return NULL;
}

bool guard_pointer_is_const(const struct guard_map *map, uint32_t pid,
			    const char *name, unsigned int n)
{
	const struct grun_kernel *kernel = NULL;
	const struct grun_arg *arg;
	unsigned int i;
	size_t c;

	for (c = map->nr_codes; c-- && !kernel;)
		if (map->codes[c].pid == pid && map->codes[c].code)
			kernel = grun_code_find(map->codes[c].code, name);
	for (i = 0; kernel && (arg = grun_kernel_param(kernel, i)); i++)
		if (arg->kind == GRUN_ARG_POINTER && !n--)
			return arg->is_const ||
			       demangle_is_const(name, grun_kernel_nr_params(kernel), i);
	return false;
}

/* ---- all ------------------------------------------------------------------ */

enum guard_news guard_message(struct guard_map *map, const char *text)
{
	if (!strncmp(text, "buffer ", 7))
		return take_buffer(map, text);
	if (!strncmp(text, "code ", 5))
		return take_code(map, text);
	if (!strncmp(text, "dispatch ", 9) || !strncmp(text, "began ", 6))
		return guard_dispatch_take(map, text);
	if (!strncmp(text, "close ", 6))
		return guard_dispatch_close(map, text);
	return GUARD_MALFORMED;
}

void guard_map_free(struct guard_map *map)
{
	size_t i;

	for (i = 0; i < map->nr_codes; i++) {
		lines_close(map->codes[i].lines);
		grun_code_free(map->codes[i].code);
		free(map->codes[i].path);
	}
	free(map->codes);
	guard_dispatches_free(map);
	guard_buffers_free(&map->buffers);
	*map = (struct guard_map){ .loads = map->loads };
}
