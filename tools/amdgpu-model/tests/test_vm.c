// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: single cases by hand, then a small world of page tables, all of it
 * and at random, against a walk that is written as the entries are described.
 * VRAM lies between pages that cannot be touched.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "vm.h"
#include "world.h"

#define PAGE		4096ull
#define VRAM_PAGES	16u
#define APERTURE	0x8000000000ull
#define NR_REGIONS	3

/* what the device reaches by DMA */
static const struct region {
	uint64_t bus;
	unsigned int pages;
	int prot;
} regions[NR_REGIONS] = {
	{ 0x10000, 4, PROT_READ | PROT_WRITE },
	/* behind it, without a gap */
	{ 0x14000, 2, PROT_READ },
	{ 0xffffffffe000, 2, PROT_READ | PROT_WRITE },
};

static struct memory mem;
static struct log quiet;
static struct vm_access access_to = { .mem = &mem };
static unsigned long long seed = 0x5eed;
/* the same memory, as the test reaches it */
static uint8_t *dma[NR_REGIONS];

static void *map_pages(int fd, unsigned int pages)
{
	void *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static void memory_setup(void)
{
	uint8_t *guarded = map_pages(-1, VRAM_PAGES + 2);
	unsigned int i;

	mprotect(guarded, PAGE, PROT_NONE);
	mprotect(guarded + (VRAM_PAGES + 1) * PAGE, PAGE, PROT_NONE);
	mem = (struct memory){ .vram = guarded + PAGE,
			       .vram_size = VRAM_PAGES * PAGE, .vram_fd = -1 };
	for (i = 0; i < NR_REGIONS; i++) {
		int fd = memfd_create("dma", MFD_CLOEXEC);

		if (ftruncate(fd, regions[i].pages * PAGE) ||
		    dma_map(&mem.dma, regions[i].bus, regions[i].pages * PAGE,
			    regions[i].prot, fd, 0, NULL))
			abort();
		dma[i] = map_pages(fd, regions[i].pages);
		close(fd);
	}
	access_to.regs = registers_create(world_gpu(), &quiet);
	if (!access_to.regs)
		abort();
}

static struct registers *regs(void)
{
	return (struct registers *)access_to.regs;
}

static void set_gart(uint64_t base, uint64_t first, uint64_t last)
{
	reg_set(regs(), R_GC_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, base);
	reg_set(regs(), R_GC_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32, base >> 32);
	reg_set(regs(), R_GC_VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32, first);
	reg_set(regs(), R_GC_VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32, first >> 32);
	reg_set(regs(), R_GC_VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32, last);
	reg_set(regs(), R_GC_VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32, last >> 32);
}

static uint64_t *vram_entry(unsigned int page, unsigned int nr)
{
	return (uint64_t *)(mem.vram + page * PAGE) + nr;
}

/* ---- the walk as it is described ----------------------------------------- */

struct result {
	void *at;
	size_t len;
	int level;
	uint64_t entry;
};

/* one byte of physical memory, as the test reaches it, or NULL */
static uint8_t *byte_at(bool system, uint64_t pa, bool write)
{
	unsigned int i;

	if (!system)
		return pa < VRAM_PAGES * PAGE ? mem.vram + pa : NULL;
	for (i = 0; i < NR_REGIONS; i++)
		if (pa >= regions[i].bus && pa < regions[i].bus + regions[i].pages * PAGE)
			return regions[i].prot & (write ? PROT_WRITE : PROT_READ) ?
			       dma[i] + (pa - regions[i].bus) : NULL;
	return NULL;
}

static struct result walk_ends(uint64_t entry, int level, uint64_t pa, bool write)
{
	struct result r = { .entry = entry, .level = level };

	if (!(entry & (write ? BIT_WRITE : BIT_READ)))
		return r;
	r.at = byte_at(entry & BIT_SYSTEM, pa, write);
	r.len = PAGE - pa % PAGE;
	r.level = r.at ? 0 : -1;
	return r;
}

static struct result naive_process(uint64_t root, uint64_t va, bool write)
{
	uint64_t size = PAGE * 512 * 512 * 512, entry = root;
	struct result r = { .level = 3 };
	int level;

	/* 48 bits, or what sign extension makes of them */
	if (va >= 1ull << 48 && va < ~0ull << 47)
		return r;
	va %= 1ull << 48;
	for (level = 3; level >= 0; level--, size /= 512) {
		uint64_t table = entry % (1ull << 48) / 64 * 64;
		uint8_t *at = byte_at(entry & BIT_SYSTEM,
				      table + va / size % 512 * 8, false);
		bool page;

		if (!at)
			return (struct result){ .level = level, .entry = entry };
		memcpy(&entry, at, 8);
		if (!(entry & BIT_VALID))
			return (struct result){ .level = level, .entry = entry };
		page = level == 0 || entry & BIT_PDE_PTE ||
		       (level == 1 && !(entry & BIT_TF));
		if (page)
			return walk_ends(entry, level, entry % (1ull << 48) / PAGE * PAGE +
					 va % size, write);
	}
	abort();
}

static struct result naive_gart(uint64_t base, uint64_t first, uint64_t last,
				uint64_t va, bool write)
{
	uint64_t page = va / PAGE, entry = 0;
	uint8_t *at;

	if (page < first || page > last)
		return (struct result){ 0 };
	at = byte_at(base & BIT_SYSTEM, base % (1ull << 48) / 64 * 64 +
		     (page - first) * 8, false);
	if (at)
		memcpy(&entry, at, 8);
	if (!(entry & BIT_VALID))
		return (struct result){ .entry = entry };
	return walk_ends(entry, 0, entry % (1ull << 48) / PAGE * PAGE + va % PAGE,
			 write);
}

/* the test's and the device's mappings of a page are two; what they hold is one */
static bool memory_same(void *at, void *expect, size_t len, bool write)
{
	uint8_t *a = at, *b = expect, old = *a, other = ~old;

	if (!write)
		return !memcmp(a, b, len);
	*a = other;
	if (*b != other)
		return false;
	*a = old;
	return a == b || !memcmp(a, b, len);
}

static bool result_same(const struct vm *vm, uint64_t va, bool write,
			const struct result *expect)
{
	size_t len = 0;
	void *at = vm_at(&access_to, vm, va, &len, write);
	const struct vm_fault *f = &access_to.fault;

	if (at && expect->at)
		return len == expect->len && memory_same(at, expect->at, len, write);
	return !at && !expect->at && f->va == va && f->level == expect->level &&
	       f->entry == expect->entry && f->write == write;
}

/* ---- single cases -------------------------------------------------------- */

static bool fails(const struct vm *vm, uint64_t va, bool write, int level)
{
	size_t len;

	return !vm_at(&access_to, vm, va, &len, write) &&
	       access_to.fault.level == level && access_to.fault.va == va &&
	       access_to.fault.write == write;
}

static bool is_at(const struct vm *vm, uint64_t va, bool write, void *expect,
		  size_t expect_len)
{
	size_t len = 0;
	void *at = vm_at(&access_to, vm, va, &len, write);

	return at && len == expect_len && memory_same(at, expect, len, write);
}

static void check_aperture(void)
{
	static const struct vm kernel = { .gart = true };

	set_gart(0, 1, 0);
	reg_set(regs(), R_GC_MC_VM_FB_LOCATION_BASE, APERTURE >> 24);
	reg_set(regs(), R_GC_MC_VM_FB_LOCATION_TOP, APERTURE >> 24);
	tap_ok(is_at(&kernel, APERTURE, true, mem.vram, PAGE), "VRAM's first byte");
	tap_ok(is_at(&kernel, APERTURE + VRAM_PAGES * PAGE - 1, false,
		     mem.vram + VRAM_PAGES * PAGE - 1, 1), "and its last");
	tap_ok(fails(&kernel, APERTURE + VRAM_PAGES * PAGE, false, -1),
	       "the aperture is larger than VRAM");
	tap_ok(fails(&kernel, APERTURE - 1, false, 0) &&
	       fails(&kernel, APERTURE + (1 << 24), true, 0), "beside the aperture");
	reg_set(regs(), R_GC_MC_VM_FB_LOCATION_TOP, (APERTURE >> 24) - 1);
	tap_ok(fails(&kernel, APERTURE, false, 0), "an aperture that ends before it begins");
}

static void check_gart(void)
{
	static const struct vm kernel = { .gart = true };

	memset(mem.vram, 0, VRAM_PAGES * PAGE);
	*vram_entry(2, 0) = 0x11000 | BIT_VALID | BIT_SYSTEM | BIT_READ | BIT_WRITE;
	*vram_entry(2, 1) = 0x3000 | BIT_VALID | BIT_READ;
	*vram_entry(2, 2) = 0x3000 | BIT_VALID | BIT_WRITE;
	*vram_entry(2, 3) = 0x3000 | BIT_READ | BIT_WRITE;
	*vram_entry(2, 4) = 0x14000 | BIT_VALID | BIT_SYSTEM | BIT_READ | BIT_WRITE;
	*vram_entry(2, 5) = 0x16000 | BIT_VALID | BIT_SYSTEM | BIT_READ | BIT_WRITE;
	*vram_entry(2, 6) = 0x3000 | BIT_VALID | BIT_READ | BIT_WRITE;
	set_gart(2 * PAGE | BIT_VALID, 100, 105);
	tap_ok(is_at(&kernel, 100 * PAGE + 8, true, dma[0] + PAGE + 8, PAGE - 8),
	       "a page of the guest");
	tap_ok(is_at(&kernel, 101 * PAGE, false, mem.vram + 3 * PAGE, PAGE) &&
	       fails(&kernel, 101 * PAGE, true, 0), "read only");
	tap_ok(is_at(&kernel, 102 * PAGE, true, mem.vram + 3 * PAGE, PAGE) &&
	       fails(&kernel, 102 * PAGE, false, 0), "write only");
	tap_ok(fails(&kernel, 103 * PAGE, false, 0), "not valid");
	tap_ok(is_at(&kernel, 104 * PAGE, false, dma[1], PAGE) &&
	       fails(&kernel, 104 * PAGE, true, -1), "DMA may only read there");
	tap_ok(fails(&kernel, 105 * PAGE, false, -1), "no memory");
	tap_ok(fails(&kernel, 99 * PAGE + 4095, false, 0) &&
	       fails(&kernel, 106 * PAGE, false, 0), "before and behind the GART");
	set_gart(2 * PAGE, 0, UINT64_MAX);
	tap_ok(fails(&kernel, UINT64_MAX, false, 0), "an index of the table that is huge");
}

#define ROOT_PAGE 4u

/* tables in VRAM pages 4 to 7; entry of each level for @va */
static void build_tables(uint64_t va)
{
	memset(mem.vram, 0, VRAM_PAGES * PAGE);
	*vram_entry(4, va >> 39 & 511) = 5 * PAGE | BIT_VALID;
	*vram_entry(5, va >> 30 & 511) = 6 * PAGE | BIT_VALID;
	*vram_entry(6, va >> 21 & 511) = 7 * PAGE | BIT_VALID | BIT_TF;
	*vram_entry(7, va >> 12 & 511) = 0x13000 | BIT_VALID | BIT_SYSTEM | BIT_READ |
					 BIT_WRITE;
}

static void check_levels(void)
{
	static const uint64_t addresses[] = { 0, 0x123456789abc, 0x7fffffffffff,
		0x800000000000, 0xffffffffffff };
	const struct vm vm = { .root = ROOT_PAGE * PAGE | BIT_VALID };
	unsigned int i, bad = 0;

	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		uint64_t va = addresses[i], inside = va & 4095, bit;

		build_tables(va);
		bad += !is_at(&vm, va, true, dma[0] + 3 * PAGE + inside, PAGE - inside);
		/* an address that differs in one bit is another page */
		for (bit = 1 << 12; bit < 1ull << 48; bit <<= 1)
			bad += !fails(&vm, va ^ bit, false, bit < 1 << 21 ? 0 :
				      bit < 1 << 30 ? 1 : bit < 1ull << 39 ? 2 : 3);
		for (; bit; bit <<= 1)
			bad += !fails(&vm, va ^ bit, false, 3);
	}
	tap_ok(!bad, "four levels, every bit of an address");
	build_tables(0x900000001000);
	tap_ok(is_at(&vm, 0xffff900000001004, true, dma[0] + 3 * PAGE + 4, PAGE - 4) &&
	       is_at(&vm, 0x900000001004, true, dma[0] + 3 * PAGE + 4, PAGE - 4),
	       "an address that is sign extended is the same");
	build_tables(0x100000001000);
	tap_ok(fails(&vm, 0xffff100000001000, false, 3) &&
	       fails(&vm, 0x0001100000001000, false, 3), "one that is not is none");
}

static void check_large(void)
{
	const struct vm vm = { .root = ROOT_PAGE * PAGE };
	uint64_t va = 0x123456700000, rw = BIT_VALID | BIT_READ | BIT_WRITE;

	build_tables(va);
	*vram_entry(6, va >> 21 & 511) = rw;
	tap_ok(is_at(&vm, (va & ~0x1fffffull) + 0x3123, true, mem.vram + 0x3123,
		     PAGE - 0x123), "2 MiB without TF");
	*vram_entry(6, va >> 21 & 511) |= BIT_TF | BIT_PDE_PTE;
	tap_ok(is_at(&vm, (va & ~0x1fffffull) + 0x3123, true, mem.vram + 0x3123,
		     PAGE - 0x123), "2 MiB, PDE_PTE");
	*vram_entry(6, va >> 21 & 511) = rw | BIT_PDE_PTE | 0x5000;
	tap_ok(is_at(&vm, (va & ~0x1fffffull) + 0x3123, true, mem.vram + 0x8123,
		     PAGE - 0x123), "2 MiB whose memory is not aligned");
	*vram_entry(6, va >> 21 & 511) = BIT_VALID | BIT_READ;
	tap_ok(fails(&vm, va, true, 1), "2 MiB that is read only");
	*vram_entry(5, va >> 30 & 511) = rw | BIT_PDE_PTE | BIT_SYSTEM;
	tap_ok(is_at(&vm, (va & ~0x3fffffffull) + 0x12004, true, dma[0] + 0x2004,
		     PAGE - 4) &&
	       fails(&vm, va & ~0x3fffffffull, true, -1), "1 GiB of the bus");
	*vram_entry(4, va >> 39 & 511) = rw | BIT_PDE_PTE;
	tap_ok(is_at(&vm, (va & ~0x7fffffffffull) + 0x2000, false, mem.vram + 0x2000,
		     PAGE) &&
	       fails(&vm, va | 0x7fffffffff, false, -1), "512 GiB");
}

static void check_tables(void)
{
	struct vm vm = { .root = ROOT_PAGE * PAGE };
	uint64_t va = 0x123456789000;

	build_tables(va);
	/* the last table in the guest's memory */
	memcpy(dma[1] + PAGE, vram_entry(7, 0), PAGE);
	*vram_entry(6, va >> 21 & 511) = 0x15000 | BIT_VALID | BIT_TF | BIT_SYSTEM;
	tap_ok(is_at(&vm, va, true, dma[0] + 3 * PAGE, PAGE),
	       "a table that DMA may only read");
	*vram_entry(6, va >> 21 & 511) = 0x16000 | BIT_VALID | BIT_TF | BIT_SYSTEM;
	tap_ok(fails(&vm, va, true, 0), "a table outside of memory");
	*vram_entry(6, va >> 21 & 511) = (VRAM_PAGES * PAGE - 64) | BIT_VALID | BIT_TF;
	tap_ok(fails(&vm, 8 * PAGE + (va & ~0x1fffffull), true, 0),
	       "a table that ends behind VRAM");
	vm.root = 0x7fff00000000;
	tap_ok(fails(&vm, va, false, 3), "a root outside of memory");
	/* each level is the same table, as Linux's recursive mappings */
	vm.root = 8 * PAGE;
	*vram_entry(8, 7) = 8 * PAGE | BIT_VALID | BIT_TF | BIT_READ;
	va = 7ull << 39 | 7ull << 30 | 7ull << 21 | 7ull << 12;
	tap_ok(is_at(&vm, va + 56, false, vram_entry(8, 7), PAGE - 56),
	       "a table that names itself");
}

/* ---- accesses over pages ------------------------------------------------- */

static void check_borders(void)
{
	struct vm vm = { .root = ROOT_PAGE * PAGE };
	uint64_t va = 0x1ff000, value;
	uint8_t buf[3 * PAGE];
	uint32_t word = 5;

	build_tables(va);
	/* the last page of one table and the first of the next are far apart */
	*vram_entry(6, 1) = 9 * PAGE | BIT_VALID | BIT_TF;
	*vram_entry(9, 0) = 0x10000 | BIT_VALID | BIT_SYSTEM | BIT_READ | BIT_WRITE;
	memset(dma[0], 0x11, PAGE);
	memset(dma[0] + 3 * PAGE, 0x33, PAGE);
	tap_ok(vm_read64(&access_to, &vm, va + PAGE - 3, &value) &&
	       value == 0x1111111111333333, "eight bytes of two pages");
	tap_ok(vm_write64(&access_to, &vm, va + PAGE - 5, 0x8877665544332211) &&
	       !memcmp(dma[0], "\x66\x77\x88\x11", 4) &&
	       !memcmp(dma[0] + 4 * PAGE - 6, "\x33\x11\x22\x33\x44\x55", 6),
	       "written, too");
	memset(buf, 0xee, sizeof(buf));
	tap_ok(!vm_read(&access_to, &vm, va + PAGE, buf, PAGE + 1) &&
	       !buf[PAGE] && buf[PAGE + 1] == 0xee &&
	       access_to.fault.va == va + 2 * PAGE, "a read that ends in a fault");
	memset(buf, 0xdd, sizeof(buf));
	tap_ok(!vm_write(&access_to, &vm, va + PAGE, buf, PAGE + 1) &&
	       dma[0][0] == 0xdd && dma[0][PAGE - 1] == 0xdd &&
	       access_to.fault.write, "a write: what is before it is written");
	tap_ok(!vm_read32(&access_to, &vm, va - 2, &word) && !word &&
	       access_to.fault.va == va - 2, "a dword whose begin is missing is 0");
	tap_ok(vm_read(&access_to, &vm, 5, buf, 0), "no bytes are no access");
}

/* ---- all of a small world ------------------------------------------------ */

static const uint64_t flags[] = {
	0, BIT_READ | BIT_WRITE, BIT_VALID, BIT_VALID | BIT_READ, BIT_VALID | BIT_WRITE,
	BIT_VALID | BIT_READ | BIT_WRITE,
	BIT_VALID | BIT_READ | BIT_WRITE | BIT_SYSTEM,
	BIT_VALID | BIT_TF, BIT_VALID | BIT_TF | BIT_SYSTEM,
	BIT_VALID | BIT_READ | BIT_TF | BIT_PDE_PTE,
	BIT_VALID | BIT_WRITE | BIT_PDE_PTE | BIT_SYSTEM,
	BIT_VALID | BIT_READ | BIT_WRITE | BIT_TF | 3ull << 57 | 0xf << 7,
};

#define NR_FLAGS	(sizeof(flags) / sizeof(flags[0]))
#define NR_KINDS	(NR_FLAGS * 3)

/* of level @level: the next table, in VRAM or on the bus at the same address, or none */
static uint64_t small_entry(unsigned int kind, int level)
{
	uint64_t to = kind / NR_FLAGS == 0 ? 0x10000 - level * PAGE :
		      kind / NR_FLAGS == 1 ? 0x14000 - level * PAGE : 0x15000;

	return flags[kind % NR_FLAGS] | to;
}

/* levels 3 to 0 are at 0xc000 to 0xf000 of VRAM; of the bus, 0x10000 to 0x13000 */
static void small_set(int level, unsigned int nr, uint64_t entry)
{
	memcpy(mem.vram + 0xf000 - level * PAGE + nr * 8, &entry, 8);
	memcpy(dma[0] + (3 - level) * PAGE + nr * 8, &entry, 8);
}

static void check_all(void)
{
	static const struct vm vms[] = { { .root = 0xc000 },
					 { .root = 0x10000 | BIT_SYSTEM } };
	/* the begin of large pages, and what lies far in them */
	static const uint64_t places[] = { 3ull << 39 | 5ull << 30 | 0x18,
		3ull << 39 | 5ull << 30 | 6ull << 21 | 9ull << 12 | 0x18 };
	unsigned int a, b, c, d, i;
	unsigned long bad = 0, found = 0, nr = 0;

	memset(mem.vram, 0, VRAM_PAGES * PAGE);
	for (a = 0; a < NR_KINDS; a++)
	for (b = 0; b < NR_KINDS; b++)
	for (c = 0; c < NR_KINDS; c++)
	for (d = 0; d < NR_KINDS; d++) {
		/* what a table says that is not reached does not matter */
		if ((d && !(flags[c % NR_FLAGS] & BIT_TF)) ||
		    (c && !(flags[b % NR_FLAGS] & BIT_VALID)) ||
		    (b && !(flags[a % NR_FLAGS] & BIT_VALID)))
			continue;
		small_set(3, 3, small_entry(a, 3));
		small_set(2, 5, small_entry(b, 2));
		small_set(1, 0, small_entry(c, 1));
		small_set(1, 6, small_entry(c, 1));
		small_set(0, 0, small_entry(d, 0));
		small_set(0, 9, small_entry(d, 0));
		for (i = 0; i < 8; i++, nr++) {
			const struct vm *vm = &vms[i & 1];
			uint64_t va = places[i >> 2];
			struct result r = naive_process(vm->root, va, i >> 1 & 1);

			bad += !result_same(vm, va, i >> 1 & 1, &r);
			found += r.at != NULL;
		}
	}
	tap_ok(!bad && found > 4000, "%lu walks of a small world, %lu find memory", nr,
	       found);
}

/* ---- at random ----------------------------------------------------------- */

static unsigned int pick(unsigned int below)
{
	return tap_random(&seed) % below;
}

static uint64_t random_entry(void)
{
	uint64_t entry = flags[pick(NR_FLAGS)];

	switch (pick(8)) {
	case 0:
		return tap_random(&seed);
	case 1:
		return entry | regions[pick(NR_REGIONS)].bus | BIT_SYSTEM;
	case 2:
		return entry | (tap_random(&seed) & 0xffffffffffc0);
	case 3:
		return entry | (VRAM_PAGES - pick(2)) * PAGE | pick(64) << 6;
	default:
		return entry | (pick(4) ? BIT_VALID | BIT_TF : 0) |
		       pick(VRAM_PAGES + 1) * PAGE;
	}
}

/* few indices, so that walks go far */
static uint64_t random_address(void)
{
	uint64_t va = (uint64_t)pick(3) << 39 | (uint64_t)pick(3) << 30 |
		      pick(3) << 21 | pick(3) << 12 | pick(4096);

	switch (pick(16)) {
	case 0:
		return tap_random(&seed);
	case 1:
		return va | 0x0000ff8000000000;
	case 2:
		return va | 0xffffff8000000000;
	case 3:
		return va | 0x1ff000;
	default:
		return va;
	}
}

static void random_tables(void)
{
	unsigned int i, nr;

	for (i = 0; i < 200; i++) {
		nr = pick(8) ? pick(4) : pick(512);
		*vram_entry(pick(VRAM_PAGES), nr) = random_entry();
		((uint64_t *)(dma[0] + pick(4) * PAGE))[nr] = random_entry();
	}
}

/* @len bytes by the described walk, one by one; how many are good */
static size_t naive_copy(const struct vm *vm, uint64_t va, uint8_t *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		struct result r = naive_process(vm->root, va + i, false);

		if (!r.at)
			break;
		buf[i] = *(uint8_t *)r.at;
	}
	memset(buf + i, 0, len - i);
	return i;
}

static bool read_same(const struct vm *vm, uint64_t va)
{
	uint8_t buf[128], expect[128];
	size_t len = pick(128) + 1, good;

	va = (va & ~4095ull) + 4096 - pick(len + 1);
	good = naive_copy(vm, va, expect, len);
	memset(buf, 0xee, sizeof(buf));
	return vm_read(&access_to, vm, va, buf, len) == (good == len) &&
	       !memcmp(buf, expect, len) &&
	       (good == len || access_to.fault.va == va + good);
}

static void check_random(unsigned long rounds)
{
	unsigned long i, bad = 0, found = 0, levels[5] = { 0 };
	struct vm vm = { 0 };

	for (i = 0; i < rounds; i++) {
		uint64_t va = random_address();
		struct result r;

		if (i % 64 == 0) {
			random_tables();
			vm.root = random_entry();
		}
		r = naive_process(vm.root, va, i & 1);
		bad += !result_same(&vm, va, i & 1, &r);
		if (i % 8 == 0)
			bad += !read_same(&vm, va);
		found += r.at != NULL;
		levels[r.level + 1] += !r.at;
	}
	tap_note("faults by level, from -1: %lu %lu %lu %lu %lu", levels[0], levels[1],
		 levels[2], levels[3], levels[4]);
	tap_ok(!bad && found > rounds / 100 && levels[0] && levels[1] && levels[2],
	       "%lu walks at random, %lu find memory", rounds, found);
}

static void check_random_gart(unsigned long rounds)
{
	static const struct vm kernel = { .gart = true };
	uint64_t base = 0, first = 0, last = 0;
	unsigned long i, bad = 0, found = 0;

	reg_set(regs(), R_GC_MC_VM_FB_LOCATION_BASE, 0xffffff);
	reg_set(regs(), R_GC_MC_VM_FB_LOCATION_TOP, 0);
	for (i = 0; i < rounds; i++) {
		uint64_t va;
		struct result r;

		if (i % 64 == 0) {
			random_tables();
			base = random_entry();
			first = pick(4) ? pick(100) : tap_random(&seed) >> pick(64);
			last = first + (pick(4) ? pick(1024) : tap_random(&seed));
			set_gart(base, first, last);
		}
		va = pick(8) ? (first + pick(4)) * PAGE + pick(4096) : random_address();
		r = naive_gart(base, first, last, va, i & 1);
		bad += !result_same(&kernel, va, i & 1, &r);
		found += r.at != NULL;
	}
	tap_ok(!bad && found > rounds / 100, "%lu of the GART, %lu find memory", rounds,
	       found);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;

	alarm(300);
	tap_plan(5 + 8 + 3 + 6 + 5 + 6 + 3);
	memory_setup();
	check_aperture();
	check_gart();
	check_levels();
	check_large();
	check_tables();
	check_borders();
	check_all();
	check_random(rounds);
	check_random_gart(rounds / 4);
	registers_destroy(regs());
	return tap_status();
}
