// SPDX-License-Identifier: GPL-2.0
/*
 * MessagePack: each first byte, each truncation, random bytes; and the kernel
 * metadata of a code object in pieces.
 *
 * usage: test_msgpack STENCIL.elf
 */
#include <errno.h>

#include "elffile.h"
#include "metadata.h"
#include "msgpack.h"
#include "mutate.h"

static const struct {
	const char *what;
	unsigned char bytes[12];
	size_t size;
	enum msgpack_type type;
	uint64_t num;
	uint32_t len;
} values[] = {
	{ "positive fixint", { 0x7f }, 1, MSGPACK_UINT, 127, 0 },
	{ "fixmap", { 0x82 }, 1, MSGPACK_MAP, 0, 2 },
	{ "fixarray", { 0x9f }, 1, MSGPACK_ARRAY, 0, 15 },
	{ "fixstr", { 0xa2, 'a', 'b' }, 3, MSGPACK_STR, 0, 2 },
	{ "nil", { 0xc0 }, 1, MSGPACK_NIL, 0, 0 },
	{ "false", { 0xc2 }, 1, MSGPACK_BOOL, 0, 0 },
	{ "true", { 0xc3 }, 1, MSGPACK_BOOL, 1, 0 },
	{ "bin 8", { 0xc4, 1, 9 }, 3, MSGPACK_BIN, 0, 1 },
	{ "bin 16", { 0xc5, 0, 1, 9 }, 4, MSGPACK_BIN, 0, 1 },
	{ "bin 32", { 0xc6, 0, 0, 0, 1, 9 }, 6, MSGPACK_BIN, 0, 1 },
	{ "ext 8", { 0xc7, 1, 5, 9 }, 4, MSGPACK_BIN, 0, 2 },
	{ "ext 16", { 0xc8, 0, 1, 5, 9 }, 5, MSGPACK_BIN, 0, 2 },
	{ "ext 32", { 0xc9, 0, 0, 0, 1, 5, 9 }, 7, MSGPACK_BIN, 0, 2 },
	{ "float 32", { 0xca, 0x3f, 0x80, 0, 0 }, 5, MSGPACK_FLOAT, 0x3f800000, 0 },
	{ "float 64", { 0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0 }, 9, MSGPACK_FLOAT,
	  0x3ff0000000000000, 0 },
	{ "uint 8", { 0xcc, 0xff }, 2, MSGPACK_UINT, 255, 0 },
	{ "uint 16", { 0xcd, 0x12, 0x34 }, 3, MSGPACK_UINT, 0x1234, 0 },
	{ "uint 32", { 0xce, 0x12, 0x34, 0x56, 0x78 }, 5, MSGPACK_UINT, 0x12345678, 0 },
	{ "uint 64", { 0xcf, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, MSGPACK_UINT,
	  0x0102030405060708, 0 },
	{ "int 8", { 0xd0, 0xfe }, 2, MSGPACK_INT, (uint64_t)-2, 0 },
	{ "positive int 8", { 0xd0, 0x7e }, 2, MSGPACK_UINT, 126, 0 },
	{ "int 16", { 0xd1, 0xff, 0xfe }, 3, MSGPACK_INT, (uint64_t)-2, 0 },
	{ "int 32", { 0xd2, 0xff, 0xff, 0xff, 0xfe }, 5, MSGPACK_INT, (uint64_t)-2, 0 },
	{ "int 64", { 0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0 }, 9, MSGPACK_INT, 1ULL << 63, 0 },
	{ "fixext 1", { 0xd4, 5, 9 }, 3, MSGPACK_BIN, 0, 2 },
	{ "fixext 8", { 0xd7, 5, 1, 2, 3, 4, 5, 6, 7, 8 }, 10, MSGPACK_BIN, 0, 9 },
	{ "str 8", { 0xd9, 1, 'a' }, 3, MSGPACK_STR, 0, 1 },
	{ "str 16", { 0xda, 0, 1, 'a' }, 4, MSGPACK_STR, 0, 1 },
	{ "str 32", { 0xdb, 0, 0, 0, 1, 'a' }, 6, MSGPACK_STR, 0, 1 },
	{ "array 16", { 0xdc, 1, 2 }, 3, MSGPACK_ARRAY, 0, 0x102 },
	{ "array 32", { 0xdd, 1, 2, 3, 4 }, 5, MSGPACK_ARRAY, 0, 0x1020304 },
	{ "map 16", { 0xde, 1, 2 }, 3, MSGPACK_MAP, 0, 0x102 },
	{ "map 32", { 0xdf, 1, 2, 3, 4 }, 5, MSGPACK_MAP, 0, 0x1020304 },
	{ "negative fixint", { 0xe0 }, 1, MSGPACK_INT, (uint64_t)-32, 0 },
};

#define NR_VALUES	((int)(sizeof(values) / sizeof(values[0])))

static bool read_one(const unsigned char *data, size_t size)
{
	struct msgpack mp = { data, data + size };
	struct msgpack_value value;

	return msgpack_next(&mp, &value);
}

static bool skip_all(const unsigned char *data, size_t size)
{
	struct msgpack mp = { data, data + size };
	bool any = false;

	while (msgpack_skip(&mp))
		any = true;
	return any;
}

static void test_value(int i)
{
	const unsigned char *bytes = values[i].bytes;
	struct msgpack mp = { bytes, bytes + values[i].size };
	struct msgpack_value value;
	bool ok = msgpack_next(&mp, &value) && value.type == values[i].type &&
		  value.num == values[i].num && value.len == values[i].len &&
		  mp.pos == mp.end;

	tap_ok(ok && !mutate_truncate(read_one, bytes, values[i].size),
	       "%s, whole and truncated", values[i].what);
}

static void test_skip(void)
{
	/* { "a": [1, { "b": nil }], "c": 2 } 3 */
	static const unsigned char nested[] = {
		0x82, 0xa1, 'a', 0x92, 1, 0x81, 0xa1, 'b', 0xc0, 0xa1, 'c', 2, 3,
	};
	/* an array that claims 2^32 - 1 entries, and many such in one another */
	unsigned char huge[5 * 1000];
	struct msgpack mp = { nested, nested + sizeof(nested) };
	struct msgpack_value value;
	size_t i;

	tap_ok(msgpack_skip(&mp) && msgpack_next(&mp, &value) && value.num == 3 &&
	       !msgpack_next(&mp, &value), "skipping a nested map");
	for (i = 0; i < sizeof(huge); i++)
		huge[i] = i % 5 ? 0xff : 0xdd;
	tap_ok(!skip_all(huge, sizeof(huge)), "arrays that end too early, deeply nested");
}

static bool try_metadata(const unsigned char *data, size_t size)
{
	struct grun_kernel *kernels;
	struct grun_err err;
	unsigned int nr;

	if (grun_metadata_parse(data, size, &kernels, &nr, &err))
		return false;
	free(kernels);
	return true;
}

/* work-items are computed by dividing by it */
static bool understood_with_zero(unsigned char *meta, size_t size)
{
	static const char key[] = ".reqd_workgroup_size\x93";
	unsigned char *dims = memmem(meta, size, key, strlen(key)), old;
	bool understood;

	if (!dims)
		return true;
	dims += strlen(key);
	old = dims[1];
	dims[1] = 0;
	understood = try_metadata(meta, size);
	dims[1] = old;
	return understood;
}

/* 0, or why the first kernel cannot be launched */
static int launch_with(const unsigned char *meta, size_t size)
{
	struct grun_launch launch = { { 64, 1, 1 }, { 64, 1, 1 } };
	struct grun_kernel *kernels;
	struct grun_err err;
	unsigned int nr;
	int ret;

	if (grun_metadata_parse(meta, size, &kernels, &nr, &err))
		return -ENOEXEC;
	if (kernels->required[0])
		memcpy(launch.workgroup, kernels->required, sizeof(launch.workgroup));
	memcpy(launch.grid, launch.workgroup, sizeof(launch.grid));
	ret = grun_check_launch(kernels, &launch, &err);
	free(kernels);
	return ret;
}

/* as HIP's own kernels, which are in one code object with those that fill memory */
static bool image_is_refused_at_launch(unsigned char *meta, size_t size)
{
	static const char kind[] = "global_buffer", other[] = "image_or_such";
	unsigned char *at = memmem(meta, size, kind, strlen(kind));
	bool ok;

	if (!at || launch_with(meta, size))
		return false;
	memcpy(at, other, strlen(kind));
	ok = launch_with(meta, size) == -EINVAL;
	memcpy(at, kind, strlen(kind));
	return ok;
}

/* a kernel with one argument of 8 bytes more than a value of the library has */
static const unsigned char hip_struct[] =
	"\x81\xae" "amdhsa.kernels\x91\x84\xa5.name\xa1k\xa7.symbol\xa4k.kd"
	"\xb5.kernarg_segment_size\x50\xa5.args\x92"
	"\x83\xa7.offset\x00\xa5.size\x48\xab.value_kind\xa8" "by_value"
	"\x84\xa7.access\xa9read_only\xa7.offset\x48\xa5.size\x08"
	"\xab.value_kind\xad" "global_buffer";

/* two kernels, of which the first one has a name of that many bytes */
static size_t templates_write(unsigned char *meta, uint16_t len)
{
	static const char begin[] = "\x81\xae" "amdhsa.kernels\x92\x82\xa5.name\xda";
	static const char end[] = "\xa7.symbol\xa4t.kd\x82\xa5.name\xa1k\xa7.symbol\xa4k.kd";
	unsigned char *at = mempcpy(meta, begin, sizeof(begin) - 1);

	*at++ = (unsigned char)(len >> 8);
	*at++ = (unsigned char)len;
	memset(at, 't', len);
	at = mempcpy(at + len, end, sizeof(end) - 1);
	return (size_t)(at - meta);
}

static void test_templates(void)
{
	struct grun_kernel *kernels = NULL;
	unsigned char meta[8192];
	struct grun_err err;
	unsigned int nr = 0;

	tap_ok(!grun_metadata_parse(meta, templates_write(meta, 1023), &kernels, &nr, &err) &&
	       nr == 2 && strlen(kernels[0].name) == 1023, "a name of 1023 bytes");
	free(kernels);
	kernels = NULL;
	tap_ok(!grun_metadata_parse(meta, templates_write(meta, 4000), &kernels, &nr, &err) &&
	       nr == 1 && !strcmp(kernels[0].name, "k"), "without a kernel whose name has 4000");
	free(kernels);
}

static void test_hip(void)
{
	struct grun_kernel *kernels = NULL;
	struct grun_err err;
	unsigned int nr;

	tap_ok(!grun_metadata_parse(hip_struct, sizeof(hip_struct) - 1, &kernels, &nr, &err) &&
	       kernels->args[0].size == 72 && !kernels->args[0].is_const &&
	       launch_with(hip_struct, sizeof(hip_struct) - 1) == -EINVAL,
	       "with a large value it is, but the kernel is not launched");
	tap_ok(kernels && kernels->args[1].kind == GRUN_ARG_POINTER && kernels->args[1].is_const,
	       "what the compiler has found to be read only is const");
	free(kernels);
}

static void test_metadata(const char *path)
{
	unsigned char *image, *meta;
	struct grun_elf elf = {};
	struct grun_err err;
	size_t size, n;

	image = mutate_read(path, &size);
	if (!tap_ok(image && !grun_elf_parse(&elf, image, size, &err) && elf.meta,
		    "a code object has metadata"))
		return;
	meta = malloc(elf.meta_size);
	memcpy(meta, elf.meta, elf.meta_size);
	tap_ok(try_metadata(meta, elf.meta_size), "it is understood");
	tap_ok(!understood_with_zero(meta, elf.meta_size),
	       "it is not with a workgroup size of 0");
	tap_ok(image_is_refused_at_launch(meta, elf.meta_size),
	       "with an image it is, but the kernel is not launched");
	n = mutate_truncate(try_metadata, meta, elf.meta_size);
	tap_ok(!n, "none of %zu truncations is", elf.meta_size);
	n = mutate_random(try_metadata, meta, elf.meta_size, 50000);
	tap_ok(n > 0 && n < 50000, "%zu of 50000 changed copies are", n);
	free(meta);
	free(image);
}

static void test_random(void)
{
	unsigned long long seed = 99;
	unsigned char bytes[64];
	size_t i, n;

	for (n = 0; n < 100000; n++) {
		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)(tap_random(&seed) >> 16);
		skip_all(bytes, 1 + n % sizeof(bytes));
		try_metadata(bytes, 1 + n % sizeof(bytes));
	}
	tap_ok(true, "random bytes do no harm");
}

int main(int argc, char **argv)
{
	int i;

	tap_plan(NR_VALUES + 2 + 1 + 1 + 6 + 2 + 2);
	for (i = 0; i < NR_VALUES; i++)
		test_value(i);
	test_skip();
	tap_ok(!read_one((const unsigned char *)"\xc1", 1), "the byte that means nothing");
	test_random();
	test_hip();
	test_templates();
	test_metadata(argc > 1 ? argv[1] : "");
	return tap_status();
}
