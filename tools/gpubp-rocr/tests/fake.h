/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libamdhip64.so and libhsa-runtime64.so of the tests: they allocate nothing, but say
 * what the test wants. Streams do what is queued when the test runs them.
 */
#ifndef GPUBP_ROCR_TESTS_FAKE_H
#define GPUBP_ROCR_TESTS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct fake - what the libraries do
 * @at: what is allocated next
 * @size: ... and its size, where only the runtime knows that
 * @fails: each call fails
 * @captured: all streams are
 * @no_functions: a stream takes no functions
 * @freed: is called at each free, if it is not NULL
 */
struct fake {
	char *at;
	size_t size;
	bool fails;
	bool captured;
	bool no_functions;
	void (*freed)(void *at);
};

/* what is queued in all streams, in order */
typedef void fake_run_fn(void);

#endif /* GPUBP_ROCR_TESTS_FAKE_H */
