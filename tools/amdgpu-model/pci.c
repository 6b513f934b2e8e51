// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <linux/pci_regs.h>
#include "pci.h"

/* of the command register; there is no I/O space */
#define COMMAND_WRITABLE (PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | \
			  PCI_COMMAND_PARITY | PCI_COMMAND_SERR | \
			  PCI_COMMAND_INTX_DISABLE)
#define MSI_WRITABLE	(PCI_MSI_FLAGS_ENABLE | PCI_MSI_FLAGS_QSIZE)
/* all but the start of a function level reset, which the device has not */
#define DEVCTL_WRITABLE	0x7fff
#define DEVCTL2_WRITABLE (PCI_EXP_DEVCTL2_COMP_TIMEOUT | \
			  PCI_EXP_DEVCTL2_COMP_TMOUT_DIS | \
			  PCI_EXP_DEVCTL2_ATOMIC_REQ)

/* where BAR @nr is */
static size_t bar_offset(unsigned int nr)
{
	return PCI_BASE_ADDRESS_0 + 4 * nr;
}

/* @len bytes of @value, little endian, and which of their bits a write changes */
static void field_init(struct pci_config *pci, size_t at, size_t len,
		       uint32_t value, uint32_t writable)
{
	size_t i;

	for (i = 0; i < len; i++) {
		pci->bytes[at + i] = value >> 8 * i;
		pci->writable[at + i] = writable >> 8 * i;
	}
}

static uint32_t field_get(const struct pci_config *pci, size_t at, size_t len)
{
	uint32_t value = 0;
	size_t i;

	for (i = 0; i < len; i++)
		value |= (uint32_t)pci->bytes[at + i] << 8 * i;
	return value;
}

static bool is_power_of_2(uint64_t n)
{
	return n && !(n & (n - 1));
}

static void header_init(struct pci_config *pci, const struct pci_desc *desc)
{
	field_init(pci, PCI_VENDOR_ID, 2, desc->vendor, 0);
	field_init(pci, PCI_DEVICE_ID, 2, desc->device, 0);
	field_init(pci, PCI_COMMAND, 2, 0, COMMAND_WRITABLE);
	field_init(pci, PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0);
	field_init(pci, PCI_REVISION_ID, 1, desc->revision, 0);
	field_init(pci, PCI_CLASS_PROG, 3, desc->class_code, 0);
	field_init(pci, PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
	field_init(pci, PCI_SUBSYSTEM_VENDOR_ID, 2, desc->subsystem_vendor, 0);
	field_init(pci, PCI_SUBSYSTEM_ID, 2, desc->subsystem, 0);
	field_init(pci, PCI_CAPABILITY_LIST, 1, PCI_EXPRESS_AT, 0);
	field_init(pci, PCI_INTERRUPT_LINE, 1, 0, 0xff);
	field_init(pci, PCI_INTERRUPT_PIN, 1, desc->interrupt_pin, 0);
}

static bool bar_valid(const struct pci_bar *bars, unsigned int nr)
{
	const struct pci_bar *bar = &bars[nr];

	if (!bar->size)
		return true;
	if (!is_power_of_2(bar->size) || bar->size < 16)
		return false;
	if (!bar->is_64)
		return bar->size <= 1ull << 31;
	return nr + 1 < PCI_NR_BARS && !bars[nr + 1].size;
}

static void bar_init(struct pci_config *pci, const struct pci_bar *bar,
		     unsigned int nr)
{
	uint64_t mask = ~(bar->size - 1);
	uint32_t type = (bar->is_64 ? PCI_BASE_ADDRESS_MEM_TYPE_64 : 0) |
			(bar->prefetch ? PCI_BASE_ADDRESS_MEM_PREFETCH : 0);

	if (!bar->size)
		return;
	field_init(pci, bar_offset(nr), 4, type, mask);
	if (bar->is_64)
		field_init(pci, bar_offset(nr + 1), 4, 0, mask >> 32);
}

static int bars_init(struct pci_config *pci, const struct pci_desc *desc)
{
	unsigned int nr;

	for (nr = 0; nr < PCI_NR_BARS; nr++) {
		if (!bar_valid(desc->bars, nr))
			return -EINVAL;
		bar_init(pci, &desc->bars[nr], nr);
	}
	return 0;
}

static int rom_init(struct pci_config *pci, uint32_t size)
{
	if (!size)
		return 0;
	if (!is_power_of_2(size) || size < 2048 || size > 16 << 20)
		return -EINVAL;
	field_init(pci, PCI_ROM_ADDRESS, 4, 0, -size | PCI_ROM_ADDRESS_ENABLE);
	return 0;
}

/*
 * The device is no root port's: that it may be a requester of atomics, which amdkfd tells
 * ROCm, Linux believes then of what it finds enabled.
 *
 * What amdgpu reads of the link is what bounds its transfers and its DPM tables.
 */
static int express_init(struct pci_config *pci, const struct pci_desc *desc)
{
	uint32_t width = desc->link_width, speed = desc->link_speed;
	size_t at = PCI_EXPRESS_AT;

	if (!is_power_of_2(width) || width > 16 || speed < 1 || speed > 5)
		return -EINVAL;
	field_init(pci, at + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_EXP, 0);
	field_init(pci, at + PCI_CAP_LIST_NEXT, 1, PCI_MSI_AT, 0);
	field_init(pci, at + PCI_EXP_FLAGS, 2, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 0);
	/* payload of 256 bytes; any latency will do */
	field_init(pci, at + PCI_EXP_DEVCAP, 4, 1 | PCI_EXP_DEVCAP_EXT_TAG |
		   PCI_EXP_DEVCAP_L0S | PCI_EXP_DEVCAP_L1 | PCI_EXP_DEVCAP_RBER, 0);
	field_init(pci, at + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_RELAX_EN |
		   PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B,
		   DEVCTL_WRITABLE);
	field_init(pci, at + PCI_EXP_LNKCAP, 4, speed | width << 4, 0);
	field_init(pci, at + PCI_EXP_LNKSTA, 2, speed | width << 4 |
		   PCI_EXP_LNKSTA_SLC, 0);
	field_init(pci, at + PCI_EXP_DEVCAP2, 4, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS |
		   PCI_EXP_DEVCAP2_ATOMIC_COMP32 | PCI_EXP_DEVCAP2_ATOMIC_COMP64, 0);
	field_init(pci, at + PCI_EXP_DEVCTL2, 2, PCI_EXP_DEVCTL2_ATOMIC_REQ,
		   DEVCTL2_WRITABLE);
	/* bit n: speed n; all up to the highest */
	field_init(pci, at + PCI_EXP_LNKCAP2, 4, (2u << speed) - 2, 0);
	field_init(pci, at + PCI_EXP_LNKCTL2, 2, speed, 0);
	return 0;
}

static void msi_init(struct pci_config *pci)
{
	size_t at = PCI_MSI_AT;

	field_init(pci, at + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_MSI, 0);
	field_init(pci, at + PCI_CAP_LIST_NEXT, 1, 0, 0);
	field_init(pci, at + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_64BIT, MSI_WRITABLE);
	field_init(pci, at + PCI_MSI_ADDRESS_LO, 4, 0, 0xfffffffc);
	field_init(pci, at + PCI_MSI_ADDRESS_HI, 4, 0, 0xffffffff);
	field_init(pci, at + PCI_MSI_DATA_64, 2, 0, 0xffff);
}

int pci_init(struct pci_config *pci, const struct pci_desc *desc)
{
	int err;

	memset(pci, 0, sizeof(*pci));
	if (desc->class_code >> 24 || desc->interrupt_pin > 4)
		return -EINVAL;
	header_init(pci, desc);
	err = bars_init(pci, desc);
	if (!err)
		err = rom_init(pci, desc->rom_size);
	if (!err)
		err = express_init(pci, desc);
	if (err)
		return err;
	msi_init(pci);
	memcpy(pci->initial, pci->bytes, sizeof(pci->initial));
	return 0;
}

void pci_reset(struct pci_config *pci)
{
	memcpy(pci->bytes, pci->initial, sizeof(pci->bytes));
}

static bool access_inside(uint64_t offset, size_t len)
{
	return offset <= PCI_CONFIG_SIZE && len <= PCI_CONFIG_SIZE - offset;
}

int pci_read(const struct pci_config *pci, uint64_t offset, void *buf, size_t len)
{
	if (!access_inside(offset, len))
		return -EINVAL;
	memcpy(buf, pci->bytes + offset, len);
	return 0;
}

int pci_write(struct pci_config *pci, uint64_t offset, const void *buf, size_t len)
{
	const uint8_t *data = buf;
	uint8_t *byte, writable;
	size_t i;

	if (!access_inside(offset, len))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		byte = &pci->bytes[offset + i];
		writable = pci->writable[offset + i];
		*byte = (*byte & ~writable) | (data[i] & writable);
	}
	return 0;
}

bool pci_msi_enabled(const struct pci_config *pci)
{
	return field_get(pci, PCI_MSI_AT + PCI_MSI_FLAGS, 2) & PCI_MSI_FLAGS_ENABLE;
}

bool pci_memory_enabled(const struct pci_config *pci)
{
	return field_get(pci, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY;
}

bool pci_master_enabled(const struct pci_config *pci)
{
	return field_get(pci, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
}

/* the upper half of a 64-bit BAR is none by itself */
static bool bar_is_upper(const struct pci_config *pci, unsigned int nr)
{
	return nr && pci->initial[bar_offset(nr - 1)] & PCI_BASE_ADDRESS_MEM_TYPE_64;
}

uint64_t pci_bar_base(const struct pci_config *pci, unsigned int nr)
{
	uint64_t base = field_get(pci, bar_offset(nr), 4) & ~0xfu;

	if (bar_is_upper(pci, nr))
		return 0;
	if (pci->initial[bar_offset(nr)] & PCI_BASE_ADDRESS_MEM_TYPE_64)
		base |= (uint64_t)field_get(pci, bar_offset(nr + 1), 4) << 32;
	return base;
}
