// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kfd.h"
#include "kfd_abi.h"
#include "late.h"
#include "node.h"
#include "session.h"
#include "unattended.h"
#include "waves.h"

#define TMA_BYTES	4096u
#define PAGE		4096u
#define CLOCKS_NS	1000000u
#define MIN_PLACES	4096u
#define GFX942		90402	/* its dispatcher always tells waves where they are */

/*
 * What waves write while the host reads it.
 */
#define ONCE(x)		(*(volatile __typeof__(x) *)&(x))

/**
 * struct armed - a slot
 * @is_set: it has a comparator
 * @id: KFD's number of it
 * @slot: what it is for
 * @last: its comparator's counters when they were looked at
 * @counts: since it was set, up to then
 */
struct armed {
	bool is_set;
	uint32_t id;
	struct agent_slot slot;
	struct agent_counts last;
	struct agent_counts counts;
};

/**
 * struct clocks - both at a time
 * @gpu: of the GPU, ticks
 * @ns: CLOCK_BOOTTIME
 */
struct clocks {
	uint64_t gpu;
	uint64_t ns;
};

/**
 * struct session - see session.h
 * @first: clocks when it began
 * @last: when they were read last
 * @kfd: file
 * @gpu: the GPU
 * @handler: what waves enter
 * @layout: of its memory
 * @tma: that memory
 * @places: the ring
 * @nr_places: how many
 * @events: end of a pipe to which amdkfd writes when a wave sends an interrupt
 * @events_in: its other end
 * @armed: slots
 * @slot_of: of each comparator, the slot that has or had it
 * @has_setup: waves from before it know where they are
 */
struct session {
	int kfd;
	struct kfd_gpu *gpu;
	struct unattended handler;
	const struct gpubp_handler *layout;
	unsigned char *tma;
	unsigned char *places;
	uint32_t nr_places;
	int events, events_in;
	struct armed armed[AGENT_SLOTS];
	uint8_t slot_of[AGENT_SLOTS];
	struct clocks first, last;
	bool has_setup;
};

/* what ROCr's next handler is for, see keep_handler() */
static struct session *installed;

static int refuse(struct agent_hello *hello, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct agent_hello *hello, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(hello->text, sizeof(hello->text), fmt, ap);
	va_end(ap);
	hello->err = err;
	return err;
}

/* ---- which GPU -------------------------------------------------------------------- */

/* the first one that can be watched; else @hello says why the first one cannot */
static int find_gpu(struct session *s, struct node *node, struct agent_hello *hello)
{
	unsigned int n;

	for (n = 0; kfd_gpu_at(n); n++) {
		s->gpu = kfd_gpu_at(n);
		*node = node_of(s->gpu->id);
		if (unattended_find(node->gfx, &s->handler) && s->gpu->tba &&
		    s->gpu->drm_fd >= 0) {
			s->layout = s->handler.layout;
			return 0;
		}
	}
	if (!kfd_gpu_at(0))
		return refuse(hello, -ENODEV,
			      "this process's ROCr has no GPU, or not yet");
	*node = node_of(kfd_gpu_at(0)->id);
	hello->gfx = node->gfx;
	if (unattended_find(node->gfx, &s->handler))
		return refuse(hello, -ENOSYS,
			      "this process's ROCr has no trap handler: a debugger of the GPU is needed");
	return refuse(hello, -EOPNOTSUPP,
		      "the GPU is gfx%u%u%x: it has no precise memory, so that the address of an access is not known behind it; gfx90a and gfx942 have it",
		      node->gfx / 10000, node->gfx / 100 % 100, node->gfx % 100);
}

/* ---- amdkfd ------------------------------------------------------------------------- */

static int debug_trap(struct session *s, uint32_t op, struct agent_kfd_trap *args)
{
	args->pid = (uint32_t)getpid();
	args->op = op;
	return kfd_ioctl(s->kfd, AGENT_KFD_TRAP, args);
}

/* this process is its own debugger */
static int enable_debug(struct session *s, struct agent_hello *hello)
{
	struct agent_kfd_runtime_info runtime = { 0 };
	struct agent_kfd_trap args = {
		.enable = {
			.exception_mask = s->layout->notify_code,
			.rinfo_ptr = (uintptr_t)&runtime,
			.rinfo_size = sizeof(runtime),
		},
	};
	int fds[2], ret;

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		return refuse(hello, -errno, "no pipe: %s", strerror(errno));
	s->events = fds[0];
	s->events_in = fds[1];
	args.enable.dbg_fd = (uint32_t)fds[1];
	ret = debug_trap(s, AGENT_TRAP_ENABLE, &args);
	if (ret == -EALREADY)
		return refuse(hello, ret,
			      "another debugger of the GPU has this process, such as rocgdb: it keeps it");
	if (ret)
		return refuse(hello, ret, "amdkfd does not let the process debug itself: %s",
			      strerror(-ret));
	s->has_setup = runtime.ttmp_setup || hello->gfx == GFX942;
	return 0;
}

static int set_precise(struct session *s, struct agent_hello *hello)
{
	struct agent_kfd_trap args = { .flags.flags = AGENT_TRAP_PRECISE };
	int ret = debug_trap(s, AGENT_TRAP_FLAGS, &args);

	if (ret == -EACCES)
		return refuse(hello, ret,
			      "another GPU of the process has no precise memory: hide it by ROCR_VISIBLE_DEVICES and a device cgroup");
	if (ret)
		return refuse(hello, ret, "no precise memory: %s", strerror(-ret));
	return 0;
}

/* waves that are launched from now on trap for hits */
static int override_launch(struct session *s, struct agent_hello *hello)
{
	struct agent_kfd_trap args = {
		.override.enable_mask = AGENT_TRAP_WATCHES,
		.override.support_request_mask = AGENT_TRAP_WATCHES,
	};
	int ret = debug_trap(s, AGENT_TRAP_OVERRIDE, &args);

	if (ret)
		return refuse(hello, ret, "waves cannot be made to trap for hits: %s",
			      strerror(-ret));
	return 0;
}

/* and those that run already */
static int catch_up(struct session *s, const struct node *node, struct agent_hello *hello)
{
	int ret = waves_catch_up(s->kfd, node, s->has_setup);

	if (ret)
		return refuse(hello, ret, "waves that run cannot be made to trap for hits: %s",
			      strerror(-ret));
	return 0;
}

static int set_handler(struct session *s, uint64_t tba, uint64_t tma)
{
	struct agent_kfd_set_trap_handler args = {
		.tba_addr = tba, .tma_addr = tma, .gpu_id = s->gpu->id,
	};

	return kfd_ioctl(s->kfd, AGENT_KFD_SET_TRAP_HANDLER, &args);
}

static void *map_by_file(struct session *s, void *at, uint64_t size, off_t offset)
{
	void *map;

	do
		map = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			   s->gpu->drm_fd, offset);
	while (map == MAP_FAILED && late_next_file(s->gpu));
	return map == MAP_FAILED ? NULL : map;
}

/* system memory, at the same address for the host and for waves, which may execute it */
static void *map_memory(struct session *s, uint64_t size)
{
	struct agent_kfd_alloc memory = {
		.size = size, .gpu_id = s->gpu->id, .flags = AGENT_ALLOC_FLAGS,
	};
	struct agent_kfd_map map = {
		.device_ids_array_ptr = (uintptr_t)&s->gpu->id, .n_devices = 1,
	};
	void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	memory.va_addr = (uintptr_t)at;
	if (kfd_ioctl(s->kfd, AGENT_KFD_ALLOC, &memory))
		return NULL;
	map.handle = memory.handle;
	if (kfd_ioctl(s->kfd, AGENT_KFD_MAP, &map))
		return NULL;
	return map_by_file(s, at, size, (off_t)memory.mmap_offset);
}

/* ---- clocks -------------------------------------------------------------------------- */

int session_queues(const struct session *s, struct agent_kfd_queue *queues)
{
	return waves_queues(s->kfd, s->gpu->id, queues);
}

int session_node(const struct session *s)
{
	return s->gpu->drm_fd;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool clocks_read(struct session *s, struct clocks *c)
{
	struct agent_kfd_clocks args = { .gpu_id = s->gpu->id };

	if (kfd_ioctl(s->kfd, AGENT_KFD_CLOCKS, &args))
		return false;
	*c = (struct clocks){ .gpu = args.gpu, .ns = args.boottime };
	return true;
}

/* hits come in batches: what was read for one of them is good for those of the next ms */
static bool clocks_update(struct session *s, uint64_t now)
{
	if (now - s->last.ns >= CLOCKS_NS && !clocks_read(s, &s->last))
		return false;
	return s->last.ns - s->first.ns >= CLOCKS_NS && s->last.gpu > s->first.gpu;
}

uint64_t session_time(struct session *s, uint64_t clock)
{
	uint64_t boot = now_ns(CLOCK_BOOTTIME), mono = now_ns(CLOCK_MONOTONIC);
	double ticks;
	int64_t ns;

	if (!clocks_update(s, boot))
		return mono;
	ticks = (double)(int64_t)(clock - s->last.gpu);
	ns = (int64_t)(ticks * (double)(s->last.ns - s->first.ns) /
		       (double)(s->last.gpu - s->first.gpu));
	ns += (int64_t)(s->last.ns - boot);
	return ns < 0 && -ns < (int64_t)mono ? mono - (uint64_t)-ns : mono;
}

/* ---- the handler, and its memory ---------------------------------------------------- */

static struct gpubp_handler_ring *ring(struct session *s)
{
	return (void *)(s->tma + s->layout->ring_offset);
}

static struct gpubp_handler_filter *filter(struct session *s, uint32_t id)
{
	return (struct gpubp_handler_filter *)(s->tma + s->layout->filter_offset) + id;
}

static uint32_t counted(struct session *s, uint32_t id)
{
	struct gpubp_handler_counter *c = (void *)(s->tma + s->layout->counter_offset);

	return ONCE(c[id].value);
}

/* ROCr's handler is called for what ours does not handle */
static void set_third(struct session *s)
{
	uint64_t *third = (uint64_t *)(s->tma + s->layout->third_offset);

	/* no wave may call the old one with the memory of the new one */
	__atomic_store_n(&third[0], 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&third[1], s->gpu->tma, __ATOMIC_SEQ_CST);
	__atomic_store_n(&third[0], s->gpu->tba, __ATOMIC_SEQ_CST);
}

static void keep_handler(const struct kfd_gpu *gpu)
{
	if (installed && installed->gpu == gpu)
		set_third(installed);
}

/* in front of the handler's memory */
static uint64_t code_size(const struct session *s)
{
	return (s->handler.code_bytes + PAGE - 1) / PAGE * PAGE;
}

static uint32_t places_for(uint32_t waves)
{
	uint32_t nr = MIN_PLACES;

	while (nr < 2 * waves)
		nr *= 2;
	return nr;
}

/*
 * Memory that waves have used may be in use for longer than the session: it is kept for the
 * next one of the process.
 */
static int init_memory(struct session *s, const struct node *node, struct agent_hello *hello)
{
	static unsigned char *memory;
	uint64_t code = code_size(s);

	s->nr_places = places_for(node->waves);
	if (!memory)
		memory = map_memory(s, code + TMA_BYTES + (uint64_t)s->nr_places * AGENT_PLACE);
	if (!memory)
		return refuse(hello, -ENOMEM, "no memory of the GPU for the ring of hits");
	memcpy(memory, s->handler.code, s->handler.code_bytes);
	s->tma = memory + code;
	s->places = s->tma + TMA_BYTES;
	memset(s->tma, 0, TMA_BYTES + (uint64_t)s->nr_places * AGENT_PLACE);
	*ring(s) = (struct gpubp_handler_ring) {
		.base = (uintptr_t)s->places,
		.limit = s->nr_places - node->waves,
		.mask = s->nr_places - 1,
		.on = ~0u,
		.notify = ~0u,
	};
	set_third(s);
	return 0;
}

static int install_handler(struct session *s, struct agent_hello *hello)
{
	int ret = set_handler(s, (uintptr_t)s->tma - code_size(s), (uintptr_t)s->tma);

	if (ret)
		return refuse(hello, ret, "no trap handler: %s", strerror(-ret));
	installed = s;
	s->gpu->keep = keep_handler;
	return 0;
}

static void free_session(struct session *s)
{
	if (s->kfd >= 0)
		close(s->kfd);
	if (s->events >= 0)
		close(s->events);
	if (s->events_in >= 0)
		close(s->events_in);
	free(s);
}

static void disable_debug(struct session *s)
{
	struct agent_kfd_trap args = { 0 };

	debug_trap(s, AGENT_TRAP_DISABLE, &args);
}

/* all that is to be undone by disabling */
static int enter_debug(struct session *s, const struct node *node, struct agent_hello *hello)
{
	int ret = set_precise(s, hello);

	ret = ret ? ret : init_memory(s, node, hello);
	ret = ret ? ret : install_handler(s, hello);
	ret = ret ? ret : override_launch(s, hello);
	ret = ret ? ret : catch_up(s, node, hello);
	if (ret && s->gpu->keep) {
		s->gpu->keep = NULL;
		installed = NULL;
		set_handler(s, s->gpu->tba, s->gpu->tma);
	}
	return ret;
}

int session_open(struct session **session, struct agent_hello *hello)
{
	struct session *s = calloc(1, sizeof(*s));
	struct node node = { 0 };
	int ret;

	if (!s)
		return refuse(hello, -ENOMEM, "out of memory");
	s->kfd = s->events = s->events_in = -1;
	ret = find_gpu(s, &node, hello);
	if (!ret) {
		hello->gfx = node.gfx;
		hello->granule = s->handler.granule;
		hello->largest = s->handler.largest;
		s->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
		if (s->kfd < 0)
			ret = refuse(hello, -errno, "/dev/kfd: %s", strerror(errno));
	}
	ret = ret ? ret : enable_debug(s, hello);
	if (!ret) {
		clocks_read(s, &s->first);
		s->last = s->first;
		ret = enter_debug(s, &node, hello);
		if (ret)
			disable_debug(s);
	}
	if (ret)
		free_session(s);
	else
		*session = s;
	return ret;
}

void session_close(struct session *s)
{
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++)
		session_clear(s, n);
	s->gpu->keep = NULL;
	installed = NULL;
	set_handler(s, s->gpu->tba, s->gpu->tma);
	disable_debug(s);
	free_session(s);
}

/* ---- comparators --------------------------------------------------------------------- */

/* counters of a comparator, which go on for ever */
static void comparator_counts(struct session *s, uint32_t id, struct agent_counts *c)
{
	*c = (struct agent_counts) {
		counted(s, id), ONCE(filter(s, id)->strays),
		ONCE(filter(s, id)->undecided), ONCE(filter(s, id)->lost),
	};
}

static void filter_set(struct session *s, uint32_t id, const struct agent_slot *slot)
{
	struct gpubp_handler_filter *f = filter(s, id);
	unsigned int n;

	for (n = 0; n < slot->nr; n++) {
		f->range[n].first = slot->range[n].first;
		f->range[n].last = slot->range[n].last;
	}
	__atomic_store_n(&f->nr, slot->nr, __ATOMIC_SEQ_CST);
}

static void filter_end(struct session *s, uint32_t id)
{
	__atomic_store_n(&filter(s, id)->nr, 0, __ATOMIC_SEQ_CST);
}

/* what is decided; what is not is recorded in any case */
static void record_decided(struct session *s, uint32_t id, bool on)
{
	const uint32_t bits = (1u | 1u << GPUBP_HANDLER_ATOMICS_SHIFT) << id;
	const uint32_t was = ring(s)->on;

	__atomic_store_n(&ring(s)->on, on ? was | bits : was & ~bits, __ATOMIC_SEQ_CST);
}

static bool comparator_is_ours(struct session *s, uint32_t id)
{
	unsigned int n;

	for (n = 0; n < AGENT_SLOTS; n++)
		if (s->armed[n].is_set && s->armed[n].id == id)
			return true;
	return false;
}

/* of those that are not ours, as it is not known which one we get */
static void filters_of_others(struct session *s, const struct agent_slot *slot)
{
	uint32_t id;

	for (id = 0; id < AGENT_SLOTS; id++) {
		if (comparator_is_ours(s, id))
			continue;
		if (!slot) {
			filter_end(s, id);
			continue;
		}
		record_decided(s, id, !slot->counts);
		filter_set(s, id, slot);
	}
}

/* waves that find no place wait for some time more, as they are being taken */
static void be_patient(struct session *s)
{
	struct clocks now;
	uint32_t until;

	if (!clocks_read(s, &now))
		return;
	until = (uint32_t)now.gpu + GPUBP_HANDLER_RING_WAIT / 5 * 3;
	__atomic_store_n(&ring(s)->until, until ? until : 1, __ATOMIC_SEQ_CST);
}

/* amdkfd takes the queues off the GPU: no wave waits in the handler during that */
static int impatient_trap(struct session *s, uint32_t op, struct agent_kfd_trap *args)
{
	int ret;

	__atomic_store_n(&ring(s)->until, 0, __ATOMIC_SEQ_CST);
	ret = debug_trap(s, op, args);
	be_patient(s);
	return ret;
}

int session_set(struct session *s, unsigned int n, const struct agent_slot *slot)
{
	struct agent_kfd_trap args = {
		.set_watch = {
			.address = slot->value, .mode = slot->mode,
			.mask = (uint32_t)slot->mask, .gpu_id = s->gpu->id,
		},
	};
	struct armed *armed = &s->armed[n];
	struct agent_counts last[AGENT_SLOTS];
	uint32_t id;
	int ret;

	if (armed->is_set || !slot->nr || slot->nr > AGENT_RANGES)
		return -EINVAL;
	for (id = 0; id < AGENT_SLOTS; id++)
		comparator_counts(s, id, &last[id]);
	filters_of_others(s, slot);
	ret = impatient_trap(s, AGENT_TRAP_SET_WATCH, &args);
	if (!ret && args.set_watch.id >= AGENT_SLOTS)
		ret = -ERANGE;
	if (!ret) {
		armed->is_set = true;
		armed->id = args.set_watch.id;
		armed->slot = *slot;
		armed->last = last[armed->id];
		armed->counts = (struct agent_counts){ 0 };
		s->slot_of[armed->id] = (uint8_t)n;
	}
	filters_of_others(s, NULL);
	return ret;
}

/* on return no wave is in the handler that was in it before: the GPU had none of ours */
static int leave_handler(struct session *s)
{
	struct agent_kfd_trap args = { .flags.flags = AGENT_TRAP_PRECISE };

	return impatient_trap(s, AGENT_TRAP_FLAGS, &args);
}

static void range_set(struct gpubp_handler_range *to, const struct agent_range *from)
{
	__atomic_store_n(&to->first, from->first, __ATOMIC_SEQ_CST);
	__atomic_store_n(&to->last, from->last, __ATOMIC_SEQ_CST);
}

static struct agent_range whole_block(const struct agent_slot *slot)
{
	return (struct agent_range) {
		.first = slot->value,
		.last = agent_block_last(slot->value, slot->mask) |
			7ull << AGENT_KINDS_SHIFT,
	};
}

/*
 * Waves look at the first range last: while that is the block, it does not matter what they
 * find in the others. What is neither in the old ranges nor in the new ones is recorded,
 * too, for who reads it to find that out.
 */
int session_update(struct session *s, unsigned int n, const struct agent_slot *slot)
{
	struct armed *armed = &s->armed[n];
	const struct agent_range whole = whole_block(slot);
	struct gpubp_handler_filter *f = filter(s, armed->id);
	unsigned int i;
	int ret;

	if (!armed->is_set || !agent_same_block(slot, &armed->slot) || !slot->nr ||
	    slot->nr > AGENT_RANGES)
		return -EINVAL;
	record_decided(s, armed->id, true);
	ret = leave_handler(s);
	if (ret)
		return ret;
	range_set(&f->range[0], &whole);
	ret = leave_handler(s);
	if (ret)
		return ret;
	for (i = 1; i < slot->nr; i++)
		range_set(&f->range[i], &slot->range[i]);
	__atomic_store_n(&f->nr, slot->nr, __ATOMIC_SEQ_CST);
	ret = leave_handler(s);
	if (ret)
		return ret;
	range_set(&f->range[0], &slot->range[0]);
	armed->slot = *slot;
	return 0;
}

/* counters have 32 bits */
static void counts_take(struct session *s, struct armed *armed)
{
	struct agent_counts now, *last = &armed->last, *c = &armed->counts;

	comparator_counts(s, armed->id, &now);
	c->counted += (uint32_t)(now.counted - last->counted);
	c->strays += (uint32_t)(now.strays - last->strays);
	c->undecided += (uint32_t)(now.undecided - last->undecided);
	c->lost += (uint32_t)(now.lost - last->lost);
	*last = now;
}

void session_clear(struct session *s, unsigned int n)
{
	struct armed *armed = &s->armed[n];
	struct agent_kfd_trap args = {
		.clear_watch = { .gpu_id = s->gpu->id, .id = armed->id },
	};

	if (!armed->is_set)
		return;
	impatient_trap(s, AGENT_TRAP_CLEAR_WATCH, &args);
	counts_take(s, armed);
	armed->is_set = false;
	filter_end(s, armed->id);
}

void session_counts(struct session *s, unsigned int n, struct agent_counts *counts)
{
	if (s->armed[n].is_set)
		counts_take(s, &s->armed[n]);
	*counts = s->armed[n].counts;
}

/* ---- the ring ------------------------------------------------------------------------- */

static unsigned char *place_of(struct session *s, uint32_t number)
{
	return s->places + (size_t)(number % s->nr_places) * AGENT_PLACE;
}

static bool place_is_complete(struct session *s, uint32_t number)
{
	uint32_t *first = (uint32_t *)place_of(s, number);

	return __atomic_load_n(first, __ATOMIC_ACQUIRE) == gpubp_place_seq(number);
}

unsigned int session_read(struct session *s, struct agent_hits *hits,
			  unsigned char (*places)[AGENT_PLACE], unsigned int max)
{
	uint32_t tail = ring(s)->tail;

	hits->first = tail;
	memcpy(hits->slot, s->slot_of, sizeof(hits->slot));
	for (hits->nr = 0; hits->nr < max && place_is_complete(s, tail); hits->nr++) {
		memcpy(places[hits->nr], place_of(s, tail), AGENT_PLACE);
		tail++;
	}
	__atomic_store_n(&ring(s)->tail, tail, __ATOMIC_RELEASE);
	if (hits->nr)
		be_patient(s);
	return hits->nr;
}

uint32_t session_head(struct session *s)
{
	return __atomic_load_n(&ring(s)->head, __ATOMIC_SEQ_CST);
}

bool session_is_drained(struct session *s, uint32_t head)
{
	return (int32_t)(head - ring(s)->tail) <= 0;
}

void session_skip(struct session *s)
{
	unsigned int n;

	/* which comparator's it was is not known: of the first one that is set */
	for (n = 0; n < AGENT_SLOTS - 1 && !s->armed[n].is_set; n++)
		;
	s->armed[n].counts.lost++;
	__atomic_store_n(&ring(s)->tail, ring(s)->tail + 1, __ATOMIC_RELEASE);
}

int session_fd(const struct session *s)
{
	return s->events;
}

bool session_sleep(struct session *s)
{
	char dots[64];

	be_patient(s);
	while (read(s->events, dots, sizeof(dots)) > 0)
		;
	__atomic_store_n(&ring(s)->notify, session_head(s), __ATOMIC_SEQ_CST);
	return session_is_drained(s, session_head(s));
}
