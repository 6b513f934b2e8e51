// SPDX-License-Identifier: GPL-2.0
/*
 * An ELF file with names only, by libelf.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gelf.h>
#include "symbol_file.h"

enum { DATA = 1, SYMTAB, STRTAB, SHSTRTAB };

/* perf looks at symbols of sections whose name has "data" in it */
static const char section_names[] = "\0.data\0.symtab\0.strtab\0.shstrtab";

/* offsets in section_names */
enum { NAME_DATA = 1, NAME_SYMTAB = 7, NAME_STRTAB = 15, NAME_SHSTRTAB = 23 };

struct tables {
	Elf64_Sym *syms;
	size_t nr;
	char *names;
	size_t names_size;
};

static int build_tables(struct tables *t, const struct symmap *map)
{
	size_t i;

	t->syms = calloc(map->nr + 1, sizeof(*t->syms));
	t->names = calloc(map->nr + 1, SYM_NAME);
	if (!t->syms || !t->names)
		return -1;
	t->nr = map->nr + 1;
	t->names_size = 1;
	for (i = 0; i < map->nr; i++) {
		Elf64_Sym *sym = &t->syms[i + 1];

		sym->st_name = (Elf64_Word)t->names_size;
		sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
		sym->st_shndx = DATA;
		sym->st_value = map->syms[i].start;
		sym->st_size = map->syms[i].size;
		strcpy(t->names + t->names_size, map->syms[i].name);
		t->names_size += strlen(map->syms[i].name) + 1;
	}
	return 0;
}

static bool add_section(Elf *elf, const Elf64_Shdr *template, void *buf,
			Elf_Type type)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	Elf64_Shdr *shdr = data ? elf64_getshdr(scn) : NULL;

	if (!shdr)
		return false;
	*shdr = *template;
	data->d_buf = buf;
	data->d_size = template->sh_size;
	data->d_type = type;
	data->d_align = template->sh_addralign;
	data->d_version = EV_CURRENT;
	return true;
}

/* where the data would be, if the file had them */
static Elf64_Shdr data_section(const struct symmap *map)
{
	Elf64_Shdr shdr = {
		.sh_name = NAME_DATA, .sh_type = SHT_NOBITS,
		.sh_flags = SHF_ALLOC | SHF_WRITE, .sh_addralign = 1,
	};
	uint64_t end = 0;
	size_t i;

	shdr.sh_addr = map->nr ? map->syms[0].start : 0;
	for (i = 0; i < map->nr; i++)
		if (map->syms[i].start + map->syms[i].size > end)
			end = map->syms[i].start + map->syms[i].size;
	shdr.sh_offset = shdr.sh_addr;
	shdr.sh_size = end - shdr.sh_addr;
	return shdr;
}

static bool add_sections(Elf *elf, const struct symmap *map,
			 const struct tables *t)
{
	Elf64_Shdr data = data_section(map);
	Elf64_Shdr symtab = {
		.sh_name = NAME_SYMTAB, .sh_type = SHT_SYMTAB,
		.sh_offset = sizeof(Elf64_Ehdr),
		.sh_size = t->nr * sizeof(*t->syms), .sh_link = STRTAB,
		.sh_info = 1, .sh_addralign = 8, .sh_entsize = sizeof(*t->syms),
	};
	Elf64_Shdr strtab = {
		.sh_name = NAME_STRTAB, .sh_type = SHT_STRTAB,
		.sh_offset = symtab.sh_offset + symtab.sh_size,
		.sh_size = t->names_size, .sh_addralign = 1,
	};
	Elf64_Shdr shstrtab = {
		.sh_name = NAME_SHSTRTAB, .sh_type = SHT_STRTAB,
		.sh_offset = strtab.sh_offset + strtab.sh_size,
		.sh_size = sizeof(section_names), .sh_addralign = 1,
	};
	Elf64_Ehdr *ehdr = elf64_newehdr(elf);

	if (!ehdr)
		return false;
	ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr->e_type = ET_DYN;
	ehdr->e_machine = EM_NONE;
	ehdr->e_version = EV_CURRENT;
	ehdr->e_shstrndx = SHSTRTAB;
	ehdr->e_shoff = (shstrtab.sh_offset + shstrtab.sh_size + 7) & ~7ULL;
	return add_section(elf, &data, NULL, ELF_T_BYTE) &&
	       add_section(elf, &symtab, t->syms, ELF_T_SYM) &&
	       add_section(elf, &strtab, t->names, ELF_T_BYTE) &&
	       add_section(elf, &shstrtab, (void *)section_names, ELF_T_BYTE);
}

static bool write_elf(int fd, const struct symmap *map)
{
	struct tables t = {};
	Elf *elf = NULL;
	bool ok = false;

	if (elf_version(EV_CURRENT) != EV_NONE && !build_tables(&t, map))
		elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (elf && gelf_newehdr(elf, ELFCLASS64)) {
		/* an offset in .data is no place in the file */
		elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
		ok = add_sections(elf, map, &t) && elf_update(elf, ELF_C_WRITE) > 0;
	}
	elf_end(elf);
	free(t.syms);
	free(t.names);
	return ok;
}

int symbol_file_write(const char *path, const struct symmap *map,
		      struct grun_err *err)
{
	bool ok;
	int fd;

	/* the directory may be below /tmp: no link is followed */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return grun_fail(err, -1, "%s: %s", path, strerror(errno));
	ok = write_elf(fd, map);
	close(fd);
	return ok ? 0 : grun_fail(err, -1, "%s: %s", path, elf_errmsg(-1));
}
