// SPDX-License-Identifier: GPL-2.0
/*
 * Ways to access memory, and which of them comparators see: exact counts of a
 * watch on the bytes that each way accesses, strays included, and next to it a
 * vector access that proves that the watch was armed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kselftest.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define SIZE		4096
#define PATIENCE	60	/* s */
#define ROUNDS		5
#define AT		24	/* of the word in the buffer: not at the end of a granule */
#define CONTROL		256	/* of the word in the other buffer that kernels access */
#define COPY		1024	/* of the bytes there that the copy engine copies */
#define COPY_SIZE	64

#define INITIAL		0x01234567	/* initial value of the word */
#define WRITTEN		0x5a5a5a5a	/* value written by all ways that write it */

/* an offset in LDS and private memory, at which no buffer is mapped */
#define LOW		0x1040

/*
 * address range mapped by the device only: code and records of the trap
 * handler, packets, private memory
 */
#define DEVICE_START	0x10000ULL
#define DEVICE_LEN	((1ULL << 30) - DEVICE_START)

#define CAPS		"/sys/bus/event_source/devices/gpubp/caps/paths"

/**
 * struct rig - a context and its watches
 * @gpu: context
 * @at: buffer with the word that is accessed
 * @to: output of kernels, and the other control
 * @session: /dev/gpubp
 * @watch: event on the accessed bytes
 * @control: event on the other control; -1 if it is what @watch watches
 */
struct rig {
	struct gpu gpu;
	struct grun_mem at;
	struct grun_mem to;
	int session;
	int watch;
	int control;
};

/* location of the watched bytes, and of the control */
enum where {
	WORD,		/* the word; so is the control */
	USERPTR,	/* the same in memory of the process */
	OFFSET,		/* address LOW, which the way uses as an offset */
	RING,		/* location of LOW in lane 0's private memory */
	CODE,		/* instructions of the kernel; so is the control */
	DEVICE,		/* the range mapped by the device only */
};

/**
 * struct path - one way to access memory
 * @name: of it
 * @kernel: kernel that accesses memory in this way
 * @more: number of additional arguments
 * @extra: additional argument
 * @where: what is watched
 * @act: access by an agent other than a wave, so often, before the kernel runs;
 *	or NULL
 * @hits: counts in a round
 * @strays: hits in a round on bytes that are not watched
 * @beside: counts of the other event in a round
 * @got: last value that the way read
 * @left: value of the word at the end
 */
struct path {
	const char *name;
	const char *kernel;
	unsigned int more;
	uint64_t extra;
	enum where where;
	int (*act)(struct rig *rig, unsigned int times);
	unsigned int hits;
	unsigned int strays;
	unsigned int beside;
	uint32_t got;
	uint32_t left;
};

static uint32_t *word(struct rig *rig)
{
	return (uint32_t *)((char *)rig->at.cpu + AT);
}

static uint64_t word_va(const struct rig *rig)
{
	return rig->at.va + AT;
}

/* ---- agents other than waves ---------------------------------------------- */

static int cpu_access(struct rig *rig, unsigned int times)
{
	volatile uint32_t *at = word(rig);

	while (times--)
		*at = *at + 1;
	return 0;
}

static int copy_there(struct rig *rig, unsigned int times)
{
	int ret = 0;

	while (times-- && !ret)
		ret = gpu_copy(&rig->gpu, rig->at.va, rig->to.va + COPY, COPY_SIZE);
	return ret;
}

static int copy_from(struct rig *rig, unsigned int times)
{
	char *copied = (char *)rig->to.cpu + COPY;
	int ret = 0;

	while (times-- && !ret)
		ret = gpu_copy(&rig->gpu, rig->to.va + COPY, rig->at.va, COPY_SIZE) ?:
		      memcmp(copied, rig->at.cpu, COPY_SIZE);
	return ret;
}

static const struct path paths[] = {
	{ "vector store", "vector", .hits = 1, .got = WRITTEN,
	  .left = WRITTEN },
	{ "flat store and load", "vector_flat", .hits = 2, .got = WRITTEN,
	  .left = WRITTEN },
	{ "vector atomic", "vector_atomic", .hits = 1,
	  .left = INITIAL + ROUNDS * 64 },
	{ "buffer store", "buffer", .more = 1, .extra = 8, .hits = 1,
	  .left = WRITTEN },
	{ "buffer store, out of range", "buffer", .more = 1, .extra = 4,
	  .left = INITIAL },
	{ "store of one lane", "lanes", .more = 1, .extra = 2, .hits = 1,
	  .left = WRITTEN },
	{ "store of its neighbours", "lanes", .more = 1, .extra = ~2ULL, .strays = 1,
	  .left = INITIAL },
	{ "store without lanes", "lanes", .more = 1, .left = INITIAL },
	{ "scalar load", "scalar_load", .got = INITIAL, .left = INITIAL },
	{ "scalar load from a buffer", "scalar_buffer_load", .got = INITIAL,
	  .left = INITIAL },
	{ "scalar store", "scalar_store", .got = WRITTEN, .left = WRITTEN },
	{ "scalar atomic", "scalar_atomic", .got = INITIAL + ROUNDS - 1,
	  .left = INITIAL + ROUNDS },
	{ "LDS", "lds", .where = OFFSET, .got = WRITTEN, .left = INITIAL },
	{ "flat into LDS", "flat_lds", .where = OFFSET, .got = WRITTEN,
	  .left = INITIAL },
	{ "flat into private memory", "flat_private", .where = OFFSET, .got = WRITTEN,
	  .left = INITIAL },
	/* the backing memory has some address, but the offsets have no meaning there */
	{ "private memory, seen from outside", "flat_private", .where = RING,
	  .strays = 2, .got = WRITTEN, .left = INITIAL },
	{ "instruction fetch", "fetch", .where = CODE, .left = INITIAL },
	{ "the trap handler, its records, packets", "vector", .where = DEVICE,
	  .beside = 1, .got = WRITTEN, .left = WRITTEN },
	{ "the CPU, through a mapping", "vector", .act = cpu_access,
	  .left = INITIAL + ROUNDS },
	{ "the CPU, its own memory", "vector", .where = USERPTR, .act = cpu_access,
	  .left = INITIAL + ROUNDS },
	{ "a vector store to the CPU's memory", "vector", .where = USERPTR,
	  .hits = 1, .got = WRITTEN, .left = WRITTEN },
	{ "copy engine, writing", "vector", .act = copy_there, .left = WRITTEN },
	{ "copy engine, reading", "vector", .act = copy_from, .left = INITIAL },
};

#define NR_PATHS	(sizeof(paths) / sizeof(paths[0]))

/* ---- one way -------------------------------------------------------------- */

static const char *wrong(const char *what, int64_t got, int64_t want)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s: %lld, expected %lld", what,
		 (long long)got, (long long)want);
	return text;
}

static void prepare(struct rig *rig)
{
	memset(rig->to.cpu, 0, SIZE);
	memset((char *)rig->to.cpu + COPY, WRITTEN & 0xff, COPY_SIZE);
	*word(rig) = INITIAL;
}

static int run_kernel(struct rig *rig, const struct path *path, uint64_t at,
		      unsigned int times)
{
	uint64_t args[] = { at, rig->to.va, times, path->extra };

	return gpu_start(&rig->gpu, path->kernel, 1, 3 + path->more, args) ?:
	       gpu_wait(&rig->gpu, PATIENCE);
}

static uint64_t reported_va(const struct rig *rig)
{
	const uint32_t *to = rig->to.cpu;

	return to[4] | (uint64_t)to[5] << 32;
}

/**
 * struct place - addresses of a path
 * @at: argument of the kernel
 * @va: first byte that is watched
 * @len: bytes
 * @beside: where the other control is, 0 if there is none
 */
struct place {
	uint64_t at;
	uint64_t va;
	uint64_t len;
	uint64_t beside;
};

/* the kernel itself reports an address that depends on the device */
static uint64_t ask(struct rig *rig, const struct path *path)
{
	return run_kernel(rig, path, path->where == CODE ? word_va(rig) : LOW, 0) ?
	       0 : reported_va(rig);
}

static struct place place_of(struct rig *rig, const struct path *path)
{
	uint64_t control = rig->to.va + CONTROL, reported;

	switch (path->where) {
	case OFFSET:
		return (struct place){ LOW, LOW, 4, control };
	case RING:
		/* dword n of all 64 lanes is contiguous */
		reported = ask(rig, path);
		return (struct place){ LOW, reported + LOW * 64, 4, control };
	case CODE:
		reported = ask(rig, path);
		return (struct place){ reported, reported, 12, 0 };
	case DEVICE:
		return (struct place){ word_va(rig), DEVICE_START, DEVICE_LEN,
				       word_va(rig) };
	default:
		return (struct place){ word_va(rig), word_va(rig), 4, 0 };
	}
}

static int watch(int session, uint64_t va, uint64_t len)
{
	struct perf_event_attr attr = event_watch(va, len, EVENT_ANY);
	struct gpubp_sync sync;
	int fd = event_open(&attr, 0, -1);

	if (fd < 0)
		return fd;
	if (!session_sync(session, fd, PATIENCE, &sync) &&
	    sync.nr_armed == 1 && sync.nr_watches == 1)
		return fd;
	close(fd);
	return -EBUSY;
}

/**
 * struct figures - counters, or their changes
 * @watch: counts of the accessed bytes
 * @beside: of the other control
 * @strays: hits on bytes without a watch
 * @raised: hits
 */
struct figures {
	int64_t watch;
	int64_t beside;
	int64_t strays;
	int64_t raised;
};

static struct figures figures(const struct rig *rig)
{
	return (struct figures){
		.watch = event_count(rig->watch),
		.beside = rig->control < 0 ? 0 : event_count(rig->control),
		.strays = books_strays(),
		.raised = books_raised(),
	};
}

static const char *compare(const struct figures *old, const struct figures *new,
			   const struct figures *want)
{
	if (new->watch - old->watch != want->watch)
		return wrong("counts", new->watch - old->watch, want->watch);
	if (new->beside - old->beside != want->beside)
		return wrong("counts beside", new->beside - old->beside,
			     want->beside);
	if (new->strays - old->strays != want->strays)
		return wrong("strays", new->strays - old->strays, want->strays);
	if (new->raised - old->raised != want->raised)
		return wrong("hits", new->raised - old->raised, want->raised);
	return NULL;
}

/* the contents of memory show that the access took place */
static const char *check_memory(struct rig *rig, const struct path *path)
{
	const uint32_t *to = rig->to.cpu;

	if (!path->act && to[0] != path->got)
		return wrong("the way read", to[0], path->got);
	return *word(rig) == path->left ? NULL :
	       wrong("the word", *word(rig), path->left);
}

/* with no repetitions only the control is accessed */
static const char *go(struct rig *rig, const struct path *path,
		      const struct place *place, unsigned int times)
{
	bool beside = place->beside;
	struct figures want = {
		.watch = times * path->hits + !beside,
		.beside = times * path->beside + beside,
		.strays = times * path->strays,
	};
	struct figures old = figures(rig), new;
	int ret;

	prepare(rig);
	ret = path->act ? path->act(rig, times) : 0;
	want.raised = want.watch + want.beside + want.strays;
	ret = ret ?: run_kernel(rig, path, place->at, path->act ? 0 : times);
	if (ret)
		return wrong("the kernel did not end well", ret, 0);
	if (!books_settle(PATIENCE))
		return "the statistics do not balance";
	new = figures(rig);
	return compare(&old, &new, &want) ?:
	       (times ? check_memory(rig, path) : NULL);
}

static const char *with_watches(struct rig *rig, const struct path *path)
{
	struct place place = place_of(rig, path);
	const char *text = "not armed";

	if (!place.va)
		return "the kernel does not report where it is";
	rig->control = place.beside ? watch(rig->session, place.beside, 4) : -1;
	rig->watch = watch(rig->session, place.va, place.len);
	if (rig->watch >= 0 && (!place.beside || rig->control >= 0))
		text = go(rig, path, &place, 0) ?: go(rig, path, &place, ROUNDS);
	close(rig->watch);
	close(rig->control);
	return text;
}

static int word_memory(struct rig *rig, bool userptr)
{
	struct grun_err err;

	if (!userptr)
		return gpu_buffer(&rig->gpu, &rig->at, SIZE, 0);
	return grun_userptr(rig->gpu.dev, &rig->at, SIZE, 0, &err);
}

static const char *test_path(const struct path *path)
{
	struct rig rig = {};
	const char *text = "no context";

	if (gpu_open(&rig.gpu, "paths"))
		return text;
	rig.session = session_open();
	if (rig.session >= 0 && !word_memory(&rig, path->where == USERPTR) &&
	    !gpu_buffer(&rig.gpu, &rig.to, SIZE, 0))
		text = with_watches(&rig, path);
	close(rig.session);
	if (path->where == USERPTR)
		grun_release(rig.gpu.dev, &rig.at);
	gpu_close(&rig.gpu);
	return text;
}

/* the table agrees with the capabilities that the device reports */
static bool caps_say_vector(void)
{
	char text[64] = "";
	FILE *file = fopen(CAPS, "re");

	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return !strcmp(text, "vector\n");
}

int main(void)
{
	unsigned int i;

	ksft_print_header();
	ksft_set_plan(NR_PATHS + 1);
	ksft_test_result(caps_say_vector(), "vector memory, says the device\n");
	for (i = 0; i < NR_PATHS; i++) {
		const char *text = test_path(&paths[i]);

		if (text)
			ksft_print_msg("%s\n", text);
		ksft_test_result(!text, "%s: %u\n", paths[i].name, paths[i].hits);
	}
	ksft_finished();
}
