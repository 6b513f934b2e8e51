// SPDX-License-Identifier: GPL-2.0
/*
 * Load an amdgcn code object: segments, symbols. It is output of our own
 * compiler: damaged files are not considered.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"

static u8 *file;
static u64 base;

static void load_segments(const Elf64_Ehdr *eh)
{
	const Elf64_Phdr *ph = (void *)(file + eh->e_phoff);
	u64 end = 0;
	int n;

	for (n = 0; n < eh->e_phnum; n++)
		if (ph[n].p_type == PT_LOAD && ph[n].p_vaddr + ph[n].p_memsz > end)
			end = ph[n].p_vaddr + ph[n].p_memsz;
	machine_map(base, end);
	for (n = 0; n < eh->e_phnum; n++)
		if (ph[n].p_type == PT_LOAD)
			memcpy(machine_at(base + ph[n].p_vaddr, ph[n].p_filesz),
			       file + ph[n].p_offset, ph[n].p_filesz);
}

bool elf_load(const char *path, u64 va)
{
	FILE *f = fopen(path, "r");
	long size;

	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	free(file);
	file = malloc(size);
	base = va;
	if (fread(file, 1, size, f) != (size_t)size)
		size = 0;
	fclose(f);
	if (size)
		load_segments((void *)file);
	return size;
}

u64 elf_symbol(const char *name)
{
	const Elf64_Ehdr *eh = (void *)file;
	const Elf64_Shdr *sh = (void *)(file + eh->e_shoff);
	const Elf64_Sym *sym;
	unsigned int n, k;

	for (n = 0; n < eh->e_shnum; n++) {
		if (sh[n].sh_type != SHT_SYMTAB && sh[n].sh_type != SHT_DYNSYM)
			continue;
		sym = (void *)(file + sh[n].sh_offset);
		for (k = 0; k < sh[n].sh_size / sizeof(*sym); k++)
			if (!strcmp((char *)file + sh[sh[n].sh_link].sh_offset +
				    sym[k].st_name, name))
				return base + sym[k].st_value;
	}
	return 0;
}
