/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration space of a PCI Express endpoint with MSI.
 *
 * QEMU keeps BARs, interrupt line and most of MSI itself, but forwards each
 * write, and finds the size of the ROM by writing ones to its BAR and reading
 * it back. So all of them work here as they do in hardware.
 */
#ifndef AMDGPU_MODEL_PCI_H
#define AMDGPU_MODEL_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_CONFIG_SIZE	4096
#define PCI_NR_BARS	6

/* where the capabilities are */
#define PCI_EXPRESS_AT	0x50
#define PCI_MSI_AT	0xa0

/**
 * struct pci_bar - a base address register
 * @size: power of two and at least 16, or 0: none
 * @is_64: takes the next register, too
 * @prefetch: prefetchable
 */
struct pci_bar {
	uint64_t size;
	bool is_64;
	bool prefetch;
};

/**
 * struct pci_desc - what the device is
 * @vendor: identity
 * @device: identity
 * @subsystem_vendor: of the board
 * @subsystem: of the board
 * @revision: of the device
 * @class_code: class, subclass and programming interface in 24 bits
 * @bars: base address registers; all are memory
 * @rom_size: power of two from 2 KiB to 16 MiB, or 0: none
 * @interrupt_pin: 1 INTA, 0 none
 * @link_speed: 1 2.5, 2 5, 3 8, 4 16, 5 32 GT/s, as in PCI_EXP_LNKCAP_SLS
 * @link_width: lanes: 1, 2, 4, 8 or 16
 */
struct pci_desc {
	uint16_t vendor;
	uint16_t device;
	uint16_t subsystem_vendor;
	uint16_t subsystem;
	uint8_t revision;
	uint32_t class_code;
	struct pci_bar bars[PCI_NR_BARS];
	uint32_t rom_size;
	uint8_t interrupt_pin;
	uint8_t link_speed;
	uint8_t link_width;
};

/**
 * struct pci_config - the space
 * @bytes: as they are read
 * @writable: bits that a write changes
 * @initial: @bytes after reset
 */
struct pci_config {
	uint8_t bytes[PCI_CONFIG_SIZE];
	uint8_t writable[PCI_CONFIG_SIZE];
	uint8_t initial[PCI_CONFIG_SIZE];
};

/** pci_init() - build from a description; 0, or -EINVAL where it makes no sense */
int pci_init(struct pci_config *pci, const struct pci_desc *desc);

/** pci_reset() - as pci_init() left it */
void pci_reset(struct pci_config *pci);

/** pci_read() - any length, little endian; 0, or -EINVAL beyond the space */
int pci_read(const struct pci_config *pci, uint64_t offset, void *buf,
	     size_t len);

/** pci_write() - same; bits that are read-only stay */
int pci_write(struct pci_config *pci, uint64_t offset, const void *buf,
	      size_t len);

/** pci_msi_enabled() - whether the guest enabled MSI */
bool pci_msi_enabled(const struct pci_config *pci);

/** pci_memory_enabled() - whether the BARs are decoded */
bool pci_memory_enabled(const struct pci_config *pci);

/** pci_master_enabled() - whether the device may do DMA and send MSI */
bool pci_master_enabled(const struct pci_config *pci);

/** pci_bar_base() - the address that the guest wrote to BAR @nr (< PCI_NR_BARS), 0 none */
uint64_t pci_bar_base(const struct pci_config *pci, unsigned int nr);

#endif /* AMDGPU_MODEL_PCI_H */
