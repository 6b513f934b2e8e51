// SPDX-License-Identifier: GPL-2.0
/*
 * Code objects: file, kernels, and their place in GPU memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "internal.h"
#include "metadata.h"

#define DESCRIPTOR_SIZE		64
#define MAX_FILE		(256LL << 20)

static int code_find_descriptor(struct grun_code *code,
				struct grun_kernel *kernel,
				struct grun_err *err)
{
	struct grun_symbol sym;
	uint32_t rsrc1 = 0;

	if (!grun_elf_find(&code->elf, kernel->symbol, &sym))
		return grun_fail(err, -ENOEXEC,
				 "kernel %s has no descriptor %s",
				 kernel->name, kernel->symbol);
	if (sym.size != DESCRIPTOR_SIZE || sym.value % DESCRIPTOR_SIZE)
		return grun_fail(err, -ENOEXEC,
				 "descriptor of kernel %s has a wrong size or alignment",
				 kernel->name);
	kernel->descriptor = sym.value;
	grun_elf_read(&code->elf, sym.value + GRUN_DESCRIPTOR_RSRC1, &rsrc1,
		      sizeof(rsrc1));
	kernel->dx10_clamp = rsrc1 & GRUN_RSRC1_DX10_CLAMP;
	return 0;
}

static int code_read_kernels(struct grun_code *code, struct grun_err *err)
{
	unsigned int i;
	int ret;

	if (!code->elf.meta)
		return grun_fail(err, -ENOEXEC,
				 "no kernel metadata: not a code object of version 3 or later");
	ret = grun_metadata_parse(code->elf.meta, code->elf.meta_size,
				  &code->kernels, &code->nr_kernels, err);
	for (i = 0; !ret && i < code->nr_kernels; i++)
		ret = code_find_descriptor(code, &code->kernels[i], err);
	return ret;
}

int grun_code_parse(struct grun_code **out, const void *image, size_t size,
		    struct grun_err *err)
{
	struct grun_code *code = calloc(1, sizeof(*code));
	int ret;

	if (code)
		code->image = malloc(size ? size : 1);
	if (!code || !code->image) {
		free(code);
		return grun_fail(err, -ENOMEM, "out of memory");
	}
	code->fd = -1;
	memcpy(code->image, image, size);
	ret = grun_elf_parse(&code->elf, code->image, size, err);
	if (!ret)
		ret = code_read_kernels(code, err);
	if (ret) {
		grun_code_free(code);
		return ret;
	}
	*out = code;
	return 0;
}

static int code_map_file(int fd, const char *path, void **map, size_t *size,
			 struct grun_err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return grun_fail(err, -ENOEXEC, "%s: not a file", path);
	if (st.st_size <= 0 || st.st_size > MAX_FILE)
		return grun_fail(err, -ENOEXEC, "%s: empty or too large", path);
	*size = (size_t)st.st_size;
	*map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (*map == MAP_FAILED)
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

int grun_code_open(struct grun_code **code, const char *path,
		   struct grun_err *err)
{
	/* a recording may name any path: do not wait for what is no file */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct grun_err why;
	size_t size = 0;
	void *map;
	int ret;

	if (fd < 0)
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	ret = code_map_file(fd, path, &map, &size, err);
	if (ret) {
		close(fd);
		return ret;
	}
	ret = grun_code_parse(code, map, size, &why);
	munmap(map, size);
	if (ret) {
		close(fd);
		return grun_fail(err, ret, "%s: %.200s", path, why.text);
	}
	(*code)->fd = fd;
	(*code)->path = realpath(path, NULL);
	return 0;
}

static void code_close_file(struct grun_code *code)
{
	if (code->fd >= 0)
		close(code->fd);
	code->fd = -1;
}

void grun_code_free(struct grun_code *code)
{
	if (!code)
		return;
	code_close_file(code);
	if (code->window) {
		munmap(code->window, code->mem.mapped);
		munmap(code->mem.cpu, code->mem.mapped);
	}
	free(code->kernels);
	free(code->image);
	free(code->path);
	free(code);
}

unsigned int grun_code_nr_kernels(const struct grun_code *code)
{
	return code->nr_kernels;
}

const struct grun_kernel *grun_code_kernel(const struct grun_code *code,
					   unsigned int n)
{
	return n < code->nr_kernels ? &code->kernels[n] : NULL;
}

const struct grun_kernel *grun_code_find(const struct grun_code *code,
					 const char *name)
{
	unsigned int i;

	for (i = 0; i < code->nr_kernels; i++)
		if (!strcmp(code->kernels[i].name, name))
			return &code->kernels[i];
	return NULL;
}

bool grun_code_symbol(const struct grun_code *code, const char *name,
		      uint64_t *value)
{
	struct grun_symbol sym;

	if (!grun_elf_find(&code->elf, name, &sym))
		return false;
	*value = sym.value;
	return true;
}

static bool code_is_descriptor(const struct grun_code *code,
			       const struct grun_symbol *sym)
{
	unsigned int i;

	for (i = 0; i < code->nr_kernels; i++)
		if (code->kernels[i].descriptor == sym->value)
			return true;
	return false;
}

static bool code_is_variable(const struct grun_code *code,
			     const struct grun_symbol *sym)
{
	return sym->type == STT_OBJECT && sym->size && sym->name[0] &&
	       strlen(sym->name) < GPUBP_NAME_MAX &&
	       (grun_elf_writable(&code->elf, sym->value) ||
		(sym->visibility != STV_DEFAULT && !code_is_descriptor(code, sym)));
}

bool grun_code_variable(const struct grun_code *code, uint64_t *pos,
			struct grun_variable *var)
{
	struct grun_symbol sym;

	while (*pos < code->elf.nr_syms) {
		if (!grun_elf_symbol(&code->elf, (*pos)++, &sym) ||
		    !code_is_variable(code, &sym))
			continue;
		var->name = sym.name;
		var->value = sym.value;
		var->size = sym.size;
		return true;
	}
	return false;
}

const char *grun_code_isa(const struct grun_code *code)
{
	const char *isa = grun_elf_isa(&code->elf);

	return isa ? isa : "unknown";
}

uint64_t grun_code_va(const struct grun_code *code)
{
	return code->mem.va;
}

const struct grun_arg *grun_kernel_param(const struct grun_kernel *kernel,
					 unsigned int n)
{
	unsigned int i;

	for (i = 0; i < kernel->nr_args; i++)
		if (kernel->args[i].kind != GRUN_ARG_HIDDEN && !n--)
			return &kernel->args[i];
	return NULL;
}

unsigned int grun_kernel_nr_params(const struct grun_kernel *kernel)
{
	unsigned int n = 0;

	while (grun_kernel_param(kernel, n))
		n++;
	return n;
}

/* addresses that are free in the process and that the GPU can have, too */
static int code_reserve(const struct grun_device *dev, size_t size,
			void **window, struct grun_err *err)
{
	const struct gpubp_sim_info *info = &dev->info;
	uint64_t va;

	*window = mmap(NULL, size, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*window == MAP_FAILED)
		return grun_fail(err, -errno, "cannot map %zu bytes: %s", size,
				 strerror(errno));
	va = (uintptr_t)*window;
	if (va >= info->va_start && va < info->va_end &&
	    size <= info->va_end - va)
		return 0;
	munmap(*window, size);
	return grun_fail(err, -ERANGE,
			 "address %#llx of the process is not one of the GPU's",
			 (unsigned long long)va);
}

/*
 * What cannot be mapped (the file system may be noexec) stays anonymous memory,
 * which perf looks up in the perf map.
 */
static void code_map_segment(const struct grun_code *code, char *window,
			     const Elf64_Phdr *ph, size_t page)
{
	uint64_t lead = ph->p_vaddr % page;

	if (!ph->p_filesz || ph->p_offset % page != lead)
		return;
	mmap(window + ph->p_vaddr - lead, ph->p_filesz + lead,
	     PROT_READ | (ph->p_flags & PF_X ? PROT_EXEC : 0),
	     MAP_PRIVATE | MAP_FIXED, code->fd, (off_t)(ph->p_offset - lead));
}

void grun_code_map_segments(struct grun_code *code, char *window, size_t page,
			    uint32_t flags)
{
	unsigned int i;

	for (i = 0; code->fd >= 0 && i < code->elf.nr_segs; i++)
		if ((code->elf.segs[i].p_flags & flags) == flags)
			code_map_segment(code, window, &code->elf.segs[i], page);
	code_close_file(code);
}

/* there may be more variables than a context can have names: those have none */
static int code_name_variables(struct grun_device *dev,
			       const struct grun_code *code, struct grun_err *err)
{
	struct grun_variable var;
	uint64_t pos = 0;
	int ret = 0;

	while (!ret && grun_code_variable(code, &pos, &var))
		ret = grun_name_from(dev, code->mem.va + var.value, var.size,
				     var.name, NULL, err);
	return ret == -ENOSPC ? 0 : ret;
}

static int code_fill(struct grun_device *dev, struct grun_code *code,
		     const char *name, struct grun_err *err)
{
	int ret = grun_elf_place(&code->elf, code->mem.cpu, code->mem.va, err);

	if (!ret)
		grun_clear_clamp(code);
	if (!ret && name)
		ret = grun_name_code(dev, code, name, err);
	if (!ret)
		grun_name_functions(dev->info.context, code);
	if (!ret && name)
		ret = code_name_variables(dev, code, err);
	return ret;
}

int grun_load(struct grun_device *dev, struct grun_code *code,
	      const char *name, struct grun_err *err)
{
	size_t size = grun_round_up(code->elf.span, dev->info.page_size);
	void *window;
	int ret;

	if (code->window)
		return grun_fail(err, -EBUSY, "code object is loaded already");
	if (strcmp(grun_code_isa(code), dev->info.isa))
		return grun_fail(err, -ENOEXEC,
				 "code object is for %s, the device is a %s",
				 grun_code_isa(code), dev->info.isa);
	ret = code_reserve(dev, size, &window, err);
	if (ret)
		return ret;
	ret = dev->backend->alloc_code(dev, &code->mem, size, window, err);
	if (!ret) {
		ret = code_fill(dev, code, name, err);
		if (ret)
			grun_release(dev, &code->mem);
	}
	if (ret) {
		munmap(window, size);
		return ret;
	}
	grun_code_map_segments(code, window, dev->info.page_size,
			       dev->backend->file_segments);
	code->window = window;
	dev->code = code;
	grun_listener_code(code, name);
	return 0;
}

bool grun_code_loaded(const struct grun_code *code, uint64_t file_offset,
		      uint64_t *offset)
{
	return grun_elf_loaded(&code->elf, file_offset, offset);
}

const char *grun_code_function(const struct grun_code *code, uint64_t offset,
			       uint64_t *start)
{
	struct grun_symbol sym;
	uint64_t i;

	for (i = 0; i < code->elf.nr_syms; i++) {
		if (!grun_elf_symbol(&code->elf, i, &sym) ||
		    sym.type != STT_FUNC || offset - sym.value >= sym.size)
			continue;
		*start = sym.value;
		return sym.name;
	}
	return NULL;
}

void grun_code_where(const struct grun_code *code, uint64_t pc, char *out,
		     size_t len)
{
	uint64_t start, offset = code ? pc - code->mem.va : 0;
	const char *name = code ? grun_code_function(code, offset, &start) : NULL;

	out[0] = 0;
	if (name)
		snprintf(out, len, " (%.80s+0x%llx)", name,
			 (unsigned long long)(offset - start));
}
