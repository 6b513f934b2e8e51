// SPDX-License-Identifier: GPL-2.0
/*
 * The program has written packets, and rings the doorbell. The packet processor may have a
 * packet before that: if another thread has rung for one behind it; and if queues are mapped
 * again, as when comparators change, it reads the write index from memory. So the headers of
 * kernels that are new become invalid, which is what it waits at, until the tool has
 * answered.
 *
 * A packet that another thread has rung for before it was written, or that a packet processor
 * had all the same, is not seen before it may begin. The message says so.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dispatches.h"
#include "flights.h"
#include "gate.h"
#include "kernels.h"
#include "next.h"

/* a dispatch that takes longer may wait for what the program does next */
#define SERIAL_MS	10000
/* indices have lower numbers than dispatches: "none has ended" is one, too */
#define FIRST_NUMBER	(1ULL << 32)
/* packets that were not there when a doorbell was rung behind them */
#define MAX_SKIPPED	64

/**
 * struct dispatches - those of a queue
 * @lock: of what follows, but for @users; a thread that has it may wait for the tool
 * @hsa: the queue
 * @queue: its number
 * @users: it is freed when there is none
 * @flights: those that may run
 * @serial: each waits for those before it
 * @next: index behind the packets that the tool knows
 * @held: index behind those that were held, if they are kernels; others read it
 * @skipped: indices before @next of packets that were not there
 * @nr_skipped: entries of @skipped
 * @said: the tool knows the queue
 * @other: the next queue's, under the lock of all
 * @headers: of each place of the ring, of a packet that is held; else 0
 */
struct dispatches {
	pthread_mutex_t lock;
	hsa_queue_t *hsa;
	uint32_t queue;
	unsigned int users;
	struct flights *flights;
	bool serial;
	uint64_t next;
	uint64_t held;
	uint64_t skipped[MAX_SKIPPED];
	unsigned int nr_skipped;
	bool said;
	struct dispatches *other;
	uint16_t headers[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dispatches *all;	/* under lock */
static bool rocr_is_complete;
static uint64_t (*write_index)(const hsa_queue_t *queue);	/* ROCr's */
static void (*drain)(void);

static void dispatches_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	all = NULL;
}

static void __attribute__((constructor)) dispatches_begin(void)
{
	pthread_atfork(NULL, NULL, dispatches_forked);
}

void dispatches_on_say(void (*before)(void))
{
	drain = before;
}

static bool variable_is_one(const char *name)
{
	const char *text = getenv(name);

	return text && !strcmp(text, "1");
}

bool dispatches_are_wanted(void)
{
	return variable_is_one("GPUBP_DISPATCHES") && grun_listener_is_there();
}

void dispatches_init(void)
{
	if (dispatches_are_wanted())
		rocr_is_complete = flights_init() &&
				   NEXT(write_index, hsa_queue_load_write_index_relaxed);
}

static void dispatches_link(struct dispatches *d)
{
	pthread_mutex_lock(&lock);
	d->other = all;
	all = d;
	pthread_mutex_unlock(&lock);
}

static void dispatches_unlink(struct dispatches *d)
{
	struct dispatches **at;

	pthread_mutex_lock(&lock);
	for (at = &all; *at && *at != d; at = &(*at)->other)
		;
	if (*at)
		*at = d->other;
	pthread_mutex_unlock(&lock);
}

struct dispatches *dispatches_new(hsa_queue_t *hsa, uint32_t queue)
{
	struct dispatches *d;

	if (!rocr_is_complete || !dispatches_are_wanted())
		return NULL;
	d = calloc(1, sizeof(*d) + hsa->size * sizeof(*d->headers));
	if (!d)
		return NULL;
	d->flights = flights_new();
	if (!d->flights) {
		free(d);
		return NULL;
	}
	pthread_mutex_init(&d->lock, NULL);
	d->hsa = hsa;
	d->queue = queue;
	d->users = 1;
	d->serial = variable_is_one("GPUBP_SERIAL");
	dispatches_link(d);
	gate_use();
	return d;
}

struct dispatches *dispatches_get(struct dispatches *d)
{
	if (d)
		__atomic_add_fetch(&d->users, 1, __ATOMIC_RELAXED);
	return d;
}

static void dispatches_put(struct dispatches *d)
{
	if (__atomic_sub_fetch(&d->users, 1, __ATOMIC_ACQ_REL))
		return;
	pthread_mutex_destroy(&d->lock);
	free(d);
}

void dispatches_end(struct dispatches *d, bool has_rocr)
{
	if (!d)
		return;
	dispatches_unlink(d);
	pthread_mutex_lock(&d->lock);
	if (d->said)
		grun_listener_close(0, d->queue);
	flights_free(d->flights, has_rocr);
	d->flights = NULL;
	pthread_mutex_unlock(&d->lock);
	dispatches_put(d);
}

/* ---- packets --------------------------------------------------------------------- */

static uint32_t place_of(const struct dispatches *d, uint64_t index)
{
	return (uint32_t)index & (d->hsa->size - 1);
}

static hsa_kernel_dispatch_packet_t *packet_at(const struct dispatches *d, uint64_t index)
{
	return (hsa_kernel_dispatch_packet_t *)d->hsa->base_address + place_of(d, index);
}

static unsigned int header_type(uint16_t header)
{
	return header >> HSA_PACKET_HEADER_TYPE & ((1U << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

static unsigned int packet_type(const hsa_kernel_dispatch_packet_t *packet)
{
	return header_type(__atomic_load_n(&packet->header, __ATOMIC_ACQUIRE));
}

/* a kernel; any other packet, and none that is there, go on as they are */
static void packet_hold(struct dispatches *d, uint64_t index)
{
	hsa_kernel_dispatch_packet_t *packet = packet_at(d, index);
	uint16_t header = __atomic_load_n(&packet->header, __ATOMIC_ACQUIRE);

	if (header_type(header) != HSA_PACKET_TYPE_KERNEL_DISPATCH)
		return;
	/* in this order for dispatches_header() */
	__atomic_store_n(&d->headers[place_of(d, index)], header, __ATOMIC_RELEASE);
	__atomic_store_n(&packet->header, HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE,
			 __ATOMIC_RELEASE);
}

static bool packet_is_held(const struct dispatches *d, uint64_t index)
{
	return d->headers[place_of(d, index)];
}

static void packet_release(struct dispatches *d, uint64_t index)
{
	uint16_t *header = &d->headers[place_of(d, index)];

	__atomic_store_n(&packet_at(d, index)->header, *header, __ATOMIC_RELEASE);
	__atomic_store_n(header, 0, __ATOMIC_RELEASE);
}

uint16_t dispatches_header(const struct dispatches *d, uint64_t index, const uint16_t *at)
{
	uint16_t header = __atomic_load_n(at, __ATOMIC_ACQUIRE), held;

	if (!d || header_type(header) != HSA_PACKET_TYPE_INVALID)
		return header;
	held = __atomic_load_n(&d->headers[place_of(d, index)], __ATOMIC_ACQUIRE);
	/* or it has just been released */
	return held ? held : __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/*
 * Those of threads that will ring for them, too: of what comes before, no queue is mapped again
 * any more.
 */
static void packets_hold(struct dispatches *d, uint64_t end)
{
	uint64_t index;

	for (index = d->next; index < end && index < d->next + d->hsa->size; index++)
		if (!packet_is_held(d, index))
			packet_hold(d, index);
	if (d->held < end)
		__atomic_store_n(&d->held, end, __ATOMIC_RELEASE);
}

static bool packets_are_there(const struct dispatches *d, uint64_t end)
{
	uint64_t index;

	for (index = d->next; index < end && index < d->next + d->hsa->size; index++)
		if (!packet_is_held(d, index) &&
		    packet_type(packet_at(d, index)) == HSA_PACKET_TYPE_INVALID)
			return false;
	return true;
}

/* the others' threads hold theirs when they ring */
static bool others_are_quiet(const struct dispatches *self)
{
	const struct dispatches *d;
	bool quiet = true;

	pthread_mutex_lock(&lock);
	for (d = all; d && quiet; d = d->other)
		quiet = d == self ||
			write_index(d->hsa) <= __atomic_load_n(&d->held, __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(&lock);
	return quiet;
}

/* of this one other threads wait for the lock */
static bool packets_are_quiet(void *arg)
{
	struct dispatches *d = arg;
	const uint64_t end = write_index(d->hsa);
	const bool are_there = packets_are_there(d, end);

	packets_hold(d, end);
	return are_there && others_are_quiet(d);
}

/* ---- what the tool gets -------------------------------------------------------------- */

static void dispatch_say(struct dispatches *d, uint64_t index,
			 const hsa_kernel_dispatch_packet_t *packet, bool began)
{
	const uint64_t first = flights_first(d->flights, packet->completion_signal);
	const struct grun_start start = {
		.queue = d->queue, .seq = FIRST_NUMBER + index, .began = began,
		.may_point = kernels_word_may_point,
		.done = FIRST_NUMBER + (first < index ? first : index) - 1,
	};
	bool known, readable = false;
	struct grun_kernel kernel;
	char block[KERNELS_BLOCK];

	known = kernels_find(packet->kernel_object, &kernel);
	if (known)
		readable = kernels_read_block(&kernel, packet->kernarg_address, block);
	/* hits of those that have ended, before what is watched changes */
	if (drain)
		drain();
	gate_close(packets_are_quiet, d);
	grun_listener_dispatch(&start, known ? &kernel : NULL, readable ? block : NULL);
	gate_open();
	d->said = true;
}

static void dispatch_begin(struct dispatches *d, uint64_t index)
{
	hsa_kernel_dispatch_packet_t *packet = packet_at(d, index);

	if (d->serial)
		d->serial = flights_wait(d->flights, packet->completion_signal, SERIAL_MS);
	dispatch_say(d, index, packet, false);
	flights_add(d->flights, index, packet, false);
	packet_release(d, index);
}

/* ---- which are new -------------------------------------------------------------------- */

/*
 * It may be over: its header is invalid then, but no other one has its place yet. Of what is no
 * kernel a workgroup has no size.
 */
static bool packet_was_kernel(const struct dispatches *d, uint64_t index)
{
	return packet_at(d, index)->workgroup_size_x &&
	       write_index(d->hsa) <= index + d->hsa->size;
}

static void dispatch_say_late(struct dispatches *d, uint64_t index)
{
	hsa_kernel_dispatch_packet_t *packet = packet_at(d, index);
	const unsigned int type = packet_type(packet);

	if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH)
		flights_add(d->flights, index, packet, true);
	if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH ||
	    (type == HSA_PACKET_TYPE_INVALID && packet_was_kernel(d, index)))
		dispatch_say(d, index, packet, true);
}

/* false: its thread rings for it later */
static bool skipped_is_there(const struct dispatches *d, uint64_t index, uint64_t last)
{
	return index == last || last >= index + d->hsa->size ||
	       packet_type(packet_at(d, index)) != HSA_PACKET_TYPE_INVALID;
}

static void skipped_look(struct dispatches *d, uint64_t last)
{
	unsigned int i = 0;
	uint64_t index;

	while (i < d->nr_skipped) {
		index = d->skipped[i];
		if (!skipped_is_there(d, index, last)) {
			i++;
			continue;
		}
		d->skipped[i] = d->skipped[--d->nr_skipped];
		dispatch_say_late(d, index);
	}
}

static void packet_look(struct dispatches *d, uint64_t index, bool is_last,
			dispatches_ring_fn *ring)
{
	if (packet_is_held(d, index)) {
		dispatch_begin(d, index);
		if (!is_last)
			ring(d->hsa->doorbell_signal, (hsa_signal_value_t)index);
	} else if (packet_type(packet_at(d, index)) == HSA_PACKET_TYPE_INVALID) {
		if (is_last || d->nr_skipped == MAX_SKIPPED)
			dispatch_say_late(d, index);
		else
			d->skipped[d->nr_skipped++] = index;
	}
}

static void packets_look(struct dispatches *d, uint64_t last, dispatches_ring_fn *ring)
{
	for (; d->next <= last; d->next++)
		packet_look(d, d->next, d->next == last, ring);
}

/* the tool is gone */
static void packets_pass(struct dispatches *d, uint64_t last)
{
	for (; d->next <= last; d->next++)
		if (packet_is_held(d, d->next))
			packet_release(d, d->next);
}

/* pipe() and send() are where a thread is cancelled: not with packets that are held */
void dispatches_ring(struct dispatches *d, uint64_t last, uint64_t end, dispatches_ring_fn *ring)
{
	int cancel;

	if (!d)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&d->lock);
	/* more than the ring has are not written yet */
	if (last >= d->hsa->size && d->next < last - d->hsa->size + 1)
		d->next = last - d->hsa->size + 1;
	if (d->flights && grun_listener_is_there()) {
		packets_hold(d, end);
		skipped_look(d, last);
		packets_look(d, last, ring);
	} else if (d->flights) {
		packets_pass(d, last);
	}
	pthread_mutex_unlock(&d->lock);
	pthread_setcancelstate(cancel, NULL);
	dispatches_put(d);
}
