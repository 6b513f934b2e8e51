// SPDX-License-Identifier: GPL-2.0
/*
 * million object FILE NR: write an object of more than NR random instruction
 * words for LLVM to disassemble. million judge CPU NR FILE TWINS:
 * compare the output of llvm-objdump -dz for it (standard input) with the
 * decoder: the same legality, length and mnemonic for each, and at least NR of
 * them.
 *
 * There are two exceptions: a word may name registers that do not exist (s[3:4],
 * the two from v255 on, scalar operand 210 in an SDWA dword). LLVM rejects it;
 * we decode it, and it is an illegal instruction when it is executed. And bits of
 * buffer_wbl2 that later versions of LLVM set LLVM 14 rejects. For each of these the object TWINS gets the same word with registers that do exist.
 * million twins CPU TWINS: check that LLVM decodes each of them like
 * our decoder.
 *
 * The words are generated in classes, one per encoding and form, so that each
 * is hit equally often. A word is followed by another dword where the class has
 * one: a literal, an SDWA or a DPP dword, the rest of a long encoding. Where
 * LLVM uses no second dword, that dword is the next instruction; where it uses
 * one that the class lacks, it is the next word. So the comparison is made at
 * LLVM's addresses, and words of classes are counted where LLVM is in step with
 * them. There is no padding to bring LLVM back into step: it took most of the
 * time.
 *
 * A twin has CASE dwords, padded with s_nops.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bits.h>
#include "gfx9.h"
#include "../processor.h"
#include "../tap.h"

#define CASE		4
#define S_NOP		0xbf800000U
#define EM_AMDGPU_	224
#define OSABI_HSA	64

static unsigned long long seed;

static u32 rnd(void)
{
	return tap_random(&seed) >> 32;
}

/**
 * struct class - one kind of word
 * @mask: bits of the first dword that are fixed
 * @match: their values
 * @src0: value of the lowest nine bits, 0 any
 */
static const struct class {
	u32 mask, match, src0;
} classes[] = {
	{ 0x80000000, 0x00000000, 0 },			/* VOP2 */
	{ 0x80000000, 0x00000000, 255 },
	{ 0x80000000, 0x00000000, 250 },
	{ 0x80000000, 0x00000000, 249 },
	{ 0xfe000000, 0x7e000000, 0 },			/* VOP1 */
	{ 0xfe000000, 0x7e000000, 255 },
	{ 0xfe000000, 0x7e000000, 250 },
	{ 0xfe000000, 0x7e000000, 249 },
	{ 0xfe000000, 0x7c000000, 0 },			/* VOPC */
	{ 0xfe000000, 0x7c000000, 255 },
	{ 0xfe000000, 0x7c000000, 250 },
	{ 0xfe000000, 0x7c000000, 249 },
	{ 0xff800000, 0xbe800000, 0 },			/* SOP1 */
	{ 0xff8000ff, 0xbe8000ff, 0 },
	{ 0xff800000, 0xbf000000, 0 },			/* SOPC */
	{ 0xff8000ff, 0xbf0000ff, 0 },
	{ 0xff800000, 0xbf800000, 0 },			/* SOPP */
	{ 0xf0000000, 0xb0000000, 0 },			/* SOPK */
	{ 0xc0000000, 0x80000000, 0 },			/* SOP2 */
	{ 0xc000ff00, 0x8000ff00, 0 },
	{ 0xfc000000, 0xc0000000, 0 },			/* SMEM */
	{ 0xff800000, 0xd3800000, 0 },			/* VOP3P */
	{ 0xfc000000, 0xd0000000, 0 },			/* VOP3 */
	{ 0xfe000000, 0xd0000000, 0 },
	{ 0xfc000000, 0xd8000000, 0 },			/* DS */
	{ 0xfc00e000, 0xdc000000, 0 },			/* FLAT */
	{ 0xfc00e000, 0xdc004000, 0 },
	{ 0xfc00e000, 0xdc008000, 0 },
	{ 0xfc000000, 0xe0000000, 0 },			/* MUBUF */
	{ 0x00000000, 0x00000000, 0 },			/* anything */
};

#define NR_CLASSES	(sizeof(classes) / sizeof(classes[0]))

/* LLVM 14's disassembler dies on SDWA dwords with reserved selectors */
static u32 tame_sdwa(u32 w1)
{
	u32 dst = w1 >> 8 & 7, src0 = w1 >> 16 & 7, src1 = w1 >> 24 & 7;

	w1 &= ~(7u << 8 | 7u << 16 | 7u << 24);
	return w1 | dst % 7 << 8 | src0 % 7 << 16 | src1 % 7 << 24;
}

static bool is_sdwa(u32 w0)
{
	return !(w0 & BIT(31)) && (w0 & 0x1ff) == GFX9_SRC_SDWA;
}

static void make(unsigned int n, u32 w[2])
{
	const struct class *c = &classes[n % NR_CLASSES];

	w[0] = (rnd() & ~c->mask) | c->match;
	if (c->src0)
		w[0] = (w[0] & ~0x1ffU) | c->src0;
	w[1] = rnd();
	/* the second dword of FLAT has a field that mostly has one value */
	if ((w[0] & 0xfc000000) == 0xdc000000 && n & 64)
		w[1] = (w[1] & ~0x7f0000U) | (w[0] >> 14 & 3 ? 0x7f0000 : 0);
	if (is_sdwa(w[0]))
		w[1] = tame_sdwa(w[1]);
}

/* LLVM must not find an SDWA dword with reserved selectors */
static u32 no_sdwa(u32 w)
{
	return is_sdwa(w) ? w ^ 1 : w;
}

/* second dwords that an instruction may have */
static bool has_second(unsigned int n, u32 w0)
{
	const struct class *c = &classes[n % NR_CLASSES];
	bool is_long = (w0 & 0xc0000000) == 0xc0000000;

	return !c->mask || c->src0 || is_long || is_sdwa(w0);
}

/**
 * struct stream - the words in sequence
 * @words: all words
 * @nr: number of words
 * @starts: which of them start an instruction of a class
 */
struct stream {
	u32 *words;
	unsigned int nr;
	bool *starts;
};

/* some words are consumed as part of the previous one: generate extra words */
static void make_stream(struct stream *s, unsigned int nr)
{
	unsigned int n;
	u32 w[2];

	nr += nr / 12;
	s->nr = 0;
	s->words = calloc(2 * nr + 2, sizeof(*s->words));
	s->starts = calloc(2 * nr + 2, sizeof(*s->starts));
	if (!s->words || !s->starts)
		abort();
	seed = 0x5deece66d2016ULL;
	for (n = 0; n < nr; n++) {
		make(n, w);
		s->starts[s->nr] = true;
		s->words[s->nr++] = w[0];
		if (has_second(n, w[0]))
			s->words[s->nr++] = no_sdwa(w[1]);
	}
	s->words[s->nr++] = S_NOP;
	s->words[s->nr++] = S_NOP;
}

static void free_stream(struct stream *s)
{
	free(s->words);
	free(s->starts);
}

struct object {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[3];
	char names[24];
};

static void header(struct object *o, uint64_t size, unsigned int flags)
{
	memset(o, 0, sizeof(*o));
	memcpy(o->eh.e_ident, ELFMAG, SELFMAG);
	o->eh.e_ident[EI_CLASS] = ELFCLASS64;
	o->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	o->eh.e_ident[EI_VERSION] = EV_CURRENT;
	o->eh.e_ident[EI_OSABI] = OSABI_HSA;
	o->eh.e_ident[EI_ABIVERSION] = 2;
	o->eh.e_type = ET_REL;
	o->eh.e_machine = EM_AMDGPU_;
	o->eh.e_version = EV_CURRENT;
	o->eh.e_flags = flags;
	o->eh.e_shoff = offsetof(struct object, sh);
	o->eh.e_ehsize = sizeof(o->eh);
	o->eh.e_shentsize = sizeof(o->sh[0]);
	o->eh.e_shnum = 3;
	o->eh.e_shstrndx = 2;
	memcpy(o->names, "\0.text\0.shstrtab", 17);
	o->sh[1].sh_name = 1;
	o->sh[1].sh_type = SHT_PROGBITS;
	o->sh[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	o->sh[1].sh_offset = sizeof(*o);
	o->sh[1].sh_size = size;
	o->sh[1].sh_addralign = 8;
	o->sh[2].sh_name = 7;
	o->sh[2].sh_type = SHT_STRTAB;
	o->sh[2].sh_offset = offsetof(struct object, names);
	o->sh[2].sh_size = sizeof(o->names);
}

/* EF_AMDGPU_MACH of gfx900; --mcpu= overrides it */
#define MACH		0x12c

static FILE *open_object(const char *path, unsigned int nr_words)
{
	FILE *f = fopen(path, "w");
	struct object o;

	if (!f)
		return NULL;
	header(&o, (uint64_t)nr_words * 4, MACH);
	fwrite(&o, sizeof(o), 1, f);
	return f;
}

static void write_case(FILE *f, const u32 *w)
{
	const u32 words[CASE] = { w[0], w[1], S_NOP, S_NOP };

	fwrite(words, sizeof(words), 1, f);
}

static int write_object(const char *path, unsigned int nr)
{
	struct stream s;
	FILE *f;

	make_stream(&s, nr);
	f = open_object(path, s.nr);
	if (!f)
		return 2;
	fwrite(s.words, sizeof(*s.words), s.nr, f);
	free_stream(&s);
	return fclose(f) ? 2 : 0;
}

/* register 0 of the same kind; constants stay */
static u32 first_of_kind(u32 code)
{
	return code >= 256 ? 256 : code < 128 || code >= 209 ? 0 : code;
}

/* bits [hi:lo] of a word through first_of_kind() */
static u32 renamed(u32 w, unsigned int hi, unsigned int lo)
{
	u32 mask = GENMASK(hi, lo);

	return (w & ~mask) | first_of_kind((w & mask) >> lo) << lo;
}

static u32 cleared(u32 w, unsigned int hi, unsigned int lo)
{
	return w & ~GENMASK(hi, lo);
}

static void vop_twin(const struct gfx9_inst *i, u32 w[2])
{
	w[0] = i->fmt == GFX9_VOPC ? w[0] : cleared(w[0], 24, 17);
	w[0] = i->fmt == GFX9_VOP1 ? w[0] : cleared(w[0], 16, 9);
	if (!i->sdwa && !i->dpp && !i->has_literal)
		w[0] = renamed(w[0], 8, 0);
	if (i->dpp || i->sdwa)
		w[1] = cleared(w[1], 7, 0);
	if (i->sdwa && i->fmt == GFX9_VOPC)
		w[1] = cleared(w[1], 14, 8);
}

static void vop3_twin(const struct gfx9_inst *i, u32 w[2])
{
	w[0] = cleared(w[0], 7, 0);
	if (i->sdst)
		w[0] = cleared(w[0], 14, 8);
	w[1] = renamed(renamed(renamed(w[1], 8, 0), 17, 9), 26, 18);
}

static void scalar_twin(const struct gfx9_inst *i, u32 w[2])
{
	if (i->fmt != GFX9_SOPC)
		w[0] = cleared(w[0], 22, 16);
	if (i->fmt != GFX9_SOPK && i->src[0] != GFX9_SRC_LITERAL)
		w[0] = renamed(w[0], 7, 0);
	if ((i->fmt == GFX9_SOP2 || i->fmt == GFX9_SOPC) &&
	    i->src[1] != GFX9_SRC_LITERAL)
		w[0] = renamed(w[0], 15, 8);
}

static void smem_twin(const struct gfx9_inst *i, u32 w[2])
{
	w[0] = cleared(w[0], 12, 0);
	if (i->soe)
		w[1] = cleared(w[1], 31, 25);
	if (!i->imm)
		w[1] = cleared(w[1], 6, 0);
}

/* LLVM 14 knows no glc and scc of buffer_wbl2, which LLVM 17 sets both */
#define OP_BUFFER_WBL2	40

static void memory_twin(const struct gfx9_inst *i, u32 w[2])
{
	if (i->fmt == GFX9_MUBUF && i->op == OP_BUFFER_WBL2)
		w[0] = cleared(w[0], 15, 14);
	if (i->fmt == GFX9_MUBUF)
		w[1] = renamed(cleared(w[1], 20, 0), 31, 24);
	else if (i->fmt == GFX9_FLAT && i->saddr == GFX9_SADDR_OFF)
		w[1] &= 0x00ff0000;
	else if (i->fmt == GFX9_FLAT)
		w[1] &= 0x00800000;
	else
		w[1] = 0;
}

static void make_twin(const struct gfx9_inst *i, u32 w[2])
{
	switch (i->fmt) {
	case GFX9_VOP1:
	case GFX9_VOP2:
	case GFX9_VOPC:
		return vop_twin(i, w);
	case GFX9_VOP3:
	case GFX9_VOP3P:
		return vop3_twin(i, w);
	case GFX9_SMEM:
		return smem_twin(i, w);
	case GFX9_DS:
	case GFX9_FLAT:
	case GFX9_MUBUF:
		return memory_twin(i, w);
	default:
		return scalar_twin(i, w);
	}
}

/* instructions that are omitted on purpose, by mnemonic */
static bool left_out(const char *name)
{
	static const char *const starts[] = {
		"v_interp_",		/* VINTRP: graphics */
		"exp", "image_",	/* EXP, MIMG: graphics */
		"tbuffer_",		/* MTBUF: typed buffers */
		"buffer_wbinvl1",	/* of gfx6, LLVM accepts it */
	};
	unsigned int n;

	for (n = 0; n < sizeof(starts) / sizeof(starts[0]); n++)
		if (!strncmp(name, starts[n], strlen(starts[n])))
			return true;
	return false;
}

struct verdict {
	char name[64];
	unsigned int len;
};

/* "\tname operands // ADDRESS: WORD WORD" */
static bool parse(char *line, unsigned long *addr, struct verdict *v)
{
	char *at = strstr(line, "// "), *end;

	if (!at || sscanf(line, " %63s", v->name) != 1)
		return false;
	*addr = strtoul(at + 3, &end, 16);
	if (*end != ':')
		return false;
	for (v->len = 0, at = end + 1; ; v->len += 4) {
		strtoul(at, &end, 16);
		if (end != at + 9)
			break;
		at = end;
	}
	return v->len;
}

static void normalise(struct verdict *v)
{
	static const char *const ends[] = { "_e32", "_e64", "_sdwa", "_dpp" };
	size_t len = strlen(v->name), n;

	if (v->name[0] == '.') {
		strcpy(v->name, "illegal");
		v->len = 4;
	}
	for (n = 0; n < 4; n++)
		if (len > strlen(ends[n]) &&
		    !strcmp(v->name + len - strlen(ends[n]), ends[n]))
			v->name[len - strlen(ends[n])] = 0;
}

/**
 * struct count - numbers of instructions
 * @all: found by LLVM
 * @cases: words of a class among them
 * @legal: of these, decoded by us
 * @left_out: of encodings that are omitted
 * @twin: of these, a twin was written
 */
struct count {
	unsigned int all, cases, legal, left_out, twin, wrong;
};

static void wrong(struct count *c, const u32 *w, const struct verdict *v,
		  const struct gfx9_inst *inst)
{
	if (c->wrong++ < 20)
		printf("%08x %08x: LLVM %s %u, we %s %u\n", w[0], w[1], v->name,
		       v->len, inst->name, inst->len);
}

/* LLVM 17 lets a literal follow v_swap_b32 and v_accvgpr_mov_b32 */
static bool literal_of_none(const struct gfx9_inst *inst,
			    const struct verdict *v)
{
	return inst->fmt == GFX9_VOP1 && !inst->has_literal &&
	       inst->src[0] == GFX9_SRC_LITERAL && v->len == 8 &&
	       !strcmp(v->name, inst->name);
}

static void judge_one(enum gfx9_arch arch, const struct stream *s,
		      unsigned int at, struct verdict *v, struct count *c,
		      FILE *twins)
{
	u32 w[CASE] = { s->words[at], at + 1 < s->nr ? s->words[at + 1] : 0,
			S_NOP, S_NOP };
	struct gfx9_inst inst;
	unsigned int op;

	normalise(v);
	gfx9_decode(arch, w, s->nr - at, &inst);
	c->all++;
	c->cases += s->starts[at];
	c->legal += s->starts[at] && inst.fmt != GFX9_ILLEGAL;
	if (v->len == inst.len && !strcmp(v->name, inst.name))
		return;
	if (literal_of_none(&inst, v))
		return;
	if (inst.fmt == GFX9_ILLEGAL && left_out(v->name)) {
		c->left_out++;
		return;
	}
	if (inst.fmt != GFX9_ILLEGAL && !strcmp(v->name, "illegal")) {
		if (is_sdwa(w[0]))
			w[1] = tame_sdwa(w[1]);
		op = inst.op;
		make_twin(&inst, w);
		gfx9_decode(arch, w, CASE, &inst);
		write_case(twins, w);
		c->twin++;
		/*
		 * a twin only if it is the same instruction with other
		 * registers
		 */
		if (inst.op == op)
			return;
	}
	wrong(c, w, v, &inst);
}

/* every byte of the object must be part of an instruction of LLVM's */
static bool judge_all(enum gfx9_arch arch, const struct stream *s,
		      struct count *c, FILE *twins)
{
	unsigned long addr, next = 0;
	struct verdict v;
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		if (!parse(line, &addr, &v))
			continue;
		if (addr != next || addr / 4 >= s->nr) {
			printf("LLVM is at %lx rather than %lx\n", addr, next);
			return false;
		}
		next += v.len;
		judge_one(arch, s, addr / 4, &v, c, twins);
	}
	return next == 4UL * s->nr;
}

/* the contents of @path must equal the generated words */
static bool is_written(const char *path, const struct stream *s)
{
	FILE *f = fopen(path, "r");
	struct object o;
	unsigned int n;
	bool same;
	u32 w;

	same = f && fread(&o, sizeof(o), 1, f) == 1 &&
	       o.sh[1].sh_size == 4ULL * s->nr;
	for (n = 0; n < s->nr && same; n++)
		same = fread(&w, sizeof(w), 1, f) == 1 && w == s->words[n];
	if (f)
		fclose(f);
	return same;
}

static int judge(enum gfx9_arch arch, unsigned int nr, const char *path,
		 const char *twins)
{
	FILE *f = open_object(twins, 0);
	struct count c = {};
	struct stream s;
	struct object o;
	bool ok;

	make_stream(&s, nr);
	ok = is_written(path, &s) && judge_all(arch, &s, &c, f);
	free_stream(&s);
	header(&o, (uint64_t)c.twin * 4 * CASE, MACH);
	rewind(f);
	fwrite(&o, sizeof(o), 1, f);
	printf("%u instructions, %u of a class, %u of these legal, %u left out, %u without such a register, %u wrong\n",
	       c.all, c.cases, c.legal, c.left_out, c.twin, c.wrong);
	return fclose(f) || !ok || c.wrong || c.cases < nr ||
	       c.legal < nr / 4 || c.twin > nr / 100;
}

/* standard input: LLVM's output for the twins */
static int judge_twins(enum gfx9_arch arch, const char *path)
{
	unsigned int nr = 0, wrong = 0, all;
	FILE *f = fopen(path, "r");
	struct gfx9_inst inst;
	struct verdict v;
	unsigned long addr;
	char line[1024];
	struct object o;
	u32 w[CASE];

	if (!f || fread(&o, sizeof(o), 1, f) != 1)
		return 2;
	all = o.sh[1].sh_size / sizeof(w);
	while (fgets(line, sizeof(line), stdin)) {
		if (!parse(line, &addr, &v) ||
		    addr != (unsigned long)nr * sizeof(w))
			continue;
		if (fread(w, sizeof(w), 1, f) != 1)
			return 2;
		nr++;
		normalise(&v);
		gfx9_decode(arch, w, CASE, &inst);
		if (inst.fmt != GFX9_ILLEGAL && v.len == inst.len &&
		    !strcmp(v.name, inst.name))
			continue;
		if (wrong++ < 20)
			printf("%08x %08x: LLVM %s %u, we %s %u\n", w[0], w[1],
			       v.name, v.len, inst.name, inst.len);
	}
	printf("%u twins, %u wrong\n", nr, wrong);
	return wrong || nr != all;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "object"))
		return write_object(argv[2], atoi(argv[3]));
	if (argc == 6 && !strcmp(argv[1], "judge"))
		return judge(processor_named(argv[2]), atoi(argv[3]), argv[4],
			     argv[5]);
	if (argc == 4 && !strcmp(argv[1], "twins"))
		return judge_twins(processor_named(argv[2]), argv[3]);
	return 2;
}
