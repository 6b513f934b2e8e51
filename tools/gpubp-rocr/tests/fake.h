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
 * @fails_later: hipHostRegister() fails when the memory is locked
 * @captured: all streams are
 * @no_functions: a stream takes no functions
 * @freed: is called at each free, if it is not NULL
 * @launched: is called when a kernel is launched
 * @queue: is created next
 * @kfd_ring: ... with this ring, which KFD gets
 * @write_index: of all queues
 * @waited: is called when a signal is waited for, and has it end
 * @nr_signals: that there are. Handles are addresses of them; those of doorbells are lower
 * @users: of ROCr, but for one: hsa_init() was called so often more than hsa_shut_down()
 * @is_off: there is none any more, and no queue is there
 * @rung: the last doorbell and its value: what ROCr was given
 */
struct fake {
	char *at;
	size_t size;
	bool fails;
	bool fails_later;
	bool captured;
	bool no_functions;
	void (*freed)(void *at);
	void (*launched)(void);
	void *queue;
	uint64_t kfd_ring;
	uint64_t write_index;
	void (*waited)(int64_t *signal);
	int nr_signals;
	unsigned int users;
	bool is_off;
	uint64_t rung[2];
};

/* of KFD, what both sides of the test need */
struct fake_kfd_queue {
	uint64_t ring;
	uint64_t pointers[3];
	uint32_t ring_size, gpu, type, percentage, priority, id;
	uint64_t rest[5];
};

#define FAKE_KFD_CREATE		_IOWR('K', 0x02, struct fake_kfd_queue)
#define FAKE_KFD_DESTROY	_IOWR('K', 0x03, uint64_t)
#define FAKE_KFD_FD		1001

#define FAKE_DOORBELLS		4096

/* what is queued in all streams, in order */
typedef void fake_run_fn(void);

/* hipMemAdvise() */
typedef int fake_advise_fn(const void *at, size_t size, int advice, int device);

#endif /* GPUBP_ROCR_TESTS_FAKE_H */
