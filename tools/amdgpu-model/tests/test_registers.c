// SPDX-License-Identifier: GPL-2.0
/* Registers: their names and places, banks, counts, what a driver waits for. */
#include <fnmatch.h>
#include <string.h>

#include "gc/gc_9_4_2_sh_mask.h"

#include "field.h"
#include "tap.h"
#include "world.h"

static struct world w;

/* addresses that amdgpu uses, from its headers by hand: segment + offset */
struct place {
	const char *name;
	uint32_t index;
};

static const struct place places[] = {
	{ "GC TCP_WATCH0_ADDR_H", 0x32a0 },
	{ "GC TCP_WATCH0_CNTL", 0x32a2 },
	{ "GC TCP_WATCH3_CNTL", 0x32ab },
	{ "GC GRBM_GFX_INDEX", 0xa000 + 0x2200 },
	{ "GC GRBM_GFX_CNTL", 0x2000 + 0x0022 },
	{ "GC SQ_CMD", 0x2000 + 0x037b },
	{ "GC SQ_IND_INDEX", 0x2000 + 0x0378 },
	{ "GC CP_HQD_ACTIVE", 0x2000 + 0x1247 },
	{ "GC SCRATCH_REG0", 0xa000 + 0x2040 },
	{ "OSSSYS IH_RB_CNTL", 0x10a0 + 0x0080 },
	{ "HDP REMAPPED_MEM_FLUSH", 0x7f000 / 4 },
	{ "MP0 MP0_SMN_C2PMSG_33", 0x16061 },	/* of amdgpu_discovery.c */
	{ "NBIO RCC_CONFIG_MEMSIZE", 0x00de3 },	/* same */
	{ 0 }
};

/* the segments are those of aldebaran_ip_offset.h */
static const struct place places_gfx90a[] = {
	{ "NBIO BIOS_SCRATCH_7", 0x0053 },
	{ "MMHUB MC_VM_FB_LOCATION_BASE", 0x1a000 + 0x0cc0 },
	{ "SDMA0 SDMA0_GFX_RB_CNTL", 0x1260 + 0x0080 },
	{ "SDMA1 SDMA0_GFX_RB_CNTL", 0x1860 + 0x0080 },
	{ 0 }
};

/* the segments are those of the discovery table */
static const struct place places_gfx942[] = {
	{ "NBIO BIF_BX0_BIOS_SCRATCH_7", 0x0053 },
	{ "NBIO GPU_HDP_FLUSH_REQ", 0x0d20 + 0x0106 },
	{ "MMHUB MC_VM_FB_LOCATION_BASE", 0x14000 + 0x0c9c },
	{ "SDMA0 SDMA_GFX_RB_CNTL", 0x1260 + 0x0080 },
	{ "SDMA1 SDMA_GFX_RB_CNTL", 0x1860 + 0x0080 },
	{ 0 }
};

static void check_list(const struct place *place)
{
	char buf[16];

	for (; place->name; place++) {
		uint32_t index = registers_find(w.gpu->regs, place->name);

		tap_ok(index == place->index &&
		       !strcmp(register_name(w.gpu->regs, index, buf), place->name),
		       "%s is 0x%x", place->name, index);
	}
}

static const struct place *places_of_gpu(void)
{
	return world_gpu() == &personality_gfx942 ? places_gfx942 : places_gfx90a;
}

static void check_places(void)
{
	char buf[16];

	check_list(places);
	check_list(places_of_gpu());
	tap_ok(registers_find(w.gpu->regs, "GC NO_SUCH") == MODEL_NR_REGISTERS,
	       "a name that is none");
	tap_ok(!strcmp(register_name(w.gpu->regs, 0x1ffff, buf), "0x1ffff"),
	       "a register without a name");
}

/* each modelled register has a place of its own, where it says what it is */
static void check_modelled(void)
{
	const struct registers *r = w.gpu->regs;
	unsigned int id, other, bad = 0;

	for (id = R_NONE + 1; id < R_NR; id++) {
		bad += !r->cell[r->index[id]].name || !r->cell[r->index[id]].modelled ||
		       register_id(r, r->index[id]) != id;
		for (other = R_NONE + 1; other < id; other++)
			bad += r->index[other] == r->index[id];
	}
	tap_ok(!bad, "%u modelled registers are found", R_NR - 1);
}

static bool pattern_matches(const struct registers *regs, const char *pattern)
{
	uint32_t i;

	for (i = 0; i < MODEL_NR_REGISTERS; i++)
		if (regs->cell[i].name && !fnmatch(pattern, regs->cell[i].name, 0))
			return true;
	return false;
}

/* each of them names registers of one GPU at least */
static void check_plain(void)
{
	struct registers *a = registers_create(&personality_gfx90a, &w.gpu->log);
	struct registers *b = registers_create(&personality_gfx942, &w.gpu->log);
	const char * const *pattern;
	unsigned int bad = 0;

	for (pattern = plain_registers; *pattern; pattern++) {
		if (pattern_matches(a, *pattern) || pattern_matches(b, *pattern))
			continue;
		tap_note("%s matches none", *pattern);
		bad++;
	}
	registers_destroy(a);
	registers_destroy(b);
	tap_ok(!bad, "plain registers exist");
}

/* a personality that names a register that is none */
static void check_names(void)
{
	static const struct register_reset wrong[] = { { "GC NO_SUCH", 1 }, { 0 } };
	struct personality p = *world_gpu();

	p.resets = wrong;
	tap_ok(!registers_create(&p, &w.gpu->log) &&
	       world_log(&w, "FAULT registers: there is no GC NO_SUCH") == 1,
	       "a reset value of no register");
}

static void check_resets(void)
{
	const struct register_reset *reset;

	for (reset = world_gpu()->resets; reset->name; reset++)
		mmio_write(&w, reset->name, ~reset->value);
	select_queue(&w, 1, 2, 3, 5);
	mmio_write(&w, "GC CP_HQD_VMID", 7);
	mmio_write(&w, "GC SH_MEM_BASES", 7);
	registers_reset(w.gpu->regs, world_gpu());
	for (reset = world_gpu()->resets; reset->name; reset++)
		tap_ok(mmio_read(&w, reset->name) == reset->value, "%s is 0x%x",
		       reset->name, reset->value);
	tap_ok(!registers_bank(w.gpu->regs) && !w.gpu->regs->vmid,
	       "the first bank is selected");
	select_queue(&w, 1, 2, 3, 5);
	tap_ok(!mmio_read(&w, "GC CP_HQD_VMID") && !mmio_read(&w, "GC SH_MEM_BASES"),
	       "banks are 0");
	select_queue(&w, 0, 0, 0, 0);
}

/* each bank holds what was written to it */
static void check_queue_banks(void)
{
	unsigned int me, pipe, queue, i, bad = 0;

	for (i = 0; i < 2 * MODEL_NR_QUEUES; i++) {
		uint32_t value = 0x100 + i % MODEL_NR_QUEUES;

		me = i >> 5 & 3;
		pipe = i >> 3 & 3;
		queue = i & 7;
		select_queue(&w, me, pipe, queue, ~i & 15);
		if (i < MODEL_NR_QUEUES)
			mmio_write(&w, "GC CP_HQD_PQ_BASE", value);
		else
			bad += mmio_read(&w, "GC CP_HQD_PQ_BASE") != value;
	}
	tap_ok(!bad, "%u queues have registers of their own", MODEL_NR_QUEUES);
	select_queue(&w, 0, 0, 0, 0);
}

static void check_vmid_banks(void)
{
	unsigned int vmid, bad = 0;

	for (vmid = 0; vmid < MODEL_NR_VMIDS; vmid++) {
		select_queue(&w, vmid & 3, vmid >> 2, 0, vmid);
		mmio_write(&w, "GC TCP_WATCH2_CNTL", 0x100 + vmid);
	}
	reg_set_of_vmid(w.gpu->regs, R_GC_TCP_WATCH2_CNTL, 9, 0x999);
	for (vmid = 0; vmid < MODEL_NR_VMIDS; vmid++) {
		select_queue(&w, 0, 0, 0, vmid);
		bad += mmio_read(&w, "GC TCP_WATCH2_CNTL") !=
		       (vmid == 9 ? 0x999 : 0x100 + vmid);
	}
	tap_ok(!bad, "%u VMIDs have registers of their own", MODEL_NR_VMIDS);
	select_queue(&w, 0, 0, 0, 3);
	mmio_write(&w, "GC TCP_WATCH2_ADDR_L", 0x1234);
	select_queue(&w, 0, 0, 0, 4);
	tap_ok(mmio_read(&w, "GC TCP_WATCH2_ADDR_L") == 0x1234,
	       "the address of a comparator has none");
	select_queue(&w, 0, 0, 0, 0);
}

static void check_counts(void)
{
	uint64_t before = w.gpu->regs->unmodelled;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		mmio_write(&w, "GC PA_CL_ENHANCE", 0x77 + i);
		mmio_read(&w, "GC PA_CL_ENHANCE");
	}
	tap_ok(w.gpu->regs->unmodelled == before + 10, "each access is counted");
	tap_ok(mmio_read(&w, "GC PA_CL_ENHANCE") == 0x7b, "it is storage");
	tap_ok(world_log(&w, "not modelled: write GC PA_CL_ENHANCE") == 2 &&
	       world_log(&w, "not modelled: read GC PA_CL_ENHANCE") == 2,
	       "the first two are in the log");
	gpu_read_register(w.gpu, 0x1fffe);
	tap_ok(world_log(&w, "not modelled: read 0x1fffe") == 1,
	       "one without a name");
	before = w.gpu->regs->unmodelled;
	mmio_write(&w, "GC SQ_SHADER_TBA_LO", 5);
	mmio_read(&w, "GC RLC_CNTL");
	mmio_read(&w, "GC VM_INVALIDATE_ENG17_ACK");
	tap_ok(w.gpu->regs->unmodelled == before, "modelled and plain ones are not");
	tap_ok(world_log(&w, "debug: write GC SQ_SHADER_TBA_LO 0x00000005 vmid 0") == 1,
	       "each access to a register of debuggers is in the log");
	gpu_summary(w.gpu);
	tap_ok(world_log(&w, "not modelled: GC PA_CL_ENHANCE: 6 reads, 5 writes") == 1,
	       "the summary");
}

static void poll_register(const char *name, unsigned int times, uint64_t ns)
{
	while (times--) {
		mmio_read(&w, name);
		clock_advance(ns);
	}
}

static void check_polls(void)
{
	static const char line[] = "FAULT registers: the driver waits for GC GRBM_STATUS, which is 0x0";
	uint64_t second = 1000000000;

	poll_register("GC GRBM_STATUS", 99, second);
	tap_ok(!w.gpu->regs->polls, "99 reads are no wait");
	mmio_write(&w, "GC SCRATCH_REG1", 0);
	poll_register("GC GRBM_STATUS", 200, 1);
	tap_ok(!w.gpu->regs->polls, "nor are many in less than a second");
	mmio_write(&w, "GC SCRATCH_REG1", 0);
	poll_register("GC GRBM_STATUS", 200, second);
	tap_ok(w.gpu->regs->polls == 1 && world_log(&w, line) == 1,
	       "a wait of seconds is in the log, once");
	mmio_write(&w, "GC SCRATCH_REG1", 0);
	poll_register("GC GRBM_STATUS", 102, second / 90);
	tap_ok(w.gpu->regs->polls == 2 && world_log(&w, line) == 2,
	       "and the next one");
	for (second = 0; second < 300; second++) {
		mmio_write(&w, "GC SCRATCH_REG2", second / 90);
		poll_register("GC SCRATCH_REG2", 1, 100000000);
	}
	poll_register("GC RLC_GPU_CLOCK_COUNT_LSB", 90, 100000000);
	tap_ok(w.gpu->regs->polls == 2, "a register that is written is none");
}

/* what the hardware answers at once */
static void check_answers(void)
{
	uint32_t lsb, msb;
	uint64_t before;

	mmio_write(&w, "GC VM_INVALIDATE_ENG0_REQ", 0xf80041);
	gpu_write_register(w.gpu, register_index(&w, "MMHUB VM_INVALIDATE_ENG0_REQ") + 17,
			   0x8000);
	tap_ok(mmio_read(&w, "GC VM_INVALIDATE_ENG0_ACK") == 0x41 &&
	       mmio_read(&w, "MMHUB VM_INVALIDATE_ENG17_ACK") == 0x8000 &&
	       !mmio_read(&w, "GC VM_INVALIDATE_ENG17_ACK"),
	       "an invalidation is acknowledged by its engine");
	mmio_write(&w, "GC VM_INVALIDATE_ENG0_SEM", 0);
	tap_ok(mmio_read(&w, "GC VM_INVALIDATE_ENG0_SEM") == 1 &&
	       mmio_read(&w, "MMHUB VM_INVALIDATE_ENG17_SEM") == 1,
	       "a semaphore is free");
	mmio_write(&w, "GC RLC_SAFE_MODE", 0x13);
	tap_ok(mmio_read(&w, "GC RLC_SAFE_MODE") == 0x12, "RLC obeys");
	mmio_write(&w, "NBIO GPU_HDP_FLUSH_REQ", 0x204);
	tap_ok((mmio_read(&w, "NBIO GPU_HDP_FLUSH_DONE") & 0x204) == 0x204,
	       "HDP is flushed");
	before = clock_ns() / 10;
	mmio_write(&w, "GC RLC_CAPTURE_GPU_CLOCK_COUNT", 1);
	lsb = mmio_read(&w, "GC RLC_GPU_CLOCK_COUNT_LSB");
	msb = mmio_read(&w, "GC RLC_GPU_CLOCK_COUNT_MSB");
	tap_ok((lsb | (uint64_t)msb << 32) >= before &&
	       (lsb | (uint64_t)msb << 32) <= clock_ns() / 10,
	       "the clock counts 100 MHz");
	clock_advance(1000000);
	tap_ok(mmio_read(&w, "GC RLC_GPU_CLOCK_COUNT_LSB") == lsb,
	       "and stays as it was captured");
}

static void check_broadcasts(void)
{
	uint32_t all = FIELD_PUT(GRBM_GFX_INDEX, SE_BROADCAST_WRITES, 1) |
		       FIELD_PUT(GRBM_GFX_INDEX, SH_BROADCAST_WRITES, 1) |
		       FIELD_PUT(GRBM_GFX_INDEX, INSTANCE_BROADCAST_WRITES, 1);
	uint64_t before;

	mmio_write(&w, "GC GRBM_GFX_INDEX", all);
	before = w.gpu->log.faults;
	mmio_write(&w, "GC TCP_WATCH1_ADDR_L", 1);
	tap_ok(w.gpu->log.faults == before, "a comparator of all compute units");
	mmio_write(&w, "GC GRBM_GFX_INDEX",
		   FIELD_PUT(GRBM_GFX_INDEX, SH_BROADCAST_WRITES, 1) |
		   FIELD_PUT(GRBM_GFX_INDEX, INSTANCE_BROADCAST_WRITES, 1));
	mmio_write(&w, "GC TCP_WATCH3_CNTL", 1);
	mmio_write(&w, "GC TCP_WATCH0_ADDR_H", 1);
	mmio_write(&w, "GC SCRATCH_REG0", 1);
	tap_ok(w.gpu->log.faults == before + 2, "of one shader engine: a fault");
	mmio_write(&w, "GC GRBM_GFX_INDEX", all);
}

/* accesses that the bus splits otherwise */
static void check_widths(void)
{
	const struct vfu_ops *ops = w.gpu->device.ops;
	uint32_t at = register_index(&w, "GC SCRATCH_REG0") * 4, value[2];

	tap_ok(!bar_write(&w, 5, at, 0x1111222233334444, 8) &&
	       !ops->region_read(w.gpu, 5, at, value, 8) &&
	       value[0] == 0x33334444 && value[1] == 0x11112222,
	       "two registers at once");
	tap_ok(bar_write(&w, 5, at, 0, 2) && bar_write(&w, 5, at + 2, 0, 4) &&
	       bar_write(&w, 5, at + 1, 0, 1) &&
	       ops->region_read(w.gpu, 5, at + 2, value, 4) &&
	       mmio_read(&w, "GC SCRATCH_REG0") == 0x33334444,
	       "less than one is refused");
}

static int count_places(const struct place *place)
{
	int nr = 0;

	while (place[nr].name)
		nr++;
	return nr;
}

static int count_resets(void)
{
	int nr = 0;

	while (world_gpu()->resets[nr].name)
		nr++;
	return nr;
}

int main(void)
{
	unsigned int fds = fds_open();

	tap_plan(count_places(places) + count_places(places_of_gpu()) + 2 + 1 + 2 +
		 count_resets() + 2 + 1 + 2 + 7 + 5 + 6 + 2 + 2 + 1);
	world_create(&w, true);
	check_places();
	check_modelled();
	check_names();
	check_plain();
	check_resets();
	check_queue_banks();
	check_vmid_banks();
	check_counts();
	check_polls();
	check_answers();
	check_broadcasts();
	check_widths();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
