// SPDX-License-Identifier: GPL-2.0
/*
 * Code objects: real ones are understood, damaged ones are refused or harmless.
 *
 * usage: test_elffile STENCIL.elf RELOC.elf UNDEFINED.elf
 */
#include <errno.h>
#include "elffile.h"
#include "internal.h"
#include "mutate.h"

/* parse, and do all that a loader would do with the result */
static bool try_code(const unsigned char *data, size_t size)
{
	struct grun_code *code;
	struct grun_symbol sym;
	struct grun_err err = {};
	uint64_t i;
	void *mem;

	if (grun_code_parse(&code, data, size, &err)) {
		/* one sentence, always */
		if (!err.text[0] || strchr(err.text, '\n'))
			abort();
		return false;
	}
	for (i = 0; i < code->elf.nr_syms && i < 10000; i++)
		grun_elf_symbol(&code->elf, i, &sym);
	if (code->elf.span < 1 << 20) {
		mem = calloc(1, code->elf.span);
		grun_elf_place(&code->elf, mem, 0x7f0000000000, &err);
		free(mem);
	}
	grun_code_free(code);
	return true;
}

static bool all_segments_loaded(const struct grun_code *code,
				const unsigned char *data)
{
	const Elf64_Ehdr *hdr = (const void *)data;
	const Elf64_Phdr *ph = (const void *)(data + hdr->e_phoff);
	unsigned int i;
	uint64_t va;

	for (i = 0; i < hdr->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD &&
		    (!grun_code_loaded(code, ph[i].p_offset + ph[i].p_filesz - 1, &va) ||
		     va != ph[i].p_vaddr + ph[i].p_filesz - 1))
			return false;
	return true;
}

static void test_stencil(const unsigned char *data, size_t size)
{
	const struct grun_kernel *kernel;
	struct grun_code *code = NULL;
	uint64_t value, start;
	struct grun_err err;

	tap_ok(!grun_code_parse(&code, data, size, &err), "stencil.elf is a code object");
	kernel = grun_code_find(code, "stencil");
	tap_ok(grun_code_nr_kernels(code) == 1 && kernel, "it has the kernel stencil");
	tap_ok(!grun_code_find(code, "stenci") && !grun_code_find(code, ""),
	       "and no other");
	tap_ok(!strcmp(grun_code_isa(code), "gfx90a"), "it is for gfx90a");
	tap_ok(grun_kernel_nr_params(kernel) == 4, "it takes four arguments");
	tap_ok(kernel->args[1].kind == GRUN_ARG_POINTER &&
	       !strcmp(kernel->args[1].type, "float*") &&
	       !strcmp(kernel->args[1].name, "out") && kernel->args[1].offset == 8,
	       "the second is float *out at 8");
	tap_ok(kernel->args[2].kind == GRUN_ARG_VALUE && kernel->args[2].size == 4 &&
	       kernel->args[2].offset == 16, "the third is an int at 16");
	tap_ok(kernel->required[0] == 16 && kernel->required[1] == 16 &&
	       kernel->required[2] == 1, "it demands workgroups of 16x16");
	tap_ok(grun_code_symbol(code, "stencil", &value) &&
	       !strcmp(grun_code_function(code, value + 8, &start) ?: "", "stencil") &&
	       start == value && !grun_code_function(code, 0, &start),
	       "it has an instruction at 8, and the code object none at 0");
	tap_ok(all_segments_loaded(code, data) &&
	       !grun_code_loaded(code, size, &value),
	       "what is in a segment of the file is loaded, and nothing else");
	grun_code_free(code);
}

static uint64_t load_u64(const char *mem, uint64_t at)
{
	uint64_t value;

	memcpy(&value, mem + at, sizeof(value));
	return value;
}

static void test_reloc(const unsigned char *data, size_t size)
{
	const uint64_t base = 0x7f1234560000;
	struct grun_symbol table, pointers;
	struct grun_code *code = NULL;
	struct grun_err err;
	char *mem;

	tap_ok(!grun_code_parse(&code, data, size, &err) && code->elf.nr_relas == 2,
	       "reloc.elf has two relocations");
	mem = calloc(1, code->elf.span);
	tap_ok(!grun_elf_place(&code->elf, mem, base, &err), "they are supported");
	tap_ok(grun_elf_find(&code->elf, "table", &table) &&
	       grun_elf_find(&code->elf, "pointers", &pointers), "symbols are found");
	tap_ok(load_u64(mem, pointers.value) == base + table.value &&
	       load_u64(mem, pointers.value + 8) == base + table.value + 8,
	       "pointers point to where the code object is");
	free(mem);
	grun_code_free(code);
}

static void test_undefined(const unsigned char *data, size_t size)
{
	struct grun_code *code = NULL;
	struct grun_err err = {};
	char *mem;

	tap_ok(!grun_code_parse(&code, data, size, &err),
	       "undefined.elf is a code object");
	mem = calloc(1, code->elf.span);
	tap_ok(grun_elf_place(&code->elf, mem, 0x7f1234560000, &err) == -ENOEXEC &&
	       !strcmp(err.text, "the symbol elsewhere is not defined"),
	       "it cannot be placed: %s", err.text);
	free(mem);
	grun_code_free(code);
}

/* one wrong byte each, where it must be noticed */
static const struct {
	size_t at;
	unsigned char byte;
	const char *says;
} wrong[] = {
	{ 0, 'E', "not an ELF file" },
	{ EI_CLASS, ELFCLASS32, "not a 64-bit little-endian ELF file" },
	{ EI_DATA, ELFDATA2MSB, "not a 64-bit little-endian ELF file" },
	{ EI_OSABI, 0, "code object for OS ABI 0, not amdhsa" },
	{ 16, ET_REL, "not a linked code object (ELF type 1)" },
	{ 18, EM_X86_64, "ELF file for machine 62, not for an AMD GPU" },
	{ 54, 1, "program headers of 1 bytes" },
	{ 58, 1, "section headers of 1 bytes" },
	{ 39, 1, "headers lie behind the end of the file" },
	{ 47, 1, "headers lie behind the end of the file" },
};

#define NR_WRONG	((int)(sizeof(wrong) / sizeof(wrong[0])))

static void test_wrong(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size);
	struct grun_code *code;
	struct grun_err err;
	int i, ret;

	for (i = 0; i < NR_WRONG; i++) {
		memcpy(copy, data, size);
		copy[wrong[i].at] = wrong[i].byte;
		err.text[0] = 0;
		ret = grun_code_parse(&code, copy, size, &err);
		if (!tap_ok(ret == -ENOEXEC && !strcmp(err.text, wrong[i].says),
			    "byte %zu: %s", wrong[i].at, wrong[i].says))
			tap_note("%d: %s", ret, err.text);
		if (!ret)
			grun_code_free(code);
	}
	free(copy);
}

/* the section headers stand at the end: without all of them it is no code object */
static void test_damaged(const char *name, const unsigned char *data, size_t size)
{
	size_t n;

	tap_ok(try_code(data, size), "%s: whole", name);
	n = mutate_truncate(try_code, data, size);
	tap_ok(!n, "%s: none of %zu truncations is accepted", name, size);
	n = mutate_random(try_code, data, size, 20000);
	tap_ok(n > 0 && n < 20000, "%s: %zu of 20000 changed copies are accepted",
	       name, n);
}

int main(int argc, char **argv)
{
	unsigned char *stencil = NULL, *reloc = NULL, *undefined = NULL;
	size_t stencil_size, reloc_size, undefined_size;

	tap_plan(10 + 4 + 2 + NR_WRONG + 9);
	if (argc == 4) {
		stencil = mutate_read(argv[1], &stencil_size);
		reloc = mutate_read(argv[2], &reloc_size);
		undefined = mutate_read(argv[3], &undefined_size);
	}
	if (!stencil || !reloc || !undefined) {
		printf("Bail out! no code objects\n");
		return 1;
	}
	test_stencil(stencil, stencil_size);
	test_reloc(reloc, reloc_size);
	test_undefined(undefined, undefined_size);
	test_wrong(stencil, stencil_size);
	test_damaged("stencil.elf", stencil, stencil_size);
	test_damaged("reloc.elf", reloc, reloc_size);
	test_damaged("undefined.elf", undefined, undefined_size);
	free(stencil);
	free(reloc);
	free(undefined);
	return tap_status();
}
