// SPDX-License-Identifier: GPL-2.0
/*
 * Code objects that ROCr has loaded. Their text gets a mapping of the file in the
 * process, so that perf finds functions and lines as it does for shared libraries;
 * the GPU executes from its own memory. Those that are in memory, as HIP's are, get a
 * file in ~/.debug/gpubp first.
 */
#include <errno.h>
#include <fcntl.h>
#include <hsa.h>
#include <hsa_ven_amd_loader.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dispatches.h"
#include "kernels.h"
#include "names.h"
#include "next.h"

#define INFO(object, what, value)					\
	loader.hsa_ven_amd_loader_loaded_code_object_get_info(object,	\
		HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_##what, value)
/* ROCr is loaded when these are called, but the linker need not find it */
#define ROCR(function)							\
	((__typeof__(&(function)))next_function(#function))
#define SYMBOL(symbol, what, value)					\
	ROCR(hsa_executable_symbol_get_info)(symbol,			\
		HSA_EXECUTABLE_SYMBOL_INFO_##what, value)

static hsa_ven_amd_loader_1_01_pfn_t loader;

/* ---- files ------------------------------------------------------------------ */

static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (size--)
		hash = (hash ^ *bytes++) * 0x100000001b3;
	return hash;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
	char temporary[PATH_MAX + 8];
	bool ok;
	int fd;

	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = write(fd, bytes, size) == (ssize_t)size && !rename(temporary, path);
	if (!ok)
		unlink(temporary);
	close(fd);
	return ok;
}

/* by its content, so that the next run has the same */
static bool file_of_memory(char *path, const void *bytes, size_t size)
{
	int dir = snprintf(path, PATH_MAX / 2, "%s/.debug", getenv("HOME") ?: "/tmp");

	if (dir >= PATH_MAX / 2)
		return false;
	mkdir(path, 0755);
	mkdir(strcpy(path + dir, "/gpubp") - dir, 0755);
	snprintf(path + strlen(path), PATH_MAX / 2, "/%s-%016llx.elf",
		 program_invocation_short_name,
		 (unsigned long long)hash_of(bytes, size));
	return !access(path, R_OK) || write_file(path, bytes, size);
}

/* file:///PATH, with what is not alphanumeric as %HH; a part of a file is no file */
static bool file_of_uri(char *path, hsa_loaded_code_object_t object)
{
	char uri[PATH_MAX] = "", *from = uri + strlen("file://");
	uint32_t len = sizeof(uri);
	unsigned int c;

	if (INFO(object, URI_LENGTH, &len) || len >= sizeof(uri) ||
	    INFO(object, URI, uri) || strncmp(uri, "file://", strlen("file://")) ||
	    strpbrk(uri, "#?"))
		return false;
	for (; *from; from++)
		*path++ = sscanf(from, "%%%2x", &c) == 1 ? (from += 2, (char)c) : *from;
	*path = 0;
	return true;
}

static bool file_of(char *path, hsa_loaded_code_object_t object)
{
	uint64_t base = 0, size = 0;

	return file_of_uri(path, object) ||
	       (!INFO(object, CODE_OBJECT_STORAGE_MEMORY_BASE, &base) &&
		!INFO(object, CODE_OBJECT_STORAGE_MEMORY_SIZE, &size) && base &&
		file_of_memory(path, (const void *)(uintptr_t)base, size));
}

/* ---- names ------------------------------------------------------------------ */

static hsa_status_t symbol_loaded(hsa_executable_t executable, hsa_agent_t agent,
				  hsa_executable_symbol_t symbol, void *loaded)
{
	hsa_symbol_kind_t kind;
	uint32_t size = 0, len = 0;
	char name[PATH_MAX] = "";
	uint64_t va = 0;

	if (SYMBOL(symbol, TYPE, &kind) || kind != HSA_SYMBOL_KIND_VARIABLE ||
	    SYMBOL(symbol, NAME_LENGTH, &len) || len >= sizeof(name))
		return HSA_STATUS_SUCCESS;
	SYMBOL(symbol, NAME, name);
	SYMBOL(symbol, VARIABLE_ADDRESS, &va);
	SYMBOL(symbol, VARIABLE_SIZE, &size);
	names_buffer(va, loaded ? size : 0, name);
	return HSA_STATUS_SUCCESS;
}

static void name_code(hsa_loaded_code_object_t object, uint64_t va)
{
	struct grun_code *code;
	struct grun_err err;
	char path[PATH_MAX];

	if (!file_of(path, object) || grun_code_open(&code, path, &err))
		return;
	code->mem.va = va;
	grun_code_map_segments(code, (char *)(uintptr_t)va, (size_t)getpagesize(), PF_X);
	names_code(code, basename(path));
	if (dispatches_are_wanted())
		kernels_add(code);
	else
		grun_code_free(code);
}

static void name_no_code(uint64_t va)
{
	kernels_remove(va);
	names_no_code(va);
}

/* @loaded: NULL if it is being unloaded */
static hsa_status_t code_loaded(hsa_executable_t executable,
				hsa_loaded_code_object_t object, void *loaded)
{
	hsa_agent_t agent;
	int64_t delta;

	if (INFO(object, LOAD_DELTA, &delta) || INFO(object, AGENT, &agent))
		return HSA_STATUS_SUCCESS;
	if (loaded)
		name_code(object, (uint64_t)delta);
	else
		name_no_code((uint64_t)delta);
	ROCR(hsa_executable_iterate_agent_symbols)(executable, agent, symbol_loaded,
						   loaded);
	return HSA_STATUS_SUCCESS;
}

/* ---- calls of ROCr ------------------------------------------------------------ */

static void for_each_code(hsa_executable_t executable, void *loaded)
{
	if (loader.hsa_ven_amd_loader_loaded_code_object_get_info ||
	    !ROCR(hsa_system_get_major_extension_table)(HSA_EXTENSION_AMD_LOADER, 1,
							sizeof(loader), &loader))
		loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
			executable, code_loaded, loaded);
}

WRAPPER hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char *options)
{
	hsa_status_t ret = ROCR(hsa_executable_freeze)(executable, options);

	if (!ret)
		for_each_code(executable, &loader);
	return ret;
}

WRAPPER hsa_status_t hsa_executable_destroy(hsa_executable_t executable)
{
	for_each_code(executable, NULL);
	return ROCR(hsa_executable_destroy)(executable);
}

/* ---- what was loaded before the library ----------------------------------------- */

static hsa_status_t executable_loaded(hsa_executable_t executable, void *loaded)
{
	for_each_code(executable, loaded);
	return HSA_STATUS_SUCCESS;
}

void names_of_loaded_code(void)
{
	__typeof__(&hsa_system_get_major_extension_table) get =
		ROCR(hsa_system_get_major_extension_table);
	hsa_ven_amd_loader_1_03_pfn_t all = { 0 };

	if (get && !get(HSA_EXTENSION_AMD_LOADER, 1, sizeof(all), &all) &&
	    all.hsa_ven_amd_loader_iterate_executables)
		all.hsa_ven_amd_loader_iterate_executables(executable_loaded, &all);
}
