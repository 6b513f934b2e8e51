// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels of tests/host/corpus with a break on each of their instructions: the
 * results do not change, and each executed instruction is counted.
 *
 * Breaks are opened for every dword of the kernel, as many at a time as
 * possible; those in the middle of an instruction are not served.
 *
 * environment:
 *	GPUBP_DIFFERENTIAL	run all kernels that execute no more than so many
 * 			instructions, with -O0, too; default: a few
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "kselftest.h"
#include "books.h"
#include "corpus_gpu.h"
#include "event.h"
#include "session.h"

#define PATIENCE	3000	/* s */
#define MAX_SLOTS	1024

static const char * const chosen[] = { "dpp_reduce", "permutes", "waterfall" };

#define NR_CHOSEN	(sizeof(chosen) / sizeof(*chosen))

static struct corpus_gpu setup;
static int session, fds[MAX_SLOTS];

/* ---- code addresses ------------------------------------------------------ */

static void *read_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *image = NULL;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	image = malloc(st.st_size);
	if (read(fd, image, st.st_size) != st.st_size)
		image = NULL;
	close(fd);
	return image;
}

static const Elf64_Shdr *symbol_table(const char *image)
{
	const Elf64_Ehdr *e = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + e->e_shoff);
	int i;

	for (i = 0; i < e->e_shnum; i++)
		if (s[i].sh_type == SHT_SYMTAB)
			return &s[i];
	return NULL;
}

static bool is_kernel(const struct corpus_gpu *s, const char *name)
{
	return grun_code_find(s->gpu.code, name) != NULL;
}

/**
 * struct range - addresses
 * @from: first
 * @size: bytes
 */
struct range {
	uint64_t from;
	uint64_t size;
};

#define MAX_RANGES	16

/* the kernel, and the functions in its file, which it may call; returns how many */
static int find_code(const struct corpus_gpu *s, const char *image,
		     struct range *ranges)
{
	const Elf64_Ehdr *e = (const void *)image;
	const Elf64_Shdr *all = (const void *)(image + e->e_shoff);
	const Elf64_Shdr *table = symbol_table(image);
	const Elf64_Sym *sym = (const void *)(image + table->sh_offset);
	const char *names = image + all[table->sh_link].sh_offset;
	int i, n = 0;

	for (i = 0; i < table->sh_size / sizeof(*sym); i++) {
		const char *name = names + sym[i].st_name;

		if (ELF64_ST_TYPE(sym[i].st_info) != STT_FUNC ||
		    n == MAX_RANGES ||
		    (is_kernel(s, name) && strcmp(name, s->k->name)))
			continue;
		ranges[n].from = grun_code_va(s->gpu.code) + sym[i].st_value;
		ranges[n++].size = sym[i].st_size;
	}
	return n;
}

/* ---- breaks -------------------------------------------------------------- */

/* wait until each is armed or refused; returns how many are armed, or an errno */
static int wait_armed(int nr)
{
	struct gpubp_sync sync;
	int i, err, armed = 0;

	for (i = 0; i < nr; i++) {
		err = session_sync(session, fds[i], PATIENCE, &sync);
		if (err)
			return err;
		if (sync.nr_armed + sync.nr_unserved != 1)
			return -EPROTO;
		armed += sync.nr_armed;
	}
	return armed;
}

/* run with these breaks; false: a result differs */
static bool run_with(struct corpus_gpu *s, int nr, int64_t *counted,
		     int *armed)
{
	bool ok;
	int i, n = wait_armed(nr);

	if (n < 0)
		ksft_print_msg("sync: %d\n", n);
	ok = n >= 0 && corpus_run(s);
	for (i = 0; i < nr; i++) {
		*counted += event_count(fds[i]);
		close(fds[i]);
	}
	*armed += n;
	return ok;
}

static bool run_broken(struct corpus_gpu *s, const struct range *ranges,
		       int nr_ranges, int64_t *counted, int *armed)
{
	bool ok = true;
	int i, nr = 0;
	uint64_t at;

	for (i = 0; i < nr_ranges; i++)
		for (at = 0; at < ranges[i].size; at += 4) {
			fds[nr] = event_open_break(ranges[i].from + at, 0);
			if (fds[nr] < 0)
				return false;
			if (++nr < MAX_SLOTS)
				continue;
			ok &= run_with(s, nr, counted, armed);
			nr = 0;
		}
	return ok && (!nr || run_with(s, nr, counted, armed));
}

/* ---- kernels ------------------------------------------------------------- */

/* instructions that it executes without breaks; -1: wrong result */
static int64_t executes(struct corpus_gpu *s)
{
	int64_t before = books_device("instructions");

	return corpus_run(s) ? books_device("instructions") - before : -1;
}

/* with racing waves the number of instructions depends on their order */
static bool is_steady(struct corpus_gpu *s, int64_t *insts)
{
	int i;

	*insts = executes(s);
	for (i = 0; i < 2; i++)
		if (executes(s) != *insts)
			return false;
	return true;
}

static bool same_with_breaks(struct corpus_gpu *s, const char *image,
			     int64_t insts, bool steady)
{
	struct range ranges[MAX_RANGES];
	int armed = 0, n = find_code(s, image, ranges);
	int64_t counted = 0;
	bool ok = run_broken(s, ranges, n, &counted, &armed);

	ksft_print_msg("%d breaks, %lld of %lld instructions counted%s\n",
		       armed, (long long)counted, (long long)insts,
		       steady ? "" : ", which vary");
	return ok && armed && (counted == insts || !steady);
}

static void test_kernel(const struct corpus_kernel *k, const char *opt,
			long limit)
{
	char path[256];
	int64_t insts;
	bool steady;
	void *image;

	snprintf(path, sizeof(path), "/lib/gpubp/selftests/gpu/%s.%s.gfx90a.elf",
		 k->file, opt);
	image = read_file(path);
	if (!image || corpus_open(&setup, k, opt))
		ksft_exit_fail_msg("%s cannot be set up\n", k->name);
	steady = is_steady(&setup, &insts);
	if (limit && insts > limit)
		ksft_test_result_skip("%s, -%s: %lld instructions\n", k->name,
				      opt, (long long)insts);
	else
		ksft_test_result(insts > 0 &&
				 same_with_breaks(&setup, image, insts, steady),
				 "%s, -%s\n", k->name, opt);
	corpus_close(&setup);
	free(image);
}

/* its arguments are not laid out like those of the others */
static bool is_other(const struct corpus_kernel *k)
{
	return !strcmp(k->file, "args");
}

static void test_all(long limit)
{
	unsigned int n;

	ksft_set_plan(2 * (corpus_nr_kernels - 1));
	for (n = 0; n < corpus_nr_kernels; n++)
		if (!is_other(&corpus_kernels[n])) {
			test_kernel(&corpus_kernels[n], "O0", limit);
			test_kernel(&corpus_kernels[n], "O2", limit);
		}
}

static void test_chosen(void)
{
	unsigned int n, nr = debug_kernel() ? 1 : NR_CHOSEN;

	ksft_set_plan(nr);
	for (n = 0; n < nr; n++)
		test_kernel(corpus_find(chosen[n]), "O2", 0);
}

int main(void)
{
	struct rlimit files = { 2 * MAX_SLOTS, 2 * MAX_SLOTS };
	long slots = event_parameter("break_slots", MAX_SLOTS);
	const char *limit = getenv("GPUBP_DIFFERENTIAL");

	ksft_print_header();
	session = session_open();
	if (slots < 0 || session < 0 || setrlimit(RLIMIT_NOFILE, &files))
		ksft_exit_fail_msg("cannot begin\n");
	if (limit)
		test_all(atol(limit));
	else
		test_chosen();
	event_parameter("break_slots", slots);
	ksft_finished();
}
