/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ranges of GPU addresses that have a name while the program has them. The functions
 * may be called by any thread.
 */
#ifndef GPUBP_ROCR_BUFFERS_H
#define GPUBP_ROCR_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/**
 * buffer_add() - the program has a range; it gets a name
 * @at: first address; NULL: nothing was allocated
 * @size: bytes
 * @caller: who called; the runtime's own ranges have no name
 *
 * Ranges that overlap it were freed without a call that is known: they lose their names.
 *
 * Return: the buffer, for one buffer_publish(), which may be after its end; or NULL.
 */
struct buffer *buffer_add(const void *at, size_t size, const void *caller);

/** buffer_publish() - publish its name; NULL is ignored */
void buffer_publish(struct buffer *buffer);

/** buffer_allocated() - buffer_add() and buffer_publish() */
void buffer_allocated(const void *at, size_t size, const void *caller);

/**
 * buffer_mapped() - the same for memory of the host or of another process
 * @by: by what address it is unmapped
 * @at: its address on the GPU
 * @size: bytes
 * @caller: who called
 *
 * A range that is mapped several times is unmapped as often.
 */
void buffer_mapped(const void *by, const void *at, size_t size, const void *caller);

/**
 * buffers_take() - the program is freeing a range
 * @by: what it frees: the first address, or that by which it is unmapped
 *
 * Its address may be another buffer's from now on. Its name is published, as the GPU may
 * be using it, until the caller decides by buffers_end() or buffers_put_back().
 *
 * Return: it and the parts of it that have names, or NULL.
 */
struct buffer *buffers_take(const void *by);

/** buffers_take_range() - the same for each that overlaps a range */
struct buffer *buffers_take_range(const void *at, size_t size);

/** buffers_end() - they are freed: without names; NULL is ignored */
void buffers_end(struct buffer *taken);

/** buffers_put_back() - they are not freed; NULL is ignored */
void buffers_put_back(struct buffer *taken);

/**
 * buffers_enter() - one of HIP's or ROCr's functions is called by this library
 *
 * What they free themselves in there is a part of it, and what they had for it.
 */
void buffers_enter(void);

/** buffers_leave() - it returned */
void buffers_leave(void);

/** buffers_are_freed_by() - does @caller free what the program has, of itself? */
bool buffers_are_freed_by(const void *caller);

/** caller_is_runtime() - is @caller HIP or ROCr? */
bool caller_is_runtime(const void *caller);

/** buffer_is_known() - does a range overlap one that has a name? */
bool buffer_is_known(const void *at, size_t size);

#define CALLER	__builtin_return_address(0)

/*
 * A function of this library in place of one that is next: @params in its order, @args
 * their names; @lacks: what it returns if there is none.
 *
 * @to_free: what it frees
 */
#define FREES(type, function, params, args, lacks, to_free)		\
WRAPPER type function params;						\
type function params							\
{									\
	static type (*next)params;					\
	struct buffer *taken = buffers_are_freed_by(CALLER) ? to_free : NULL; \
	type ret = lacks;						\
									\
	if (NEXT(next, function)) {					\
		buffers_enter();					\
		ret = next args;					\
		buffers_leave();					\
	}								\
	if (ret)							\
		buffers_put_back(taken);				\
	else								\
		buffers_end(taken);					\
	return ret;							\
}

/* @name: a call that names what was allocated, of a caller called CALLER */
#define ALLOCATES(type, function, params, args, lacks, name)		\
WRAPPER type function params;						\
type function params							\
{									\
	static type (*next)params;					\
	type ret = lacks;						\
									\
	if (NEXT(next, function)) {					\
		buffers_enter();					\
		ret = next args;					\
		buffers_leave();					\
	}								\
	if (!ret)							\
		name;							\
	return ret;							\
}

/** buffers_say_again() - publish the names of buffers again, to who did not hear them */
void buffers_say_again(void);

#endif /* GPUBP_ROCR_BUFFERS_H */
