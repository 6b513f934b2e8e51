/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading amdgcn ELF files. Pure: looks at the image only.
 */
#ifndef GRUN_ELFFILE_H
#define GRUN_ELFFILE_H

#include <elf.h>
#include "gpubp_run.h"

#define GRUN_ELF_SEGMENTS	16
#define GRUN_ELF_MAX_SPAN	(256ULL << 20)

/**
 * struct grun_elf - a checked code object
 * @image: the file; everything below lies inside it
 * @size: bytes of @image
 * @flags: e_flags
 * @span: bytes of memory from load address 0 to the end of the last segment
 * @nr_segs: entries of @segs
 * @segs: PT_LOAD headers, checked against @size and GRUN_ELF_MAX_SPAN
 * @meta: NT_AMDGPU_METADATA, NULL if there is none
 * @meta_size: bytes of @meta
 * @symtab: offset of the symbol table (.symtab, else .dynsym)
 * @nr_syms: its entries
 * @strtab: offset of its names
 * @strtab_size: bytes
 * @dynsym: address of DT_SYMTAB, which relocations count in
 * @dynstr: address of DT_STRTAB, the names of those
 * @rela: address of DT_RELA
 * @nr_relas: entries
 */
struct grun_elf {
	const unsigned char *image;
	size_t size;
	uint32_t flags;
	uint64_t span;
	unsigned int nr_segs;
	Elf64_Phdr segs[GRUN_ELF_SEGMENTS];
	const unsigned char *meta;
	size_t meta_size;
	uint64_t symtab;
	uint64_t nr_syms;
	uint64_t strtab;
	uint64_t strtab_size;
	uint64_t dynsym;
	uint64_t dynstr;
	uint64_t rela;
	uint64_t nr_relas;
};

/**
 * struct grun_symbol - one symbol
 * @name: NUL-terminated, inside the image
 * @value: address relative to the load address
 * @size: bytes
 * @type: STT_*
 * @visibility: STV_*
 */
struct grun_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	unsigned int type;
	unsigned int visibility;
};

/**
 * grun_elf_parse() - check an image
 * @elf: out
 * @image: the file, must live as long as @elf
 * @size: bytes
 * @err: error
 *
 * Return: 0 or -ENOEXEC.
 */
int grun_elf_parse(struct grun_elf *elf, const void *image, size_t size,
		   struct grun_err *err);

/** grun_elf_symbol() - symbol @n; false if it is undefined or makes no sense */
bool grun_elf_symbol(const struct grun_elf *elf, uint64_t n,
		     struct grun_symbol *sym);

/** grun_elf_find() - symbol by name; false if there is none */
bool grun_elf_find(const struct grun_elf *elf, const char *name,
		   struct grun_symbol *sym);

/** grun_elf_writable() - is there memory that the code object may change? */
bool grun_elf_writable(const struct grun_elf *elf, uint64_t va);

/** grun_elf_read() - @len bytes of initialized memory at @va; false if it has none there */
bool grun_elf_read(const struct grun_elf *elf, uint64_t va, void *out,
		   size_t len);
/** grun_elf_loaded() - the address of what is at an offset in the file; false if none */
bool grun_elf_loaded(const struct grun_elf *elf, uint64_t off, uint64_t *va);

/** grun_elf_isa() - LLVM's name of the processor, NULL if unknown */
const char *grun_elf_isa(const struct grun_elf *elf);

/**
 * grun_elf_place() - build the memory image
 * @elf: checked code object
 * @mem: @elf->span bytes, zero
 * @base: address that @mem will have on the GPU
 * @err: error
 *
 * Return: 0, or -ENOEXEC for a relocation that is not supported or lies
 * outside.
 */
int grun_elf_place(const struct grun_elf *elf, void *mem, uint64_t base,
		   struct grun_err *err);

#endif /* GRUN_ELFFILE_H */
