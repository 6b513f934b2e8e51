// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose.h"

/**
 * struct dynamic - a loaded object
 * @base: what is added to its addresses
 * @symbols: its dynamic symbols
 * @names: of them
 * @nr: how many, where DT_HASH says so
 * @calls: relocations of calls
 * @calls_len: bytes of them
 * @others: further relocations
 * @others_len: bytes of them
 * @relro: what is made read-only behind the relocations
 * @relro_end: its end
 */
struct dynamic {
	uint64_t base;
	const ElfW(Sym) *symbols;
	const char *names;
	uint32_t nr;
	const ElfW(Rela) *calls;
	uint64_t calls_len;
	const ElfW(Rela) *others;
	uint64_t others_len;
	uint64_t relro, relro_end;
};

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* ---- objects --------------------------------------------------------------------------- */

/* the linker has added the base, but not in objects of the kernel */
static void *pointer_of(const struct dynamic *d, const ElfW(Dyn) *entry)
{
	const uint64_t at = entry->d_un.d_ptr;

	return (void *)(uintptr_t)(at < d->base ? at + d->base : at);
}

static void dynamic_entry(struct dynamic *d, const ElfW(Dyn) *entry)
{
	switch (entry->d_tag) {
	case DT_SYMTAB:
		d->symbols = pointer_of(d, entry);
		break;
	case DT_STRTAB:
		d->names = pointer_of(d, entry);
		break;
	case DT_HASH:
		d->nr = ((const uint32_t *)pointer_of(d, entry))[1];
		break;
	case DT_JMPREL:
		d->calls = pointer_of(d, entry);
		break;
	case DT_PLTRELSZ:
		d->calls_len = entry->d_un.d_val;
		break;
	case DT_RELA:
		d->others = pointer_of(d, entry);
		break;
	case DT_RELASZ:
		d->others_len = entry->d_un.d_val;
		break;
	}
}

static bool dynamic_read(struct dynamic *d, const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *entry = NULL;
	const ElfW(Phdr) *phdr;
	int n;

	*d = (struct dynamic){ .base = info->dlpi_addr };
	for (n = 0; n < info->dlpi_phnum; n++) {
		phdr = &info->dlpi_phdr[n];
		if (phdr->p_type == PT_DYNAMIC)
			entry = (void *)(uintptr_t)(d->base + phdr->p_vaddr);
		if (phdr->p_type == PT_GNU_RELRO) {
			d->relro = d->base + phdr->p_vaddr;
			d->relro_end = d->relro + phdr->p_memsz;
		}
	}
	for (; entry && entry->d_tag != DT_NULL; entry++)
		dynamic_entry(d, entry);
	return d->symbols && d->names;
}

static bool is_ours(const struct dl_phdr_info *info)
{
	const uint64_t at = (uintptr_t)__ehdr_start;

	/* our first byte has no address but the base */
	return info->dlpi_addr == at;
}

/* ---- our functions ------------------------------------------------------------------------ */

static int find_ours(struct dl_phdr_info *info, size_t size, void *ours)
{
	return is_ours(info) && dynamic_read(ours, info);
}

static bool is_function(const ElfW(Sym) *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

/* 0: there is none of that name */
static uint64_t our_function(const struct dynamic *ours, const char *name)
{
	uint32_t n;

	for (n = 0; n < ours->nr; n++)
		if (is_function(&ours->symbols[n]) &&
		    !strcmp(ours->names + ours->symbols[n].st_name, name))
			return ours->base + ours->symbols[n].st_value;
	return 0;
}

/* ---- their calls ---------------------------------------------------------------------------- */

static bool is_relro(const struct dynamic *d, uint64_t at)
{
	return d->relro <= at && at < d->relro_end;
}

static void set_slot(const struct dynamic *d, uint64_t at, uint64_t function)
{
	const uint64_t page = (uint64_t)getpagesize();
	void *start = (void *)(uintptr_t)(at & -page);

	if (is_relro(d, at) && mprotect(start, page, PROT_READ | PROT_WRITE))
		return;
	__atomic_store_n((uint64_t *)(uintptr_t)at, function, __ATOMIC_RELEASE);
	/* the last page may have what is not, but that is in front of it */
	if (is_relro(d, at) && (at & -page) + page <= d->relro_end)
		mprotect(start, page, PROT_READ);
}

static bool is_call(const ElfW(Rela) *rela)
{
#ifdef __x86_64__
	return !rela->r_addend && (ELF64_R_TYPE(rela->r_info) == R_X86_64_JUMP_SLOT ||
				   ELF64_R_TYPE(rela->r_info) == R_X86_64_GLOB_DAT);
#else
	return false;
#endif
}

static void set_slots(const struct dynamic *d, const struct dynamic *ours,
		      const ElfW(Rela) *rela, uint64_t len)
{
	const ElfW(Rela) *end = rela + len / sizeof(*rela);
	const ElfW(Sym) *symbol;
	uint64_t function;

	for (; rela < end; rela++) {
		if (!is_call(rela))
			continue;
		symbol = &d->symbols[ELF64_R_SYM(rela->r_info)];
		function = our_function(ours, d->names + symbol->st_name);
		if (function)
			set_slot(d, d->base + rela->r_offset, function);
	}
}

/* the C library calls what it has itself */
static bool is_left_out(const struct dl_phdr_info *info)
{
	return is_ours(info) || strstr(info->dlpi_name, "/libc.so") ||
	       strstr(info->dlpi_name, "/ld-linux") || strstr(info->dlpi_name, "linux-vdso");
}

static int interpose_object(struct dl_phdr_info *info, size_t size, void *ours)
{
	struct dynamic d;

	if (is_left_out(info) || !dynamic_read(&d, info))
		return 0;
	if (d.calls)
		set_slots(&d, ours, d.calls, d.calls_len);
	if (d.others)
		set_slots(&d, ours, d.others, d.others_len);
	return 0;
}

void interpose_all(void)
{
	struct dynamic ours;

	if (dl_iterate_phdr(find_ours, &ours))
		dl_iterate_phdr(interpose_object, &ours);
}
