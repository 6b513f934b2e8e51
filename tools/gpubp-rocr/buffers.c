// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: what the program allocates or maps, not what HIP and ROCr need themselves,
 * and parts of it to which the program gave names.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "freed.h"
#include "gpubp_rocr.h"
#include "names.h"

/**
 * struct buffer - a range that has a name
 * @at: first address
 * @size: bytes, not 0
 * @by: by what it is freed
 * @is_part: of another one, or of none that is known
 * @is_mapped: buffer_mapped() added it
 * @is_published: its name was published. It is another buffer's, too, if @name is empty now
 * @is_queued: buffer_publish() will be called
 * @is_ended: ... which frees it
 * @times: how often it is mapped
 * @taken: the next one of those that are being freed
 * @name: name; empty: none
 *
 * All under the lock.
 */
struct buffer {
	const char *at;
	size_t size;
	const void *by;
	bool is_part;
	bool is_mapped;
	bool is_published;
	bool is_queued;
	bool is_ended;
	unsigned int times;
	struct buffer *taken;
	char name[GPUBP_NAME_MAX];
};

/* recursive: an allocator of the program's may call munmap() when it is called here */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *buffers;	/* tree by address; all under lock */
static void *parts;	/* likewise, of those with is_part */
static void *published;	/* likewise, by name */
static unsigned int nr_named;	/* buffers since the start */
static unsigned int nr_elsewhere;	/* buffers whose addresses are not what frees them */

/*
 * A child has no GPU memory of its parent, nor the thread of it that may have had the lock:
 * trees which that was changing are left as they are.
 */
static void buffers_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	buffers = NULL;
	parts = NULL;
	published = NULL;
	nr_elsewhere = 0;
}

static void __attribute__((constructor)) buffers_begin(void)
{
	pthread_atfork(NULL, NULL, buffers_forked);
}

/* ---- trees ------------------------------------------------------------------ */

/* ranges that overlap are equal: a tree has none of them twice */
static int buffer_compare(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	if (x->at < y->at)
		return -((size_t)(y->at - x->at) >= x->size);
	return (size_t)(x->at - y->at) >= y->size;
}

static int buffer_compare_names(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* one that overlaps the range, or NULL */
static struct buffer *buffer_find(void *const *tree, const void *at, size_t size)
{
	const struct buffer key = { .at = at, .size = size };
	struct buffer **found = tfind(&key, tree, buffer_compare);

	return found ? *found : NULL;
}

struct buffer_search {
	const void *by;
	const char *name;
	struct buffer *found;
};

static void buffer_visit(const void *node, VISIT visit, void *data)
{
	struct buffer *b = *(struct buffer *const *)node;
	struct buffer_search *search = data;

	if ((visit == postorder || visit == leaf) &&
	    (search->name ? !strcmp(b->name, search->name) : b->by == search->by))
		search->found = b;
}

static struct buffer *buffer_freed_by(const void *by)
{
	struct buffer_search search = { .by = by };
	struct buffer *b = buffer_find(&buffers, by, 1);

	if (b && b->by == by)
		return b;
	if (nr_elsewhere)
		twalk_r(buffers, buffer_visit, &search);
	return search.found;
}

static bool buffer_has_name(const char *name)
{
	struct buffer_search search = { .name = name };

	twalk_r(buffers, buffer_visit, &search);
	return search.found;
}

/* ---- names ------------------------------------------------------------------ */

static void buffer_lose_name(struct buffer *b)
{
	tdelete(b, &published, buffer_compare_names);
	b->name[0] = 0;
}

/* a name is that of the last buffer which got it; 0, or an error as of names_buffer() */
static int buffer_publish_name(struct buffer *b)
{
	struct buffer **other;

	b->is_published = true;
	if (!b->name[0])
		return 0;
	other = tfind(b, &published, buffer_compare_names);
	if (other) {
		grun_name_record(grun_name_time(), 0, (uintptr_t)(*other)->at, 0,
				 (*other)->name, NULL);
		buffer_lose_name(*other);
	}
	if (tsearch(b, &published, buffer_compare_names))
		return names_buffer((uintptr_t)b->at, b->size, b->name);
	b->name[0] = 0;
	return -ENOMEM;
}

static void buffer_unpublish_name(struct buffer *b)
{
	if (!b->is_published || !b->name[0])
		return;
	names_buffer((uintptr_t)b->at, 0, b->name);
	buffer_lose_name(b);
}

/*
 * GPUBP_NAMES is a list with commas. NAME/SIZE is for an allocation of that size, while
 * no other one has it; the others are for the rest of them, in their order.
 */
static bool entry_is_for(const char *name, const char *entry_size, size_t size,
			 unsigned int *nr_before)
{
	char *end;

	if (!entry_size)
		return !(*nr_before)--;
	return strtoull(entry_size, &end, 0) == size && !*end && !buffer_has_name(name);
}

static bool name_of_list(char *list, bool by_size, size_t size, unsigned int nr_before,
			 char *name)
{
	char *entry, *entry_size;

	while ((entry = strsep(&list, ","))) {
		entry_size = strchr(entry, '/');
		if (entry_size)
			*entry_size++ = 0;
		if (!!entry_size != by_size ||
		    !entry_is_for(entry, entry_size, size, &nr_before))
			continue;
		if (!*entry || strlen(entry) >= GPUBP_NAME_MAX)
			return false;
		strcpy(name, entry);
		return true;
	}
	return false;
}

/* else "allocN" for the Nth one */
static void buffer_choose_name(struct buffer *b)
{
	static unsigned int nr_in_order;
	const char *env = getenv("GPUBP_NAMES") ?: "";
	char by_size[strlen(env) + 1], in_order[strlen(env) + 1];

	nr_named++;
	if (name_of_list(strcpy(by_size, env), true, b->size, 0, b->name) ||
	    name_of_list(strcpy(in_order, env), false, 0, nr_in_order++, b->name))
		return;
	snprintf(b->name, sizeof(b->name), "alloc%u", nr_named);
}

/* ---- life ------------------------------------------------------------------- */

static struct buffer *buffer_insert(void **tree, const void *by, const void *at,
				    size_t size)
{
	struct buffer *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->at = at;
	b->size = size;
	b->by = by;
	b->is_part = tree == &parts;
	b->times = 1;
	if (!tsearch(b, tree, buffer_compare)) {
		free(b);
		return NULL;
	}
	nr_elsewhere += by != at;
	return b;
}

/* unlinked, in front of @list */
static struct buffer *buffer_remove(struct buffer *b, struct buffer *list)
{
	tdelete(b, b->is_part ? &parts : &buffers, buffer_compare);
	nr_elsewhere -= b->by != b->at;
	b->taken = list;
	return b;
}

/* all that overlap the range */
static struct buffer *buffer_remove_range(void **tree, const void *at, size_t size,
					  struct buffer *list)
{
	struct buffer *b;

	while ((b = buffer_find(tree, at, size)))
		list = buffer_remove(b, list);
	return list;
}

static struct buffer *buffer_remove_all(const void *at, size_t size)
{
	return buffer_remove_range(&parts, at, size,
				   buffer_remove_range(&buffers, at, size, NULL));
}

static void buffer_end(struct buffer *b)
{
	buffer_unpublish_name(b);
	b->is_ended = true;
	if (!b->is_queued)
		free(b);
}

static void buffer_end_list(struct buffer *list)
{
	struct buffer *next;

	for (; list; list = next) {
		next = list->taken;
		buffer_end(list);
	}
}

static struct buffer *buffer_start(const void *by, const void *at, size_t size)
{
	struct buffer *b;

	buffer_end_list(buffer_remove_all(at, size));
	b = buffer_insert(&buffers, by, at, size);
	if (b)
		buffer_choose_name(b);
	return b;
}

/* ---- what the calls of HIP and ROCr do ---------------------------------------- */

bool caller_is_runtime(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       (strstr(info.dli_fname, "/libamdhip64.so") ||
		strstr(info.dli_fname, "/libhsa-runtime64.so"));
}

/* calls of this thread that have not returned */
static __thread unsigned int nr_entered;

void buffers_enter(void)
{
	nr_entered++;
}

void buffers_leave(void)
{
	nr_entered--;
}

/*
 * hipHostUnregister() calls hsa_amd_memory_unlock(), which is this library's as well:
 * it was counted already. But what the program has ends with hipDeviceReset(), too.
 */
bool buffers_are_freed_by(const void *caller)
{
	return !nr_entered || !caller_is_runtime(caller);
}

static bool buffer_is(const struct buffer *b, const void *by, const void *at, size_t size)
{
	return b->is_mapped && b->by == by && b->at == at && b->size == size;
}

/* what overlaps the range was freed without a call that is known */
static void buffers_freed_before(const void *by, const void *at, size_t size)
{
	const struct buffer *b;
	bool is_freed;

	pthread_mutex_lock(&lock);
	b = buffer_find(&buffers, at, size);
	is_freed = b && !buffer_is(b, by, at, size);
	pthread_mutex_unlock(&lock);
	if (is_freed)
		freed_wait(at, size);
}

struct buffer *buffer_add(const void *at, size_t size, const void *caller)
{
	struct buffer *b;

	if (!at || !size || caller_is_runtime(caller))
		return NULL;
	buffers_freed_before(NULL, at, size);
	pthread_mutex_lock(&lock);
	b = buffer_start(at, at, size);
	if (b)
		b->is_queued = true;
	pthread_mutex_unlock(&lock);
	return b;
}

void buffer_publish(struct buffer *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&lock);
	b->is_queued = false;
	if (b->is_ended)
		free(b);
	else
		buffer_publish_name(b);
	pthread_mutex_unlock(&lock);
}

void buffer_allocated(const void *at, size_t size, const void *caller)
{
	buffer_publish(buffer_add(at, size, caller));
}

/* the same range again: NULL if it is not */
static struct buffer *buffer_again(const void *by, const void *at, size_t size)
{
	struct buffer *b = buffer_find(&buffers, at, 1);

	if (!b || !buffer_is(b, by, at, size))
		return NULL;
	b->times++;
	return b;
}

void buffer_mapped(const void *by, const void *at, size_t size, const void *caller)
{
	struct buffer *b;

	if (!at || !size || caller_is_runtime(caller))
		return;
	buffers_freed_before(by, at, size);
	pthread_mutex_lock(&lock);
	if (!buffer_again(by, at, size)) {
		b = buffer_start(by, at, size);
		if (b) {
			b->is_mapped = true;
			buffer_publish_name(b);
		}
	}
	pthread_mutex_unlock(&lock);
}

struct buffer *buffers_take(const void *by)
{
	struct buffer *b, *list = NULL;

	pthread_mutex_lock(&lock);
	b = buffer_freed_by(by);
	if (b && !--b->times)
		list = buffer_remove_all(b->at, b->size);
	pthread_mutex_unlock(&lock);
	return list;
}

struct buffer *buffers_take_range(const void *at, size_t size)
{
	struct buffer *list = NULL, *b;

	pthread_mutex_lock(&lock);
	while ((b = buffer_find(&buffers, at, size)))
		list = buffer_remove(b, list);
	for (b = list; b; b = b->taken)
		list = buffer_remove_range(&parts, b->at, b->size, list);
	pthread_mutex_unlock(&lock);
	return list;
}

void buffers_end(struct buffer *taken)
{
	const struct buffer *b;

	if (!taken)
		return;
	for (b = taken; b; b = b->taken)
		if (!b->is_part)
			freed_wait(b->at, b->size);
	pthread_mutex_lock(&lock);
	buffer_end_list(taken);
	pthread_mutex_unlock(&lock);
}

/* unless its addresses were allocated again */
static void buffer_put_back(struct buffer *b)
{
	void **tree = b->is_part ? &parts : &buffers;

	if (buffer_find(tree, b->at, b->size) || !tsearch(b, tree, buffer_compare)) {
		buffer_end(b);
		return;
	}
	b->times = 1;
	nr_elsewhere += b->by != b->at;
}

void buffers_put_back(struct buffer *taken)
{
	struct buffer *next;

	if (!taken)
		return;
	pthread_mutex_lock(&lock);
	for (; taken; taken = next) {
		next = taken->taken;
		buffer_put_back(taken);
	}
	pthread_mutex_unlock(&lock);
}

static void buffer_say_again(const void *node, VISIT visit, int depth)
{
	const struct buffer *b = *(struct buffer *const *)node;

	if ((visit == postorder || visit == leaf) && b->is_published && b->name[0])
		names_buffer((uintptr_t)b->at, b->size, b->name);
}

void buffers_say_again(void)
{
	pthread_mutex_lock(&lock);
	twalk(buffers, buffer_say_again);
	twalk(parts, buffer_say_again);
	pthread_mutex_unlock(&lock);
}

bool buffer_is_known(const void *at, size_t size)
{
	bool is_known;

	pthread_mutex_lock(&lock);
	is_known = buffer_find(&buffers, at, size);
	pthread_mutex_unlock(&lock);
	return is_known;
}

/* ---- what the program names itself -------------------------------------------- */

static bool name_is_valid(const char *name)
{
	size_t len;

	for (len = 0; name[len]; len++)
		if (!isgraph((unsigned char)name[len]))
			return false;
	return len < GPUBP_NAME_MAX;
}

/* a name that the kernel has no room for is none: the program can try again */
static int buffer_publish_or_lose(struct buffer *b)
{
	int err = buffer_publish_name(b);

	if (err)
		buffer_unpublish_name(b);
	return err;
}

/* one that is not published yet will be, by its new name */
static int buffer_rename(struct buffer *b, const char *name)
{
	/* it would not be watched in between */
	if (b->is_published && !strcmp(b->name, name))
		return 0;
	buffer_unpublish_name(b);
	strcpy(b->name, name);
	return b->is_published ? buffer_publish_or_lose(b) : 0;
}

static int part_name(const void *at, size_t size, const char *name)
{
	struct buffer *b = buffer_find(&parts, at, size);
	int err;

	if (b && b->at == at && b->size == size && *name && !strcmp(b->name, name))
		return 0;
	buffer_end_list(buffer_remove_range(&parts, at, size, NULL));
	if (!*name)
		return 0;
	b = buffer_insert(&parts, at, at, size);
	if (!b)
		return -ENOMEM;
	strcpy(b->name, name);
	err = buffer_publish_or_lose(b);
	if (err)
		buffer_end(buffer_remove(b, NULL));
	return err;
}

static int range_name(const char *at, size_t size, const char *name)
{
	struct buffer *b = buffer_find(&buffers, at, size ?: 1);

	if (!size && b)
		size = (size_t)(b->at + b->size - at);
	if (!size || (uintptr_t)at + size < size ||
	    (b && (at < b->at || at + size > b->at + b->size)))
		return -EINVAL;
	if (!b || b->at != at || b->size != size)
		return part_name(at, size, name);
	return buffer_rename(b, name);
}

WRAPPER int gpubp_rocr_name(const void *at, size_t size, const char *name)
{
	int err;

	if (!name)
		name = "";
	if (!name_is_valid(name))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	err = range_name(at, size, name);
	pthread_mutex_unlock(&lock);
	return err;
}
