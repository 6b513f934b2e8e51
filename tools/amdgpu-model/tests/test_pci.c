// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration space: accesses of each size at each offset against a list of
 * what can be written, sizing as QEMU and Linux do it, odd descriptions.
 */
#include <errno.h>
#include <string.h>
#include <linux/pci_regs.h>
#include "pci.h"
#include "tap.h"

static const struct pci_desc gpu = {
	.vendor = 0x1002, .device = 0x740f, .revision = 1,
	.subsystem_vendor = 0x1002, .subsystem = 0x0c34,
	.class_code = 0x038000,
	.bars = {
		[0] = { .size = 8ull << 30, .is_64 = true, .prefetch = true },
		[2] = { .size = 2 << 20, .is_64 = true, .prefetch = true },
		[5] = { .size = 512 << 10 },
	},
	.rom_size = 64 << 10,
	.interrupt_pin = 1, .link_speed = 4, .link_width = 16,
};

/* the dwords that are not 0 at first, or can be written */
static const struct {
	unsigned int at;
	uint32_t value;
	uint32_t writable;
} dwords[] = {
	{ 0x00, 0x740f1002, 0 },
	/* memory, master, parity, SERR, INTx; a capability list */
	{ 0x04, 0x00100000, 0x00000546 },
	{ 0x08, 0x03800001, 0 },
	/* cache line size */
	{ 0x0c, 0, 0x000000ff },
	{ 0x10, 0x0000000c, 0 },
	{ 0x14, 0, 0xfffffffe },
	{ 0x18, 0x0000000c, 0xffe00000 },
	{ 0x1c, 0, 0xffffffff },
	{ 0x24, 0, 0xfff80000 },
	{ 0x2c, 0x0c341002, 0 },
	{ 0x30, 0, 0xffff0001 },
	{ 0x34, 0x00000050, 0 },
	{ 0x3c, 0x00000100, 0x000000ff },
	/* PCI Express, version 2, endpoint; next is MSI */
	{ 0x50, 0x0002a010, 0 },
	{ 0x54, 0x00008fe1, 0 },
	{ 0x58, 0x00002810, 0x00007fff },
	{ 0x5c, 0x00000104, 0 },
	{ 0x60, 0x11040000, 0 },
	{ 0x74, 0x00000190, 0 },
	{ 0x78, 0x00000040, 0x0000005f },
	{ 0x7c, 0x0000001e, 0 },
	{ 0x80, 0x00000004, 0 },
	/* MSI: 64-bit, one vector, the last capability */
	{ 0xa0, 0x00800005, 0x00710000 },
	{ 0xa4, 0, 0xfffffffc },
	{ 0xa8, 0, 0xffffffff },
	{ 0xac, 0, 0x0000ffff },
};

static struct pci_config pci;
static unsigned char should[PCI_CONFIG_SIZE], may[PCI_CONFIG_SIZE];

static uint32_t read32(unsigned int at)
{
	uint32_t value = 0;

	pci_read(&pci, at, &value, 4);
	return value;
}

static void write32(unsigned int at, uint32_t value)
{
	pci_write(&pci, at, &value, 4);
}

static void reference_init(void)
{
	unsigned int i, k;

	for (i = 0; i < sizeof(dwords) / sizeof(dwords[0]); i++) {
		for (k = 0; k < 4; k++) {
			should[dwords[i].at + k] = dwords[i].value >> 8 * k;
			may[dwords[i].at + k] = dwords[i].writable >> 8 * k;
		}
	}
}

static void initial_values(void)
{
	unsigned char bytes[PCI_CONFIG_SIZE];
	unsigned int i;

	tap_ok(!pci_init(&pci, &gpu) && !pci_read(&pci, 0, bytes, sizeof(bytes)),
	       "all is read at once");
	for (i = 0; i < sizeof(bytes) && bytes[i] == should[i]; i++)
		;
	tap_ok(i == sizeof(bytes), "initial values (%#x of %#zx)", i, sizeof(bytes));
}

static bool access_right(unsigned int at, unsigned int len, uint64_t value)
{
	unsigned char data[8], got[8];
	bool inside = at + len <= PCI_CONFIG_SIZE;
	unsigned int i;

	memcpy(data, &value, sizeof(data));
	if (pci_write(&pci, at, data, len) != (inside ? 0 : -EINVAL))
		return false;
	for (i = 0; inside && i < len; i++)
		should[at + i] = (should[at + i] & ~may[at + i]) | (data[i] & may[at + i]);
	if (pci_read(&pci, at, got, len) != (inside ? 0 : -EINVAL))
		return false;
	return !inside || !memcmp(got, should + at, len);
}

/* what is written elsewhere does not change */
static void random_accesses(unsigned int len)
{
	unsigned long long seed = 0x9c1 + len;
	unsigned int at, i, bad = 0;

	for (i = 0; i < 20; i++) {
		for (at = 0; at <= PCI_CONFIG_SIZE; at++)
			bad += !access_right(at, len, tap_random(&seed));
		bad += !!memcmp(pci.bytes, should, sizeof(should));
	}
	tap_ok(!bad, "accesses of %u bytes at all offsets", len);
}

static void odd_accesses(void)
{
	unsigned char buf[8];

	tap_ok(pci_read(&pci, UINT64_MAX, buf, 4) == -EINVAL &&
	       pci_write(&pci, UINT64_MAX - 3, buf, 4) == -EINVAL &&
	       pci_read(&pci, 4, buf, SIZE_MAX) == -EINVAL, "offsets and lengths that wrap");
	pci_reset(&pci);
	reference_init();
	tap_ok(!memcmp(pci.bytes, should, sizeof(should)), "reset");
}

/* as vfio_pci_size_rom() of QEMU, and Linux for BARs */
static uint32_t size_of(unsigned int at, uint32_t ones)
{
	uint32_t old = read32(at), size;

	write32(at, ones);
	size = read32(at);
	write32(at, old);
	return size;
}

static void sizing(void)
{
	uint64_t size;

	pci_init(&pci, &gpu);
	tap_ok(~(size_of(0x30, PCI_ROM_ADDRESS_MASK) & PCI_ROM_ADDRESS_MASK) + 1 == 64 << 10,
	       "ROM: 64 KiB");
	size = size_of(0x10, ~0u) & ~0xfu;
	size |= (uint64_t)size_of(0x14, ~0u) << 32;
	tap_ok(~size + 1 == 8ull << 30, "BAR 0: 8 GiB");
	size = size_of(0x18, ~0u) & ~0xfu;
	size |= (uint64_t)size_of(0x1c, ~0u) << 32;
	tap_ok(~size + 1 == 2 << 20, "BAR 2: 2 MiB");
	tap_ok(~(size_of(0x24, ~0u) & ~0xfu) + 1 == 512 << 10, "BAR 5: 512 KiB");
	tap_ok(!size_of(0x20, ~0u), "BAR 4: none");
}

static void bases(void)
{
	pci_init(&pci, &gpu);
	write32(0x14, 0x12);
	write32(0x18, 0xe0000000);
	/* looks like the type of a 64-bit BAR, and is none */
	write32(0x1c, 4);
	write32(0x24, 0xfebfffff);
	tap_ok(pci_bar_base(&pci, 0) == 0x12ull << 32 && !pci_bar_base(&pci, 1) &&
	       pci_bar_base(&pci, 2) == 0x4e0000000 && !pci_bar_base(&pci, 3) &&
	       !pci_bar_base(&pci, 4) && pci_bar_base(&pci, 5) == 0xfeb80000,
	       "addresses of BARs");
}

static void enables(void)
{
	pci_init(&pci, &gpu);
	tap_ok(!pci_msi_enabled(&pci) && !pci_memory_enabled(&pci) &&
	       !pci_master_enabled(&pci), "nothing is enabled");
	write32(4, 2);
	tap_ok(pci_memory_enabled(&pci) && !pci_master_enabled(&pci), "memory");
	write32(4, 4);
	tap_ok(!pci_memory_enabled(&pci) && pci_master_enabled(&pci), "bus master");
	pci_write(&pci, 0xa2, "\1", 1);
	tap_ok(pci_msi_enabled(&pci), "MSI");
	pci_write(&pci, 0xa2, "\0", 1);
	tap_ok(!pci_msi_enabled(&pci), "MSI is disabled");
	pci_write(&pci, 0xa2, "\1", 1);
	pci_reset(&pci);
	tap_ok(!pci_msi_enabled(&pci) && !pci_master_enabled(&pci), "reset");
}

/* the list that Linux walks; each once */
static void capabilities(void)
{
	unsigned int at, n = 0, ids = 0;

	pci_init(&pci, &gpu);
	for (at = read32(0x34) & 0xff; at && n < 48; n++) {
		ids = ids << 8 | (read32(at) & 0xff);
		at = read32(at) >> 8 & 0xff;
	}
	tap_ok(n == 2 && ids == (PCI_CAP_ID_EXP << 8 | PCI_CAP_ID_MSI), "capabilities");
	tap_ok(!read32(0x100), "no extended capability");
}

/* what pcie_get_speed_cap() and pcie_get_width_cap() compute */
static void links(void)
{
	struct pci_desc desc = gpu;
	unsigned int speed, width, bad = 0, n = 0;

	for (speed = 0; speed < 8; speed++) {
		for (width = 0; width <= 32; width++) {
			bool valid = speed >= 1 && speed <= 5 && width && width <= 16 &&
				     __builtin_popcount(width) == 1;

			desc.link_speed = speed;
			desc.link_width = width;
			n += valid;
			if (pci_init(&pci, &desc) != (valid ? 0 : -EINVAL))
				bad++;
			if (!valid)
				continue;
			bad += 31 - __builtin_clz(read32(0x50 + PCI_EXP_LNKCAP2)) != (int)speed ||
			       (read32(0x50 + PCI_EXP_LNKCAP) & 0xf) != speed ||
			       (read32(0x50 + PCI_EXP_LNKCAP) >> 4 & 0x3f) != width ||
			       (read32(0x50 + PCI_EXP_LNKCTL) >> 16 & 0x3ff) !=
			       (speed | width << 4);
		}
	}
	tap_ok(!bad && n == 25, "%u links", n);
}

static void odd_desc(const char *name, const struct pci_desc *desc)
{
	tap_ok(pci_init(&pci, desc) == -EINVAL, "refused: %s", name);
}

static void odd_bar(const char *name, unsigned int nr, struct pci_bar bar)
{
	struct pci_desc desc = gpu;

	desc.bars[nr] = bar;
	odd_desc(name, &desc);
}

static void odd_descs(void)
{
	struct pci_desc desc = gpu;
	static const uint32_t roms[] = { 1024, 3 << 11, 32 << 20, 1u << 31 };
	unsigned int i, good = 0;

	odd_bar("BAR of 3 pages", 4, (struct pci_bar){ .size = 0x3000 });
	odd_bar("BAR of 8 bytes", 4, (struct pci_bar){ .size = 8 });
	odd_bar("32-bit BAR of 4 GiB", 4, (struct pci_bar){ .size = 1ull << 32 });
	odd_bar("64-bit BAR without an upper half", 5,
		(struct pci_bar){ .size = 16, .is_64 = true });
	odd_bar("BAR in an upper half", 1, (struct pci_bar){ .size = 16 });
	for (i = 0; i < sizeof(roms) / sizeof(roms[0]); i++) {
		desc.rom_size = roms[i];
		good += pci_init(&pci, &desc) == -EINVAL;
	}
	tap_ok(good == i, "refused: sizes of a ROM");
	desc = gpu;
	desc.class_code = 1 << 24;
	odd_desc("class of 25 bits", &desc);
	desc = gpu;
	desc.interrupt_pin = 5;
	odd_desc("INTE", &desc);
}

int main(void)
{
	static const unsigned int lens[] = { 1, 2, 4, 8, 3, 7 };
	unsigned int i;

	tap_plan(2 + 6 + 2 + 5 + 1 + 6 + 2 + 1 + 8);
	reference_init();
	initial_values();
	for (i = 0; i < 6; i++)
		random_accesses(lens[i]);
	odd_accesses();
	sizing();
	bases();
	enables();
	capabilities();
	links();
	odd_descs();
	return tap_status();
}
