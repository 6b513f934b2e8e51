// SPDX-License-Identifier: GPL-2.0
/*
 * The session on a node, over an amdkfd that does what the test says: who gives way, what is
 * undone, which comparator has which filter when, and the ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpubp_isa.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kfd.h"
#include "kfd_abi.h"
#include "late.h"
#include "session.h"
#include "tap.h"
#include "unattended.h"

#define GPU_ID		4711
#define WAVES		(4 * 8)
#define ROCR_TBA	0x7000000
#define ROCR_TMA	0x7100000

/* a save area with two waves: of 8 vector and 16 scalar registers, and 512 bytes of LDS */
#define QUEUE		12
#define AREA_WORDS	4096
#define STACK_WORDS	8
#define STATE		(1u << 31 | 1u << 9 | 1u << 6)
#define FIRST_WAVE	(1u << 17)
#define RECORD_TAIL	(32 + 16)	/* words, with the gap */
#define RECORD_FRONT	(8 * 64 + 16)
#define RECORD_LDS	128

/**
 * struct fake - an amdkfd
 * @gfx: version of the GPU
 * @gpu: of the process
 * @has_gpu: it has one
 * @err: what an operation of debugging returns
 * @enabled: the process debugs itself
 * @flags: SET_FLAGS
 * @override: mask of SET_WAVE_LAUNCH_OVERRIDE
 * @tba: trap handler
 * @tma: its memory
 * @used: comparators that are taken: bits
 * @set: the last SET
 * @nr_at_set: number of ranges of each filter when it was called
 * @cleared: number of CLEARs
 * @filter_at_flags: the first filter at each of the last three SET_FLAGS
 * @on_at_flags: gpubp_handler_ring.on at the same times
 * @nr_flags: number of SET_FLAGS
 * @has_queue: the process had a queue before
 * @ttmp_setup: and its waves know where they are
 * @suspended: it is off the GPU
 * @area: its save area
 * @mode_at_resume: of the first wave in it
 * @ttmp6_at_resume: likewise
 */
static struct fake {
	uint32_t gfx;
	struct kfd_gpu gpu;
	bool has_gpu;
	int err[16];
	bool enabled;
	uint32_t flags;
	uint32_t override;
	uint64_t tba, tma;
	uint32_t used;
	struct agent_kfd_trap_set_watch set;
	uint32_t nr_at_set[AGENT_SLOTS];
	unsigned int cleared;
	struct gpubp_handler_filter filter_at_flags[3];
	uint32_t on_at_flags[3];
	unsigned int nr_flags;
	bool has_queue;
	uint32_t ttmp_setup;
	bool suspended;
	uint32_t area[AREA_WORDS];
	uint32_t mode_at_resume, ttmp6_at_resume;
} fake;

static struct session *session;
static struct agent_hello hello;
static struct unattended handler;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

static FILE *text_file(const char *text)
{
	FILE *file = tmpfile();

	fputs(text, file);
	rewind(file);
	return file;
}

/* node 1 */
FILE *__wrap_fopen(const char *path, const char *mode)
{
	char text[128];

	if (strncmp(path, "/sys/class/kfd/", 15))
		return __real_fopen(path, mode);
	if (!strstr(path, "/nodes/1/"))
		return NULL;
	if (strstr(path, "gpu_id"))
		snprintf(text, sizeof(text), "%u\n", GPU_ID);
	else
		snprintf(text, sizeof(text),
			 "cpu_cores_count 0\nsimd_count 4\nmax_waves_per_simd 8\ngfx_target_version %u\n",
			 fake.gfx);
	return text_file(text);
}

int __wrap_open(const char *path, int flags, ...)
{
	return __real_open(strcmp(path, "/dev/kfd") ? path : "/dev/null", flags);
}

struct kfd_gpu *kfd_gpu_at(unsigned int n)
{
	return fake.has_gpu && !n ? &fake.gpu : NULL;
}

bool late_next_file(struct kfd_gpu *gpu)
{
	(void)gpu;
	return false;
}

static struct gpubp_handler_filter *filter(unsigned int id)
{
	return (struct gpubp_handler_filter *)(uintptr_t)(fake.tma +
							  handler.layout->filter_offset) + id;
}

static struct gpubp_handler_counter *counter(unsigned int id)
{
	return (struct gpubp_handler_counter *)(uintptr_t)(fake.tma +
							   handler.layout->counter_offset) + id;
}

static struct gpubp_handler_ring *ring(void)
{
	return (struct gpubp_handler_ring *)(uintptr_t)(fake.tma + handler.layout->ring_offset);
}

static int fake_set(struct agent_kfd_trap *args)
{
	unsigned int id;

	for (id = 0; id < AGENT_SLOTS && fake.used >> id & 1; id++)
		;
	if (id == AGENT_SLOTS)
		return -ENOMEM;
	fake.used |= 1u << id;
	args->set_watch.id = id;
	fake.set = args->set_watch;
	for (id = 0; id < AGENT_SLOTS; id++)
		fake.nr_at_set[id] = filter(id)->nr;
	return 0;
}

/* the first one of its group, which is the last one that was saved, has LDS behind it */
static uint32_t *wave_tail(unsigned int n)
{
	uint32_t *end = fake.area + AREA_WORDS - RECORD_LDS - RECORD_TAIL;

	return end - n * (RECORD_FRONT + RECORD_TAIL);
}

static void fake_save(void)
{
	const struct agent_kfd_save_area header = {
		.stack_offset = 64, .stack_size = STACK_WORDS * 4,
		.state_offset = AREA_WORDS * 4, .state_size = AREA_WORDS * 4 - 1024,
	};

	memset(fake.area, 0x5a, sizeof(fake.area));
	memcpy(fake.area, &header, sizeof(header));
	memset(fake.area + 16, 0, STACK_WORDS * 4);
	fake.area[16 + 2] = STATE;
	fake.area[16 + 3] = FIRST_WAVE;
	fake.area[16 + 5] = 1u << 30;
	fake.area[16 + 6] = 1u << 30;
	fake.area[16 + 7] = 1u << 30;
	wave_tail(0)[9] = wave_tail(1)[9] = 0x1f0;
	wave_tail(0)[22] = wave_tail(1)[22] = 5;
}

static int fake_suspend(const uint32_t *ids, uint32_t nr, bool suspend)
{
	if (nr != 1 || ids[0] != QUEUE || fake.suspended == suspend)
		return -EINVAL;
	fake.suspended = suspend;
	if (suspend) {
		fake_save();
		return 0;
	}
	fake.mode_at_resume = wave_tail(0)[9];
	fake.ttmp6_at_resume = wave_tail(0)[22];
	return 0;
}

static int fake_snapshot(struct agent_kfd_trap_snapshot *args)
{
	struct agent_kfd_queue *queue = (void *)(uintptr_t)args->entries;

	args->nr = fake.has_queue ? 2 : 0;
	if (!fake.has_queue)
		return 0;
	queue[0] = (struct agent_kfd_queue){ .gpu_id = GPU_ID, .id = 7, .type = AGENT_KFD_SDMA };
	queue[1] = (struct agent_kfd_queue){
		.gpu_id = GPU_ID, .id = QUEUE, .type = AGENT_KFD_AQL,
		.save_area = (uintptr_t)fake.area, .save_area_size = sizeof(fake.area),
	};
	return 0;
}

static int fake_trap(struct agent_kfd_trap *args)
{
	if (args->pid != (uint32_t)getpid() ||
	    (args->op != AGENT_TRAP_ENABLE && !fake.enabled))
		return -EINVAL;
	if (fake.err[args->op])
		return fake.err[args->op];
	switch (args->op) {
	case AGENT_TRAP_SNAPSHOT:
		return fake_snapshot(&args->snapshot);
	case AGENT_TRAP_SUSPEND:
		return fake_suspend((void *)(uintptr_t)args->suspend.queues, args->suspend.nr, true);
	case AGENT_TRAP_RESUME:
		return fake_suspend((void *)(uintptr_t)args->resume.queues, args->resume.nr, false);
	case AGENT_TRAP_ENABLE:
		((struct agent_kfd_runtime_info *)(uintptr_t)args->enable.rinfo_ptr)->ttmp_setup =
			fake.ttmp_setup;
		/* fall through */
	case AGENT_TRAP_DISABLE:
		fake.enabled = args->op == AGENT_TRAP_ENABLE;
		return 0;
	case AGENT_TRAP_FLAGS:
		fake.flags = args->flags.flags;
		if (fake.tma != ROCR_TMA) {
			fake.filter_at_flags[fake.nr_flags % 3] = *filter(0);
			fake.on_at_flags[fake.nr_flags++ % 3] = ring()->on;
		}
		return 0;
	case AGENT_TRAP_OVERRIDE:
		fake.override = args->override.enable_mask;
		return 0;
	case AGENT_TRAP_SET_WATCH:
		return fake_set(args);
	case AGENT_TRAP_CLEAR_WATCH:
		fake.used &= ~(1u << args->clear_watch.id);
		fake.cleared++;
		return 0;
	default:
		return -EINVAL;
	}
}

int kfd_ioctl(int fd, unsigned long request, void *arg)
{
	const struct agent_kfd_set_trap_handler *h = arg;
	const struct agent_kfd_alloc *memory = arg;

	switch (request) {
	case AGENT_KFD_TRAP:
		return fake_trap(arg);
	case AGENT_KFD_SET_TRAP_HANDLER:
		fake.tba = h->tba_addr;
		fake.tma = h->tma_addr;
		return h->gpu_id == GPU_ID ? 0 : -EINVAL;
	case AGENT_KFD_ALLOC:
		return memory->flags == AGENT_ALLOC_FLAGS ?
		       ftruncate(fake.gpu.drm_fd, (off_t)memory->size) : -EINVAL;
	case AGENT_KFD_MAP:
		return 0;
	default:
		return -ENOTTY;
	}
}

static void begin(uint32_t gfx)
{
	static int drm = -1;

	if (drm < 0)
		drm = memfd_create("render", MFD_CLOEXEC);
	memset(&fake, 0, sizeof(fake));
	fake.gfx = gfx;
	fake.has_gpu = true;
	fake.gpu = (struct kfd_gpu) {
		.id = GPU_ID, .drm_fd = drm, .tba = ROCR_TBA, .tma = ROCR_TMA,
	};
	fake.tba = ROCR_TBA;
	fake.tma = ROCR_TMA;
	memset(&hello, 0, sizeof(hello));
	unattended_find(gfx, &handler);
}

/* with a sentence that has these words, and nothing is left behind */
static bool refused(int err, const char *words)
{
	bool ok = session_open(&session, &hello) == err && hello.err == err &&
		  strstr(hello.text, words) && !fake.enabled && fake.tba == ROCR_TBA &&
		  fake.tma == ROCR_TMA && !fake.gpu.keep;

	if (!ok)
		printf("# %d: %s\n", hello.err, hello.text);
	return ok;
}

static bool refused_gpu(uint32_t gfx, const char *name)
{
	begin(gfx);
	return refused(-EOPNOTSUPP, name) && hello.gfx == gfx &&
	       strstr(hello.text, "precise memory");
}

static bool refused_op(unsigned int op, int err, const char *words)
{
	begin(90010);
	fake.err[op] = err;
	return refused(err, words);
}

static bool opened(uint32_t gfx, uint32_t granule, uint64_t largest)
{
	begin(gfx);
	return !session_open(&session, &hello) && hello.gfx == gfx &&
	       hello.granule == granule && hello.largest == largest;
}

/* our handler, with ROCr's as third, and a ring with room for all waves */
static bool is_installed(void)
{
	const uint64_t *third = (uint64_t *)(uintptr_t)(fake.tma + handler.layout->third_offset);

	return fake.enabled && fake.flags == AGENT_TRAP_PRECISE &&
	       fake.override == AGENT_TRAP_WATCHES && !(fake.tba & 255) && !(fake.tma & 255) &&
	       !memcmp((void *)(uintptr_t)fake.tba, handler.code, handler.code_bytes) &&
	       third[0] == ROCR_TBA && third[1] == ROCR_TMA && ring()->on &&
	       ring()->limit == ring()->mask + 1 - WAVES && !(ring()->base & 4095);
}

/* ROCr's next handler becomes the third one */
static bool third_is_kept(void)
{
	const uint64_t *third = (uint64_t *)(uintptr_t)(fake.tma + handler.layout->third_offset);

	fake.gpu.tba = 0x8000000;
	fake.gpu.tma = 0x8100000;
	fake.gpu.keep(&fake.gpu);
	return third[0] == 0x8000000 && third[1] == 0x8100000 && fake.tba != 0x8000000;
}

static struct agent_slot slot_at(uint64_t first)
{
	struct agent_slot slot = {
		.on = 1, .mode = 1, .value = first & -64, .mask = -64ull, .nr = 1,
	};

	slot.range[0] = (struct agent_range){ first, (first + 3) | 2ull << AGENT_KINDS_SHIFT };
	return slot;
}

/* the filter is there before the comparator is, of which the number is not known */
static bool filters_come_first(void)
{
	struct agent_slot slot = slot_at(0x1004);

	fake.used = 2;		/* another process's */
	if (session_set(session, 3, &slot) || fake.set.id || fake.set.address != 0x1000 ||
	    fake.set.mask != 0xffffffc0 || fake.set.mode != 1 || fake.set.gpu_id != GPU_ID)
		return false;
	return fake.nr_at_set[0] == 1 && fake.nr_at_set[2] == 1 && filter(0)->nr == 1 &&
	       filter(0)->range[0].first == 0x1004 && !filter(1)->nr && !filter(2)->nr;
}

static bool others_keep_theirs(void)
{
	struct agent_slot slot = slot_at(0x2000);

	return !session_set(session, 0, &slot) && fake.set.id == 2 &&
	       filter(0)->range[0].first == 0x1004 && filter(0)->nr == 1 &&
	       filter(2)->range[0].first == 0x2000 && filter(2)->nr == 1 &&
	       session_set(session, 0, &slot) == -EINVAL;
}

static bool none_is_left(void)
{
	struct agent_slot slot = slot_at(0x3000);

	fake.used = 15;
	return session_set(session, 1, &slot) == -ENOMEM && !filter(1)->nr && !filter(3)->nr;
}

/* since they were set, and up to their end */
static bool counts_are_of_slots(void)
{
	struct agent_slot slot = slot_at(0x4000);
	struct agent_counts c;
	bool ok;

	counter(0)->value = 7;
	filter(0)->strays = 5;
	filter(0)->undecided = 3;
	filter(0)->lost = 2;
	session_counts(session, 3, &c);
	ok = c.counted == 7 && c.strays == 5 && c.undecided == 3 && c.lost == 2;
	session_clear(session, 3);
	session_clear(session, 3);
	counter(0)->value = 100;
	session_counts(session, 3, &c);
	ok &= c.counted == 7 && fake.cleared == 1 && !filter(0)->nr;
	ok &= !session_set(session, 3, &slot) && !fake.set.id;
	session_counts(session, 3, &c);
	ok &= !c.counted && !c.strays;
	counter(0)->value = 101;
	session_counts(session, 3, &c);
	ok &= c.counted == 1;
	/* of 32 bits */
	counter(0)->value = ~0u;
	session_counts(session, 3, &c);
	counter(0)->value = 9;
	session_counts(session, 3, &c);
	return ok && c.counted == (1ull << 32) + 9 - 100;
}

/* of comparator @id, atomics included */
static bool is_recorded(uint32_t on, unsigned int id)
{
	return (on >> id & 0x10001) == 0x10001;
}

/* what is only counted is not recorded, and its comparator's next slot may be */
static bool counts_are_not_recorded(void)
{
	struct agent_slot slot = slot_at(0x5000);
	bool ok;

	session_clear(session, 3);
	slot.counts = 1;
	ok = !session_set(session, 3, &slot) && !fake.set.id && !(ring()->on & 0x10001) &&
	     is_recorded(ring()->on, 2);
	session_clear(session, 3);
	slot.counts = 0;
	ok &= !session_set(session, 3, &slot) && !fake.set.id && is_recorded(ring()->on, 0);
	session_clear(session, 3);
	slot.counts = 1;
	return ok && !session_set(session, 3, &slot);
}

static bool range_is(const struct gpubp_handler_filter *f, unsigned int n, uint64_t first,
		     uint64_t last)
{
	return f->range[n].first == first && f->range[n].last == last;
}

/*
 * A comparator goes on: before its first range changes, all is recorded, and has been since
 * waves were out of the handler; and that is the block until all waves have seen the others.
 */
static bool ranges_change(void)
{
	const uint64_t block = 0x503f | 7ull << AGENT_KINDS_SHIFT;
	struct agent_slot slot = slot_at(0x5000);
	const struct gpubp_handler_filter *at = fake.filter_at_flags;
	unsigned int cleared = fake.cleared;
	bool ok;

	slot.nr = 2;
	slot.range[0] = (struct agent_range){ 0x5008, 0x500b | 2ull << AGENT_KINDS_SHIFT };
	slot.range[1] = (struct agent_range){ 0x5010, 0x5013 | 1ull << AGENT_KINDS_SHIFT };
	fake.nr_flags = 0;
	ok = !session_update(session, 3, &slot) && fake.nr_flags == 3 && fake.cleared == cleared;
	ok &= is_recorded(fake.on_at_flags[0], 0) && at[0].nr == 1 &&
	      range_is(&at[0], 0, 0x5000, 0x5003 | 2ull << AGENT_KINDS_SHIFT);
	ok &= at[1].nr == 1 && range_is(&at[1], 0, 0x5000, block);
	ok &= at[2].nr == 2 && range_is(&at[2], 0, 0x5000, block) &&
	      range_is(&at[2], 1, slot.range[1].first, slot.range[1].last);
	ok &= filter(0)->nr == 2 && range_is(filter(0), 0, slot.range[0].first, slot.range[0].last);
	ok &= is_recorded(ring()->on, 0);
	slot.value += 64;
	return ok && session_update(session, 3, &slot) == -EINVAL &&
	       session_update(session, 1, &slot) == -EINVAL;
}

/* all waves trap for hits, and only what does not know where it is says so */
static bool waves_catch_up_in_time(uint32_t gfx, uint32_t ttmp_setup, uint32_t ttmp6)
{
	bool ok;

	begin(gfx);
	fake.has_queue = true;
	fake.ttmp_setup = ttmp_setup;
	ok = !session_open(&session, &hello) && !fake.suspended &&
	     fake.mode_at_resume == (0x1f0 | 1u << 19) && fake.ttmp6_at_resume == ttmp6 &&
	     wave_tail(1)[9] == (0x1f0 | 1u << 19) && wave_tail(1)[22] == ttmp6;
	session_close(session);
	return ok;
}

/* and the queue goes on */
static bool refused_area(void)
{
	begin(90010);
	fake.has_queue = true;
	fake.err[AGENT_TRAP_RESUME] = -EIO;
	return refused(-EIO, "waves that run");
}

static void record(uint32_t number, bool complete)
{
	uint32_t *place = (uint32_t *)(uintptr_t)(ring()->base +
						  (number & ring()->mask) * AGENT_PLACE);

	place[1] = number;
	*place = complete ? gpubp_place_seq(number) : 0;
	ring()->head = number + 1;
}

static bool hits_are_read(void)
{
	static unsigned char places[AGENT_BATCH][AGENT_PLACE];
	struct agent_hits hits;
	uint32_t n;
	bool ok = session_is_drained(session, session_head(session)) && session_sleep(session) &&
		  ring()->notify == ring()->head;

	for (n = 0; n < 20; n++)
		record(n, n != 18);
	ok &= !session_is_drained(session, session_head(session)) && !session_sleep(session);
	ok &= session_read(session, &hits, places, AGENT_BATCH) == 16 && hits.nr == 16 &&
	      !hits.first && hits.slot[0] == 3 && hits.slot[2] == 0 && ring()->tail == 16;
	ok &= ((uint32_t *)places[5])[1] == 5;
	/* up to the one that is not complete */
	ok &= session_read(session, &hits, places, AGENT_BATCH) == 2 && hits.first == 16;
	ok &= !session_read(session, &hits, places, AGENT_BATCH);
	return ok && ring()->tail == 18;
}

static bool a_hole_is_lost(void)
{
	static unsigned char places[AGENT_BATCH][AGENT_PLACE];
	struct agent_counts before, c;
	struct agent_hits hits;

	session_counts(session, 0, &before);
	session_skip(session);
	session_counts(session, 0, &c);
	return c.lost == before.lost + 1 &&
	       session_read(session, &hits, places, AGENT_BATCH) == 1 && hits.first == 19 &&
	       session_is_drained(session, session_head(session));
}

static bool closed(void)
{
	session_close(session);
	return !fake.enabled && fake.tba == 0x8000000 && fake.tma == 0x8100000 &&
	       !fake.gpu.keep && fake.used == 10;
}

int main(void)
{
	tap_plan(28);
	begin(90010);
	fake.has_gpu = false;
	tap_ok(refused(-ENODEV, "no GPU"), "no GPU");
	begin(90010);
	fake.gpu.tba = fake.tba = 0;
	tap_ok(session_open(&session, &hello) == -ENOSYS && strstr(hello.text, "trap handler"),
	       "ROCr has no handler");
	tap_ok(refused_gpu(90008, "gfx908"), "gfx908");
	tap_ok(refused_gpu(90000, "gfx900"), "gfx900");
	tap_ok(refused_gpu(110001, "gfx1101"), "gfx1101");
	tap_ok(refused_op(AGENT_TRAP_ENABLE, -EALREADY, "another debugger"), "a debugger has it");
	tap_ok(refused_op(AGENT_TRAP_ENABLE, -EPERM, "does not let"), "it may not be debugged");
	tap_ok(refused_op(AGENT_TRAP_FLAGS, -EACCES, "another GPU of the process"),
	       "another GPU without precise memory");
	tap_ok(refused_op(AGENT_TRAP_OVERRIDE, -EACCES, "made to trap"), "waves that cannot trap");
	tap_ok(refused_op(AGENT_TRAP_SNAPSHOT, -EIO, "waves that run"), "queues that are not known");
	tap_ok(refused_area(), "queues that do not go on");
	tap_ok(waves_catch_up_in_time(90010, 0, 1u << 31 | 5), "waves that run, gfx90a");
	tap_ok(waves_catch_up_in_time(90010, 1, 5), "waves that run and know where");
	tap_ok(waves_catch_up_in_time(90402, 0, 5), "waves that run, gfx942");
	tap_ok(opened(90402, 128, 1ull << 31) && is_installed(), "gfx942");
	session_close(session);
	tap_ok(opened(90010, 64, 1ull << 30), "gfx90a");
	tap_ok(is_installed(), "handler and ring");
	tap_ok(third_is_kept(), "ROCr's next handler");
	tap_ok(filters_come_first(), "a filter is there before its comparator");
	tap_ok(others_keep_theirs(), "another one");
	tap_ok(none_is_left(), "no comparator is left");
	fake.used = 2 | 1 | 4;
	tap_ok(counts_are_of_slots(), "counts");
	tap_ok(counts_are_not_recorded(), "what is counted is not recorded");
	tap_ok(ranges_change(), "ranges change under a comparator");
	tap_ok(hits_are_read(), "hits");
	tap_ok(a_hole_is_lost(), "a place that is not filled");
	fake.used |= 8;		/* another process's */
	tap_ok(closed(), "all is undone");
	tap_ok(opened(90010, 64, 1ull << 30) && is_installed() && session_is_drained(session, session_head(session)),
	       "and begins again");
	session_close(session);
	return tap_status();
}
