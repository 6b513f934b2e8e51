// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's memory: each three mappings of a world of a few pages, at both
 * ends of the address space, against a map of its bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "dma.h"
#include "mock.h"
#include "tap.h"

#define PAGE		4096ull
#define NR_PAGES	5u
#define NR_RANGES	(NR_PAGES * (NR_PAGES + 1) / 2)
/* the addresses looked at: about each border of a page */
#define NR_POINTS	(3 * NR_PAGES + 3)

/* what a page of the world should be */
struct page {
	unsigned int owner;
	unsigned int file_page;
	int prot;
};

static struct page world[NR_PAGES];
static uint64_t base;
static struct dma_space space;
static unsigned long checked;

/* the @n-th range of whole pages */
static void range_get(unsigned int n, unsigned int *first, unsigned int *count)
{
	for (*first = 0; n >= NR_PAGES - *first; (*first)++)
		n -= NR_PAGES - *first;
	*count = n + 1;
}

/* map range @n as @owner; whether that did what it should */
static bool world_map(unsigned int n, unsigned int owner)
{
	static const int prots[] = { PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE };
	unsigned int first, count, i;
	bool overlaps = false;
	int err, prot = prots[(n + owner) % 3];

	range_get(n, &first, &count);
	for (i = first; i < first + count; i++)
		overlaps |= world[i].owner;
	err = dma_map(&space, base + first * PAGE, count * PAGE, prot, sample_file(),
		      owner * PAGE, NULL);
	if (overlaps)
		return err == -EEXIST;
	for (i = first; i < first + count; i++)
		world[i] = (struct page){ owner, owner + i - first, prot };
	return !err;
}

static bool world_unmap(unsigned int n)
{
	unsigned int first, count, i, owner;
	bool exact;
	int err;

	range_get(n, &first, &count);
	owner = world[first].owner;
	exact = owner;
	for (i = 0; i < NR_PAGES; i++)
		exact &= (world[i].owner == owner) == (i >= first && i < first + count);
	err = dma_unmap(&space, base + first * PAGE, count * PAGE);
	if (!exact)
		return err == -ENOENT;
	memset(&world[first], 0, count * sizeof(world[0]));
	return !err;
}

/* point @n: the last byte of a page, the first, the second */
static uint64_t point_at(unsigned int n)
{
	return base + n / 3 * PAGE + n % 3 - 1;
}

static const struct page *page_at(uint64_t addr)
{
	uint64_t n = (addr - base) / PAGE;

	return n < NR_PAGES && world[n].owner ? &world[n] : NULL;
}

/* [@from, @to] as the map of bytes has it */
static bool range_allowed(uint64_t from, uint64_t to, int prot)
{
	const struct page *first = page_at(from), *page;
	uint64_t at;

	if (!first || !(first->prot & prot) || to < from)
		return false;
	for (at = from & ~(PAGE - 1); at <= to; at += PAGE) {
		page = page_at(at);
		if (!page || page->owner != first->owner)
			return false;
		if (at == (UINT64_MAX & ~(PAGE - 1)))
			break;
	}
	return true;
}

static bool access_right(uint64_t from, uint64_t to, bool write)
{
	bool allowed = range_allowed(from, to, write ? PROT_WRITE : PROT_READ);
	unsigned char *host = dma_at(&space, from, to - from + 1, write);

	checked++;
	if (!host != !allowed)
		return false;
	/* the file's page n has bytes n + 1 */
	return !host || !(page_at(from)->prot & PROT_READ) ||
	       (host[0] == page_at(from)->file_page + 1 &&
		host[to - from] == page_at(to)->file_page + 1);
}

static bool world_right(void)
{
	unsigned int i, j;

	for (i = 0; i < NR_POINTS; i++) {
		for (j = i; j < NR_POINTS; j++) {
			uint64_t from = point_at(i), to = point_at(j);

			if (!access_right(from, to, false) || !access_right(from, to, true))
				return false;
		}
	}
	return true;
}

/* maps of the three ranges of @n, and an unmap */
static bool world_round(unsigned int n)
{
	unsigned int unmap = n * 7 % NR_RANGES;
	bool good = true;
	unsigned int i;

	memset(world, 0, sizeof(world));
	for (i = 1; i <= 3; i++) {
		good &= world_map(n % NR_RANGES, i) && world_right();
		n /= NR_RANGES;
	}
	good &= world_unmap(unmap) && world_right();
	dma_unmap_all(&space);
	return good;
}

static void worlds_at(uint64_t where, const char *name)
{
	unsigned int n, bad = 0, all = NR_RANGES * NR_RANGES * NR_RANGES;

	base = where;
	checked = 0;
	for (n = 0; n < all; n++)
		bad += !world_round(n);
	tap_ok(!bad && checked, "%s: %lu accesses, %u worlds differ", name, checked, bad);
}

/* ---- what is refused ---------------------------------------------------------- */

static void refused_map(const char *name, int fd, uint64_t iova, uint64_t size,
			uint64_t offset, int prot, int error)
{
	const char *why = NULL;
	unsigned int fds = count_fds();
	int err = dma_map(&space, iova, size, prot, fd, offset, &why);

	tap_ok(err == -error && why && !space.nr && count_fds() == fds, "%s: %s", name,
	       why ? why : "no reason");
}

static void refused_maps(void)
{
	const int both = PROT_READ | PROT_WRITE;
	int pair[2], readable, closed, file = sample_file();
	char path[32];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	readable = open(path, O_RDONLY);
	refused_map("no file", -1, 0, PAGE, 0, both, EOPNOTSUPP);
	refused_map("socket", pair[0], 0, PAGE, 0, both, EINVAL);
	closed = pair[0];
	close(pair[0]);
	close(pair[1]);
	refused_map("closed", closed, 0, PAGE, 0, both, EINVAL);
	refused_map("file not writable", readable, 0, PAGE, 0, both, EACCES);
	refused_map("no bytes", file, 0, 0, 0, both, EINVAL);
	refused_map("address in a page", file, 1, PAGE, 0, both, EINVAL);
	refused_map("offset in a page", file, 0, PAGE, 1, both, EINVAL);
	refused_map("size in a page", file, 0, PAGE + 1, 0, both, EINVAL);
	refused_map("range wraps", file, 0 - PAGE, 2 * PAGE, 0, both, EINVAL);
	refused_map("offset wraps", file, 0, 2 * PAGE, 0 - PAGE, both, EINVAL);
	refused_map("negative offset", file, 0, PAGE, 1ull << 63, both, EINVAL);
	refused_map("largest range", file, 0, 0 - PAGE, 0, both, EINVAL);
	refused_map("neither read nor written", file, 0, PAGE, 0, PROT_NONE, EINVAL);
	refused_map("executable", file, 0, PAGE, 0, both | PROT_EXEC, EINVAL);
	refused_map("one page beyond the file", file, 0, PAGE, MOCK_PAGES * PAGE, both, EINVAL);
	refused_map("half beyond the file", file, 0, 2 * PAGE, (MOCK_PAGES - 1) * PAGE,
		    both, EINVAL);
	close(readable);
}

/* a file that ends in a page: what is left of the page reads as zeroes */
static void odd_file(void)
{
	int fd = memfd_create("odd", MFD_CLOEXEC);
	const char *why = NULL;

	if (ftruncate(fd, PAGE + 1))
		abort();
	tap_ok(dma_map(&space, 0, 2 * PAGE, PROT_READ, fd, 0, &why) == -EINVAL && why,
	       "a file that ends in the page");
	close(fd);
}

static void odd_lengths(void)
{
	if (dma_map(&space, 2 * PAGE, PAGE, PROT_READ, sample_file(), 0, NULL))
		abort();
	tap_ok(dma_at(&space, 2 * PAGE, 0, false) && !dma_at(&space, 3 * PAGE, 0, false) &&
	       !dma_at(&space, 2 * PAGE - 1, 0, false), "a length of 0");
	tap_ok(!dma_at(&space, 2 * PAGE, SIZE_MAX, false) &&
	       !dma_at(&space, 2 * PAGE + 1, SIZE_MAX, false) &&
	       !dma_at(&space, 3 * PAGE - 1, SIZE_MAX, false), "a length that wraps");
	tap_ok(dma_unmap(&space, 2 * PAGE, 0) == -ENOENT &&
	       dma_unmap(&space, 0, 0) == -ENOENT &&
	       dma_unmap(&space, 2 * PAGE, 0 - 2 * PAGE) == -ENOENT, "odd unmaps");
	dma_unmap_all(&space);
	tap_ok(!dma_at(&space, 2 * PAGE, 1, false) && dma_unmap(&space, 0, PAGE) == -ENOENT,
	       "nothing is mapped");
}

/* in an order that neither rises nor falls; the file is shared */
static void many_mappings(void)
{
	const unsigned int nr = 1021;
	unsigned int i, good = 0;

	for (i = 0; i < nr; i++)
		good += !dma_map(&space, (i * 331ull % nr) * PAGE, PAGE,
				 PROT_READ | PROT_WRITE, sample_file(),
				 i % MOCK_PAGES * PAGE, NULL);
	for (i = 0; i < nr; i++) {
		unsigned char *host = dma_at(&space, (i * 331ull % nr) * PAGE + 5, 7, true);

		good += host && *host == i % MOCK_PAGES + 1;
	}
	tap_ok(good == 2 * nr && space.nr == nr, "%u mappings", nr);
	for (i = 0; i < nr; i += 2)
		good -= !dma_unmap(&space, i * PAGE, PAGE);
	for (i = 0; i < nr; i++)
		good -= !dma_at(&space, i * PAGE, 1, false) == !(i & 1);
	tap_ok(good == nr - (nr + 1) / 2 && space.nr == nr / 2, "every other is removed");
	dma_unmap_all(&space);
}

int main(void)
{
	samples_init();
	tap_plan(3 + 16 + 1 + 4 + 2);
	worlds_at(0, "from 0 on");
	worlds_at((1ull << 32) - 2 * PAGE, "around 4 GiB");
	worlds_at(0 - NR_PAGES * PAGE, "up to the last address");
	refused_maps();
	odd_file();
	odd_lengths();
	many_mappings();
	return tap_status();
}
