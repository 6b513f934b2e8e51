// SPDX-License-Identifier: GPL-2.0
/*
 * Ground truth: counts and samples of events are compared with a CPU model of
 * each kernel, access by access.
 *
 * usage: truth [--model N | --run N | --samples FILE | --hurry]
 *
 * --model	hits of the N-th kernel with watchable stores, from 0, in eight
 *		ranges: a line "ADDRESS LENGTH NUMBER" for each
 * --run	run it, and exit right after its end; exit status 4: no such kernel
 * --samples	write a line to FILE for each sample, without what differs between runs
 * --hurry	do not wait until events are armed: hits may be missing, and then the event's
 *		time running is less than its time enabled
 *
 * The first two are for truth.sh, which runs perf; the third for a comparison of two
 * GPUs.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kselftest.h"
#include "books.h"
#include "gpu.h"
#include "session.h"
#include "truth.h"
#include "truth_cases.h"

#define RING_PAGES	256
#define MAX_SAMPLES	MAX_EXPECTED
#define PATIENCE	60	/* s */

/**
 * struct setup - a case ready to run
 * @c: the case
 * @gpu: its context
 * @elf: path of the code object
 * @mem: its buffers
 * @shadow: the model's buffers
 */
struct setup {
	const struct truth_case *c;
	struct gpu gpu;
	char elf[512];
	struct grun_mem mem[CASE_BUFFERS];
	unsigned char *shadow[CASE_BUFFERS];
};

/**
 * struct watching - open events, and the statistics before
 * @counter: counting event
 * @sampler: sampling event
 * @exact: event that counts hits with an exact pc and address
 * @ring: of @sampler
 * @raised: hits raised by the device before
 * @strays: strays before
 */
struct watching {
	int counter;
	int sampler;
	int exact;
	struct ring ring;
	int64_t raised;
	int64_t strays;
};

static int session;
static FILE *dump;
static bool hurry;
static unsigned int nr_short, nr_whole;	/* watches with --hurry: hits are missing, none is */
static struct truth truth;
static struct sample samples[MAX_SAMPLES];

static uint32_t pattern_word(enum pattern pattern, uint32_t i, uint32_t nr)
{
	switch (pattern) {
	case IOTA:
		return i;
	case FLOATS:
		return model_float(0.5f * (float)i);
	case RANDOM:
		return (i + 12345) * 2654435761u >> 7;
	case CHASE:
		return (17 * i + 5) % nr;
	default:
		return 0;
	}
}

static void fill(const struct case_buffer *buffer, void *to)
{
	uint32_t nr = buffer->size / 4, i;
	uint32_t *words = to;

	for (i = 0; i < nr; i++)
		words[i] = pattern_word(buffer->pattern, i, nr);
}

static void reset_memory(struct setup *s)
{
	int i;

	for (i = 0; i < CASE_BUFFERS; i++) {
		if (!s->c->buffers[i].size)
			continue;
		fill(&s->c->buffers[i], s->mem[i].cpu);
		fill(&s->c->buffers[i], s->shadow[i]);
	}
}

/* fixed address, for a kernel that is watched by another process */
static uint64_t fixed_va(int buffer)
{
	return 0x200000000ULL + 0x1000000ULL * buffer;
}

static int set_up(struct setup *s, const struct truth_case *c, bool fixed)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->c = c;
	gpu_code_path(s->elf, sizeof(s->elf), c->elf);
	if (gpu_open(&s->gpu, c->elf))
		return -1;
	for (i = 0; i < CASE_BUFFERS; i++) {
		if (!c->buffers[i].size)
			continue;
		s->shadow[i] = malloc(c->buffers[i].size);
		if (!s->shadow[i] ||
		    gpu_buffer(&s->gpu, &s->mem[i], c->buffers[i].size,
			       fixed ? fixed_va(i) : 0))
			return -1;
	}
	return 0;
}

static void tear_down(struct setup *s)
{
	int i;

	gpu_close(&s->gpu);
	for (i = 0; i < CASE_BUFFERS; i++)
		free(s->shadow[i]);
}

static unsigned int arguments(const struct setup *s, uint64_t *args)
{
	unsigned int i;

	for (i = 0; i < CASE_ARGS && s->c->args[i].kind != NONE; i++) {
		double value = s->c->args[i].value;

		switch (s->c->args[i].kind) {
		case BUFFER:
			args[i] = s->mem[(int)value].va;
			break;
		case FLOAT:
			args[i] = model_float((float)value);
			break;
		case DOUBLE:
			memcpy(&args[i], &value, sizeof(value));
			break;
		default:
			args[i] = (uint64_t)value;
		}
	}
	return i;
}

static bool run_model(struct setup *s, const struct grun_launch *launch)
{
	static struct model model;
	uint64_t args[CASE_ARGS] = {};
	int i;

	memset(&model, 0, sizeof(model));
	for (i = 0; i < CASE_BUFFERS; i++)
		if (s->shadow[i])
			model_map(&model, s->mem[i].va, s->shadow[i],
				  s->c->buffers[i].size);
	truth_begin(&truth, &model);
	arguments(s, args);
	if (!model_run(&model, s->c->kernel, launch->grid, launch->workgroup, args))
		return false;
	truth_end(&truth);
	return !model.faults;
}

static int run_gpu(struct setup *s, struct grun_launch *launch)
{
	uint64_t args[CASE_ARGS];
	unsigned int nr = arguments(s, args);
	int ret;

	memcpy(launch->workgroup, s->c->workgroup, sizeof(launch->workgroup));
	ret = gpu_start_grid(&s->gpu, s->c->kernel, s->c->groups, nr, args, launch);
	return ret ?: gpu_wait(&s->gpu, PATIENCE);
}

static bool begin_watching(struct watching *w)
{
	struct perf_event_attr attr = event_watch(truth.addr, truth.len,
						  truth.access);

	w->raised = books_raised();
	w->strays = books_strays();
	w->counter = event_open(&attr, 0, -1);
	/* before memory is mapped below: the kernel reads the old value, and does not wait */
	if (w->counter < 0 || gpu_await(w->counter))
		return false;
	attr.precise_ip = 2;
	w->exact = event_open(&attr, 0, -1);
	attr.precise_ip = 0;
	event_sample(&attr, 1);
	w->sampler = event_open(&attr, 0, -1);
	return w->exact >= 0 && w->sampler >= 0 &&
	       !ring_map(&w->ring, w->sampler, RING_PAGES) &&
	       !gpu_await(w->exact) && !gpu_await(w->sampler);
}

static void end_watching(struct watching *w)
{
	ring_unmap(&w->ring);
	close(w->counter);
	close(w->exact);
	close(w->sampler);
}

/* state right after the end of the kernel; the samples are in @samples */
struct seen {
	int64_t counted;
	int64_t exact;
	struct event_value sampler;
	unsigned int nr;
};

static unsigned int take_samples(struct ring *ring)
{
	unsigned int n = 0;

	while (n < MAX_SAMPLES && ring_next(ring, &samples[n]))
		n++;
	return n;
}

__attribute__((format(printf, 1, 2)))
static const char *wrong(const char *fmt, ...)
{
	static char text[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return text;
}

static const char *check_memory(const struct setup *s)
{
	size_t n;
	int i;

	for (i = 0; i < CASE_BUFFERS; i++)
		for (n = 0; n < s->c->buffers[i].size; n++)
			if (((volatile unsigned char *)s->mem[i].cpu)[n] !=
			    s->shadow[i][n])
				return wrong("buffer %d differs at %zu", i, n);
	return NULL;
}

static unsigned int count_exact(unsigned int nr)
{
	unsigned int n = 0;

	while (nr--)
		n += !(samples[nr].rec.flags & GPUBP_HIT_POSSIBLE);
	return n;
}

/* the kernel has just ended: read everything without waiting */
static bool look(struct watching *w, struct seen *seen)
{
	seen->counted = event_count(w->counter);
	seen->exact = event_count(w->exact);
	seen->nr = take_samples(&w->ring);
	return !event_read(w->sampler, &seen->sampler);
}

/* all ways to read the number of hits agree */
static const char *check_counts(const struct watching *w,
				const struct seen *seen)
{
	const struct event_value *value = &seen->sampler;
	unsigned int nr = seen->nr;

	if (value->lost || w->ring.lost || w->ring.bad)
		return wrong("%llu samples lost, %u bad",
			     (unsigned long long)value->lost, w->ring.bad);
	if (seen->counted != nr || value->count != nr)
		return wrong("counted %lld, sampled %u, count of the sampler %llu",
			     (long long)seen->counted, nr,
			     (unsigned long long)value->count);
	if (seen->exact != count_exact(nr))
		return wrong("counted %lld exact ones, sampled %u",
			     (long long)seen->exact, count_exact(nr));
	return NULL;
}

/* the device raised all accesses to the granules; those not counted are strays */
static const char *check_books(const struct watching *w, unsigned int nr)
{
	long long raised = books_raised() - w->raised;
	long long strays = books_strays() - w->strays;
	unsigned int i, right_kind = 0;

	for (i = 0; i < truth.nr; i++)
		right_kind += !!(truth.list[i].access & truth.access);
	if (raised != truth.nr)
		return wrong("%lld hits raised, the granules were met %u times",
			     raised, truth.nr);
	if (strays < right_kind - nr || strays > truth.nr - nr)
		return wrong("%lld strays of %u hits, %u samples", strays,
			     truth.nr, nr);
	return NULL;
}

static const char *check_record(const struct setup *s, const struct sample *sample,
				const struct gpubp_context *context)
{
	const struct gpubp_hit_record *rec = &sample->rec, *first = &samples[0].rec;

	if (code_access(s->elf, s->gpu.code, rec->pc - gpu_code_va(&s->gpu),
			s->c->kernel, s->c->callee) != rec->access)
		return wrong("pc %#llx is no such instruction of %s",
			     (unsigned long long)rec->pc, s->c->kernel);
	if (rec->context != context->id || rec->device != context->device ||
	    (int)sample->pid != getpid())
		return wrong("context %u, device %u, pid %u", rec->context,
			     rec->device, sample->pid);
	if (!(rec->flags & GPUBP_HIT_DISPATCH) || rec->dispatch != first->dispatch ||
	    rec->queue != first->queue)
		return wrong("dispatch %u of queue %u and dispatch %u of queue %u",
			     first->dispatch, first->queue, rec->dispatch, rec->queue);
	return NULL;
}

static const char *check_records(const struct setup *s, const struct watching *w,
				 unsigned int nr)
{
	struct gpubp_context context;
	const char *text = NULL;
	unsigned int i;

	if (session_context(session, w->counter, &context))
		return "a context is missing, or one too many";
	for (i = 0; i < nr && !text; i++)
		text = check_record(s, &samples[i], &context);
	return text;
}

/* of the first bytes of the watch, those that are in a buffer; a watch may end behind it */
static bool is_in_memory(const struct setup *s, uint64_t value, unsigned int len)
{
	unsigned int n;
	int i;

	for (i = 0; i < CASE_BUFFERS; i++) {
		for (n = 0; n < len; n++) {
			uint64_t at = truth.addr + n - s->mem[i].va;

			if (at < s->c->buffers[i].size &&
			    s->shadow[i][at] != (unsigned char)(value >> 8 * n))
				return false;
		}
	}
	return true;
}

static uint64_t first_bytes(uint64_t value, unsigned int len)
{
	return len < 8 ? value & ((1ULL << 8 * len) - 1) : value;
}

/* of a wave that has gone on, bytes that it did not touch may not be known */
static const char *check_value(const struct gpubp_hit_record *rec,
			       const struct gpubp_hit_record *before, unsigned int i)
{
	unsigned int len = truth.len < 8 ? truth.len : 8, both = rec->value_len;

	if (rec->wave && (!(rec->flags & GPUBP_HIT_NEW_VALUE) || rec->value_len < len))
		return wrong("sample %u has no value", i);
	if (!before || !(rec->flags & GPUBP_HIT_OLD_VALUE))
		return before && rec->wave && before->wave ?
		       wrong("sample %u has no old value", i) : NULL;
	if (both > before->value_len)
		both = before->value_len;
	if (first_bytes(rec->old_value, both) != first_bytes(before->new_value, both))
		return wrong("sample %u: old value %#llx, new value before %#llx", i,
			     (unsigned long long)rec->old_value,
			     (unsigned long long)before->new_value);
	return NULL;
}

/* in ring order: each old value is the new value of the one before */
static const char *check_values(const struct setup *s, unsigned int nr)
{
	const struct gpubp_hit_record *rec = NULL;
	const char *text = NULL;
	unsigned int i;

	for (i = 0; i < nr && !text; i++) {
		text = check_value(&samples[i].rec, rec, i);
		rec = &samples[i].rec;
	}
	if (!text && rec && (truth.access & EVENT_WRITES) == EVENT_WRITES &&
	    !is_in_memory(s, rec->new_value, rec->value_len))
		return wrong("last value %#llx", (unsigned long long)rec->new_value);
	return text;
}

static const char *access_name(unsigned int access)
{
	static const char * const names[] = {
		"none", "loads", "stores", "loads+stores", "atomics",
		"loads+atomics", "stores+atomics", "all accesses",
	};

	return names[access & 7];
}

/* the values that a wave finds depend on the other waves */
static bool is_one_wave(unsigned int nr)
{
	const struct gpubp_hit_record *first = &samples[0].rec, *rec;

	while (nr--) {
		rec = &samples[nr].rec;
		if (rec->wg_x != first->wg_x || rec->wg_y != first->wg_y ||
		    rec->wg_z != first->wg_z ||
		    rec->wave_in_group != first->wave_in_group)
			return false;
	}
	return true;
}

static void dump_sample(const struct setup *s, const struct gpubp_hit_record *rec)
{
	fprintf(dump, "%s group %u,%u,%u wave %u pc %#llx addr %lld lanes %#llx exec %#llx",
		s->c->kernel, rec->wg_x, rec->wg_y, rec->wg_z, rec->wave_in_group,
		(unsigned long long)(rec->pc - gpu_code_va(&s->gpu)),
		(long long)(rec->addr - truth.addr), (unsigned long long)rec->lanes,
		(unsigned long long)rec->exec);
	fprintf(dump, " width %u access %u state %u flags %#x bytes %u merged %u kind %u exceptions %#x trap %u",
		rec->width, rec->access, rec->addr_state, rec->flags, rec->value_len,
		rec->nr_merged, rec->kind, rec->exceptions, rec->trap_id);
}

/* they are in the order of waves (truth_compare()), addresses are relative */
static void dump_samples(const struct setup *s, const char *name, unsigned int nr)
{
	bool values = nr && is_one_wave(nr);
	unsigned int i;

	if (!dump)
		return;
	fprintf(dump, "%s: %s of %s: %u samples\n", s->c->kernel, name,
		access_name(truth.access), nr);
	for (i = 0; i < nr; i++) {
		dump_sample(s, &samples[i].rec);
		if (values)
			fprintf(dump, " old %#llx new %#llx",
				(unsigned long long)samples[i].rec.old_value,
				(unsigned long long)samples[i].rec.new_value);
		fprintf(dump, "\n");
	}
}

static const char *check_all(struct setup *s, const struct watching *w,
			     const struct seen *seen)
{
	unsigned int nr = seen->nr;
	const char *text = check_memory(s) ?: check_values(s, nr);

	return text ?: truth_compare(&truth, samples, nr) ?:
	       check_counts(w, seen) ?: check_books(w, nr) ?:
	       check_records(s, w, nr);
}

static unsigned int count_met(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < truth.nr; i++)
		n += truth.list[i].lanes &&
		     (truth.list[i].access & truth.access);
	return n;
}

/* at once, after the event was opened; 0 is "not counted" */
static const char *check_times(const struct event_value *value)
{
	unsigned int met = count_met();

	if (value->count >= met) {
		nr_whole++;
		return NULL;
	}
	nr_short++;
	if (!value->running || value->running < value->enabled)
		return NULL;
	return wrong("%llu hits of %u, enabled %llu, running %llu",
		     (unsigned long long)value->count, met,
		     (unsigned long long)value->enabled,
		     (unsigned long long)value->running);
}

static const char *run_hurried(struct setup *s)
{
	struct perf_event_attr attr = event_watch(truth.addr, truth.len, truth.access);
	struct grun_launch launch;
	struct event_value value;
	const char *text;
	int fd;

	reset_memory(s);
	fd = event_open(&attr, 0, -1);
	if (fd < 0)
		return "cannot open the event";
	if (run_gpu(s, &launch))
		text = "the kernel did not end well";
	else if (event_read(fd, &value))
		text = "the event cannot be read";
	else
		text = run_model(s, &launch) ? check_times(&value) : "no model";
	close(fd);
	return text;
}

static const char *run_watch(struct setup *s, const char *name)
{
	struct grun_launch launch;
	struct watching w;
	struct seen seen;
	const char *text;

	reset_memory(s);
	if (!begin_watching(&w))
		return "cannot open events";
	if (run_gpu(s, &launch))
		text = "the kernel did not end well";
	else if (!look(&w, &seen))
		text = "an event cannot be read";
	else if (!run_model(s, &launch))
		text = "no model";
	else if (!books_settle(PATIENCE))
		text = "the statistics do not balance";
	else
		text = check_all(s, &w, &seen);
	if (!text)
		dump_samples(s, name, seen.nr);
	end_watching(&w);
	return text;
}

static uint64_t shape_start(const struct case_target *t, const struct shape *shape)
{
	uint64_t at = shape->granule_end ? (t->at | (truth_granule() - 1)) + 1 : t->at;

	return at + shape->at;
}

static void test_watch(struct setup *s, const char *name, unsigned int access,
		       unsigned int buffer, uint64_t at, uint64_t len)
{
	const char *text;

	truth.addr = s->mem[buffer].va + at;
	truth.len = len;
	truth.access = access;
	text = hurry ? run_hurried(s) : run_watch(s, name);
	if (text)
		ksft_print_msg("%s\n", text);
	ksft_test_result(!text, "%s: %s, %s at buffer %u + %llu (%u)\n", s->c->kernel,
			 access_name(access), name, buffer,
			 (unsigned long long)at, truth.nr);
}

/* a neighbouring byte: nothing is counted, all hits are strays, and there are some */
static void test_gap(struct setup *s)
{
	const struct case_gap *gap = &s->c->gap;

	test_watch(s, "a neighbour", s->c->targets[0].access, gap->buffer,
		   gap->at, 1);
	ksft_test_result(truth.nr, "%s: the neighbour has strays\n", s->c->kernel);
}

static unsigned int nr_tests(void)
{
	const struct truth_case *c;
	const struct shape *shape;
	unsigned int n = 0;
	int t;

	for (c = truth_cases; c->elf; c++) {
		for (t = 0; t < CASE_TARGETS && c->targets[t].access; t++)
			for (shape = shapes; shape->name; shape++)
				n++;
		n += c->gap.there ? 2 : 0;
	}
	return n;
}

static void test_case(struct setup *s)
{
	const struct truth_case *c = s->c;
	const struct shape *shape;
	int t;

	for (t = 0; t < CASE_TARGETS && c->targets[t].access; t++)
		for (shape = shapes; shape->name; shape++)
			test_watch(s, shape->name, c->targets[t].access,
				   c->targets[t].buffer,
				   shape_start(&c->targets[t], shape), shape->len);
	if (c->gap.there)
		test_gap(s);
}

/* ---- for perf ------------------------------------------------------------ */

#define RANGES	8

static const struct case_target *stores_of(const struct truth_case *c)
{
	int t;

	for (t = 0; t < CASE_TARGETS && c->targets[t].access; t++)
		if (c->targets[t].access == EVENT_STORES)
			return &c->targets[t];
	return NULL;
}

static const struct truth_case *nth_with_stores(int n)
{
	const struct truth_case *c;

	for (c = truth_cases; c->elf; c++)
		if (stores_of(c) && !n--)
			return c;
	return NULL;
}

static int print_model(struct setup *s, const struct grun_launch *launch)
{
	const struct case_target *t = stores_of(s->c);
	int i;

	for (i = 0; i < RANGES; i++) {
		reset_memory(s);
		truth.addr = s->mem[t->buffer].va + shape_start(t, &shapes[i]);
		truth.len = shapes[i].len;
		truth.access = t->access;
		if (!run_model(s, launch))
			return 1;
		printf("%#llx %llu %u\n", (unsigned long long)truth.addr,
		       (unsigned long long)truth.len, count_met());
	}
	return 0;
}

static int by_itself(bool model, int n)
{
	const struct truth_case *c = nth_with_stores(n);
	struct grun_launch launch;
	struct setup setup;

	if (!c)
		return 4;
	if (set_up(&setup, c, true))
		return 1;
	reset_memory(&setup);
	if (run_gpu(&setup, &launch))
		return 1;
	return model ? print_model(&setup, &launch) : 0;
}

static long escalations;

static void set_back(void)
{
	event_parameter("escalations", escalations);
}

int main(int argc, char **argv)
{
	const struct truth_case *c;
	struct setup setup;

	if (argc == 3 && !strcmp(argv[1], "--samples"))
		dump = fopen(argv[2], "we");
	else if (argc == 3)
		return by_itself(!strcmp(argv[1], "--model"), atoi(argv[2]));
	hurry = argc == 2 && !strcmp(argv[1], "--hurry");
	session = session_open();
	ksft_print_header();
	/* comparators without precise points; escalate.c tests those */
	escalations = event_parameter("escalations", 0);
	atexit(set_back);
	ksft_set_plan(nr_tests());
	for (c = truth_cases; c->elf; c++) {
		if (set_up(&setup, c, false))
			ksft_exit_fail_msg("%s cannot be set up\n", c->kernel);
		test_case(&setup);
		tear_down(&setup);
	}
	if (hurry)
		ksft_print_msg("hits are missing in %u watches, none is in %u\n", nr_short, nr_whole);
	ksft_finished();
}
