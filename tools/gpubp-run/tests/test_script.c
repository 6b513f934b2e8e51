// SPDX-License-Identifier: GPL-2.0
/*
 * Scripts: what is right, what is wrong and what is said about it.
 *
 * usage: test_script STENCIL.elf VADD.elf
 */
#include "mutate.h"
#include "script.h"

static struct grun_code *stencil, *vadd;

#define BUFS	"buf grid f32 64x64 iota; buf out f32 64x64, halo f32 64\n"

static const char *const right[] = {
	"",
	"\n;; # nothing\n;",
	BUFS "run stencil grid=80x64 wg=16x16 grid out 64 64\nsum halo",
	BUFS "run stencil times=3 wg=16x16 grid=64x64 grid[64] out 64 -1",
	BUFS "wait; wait 0.5; wait 3; sleep 0; sleep 1e-3",
	BUFS "fill grid random; fill grid[3] value 1.5; fill grid[0..9] file \"x y\"",
	BUFS "print grid; print halo[3..3]; check halo 0; check halo[0..2] 0 1 2",
	"buf a u8 0x10 at 0x7000000000 random 42; cpuwrite a[15] 255",
	"buf a i8 4 userptr value -128, b i64 4 value -9223372036854775808",
	"buf a u64 2x2x2; check a[7] 0xffffffffffffffff # comment ; not a statement",
	"buf buf u32 1; buf grid u32 1; print buf",
	"buf a i32 4; check a 0xffffffff",
	"buf a i32 4; unname a; name a b; unname a b",
};

static const struct {
	const char *script;
	const char *says;
} wrong[] = {
	{ "jump", "line 1, column 1: expected buf, run, wait, fill, print, sum, check, sleep, cpuwrite, name or unname, not 'jump'" },
	{ "buf", "line 1, column 4: expected the name of a buffer" },
	{ "buf a", "line 1, column 6: expected i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32 or f64" },
	{ "buf a f8 3", "line 1, column 7: expected i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32 or f64, not 'f8'" },
	{ "buf a f32", "line 1, column 10: expected a size such as 64 or 64x64" },
	{ "buf a f32 0", "line 1, column 11: expected a size such as 64 or 64x64, not '0'" },
	{ "buf a f32 64x", "line 1, column 11: '64x' is not a number or a size" },
	{ "buf a f32 64x0", "line 1, column 11: '64x0' is not a number or a size" },
	{ "buf a f64 65536x65536", "line 1, column 11: more than 1024 MiB" },
	{ "buf a f64 4294967295x4294967295x4294967295", "line 1, column 11: more than 1024 MiB" },
	{ "buf a u8 1000000000, b u8 1000000000", "line 1, column 27: more than 1024 MiB" },
	{ "buf a u8 4, b u8 4 userptr", "line 1, column 13: only the first buffer of a group can be 'at' or 'userptr'" },
	{ "buf a u8 4 value 256", "line 1, column 12: the number does not fit into u8" },
	{ "buf a u8 4 value -1", "line 1, column 12: the number does not fit into u8" },
	{ "buf a u8 4 value 1.5", "line 1, column 12: the number does not fit into u8" },
	{ "buf a u8 4\nbuf a u8 4", "line 2, column 5: a buffer a is declared already" },
	{ "buf a u8 4 file x", "line 1, column 17: expected a file name in double quotes, not 'x'" },
	{ "buf a u8 4 file \"x", "line 1, column 17: string without an end" },
	{ "buf a u8 4 iota 3", "line 1, column 17: expected the end of the statement, not '3'" },
	{ "print a", "line 1, column 7: no buffer a is declared up to here" },
	{ "print a\nbuf a u8 1", "line 1, column 7: no buffer a is declared up to here" },
	{ BUFS "print halo[64]", "line 2, column 7: halo has 64 elements: 64 is out of range" },
	{ BUFS "print halo[5..4]", "line 2, column 15: the last index is below the first" },
	{ BUFS "print halo[-1]", "line 2, column 12: expected an index, not '-1'" },
	{ BUFS "print halo[1", "line 2, column 13: expected ']'" },
	{ BUFS "print halo[1.5]", "line 2, column 12: expected an index, not '1.5'" },
	{ BUFS "cpuwrite halo 1", "line 2, column 10: expected one element, as halo[0]" },
	{ BUFS "cpuwrite halo[0..1] 1", "line 2, column 10: expected one element, as halo[0]" },
	{ BUFS "check halo", "line 2, column 11: expected a value" },
	{ BUFS "check halo[0..2] 1 2", "line 2, column 1: 3 elements to check but 2 values" },
	{ BUFS "fill halo", "line 2, column 10: expected zero, iota, random, value or file" },
	{ BUFS "sleep -1", "line 2, column 7: a time cannot be negative" },
	{ BUFS "sleep", "line 2, column 6: expected a number of seconds" },
	{ BUFS "sum halo $", "line 2, column 10: '$' has no meaning here" },
	{ BUFS "sum halo \x01", "line 2, column 10: character 0x01 has no meaning here" },
	{ BUFS "sleep 1e999999x", "line 2, column 7: '1e999999x' is not a number or a size" },
	{ BUFS "name halo", "line 2, column 10: expected a name" },
	{ BUFS "name halo[3] b", "line 2, column 6: a name is that of a whole buffer" },
	{ BUFS "name nothing b", "line 2, column 6: no buffer nothing is declared up to here" },
	{ BUFS "unname nothing", "line 2, column 8: no buffer nothing is declared up to here" },
	{ BUFS "unname halo b c", "line 2, column 15: expected the end of the statement, not 'c'" },
	{ BUFS "sleep 0b1", "line 2, column 7: '0b1' is not a number or a size" },
	{ BUFS "sleep 99999999999999999999999999999999999999999999999999999999999999999999", "line 2, column 7: number too long" },
	{ "buf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa u8 1", "line 1, column 5: a name of more than 63 characters" },
	{ BUFS "run blur grid out 64 64", "line 2, column 5: the code object has no kernel blur" },
	{ BUFS "run stencil wg=16x16 grid out 64", "line 2, column 5: kernel stencil takes 4 arguments, not 3" },
	{ BUFS "run stencil grid out 64 64", "line 2, column 5: kernel stencil demands workgroups of 16x16x1, not 64x1x1" },
	{ BUFS "run stencil wg=32x32 grid out 64 64", "line 2, column 5: kernel stencil takes workgroups of at most 256 work-items, not 1024" },
	{ BUFS "run stencil wg=2000 grid out 64 64", "line 2, column 5: a workgroup of more than 1024 work-items" },
	{ BUFS "run stencil wg=16x16 grid 5 64 64", "line 2, column 27: argument 2 (float* out) of stencil is a buffer, not a number" },
	{ BUFS "run stencil wg=16x16 grid out halo 64", "line 2, column 31: argument 3 (int w) of stencil is a number, not a buffer" },
	{ BUFS "run stencil wg=16x16 grid out 1.5 64", "line 2, column 31: argument 3 (int w) of stencil cannot hold this number" },
	{ BUFS "run stencil wg=16x16 grid out 0x100000000 64", "line 2, column 31: argument 3 (int w) of stencil cannot hold this number" },
	{ BUFS "run stencil wg=16x16 grid out 64 64 grid=0", "line 2, column 41: expected a buffer or a number, not '='" },
	{ BUFS "run stencil grid=0 grid", "line 2, column 18: expected a size such as 64 or 64x64, not '0'" },
	{ BUFS "run stencil grid[0..3]", "line 2, column 13: an argument is one address, not a range" },
};

#define NR_RIGHT	((int)(sizeof(right) / sizeof(right[0])))
#define NR_WRONG	((int)(sizeof(wrong) / sizeof(wrong[0])))

static int check(const char *text, size_t len, struct grun_err *err)
{
	struct script script;
	int ret = script_parse(&script, text, len, err);

	if (ret)
		return ret;
	ret = script_check(&script, stencil, err);
	script_free(&script);
	return ret;
}

static void test_right(int i)
{
	struct grun_err err = {};

	if (!tap_ok(!check(right[i], strlen(right[i]), &err), "right script %d", i))
		tap_note("%s", err.text);
}

static void test_wrong(int i)
{
	struct grun_err err = {};
	bool ok = check(wrong[i].script, strlen(wrong[i].script), &err) &&
		  !strcmp(err.text, wrong[i].says);

	if (!tap_ok(ok, "%s", wrong[i].says))
		tap_note("%s", err.text[0] ? err.text : "no error");
}

static bool try_script(const unsigned char *data, size_t size)
{
	struct grun_err err = {};

	if (!check((const char *)data, size, &err))
		return true;
	if (!err.text[0])
		abort();
	return false;
}

static void test_damaged(void)
{
	static const char *const whole =
		BUFS "run stencil grid=80x64 wg=16x16 times=2 grid[0] out 64 64\n"
		"wait 1.5; fill halo[0..63] random 7; print out[1..2]; sum halo\n"
		"check halo[0..1] 0x10 -2.5e3 # \"comment\"\n"
		"cpuwrite grid[5] 3; buf b u8 3x4 at 0x1000 file \"name\", c u8 1";
	const unsigned char *data = (const unsigned char *)whole;
	size_t n, size = strlen(whole);

	tap_ok(try_script(data, size), "a script with everything");
	n = mutate_truncate(try_script, data, size);
	tap_ok(n > 0 && n < size, "%zu of %zu truncations are scripts", n, size);
	n = mutate_random(try_script, data, size, 50000);
	tap_ok(n > 0 && n < 50000, "%zu of 50000 changed copies are scripts", n);
}

/* arrays grow; none may move under a pointer that is still used */
static void test_long(void)
{
	char *text = malloc(400000), *p = text;
	struct grun_err err;
	struct script script = {};
	int i;

	for (i = 0; i < 3000; i++)
		p += sprintf(p, "buf a%d u8 %d, b%d u16 3 value %d\n", i, i + 1, i, i);
	for (i = 0; i < 3000; i++)
		p += sprintf(p, "check b%d[0..2] %d 2 3;", i, i);
	tap_ok(!script_parse(&script, text, (size_t)(p - text), &err) &&
	       !script_check(&script, stencil, &err) && script.nr_stmts == 6000 &&
	       script.nr_decls == 6000 && script.nr_words == 9000 &&
	       script.decls[5999].pattern.value.num == 2999 &&
	       script.decls[5999].offset == 3000 && script.decls[5997].offset == 3000 &&
	       script.stmts[3001].range.decl == 3, "a long script");
	script_free(&script);
	free(text);
}

static void test_values(void)
{
	const struct grun_kernel *kernel = grun_code_find(vadd, "vadd");
	const struct grun_arg *n = grun_kernel_param(kernel, 3);
	struct number number = { .num = (uint64_t)-5, .negative = true, .real = -5 };
	struct grun_arg unnamed = { .size = 4 };
	union grun_value value;
	float f;

	tap_ok(script_value(n, &number, &value) &&
	       !memcmp(value.bytes, "\xfb\xff\xff\xff\0\0\0\0", 8), "an int argument");
	number.is_float = true;
	number.real = 0.5;
	tap_ok(!script_value(n, &number, &value), "no float for an int");
	tap_ok(script_value(&unnamed, &number, &value) &&
	       (memcpy(&f, value.bytes, 4), f == 0.5f), "a float if the type is unknown");
	unnamed.size = 16;
	tap_ok(!script_value(&unnamed, &number, &value), "no number for a structure");
}

int main(int argc, char **argv)
{
	struct grun_err err;
	int i;

	tap_plan(NR_RIGHT + NR_WRONG + 3 + 1 + 4);
	if (argc != 3 || grun_code_open(&stencil, argv[1], &err) ||
	    grun_code_open(&vadd, argv[2], &err)) {
		printf("Bail out! no code objects\n");
		return 1;
	}
	for (i = 0; i < NR_RIGHT; i++)
		test_right(i);
	for (i = 0; i < NR_WRONG; i++)
		test_wrong(i);
	test_damaged();
	test_long();
	test_values();
	grun_code_free(stencil);
	grun_code_free(vadd);
	return tap_status();
}
