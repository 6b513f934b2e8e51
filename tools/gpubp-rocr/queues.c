// SPDX-License-Identifier: GPL-2.0
/*
 * AQL packets of the program's queues, read from the ring before the doorbell is rung.
 *
 * Hits have the number that KFD gave the queue, which ROCr does not tell: the ioctl that
 * creates it does, of the address of the ring. The number of a packet is its index in the
 * queue; hits have lower bits of it, at least those that say where it is in the ring.
 *
 * A packet stays in the ring until its kernel has ended, and only then its place may have
 * another one: as ROCm's debugger API has it, a wave's packet is between the read and the
 * write index.
 */
#include <hsa.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dispatches.h"
#include "kfd.h"
#include "kfd_abi.h"
#include "names.h"
#include "next.h"
#include "queues.h"

/* indices behind which a producer may be that has not written its packet yet */
#define LATE	64

/**
 * struct ring - a queue of KFD's
 * @base: address of its ring
 * @id: its number
 * @next: the next one
 */
struct ring {
	uint64_t base;
	uint32_t id;
	struct ring *next;
};

/**
 * struct aql_queue - a queue of the program
 * @hsa: it
 * @times: how often it was created: one of cooperative kernels is the same each time
 * @doorbell: its doorbell
 * @launches: what it was given
 * @dispatches: for a tool that gets them before they begin; or NULL
 * @next_index: the index behind those that were rung for
 * @seen: of each place of the ring the index of the last packet that was read there, plus 1,
 *	32 bits of it; 0 none
 * @next: the next one
 */
struct aql_queue {
	hsa_queue_t *hsa;
	unsigned int times;
	uint64_t doorbell;
	struct grun_launches *launches;
	struct dispatches *dispatches;
	uint64_t next_index;
	uint32_t *seen;
	struct aql_queue *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ring *rings;		/* under lock */
static struct aql_queue *queues;	/* likewise; NULL is read without it */

/* a child has no queues of its parent, nor its threads, of which one may have had the lock */
static void queues_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	rings = NULL;
	queues = NULL;
}

static void __attribute__((constructor)) queues_begin(void)
{
	pthread_atfork(NULL, NULL, queues_forked);
}

/* ---- where the program launches -------------------------------------------------- */

static _Thread_local char launch_place[GRUN_CALLSITE_MAX];

void launch_begin(const void *caller)
{
	grun_callsite(caller, launch_place);
}

void launch_end(void)
{
	launch_place[0] = 0;
}

static const char *launch_site(char out[GRUN_CALLSITE_MAX])
{
	return launch_place[0] ? launch_place : grun_callsite(GRUN_OUTSIDE, out);
}

/* ---- packets ---------------------------------------------------------------------- */

static void packet_launch(struct aql_queue *q, uint64_t index,
			  const hsa_kernel_dispatch_packet_t *p, const char *site)
{
	const struct grun_launch launch = {
		.grid = { p->grid_size_x, p->grid_size_y, p->grid_size_z },
		.workgroup = { p->workgroup_size_x, p->workgroup_size_y,
			       p->workgroup_size_z },
	};

	grun_launches_add(q->launches, index, p->kernel_object, &launch, site);
}

/*
 * One that is not valid was not written yet, or is over: its place has what is not known.
 * Then, and if another thread may have written it, who rings for it reads it again.
 */
static void packet_read(struct aql_queue *q, uint64_t index, const char *site)
{
	const uint32_t place = index & (q->hsa->size - 1);
	const hsa_kernel_dispatch_packet_t *packet =
		(const hsa_kernel_dispatch_packet_t *)q->hsa->base_address + place;
	uint16_t header = dispatches_header(q->dispatches, index, &packet->header);
	unsigned int type = header >> HSA_PACKET_HEADER_TYPE &
			    ((1U << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
	bool is_seen = q->seen[place] == (uint32_t)(index + 1);

	if (type != HSA_PACKET_TYPE_INVALID)
		q->seen[place] = (uint32_t)(index + 1);
	if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH)
		packet_launch(q, index, packet, site);
	else if (type == HSA_PACKET_TYPE_INVALID && !is_seen)
		grun_launches_add(q->launches, index, 0, NULL, "");
}

static bool packet_is_seen(const struct aql_queue *q, uint64_t index)
{
	return q->seen[index & (q->hsa->size - 1)] == (uint32_t)(index + 1);
}

/* those behind which the doorbell was rung before, if they were not there then */
static void packets_read_late(struct aql_queue *q)
{
	uint64_t late = q->hsa->size < LATE ? q->hsa->size : LATE;
	uint64_t index = q->next_index > late ? q->next_index - late : 0;

	for (; index < q->next_index; index++)
		if (!packet_is_seen(q, index))
			packet_read(q, index, "");
}

/* up to @last; only that is surely the caller's */
static void packets_read(struct aql_queue *q, uint64_t last)
{
	char site[GRUN_CALLSITE_MAX];
	uint64_t index = q->next_index;

	packets_read_late(q);
	if (last >= q->next_index) {
		if (last - index >= q->hsa->size)
			index = last - q->hsa->size + 1;
		for (; index < last; index++)
			packet_read(q, index, "");
		q->next_index = last + 1;
	} else if (q->next_index - last > q->hsa->size) {
		return;
	}
	packet_read(q, last, launch_site(site));
}

static void doorbell_rings(uint64_t doorbell, uint64_t value, dispatches_ring_fn *ring)
{
	static uint64_t (*next)(const hsa_queue_t *queue);
	struct dispatches *dispatches = NULL;
	struct aql_queue *q;
	uint64_t last, end;

	/* the loader has a lock, which a thread may have that needs ours, in a constructor */
	if (!__atomic_load_n(&queues, __ATOMIC_ACQUIRE) ||
	    !NEXT(next, hsa_queue_load_write_index_relaxed))
		return;
	pthread_mutex_lock(&lock);
	for (q = queues; q && q->doorbell != doorbell; q = q->next)
		;
	end = q ? next(q->hsa) : 0;
	if (end) {
		/* some ring with the index behind the packet */
		last = value < end ? value : end - 1;
		packets_read(q, last);
		dispatches = dispatches_get(q->dispatches);
	}
	pthread_mutex_unlock(&lock);
	if (dispatches)
		dispatches_ring(dispatches, last, end, ring);
}

/* ---- queues ----------------------------------------------------------------------- */

static const struct ring *ring_find(uint64_t base)
{
	const struct ring *ring;

	for (ring = rings; ring && ring->base != base; ring = ring->next)
		;
	return ring;
}

static void ring_put(struct ring *ring)
{
	if (!ring)
		return;
	pthread_mutex_lock(&lock);
	ring->next = rings;
	rings = ring;
	pthread_mutex_unlock(&lock);
}

static void ring_add(uint64_t base, uint32_t id)
{
	struct ring *ring = malloc(sizeof(*ring));

	if (ring)
		*ring = (struct ring){ .base = base, .id = id };
	ring_put(ring);
}

/* NULL: there is none */
static struct ring *ring_take(uint32_t id)
{
	struct ring **at, *ring;

	pthread_mutex_lock(&lock);
	for (at = &rings; *at && (*at)->id != id; at = &(*at)->next)
		;
	ring = *at;
	if (ring)
		*at = ring->next;
	pthread_mutex_unlock(&lock);
	return ring;
}

/* @rocr: ROCr is there yet */
static void queue_free(struct aql_queue *q, bool rocr)
{
	if (!q)
		return;
	dispatches_end(q->dispatches, rocr);
	grun_launches_free(q->launches);
	free(q->seen);
	free(q);
}

static struct aql_queue *queue_new(hsa_queue_t *hsa)
{
	const struct ring *ring = ring_find((uintptr_t)hsa->base_address);
	struct aql_queue *q = ring ? calloc(1, sizeof(*q)) : NULL;

	if (!q)
		return NULL;
	q->hsa = hsa;
	q->times = 1;
	q->doorbell = hsa->doorbell_signal.handle;
	q->launches = grun_launches_new(0, ring->id, hsa->size);
	q->seen = calloc(hsa->size, sizeof(*q->seen));
	if (!q->launches || !q->seen) {
		queue_free(q, true);
		return NULL;
	}
	q->dispatches = dispatches_new(hsa, ring->id);
	return q;
}

static struct aql_queue **queue_find(const hsa_queue_t *hsa)
{
	struct aql_queue **at;

	for (at = &queues; *at && (*at)->hsa != hsa; at = &(*at)->next)
		;
	return at;
}

/* one whose ring KFD does not know, as of a tool that intercepts packets, is none of ours */
static void queue_add(hsa_queue_t *hsa)
{
	struct aql_queue *q;

	dispatches_init();
	pthread_mutex_lock(&lock);
	q = *queue_find(hsa);
	if (q) {
		q->times++;
	} else {
		q = queue_new(hsa);
		if (q) {
			q->next = queues;
			__atomic_store_n(&queues, q, __ATOMIC_RELEASE);
		}
	}
	pthread_mutex_unlock(&lock);
}

static void queue_remove(const hsa_queue_t *hsa)
{
	struct aql_queue **at, *q;

	pthread_mutex_lock(&lock);
	at = queue_find(hsa);
	q = *at;
	if (q && --q->times)
		q = NULL;
	if (q)
		__atomic_store_n(at, q->next, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	queue_free(q, true);
}

/* ROCr has ended: their memory, and that of their doorbells, may be others' from now on */
static void queues_forget(void)
{
	struct aql_queue *q, *next;

	pthread_mutex_lock(&lock);
	q = queues;
	__atomic_store_n(&queues, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	for (; q; q = next) {
		next = q->next;
		queue_free(q, false);
	}
}

/* ---- calls of ROCr, and its own of KFD ---------------------------------------------- */

WRAPPER hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size,
				      hsa_queue_type32_t type,
				      void (*callback)(hsa_status_t status,
						       hsa_queue_t *source, void *data),
				      void *data, uint32_t private_size,
				      uint32_t group_size, hsa_queue_t **queue)
{
	static hsa_status_t (*next)(hsa_agent_t, uint32_t, hsa_queue_type32_t,
				    void (*)(hsa_status_t, hsa_queue_t *, void *),
				    void *, uint32_t, uint32_t, hsa_queue_t **);
	hsa_status_t ret = HSA_STATUS_ERROR;

	if (NEXT(next, hsa_queue_create))
		ret = next(agent, size, type, callback, data, private_size, group_size,
			   queue);
	if (!ret)
		queue_add(*queue);
	return ret;
}

/* its memory may be another one's when this returns */
WRAPPER hsa_status_t hsa_queue_destroy(hsa_queue_t *queue)
{
	static hsa_status_t (*next)(hsa_queue_t *queue);

	queue_remove(queue);
	return NEXT(next, hsa_queue_destroy) ? next(queue) : HSA_STATUS_ERROR;
}

static bool rocr_has_ended(void)
{
	static hsa_status_t (*next)(hsa_system_info_t attribute, void *value);
	uint16_t version;

	return NEXT(next, hsa_system_get_info) &&
	       next(HSA_SYSTEM_INFO_VERSION_MAJOR, &version) ==
	       HSA_STATUS_ERROR_NOT_INITIALIZED;
}

/* the last of as many calls as of hsa_init() ends ROCr */
WRAPPER hsa_status_t hsa_shut_down(void);
hsa_status_t hsa_shut_down(void)
{
	static hsa_status_t (*next)(void);
	hsa_status_t ret = HSA_STATUS_ERROR;

	if (NEXT(next, hsa_shut_down))
		ret = next();
	if (!ret && rocr_has_ended())
		queues_forget();
	return ret;
}

#define STORES(function)						\
WRAPPER void function(hsa_signal_t signal, hsa_signal_value_t value)	\
{									\
	static void (*next)(hsa_signal_t signal, hsa_signal_value_t value); \
									\
	if (!NEXT(next, function))					\
		return;							\
	doorbell_rings(signal.handle, (uint64_t)value, next);		\
	next(signal, value);						\
}
STORES(hsa_signal_store_relaxed)
STORES(hsa_signal_store_screlease)
STORES(hsa_signal_store_release)

/* that of a queue which is being destroyed: its number may be another one's after that */
static struct ring *ioctl_begin(unsigned long request, const void *arg)
{
	const struct agent_kfd_destroy_queue *destroyed = arg;

	return kfd_is(request, AGENT_KFD_DESTROY_QUEUE) ? ring_take(destroyed->queue_id) : NULL;
}

static void ioctl_done(unsigned long request, const void *arg)
{
	const struct agent_kfd_create_queue *created = arg;

	if (kfd_is(request, AGENT_KFD_CREATE_QUEUE) && created->type == AGENT_KFD_AQL)
		ring_add(created->ring, created->queue_id);
}

WRAPPER int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int fd, unsigned long request, ...);
	struct ring *ending;
	void *arg;
	va_list ap;
	int ret = -1;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (kfd_asked(request, arg))
		return 0;
	ending = ioctl_begin(request, arg);
	if (NEXT(next, ioctl))
		ret = next(fd, request, arg);
	if (ret) {
		ring_put(ending);
		return ret;
	}
	free(ending);
	ioctl_done(request, arg);
	kfd_answered(request, arg);
	return ret;
}
