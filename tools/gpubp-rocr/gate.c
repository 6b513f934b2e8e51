// SPDX-License-Identifier: GPL-2.0
#include <hsa.h>
#include <pthread.h>
#include <time.h>

#include "gate.h"
#include "names.h"
#include "next.h"

#define QUIET_TRIES	200
#define POLL_NS		100000

/*
 * @lock: of what follows; a place is given with it
 * @opens: it is open again
 * @is_used: there is a tool
 * @is_closed: a thread has closed it
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t opens;
	bool is_used;
	bool is_closed;
} gate = { .lock = PTHREAD_MUTEX_INITIALIZER, .opens = PTHREAD_COND_INITIALIZER };

/* a child has no thread of its parent that may have closed it */
static void gate_forked(void)
{
	pthread_mutex_init(&gate.lock, NULL);
	pthread_cond_init(&gate.opens, NULL);
	gate.is_closed = false;
}

static void __attribute__((constructor)) gate_begin(void)
{
	pthread_atfork(NULL, NULL, gate_forked);
}

void gate_use(void)
{
	__atomic_store_n(&gate.is_used, true, __ATOMIC_RELEASE);
}

static void gate_wait(void)
{
	while (gate.is_closed)
		pthread_cond_wait(&gate.opens, &gate.lock);
}

void gate_close(bool (*is_quiet)(void *arg), void *arg)
{
	const struct timespec poll = { .tv_nsec = POLL_NS };
	unsigned int tries = 0;

	pthread_mutex_lock(&gate.lock);
	gate_wait();
	gate.is_closed = true;
	pthread_mutex_unlock(&gate.lock);
	while (!is_quiet(arg) && tries++ < QUIET_TRIES)
		nanosleep(&poll, NULL);
}

void gate_open(void)
{
	pthread_mutex_lock(&gate.lock);
	gate.is_closed = false;
	pthread_cond_broadcast(&gate.opens);
	pthread_mutex_unlock(&gate.lock);
}

/* ---- calls of ROCr: places of packets -------------------------------------------------- */

typedef uint64_t add_fn(const hsa_queue_t *queue, uint64_t value);

static uint64_t gate_add(add_fn *next, const hsa_queue_t *queue, uint64_t value)
{
	uint64_t index;
	int cancel;

	if (!__atomic_load_n(&gate.is_used, __ATOMIC_ACQUIRE))
		return next(queue, value);
	/* pthread_cond_wait() is where a thread is cancelled */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&gate.lock);
	gate_wait();
	index = next(queue, value);
	pthread_mutex_unlock(&gate.lock);
	pthread_setcancelstate(cancel, NULL);
	return index;
}

#define ADDS(function)							\
WRAPPER uint64_t function(const hsa_queue_t *queue, uint64_t value);	\
uint64_t function(const hsa_queue_t *queue, uint64_t value)		\
{									\
	static add_fn *next;						\
									\
	return NEXT(next, function) ? gate_add(next, queue, value) : 0;	\
}
ADDS(hsa_queue_add_write_index_relaxed)
ADDS(hsa_queue_add_write_index_acquire)
ADDS(hsa_queue_add_write_index_release)
ADDS(hsa_queue_add_write_index_acq_rel)
ADDS(hsa_queue_add_write_index_scacquire)
ADDS(hsa_queue_add_write_index_screlease)
ADDS(hsa_queue_add_write_index_scacq_screl)
