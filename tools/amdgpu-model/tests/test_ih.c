// SPDX-License-Identifier: GPL-2.0
/* The ring of interrupts, and what a page fault is for amdgpu. */
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "soc15_int.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "oss/osssys_4_2_0_sh_mask.h"

#include "field.h"
#include "tap.h"
#include "world.h"

#define le32_to_cpu(value)	(value)
#define ENTRIES			(IH_BYTES / 32)
#define IH_DOORBELL		0x1e8u

static struct world w;

static const struct ih_entry sample = {
	.client = 0x1b, .source = 0xef, .ring = 0xa5, .vmid = 0xd, .pasid = 0x8123,
	.data = { 0x11111111, 0x22222222, 0x33333333, 0x44444444 },
};

static bool raise_nr(uint32_t nr)
{
	struct ih_entry entry = sample;

	entry.data[0] = nr;
	return ih_raise(&w.gpu->ih, &entry);
}

static uint64_t interrupts(void)
{
	uint64_t count = 0;

	return read(w.event, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static uint32_t cntl(void)
{
	return mmio_read(&w, "OSSSYS IH_RB_CNTL");
}

static void check_entry(void)
{
	uint64_t before = clock_ns() / 10, stamp;
	uint32_t e[8];

	interrupts();
	tap_ok(raise_nr(5) && interrupts() == 1 && w.gpu->ih.delivered == 1 &&
	       mmio_read(&w, "OSSSYS IH_RB_WPTR") == 32 &&
	       *guest32(&w, AT_IH_WPTR) == 32 && ih_next(&w, e), "an entry and an MSI");
	tap_ok(SOC15_CLIENT_ID_FROM_IH_ENTRY(e) == 0x1b &&
	       SOC15_SOURCE_ID_FROM_IH_ENTRY(e) == 0xef &&
	       SOC15_RING_ID_FROM_IH_ENTRY(e) == 0xa5 &&
	       SOC15_VMID_FROM_IH_ENTRY(e) == 0xd && !SOC15_VMID_TYPE_FROM_IH_ENTRY(e) &&
	       SOC15_PASID_FROM_IH_ENTRY(e) == 0x8123 &&
	       SOC15_NODEID_FROM_IH_ENTRY(e) == world_gpu()->gc_node &&
	       SOC15_CONTEXT_ID0_FROM_IH_ENTRY(e) == 5 &&
	       SOC15_CONTEXT_ID1_FROM_IH_ENTRY(e) == 0x22222222 &&
	       SOC15_CONTEXT_ID2_FROM_IH_ENTRY(e) == 0x33333333 &&
	       SOC15_CONTEXT_ID3_FROM_IH_ENTRY(e) == 0x44444444,
	       "as amdkfd reads it");
	/* amdgpu_ih_decode_iv_helper(): 48 bits of time */
	stamp = e[1] | (uint64_t)(e[2] & 0xffff) << 32;
	tap_ok(stamp >= (before & 0xffffffffffff) &&
	       stamp <= (clock_ns() / 10 & 0xffffffffffff) && !(e[2] >> 16),
	       "and its time");
}

static void check_ring(void)
{
	unsigned int i, round, bad = 0;
	uint64_t lost = w.gpu->ih.lost, delivered = w.gpu->ih.delivered;
	uint32_t e[8];

	/* more and more, so that it wraps at each place */
	for (round = 1; round < ENTRIES; round++) {
		for (i = 0; i < round; i++)
			bad += !raise_nr(round << 8 | i);
		for (i = 0; i < round; i++)
			bad += !ih_next(&w, e) || e[4] != (round << 8 | i);
		bad += ih_next(&w, e);
	}
	tap_ok(!bad && w.gpu->ih.lost == lost, "it wraps");
	delivered = w.gpu->ih.delivered;
	for (i = 0; i < ENTRIES - 1; i++)
		bad += !raise_nr(i);
	interrupts();
	bad += raise_nr(100) || raise_nr(101) || interrupts();
	tap_ok(!bad && w.gpu->ih.lost == lost + 2 &&
	       w.gpu->ih.delivered == delivered + ENTRIES - 1 &&
	       world_log(&w, "lost: client 0x1b source 239: the ring is full") == 2,
	       "a full ring: lost, and counted");
	for (i = 0; i < ENTRIES - 1; i++)
		bad += !ih_next(&w, e) || e[4] != i;
	bad += ih_next(&w, e) || !raise_nr(7) || !ih_next(&w, e) || e[4] != 7;
	tap_ok(!bad, "what was there before is whole");
}

static void check_doorbell(void)
{
	uint32_t i, before = mmio_read(&w, "OSSSYS IH_RB_RPTR");

	mmio_write(&w, "OSSSYS IH_DOORBELL_RPTR",
		   FIELD_PUT(IH_DOORBELL_RPTR, OFFSET, IH_DOORBELL));
	bar_write(&w, VFIO_PCI_BAR2_REGION_INDEX, IH_DOORBELL * 4, 64, 4);
	tap_ok(mmio_read(&w, "OSSSYS IH_RB_RPTR") == before, "a doorbell that is off");
	mmio_write(&w, "OSSSYS IH_DOORBELL_RPTR",
		   FIELD_PUT(IH_DOORBELL_RPTR, OFFSET, IH_DOORBELL) |
		   FIELD_PUT(IH_DOORBELL_RPTR, ENABLE, 1));
	for (i = 0; raise_nr(i); i++)
		;
	bar_write(&w, VFIO_PCI_BAR2_REGION_INDEX, IH_DOORBELL * 4, before + 64, 4);
	tap_ok(mmio_read(&w, "OSSSYS IH_RB_RPTR") == before + 64 && raise_nr(8) &&
	       raise_nr(9) && !raise_nr(10), "the read pointer by a doorbell makes room");
	bar_write(&w, VFIO_PCI_BAR2_REGION_INDEX, IH_DOORBELL * 4 + 4, 0, 4);
	tap_ok(mmio_read(&w, "OSSSYS IH_RB_RPTR") == before + 64, "the next one is another's");
	mmio_write(&w, "OSSSYS IH_DOORBELL_RPTR", 0);
	ih_drain(&w);
}

static void check_off(void)
{
	uint32_t on = cntl(), wptr = mmio_read(&w, "OSSSYS IH_RB_WPTR"), e[8];
	uint64_t lost = w.gpu->ih.lost;

	interrupts();
	mmio_write(&w, "OSSSYS IH_RB_CNTL", on & ~IH_RB_CNTL__RB_ENABLE_MASK);
	tap_ok(!raise_nr(1) && !interrupts() && w.gpu->ih.lost == lost + 1 &&
	       mmio_read(&w, "OSSSYS IH_RB_WPTR") == wptr, "a ring that is off");
	mmio_write(&w, "OSSSYS IH_RB_CNTL", on & ~IH_RB_CNTL__ENABLE_INTR_MASK);
	tap_ok(raise_nr(2) && !interrupts() && ih_next(&w, e) && e[4] == 2,
	       "without interrupts: entries alone");
	mmio_write(&w, "OSSSYS IH_RB_CNTL", on & ~IH_RB_CNTL__WPTR_WRITEBACK_ENABLE_MASK);
	*guest32(&w, AT_IH_WPTR) = 0x777;
	tap_ok(raise_nr(3) && *guest32(&w, AT_IH_WPTR) == 0x777,
	       "the write pointer is written where it is wanted");
	mmio_write(&w, "OSSSYS IH_RB_CNTL", on);
	mmio_write(&w, "OSSSYS IH_RB_BASE", (GUEST_GART + GUEST_BYTES) >> 8);
	wptr = mmio_read(&w, "OSSSYS IH_RB_WPTR");
	interrupts();
	tap_ok(!raise_nr(4) && !interrupts() &&
	       mmio_read(&w, "OSSSYS IH_RB_WPTR") == wptr &&
	       world_log(&w, "the ring is not in memory") == 1, "a ring without memory");
	world_start(&w);
}

static void check_bus(void)
{
	uint32_t e[8];

	mmio_write(&w, "OSSSYS IH_RB_BASE", (GUEST_BUS + AT_IH + 0x800) >> 8);
	mmio_write(&w, "OSSSYS IH_RB_WPTR_ADDR_LO", GUEST_BUS + AT_IH_WPTR + 64);
	mmio_write(&w, "OSSSYS IH_RB_CNTL", (cntl() & ~IH_RB_CNTL__MC_SPACE_MASK) |
		   FIELD_PUT(IH_RB_CNTL, MC_SPACE, 2));
	tap_ok(raise_nr(0x55) && *guest32(&w, AT_IH + 0x800 + 16) == 0x55 &&
	       *guest32(&w, AT_IH_WPTR + 64) == 32, "addresses of the bus");
	world_start(&w);
	/* registers of the guest that make no sense */
	mmio_write(&w, "OSSSYS IH_RB_WPTR", IH_BYTES - 4);
	*guest32(&w, AT_IH + IH_BYTES) = 0x99;
	raise_nr(1);
	tap_ok(*guest32(&w, AT_IH + IH_BYTES) == 0x99,
	       "a write pointer between entries: nothing behind the ring");
	mmio_write(&w, "OSSSYS IH_RB_CNTL", cntl() & ~IH_RB_CNTL__RB_SIZE_MASK);
	tap_ok(!raise_nr(1), "a ring of no entry");
	mmio_write(&w, "OSSSYS IH_RB_CNTL", cntl() | IH_RB_CNTL__RB_SIZE_MASK);
	mmio_write(&w, "OSSSYS IH_RB_WPTR", 0xffffffff);
	tap_ok(!raise_nr(1), "a write pointer outside of memory");
	world_start(&w);
	tap_ok(raise_nr(6) && ih_next(&w, e) && e[4] == 6, "and all is well again");
}

static void check_fault(void)
{
	struct vm vm = { .root = 0x300000, .vmid = 5, .pasid = 0x8044 };
	static const struct {
		uint64_t va;
		int level;
		bool write;
	} faults[] = {
		{ 0x7f1234567abc, 0, true }, { 0xfff, 3, false }, { 0x800000001000, -1, true },
	};
	unsigned int i, bad = 0;
	uint32_t e[8], status;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct vm_fault fault = { faults[i].va, faults[i].level, 0, faults[i].write };

		ih_raise_fault(&w.gpu->ih, &vm, &fault);
		status = mmio_read(&w, "GC VM_L2_PROTECTION_FAULT_STATUS");
		/* gmc_v9_0_process_interrupt() */
		bad += !ih_next(&w, e) ||
		       SOC15_CLIENT_ID_FROM_IH_ENTRY(e) != SOC15_IH_CLIENTID_UTCL2 ||
		       SOC15_SOURCE_ID_FROM_IH_ENTRY(e) != SOC15_INTSRC_VMC_FAULT ||
		       SOC15_VMID_FROM_IH_ENTRY(e) != 5 ||
		       SOC15_PASID_FROM_IH_ENTRY(e) != 0x8044 ||
		       ((uint64_t)e[4] << 12 | (uint64_t)(e[5] & 0xf) << 44) !=
		       (faults[i].va & ~0xfffull) ||
		       !!(e[5] & 0x20) != faults[i].write || e[5] & 0x80 ||
		       FIELD_GET(status, VM_L2_PROTECTION_FAULT_STATUS, VMID) != 5 ||
		       FIELD_GET(status, VM_L2_PROTECTION_FAULT_STATUS, RW) !=
		       faults[i].write;
	}
	tap_ok(!bad, "page faults, as amdgpu reads them");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(3 + 3 + 3 + 4 + 5 + 1 + 1);
	world_create(&w, true);
	check_entry();
	check_ring();
	check_doorbell();
	check_off();
	check_bus();
	check_fault();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
