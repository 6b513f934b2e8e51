// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: what the program allocates, not what HIP and ROCr need themselves. The
 * nth one has the nth name of GPUBP_NAMES, a list with commas, else "allocN".
 */
#include <dlfcn.h>
#include <hsa.h>
#include <hsa_ext_amd.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/**
 * struct buffer - an allocation that has a name
 * @at: address
 * @name: name
 */
struct buffer {
	const void *at;
	char name[GPUBP_NAME_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *buffers;	/* tree of struct buffer; under lock */
static unsigned int nr_named;	/* since the start; likewise */

static int buffer_compare(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void name_of(unsigned int nr, char *name)
{
	const char *list = getenv("GPUBP_NAMES");
	size_t len = 0;
	unsigned int i;

	for (i = 1; list && i < nr; i++) {
		list = strchr(list, ',');
		list += !!list;
	}
	if (list)
		len = strcspn(list, ",");
	if (len && len < GPUBP_NAME_MAX)
		snprintf(name, GPUBP_NAME_MAX, "%.*s", (int)len, list);
	else
		snprintf(name, GPUBP_NAME_MAX, "alloc%u", nr);
}

static bool is_of_runtime(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       (strstr(info.dli_fname, "/libamdhip64.so") ||
		strstr(info.dli_fname, "/libhsa-runtime64.so"));
}

static void buffer_add(const void *at, size_t size, const void *caller)
{
	struct buffer *b;

	if (is_of_runtime(caller))
		return;
	b = calloc(1, sizeof(*b));
	if (!b)
		return;
	b->at = at;
	pthread_mutex_lock(&lock);
	name_of(++nr_named, b->name);
	if (!tsearch(b, &buffers, buffer_compare))
		b->name[0] = 0;
	pthread_mutex_unlock(&lock);
	names_buffer((uintptr_t)at, size, b->name);
}

static void buffer_del(const void *at)
{
	struct buffer key = { .at = at }, **found, *b = NULL;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &buffers, buffer_compare);
	if (found) {
		b = *found;
		tdelete(&key, &buffers, buffer_compare);
	}
	pthread_mutex_unlock(&lock);
	if (b)
		names_buffer((uintptr_t)at, 0, b->name);
	free(b);
}

/* @params in the program's order, @args their names; @at is where the address goes */
#define ALLOCATES(type, function, params, args, at, size)		\
WRAPPER type function params;						\
type function params							\
{									\
	static type (*next)params;					\
	type ret;							\
									\
	if (!next)							\
		next = (type (*)params)dlsym(RTLD_NEXT, #function);	\
	ret = next args;						\
	if (!(int)ret)							\
		buffer_add(*(at), size, __builtin_return_address(0));	\
	return ret;							\
}

#define FREES(type, function)						\
WRAPPER type function(void *at);					\
type function(void *at)							\
{									\
	static type (*next)(void *);					\
									\
	if (!next)							\
		next = (type (*)(void *))dlsym(RTLD_NEXT, #function);	\
	buffer_del(at);							\
	return next(at);						\
}

ALLOCATES(int, hipMalloc, (void **at, size_t size), (at, size), at, size)
ALLOCATES(int, hipMallocManaged, (void **at, size_t size, unsigned int flags),
	  (at, size, flags), at, size)
ALLOCATES(int, hipHostMalloc, (void **at, size_t size, unsigned int flags),
	  (at, size, flags), at, size)
ALLOCATES(hsa_status_t, hsa_memory_allocate,
	  (hsa_region_t region, size_t size, void **at), (region, size, at), at, size)
ALLOCATES(hsa_status_t, hsa_amd_memory_pool_allocate,
	  (hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void **at),
	  (pool, size, flags, at), at, size)
FREES(int, hipFree)
FREES(int, hipHostFree)
FREES(hsa_status_t, hsa_memory_free)
FREES(hsa_status_t, hsa_amd_memory_pool_free)
