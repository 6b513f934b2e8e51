// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "access.h"
#include "demangle.h"
#include "found.h"
#include "json.h"
#include "plural.h"

/* ---- names ---------------------------------------------------------------------- */

static void find_code(struct found *f, const struct guard_map *map)
{
	const struct guard_code *code = guard_code_at(map, f->pid, f->first.pc);
	const char *name = NULL, *file;
	uint64_t start = 0, at;
	struct line line;

	f->offset = f->first.pc;
	if (!code)
		return;
	at = f->first.pc - code->va;
	if (code->code)
		name = grun_code_function(code->code, at, &start);
	if (name) {
		demangle(name, f->kernel, sizeof(f->kernel));
		f->offset = at - start;
	}
	if (!lines_find(code->lines, at, &line))
		return;
	file = strrchr(line.file, '/');
	snprintf(f->source, sizeof(f->source), "%s:%d", file ? file + 1 : line.file, line.line);
}

static void find_buffer(struct found *f, const struct guard_map *map)
{
	const struct guard_buffer *b = map->buffers.list;
	size_t i;

	if (!f->first.lanes)
		return;
	for (i = 0; i < map->buffers.nr; i++, b++) {
		if (b->pid != f->pid || !guard_buffer_holds(b, f->first.hit_addr))
			continue;
		memcpy(f->buffer, b->name, sizeof(f->buffer));
		f->buffer_offset = f->first.hit_addr - b->va;
	}
}

/* ---- findings --------------------------------------------------------------------- */

static bool is_of(const struct found *f, uint32_t pid, unsigned int watch,
		  const struct place_hit *hit)
{
	return f->pid == pid && f->watch == watch && f->first.pc == hit->pc &&
	       f->first.access == hit->access && f->first.decided == hit->decided;
}

static struct found *found_new(struct finds *finds)
{
	struct found *grown = realloc(finds->list, (finds->nr + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	finds->list = grown;
	return memset(&grown[finds->nr++], 0, sizeof(*grown));
}

int found_add(struct finds *finds, const struct guard_map *map, uint32_t pid,
	      unsigned int watch, const struct place_hit *hit)
{
	struct found *f;

	for (f = finds->list; f < finds->list + finds->nr; f++) {
		if (!is_of(f, pid, watch, hit))
			continue;
		f->nr++;
		return 0;
	}
	f = found_new(finds);
	if (!f)
		return -1;
	f->pid = pid;
	f->watch = watch;
	f->first = *hit;
	f->nr = 1;
	find_code(f, map);
	find_buffer(f, map);
	return 0;
}

void found_free(struct finds *finds)
{
	free(finds->list);
	*finds = (struct finds){ 0 };
}

/* ---- text --------------------------------------------------------------------------- */

static unsigned int first_lane(const struct place_hit *hit)
{
	return (unsigned int)__builtin_ctzll(hit->lanes);
}

static void print_where(const struct found *f, FILE *out)
{
	const struct place_hit *hit = &f->first;

	if (f->kernel[0])
		fprintf(out, "%s+%#" PRIx64, f->kernel, f->offset);
	else
		fprintf(out, "%#" PRIx64, f->offset);
	if (f->source[0])
		fprintf(out, " %s", f->source);
	if (hit->has_coords)
		fprintf(out, " group (%u,%u,%u) wave %u", hit->wg[0], hit->wg[1],
			hit->wg[2], hit->wave);
	if (hit->lanes)
		fprintf(out, " lane %u", first_lane(hit));
	if (hit->has_coords)
		fprintf(out, " dispatch %u", hit->dispatch);
}

static void print_what(const struct found *f, const struct ask_watch *w, FILE *out)
{
	const struct place_hit *hit = &f->first;

	if (!hit->lanes) {
		fprintf(out, " may have %s bytes of %s: its address is not known",
			access_past(hit->access), w->text);
		return;
	}
	fprintf(out, " %s ", access_past(hit->access));
	if (f->buffer[0])
		fprintf(out, "%s+%#" PRIx64 " (%#" PRIx64 ")", f->buffer,
			f->buffer_offset, hit->hit_addr);
	else
		fprintf(out, "%#" PRIx64, hit->hit_addr);
	if (hit->has_value)
		fprintf(out, "%s %#" PRIx64,
			hit->access == GPUBP_ACCESS_ATOMIC ? " by operand" : "", hit->value);
}

static void print_counts(const struct ask_watch *w, FILE *out)
{
	const struct agent_counts *c = &w->total;

	fprintf(out, "%s: %" PRIu64 " hit%s", w->text, c->counted, plural(c->counted));
	if (c->undecided)
		fprintf(out, ", %" PRIu64 " that may be", c->undecided);
	if (c->lost)
		fprintf(out, ", %" PRIu64 " of them lost", c->lost);
	fprintf(out, "; %" PRIu64 " stray%s\n", c->strays, plural(c->strays));
}

void found_print(const struct finds *finds, const struct ask *ask, FILE *out)
{
	const struct found *f;
	unsigned int n;

	for (f = finds->list; f < finds->list + finds->nr; f++) {
		print_where(f, out);
		print_what(f, &ask->watch[f->watch], out);
		fprintf(out, ", %" PRIu64 " hit%s\n", f->nr, plural(f->nr));
	}
	for (n = 0; n < ask->nr; n++)
		print_counts(&ask->watch[n], out);
	if (ask->paused_ns)
		fprintf(out, "not watched for %.3f s: a debugger could have the GPU\n",
			(double)ask->paused_ns / 1e9);
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void put_text(const char *key, const char *text, FILE *out)
{
	fprintf(out, ",\"%s\":", key);
	json_string(out, text);
}

static void put_place(const struct place_hit *hit, FILE *out)
{
	if (hit->has_coords)
		fprintf(out, ",\"group\":[%u,%u,%u],\"wave\":%u,\"dispatch\":%u",
			hit->wg[0], hit->wg[1], hit->wg[2], hit->wave, hit->dispatch);
	if (hit->lanes)
		fprintf(out, ",\"lane\":%u,\"lanes\":\"%#" PRIx64 "\"", first_lane(hit),
			hit->lanes);
}

static void put_data(const struct found *f, FILE *out)
{
	const struct place_hit *hit = &f->first;

	fprintf(out, ",\"width\":%u,\"addr\":\"%#" PRIx64 "\"", hit->width, hit->hit_addr);
	if (f->buffer[0]) {
		put_text("buffer", f->buffer, out);
		fprintf(out, ",\"buffer_offset\":%" PRIu64, f->buffer_offset);
	}
	if (hit->has_value)
		fprintf(out, ",\"%s\":\"%#" PRIx64 "\"",
			hit->access == GPUBP_ACCESS_ATOMIC ? "operand" : "value", hit->value);
}

static void put_found(const struct found *f, const struct ask *ask, FILE *out)
{
	fprintf(out, "{\"pid\":%u", f->pid);
	put_text("watch", ask->watch[f->watch].text, out);
	fprintf(out, ",\"pc\":\"%#" PRIx64 "\"", f->first.pc);
	put_text("kernel", f->kernel, out);
	if (f->kernel[0])
		fprintf(out, ",\"offset\":%" PRIu64, f->offset);
	put_text("source", f->source, out);
	put_text("access", access_name(f->first.access), out);
	fprintf(out, ",\"known\":%s", f->first.lanes ? "true" : "false");
	put_place(&f->first, out);
	if (f->first.lanes)
		put_data(f, out);
	fprintf(out, ",\"nr\":%" PRIu64 "}", f->nr);
}

static void put_watch(const struct ask_watch *w, FILE *out)
{
	const struct agent_counts *c = &w->total;

	fputs("{\"watch\":", out);
	json_string(out, w->text);
	fprintf(out, ",\"hits\":%" PRIu64 ",\"undecided\":%" PRIu64 ",\"strays\":%" PRIu64
		",\"lost\":%" PRIu64 "}", c->counted, c->undecided, c->strays, c->lost);
}

void found_json(const struct finds *finds, const struct ask *ask, FILE *out)
{
	size_t i;

	fputs("{\"findings\":[", out);
	for (i = 0; i < finds->nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_found(&finds->list[i], ask, out);
	}
	fputs("\n],\"watches\":[", out);
	for (i = 0; i < ask->nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_watch(&ask->watch[i], out);
	}
	fprintf(out, "\n],\"paused_ns\":%" PRIu64 "}\n", ask->paused_ns);
}
