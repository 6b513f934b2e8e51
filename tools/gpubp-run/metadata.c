// SPDX-License-Identifier: GPL-2.0
/*
 * The kernels of a code object, as LLVM's "User Guide for AMDGPU Backend"
 * describes them (code object V3 and later).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "metadata.h"
#include "msgpack.h"

/*
 * A handler gets the key of a map entry with the reader in front of the entry's
 * value, all of which it must read. -ENOEXEC: malformed; any other error has
 * its own sentence.
 */
typedef int (*map_fn)(struct msgpack *mp, const struct msgpack_value *key,
		      void *data, struct grun_err *err);

static int meta_bad(struct grun_err *err, const char *what)
{
	return grun_fail(err, -ENOEXEC, "kernel metadata: %s", what);
}

static int meta_skip(struct msgpack *mp, struct grun_err *err)
{
	return msgpack_skip(mp) ? 0 : meta_bad(err, "truncated");
}

static int meta_map(struct msgpack *mp, map_fn fn, void *data,
		    struct grun_err *err)
{
	struct msgpack_value map, key;
	uint32_t i;
	int ret;

	if (!msgpack_next(mp, &map) || map.type != MSGPACK_MAP)
		return meta_bad(err, "a map is missing");
	for (i = 0; i < map.len; i++) {
		if (!msgpack_next(mp, &key))
			return meta_bad(err, "truncated");
		if (key.type != MSGPACK_STR)
			return meta_bad(err, "a key is not a string");
		ret = fn(mp, &key, data, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int meta_array(struct msgpack *mp, uint32_t max, uint32_t *len,
		      struct grun_err *err)
{
	struct msgpack_value array;

	if (!msgpack_next(mp, &array) || array.type != MSGPACK_ARRAY)
		return meta_bad(err, "an array is missing");
	if (array.len > max)
		return grun_fail(err, -ENOEXEC,
				 "kernel metadata: %u entries, at most %u are supported",
				 array.len, max);
	*len = array.len;
	return 0;
}

static int meta_string(struct msgpack *mp, char *out, size_t size,
		       struct grun_err *err)
{
	struct msgpack_value value;

	if (!msgpack_next(mp, &value) || value.type != MSGPACK_STR)
		return meta_bad(err, "a string is missing");
	if (value.len >= size || memchr(value.str, 0, value.len))
		return meta_bad(err, "a name is too long");
	memcpy(out, value.str, value.len);
	out[value.len] = 0;
	return 0;
}

/* what is only shown to people may be cut */
static int meta_text(struct msgpack *mp, char *out, size_t size,
		     struct grun_err *err)
{
	struct msgpack_value value;

	if (!msgpack_next(mp, &value) || value.type != MSGPACK_STR)
		return meta_bad(err, "a string is missing");
	if (value.len >= size)
		value.len = (uint32_t)size - 1;
	memcpy(out, value.str, value.len);
	out[value.len] = 0;
	return 0;
}

static int meta_bool(struct msgpack *mp, bool *out, struct grun_err *err)
{
	struct msgpack_value value;

	if (!msgpack_next(mp, &value) || value.type != MSGPACK_BOOL)
		return meta_bad(err, "a truth value is missing");
	*out = value.num;
	return 0;
}

static int meta_u32(struct msgpack *mp, uint32_t *out, struct grun_err *err)
{
	struct msgpack_value value;

	if (!msgpack_next(mp, &value) || value.type != MSGPACK_UINT ||
	    value.num > UINT32_MAX)
		return meta_bad(err, "a number is missing or too large");
	*out = (uint32_t)value.num;
	return 0;
}

static const struct {
	const char *name;
	enum grun_hidden hidden;
	unsigned int dim;
} hidden_kinds[] = {
	{ "hidden_block_count_x", GRUN_HIDDEN_BLOCK_COUNT, 0 },
	{ "hidden_block_count_y", GRUN_HIDDEN_BLOCK_COUNT, 1 },
	{ "hidden_block_count_z", GRUN_HIDDEN_BLOCK_COUNT, 2 },
	{ "hidden_group_size_x", GRUN_HIDDEN_GROUP_SIZE, 0 },
	{ "hidden_group_size_y", GRUN_HIDDEN_GROUP_SIZE, 1 },
	{ "hidden_group_size_z", GRUN_HIDDEN_GROUP_SIZE, 2 },
	{ "hidden_remainder_x", GRUN_HIDDEN_REMAINDER, 0 },
	{ "hidden_remainder_y", GRUN_HIDDEN_REMAINDER, 1 },
	{ "hidden_remainder_z", GRUN_HIDDEN_REMAINDER, 2 },
	{ "hidden_grid_dims", GRUN_HIDDEN_GRID_DIMS, 0 },
};

static void meta_hidden(struct grun_arg *arg, const char *name)
{
	size_t i;

	arg->kind = GRUN_ARG_HIDDEN;
	for (i = 0; i < sizeof(hidden_kinds) / sizeof(hidden_kinds[0]); i++) {
		if (strcmp(name, hidden_kinds[i].name))
			continue;
		arg->hidden = hidden_kinds[i].hidden;
		arg->dim = hidden_kinds[i].dim;
	}
}

static int meta_value_kind(struct msgpack *mp, struct grun_arg *arg,
			   struct grun_err *err)
{
	char kind[64];
	int ret = meta_string(mp, kind, sizeof(kind), err);

	if (ret)
		return ret;
	if (!strncmp(kind, "hidden_", 7))
		meta_hidden(arg, kind);
	else if (!strcmp(kind, "by_value"))
		arg->kind = GRUN_ARG_VALUE;
	else if (!strcmp(kind, "global_buffer"))
		arg->kind = GRUN_ARG_POINTER;
	else
		arg->kind = GRUN_ARG_OTHER;
	return 0;
}

/* of HIP, which has no .is_const: what the compiler has found, of const __restrict__ */
static int meta_access(struct msgpack *mp, struct grun_arg *arg, struct grun_err *err)
{
	char access[32];
	int ret = meta_string(mp, access, sizeof(access), err);

	if (!ret && !strcmp(access, "read_only"))
		arg->is_const = true;
	return ret;
}

static int meta_arg_entry(struct msgpack *mp, const struct msgpack_value *key,
			  void *data, struct grun_err *err)
{
	struct grun_arg *arg = data;

	if (msgpack_is(key, ".name"))
		return meta_text(mp, arg->name, sizeof(arg->name), err);
	if (msgpack_is(key, ".is_const"))
		return meta_bool(mp, &arg->is_const, err);
	if (msgpack_is(key, ".access") || msgpack_is(key, ".actual_access"))
		return meta_access(mp, arg, err);
	if (msgpack_is(key, ".type_name"))
		return meta_text(mp, arg->type, sizeof(arg->type), err);
	if (msgpack_is(key, ".offset"))
		return meta_u32(mp, &arg->offset, err);
	if (msgpack_is(key, ".size"))
		return meta_u32(mp, &arg->size, err);
	if (msgpack_is(key, ".value_kind"))
		return meta_value_kind(mp, arg, err);
	return meta_skip(mp, err);
}

static int meta_args(struct msgpack *mp, struct grun_kernel *kernel,
		     struct grun_err *err)
{
	uint32_t i, nr;
	int ret;

	ret = meta_array(mp, GRUN_MAX_ARGS, &nr, err);
	kernel->nr_args = 0;
	for (i = 0; !ret && i < nr; i++) {
		memset(&kernel->args[i], 0, sizeof(kernel->args[i]));
		ret = meta_map(mp, meta_arg_entry, &kernel->args[i], err);
		kernel->nr_args++;
	}
	return ret;
}

static int meta_required(struct msgpack *mp, uint32_t *dims,
			 struct grun_err *err)
{
	uint32_t i, nr;
	int ret;

	ret = meta_array(mp, 3, &nr, err);
	for (i = 0; !ret && i < nr; i++)
		ret = meta_u32(mp, &dims[i], err);
	if (!ret && (nr != 3 || !dims[0] || !dims[1] || !dims[2]))
		return meta_bad(err, "a workgroup size is not three numbers");
	return ret;
}

/**
 * struct meta_kernel - a kernel that is being read
 * @kernel: it
 * @is_left_out: its name is too long: those of templates may have thousands of bytes
 */
struct meta_kernel {
	struct grun_kernel *kernel;
	bool is_left_out;
};

static int meta_kernel_name(struct msgpack *mp, struct meta_kernel *to,
			    char out[GRUN_KERNEL_NAME], struct grun_err *err)
{
	struct msgpack peek = *mp;
	struct msgpack_value value;

	if (!msgpack_next(&peek, &value) || value.type != MSGPACK_STR ||
	    value.len < GRUN_KERNEL_NAME)
		return meta_string(mp, out, GRUN_KERNEL_NAME, err);
	to->is_left_out = true;
	*mp = peek;
	return 0;
}

static int meta_kernel_entry(struct msgpack *mp,
			     const struct msgpack_value *key, void *data,
			     struct grun_err *err)
{
	struct meta_kernel *to = data;
	struct grun_kernel *kernel = to->kernel;

	if (msgpack_is(key, ".name"))
		return meta_kernel_name(mp, to, kernel->name, err);
	if (msgpack_is(key, ".symbol"))
		return meta_kernel_name(mp, to, kernel->symbol, err);
	if (msgpack_is(key, ".kernarg_segment_size"))
		return meta_u32(mp, &kernel->kernarg_size, err);
	if (msgpack_is(key, ".group_segment_fixed_size"))
		return meta_u32(mp, &kernel->group_size, err);
	if (msgpack_is(key, ".private_segment_fixed_size"))
		return meta_u32(mp, &kernel->private_size, err);
	if (msgpack_is(key, ".max_flat_workgroup_size"))
		return meta_u32(mp, &kernel->max_workgroup, err);
	if (msgpack_is(key, ".reqd_workgroup_size"))
		return meta_required(mp, kernel->required, err);
	if (msgpack_is(key, ".args"))
		return meta_args(mp, kernel, err);
	return meta_skip(mp, err);
}

static int meta_check_arg(const struct grun_kernel *kernel,
			  struct grun_arg *arg, struct grun_err *err)
{
	union grun_value *value;

	if (arg->offset > kernel->kernarg_size ||
	    arg->size > kernel->kernarg_size - arg->offset)
		return meta_bad(err, "an argument lies outside of its block");
	if (arg->kind == GRUN_ARG_POINTER && arg->size != sizeof(value->va))
		return meta_bad(err, "a pointer is not of 8 bytes");
	if (arg->kind == GRUN_ARG_VALUE && !arg->size)
		return meta_bad(err, "a value is empty");
	/* a struct of a HIP program may have any size */
	if (arg->kind == GRUN_ARG_VALUE && arg->size > sizeof(value->bytes))
		arg->kind = GRUN_ARG_OTHER;
	return 0;
}

static int meta_check(struct grun_kernel *kernel, struct grun_err *err)
{
	unsigned int i;
	int ret = 0;

	if (!kernel->name[0] || !kernel->symbol[0])
		return meta_bad(err, "a kernel without a name");
	if (kernel->kernarg_size > 4096)
		return meta_bad(err, "an argument block of more than 4096 bytes");
	for (i = 0; i < kernel->nr_args && !ret; i++)
		ret = meta_check_arg(kernel, &kernel->args[i], err);
	return ret;
}

struct meta_root {
	struct grun_kernel *kernels;
	uint32_t nr;
};

static int meta_kernel(struct msgpack *mp, struct meta_root *root, struct grun_err *err)
{
	struct meta_kernel to = { .kernel = &root->kernels[root->nr] };
	int ret;

	memset(to.kernel, 0, sizeof(*to.kernel));
	ret = meta_map(mp, meta_kernel_entry, &to, err);
	if (ret || to.is_left_out)
		return ret;
	root->nr++;
	return meta_check(to.kernel, err);
}

static int meta_kernels(struct msgpack *mp, struct meta_root *root,
			struct grun_err *err)
{
	uint32_t i, nr;
	int ret;

	if (root->kernels)
		return meta_bad(err, "two lists of kernels");
	ret = meta_array(mp, GRUN_MAX_KERNELS, &nr, err);
	if (ret || !nr)
		return ret;
	root->kernels = calloc(nr, sizeof(*root->kernels));
	if (!root->kernels)
		return grun_fail(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr && !ret; i++)
		ret = meta_kernel(mp, root, err);
	return ret;
}

static int meta_root_entry(struct msgpack *mp, const struct msgpack_value *key,
			   void *data, struct grun_err *err)
{
	if (msgpack_is(key, "amdhsa.kernels"))
		return meta_kernels(mp, data, err);
	return meta_skip(mp, err);
}

int grun_metadata_parse(const void *meta, size_t size,
			struct grun_kernel **kernels, unsigned int *nr,
			struct grun_err *err)
{
	struct msgpack mp = { meta, (const unsigned char *)meta + size };
	struct meta_root root = {};
	int ret = meta_map(&mp, meta_root_entry, &root, err);

	if (!ret && !root.kernels)
		ret = meta_bad(err, "no kernel");
	if (ret) {
		free(root.kernels);
		return ret;
	}
	*kernels = root.kernels;
	*nr = root.nr;
	return 0;
}
