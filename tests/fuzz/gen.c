// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/mman.h>
#include "gen.h"
#include "pool.h"

#define ARENA		(64 * PAGE)
#define WILD		4	/* one in WILD calls has wrong fields */
#define SPOIL		8	/* one in SPOIL of its fields is wrong */

/**
 * struct gen - a call that is being generated
 * @step: its choices
 * @used: number of words used
 * @more: generator for further words
 * @wild: fields may be wrong
 * @made: result
 * @at: free memory
 */
struct gen {
	const struct step *step;
	unsigned int used;
	uint64_t more;
	bool wild;
	struct made *made;
	char *at;
};

/*
 * arguments, an inaccessible page, a read-only page; pages for mmap() and so on
 */
static char *arena, *guard, *constant, *pages;

bool gen_init(void)
{
	arena = mmap(NULL, ARENA + 2 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pages = mmap((void *)0x200000000, VMA_PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED || pages == MAP_FAILED)
		return false;
	guard = arena + ARENA;
	constant = guard + PAGE;
	return !mprotect(guard, PAGE, PROT_NONE) && !mprotect(constant, PAGE, PROT_READ);
}

char *gen_pages(void)
{
	return pages;
}

uint64_t gen_next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t word(struct gen *g)
{
	if (g->used < g->step->nr)
		return g->step->words[g->used++];
	return gen_next(&g->more);
}

static bool spoilt(const struct gen *g, uint64_t w)
{
	return g->wild && (w >> 56) % SPOIL == 0;
}

/*
 * limits of ranges, powers of two and their neighbours, small or random numbers
 */
static uint64_t boundary(uint64_t w, unsigned int size)
{
	unsigned int bit = (w >> 3) % (8 * size);

	switch (w % 8) {
	case 0:	return 1ULL << bit;
	case 1:	return (1ULL << bit) - 1;
	case 2:	return (1ULL << bit) + 1;
	case 3:	return -(1ULL << bit);
	case 4:	return -(uint64_t)(bit + 1);
	case 5:	return bit;
	case 6:	return (w >> 9) * PAGE;
	default: return w >> 9;
	}
}

static uint64_t make_int(struct gen *g, const struct type *type, uint64_t w)
{
	if (!type->ranged || spoilt(g, w))
		return boundary(w, type->size);
	return type->lo + (w >> 4) % (type->hi - type->lo + 1);
}

static uint64_t make_flags(struct gen *g, const struct type *type, uint64_t w)
{
	uint64_t value = type->values[(w >> 4) % type->nr];
	unsigned int i;

	if (spoilt(g, w))
		return boundary(w, type->size);
	if (!type->bits || w % 4 < 3)
		return value;
	for (i = 0; i < type->nr; i++)
		if (w >> (4 + i) & 1)
			value |= type->values[i];
	return value;
}

static bool is_address(const struct resource *res)
{
	static const struct resource *va, *pc;

	va = va ?: syntax_resource("gpu_va");
	pc = pc ?: syntax_resource("gpu_pc");
	return res == va || res == pc;
}

/* addresses inside a buffer or inside code are valid as well */
static uint64_t make_resource(struct gen *g, const struct type *type, uint64_t w)
{
	uint64_t value = pool_pick(type->res, w >> 8, g->wild && w % 4 == 3);

	if (spoilt(g, w))
		return boundary(w, type->size);
	if (is_address(type->res) && w % 8 < 3)
		value += (w >> 3) % 64 * 4;
	return value;
}

static uint64_t make_vma(struct gen *g, const struct type *type, uint64_t w,
			 uint64_t *bytes)
{
	uint64_t nr = type->lo + (w >> 4) % (type->hi - type->lo + 1);
	uint64_t at = (uintptr_t)pages + (w >> 16) % (VMA_PAGES - nr) * PAGE;

	*bytes = nr * PAGE;
	return spoilt(g, w) ? at + (w >> 32) % PAGE : at;
}

static void fill(struct gen *g, const struct type *type, char *at, enum dir dir,
		 uint64_t *count);

static const struct type *resolve_union(struct gen *g, const struct type *type)
{
	while (type->kind == TYPE_UNION)
		type = type->fields[word(g) % type->nr].type;
	return type;
}

static void fill_elements(struct gen *g, const struct type *elem, char *at,
			  uint64_t nr, enum dir dir)
{
	uint64_t i, count;

	for (i = 0; i < nr; i++)
		fill(g, elem, at + i * elem->size, dir, &count);
}

static uint64_t bad_address(uint64_t w)
{
	switch (w % 8) {
	case 0:	return 0;
	case 1:	return 0xffff888000000000;
	case 2:	return (uintptr_t)constant;
	case 3:	return (uintptr_t)pages + (w >> 3) % (VMA_PAGES * PAGE);
	case 4:	return boundary(w >> 3, 8);
	default: return (uintptr_t)guard - (w >> 3) % 64;	/* partly accessible */
	}
}

static uint64_t make_ptr(struct gen *g, const struct type *type, uint64_t w,
			 uint64_t *count)
{
	const struct type *elem = resolve_union(g, type->elem);
	uint64_t nr = 1, size;
	char *at = g->at;

	if (elem->kind == TYPE_ARRAY) {
		nr = elem->lo + (w >> 8) % (elem->hi - elem->lo + 1);
		elem = elem->elem;
	}
	*count = nr;
	size = (nr * elem->size + 15) & ~15ULL;
	if (spoilt(g, w) || at + size > arena + ARENA)
		return bad_address(w >> 4);
	g->at += size;
	fill_elements(g, elem, at, nr, type->dir);
	if (g->made->nr_mem < MAX_MEM)
		g->made->mem[g->made->nr_mem++] = (struct mem){
			elem, at, nr, type->dir == DIR_OUT ? DIR_OUT : DIR_IN,
		};
	return (uintptr_t)at;
}

/* @count: value for the field that holds the length of this one */
static uint64_t make_scalar(struct gen *g, const struct type *type, uint64_t *count)
{
	uint64_t w = word(g);

	*count = type->size;
	switch (type->kind) {
	case TYPE_INT:		return make_int(g, type, w);
	case TYPE_FLAGS:	return make_flags(g, type, w);
	case TYPE_RESOURCE:	return make_resource(g, type, w);
	case TYPE_VMA:		return make_vma(g, type, w, count);
	case TYPE_PTR:		return make_ptr(g, type, w, count);
	default:		return spoilt(g, w) ? boundary(w, type->size) : type->lo;
	}
}

static void fill_string(struct gen *g, const struct type *type, char *at)
{
	uint64_t w = word(g);

	memset(at, spoilt(g, w) ? 'x' : 0, type->size);
	strncpy(at, type->strings[(w >> 4) % type->nr], type->size - 1);
	at[type->size - 1] = spoilt(g, w) ? 'x' : 0;
}

static uint64_t make_len(struct gen *g, uint64_t count, unsigned int size)
{
	uint64_t w = word(g);

	if (!spoilt(g, w))
		return count;
	return w % 2 ? boundary(w >> 1, size) : count + 1;
}

static void fill_struct(struct gen *g, const struct type *type, char *at, enum dir dir)
{
	uint64_t counts[32] = {}, value;
	unsigned int i, j;

	for (i = 0; i < type->nr; i++) {
		const struct field *f = &type->fields[i];

		if (f->type->kind != TYPE_LEN)
			fill(g, f->type, at + f->offset, f->dir ?: dir, &counts[i]);
	}
	for (i = 0; i < type->nr; i++) {
		const struct field *f = &type->fields[i];

		for (j = 0; f->type->kind == TYPE_LEN && j < type->nr; j++) {
			if (strcmp(f->type->name, type->fields[j].name))
				continue;
			value = make_len(g, counts[j], f->type->size);
			memcpy(at + f->offset, &value, f->type->size);
		}
	}
}

/* output memory is zeroed, unless this call is wild */
static bool is_left_out(struct gen *g, const struct type *type, char *at, enum dir dir)
{
	if (dir != DIR_OUT)
		return false;
	memset(at, g->wild && !(word(g) % SPOIL) ? 0xff : 0, type->size);
	return true;
}

static void fill(struct gen *g, const struct type *type, char *at, enum dir dir,
		 uint64_t *count)
{
	uint64_t value;

	*count = type->size;
	if (is_left_out(g, type, at, dir))
		return;
	switch (type->kind) {
	case TYPE_UNION:
		memset(at, 0, type->size);
		fill(g, resolve_union(g, type), at, dir, count);
		break;
	case TYPE_STRUCT:
		fill_struct(g, type, at, dir);
		break;
	case TYPE_ARRAY:
		fill_elements(g, type->elem, at, type->lo, dir);
		break;
	case TYPE_STRING:
		fill_string(g, type, at);
		break;
	default:
		value = make_scalar(g, type, count);
		memcpy(at, &value, type->size);
	}
}

static const struct call *call_nr(unsigned int nr)
{
	unsigned int nr_calls;
	const struct call *calls = syntax_calls(&nr_calls);

	return &calls[nr % nr_calls];
}

void gen_call(const struct step *step, struct made *made)
{
	const struct call *call = call_nr(step->call);
	struct type args = {
		.kind = TYPE_STRUCT, .fields = call->args, .nr = call->nr_args,
	};
	struct field fields[MAX_ARGS];
	struct gen g = { .step = step, .made = made, .at = arena };
	unsigned int i;

	memcpy(fields, call->args, sizeof(fields));
	for (i = 0; i < MAX_ARGS; i++)
		fields[i].offset = i * sizeof(made->args[0]);
	args.fields = fields;
	*made = (struct made){ .call = call };
	g.more = step->nr ? step->words[step->nr - 1] : 0;
	g.wild = word(&g) % WILD == 0;
	fill_struct(&g, &args, (char *)made->args, DIR_IN);
	made->used = g.used;
	/* file descriptors and the like are signed */
	for (i = 0; i < call->nr_args; i++)
		if (call->args[i].type->size == 4)
			made->args[i] = (int32_t)made->args[i];
}

static void harvest(const struct type *type, const char *at, enum dir dir)
{
	uint64_t value = 0;
	unsigned int i;

	switch (type->kind) {
	case TYPE_RESOURCE:
		memcpy(&value, at, type->size);
		if (dir & DIR_OUT && value)
			pool_add(type->res, value);
		break;
	case TYPE_ARRAY:
		for (i = 0; i < type->lo; i++)
			harvest(type->elem, at + i * type->elem->size, dir);
		break;
	case TYPE_STRUCT:
		for (i = 0; i < type->nr; i++)
			harvest(type->fields[i].type, at + type->fields[i].offset,
				type->fields[i].dir ?: dir);
		break;
	default:
		break;
	}
}

void gen_harvest(const struct made *made, uint64_t ret)
{
	unsigned int i, j;

	if (made->call->ret)
		pool_add(made->call->ret, ret);
	for (i = 0; i < made->nr_mem; i++)
		for (j = 0; j < made->mem[i].nr; j++)
			harvest(made->mem[i].type, made->mem[i].at +
				j * made->mem[i].type->size, made->mem[i].dir);
}

const struct mem *gen_mem(const struct made *made, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < made->nr_mem; i++)
		if ((uintptr_t)made->mem[i].at == at)
			return &made->mem[i];
	return NULL;
}

/* ---- output -------------------------------------------------------------- */

static void print_value(FILE *file, const struct type *type, const char *at);

static void print_fields(FILE *file, const struct type *type, const char *at)
{
	unsigned int i;

	fputc('{', file);
	for (i = 0; i < type->nr; i++) {
		fprintf(file, "%s%s=", i ? ", " : "", type->fields[i].name);
		print_value(file, type->fields[i].type, at + type->fields[i].offset);
	}
	fputc('}', file);
}

static bool is_ours(uint64_t at, size_t size)
{
	return at >= (uintptr_t)arena && at + size <= (uintptr_t)guard;
}

static void print_value(FILE *file, const struct type *type, const char *at)
{
	uint64_t value = 0;

	if (type->kind == TYPE_STRUCT)
		return print_fields(file, type, at);
	if (type->kind == TYPE_STRING) {
		fprintf(file, "\"%.*s\"", (int)type->size, at);
		return;
	}
	memcpy(&value, at, type->size < 8 ? type->size : 8);
	fprintf(file, "%#llx", (unsigned long long)value);
	if (type->kind == TYPE_PTR && type->elem->kind != TYPE_ARRAY &&
	    type->elem->kind != TYPE_UNION && is_ours(value, type->elem->size)) {
		fputc('>', file);
		print_value(file, type->elem, (const char *)value);
	}
}

void gen_print(FILE *file, const struct made *made)
{
	unsigned int i;

	fprintf(file, "%s(", made->call->name);
	for (i = 0; i < made->call->nr_args; i++) {
		if (i)
			fputs(", ", file);
		print_value(file, made->call->args[i].type,
			    (const char *)&made->args[i]);
	}
	fputc(')', file);
}
