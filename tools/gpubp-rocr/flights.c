// SPDX-License-Identifier: GPL-2.0
/*
 * A signal that the program has may be destroyed, or be another packet's, as soon as the
 * program has seen its value: it is looked at under a lock, and not waited for. Those that
 * are in here are for packets without one, which are most.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "flights.h"
#include "names.h"
#include "next.h"

#define POLL_NS		100000
#define WAIT_TICKS	1000000		/* of ROCr's clock, 1 to 10 ms */

/**
 * struct flight - a dispatch
 * @index: of its packet
 * @signal: becomes less than @from when it ends; 0: it is destroyed
 * @from: value at the begin
 * @ours: it is one of ours
 */
struct flight {
	uint64_t index;
	hsa_signal_t signal;
	hsa_signal_value_t from;
	bool ours;
};

/**
 * struct flights - those of a queue
 * @list: in any order
 * @nr: entries of @list
 * @max: room in @list
 * @idle: signals that are not used, as many as there is room in @list
 * @nr_idle: entries of @idle
 * @next: the next queue's
 */
struct flights {
	struct flight *list;
	size_t nr;
	size_t max;
	hsa_signal_t *idle;
	size_t nr_idle;
	struct flights *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct flights *all;	/* under lock, as their lists */

/* ROCr's, not this library's */
static struct {
	hsa_status_t (*create)(hsa_signal_value_t value, uint32_t nr, const hsa_agent_t *agents,
			       hsa_signal_t *signal);
	hsa_status_t (*destroy)(hsa_signal_t signal);
	hsa_signal_value_t (*load)(hsa_signal_t signal);
	void (*store)(hsa_signal_t signal, hsa_signal_value_t value);
	hsa_signal_value_t (*wait)(hsa_signal_t signal, hsa_signal_condition_t condition,
				   hsa_signal_value_t value, uint64_t timeout,
				   hsa_wait_state_t state);
} rocr;

static void flights_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	all = NULL;
}

static void __attribute__((constructor)) flights_begin(void)
{
	pthread_atfork(NULL, NULL, flights_forked);
}

bool flights_init(void)
{
	return NEXT(rocr.create, hsa_signal_create) && NEXT(rocr.destroy, hsa_signal_destroy) &&
	       NEXT(rocr.load, hsa_signal_load_scacquire) &&
	       NEXT(rocr.store, hsa_signal_store_relaxed) &&
	       NEXT(rocr.wait, hsa_signal_wait_scacquire);
}

struct flights *flights_new(void)
{
	struct flights *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	pthread_mutex_lock(&lock);
	f->next = all;
	all = f;
	pthread_mutex_unlock(&lock);
	return f;
}

/* ---- which have ended: under the lock --------------------------------------------- */

static bool flight_has_ended(const struct flight *flight, hsa_signal_t new)
{
	if (!flight->signal.handle)
		return true;
	/* the program has seen it end: of one that counts several it would be more */
	if (!flight->ours && flight->signal.handle == new.handle && flight->from == 1)
		return true;
	return rocr.load(flight->signal) < flight->from;
}

static void flights_reap(struct flights *f, hsa_signal_t new)
{
	size_t i = 0;

	while (i < f->nr) {
		if (!flight_has_ended(&f->list[i], new)) {
			i++;
			continue;
		}
		if (f->list[i].ours)
			f->idle[f->nr_idle++] = f->list[i].signal;
		f->list[i] = f->list[--f->nr];
	}
}

static bool flights_grow(struct flights *f)
{
	const size_t max = f->max ? 2 * f->max : 8;
	struct flight *list;
	hsa_signal_t *idle;

	if (f->nr < f->max)
		return true;
	list = realloc(f->list, max * sizeof(*list));
	if (list)
		f->list = list;
	idle = realloc(f->idle, max * sizeof(*idle));
	if (idle)
		f->idle = idle;
	if (list && idle)
		f->max = max;
	return list && idle;
}

/* ---- one ---------------------------------------------------------------------------- */

static bool signal_get(struct flights *f, hsa_signal_t *signal)
{
	if (!f->nr_idle)
		return !rocr.create(1, 0, NULL, signal);
	*signal = f->idle[--f->nr_idle];
	rocr.store(*signal, 1);
	return true;
}

/* without a signal it is not waited for */
void flights_add(struct flights *f, uint64_t index, hsa_kernel_dispatch_packet_t *packet,
		 bool began)
{
	struct flight new = { .index = index, .signal = packet->completion_signal, .from = 1 };
	bool ok;

	pthread_mutex_lock(&lock);
	ok = flights_grow(f);
	if (new.signal.handle) {
		new.from = rocr.load(new.signal);
	} else if (ok) {
		new.ours = !began && signal_get(f, &new.signal);
		ok = new.ours;
	}
	if (ok)
		f->list[f->nr++] = new;
	pthread_mutex_unlock(&lock);
	if (new.ours)
		packet->completion_signal = new.signal;
}

uint64_t flights_first(struct flights *f, hsa_signal_t signal)
{
	uint64_t first = FLIGHTS_NONE;
	size_t i;

	pthread_mutex_lock(&lock);
	flights_reap(f, signal);
	for (i = 0; i < f->nr; i++)
		if (f->list[i].index < first)
			first = f->list[i].index;
	pthread_mutex_unlock(&lock);
	return first;
}

/* ---- waiting ------------------------------------------------------------------------- */

/* one that runs; false: none does */
static bool flights_any(struct flights *f, hsa_signal_t new, struct flight *any)
{
	bool found;

	pthread_mutex_lock(&lock);
	flights_reap(f, new);
	found = f->nr;
	if (found)
		*any = f->list[0];
	pthread_mutex_unlock(&lock);
	return found;
}

static int64_t now_ms(void)
{
	return (int64_t)(grun_name_time() / 1000000);
}

bool flights_wait(struct flights *f, hsa_signal_t signal, int timeout_ms)
{
	const struct timespec poll = { .tv_nsec = POLL_NS };
	const int64_t end = now_ms() + timeout_ms;
	struct flight any;

	while (flights_any(f, signal, &any)) {
		if (now_ms() >= end)
			return false;
		if (any.ours)
			rocr.wait(any.signal, HSA_SIGNAL_CONDITION_LT, any.from, WAIT_TICKS,
				  HSA_WAIT_STATE_BLOCKED);
		else
			nanosleep(&poll, NULL);
	}
	return true;
}

/* ---- ends ----------------------------------------------------------------------------- */

void flights_forget_signal(hsa_signal_t signal)
{
	struct flights *f;
	size_t i;

	pthread_mutex_lock(&lock);
	for (f = all; f; f = f->next)
		for (i = 0; i < f->nr; i++)
			if (f->list[i].signal.handle == signal.handle)
				f->list[i].signal.handle = 0;
	pthread_mutex_unlock(&lock);
}

static void flights_unlink(struct flights *f)
{
	struct flights **at;

	for (at = &all; *at && *at != f; at = &(*at)->next)
		;
	if (*at)
		*at = f->next;
}

/* what runs may store to its signal yet */
void flights_free(struct flights *f, bool has_rocr)
{
	if (!f)
		return;
	pthread_mutex_lock(&lock);
	if (has_rocr)
		flights_reap(f, (hsa_signal_t){ 0 });
	flights_unlink(f);
	pthread_mutex_unlock(&lock);
	while (has_rocr && f->nr_idle)
		rocr.destroy(f->idle[--f->nr_idle]);
	free(f->list);
	free(f->idle);
	free(f);
}

WRAPPER hsa_status_t hsa_signal_destroy(hsa_signal_t signal);
hsa_status_t hsa_signal_destroy(hsa_signal_t signal)
{
	static hsa_status_t (*next)(hsa_signal_t signal);

	flights_forget_signal(signal);
	return NEXT(next, hsa_signal_destroy) ? next(signal) : HSA_STATUS_ERROR;
}
