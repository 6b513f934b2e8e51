// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that HIP allocates and frees in the order of a stream. The kernels before a free
 * may not have run when it is called, and the next allocation may have the same address
 * already: names are published, and end, in the order of the stream, too.
 */
#include "buffers.h"
#include "names.h"
#include "next.h"

/* what a graph does is done when it is launched, any number of times */
static bool stream_is_captured(void *stream)
{
	static int (*next)(void *stream, int *status);
	int status = 0;

	return NEXT(next, hipStreamIsCapturing) && !next(stream, &status) && status;
}

/* @function when the stream is here; what comes behind waits for it. False: it can not */
static bool stream_call(void *stream, void (*function)(void *), void *data)
{
	static int (*next)(void *stream, void (*function)(void *), void *data);

	return NEXT(next, hipLaunchHostFunc) && !next(stream, function, data);
}

static void stream_publish(void *buffer)
{
	buffer_publish(buffer);
}

static void stream_end(void *taken)
{
	buffers_end(taken);
}

static void stream_allocated(void *at, size_t size, void *stream, const void *caller)
{
	struct buffer *b = buffer_add(at, size, caller);

	if (b && (stream_is_captured(stream) || !stream_call(stream, stream_publish, b)))
		buffer_publish(b);
}

/* of a graph it stays: the next launch has the buffer again */
static void stream_freed(struct buffer *taken, void *stream)
{
	if (stream_is_captured(stream))
		buffers_put_back(taken);
	else if (!stream_call(stream, stream_end, taken))
		buffers_end(taken);
}

ALLOCATES(int, hipMallocAsync, (void **at, size_t size, void *stream), (at, size, stream),
	  HIP_LACKS, stream_allocated(*at, size, stream, CALLER))
ALLOCATES(int, hipMallocFromPoolAsync, (void **at, size_t size, void *pool, void *stream),
	  (at, size, pool, stream), HIP_LACKS,
	  stream_allocated(*at, size, stream, CALLER))

WRAPPER int hipFreeAsync(void *at, void *stream);
int hipFreeAsync(void *at, void *stream)
{
	static int (*next)(void *at, void *stream);
	struct buffer *taken = buffers_are_freed_by(CALLER) ? buffers_take(at) : NULL;
	int ret = HIP_LACKS;

	if (NEXT(next, hipFreeAsync)) {
		buffers_enter();
		ret = next(at, stream);
		buffers_leave();
	}
	if (ret)
		buffers_put_back(taken);
	else if (taken)
		stream_freed(taken, stream);
	return ret;
}
