// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels.h"

/**
 * struct loaded - a code object
 * @code: it
 * @next: the next one
 */
struct loaded {
	struct grun_code *code;
	struct loaded *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *all;	/* under lock; a later one may be where an earlier one was */

static pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2] = { -1, -1 };	/* under block_lock: an empty pipe, or none */

static void pipe_close(void)
{
	close(ends[0]);
	close(ends[1]);
	ends[0] = ends[1] = -1;
}

/*
 * A child has none of its parent's code, nor the threads of it that may have had the locks,
 * and the pipe is its parent's.
 */
static void kernels_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&block_lock, NULL);
	all = NULL;
	if (ends[0] >= 0)
		pipe_close();
}

static void __attribute__((constructor)) kernels_begin(void)
{
	pthread_atfork(NULL, NULL, kernels_forked);
}

void kernels_add(struct grun_code *code)
{
	struct loaded *new = malloc(sizeof(*new));

	if (!new) {
		grun_code_free(code);
		return;
	}
	pthread_mutex_lock(&lock);
	*new = (struct loaded){ .code = code, .next = all };
	all = new;
	pthread_mutex_unlock(&lock);
}

static struct loaded *loaded_take(uint64_t va)
{
	struct loaded **at, *found;

	pthread_mutex_lock(&lock);
	for (at = &all; *at && (*at)->code->mem.va != va; at = &(*at)->next)
		;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	return found;
}

void kernels_remove(uint64_t va)
{
	struct loaded *found = loaded_take(va);

	if (!found)
		return;
	grun_code_free(found->code);
	free(found);
}

static const struct grun_kernel *kernel_at(const struct grun_code *code, uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < code->nr_kernels; i++)
		if (code->kernels[i].descriptor == offset)
			return &code->kernels[i];
	return NULL;
}

bool kernels_find(uint64_t descriptor, struct grun_kernel *kernel)
{
	const struct grun_kernel *found = NULL;
	const struct loaded *loaded;

	pthread_mutex_lock(&lock);
	for (loaded = all; loaded && !found; loaded = loaded->next)
		found = kernel_at(loaded->code, descriptor - loaded->code->mem.va);
	if (found)
		*kernel = *found;
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- arguments -------------------------------------------------------------------- */

/*
 * The kernel's copy ends with an error where the host cannot read. It reads memory of a driver,
 * too, which process_vm_readv() does not.
 */
static bool pipe_copy(void *to, const void *from, size_t size)
{
	return write(ends[1], from, size) == (ssize_t)size &&
	       read(ends[0], to, size) == (ssize_t)size;
}

bool kernels_read_block(const struct grun_kernel *kernel, const void *from, void *block)
{
	const size_t size = kernel->kernarg_size;
	bool ok = false;

	if (!size)
		return true;
	if (size > KERNELS_BLOCK)
		return false;
	pthread_mutex_lock(&block_lock);
	if (ends[0] >= 0 || !pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		ok = pipe_copy(block, from, size);
		/* a part of it may be left */
		if (!ok)
			pipe_close();
	}
	pthread_mutex_unlock(&block_lock);
	return ok;
}

/* what a GPU of ROCr's can access is a mapping of the process, if an empty one */
bool kernels_word_may_point(uint64_t word)
{
	const uint64_t page = (uint64_t)getpagesize();
	unsigned char unused;

	return !mincore((void *)(uintptr_t)(word & -page), 1, &unused);
}
