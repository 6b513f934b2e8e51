// SPDX-License-Identifier: GPL-2.0
/*
 * What samples say is true: random programs allocate, name, launch, free and reuse
 * buffers at the same addresses, the CPU and the copy engine write in between, and all
 * that samples say of lanes, bytes and values is compared with a shadow of the memory:
 * it is right, or absent where it cannot be known. And there are as many as hits.
 *
 * environment:
 *	GPUBP_SEED	of the first program; each has a number of its own
 *	GPUBP_PROGRAMS	how many, default 100
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "gpu_device.h"
#include "shadow_program.h"

#define OUT_VA		(SHADOW_VA + 0x10000000)
#define STEPS		50U
#define RING_PAGES	4
#define FAILURES	3U	/* after that many programs no other runs */
#define LONG		7000	/* s */
#define PATIENCE	60	/* s */
#define NAME		"shadow"

/**
 * struct program - a program that runs
 * @gpu: its context
 * @out: what loads and atomics found
 * @buffers: by their first page; size 0: none
 * @named: page that has the name, SHADOW_PAGES: none
 * @s: its shadow
 * @score: what its samples had
 * @seed: its number
 * @step: where it is
 * @did: what each step did
 */
struct program {
	struct gpu gpu;
	struct grun_mem out;
	struct grun_mem buffers[SHADOW_PAGES];
	unsigned int named;
	struct shadow s;
	struct shadow_score score;
	int seed;
	unsigned int step;
	char did[STEPS][160];
};

#define FOR_WATCHES(p, w) \
	for (w = (p)->s.watches; w < (p)->s.watches + SHADOW_WATCHES; w++)

static unsigned int buffer_pages(const struct grun_mem *buffer)
{
	return (unsigned int)(buffer->size / SHADOW_PAGE);
}

/* where the CPU has a page that is mapped */
static uint8_t *page_cpu(const struct program *p, unsigned int page)
{
	unsigned int first = page;

	while (buffer_pages(&p->buffers[first]) <= page - first)
		first--;
	return (uint8_t *)p->buffers[first].cpu + (page - first) * SHADOW_PAGE;
}

/* for who looks into a failure */
__attribute__((format(printf, 2, 3)))
static void did(struct program *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->did[p->step], sizeof(p->did[0]), fmt, ap);
	va_end(ap);
}

/* ---- steps: NULL, or what is wrong ----------------------------------------- */

static const char *alloc_at(struct program *p, unsigned int page, unsigned int pages)
{
	if (grun_alloc(p->gpu.dev, &p->buffers[page], pages * SHADOW_PAGE,
		       SHADOW_VA + page * SHADOW_PAGE, NULL))
		return "no buffer";
	did(p, "map %u+%u", page * SHADOW_PAGE, pages * SHADOW_PAGE);
	while (pages--)
		shadow_map(&p->s, page + pages, true);
	return NULL;
}

static const char *step_alloc(struct program *p)
{
	unsigned int page = random_below(SHADOW_PAGES), pages = 1;

	if (p->s.mapped[page])
		return NULL;
	if (page + 1 < SHADOW_PAGES && !p->s.mapped[page + 1])
		pages += random_below(2);
	return alloc_at(p, page, pages);
}

static const char *step_free(struct program *p)
{
	unsigned int page = random_below(SHADOW_PAGES);
	unsigned int pages = buffer_pages(&p->buffers[page]);

	if (!pages || !gpu_device_tells_unmaps())
		return NULL;
	did(p, "unmap %u+%u", page * SHADOW_PAGE, pages * SHADOW_PAGE);
	grun_release(p->gpu.dev, &p->buffers[page]);
	while (pages--)
		shadow_map(&p->s, page + pages, false);
	return NULL;
}

/* another buffer where the one with watched bytes was */
static const char *step_reuse(struct program *p)
{
	const struct shadow_watch *w = &p->s.watches[random_below(SHADOW_WATCHES)];
	unsigned int page = w->place / SHADOW_PAGE, pages;
	const char *wrong;

	if (w->fd < 0 || !w->bound || !buffer_pages(&p->buffers[page]) ||
	    !gpu_device_tells_unmaps())
		return NULL;
	pages = buffer_pages(&p->buffers[page]);
	grun_release(p->gpu.dev, &p->buffers[page]);
	while (pages--)
		shadow_map(&p->s, page + pages, false);
	wrong = alloc_at(p, page, 1);
	did(p, "map %u+%u again", page * SHADOW_PAGE, SHADOW_PAGE);
	return wrong;
}

static const char *step_forget(struct program *p)
{
	unsigned int page = p->named;
	struct shadow_watch *w;

	if (page == SHADOW_PAGES)
		return NULL;
	if (gpu_name(&p->gpu, SHADOW_VA + page * SHADOW_PAGE, 0, NAME))
		return "the name stays";
	p->named = SHADOW_PAGES;
	did(p, "no name");
	FOR_WATCHES(p, w)
		if (w->named) {
			w->bound = false;
			w->partial = true;
		} else if (w->place / SHADOW_PAGE <= page &&
			   (w->place + w->len - 1) / SHADOW_PAGE >= page) {
			w->partial = true;
		}
	return NULL;
}

/* also what is not mapped may have a name */
static const char *step_name(struct program *p)
{
	const char *wrong = step_forget(p);
	struct shadow_watch *w;

	p->named = random_below(SHADOW_PAGES);
	if (wrong || gpu_name(&p->gpu, SHADOW_VA + p->named * SHADOW_PAGE, SHADOW_PAGE, NAME))
		return "no name";
	did(p, "name %u+%u", p->named * SHADOW_PAGE, SHADOW_PAGE);
	FOR_WATCHES(p, w)
		if (w->fd >= 0 && w->named)
			shadow_place(&p->s, w, p->named * SHADOW_PAGE + w->start);
	return NULL;
}

static void watch_close(struct shadow_watch *w)
{
	if (w->fd < 0)
		return;
	ring_unmap(&w->ring);
	close(w->fd);
	w->fd = -1;
}

static const char *step_watch(struct program *p)
{
	struct shadow_watch *w = &p->s.watches[random_below(SHADOW_WATCHES)];
	struct perf_event_attr attr;

	watch_close(w);
	shadow_watch_make(w);
	attr = w->named ? event_named(NAME, w->start, w->len, w->access) :
			  event_watch(SHADOW_VA + w->start, w->len, w->access);
	event_sample(&attr, 1);
	w->fd = event_open(&attr, 0, -1);
	if (w->fd < 0 || ring_map(&w->ring, w->fd, RING_PAGES))
		return "no event";
	did(p, "watch %d: %s %u+%u, access %u", (int)(w - p->s.watches),
	    w->named ? "named" : "at", w->start, w->len, w->access);
	if (!w->named)
		shadow_place(&p->s, w, w->start);
	else if (p->named < SHADOW_PAGES)
		shadow_place(&p->s, w, p->named * SHADOW_PAGE + w->start);
	return NULL;
}

static const char *step_write(struct program *p)
{
	unsigned int page = random_below(SHADOW_PAGES), at = random_below(SHADOW_PAGE), n;
	const struct shadow_watch *w = &p->s.watches[random_below(SHADOW_WATCHES)];
	uint8_t byte;

	/* what is watched, mostly */
	if (w->fd >= 0 && w->bound && random_below(4)) {
		page = w->place / SHADOW_PAGE;
		at = w->place % SHADOW_PAGE;
	}
	if (!p->s.mapped[page])
		return NULL;
	did(p, "CPU writes from %u", page * SHADOW_PAGE + at);
	for (n = 1 + random_below(100); n-- && at < SHADOW_PAGE; at++) {
		byte = (uint8_t)random();
		page_cpu(p, page)[at] = byte;
		p->s.now[page * SHADOW_PAGE + at] = byte;
	}
	shadow_wrote(&p->s);
	return NULL;
}

static const char *step_copy(struct program *p)
{
	unsigned int from = random_below(SHADOW_PAGES), to = random_below(SHADOW_PAGES);

	if (from == to || !p->s.mapped[from] || !p->s.mapped[to])
		return NULL;
	from *= SHADOW_PAGE;
	to *= SHADOW_PAGE;
	shadow_copies(&p->s);
	if (gpu_copy(&p->gpu, SHADOW_VA + to, SHADOW_VA + from, SHADOW_PAGE))
		return "no copy";
	did(p, "copy %u to %u", from, to);
	memcpy(p->s.now + to, p->s.now + from, SHADOW_PAGE);
	shadow_wrote(&p->s);
	return NULL;
}

/* ---- a launch and its samples ---------------------------------------------- */

static void print_program(const struct program *p)
{
	unsigned int i;

	printf("# GPUBP_SEED=%d GPUBP_PROGRAMS=1, step %u\n", p->seed, p->step);
	for (i = 0; i < STEPS && i <= p->step; i++)
		if (p->did[i][0])
			printf("# %u: %s\n", i, p->did[i]);
}

static void print_watch(const struct program *p, const struct shadow_watch *w)
{
	const struct shadow_hit *hit;

	printf("# watch %d: %s %#x+%u at %u, access %u%s\n", (int)(w - p->s.watches),
	       w->named ? "named" : "addr", w->start, w->len, w->place, w->access,
	       w->reused ? ", reused" : "");
	for (hit = p->s.hits; hit < p->s.hits + p->s.nr_hits; hit++)
		if (&p->s.watches[hit->watch] == w)
			printf("# model: group %u lanes %#llx exec %#llx hit %u+%u data %#llx%s before %#llx%s\n",
			       hit->group, (unsigned long long)hit->lanes,
			       (unsigned long long)hit->exec, hit->at, hit->len,
			       (unsigned long long)hit->data, hit->differs ? " (differs)" : "",
			       (unsigned long long)hit->before, hit->returns ? "" : " (-)");
}

static const char *check_memory(const struct program *p)
{
	unsigned int page;

	for (page = 0; page < SHADOW_PAGES; page++)
		if (p->s.mapped[page] && memcmp(page_cpu(p, page), p->s.now + page * SHADOW_PAGE,
						SHADOW_PAGE))
			return "memory is not the model's";
	return memcmp(p->out.cpu, p->s.out, sizeof(p->s.out)) ?
	       "what was loaded is not the model's" : NULL;
}

static bool eats(const struct program *p)
{
	return p->s.launch.kernel->quirk == QUIRK_EATS;
}

/* what it left there is not known: the next one has not seen that */
static bool leaves_unseen(const struct program *p, const struct shadow_watch *w,
			  const struct gpubp_hit_record *rec)
{
	const struct shadow_hit *hit = shadow_hit(&p->s, w, rec->wg_x);

	return !(rec->flags & GPUBP_HIT_NOW) || (!rec->wave && hit && hit->unsure);
}

/* a wave has one hit at most; but without an address others of its block may be one */
static const char *check_samples(struct program *p, struct shadow_watch *w)
{
	unsigned int missing = 0, group;
	const char *wrong = NULL;
	struct sample sample;

	for (group = 0; group < p->s.launch.groups; group++)
		if (shadow_hit(&p->s, w, group))
			missing |= 1U << group;
	while (!wrong && ring_next(&w->ring, &sample)) {
		wrong = shadow_check(&p->s, w, &sample, &p->score);
		group = sample.rec.wg_x;
		if (!wrong && !eats(p) && !(missing & 1U << group))
			wrong = "is the second of one hit";
		missing &= ~(1U << group);
		w->count++;
		w->partial |= leaves_unseen(p, w, &sample.rec);
		if (wrong)
			record_print(&sample.rec);
	}
	if (!wrong && missing)
		wrong = "is missing";
	if (!wrong && (w->ring.lost || w->ring.bad))
		wrong = "is lost";
	if (!wrong && event_count(w->fd) != (int64_t)w->count)
		wrong = "and the count are not as many";
	if (wrong)
		print_watch(p, w);
	return wrong;
}

static const char *step_launch(struct program *p)
{
	const struct shadow_launch *l = &p->s.launch;
	uint64_t args[SHADOW_ARGS];
	struct shadow_watch *w;
	const char *wrong;

	if (!shadow_launch_make(&p->s))
		return NULL;
	did(p, "%s, groups %u at %u stride %u wrap %#x mask %#llx", l->kernel->name,
	    l->groups, l->at, l->stride, l->wrap, (unsigned long long)l->mask);
	if (!shadow_run(&p->s))
		return "the model cannot run it";
	if (gpu_run(&p->gpu, l->kernel->name, l->groups,
		    shadow_args(&p->s, args), args))
		return "it does not run";
	wrong = check_memory(p);
	FOR_WATCHES(p, w)
		if (!wrong && w->fd >= 0)
			wrong = check_samples(p, w);
	shadow_ran(&p->s);
	return wrong;
}

/* ---- programs -------------------------------------------------------------- */

static const char *(*const first_steps[])(struct program *p) = {
	step_alloc, step_alloc, step_alloc, step_watch, step_watch,
};

#define NR_FIRST_STEPS	(sizeof(first_steps) / sizeof(first_steps[0]))

static const char *(*const steps[])(struct program *p) = {
	step_launch, step_launch, step_launch, step_launch, step_launch, step_launch,
	step_launch, step_launch, step_launch, step_launch, step_launch, step_launch,
	step_write, step_write, step_write, step_copy, step_alloc, step_alloc, step_alloc,
	step_free, step_reuse, step_reuse, step_name, step_name, step_forget, step_watch,
};

#define NR_STEPS	(sizeof(steps) / sizeof(steps[0]))

static const char *program_begin(struct program *p)
{
	struct shadow_watch *w;

	FOR_WATCHES(p, w)
		w->fd = -1;
	p->named = SHADOW_PAGES;
	if (gpu_open(&p->gpu, "values"))
		return "no GPU";
	if (gpu_buffer(&p->gpu, &p->out, SHADOW_PAGE, OUT_VA))
		return "no memory";
	p->s.out_va = p->out.va;
	p->s.device = grun_info(p->gpu.dev)->device;
	p->s.context = grun_info(p->gpu.dev)->context;
	return NULL;
}

static void program_end(struct program *p)
{
	struct shadow_watch *w;
	unsigned int page;

	FOR_WATCHES(p, w)
		watch_close(w);
	for (page = 0; page < SHADOW_PAGES; page++)
		grun_release(p->gpu.dev, &p->buffers[page]);
	gpu_close(&p->gpu);
}

static void score_add(struct shadow_score *sum, const struct shadow_score *score)
{
	unsigned int i;

	sum->hits += score->hits;
	sum->reused += score->reused;
	for (i = 0; i < FIELDS; i++) {
		sum->could[i] += score->could[i];
		sum->had[i] += score->had[i];
	}
}

static bool program_run(int seed, struct shadow_score *sum)
{
	static struct program p;
	const char *wrong;

	memset(&p, 0, sizeof(p));
	p.seed = seed;
	srandom((unsigned int)seed);
	wrong = program_begin(&p);
	while (!wrong && p.step < STEPS) {
		wrong = p.step < NR_FIRST_STEPS ? first_steps[p.step](&p) :
			steps[random_below(NR_STEPS)](&p);
		p.step += !wrong;
	}
	if (wrong) {
		print_program(&p);
		printf("# a sample, or the program: %s\n", wrong);
	}
	program_end(&p);
	score_add(sum, &p.score);
	return !wrong;
}

/* ---- tests ----------------------------------------------------------------- */

FIXTURE(shadow) {
	int paranoid;
};

FIXTURE_SETUP(shadow)
{
	self->paranoid = event_paranoid(-1);
	ASSERT_LE(-1, self->paranoid);
}

FIXTURE_TEARDOWN(shadow)
{
	event_paranoid(self->paranoid);
	EXPECT_TRUE(books_idle(PATIENCE));
}

static const char *const field_names[FIELDS] = {
	"bytes", "data", "before", "seen", "now", "old value", "new value",
};

/*
 * Fields that are absent where they could be known more often than not. What must be
 * there is compared sample by sample; this is so that it is not the exception. Values
 * of memory are absent after it was freed, or while only a part of it is mapped.
 */
static unsigned int score_poor(const struct shadow_score *score)
{
	unsigned int i, poor = 0;

	for (i = 0; i < FIELDS; i++) {
		printf("# %s: %u of %u that could be known\n", field_names[i], score->had[i],
		       score->could[i]);
		poor += score->had[i] < score->could[i] / (gpu_device_knows_latest() ? 2 : 4);
	}
	return poor;
}

TEST_F_TIMEOUT(shadow, random_programs, LONG)
{
	int seed = env_number("GPUBP_SEED", (int)((time(NULL) ^ getpid()) & 0xfffffff));
	unsigned int programs = env_number("GPUBP_PROGRAMS", 100), failures = 0, n;
	struct shadow_score sum = {};

	printf("# GPUBP_SEED=%d\n", seed);
	for (n = 0; n < programs && failures < FAILURES; n++)
		failures += !program_run(seed + (int)n, &sum);
	EXPECT_EQ(0, failures);
	printf("# %u samples of %u programs, %u after reuse\n", sum.hits, n, sum.reused);
	if (programs < 100)
		return;
	EXPECT_LT(programs, sum.hits);
	if (gpu_device_tells_unmaps())
		EXPECT_LT(programs / 2, sum.reused);
	EXPECT_EQ(0, score_poor(&sum));
}

#define VALUES	(GPUBP_HIT_OLD_VALUE | GPUBP_HIT_NEW_VALUE | GPUBP_HIT_DATA |	\
		 GPUBP_HIT_BEFORE | GPUBP_HIT_SEEN | GPUBP_HIT_NOW)

/**
 * struct reader - a sampling event of a CPU
 * @ring: its samples
 * @fd: event
 * @samples: how many there were
 * @values: flags of all of them
 * @stale: of these with bytes that mean nothing
 */
struct reader {
	struct ring ring;
	int fd;
	unsigned int samples;
	unsigned int values;
	unsigned int stale;
};

static int reader_open(struct reader *r)
{
	struct perf_event_attr attr = event_watch(SHADOW_VA, SHADOW_COPY, EVENT_ANY);

	*r = (struct reader){};
	event_sample(&attr, 1);
	r->fd = event_open(&attr, -1, 0);
	return r->fd < 0 ? r->fd : ring_map(&r->ring, r->fd, RING_PAGES);
}

static void reader_read(struct reader *r)
{
	struct sample s;

	for (; ring_next(&r->ring, &s); r->samples++) {
		r->values |= s.rec.flags & VALUES;
		r->stale += !record_is_clean(&s.rec);
	}
	ring_unmap(&r->ring);
	close(r->fd);
}

/* a user who may watch all processes of a CPU, and read the memory of none */
static int user_main(int sock, void *arg)
{
	struct reader *r = arg;

	if (become(1000) || reader_open(r) || !say(sock, 0) || heard(sock))
		return 1;
	reader_read(r);
	return 0;
}

TEST_F(shadow, of_an_opener_who_may_not_read)
{
	static const char *const names[] = { "store64", "load32", "add32_returning" };
	struct reader mine, *others = mmap(NULL, sizeof(*others), PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct grun_mem mem, out;
	struct child user;
	struct gpu gpu;
	unsigned int i;

	ASSERT_NE(MAP_FAILED, (void *)others);
	ASSERT_EQ(0, gpu_open(&gpu, "values"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SHADOW_PAGE, SHADOW_VA));
	ASSERT_EQ(0, gpu_buffer(&gpu, &out, SHADOW_PAGE, OUT_VA));
	ASSERT_EQ(0, child_start(&user, user_main, others));
	ASSERT_EQ(0, heard(user.sock));
	ASSERT_EQ(0, reader_open(&mine));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, gpu_run(&gpu, names[i], 1, GPU_ARGS(SHADOW_VA, 8, ~0U, ~0ULL, i,
								 out.va)));
	ASSERT_TRUE(books_settle(PATIENCE));
	ASSERT_TRUE(say(user.sock, 0));
	ASSERT_EQ(0, child_end(&user));
	reader_read(&mine);
	EXPECT_EQ(3, mine.samples);
	EXPECT_EQ(VALUES, mine.values);
	EXPECT_EQ(0, mine.stale);
	EXPECT_EQ(3, others->samples);
	EXPECT_EQ(0, others->values);
	EXPECT_EQ(0, others->stale);
	gpu_close(&gpu);
}

TEST_HARNESS_MAIN
