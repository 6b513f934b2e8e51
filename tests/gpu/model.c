// SPDX-License-Identifier: GPL-2.0
/* The machine of the models: memory, watches, waves. */
#include <string.h>
#include "model_wave.h"

static bool meets(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

bool model_map(struct model *m, uint64_t va, void *bytes, size_t size)
{
	unsigned int i;

	if (m->nr_maps == MODEL_MAX_MAPS)
		return false;
	for (i = 0; i < m->nr_maps; i++)
		if (meets(va, size, m->maps[i].va, m->maps[i].size))
			return false;
	m->maps[m->nr_maps++] = (struct model_map){ va, bytes, size };
	return true;
}

struct model_watch *model_watch(struct model *m, uint64_t addr, uint64_t len,
				unsigned int access)
{
	struct model_watch *watch;

	if (m->nr_watches == MODEL_MAX_WATCHES)
		return NULL;
	watch = &m->watches[m->nr_watches++];
	*watch = (struct model_watch){
		.addr = addr, .len = len, .access = access,
	};
	return watch;
}

/* the bytes of one lane; NULL and a fault if some are not mapped */
static unsigned char *model_at(struct model *m, uint64_t addr, size_t len)
{
	struct model_map *map;

	for (map = m->maps; map < m->maps + m->nr_maps; map++)
		if (addr >= map->va && addr - map->va < map->size &&
		    len <= map->size - (addr - map->va))
			return map->bytes + (addr - map->va);
	if (!m->faults++)
		m->fault = addr;
	return NULL;
}

static void tell_hit(const struct model_wave *w, struct model_hit *hit)
{
	memcpy(hit->group, w->group, sizeof(hit->group));
	hit->wave = w->number;
	hit->addr = hit->at[__builtin_ctzll(hit->lanes)];
	if (w->m->on_hit)
		w->m->on_hit(hit, w->m->arg);
}

static void watch_access(const struct model_wave *w, struct model_watch *watch,
			 struct model_hit *hit)
{
	hit->watch = watch;
	hit->lanes = 0;
	FOR_LANES(lane, hit->exec)
		if (meets(hit->at[lane], hit->width, watch->addr, watch->len))
			hit->lanes |= 1ULL << lane;
	if (!hit->lanes)
		return;
	watch->count++;
	watch->eaten += hit->kept == ADDR_EATEN;
	watch->maybe_eaten += hit->kept == ADDR_ANY;
	tell_hit(w, hit);
}

static void model_count(const struct model_wave *w, struct model_hit *hit)
{
	struct model *m = w->m;
	unsigned int i;

	for (i = 0; i < m->nr_watches; i++)
		if (m->watches[i].access & hit->access)
			watch_access(w, &m->watches[i], hit);
}

/* row @n of a wide value consists of bytes 8n to 8n + 7 */
static unsigned int row_bytes(unsigned int width, unsigned int n)
{
	return width - 8 * n < 8 ? width - 8 * n : 8;
}

void wave_load(struct model_wave *w, uint64_t exec, const lanes addr,
	       unsigned int width, enum model_addr kept, lanes *value)
{
	unsigned int row;

	FOR_LANES(lane, exec) {
		const unsigned char *p = model_at(w->m, addr[lane], width);

		for (row = 0; 8 * row < width; row++) {
			value[row][lane] = 0;
			if (p)
				memcpy(&value[row][lane], p + 8 * row,
				       row_bytes(width, row));
		}
	}
	model_count(w, &(struct model_hit){
		.access = GPUBP_ACCESS_LOAD, .width = width, .kept = kept,
		.exec = exec, .at = addr, .data = value, .old = value });
}

void wave_store(struct model_wave *w, uint64_t exec, const lanes addr,
		unsigned int width, const lanes *value)
{
	unsigned int row;

	FOR_LANES(lane, exec) {
		unsigned char *p = model_at(w->m, addr[lane], width);

		for (row = 0; p && 8 * row < width; row++)
			memcpy(p + 8 * row, &value[row][lane],
			       row_bytes(width, row));
	}
	model_count(w, &(struct model_hit){
		.access = GPUBP_ACCESS_STORE, .width = width, .kept = ADDR_KEPT,
		.exec = exec, .at = addr, .data = value });
}

void wave_atomic(struct model_wave *w, uint64_t exec, const lanes addr,
		 unsigned int width, enum model_addr kept, atomic_fn fn,
		 const lanes a, const lanes b, lanes old)
{
	FOR_LANES(lane, exec) {
		unsigned char *p = model_at(w->m, addr[lane], width);
		uint64_t was = 0, now;

		if (!p)
			continue;
		memcpy(&was, p, width);
		now = fn(was, a[lane], b ? b[lane] : 0);
		memcpy(p, &now, width);
		if (old)
			old[lane] = was;
	}
	model_count(w, &(struct model_hit){
		.access = GPUBP_ACCESS_ATOMIC, .width = width, .kept = kept,
		.exec = exec, .at = addr, .data = (const lanes *)a,
		.old = (const lanes *)old });
}

uint32_t wave_peek(const struct model_wave *w, uint64_t addr)
{
	const unsigned char *p = model_at(w->m, addr, sizeof(uint32_t));
	uint32_t value = 0;

	if (p)
		memcpy(&value, p, sizeof(value));
	return value;
}

void lanes_at(const struct model_wave *w, uint64_t base, uint64_t scale,
	      lanes out)
{
	FOR_LANES(lane, w->exec)
		out[lane] = base + scale * w->x[lane];
}

void lanes_x(const struct model_wave *w, uint32_t scale, uint32_t plus,
	     lanes out)
{
	FOR_LANES(lane, w->exec)
		out[lane] = scale * w->x[lane] + plus;
}

void wave_load_words(struct model_wave *w, uint64_t exec, uint64_t base, lanes value)
{
	lanes at;

	lanes_at(w, base, 4, at);
	wave_load(w, exec, at, 4, ADDR_ANY, (lanes *)value);
}

void wave_store_words(struct model_wave *w, uint64_t exec, uint64_t base,
		      const lanes value)
{
	lanes at;

	lanes_at(w, base, 4, at);
	wave_store(w, exec, at, 4, (const lanes *)value);
}

uint64_t lanes_below(const struct model_wave *w, int32_t n)
{
	uint64_t mask = 0;

	FOR_LANES(lane, w->exec)
		if ((int32_t)w->x[lane] < n)
			mask |= 1ULL << lane;
	return mask;
}

uint64_t model_float(float f)
{
	uint64_t bits = 0;

	memcpy(&bits, &f, sizeof(f));
	return bits;
}

float float_of(uint64_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static const struct model_kernel *const tables[] = {
	model_compute, model_stores, model_loads, model_values,
	model_hip, model_hip_paths, model_hip_waves,
};

#define NR_TABLES	(sizeof(tables) / sizeof(tables[0]))

static const struct model_kernel *model_nth(unsigned int n)
{
	const struct model_kernel *k;
	size_t i;

	for (i = 0; i < NR_TABLES; i++)
		for (k = tables[i]; k->name; k++)
			if (!n--)
				return k;
	return NULL;
}

const char *model_name(unsigned int n)
{
	const struct model_kernel *k = model_nth(n);

	return k ? k->name : NULL;
}

static const struct model_kernel *model_find(const char *name)
{
	const struct model_kernel *k;
	unsigned int n;

	for (n = 0; (k = model_nth(n)); n++)
		if (!strcmp(k->name, name))
			break;
	return k;
}

static void run_wave(struct model_wave *w, const struct model_kernel *kernel,
		     uint32_t first)
{
	const uint32_t *size = w->size;
	uint32_t lane, item;

	w->exec = 0;
	w->number = first / MODEL_LANES;
	for (lane = 0; lane < MODEL_LANES; lane++) {
		item = first + lane;
		if (item >= size[0] * size[1] * size[2])
			break;
		w->exec |= 1ULL << lane;
		w->x[lane] = w->group[0] * size[0] + item % size[0];
		w->y[lane] = w->group[1] * size[1] + item / size[0] % size[1];
		w->z[lane] = w->group[2] * size[2] + item / size[0] / size[1];
	}
	kernel->run(w);
}

static void run_group(struct model_wave *w, const struct model_kernel *kernel)
{
	uint32_t first;

	for (first = 0; first < w->size[0] * w->size[1] * w->size[2];
	     first += MODEL_LANES)
		run_wave(w, kernel, first);
}

/* false: these are not the sizes of the kernel */
static bool take_sizes(struct model_wave *w, const struct model_kernel *kernel,
		       const uint32_t grid[3], const uint32_t workgroup[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		w->size[i] = kernel->workgroup[i] ? kernel->workgroup[i] : 1;
		w->groups[i] = grid[i] / w->size[i];
		if (workgroup[i] != w->size[i] || grid[i] % w->size[i])
			return false;
	}
	return true;
}

bool model_run(struct model *m, const char *name, const uint32_t grid[3],
	       const uint32_t workgroup[3], const uint64_t *args)
{
	const struct model_kernel *kernel = model_find(name);
	struct model_wave w = { .m = m, .args = args };
	uint32_t *at = w.group;

	if (!kernel || !take_sizes(&w, kernel, grid, workgroup))
		return false;
	for (at[2] = 0; at[2] < w.groups[2]; at[2]++)
		for (at[1] = 0; at[1] < w.groups[1]; at[1]++)
			for (at[0] = 0; at[0] < w.groups[0]; at[0]++)
				run_group(&w, kernel);
	return true;
}
