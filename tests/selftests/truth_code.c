// SPDX-License-Identifier: GPL-2.0
/* Instructions of a code object, looked up by offset. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include "truth.h"

#define IMAGE_MAX	(1 << 20)

#define FLAT		0x37	/* bits 31:26 of a FLAT or GLOBAL instruction */

static bool in_kernel(const struct grun_code *code, uint64_t offset,
		      const char *kernel, const char *callee)
{
	uint64_t start;
	const char *name = grun_code_function(code, offset, &start);

	return name && (!strcmp(name, kernel) ||
			(callee && !strncmp(name, callee, strlen(callee))));
}

static const char *read_image(const char *elf)
{
	static char image[IMAGE_MAX];
	static char last[512];
	FILE *file;

	if (!strcmp(last, elf))
		return image;
	memset(image, 0, sizeof(image));
	file = fopen(elf, "re");
	if (!file || !fread(image, 1, sizeof(image), file))
		return NULL;
	fclose(file);
	snprintf(last, sizeof(last), "%s", elf);
	return image;
}

/* the dword at an address of the code object, 0 if it is not in the file */
static uint32_t word_at(const char *image, uint64_t offset)
{
	const Elf64_Ehdr *ehdr = (const void *)image;
	const Elf64_Phdr *phdr = (const void *)(image + ehdr->e_phoff);
	uint32_t word = 0;
	int i;

	for (i = 0; i < ehdr->e_phnum; i++, phdr++)
		if (phdr->p_type == PT_LOAD && offset >= phdr->p_vaddr &&
		    offset - phdr->p_vaddr < phdr->p_filesz)
			memcpy(&word, image + phdr->p_offset + offset -
			       phdr->p_vaddr, sizeof(word));
	return word;
}

unsigned int code_access(const char *elf, const struct grun_code *code,
			 uint64_t offset, const char *kernel, const char *callee)
{
	const char *image = read_image(elf);
	uint32_t word = image ? word_at(image, offset) : 0;
	unsigned int op = (word >> 18) & 0x7f;

	if (word >> 26 != FLAT || !in_kernel(code, offset, kernel, callee))
		return 0;
	if (op >= 64)
		return GPUBP_ACCESS_ATOMIC;
	/* 16-23 and, for halves of registers, 32-37 are loads */
	return op >= 24 && op < 32 ? GPUBP_ACCESS_STORE : GPUBP_ACCESS_LOAD;
}
