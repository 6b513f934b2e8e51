// SPDX-License-Identifier: GPL-2.0
/*
 * Reading amdgcn ELF files, by <elf.h> and own checks rather than libelf, with
 * which this file is 50 lines shorter: programs of 32 bits use the library, too,
 * and Debian has the C library only for them on amd64; where segments,
 * relocations and symbols point has to be checked here in any case; and what is
 * wrong with a file is "invalid data" for libelf, or nothing.
 *
 * Every access to the image goes through elf_get() or elf_inside().
 */
#include <errno.h>
#include <string.h>
#include "elffile.h"

#ifndef EM_AMDGPU
#define EM_AMDGPU		224
#endif
#define ELFOSABI_AMDGPU_HSA	64
#define NT_AMDGPU_METADATA	32
#define EF_AMDGPU_MACH		0xff

/* relocations of code objects; the rest are for object files */
#define R_AMDGPU_NONE		0
#define R_AMDGPU_ABS64		3
#define R_AMDGPU_RELATIVE64	13

static bool elf_inside(const struct grun_elf *elf, uint64_t off, uint64_t len)
{
	return off <= elf->size && len <= elf->size - off;
}

static bool elf_get(const struct grun_elf *elf, uint64_t off, void *out,
		    size_t len)
{
	if (!elf_inside(elf, off, len))
		return false;
	/* copied: nothing in the file need be aligned */
	memcpy(out, elf->image + off, len);
	return true;
}

static int elf_check_header(const Elf64_Ehdr *hdr, struct grun_err *err)
{
	if (memcmp(hdr->e_ident, ELFMAG, SELFMAG))
		return grun_fail(err, -ENOEXEC, "not an ELF file");
	if (hdr->e_ident[EI_CLASS] != ELFCLASS64 ||
	    hdr->e_ident[EI_DATA] != ELFDATA2LSB)
		return grun_fail(err, -ENOEXEC,
				 "not a 64-bit little-endian ELF file");
	if (hdr->e_machine != EM_AMDGPU)
		return grun_fail(err, -ENOEXEC,
				 "ELF file for machine %u, not for an AMD GPU",
				 hdr->e_machine);
	if (hdr->e_type != ET_DYN)
		return grun_fail(err, -ENOEXEC,
				 "not a linked code object (ELF type %u)",
				 hdr->e_type);
	if (hdr->e_ident[EI_OSABI] != ELFOSABI_AMDGPU_HSA)
		return grun_fail(err, -ENOEXEC,
				 "code object for OS ABI %u, not amdhsa",
				 hdr->e_ident[EI_OSABI]);
	if (hdr->e_phentsize != sizeof(Elf64_Phdr))
		return grun_fail(err, -ENOEXEC,
				 "program headers of %u bytes",
				 hdr->e_phentsize);
	return 0;
}

static int elf_add_segment(struct grun_elf *elf, const Elf64_Phdr *ph,
			   struct grun_err *err)
{
	if (elf->nr_segs == GRUN_ELF_SEGMENTS)
		return grun_fail(err, -ENOEXEC, "more than %d segments",
				 GRUN_ELF_SEGMENTS);
	if (!elf_inside(elf, ph->p_offset, ph->p_filesz))
		return grun_fail(err, -ENOEXEC,
				 "segment %u reaches behind the end of the file",
				 elf->nr_segs);
	if (ph->p_filesz > ph->p_memsz)
		return grun_fail(err, -ENOEXEC,
				 "segment %u is larger in the file than in memory",
				 elf->nr_segs);
	if (ph->p_vaddr > GRUN_ELF_MAX_SPAN ||
	    ph->p_memsz > GRUN_ELF_MAX_SPAN - ph->p_vaddr)
		return grun_fail(err, -ENOEXEC,
				 "segment %u reaches beyond %llu MiB",
				 elf->nr_segs, GRUN_ELF_MAX_SPAN >> 20);
	if (elf->span < ph->p_vaddr + ph->p_memsz)
		elf->span = ph->p_vaddr + ph->p_memsz;
	elf->segs[elf->nr_segs++] = *ph;
	return 0;
}

/* false at the end of the notes, or where they stop making sense */
static bool elf_next_note(const struct grun_elf *elf, uint64_t *pos,
			  uint64_t end, Elf64_Nhdr *note, uint64_t *desc)
{
	uint64_t name = *pos + sizeof(*note);

	if (end - *pos < sizeof(*note) || !elf_get(elf, *pos, note, sizeof(*note)))
		return false;
	*desc = name + ((note->n_namesz + 3ULL) & ~3ULL);
	if (*desc > end || note->n_descsz > end - *desc)
		return false;
	*pos = *desc + ((note->n_descsz + 3ULL) & ~3ULL);
	if (*pos > end)
		*pos = end;
	return true;
}

static void elf_find_metadata(struct grun_elf *elf, const Elf64_Phdr *ph)
{
	uint64_t pos = ph->p_offset, end, desc;
	Elf64_Nhdr note;

	if (!elf_inside(elf, ph->p_offset, ph->p_filesz))
		return;
	end = ph->p_offset + ph->p_filesz;
	while (pos < end && elf_next_note(elf, &pos, end, &note, &desc)) {
		if (note.n_type != NT_AMDGPU_METADATA)
			continue;
		elf->meta = elf->image + desc;
		elf->meta_size = note.n_descsz;
	}
}

/* the offset in the file of memory that a segment takes from there */
static bool elf_file_offset(const struct grun_elf *elf, uint64_t va,
			    uint64_t len, uint64_t *off)
{
	const Elf64_Phdr *ph;

	for (ph = elf->segs; ph < elf->segs + elf->nr_segs; ph++) {
		if (va < ph->p_vaddr || va - ph->p_vaddr > ph->p_filesz ||
		    len > ph->p_filesz - (va - ph->p_vaddr))
			continue;
		*off = ph->p_offset + (va - ph->p_vaddr);
		return true;
	}
	return false;
}

bool grun_elf_loaded(const struct grun_elf *elf, uint64_t off, uint64_t *va)
{
	const Elf64_Phdr *ph;

	for (ph = elf->segs; ph < elf->segs + elf->nr_segs; ph++) {
		if (off < ph->p_offset || off - ph->p_offset >= ph->p_filesz)
			continue;
		*va = ph->p_vaddr + (off - ph->p_offset);
		return true;
	}
	return false;
}

static int elf_read_dynamic(struct grun_elf *elf, const Elf64_Phdr *ph,
			    struct grun_err *err)
{
	uint64_t pos, off, size = 0;
	Elf64_Dyn dyn;

	for (pos = 0; pos + sizeof(dyn) <= ph->p_filesz; pos += sizeof(dyn)) {
		if (!elf_get(elf, ph->p_offset + pos, &dyn, sizeof(dyn)))
			return grun_fail(err, -ENOEXEC,
					 "dynamic section reaches behind the end of the file");
		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_SYMTAB)
			elf->dynsym = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_STRTAB)
			elf->dynstr = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_RELA)
			elf->rela = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_RELASZ)
			size = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_JMPREL)
			return grun_fail(err, -ENOEXEC,
					 "code object needs a procedure linkage table");
	}
	elf->nr_relas = size / sizeof(Elf64_Rela);
	if (elf->nr_relas && !elf_file_offset(elf, elf->rela, size, &off))
		return grun_fail(err, -ENOEXEC,
				 "relocations lie outside of the file");
	return 0;
}

static int elf_read_segments(struct grun_elf *elf, const Elf64_Ehdr *hdr,
			     struct grun_err *err)
{
	Elf64_Phdr ph, dynamic = {};
	unsigned int i;
	int ret;

	for (i = 0; i < hdr->e_phnum; i++) {
		if (!elf_get(elf, hdr->e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return grun_fail(err, -ENOEXEC,
					 "program headers reach behind the end of the file");
		if (ph.p_type == PT_NOTE)
			elf_find_metadata(elf, &ph);
		if (ph.p_type == PT_DYNAMIC)
			dynamic = ph;
		if (ph.p_type != PT_LOAD)
			continue;
		ret = elf_add_segment(elf, &ph, err);
		if (ret)
			return ret;
	}
	if (!elf->nr_segs || !elf->span)
		return grun_fail(err, -ENOEXEC, "no segment to load");
	return elf_read_dynamic(elf, &dynamic, err);
}

static bool elf_use_symtab(struct grun_elf *elf, const Elf64_Ehdr *hdr,
			   const Elf64_Shdr *sh)
{
	Elf64_Shdr str;

	if (sh->sh_entsize != sizeof(Elf64_Sym) ||
	    !elf_inside(elf, sh->sh_offset, sh->sh_size) ||
	    sh->sh_link >= hdr->e_shnum ||
	    !elf_get(elf, hdr->e_shoff + sh->sh_link * sizeof(str), &str, sizeof(str)) ||
	    !elf_inside(elf, str.sh_offset, str.sh_size))
		return false;
	elf->symtab = sh->sh_offset;
	elf->nr_syms = sh->sh_size / sizeof(Elf64_Sym);
	elf->strtab = str.sh_offset;
	elf->strtab_size = str.sh_size;
	return true;
}

/* .symtab also has functions that are not kernels; stripped files have .dynsym */
static int elf_read_sections(struct grun_elf *elf, const Elf64_Ehdr *hdr,
			     struct grun_err *err)
{
	Elf64_Shdr sh;
	unsigned int i;
	bool full = false;

	if (hdr->e_shnum && hdr->e_shentsize != sizeof(sh))
		return grun_fail(err, -ENOEXEC, "section headers of %u bytes",
				 hdr->e_shentsize);
	for (i = 0; i < hdr->e_shnum && !full; i++) {
		if (!elf_get(elf, hdr->e_shoff + i * sizeof(sh), &sh, sizeof(sh)))
			return grun_fail(err, -ENOEXEC,
					 "section headers reach behind the end of the file");
		if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
			full = elf_use_symtab(elf, hdr, &sh) &&
			       sh.sh_type == SHT_SYMTAB;
	}
	if (!elf->nr_syms)
		return grun_fail(err, -ENOEXEC, "no symbol table");
	return 0;
}

int grun_elf_parse(struct grun_elf *elf, const void *image, size_t size,
		   struct grun_err *err)
{
	Elf64_Ehdr hdr;
	int ret;

	memset(elf, 0, sizeof(*elf));
	elf->image = image;
	elf->size = size;
	if (!elf_get(elf, 0, &hdr, sizeof(hdr)))
		return grun_fail(err, -ENOEXEC,
				 "file of %zu bytes is too short for an ELF file",
				 size);
	ret = elf_check_header(&hdr, err);
	if (ret)
		return ret;
	/* offsets are added to below; no real file is near this */
	if (hdr.e_phoff > size || hdr.e_shoff > size)
		return grun_fail(err, -ENOEXEC,
				 "headers lie behind the end of the file");
	elf->flags = hdr.e_flags;
	ret = elf_read_segments(elf, &hdr, err);
	if (ret)
		return ret;
	return elf_read_sections(elf, &hdr, err);
}

bool grun_elf_symbol(const struct grun_elf *elf, uint64_t n,
		     struct grun_symbol *out)
{
	const char *names = (const char *)elf->image + elf->strtab;
	Elf64_Sym sym;

	if (n >= elf->nr_syms ||
	    !elf_get(elf, elf->symtab + n * sizeof(sym), &sym, sizeof(sym)))
		return false;
	if (sym.st_shndx == SHN_UNDEF || sym.st_name >= elf->strtab_size ||
	    !memchr(names + sym.st_name, 0, elf->strtab_size - sym.st_name))
		return false;
	if (sym.st_value > elf->span || sym.st_size > elf->span - sym.st_value)
		return false;
	out->name = names + sym.st_name;
	out->value = sym.st_value;
	out->size = sym.st_size;
	out->type = ELF64_ST_TYPE(sym.st_info);
	out->visibility = ELF64_ST_VISIBILITY(sym.st_other);
	return true;
}

bool grun_elf_find(const struct grun_elf *elf, const char *name,
		   struct grun_symbol *sym)
{
	uint64_t i;

	for (i = 0; i < elf->nr_syms; i++)
		if (grun_elf_symbol(elf, i, sym) && !strcmp(sym->name, name))
			return true;
	return false;
}

bool grun_elf_writable(const struct grun_elf *elf, uint64_t va)
{
	const Elf64_Phdr *ph;

	for (ph = elf->segs; ph < elf->segs + elf->nr_segs; ph++)
		if (va - ph->p_vaddr < ph->p_memsz)
			return ph->p_flags & PF_W;
	return false;
}

bool grun_elf_read(const struct grun_elf *elf, uint64_t va, void *out,
		   size_t len)
{
	uint64_t off;

	return elf_file_offset(elf, va, len, &off) && elf_get(elf, off, out, len);
}

const char *grun_elf_isa(const struct grun_elf *elf)
{
	static const struct {
		unsigned int mach;
		const char *name;
	} isas[] = {
		{ 0x2c, "gfx900" }, { 0x2d, "gfx902" }, { 0x2e, "gfx904" },
		{ 0x2f, "gfx906" }, { 0x30, "gfx908" }, { 0x31, "gfx909" },
		{ 0x32, "gfx90c" }, { 0x3f, "gfx90a" }, { 0x40, "gfx940" },
		{ 0x4b, "gfx941" }, { 0x4c, "gfx942" },
	};
	size_t i;

	for (i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		if (isas[i].mach == (elf->flags & EF_AMDGPU_MACH))
			return isas[i].name;
	return NULL;
}

/* the name of a symbol of the dynamic section, "?" if it has none that is whole */
static const char *elf_dynamic_name(const struct grun_elf *elf,
				    const Elf64_Sym *sym)
{
	uint64_t off;

	if (elf->dynstr > elf->span ||
	    !elf_file_offset(elf, elf->dynstr + sym->st_name, 1, &off) ||
	    !elf_inside(elf, off, 1) ||
	    !memchr(elf->image + off, 0, elf->size - off))
		return "?";
	return (const char *)elf->image + off;
}

static int elf_symbol_value(const struct grun_elf *elf, uint32_t n,
			    uint64_t *value, struct grun_err *err)
{
	Elf64_Sym sym;
	uint64_t off;

	if (!elf->dynsym || elf->dynsym > elf->span ||
	    !elf_file_offset(elf, elf->dynsym + (uint64_t)n * sizeof(sym), sizeof(sym), &off) ||
	    !elf_get(elf, off, &sym, sizeof(sym)))
		return grun_fail(err, -ENOEXEC,
				 "relocation of symbol %u, which does not exist", n);
	if (sym.st_shndx == SHN_UNDEF)
		return grun_fail(err, -ENOEXEC,
				 "the symbol %.100s is not defined",
				 elf_dynamic_name(elf, &sym));
	*value = sym.st_value;
	return 0;
}

static int elf_relocate_one(const struct grun_elf *elf, void *mem,
			    uint64_t base, const Elf64_Rela *rela,
			    struct grun_err *err)
{
	uint32_t type = ELF64_R_TYPE(rela->r_info);
	uint64_t value = 0;
	int ret;

	if (type == R_AMDGPU_NONE)
		return 0;
	if (type != R_AMDGPU_RELATIVE64 && type != R_AMDGPU_ABS64)
		return grun_fail(err, -ENOEXEC,
				 "relocation of type %u is not supported", type);
	if (rela->r_offset > elf->span || elf->span - rela->r_offset < sizeof(value))
		return grun_fail(err, -ENOEXEC,
				 "relocation lies outside of the code object");
	if (type == R_AMDGPU_ABS64) {
		ret = elf_symbol_value(elf, ELF64_R_SYM(rela->r_info), &value, err);
		if (ret)
			return ret;
	}
	value += base + (uint64_t)rela->r_addend;
	memcpy((char *)mem + rela->r_offset, &value, sizeof(value));
	return 0;
}

int grun_elf_place(const struct grun_elf *elf, void *mem, uint64_t base,
		   struct grun_err *err)
{
	const Elf64_Phdr *ph;
	Elf64_Rela rela;
	uint64_t i, off;
	int ret;

	for (ph = elf->segs; ph < elf->segs + elf->nr_segs; ph++)
		memcpy((char *)mem + ph->p_vaddr, elf->image + ph->p_offset,
		       ph->p_filesz);
	for (i = 0; i < elf->nr_relas; i++) {
		if (!elf_file_offset(elf, elf->rela + i * sizeof(rela),
				     sizeof(rela), &off) ||
		    !elf_get(elf, off, &rela, sizeof(rela)))
			return grun_fail(err, -ENOEXEC,
					 "relocations lie outside of the file");
		ret = elf_relocate_one(elf, mem, base, &rela, err);
		if (ret)
			return ret;
	}
	return 0;
}
