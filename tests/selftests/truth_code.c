// SPDX-License-Identifier: GPL-2.0
/* Instructions of a code object, looked up by pc. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "truth.h"

#define IMAGE_MAX	(1 << 20)

#define FLAT		0x37	/* bits 31:26 of a FLAT or GLOBAL instruction */

/* is @pc in the function that the perf map calls @kernel? */
static bool in_kernel(const char *kernel, uint64_t pc)
{
	unsigned long long start, size;
	char path[32], name[128];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "re");
	while (file && fscanf(file, "%llx %llx %127s", &start, &size, name) == 3)
		found |= pc >= start && pc - start < size && !strcmp(name, kernel);
	if (file)
		fclose(file);
	return found;
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

unsigned int code_access(const char *elf, uint64_t code_va, const char *kernel,
			 uint64_t pc)
{
	const char *image = read_image(elf);
	uint32_t word = image ? word_at(image, pc - code_va) : 0;
	unsigned int op = (word >> 18) & 0x7f;

	if (word >> 26 != FLAT || !in_kernel(kernel, pc))
		return 0;
	if (op >= 64)
		return GPUBP_ACCESS_ATOMIC;
	/* 16-23 and, for halves of registers, 32-37 are loads */
	return op >= 24 && op < 32 ? GPUBP_ACCESS_STORE : GPUBP_ACCESS_LOAD;
}
