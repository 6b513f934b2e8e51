// SPDX-License-Identifier: GPL-2.0
/*
 * A filter of perf script: prints each sample that may be a hit as struct
 * wire_hit into the standard output, where they stay in order with the header
 * and the lines that perf prints, and keeps all samples from being printed.
 */
#include <stdio.h>
#include <string.h>
#include <perf/perf_dlfilter.h>
#include "twice.h"
#include "wire.h"

/* perf fills it in */
extern struct perf_dlfilter_fns perf_dlfilter_fns;
struct perf_dlfilter_fns perf_dlfilter_fns;

const char *filter_description(const char **long_description)
{
	*long_description = "for perf-gpubp, which runs perf script itself";
	return "hits of gpubp events, as perf-gpubp reads them";
}

static void set_string(struct wire_hit *hit, const char **texts,
		       enum wire_string n, const char *text)
{
	texts[n] = text ? text : "";
	hit->len[n] = (uint16_t)strnlen(texts[n], UINT16_MAX);
}

static void resolve_code(struct wire_hit *hit, const char **texts, void *ctx)
{
	const struct perf_dlfilter_al *al = perf_dlfilter_fns.resolve_ip(ctx);

	set_string(hit, texts, WIRE_COMM, al ? al->comm : NULL);
	set_string(hit, texts, WIRE_SYM, al ? al->sym : NULL);
	set_string(hit, texts, WIRE_DSO, al ? al->dso : NULL);
	hit->sym_off = al ? al->symoff : 0;
	hit->code_off = al ? al->addr : 0;
}

/* resolve_addr() is for the few events that perf itself knows */
static void resolve_data(struct wire_hit *hit, const char **texts,
			 struct perf_dlfilter_al *al, void *ctx)
{
	memset(al, 0, sizeof(*al));
	al->size = sizeof(*al);
	if (perf_dlfilter_fns.resolve_address(ctx, record_addr(&hit->rec), al))
		al->sym = NULL;
	set_string(hit, texts, WIRE_DATA, al->sym);
	hit->data_off = al->symoff;
}

static int write_hit(const struct wire_hit *hit, const char **texts)
{
	unsigned int i;

	fwrite(hit, sizeof(*hit), 1, stdout);
	for (i = 0; i < WIRE_STRINGS; i++)
		fwrite(texts[i], 1, hit->len[i], stdout);
	return ferror(stdout) ? -1 : 1;
}

static bool is_written_twice(const struct perf_dlfilter_sample *sample,
			     const struct wire_hit *hit)
{
	static struct twice twice;
	struct twice_sample this;

	/* no padding that is not zero */
	memset(&this, 0, sizeof(this));
	this.id = sample->id;
	this.ip = sample->ip;
	memcpy(&this.hit, hit, sizeof(this.hit));
	return twice_is_known(&twice, &this);
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample,
		 void *ctx)
{
	const struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);
	struct wire_hit hit;
	const char *texts[WIRE_STRINGS];
	struct perf_dlfilter_al al;
	int ret;

	/* only the PMUs that came with modules have other types */
	if (!attr || attr->type < PERF_TYPE_MAX)
		return 1;
	memset(&hit, 0, sizeof(hit));
	memcpy(hit.magic, WIRE_MAGIC, sizeof(hit.magic));
	hit.time = sample->time;
	hit.type = attr->type;
	hit.pid = (uint32_t)sample->pid;
	hit.tid = (uint32_t)sample->tid;
	hit.cpu = (uint32_t)sample->cpu;
	hit.raw_size = sample->raw_data ? sample->raw_size : 0;
	if (hit.raw_size)
		memcpy(&hit.rec, sample->raw_data,
		       hit.raw_size < sizeof(hit.rec) ? hit.raw_size :
		       sizeof(hit.rec));
	if (is_written_twice(sample, &hit))
		return 1;
	set_string(&hit, texts, WIRE_EVENT, sample->event);
	resolve_code(&hit, texts, ctx);
	resolve_data(&hit, texts, &al, ctx);
	ret = write_hit(&hit, texts);
	if (perf_dlfilter_fns.al_cleanup)
		perf_dlfilter_fns.al_cleanup(ctx, &al);
	return ret;
}
