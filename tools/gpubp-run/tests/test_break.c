// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks and exceptions in words, and files of watches; each sentence that
 * refuses one.
 *
 * usage: test_break STENCIL.elf VADD.elf DIRECTORY
 */
#include <errno.h>
#include <unistd.h>
#include "gpubp_expr.h"
#include "mutate.h"

#define ARRAY_SIZE(a)	((int)(sizeof(a) / sizeof((a)[0])))
#define LONG	"a_file_whose_name_is_longer_than_a_name_can_be_that_is_published.elf"
#define SOURCE	"stencil.cl:17"	/* where the kernel begins */

static struct gexpr_code codes[2] = { { NULL, "st.elf" }, { NULL, "vadd.elf" } };
static uint64_t start;	/* of the kernel stencil */
static char path[256];

/* what is at a multiple of 4 from the start of the kernel */
static const struct {
	const char *text;
	bool by_code;
	uint64_t offset;
	const char *label;
} right[] = {
	{ "stencil", true, 0, "stencil" },
	{ "stencil+0x4c", true, 0x4c, "stencil.0x4c" },
	{ "stencil+8", true, 8, "stencil.8" },
	{ SOURCE, true, 0, "stencil.cl.17" },
	{ "gpu/" SOURCE, true, 0, "gpu.stencil.cl.17" },
	{ "./" SOURCE, true, 0, "..stencil.cl.17" },
	{ "0x7f2a40001200", false, 0x7f2a40001200, "at.0x7f2a40001200" },
	{ "64", false, 64, "at.64" },
};

static const struct {
	const char *text;
	int nr_codes;
	const char *says;
} wrong[] = {
	{ "", 2, "expected KERNEL+OFFSET, FILE:LINE or an address" },
	{ ":17", 2, "expected KERNEL+OFFSET, FILE:LINE or an address" },
	{ "stencil", 0, "no code object is given, in which stencil could be" },
	{ "blur", 1, "there is no kernel blur; there are: stencil" },
	{ "st.elf", 1, "there is no kernel st.elf; there are: stencil" },
	{ "stencil+", 1, "'' is not an offset" },
	{ "stencil+0x", 1, "'0x' is not an offset" },
	{ "stencil+-4", 1, "'-4' is not an offset" },
	{ "stencil+18446744073709551616", 1, "'18446744073709551616' is not an offset" },
	{ "0x7f2a40001201", 0, "no instruction is at 0x7f2a40001201, which is no multiple of 4" },
	{ "stencil.cl:0", 1, "'0' is not a line" },
	{ "stencil.cl:4294967313", 1, "'4294967313' is not a line" },
	{ "tencil.cl:17", 1, "no code object has code of a file tencil.cl" },
	{ "stencil.cl:3000", 1, "no code is of line 3000 of stencil.cl, or of one behind it" },
	{ "stencil.cl:16", 1, "no code is of line 16 of stencil.cl; the next line that has some is 17" },
};

static const struct {
	const char *text;
	const char *event;
} exceptions[] = {
	{ "mem_viol", "gpubp/exc_mem_viol,name=mem_viol/" },
	{ "fp", "gpubp/exc_fp,name=fp/" },
	{ "mem_viol,fp_div0", "gpubp/kind=0,code=0x21,period=1,name=mem_viol.fp_div0/" },
	{ "fp,fp_inexact", "gpubp/exc_fp,name=fp.fp_inexact/" },
	{ "all", "gpubp/kind=0,code=0x0,period=1,name=all/" },
};

static const char classes[] = "there are: mem_viol, illegal_inst, int_div0, fp, "
	"fp_invalid, fp_denormal, fp_div0, fp_overflow, fp_underflow, "
	"fp_inexact, wave_start, wave_end, all";

static const struct gexpr_buffer list[] = {
	{ "grid", 0x200000000, 16384, "f32" },
	{ "lut", 0, 64, NULL },
};
static const struct gexpr_buffers known = { list, 2 };

static const struct {
	const char *content;
	bool known;
	const char *says;
} wrong_files[] = {
	{ "", false, "0: no watch is in it" },
	{ "# nothing\n\n", false, "2: no watch is in it" },
	{ "0x1000/4\ngrid[3]\n", false, "2: the address of grid is not known" },
	{ "grid[3]\nlut[3]\n", true, "2: the address of lut is not known" },
	{ "\n\n0x1000/4:x", false, "3: column 10: expected a mode of the letters r (load), w (store), a (atomic), or changed, meter, possible, lost, process, exact, not 'x'" },
	{ "0x1000/4:w:meter", false, "1: a member of a watch set has a mode, and no options" },
	{ "0x1000/4; 0x2000/4", false, "1: column 9: expected the end of the watch" },
	{ "tab[3]", true, "1: there is no buffer tab; there are: grid, lut" },
};

static void test_right(int i)
{
	uint64_t want = right[i].offset + (right[i].by_code ? start : 0);
	struct gexpr *e = NULL;
	struct grun_err err = {};
	size_t nr = 0;
	int ret = gexpr_breaks(&e, &nr, right[i].text, codes, 2, &err);
	bool ok = !ret && nr == 1 && e->kind == GPUBP_KIND_BREAK &&
		  e->addr == want && !strcmp(e->label, right[i].label) &&
		  !strcmp(e->name, right[i].by_code ? "st.elf" : "") &&
		  e->code == (right[i].by_code ? gpubp_name_hash("st.elf") : 0);

	if (!tap_ok(ok, "break %s", right[i].text))
		tap_note("%zu; 0x%llx; %s; %s", nr, e ? (unsigned long long)e->addr : 0,
			 e ? e->label : "none", err.text);
	free(e);
}

static bool refused(const char *text, int nr_codes, const char *says)
{
	struct grun_err err = {};
	struct gexpr *e;
	size_t nr;
	bool ok = gexpr_breaks(&e, &nr, text, codes, nr_codes, &err) == -EINVAL &&
		  !strcmp(err.text, says);

	if (!tap_ok(ok, "break '%s' is refused", text))
		tap_note("%s, not %s", err.text, says);
	return ok;
}

static void test_outside(void)
{
	char text[64], says[128];

	snprintf(text, sizeof(text), "st.elf+%llu", (unsigned long long)start + 1);
	snprintf(says, sizeof(says), "no instruction is at 0x%llx, which is no multiple of 4",
		 (unsigned long long)start + 1);
	refused(text, 1, says);
	codes[0].name = LONG;
	refused("stencil", 1, "the code object's name " LONG "... has more than 63 characters");
	codes[0].name = "st.elf";
}

/* a break of each of the lines 17 to 29 is an instruction of the kernel */
static void test_lines(void)
{
	size_t nr, all = 0, bad = 0;
	struct grun_err err;
	struct gexpr *e;
	char text[32];
	int line;

	for (line = 17; line < 30; line++) {
		snprintf(text, sizeof(text), "stencil.cl:%d", line);
		if (gexpr_breaks(&e, &nr, text, codes, 2, &err))
			continue;
		all += nr;
		while (nr--)
			bad += e[nr].addr < start || e[nr].addr % 4;
		free(e);
	}
	tap_ok(all > 5 && !bad, "%zu instructions begin lines", all);
}

static void test_exceptions(void)
{
	char got[GEXPR_EVENT_MAX], says[256];
	struct grun_err err = {};
	struct gexpr e;
	int i;

	for (i = 0; i < ARRAY_SIZE(exceptions); i++) {
		got[0] = 0;
		if (!gexpr_exception(&e, exceptions[i].text, &err))
			gexpr_event(&e, got, sizeof(got));
		if (!tap_ok(!strcmp(got, exceptions[i].event), "%s", exceptions[i].text))
			tap_note("%s; %s", got, err.text);
	}
	snprintf(says, sizeof(says), "no class 'f'; %s", classes);
	tap_ok(gexpr_exception(&e, "fp,f", &err) == -EINVAL &&
	       !strcmp(err.text, says), "an unknown class: %s", err.text);
	snprintf(says, sizeof(says), "no class ''; %s", classes);
	tap_ok(gexpr_exception(&e, "", &err) == -EINVAL &&
	       !strcmp(err.text, says), "no class: %s", err.text);
}

static void put_file(const char *content)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(content, file) < 0 || fclose(file))
		tap_note("%s cannot be written", path);
}

static void test_file(void)
{
	struct gexpr *e = NULL;
	struct grun_err err = {};
	size_t nr = 0;

	put_file("# two\n0x1000/4:r\r\n\n  grid[1..2]:a # and a half\n");
	tap_ok(!gexpr_watches(&e, &nr, path, &known, &err) && nr == 2 &&
	       e[0].addr == 0x1000 && e[0].len == 4 && e[0].access == GPUBP_ACCESS_LOAD &&
	       e[1].addr == 0x200000004 && e[1].len == 8 && !e[1].code &&
	       e[1].access == GPUBP_ACCESS_ATOMIC, "a file of watches: %s", err.text);
	free(e);
}

static void test_wrong_file(int i)
{
	struct grun_err err = {};
	char says[256];
	struct gexpr *e;
	size_t nr;

	put_file(wrong_files[i].content);
	snprintf(says, sizeof(says), "%.80s:%s", path, wrong_files[i].says);
	if (!tap_ok(gexpr_watches(&e, &nr, path, wrong_files[i].known ? &known : NULL,
				  &err) == -EINVAL && !strcmp(err.text, says),
		    "a wrong file: %s", wrong_files[i].says))
		tap_note("%s", err.text);
}

static void test_many(void)
{
	FILE *file = fopen(path, "we");
	struct grun_err err = {};
	struct gexpr *e = NULL;
	size_t nr = 0;
	int i;

	for (i = 0; file && i < 100000; i++)
		fprintf(file, "0x%x/4:w\n", 4 * i);
	if (file)
		fclose(file);
	tap_ok(!gexpr_watches(&e, &nr, path, NULL, &err) && nr == 100000 &&
	       e[99999].addr == 4 * 99999, "a file of 100000 watches: %s", err.text);
	free(e);
	unlink(path);
	tap_ok(gexpr_watches(&e, &nr, path, NULL, &err) == -ENOENT && !e && !nr,
	       "no file: %s", err.text);
}

static bool try_break(const unsigned char *data, size_t size)
{
	char text[64], event[GEXPR_EVENT_MAX];
	struct grun_err err;
	struct gexpr *e;
	size_t nr;

	memcpy(text, data, size);
	text[size] = 0;
	if (gexpr_breaks(&e, &nr, text, codes, 2, &err))
		return false;
	gexpr_event(e, event, sizeof(event));
	free(e);
	return event[strlen(event) - 1] == '/';
}

static void test_damaged(const char *whole)
{
	size_t n = mutate_random(try_break, (const unsigned char *)whole,
				 strlen(whole), 2000);

	tap_ok(n > 0 && n < 2000, "%zu of 2000 changed breaks %s are right", n, whole);
}

static bool open_code(int i, const char *file)
{
	struct grun_err err = {};
	struct grun_code *code;

	if (!tap_ok(!grun_code_open(&code, file, &err), "%s: %s", file, err.text))
		return false;
	codes[i].code = code;
	return true;
}

int main(int argc, char **argv)
{
	int i;

	tap_plan(2 + ARRAY_SIZE(right) + ARRAY_SIZE(wrong) + 2 + 1 +
		 ARRAY_SIZE(exceptions) + 2 + 1 + ARRAY_SIZE(wrong_files) + 2 + 2 + 1);
	if (argc != 4 || !open_code(0, argv[1]) || !open_code(1, argv[2]))
		return 1;
	snprintf(path, sizeof(path), "%s/watches", argv[3]);
	grun_code_symbol(codes[0].code, "stencil", &start);
	for (i = 0; i < ARRAY_SIZE(right); i++)
		test_right(i);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		refused(wrong[i].text, wrong[i].nr_codes, wrong[i].says);
	test_outside();
	test_lines();
	test_exceptions();
	test_file();
	for (i = 0; i < ARRAY_SIZE(wrong_files); i++)
		test_wrong_file(i);
	test_many();
	test_damaged("stencil+0x4c");
	test_damaged(SOURCE);
	tap_ok(!strcmp(gexpr_code_name("a/b.elf"), "b.elf") &&
	       !strcmp(gexpr_code_name("b.elf"), "b.elf"), "names of code objects");
	for (i = 0; i < 2; i++)
		grun_code_free((struct grun_code *)codes[i].code);
	return tap_status();
}
