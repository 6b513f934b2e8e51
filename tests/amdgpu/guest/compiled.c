// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOAD for HIP programs: what comgr compiles is kept in files, for the programs
 * that come later. HIP has it compile the same kernels of its own, for copies and fills, at
 * the start of each program: emulated, that takes longer than the program. A file is
 * found by a hash of all that an action depends on.
 *
 * environment:
 *	COMPILED	a directory
 */
#include <amd_comgr.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** struct item - data of a file, in front of its name and bytes */
struct item {
	uint64_t kind;
	uint64_t name_size;
	uint64_t size;
};

typedef amd_comgr_status_t action_fn(amd_comgr_action_kind_t kind,
				     amd_comgr_action_info_t info,
				     amd_comgr_data_set_t input,
				     amd_comgr_data_set_t result);

/* ---- hash ------------------------------------------------------------------ */

/* FNV-1a of words, of which there are two with different starts: 128 bits */
struct hash {
	uint64_t value[2];
};

static void hash_word(struct hash *hash, uint64_t word)
{
	int i;

	for (i = 0; i < 2; i++) {
		hash->value[i] = (hash->value[i] ^ word) * 0x100000001b3ULL;
		hash->value[i] ^= hash->value[i] >> 29;
	}
}

static void hash_bytes(struct hash *hash, const char *bytes, size_t size)
{
	uint64_t word;

	hash_word(hash, size);
	for (; size >= sizeof(word); size -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash_word(hash, word);
	}
	word = 0;
	memcpy(&word, bytes, size);
	hash_word(hash, word);
}

/* ---- data ------------------------------------------------------------------ */

/* what comgr says in two calls: how much, and what */
#define COPY(size, function, ...) ({						\
	char *copy_ = NULL;							\
										\
	if (function(__VA_ARGS__, size, NULL) || !(copy_ = calloc(1, *(size) + 1)) ||	\
	    function(__VA_ARGS__, size, copy_)) {				\
		free(copy_);							\
		copy_ = NULL;							\
	}									\
	copy_;									\
})

typedef bool data_fn(amd_comgr_data_kind_t kind, const char *name, size_t name_size,
		     const char *bytes, size_t size, void *arg);

static bool data_do(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind, size_t index,
		    data_fn *fn, void *arg)
{
	size_t name_size, size;
	amd_comgr_data_t data;
	char *name, *bytes;
	bool done;

	if (amd_comgr_action_data_get_data(set, kind, index, &data))
		return false;
	name = COPY(&name_size, amd_comgr_get_data_name, data);
	bytes = COPY(&size, amd_comgr_get_data, data);
	/* an empty log, which comgr makes and does not take, says nothing */
	done = name && bytes && (!size || fn(kind, name, name_size, bytes, size, arg));
	free(name);
	free(bytes);
	amd_comgr_release_data(data);
	return done;
}

static bool for_each_data(amd_comgr_data_set_t set, data_fn *fn, void *arg)
{
	unsigned int kind;
	size_t nr, i;

	for (kind = AMD_COMGR_DATA_KIND_UNDEF + 1; kind <= AMD_COMGR_DATA_KIND_LAST; kind++) {
		/* not each number is a kind */
		if (amd_comgr_action_data_count(set, kind, &nr))
			continue;
		for (i = 0; i < nr; i++)
			if (!data_do(set, kind, i, fn, arg))
				return false;
	}
	return true;
}

/* ---- what an action depends on --------------------------------------------- */

static bool hash_data(amd_comgr_data_kind_t kind, const char *name, size_t name_size,
		      const char *bytes, size_t size, void *arg)
{
	hash_word(arg, kind);
	hash_bytes(arg, name, name_size);
	hash_bytes(arg, bytes, size);
	return true;
}

static bool hash_text(struct hash *hash, char *text, size_t size)
{
	if (!text)
		return false;
	hash_bytes(hash, text, size);
	free(text);
	return true;
}

static bool hash_info(struct hash *hash, amd_comgr_action_info_t info)
{
	amd_comgr_language_t language;
	size_t nr, i, size;
	char *text;

	if (amd_comgr_action_info_get_language(info, &language) ||
	    amd_comgr_action_info_get_option_list_count(info, &nr))
		return false;
	hash_word(hash, language);
	hash_word(hash, nr);
	for (i = 0; i < nr; i++) {
		text = COPY(&size, amd_comgr_action_info_get_option_list_item, info, i);
		if (!hash_text(hash, text, size))
			return false;
	}
	text = COPY(&size, amd_comgr_action_info_get_isa_name, info);
	return hash_text(hash, text, size);
}

static bool action_path(char *path, amd_comgr_action_kind_t kind,
			amd_comgr_action_info_t info, amd_comgr_data_set_t input)
{
	struct hash hash = { { 0xcbf29ce484222325ULL, 0x84222325cbf29ce4ULL } };
	const char *dir = getenv("COMPILED");

	hash_word(&hash, kind);
	if (!dir || !hash_info(&hash, info) || !for_each_data(input, hash_data, &hash))
		return false;
	snprintf(path, PATH_MAX, "%s/%016llx%016llx", dir,
		 (unsigned long long)hash.value[0], (unsigned long long)hash.value[1]);
	return true;
}

/* ---- files ----------------------------------------------------------------- */

static bool data_write(amd_comgr_data_kind_t kind, const char *name, size_t name_size,
		       const char *bytes, size_t size, void *arg)
{
	struct item item = { .kind = kind, .name_size = name_size, .size = size };

	return fwrite(&item, sizeof(item), 1, arg) &&
	       fwrite(name, 1, name_size, arg) == name_size &&
	       fwrite(bytes, 1, size, arg) == size;
}

static void result_write(const char *path, amd_comgr_data_set_t result)
{
	char temporary[PATH_MAX + 16];
	bool done;
	FILE *f;

	snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
	f = fopen(temporary, "w");
	if (!f)
		return;
	done = for_each_data(result, data_write, f);
	if (!fclose(f) && done)
		rename(temporary, path);
	else
		unlink(temporary);
}

static bool data_add(amd_comgr_data_set_t result, const struct item *item, const char *name,
		     const char *bytes)
{
	amd_comgr_data_t data;
	bool done;

	if (amd_comgr_create_data(item->kind, &data))
		return false;
	done = !amd_comgr_set_data(data, item->size, bytes) &&
	       !amd_comgr_set_data_name(data, name) && !amd_comgr_data_set_add(result, data);
	amd_comgr_release_data(data);
	return done;
}

static bool data_read(amd_comgr_data_set_t result, const struct item *item, FILE *f)
{
	char *name = calloc(1, item->name_size + 1), *bytes = calloc(1, item->size + 1);
	bool done = name && bytes &&
		    fread(name, 1, item->name_size, f) == item->name_size &&
		    fread(bytes, 1, item->size, f) == item->size &&
		    data_add(result, item, name, bytes);

	free(name);
	free(bytes);
	return done;
}

/* what is there is whole */
static bool result_read(const char *path, amd_comgr_data_set_t result)
{
	FILE *f = fopen(path, "r");
	struct item item;

	if (!f)
		return false;
	while (fread(&item, sizeof(item), 1, f))
		if (!data_read(result, &item, f)) {
			fprintf(stderr, "compiled: %s: kind %u of %u bytes\n", path,
				(unsigned int)item.kind, (unsigned int)item.size);
			abort();
		}
	fclose(f);
	return true;
}

amd_comgr_status_t amd_comgr_do_action(amd_comgr_action_kind_t kind,
				       amd_comgr_action_info_t info,
				       amd_comgr_data_set_t input,
				       amd_comgr_data_set_t result)
{
	action_fn *compile = (action_fn *)dlsym(RTLD_NEXT, "amd_comgr_do_action");
	amd_comgr_status_t status;
	char path[PATH_MAX];
	bool known = action_path(path, kind, info, input);

	if (known && result_read(path, result))
		return AMD_COMGR_STATUS_SUCCESS;
	status = compile(kind, info, input, result);
	if (known && !status)
		result_write(path, result);
	return status;
}
