// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of a code object, by libelf.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "guard.h"

struct guard_symbols {
	int fd;
	Elf *elf;
};

struct guard_symbols *guard_symbols_open(const char *path)
{
	struct guard_symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	elf_version(EV_CURRENT);
	symbols->fd = open(path, O_RDONLY | O_CLOEXEC);
	symbols->elf = symbols->fd < 0 ? NULL :
		elf_begin(symbols->fd, ELF_C_READ_MMAP, NULL);
	if (!symbols->elf) {
		guard_symbols_close(symbols);
		return NULL;
	}
	return symbols;
}

void guard_symbols_close(struct guard_symbols *symbols)
{
	if (!symbols)
		return;
	elf_end(symbols->elf);
	if (symbols->fd >= 0)
		close(symbols->fd);
	free(symbols);
}

static Elf_Scn *symbol_table(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) &&
		    header->sh_type == SHT_SYMTAB && header->sh_entsize)
			return section;
	return NULL;
}

const char *guard_symbols_find(const struct guard_symbols *symbols, uint64_t addr,
			       uint64_t *start)
{
	GElf_Shdr header;
	Elf_Scn *section = symbol_table(symbols->elf, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Sym sym;
	size_t i;

	for (i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
		if (!gelf_getsym(data, (int)i, &sym) ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    addr - sym.st_value >= sym.st_size)
			continue;
		*start = sym.st_value;
		return elf_strptr(symbols->elf, header.sh_link, sym.st_name);
	}
	return NULL;
}
