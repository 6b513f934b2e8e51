// SPDX-License-Identifier: GPL-2.0
/*
 * The hits of a recording: samples of gpubp events, and the names of threads.
 */
#include <stdlib.h>
#include <string.h>
#include "hits.h"

struct comm {
	uint32_t tid;
	char name[COMM_LEN];
};

/* names of threads */
struct comms {
	struct comm *comms;
	size_t nr;
};

struct reader {
	const struct perf_file *file;
	uint32_t type;
	struct comms comms;
	struct hits *hits;
	struct perf_err *err;
};

/* room for one more; arrays grow by powers of two */
static void *grow(void **array, size_t *nr, size_t size)
{
	void *grown = *array;

	if (!(*nr & (*nr - 1)))
		grown = realloc(*array, (*nr ? 2 * *nr : 1) * size);
	if (!grown)
		return NULL;
	*array = grown;
	return memset((char *)grown + (*nr)++ * size, 0, size);
}

static struct comm *comm_find(const struct comms *comms, uint32_t tid)
{
	size_t i;

	for (i = 0; i < comms->nr; i++)
		if (comms->comms[i].tid == tid)
			return &comms->comms[i];
	return NULL;
}

static void comm_set(struct comms *comms, uint32_t tid, const char *name,
		     size_t len)
{
	struct comm *comm = comm_find(comms, tid);

	if (!comm)
		comm = grow((void **)&comms->comms, &comms->nr, sizeof(*comm));
	if (!comm)
		return;
	comm->tid = tid;
	memset(comm->name, 0, sizeof(comm->name));
	memcpy(comm->name, name, strnlen(name, len < COMM_LEN ? len : COMM_LEN - 1));
}

static void read_comm(struct reader *r, const struct perf_record *record)
{
	struct perf_cursor c = { record->body, record->body + record->size, false };
	uint32_t tid;

	perf_u32(&c);
	tid = perf_u32(&c);
	if (!c.bad)
		comm_set(&r->comms, tid, (const char *)c.pos, (size_t)(c.end - c.pos));
}

/* a new thread has its creator's name until it says otherwise */
static void read_fork(struct reader *r, const struct perf_record *record)
{
	struct perf_cursor c = { record->body, record->body + record->size, false };
	uint32_t tid, parent;
	struct comm *comm;
	char name[COMM_LEN];

	perf_skip(&c, 8);
	tid = perf_u32(&c);
	parent = perf_u32(&c);
	comm = comm_find(&r->comms, parent);
	if (c.bad || !comm)
		return;
	memcpy(name, comm->name, sizeof(name));
	comm_set(&r->comms, tid, name, sizeof(name) - 1);
}

static void read_lost(struct reader *r, const struct perf_record *record,
		      bool has_id)
{
	struct perf_cursor c = { record->body, record->body + record->size, false };

	if (has_id)
		perf_u64(&c);
	r->hits->lost += perf_u64(&c);
}

static int add_hit(struct reader *r, const struct perf_sample *s)
{
	struct hits *hits = r->hits;
	struct hit *hit;

	if (!s->raw)
		return perf_fail(r->err, "recorded without raw data: use perf record -R");
	/* longer: a newer module, whose record begins the same */
	if (s->raw_size < sizeof(hit->rec))
		return perf_fail(r->err, "a hit of %u bytes, not %zu", s->raw_size,
				 sizeof(hit->rec));
	hit = grow((void **)&hits->hits, &hits->nr, sizeof(*hit));
	if (!hit)
		return perf_fail(r->err, "out of memory");
	hit->pid = s->pid;
	hit->tid = s->tid;
	hit->cpu = s->cpu;
	hit->time = s->time;
	hit->event = s->event;
	memcpy(&hit->rec, s->raw, sizeof(hit->rec));
	return 0;
}

static int read_sample(struct reader *r, const struct perf_record *record)
{
	struct perf_sample sample;

	if (perf_file_sample(r->file, record, &sample, r->err))
		return -1;
	if (r->file->events[sample.event].attr.type != r->type)
		return 0;
	return add_hit(r, &sample);
}

static int read_record(struct reader *r, const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_COMM:
		read_comm(r, record);
		return 0;
	case PERF_RECORD_FORK:
		read_fork(r, record);
		return 0;
	case PERF_RECORD_LOST:
		read_lost(r, record, true);
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		read_lost(r, record, false);
		return 0;
	case PERF_RECORD_SAMPLE:
		return read_sample(r, record);
	default:
		return 0;
	}
}

static int by_gpu_time(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return (x->rec.gpu_time > y->rec.gpu_time) -
	       (x->rec.gpu_time < y->rec.gpu_time);
}

/*
 * The file is in order for each CPU only: a sample may stand in front of the
 * record that names its thread. So names are those at the end.
 */
static void finish(struct reader *r)
{
	struct comm *comm;
	size_t i;

	for (i = 0; i < r->hits->nr; i++) {
		comm = comm_find(&r->comms, r->hits->hits[i].tid);
		if (comm)
			memcpy(r->hits->hits[i].comm, comm->name, COMM_LEN);
	}
	if (r->hits->nr)
		qsort(r->hits->hits, r->hits->nr, sizeof(*r->hits->hits),
		      by_gpu_time);
}

int hits_read(struct hits *hits, const struct perf_file *file,
	      struct perf_err *err)
{
	struct reader r = { .file = file, .hits = hits, .err = err };
	struct perf_record record;
	uint64_t pos = 0;
	int ret;

	memset(hits, 0, sizeof(*hits));
	if (!perf_file_pmu(file, "gpubp", &r.type))
		return perf_fail(err, "the machine had no gpubp when this was recorded");
	while ((ret = perf_file_next(file, &pos, &record, err)) > 0) {
		ret = read_record(&r, &record);
		if (ret)
			break;
	}
	finish(&r);
	free(r.comms.comms);
	if (ret)
		hits_free(hits);
	return ret;
}

void hits_free(struct hits *hits)
{
	free(hits->hits);
	memset(hits, 0, sizeof(*hits));
}

uint32_t hits_first_pid(const struct hits *hits)
{
	return hits->nr ? hits->hits[0].pid : 0;
}
