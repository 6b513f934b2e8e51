// SPDX-License-Identifier: GPL-2.0
/*
 * usage: corpus DIR OPT CPU OBJDUMP [KERNEL]
 *
 * Run the kernels of DIR/FILE.OPT.CPU.elf in the wave interpreter and compare
 * all memory, guard zones included, with the references' results. If the
 * interpreter stops, OBJDUMP disassembles the instruction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../processor.h"
#include "../tap.h"
#include "../wave/machine.h"
#include "corpus_run.h"

#define CODE		0x200000000ull
#define KERNARG		0x200000000000ull
/* an address range that the address sanitizer does not use */
#define BUF_BASE	0x300000000000ull
#define PACKET		(KERNARG + 0x800)
#define BUF_STRIDE	0x10000000ull
#define GUARD		0x1000
#define WHOLE		(GUARD + BUF_SIZE + GUARD)
#define NR_BUFS		3

static const char *opt, *cpu, *objdump;
static char elf[4096];
/* the reference's memory is at the addresses of the GPU's memory */
static u8 *host[NR_BUFS], *gpu[NR_BUFS];

static u64 buf_va(unsigned int buf)
{
	return BUF_BASE + buf * BUF_STRIDE;
}

static bool map_host(void)
{
	unsigned int n;

	for (n = 0; n < NR_BUFS; n++) {
		void *want = (void *)(buf_va(n) - GUARD);

		host[n] = mmap(want, WHOLE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS |
			       MAP_FIXED_NOREPLACE, -1, 0);
		if (host[n] != want)
			return false;
	}
	return true;
}

/* each kernel has its own random numbers, independent of the other kernels */
static u64 seed_of(const char *name)
{
	u64 seed = 0xcbf29ce484222325ull;

	while (*name)
		seed = (seed ^ (u8)*name++) * 0x100000001b3ull;
	return seed;
}

static void fill_all(const struct corpus_kernel *k)
{
	const enum corpus_fill kind[NR_BUFS] = { k->a, k->b, k->o };
	u64 seed = seed_of(k->name);
	unsigned int n;

	for (n = 0; n < NR_BUFS; n++) {
		memset(host[n], 0xc5 + n, WHOLE);
		corpus_fill(kind[n], host[n] + GUARD, &seed);
		memcpy(gpu[n], host[n], WHOLE);
	}
}

static void disassemble(u64 at)
{
	char cmd[8192], line[256], last[256] = "";
	FILE *f;

	snprintf(cmd, sizeof(cmd), "%s -d --mcpu=%s --start-address=%#llx "
		 "--stop-address=%#llx %s 2>/dev/null", objdump, cpu,
		 (unsigned long long)at, (unsigned long long)at + 4, elf);
	f = popen(cmd, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (line[0] == '\t')
			strcpy(last, line);
	if (!pclose(f) && last[0]) {
		last[strcspn(last, "\n")] = 0;
		tap_note("%s", last + 1);
	}
}

static void tell_why(const struct sim_wave *w, const struct grid *g)
{
	u32 word[2] = {};
	u8 *at = machine_at(w->fatal_pc, sizeof(word));

	if (at)
		memcpy(word, at, sizeof(word));
	tap_note("%s at %#llx, words %08x %08x, address %#llx",
		 w->fatal_trapsts & TRAPSTS_ILLEGAL_INST ?
		 "instruction not known" : "stopped",
		 (unsigned long long)(w->fatal_pc - CODE), word[0], word[1],
		 (unsigned long long)w->fatal_addr);
	disassemble(w->fatal_pc - CODE);
}

static void put_args(const struct corpus_kernel *k)
{
	struct corpus_args args = corpus_args;

	args.a = buf_va(0);
	args.b = buf_va(1);
	args.o = buf_va(2);
	args.n = k->n;
	memcpy(machine_at(KERNARG, sizeof(args)), &args, sizeof(args));
}

/* the fields of an AQL packet that kernels read */
struct packet {
	u16 header, setup, workgroup[3], reserved;
	u32 grid[3], private_size, group_size;
	u64 object, kernarg;
};

static void put_packet(const struct corpus_kernel *k)
{
	struct packet p = {
		.setup = 3, .grid = { k->grid[0], k->grid[1], k->grid[2] },
		.workgroup = { k->wg[0], k->wg[1], k->wg[2] },
		.kernarg = KERNARG,
	};

	memcpy(machine_at(PACKET, sizeof(p)), &p, sizeof(p));
}

static bool run_gpu(const struct corpus_kernel *k)
{
	struct grid g = {
		.kernarg = KERNARG, .dispatch_ptr = PACKET, .fatal = tell_why,
		.arch = processor_named(cpu),
	};
	enum sim_stop stop;

	memcpy(g.size, k->grid, sizeof(g.size));
	memcpy(g.workgroup, k->wg, sizeof(g.workgroup));
	put_args(k);
	put_packet(k);
	stop = grid_run(&g, k->name);
	if (stop != SIM_STOP_ENDED)
		tap_note("the grid did not end: sim_stop %d", stop);
	return stop == SIM_STOP_ENDED;
}

/* maps floats to integers of the same order */
static s64 float_order(u32 bits)
{
	return bits >> 31 ? -(s64)(bits & 0x7fffffff) : bits;
}

static bool close_enough(u32 got, u32 want, u32 ulp)
{
	return llabs(float_order(got) - float_order(want)) <= ulp;
}

static unsigned int compare(unsigned int buf, u32 ulp)
{
	const u32 *want = (u32 *)host[buf], *got = (u32 *)gpu[buf];
	unsigned int n, bad = 0;

	for (n = 0; n < WHOLE / 4; n++) {
		if (got[n] == want[n] || close_enough(got[n], want[n], ulp))
			continue;
		if (!bad++)
			tap_note("%c[%#x]: %08x, should be %08x", "abo"[buf],
				 4 * n - GUARD, got[n], want[n]);
	}
	if (bad)
		tap_note("%u words of %c differ", bad, "abo"[buf]);
	return bad;
}

/* catches a reference and a kernel that both do nothing */
static bool reference(const struct corpus_kernel *k)
{
	corpus_native(k, host[0] + GUARD, host[1] + GUARD, host[2] + GUARD);
	if (memcmp(host[2], gpu[2], WHOLE))
		return true;
	tap_note("the reference wrote nothing");
	return false;
}

static bool one(const struct corpus_kernel *k)
{
	bool ended;
	unsigned int n;

	snprintf(elf, sizeof(elf), "%s.%s.%s.elf", k->file, opt, cpu);
	machine_reset();
	if (!elf_load(elf, CODE)) {
		tap_note("cannot load %s", elf);
		return false;
	}
	/* any instruction may have to be restarted */
	machine.delays = !getenv("DISPLACED");
	for (n = 0; n < NR_BUFS; n++)
		gpu[n] = machine_map(buf_va(n) - GUARD, WHOLE);
	machine_map(KERNARG, 0x1000);
	fill_all(k);
	ended = reference(k) && run_gpu(k);
	if (machine.delays && (!machine.nr_delayed || machine.nr_unasked)) {
		tap_note("%u times memory was not there, %u accesses did not ask for it",
			 machine.nr_delayed, machine.nr_unasked);
		return false;
	}
	return ended && !(compare(0, 0) + compare(1, 0) + compare(2, k->ulp));
}

/*
 * one kernel, or all of them without a name; returns the number, 0 if not found
 */
static unsigned int choose(const char *name, const struct corpus_kernel **k)
{
	unsigned int n;

	*k = corpus_kernels;
	if (!name)
		return corpus_nr_kernels;
	for (n = 0; n < corpus_nr_kernels; n++, ++*k)
		if (!strcmp((*k)->name, name))
			return 1;
	fprintf(stderr, "corpus: no kernel %s\n", name);
	return 0;
}

int main(int argc, char **argv)
{
	const struct corpus_kernel *k;
	unsigned int nr, n;

	if (argc < 5 || chdir(argv[1]) || !map_host()) {
		fprintf(stderr, "corpus: no arguments, or no memory\n");
		return 2;
	}
	opt = argv[2];
	cpu = argv[3];
	objdump = argv[4];
	nr = choose(argc > 5 ? argv[5] : NULL, &k);
	if (!nr)
		return 2;
	tap_plan(nr);
	for (n = 0; n < nr; n++)
		tap_ok(one(&k[n]), "%s %s -%s, %s%s", k[n].file, k[n].name, opt,
		       cpu, getenv("DISPLACED") ? ", displaced" : "");
	machine_reset();
	return tap_status();
}
