// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers, code objects and kernels of programs, from their messages.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "guard.h"

/* one more entry of ARRAY, all 0, or NULL */
static void *list_grow(void **array, size_t *nr, size_t size)
{
	void *bigger = realloc(*array, (*nr + 1) * size);

	if (!bigger)
		return NULL;
	*array = bigger;
	return memset((char *)bigger + size * (*nr)++, 0, size);
}

/* ---- buffers -------------------------------------------------------------- */

static void buffer_remove(struct guard_map *map, uint32_t pid, uint64_t va)
{
	size_t i, kept = 0;

	for (i = 0; i < map->nr_buffers; i++)
		if (map->buffers[i].pid != pid || map->buffers[i].va != va)
			map->buffers[kept++] = map->buffers[i];
	map->nr_buffers = kept;
}

/* "buffer PID VA SIZE NAME" */
static enum guard_news take_buffer(struct guard_map *map, const char *text)
{
	struct guard_buffer new = {}, *buffer;

	if (sscanf(text, "buffer %" SCNu32 " %" SCNx64 " %" SCNx64 " %63s",
		   &new.pid, &new.va, &new.size, new.name) != 4)
		return GUARD_MALFORMED;
	if (new.size + new.va < new.va)
		return GUARD_MALFORMED;
	buffer_remove(map, new.pid, new.va);
	if (!new.size)
		return GUARD_WITHDRAWN;
	buffer = list_grow((void **)&map->buffers, &map->nr_buffers,
			   sizeof(*map->buffers));
	if (!buffer)
		return GUARD_NO_MEMORY;
	*buffer = new;
	return GUARD_NAMES;
}

bool guard_withdraws(const char *text)
{
	uint64_t size;

	return sscanf(text, "buffer %*u %*x %" SCNx64, &size) == 1 && !size;
}

bool guard_holds(const struct guard_buffer *buffer, uint64_t va)
{
	return va - buffer->va < buffer->size;
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
	code = list_grow((void **)&map->codes, &map->nr_codes,
			 sizeof(*map->codes));
	if (!code)
		return GUARD_NO_MEMORY;
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

/* ---- kernels -------------------------------------------------------------- */

static struct guard_kernel *kernel_get(struct guard_map *map, uint32_t pid,
				       const char *name)
{
	struct guard_kernel *kernel =
		(struct guard_kernel *)guard_kernel_find(map, pid, name);

	if (kernel)
		return kernel;
	kernel = list_grow((void **)&map->kernels, &map->nr_kernels,
			   sizeof(*map->kernels));
	if (kernel) {
		kernel->pid = pid;
		snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	}
	return kernel;
}

/* pointer number @n of the kernel; not const if that is not known */
static bool pointer_is_const(const struct guard_map *map, uint32_t pid,
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
			return arg->is_const;
	return false;
}

static enum guard_news pointer_add(struct guard_kernel *kernel, uint64_t va,
				   bool is_const)
{
	struct guard_pointer *pointer;
	size_t i;

	for (i = 0; i < kernel->nr; i++)
		if (kernel->pointers[i].va == va &&
		    kernel->pointers[i].is_const == is_const)
			return GUARD_NOTHING;
	pointer = list_grow((void **)&kernel->pointers, &kernel->nr,
			    sizeof(*kernel->pointers));
	if (!pointer)
		return GUARD_NO_MEMORY;
	pointer->va = va;
	pointer->is_const = is_const;
	return GUARD_KERNEL;
}

/* "dispatch PID CONTEXT/QUEUE/SEQ DONE KERNEL VA[,VA...]" */
static enum guard_news take_dispatch(struct guard_map *map, const char *text)
{
	char name[GRUN_KERNEL_NAME];
	enum guard_news news = GUARD_NOTHING, added;
	struct guard_kernel *kernel;
	unsigned int pid, n;
	int list = 0;
	const char *pos;
	char *end;
	bool is_value;
	uint64_t va;

	if (sscanf(text, "dispatch %u %*u/%*u/%*u %*u %127s %n", &pid, name, &list) != 2 ||
	    !list)
		return GUARD_MALFORMED;
	kernel = kernel_get(map, pid, name);
	if (!kernel)
		return GUARD_NO_MEMORY;
	for (pos = text + list, n = 0; *pos && *pos != '-' && *pos != '.';
	     pos = end + (*end == ',')) {
		is_value = *pos == '=';
		pos += is_value;
		va = strtoull(pos, &end, 0);
		if (end == pos || (*end && *end != ','))
			return GUARD_MALFORMED;
		added = pointer_add(kernel, va, !is_value &&
				    pointer_is_const(map, pid, name, n++));
		if (added > news)
			news = added;
	}
	return news;
}

const struct guard_kernel *guard_kernel_find(const struct guard_map *map,
					     uint32_t pid, const char *name)
{
	size_t i;

	for (i = 0; i < map->nr_kernels; i++)
		if (map->kernels[i].pid == pid &&
		    !strcmp(map->kernels[i].name, name))
			return &map->kernels[i];
	return NULL;
}

bool guard_may_use(const struct guard_map *map, const struct guard_kernel *kernel,
		   const struct guard_buffer *buffer)
{
	size_t i;

	for (i = 0; i < kernel->nr; i++)
		if (guard_holds(buffer, kernel->pointers[i].va) &&
		    (map->loads || !kernel->pointers[i].is_const))
			return true;
	return false;
}

/* ---- all ------------------------------------------------------------------ */

enum guard_news guard_message(struct guard_map *map, const char *text)
{
	if (!strncmp(text, "buffer ", 7))
		return take_buffer(map, text);
	if (!strncmp(text, "code ", 5))
		return take_code(map, text);
	if (!strncmp(text, "dispatch ", 9))
		return take_dispatch(map, text);
	if (!strncmp(text, "close ", 6))
		return GUARD_NOTHING;
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
	for (i = 0; i < map->nr_kernels; i++)
		free(map->kernels[i].pointers);
	free(map->buffers);
	free(map->codes);
	free(map->kernels);
	*map = (struct guard_map){ .loads = map->loads };
}
