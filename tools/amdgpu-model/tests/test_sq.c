// SPDX-License-Identifier: GPL-2.0
/*
 * Waves: where they are, what SQ_IND reads of them, which SQ_CMD reaches, and their
 * interrupt as amdkfd decodes it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "soc15_int.h"
#include "gc/gc_9_4_2_offset.h"
#include "gc/gc_9_4_2_sh_mask.h"
#include "sq_words.h"

#include "field.h"
#include "tap.h"
#include "world.h"

#define le32_to_cpu(value)	(value)

static struct world w;
static unsigned long long seed = 0x59;

static unsigned int pick(unsigned int below)
{
	return tap_random(&seed) % below;
}

static struct sq_wave random_wave(void)
{
	struct sq_wave wave = {
		.place = { pick(4), pick(2), pick(16), pick(4), pick(10) },
		.vm = { .vmid = pick(15) + 1, .pasid = 0x8000 + pick(16) },
		.doorbell = pick(1024), .code = pick(1 << 14),
		.status = tap_random(&seed), .trapsts = tap_random(&seed),
		.mode = tap_random(&seed), .pc = tap_random(&seed),
		.exec = tap_random(&seed),
	};
	unsigned int i;

	for (i = 0; i < 108; i++)
		wave.sgpr[i] = tap_random(&seed);
	for (i = 0; i < 16; i++)
		wave.ttmp[i] = tap_random(&seed);
	for (i = 0; i < SQ_NR_LANES * SQ_NR_VGPRS; i++)
		wave.vgpr[i / SQ_NR_VGPRS][i % SQ_NR_VGPRS] = tap_random(&seed);
	return wave;
}

/* amdgpu_gfx_select_se_sh() */
static void select_place(const struct sq_place *p)
{
	mmio_write(&w, "GC GRBM_GFX_INDEX", FIELD_PUT(GRBM_GFX_INDEX, SE_INDEX, p->se) |
		   FIELD_PUT(GRBM_GFX_INDEX, SH_INDEX, p->sh) |
		   FIELD_PUT(GRBM_GFX_INDEX, INSTANCE_INDEX, p->cu));
}

static void select_all(void)
{
	mmio_write(&w, "GC GRBM_GFX_INDEX",
		   FIELD_PUT(GRBM_GFX_INDEX, SE_BROADCAST_WRITES, 1) |
		   FIELD_PUT(GRBM_GFX_INDEX, SH_BROADCAST_WRITES, 1) |
		   FIELD_PUT(GRBM_GFX_INDEX, INSTANCE_BROADCAST_WRITES, 1));
}

/* wave_read_ind() of gfx_v9_0.c, and wave_read_regs() */
static void read_wave(const struct sq_place *p, unsigned int lane, unsigned int index,
		      unsigned int nr, uint32_t *out)
{
	select_place(p);
	mmio_write(&w, "GC SQ_IND_INDEX", FIELD_PUT(SQ_IND_INDEX, WAVE_ID, p->slot) |
		   FIELD_PUT(SQ_IND_INDEX, SIMD_ID, p->simd) |
		   FIELD_PUT(SQ_IND_INDEX, INDEX, index) |
		   FIELD_PUT(SQ_IND_INDEX, THREAD_ID, lane) |
		   FIELD_PUT(SQ_IND_INDEX, FORCE_READ, 1) |
		   FIELD_PUT(SQ_IND_INDEX, AUTO_INCR, nr > 1));
	while (nr--)
		*out++ = mmio_read(&w, "GC SQ_IND_DATA");
}

static uint32_t read_one(const struct sq_place *p, unsigned int index)
{
	uint32_t value;

	read_wave(p, 0, index, 1, &value);
	return value;
}

static uint32_t control_get(enum control_register nr)
{
	return gpu_read_register(w.gpu, CONTROL_BASE + nr);
}

static bool command(unsigned int mode, unsigned int check, unsigned int vmid,
		    const struct sq_place *p, unsigned int expect)
{
	uint64_t resumed = w.gpu->sq.resumed;

	mmio_write(&w, "GC SQ_CMD", FIELD_PUT(SQ_CMD, CMD, 1) | FIELD_PUT(SQ_CMD, MODE, mode) |
		   FIELD_PUT(SQ_CMD, CHECK_VMID, check) | FIELD_PUT(SQ_CMD, VM_ID, vmid) |
		   FIELD_PUT(SQ_CMD, WAVE_ID, p->slot) | FIELD_PUT(SQ_CMD, SIMD_ID, p->simd));
	return w.gpu->sq.resumed == resumed + expect;
}

/* ---- interrupts ---------------------------------------------------------- */

static bool interrupt_right(const struct sq_wave *wave)
{
	uint32_t e[8], data, c0;

	if (!ih_next(&w, e))
		return false;
	c0 = e[4];
	data = KFD_CONTEXT_ID_GET_SQ_INT_DATA(e[4], e[5]);
#define WORD(field)	((c0 & SQ_INTERRUPT_WORD_WAVE_CTXID__##field##_MASK) >> \
			 SQ_INTERRUPT_WORD_WAVE_CTXID__##field##__SHIFT)
	return SOC15_SOURCE_ID_FROM_IH_ENTRY(e) == SOC15_INTSRC_SQ_INTERRUPT_MSG &&
	       SOC15_CLIENT_ID_FROM_IH_ENTRY(e) ==
	       SOC15_IH_CLIENTID_SE0SH + (uint32_t)wave->place.se &&
	       SOC15_VMID_FROM_IH_ENTRY(e) == wave->vm.vmid &&
	       SOC15_PASID_FROM_IH_ENTRY(e) == wave->vm.pasid &&
	       WORD(ENCODING) == SQ_INTERRUPT_WORD_ENCODING_INST && WORD(PRIV) == 1 &&
	       WORD(SE_ID) == wave->place.se && WORD(SH_ID) == wave->place.sh &&
	       WORD(CU_ID) == wave->place.cu && WORD(SIMD_ID) == wave->place.simd &&
	       WORD(WAVE_ID) == wave->place.slot &&
	       KFD_DEBUG_DOORBELL_ID(data) == wave->doorbell &&
	       KFD_DEBUG_TRAP_CODE(data) == (wave->code & 0x1ff) &&
	       data == (wave->doorbell | (uint32_t)wave->code << 10);
#undef WORD
}

static void check_interrupts(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < 2000; i++) {
		struct sq_wave wave = random_wave();

		bad += sq_add(&w.gpu->sq, &wave) || !interrupt_right(&wave);
		sq_drop(&w.gpu->sq, 0);
	}
	tap_ok(!bad, "interrupts, as amdkfd decodes them");
}

/* ---- places -------------------------------------------------------------- */

static void check_places(void)
{
	struct sq_wave wave = { .vm.vmid = 1 }, other;
	unsigned int i, bad = 0;

	for (i = 0; i < SQ_MAX_WAVES; i++) {
		wave.place.slot = i;
		bad += sq_add(&w.gpu->sq, &wave);
	}
	ih_drain(&w);
	tap_ok(!bad && sq_count(&w.gpu->sq) == SQ_MAX_WAVES, "%u waves", SQ_MAX_WAVES);
	tap_ok(sq_add(&w.gpu->sq, &wave) == -EBUSY, "one in a place that is taken");
	wave.place.se = 1;
	tap_ok(sq_add(&w.gpu->sq, &wave) == -ENOSPC && !ih_drain(&w), "one more");
	sq_drop(&w.gpu->sq, 2);
	bad = sq_count(&w.gpu->sq) != SQ_MAX_WAVES;
	sq_drop(&w.gpu->sq, 1);
	tap_ok(!bad && !sq_count(&w.gpu->sq), "waves of a VMID are gone");
	/* a wave differs from another in each part of its place */
	wave = (struct sq_wave){ .place = { 1, 0, 2, 1, 3 }, .vm.vmid = 1, .mode = 7 };
	sq_add(&w.gpu->sq, &wave);
	for (i = 0; i < 5; i++) {
		other = wave;
		((uint8_t *)&other.place)[i] ^= 1;
		bad += read_one(&other.place, ixSQ_WAVE_MODE);
		select_place(&other.place);
		bad += !command(0, 0, 0, &other.place, 0);
	}
	tap_ok(!bad && read_one(&wave.place, ixSQ_WAVE_MODE) == 7,
	       "a place without a wave reads 0");
	sq_drop(&w.gpu->sq, 0);
}

/* ---- registers ----------------------------------------------------------- */

static bool registers_right(const struct sq_wave *wave)
{
	uint32_t out[108], id = read_one(&wave->place, ixSQ_WAVE_HW_ID);
	unsigned int lane;
	bool good = read_one(&wave->place, ixSQ_WAVE_STATUS) == wave->status &&
		    read_one(&wave->place, ixSQ_WAVE_TRAPSTS) == wave->trapsts &&
		    read_one(&wave->place, ixSQ_WAVE_MODE) == wave->mode &&
		    read_one(&wave->place, ixSQ_WAVE_PC_LO) == (uint32_t)wave->pc &&
		    read_one(&wave->place, ixSQ_WAVE_PC_HI) == wave->pc >> 32 &&
		    read_one(&wave->place, ixSQ_WAVE_EXEC_LO) == (uint32_t)wave->exec &&
		    read_one(&wave->place, ixSQ_WAVE_EXEC_HI) == wave->exec >> 32 &&
		    read_one(&wave->place, ixSQ_WAVE_TTMP4) == wave->ttmp[4] &&
		    FIELD_GET(id, SQ_WAVE_HW_ID, WAVE_ID) == wave->place.slot &&
		    FIELD_GET(id, SQ_WAVE_HW_ID, SIMD_ID) == wave->place.simd &&
		    FIELD_GET(id, SQ_WAVE_HW_ID, CU_ID) == wave->place.cu &&
		    FIELD_GET(id, SQ_WAVE_HW_ID, SH_ID) == wave->place.sh &&
		    FIELD_GET(id, SQ_WAVE_HW_ID, SE_ID) == wave->place.se &&
		    FIELD_GET(id, SQ_WAVE_HW_ID, VM_ID) == wave->vm.vmid;

	read_wave(&wave->place, 0, 0x200, 108, out);
	good &= !memcmp(out, wave->sgpr, sizeof(wave->sgpr));
	read_wave(&wave->place, 0, 0x26c, 16, out);
	good &= !memcmp(out, wave->ttmp, sizeof(wave->ttmp));
	for (lane = 0; lane < SQ_NR_LANES; lane++) {
		read_wave(&wave->place, lane, 0x400, SQ_NR_VGPRS + 2, out);
		good &= !memcmp(out, wave->vgpr[lane], sizeof(wave->vgpr[0])) &&
			!out[SQ_NR_VGPRS] && !out[SQ_NR_VGPRS + 1];
	}
	return good;
}

static void check_registers(void)
{
	struct sq_wave a = random_wave(), b = random_wave();
	uint32_t out[4], reads, writes;

	a.place.sh = 1;
	b.place = a.place;
	b.place.simd ^= 1;
	sq_add(&w.gpu->sq, &a);
	sq_add(&w.gpu->sq, &b);
	ih_drain(&w);
	tap_ok(registers_right(&a) && registers_right(&b), "all registers of two waves");
	read_wave(&a.place, 0, 0x200, 1, out);
	tap_ok(mmio_read(&w, "GC SQ_IND_DATA") == a.sgpr[0], "the index stays");
	reads = control_get(CONTROL_WAVE_READS);
	writes = control_get(CONTROL_WAVE_WRITES);
	read_wave(&a.place, 1, 0x400, 4, out);
	command(0, 1, 0, &a.place, 0);
	tap_ok(control_get(CONTROL_WAVE_READS) == reads + 4 &&
	       control_get(CONTROL_WAVE_WRITES) == writes + 3, "accesses are counted");
	read_wave(&a.place, 63, 0xffff, 2, out);
	tap_ok(!out[0] && !out[1] && !read_one(&a.place, 0x27c) &&
	       !read_one(&a.place, 0x1ff), "indices that are no register's");
	sq_drop(&w.gpu->sq, 0);
}

/* ---- commands ------------------------------------------------------------ */

static void check_commands(void)
{
	struct sq_wave wave[8] = { 0 };
	unsigned int i;

	for (i = 0; i < 8; i++) {
		wave[i].place = (struct sq_place){ i & 1, 0, i >> 1 & 1, i >> 2 & 1, i };
		wave[i].vm.vmid = 1 + (i & 1);
		sq_add(&w.gpu->sq, &wave[i]);
	}
	ih_drain(&w);
	select_place(&wave[5].place);
	tap_ok(command(0, 1, 1, &wave[5].place, 0) && command(0, 1, 2, &wave[5].place, 1) &&
	       command(0, 1, 2, &wave[5].place, 0), "a wave by its place and VMID");
	select_place(&wave[4].place);
	tap_ok(command(0, 0, 9, &wave[4].place, 1), "by its place alone");
	select_all();
	tap_ok(command(0, 0, 0, &wave[3].place, 1), "a slot of all compute units");
	/* 0, 1, 2, 6, 7 are there */
	tap_ok(command(1, 1, 3, &wave[0].place, 0) && command(1, 1, 2, &wave[0].place, 2),
	       "all waves of a VMID");
	select_place(&wave[2].place);
	tap_ok(command(1, 0, 0, &wave[0].place, 2), "of a compute unit");
	select_all();
	mmio_write(&w, "GC SQ_CMD", FIELD_PUT(SQ_CMD, CMD, 2) | FIELD_PUT(SQ_CMD, MODE, 1));
	mmio_write(&w, "GC SQ_CMD", FIELD_PUT(SQ_CMD, CMD, 1) | FIELD_PUT(SQ_CMD, MODE, 1) |
		   FIELD_PUT(SQ_CMD, DATA, 1));
	tap_ok(sq_count(&w.gpu->sq) == 1 && world_log(&w, "is not modelled") == 1,
	       "a kill is not modelled, a halted wave can be halted");
	tap_ok(command(1, 0, 0, &wave[0].place, 1) && !sq_count(&w.gpu->sq), "all");
}

/* ---- the registers of tests ---------------------------------------------- */

static void control_set(enum control_register nr, uint32_t value)
{
	gpu_write_register(w.gpu, CONTROL_BASE + nr, value);
}

static void check_control(void)
{
	struct queue queue = { .kind = QUEUE_AQL, .user = true, .doorbell = 0x1806,
		.vm = { .root = VRAM_ROOT | 1, .vmid = 9, .pasid = 0x8007 } };
	struct sq_place place = { 2, 1, 5, 3, 9 };
	uint64_t at = GUEST_USER + AT_DATA;
	uint32_t e[8], out[3];

	tap_ok(control_get(CONTROL_ID) == CONTROL_IDENT, "CONTROL_ID");
	control_set(CONTROL_STOP, 1);
	tap_ok(control_get(CONTROL_STOP) == ESRCH && !control_get(CONTROL_WAVES),
	       "no queue, no wave");
	tap_ok(control_get(CONTROL_COMPARATORS) == CONTROL_NO_PROCESS,
	       "no process, no comparators");
	w.gpu->engine.process[9].mapped = true;
	tap_ok(!control_get(CONTROL_COMPARATORS), "a process without comparators");
	queue_add(&w.gpu->engine, &queue);
	control_set(CONTROL_PLACE, 2 << 16 | 1 << 12 | 5 << 8 | 3 << 4 | 9);
	control_set(CONTROL_PC_LO, 0x1000);
	control_set(CONTROL_PC_HI, 0x7f);
	control_set(CONTROL_ADDR_LO, at);
	control_set(CONTROL_ADDR_HI, at >> 32);
	control_set(CONTROL_VALUE, 0x4242);
	control_set(CONTROL_CODE, 0x108);
	control_set(CONTROL_PASID, 0x8008);
	control_set(CONTROL_STOP, 5);
	tap_ok(control_get(CONTROL_STOP) == ESRCH, "of another process");
	control_set(CONTROL_PASID, 0x8007);
	control_set(CONTROL_STOP, 0x10d);
	tap_ok(!control_get(CONTROL_STOP) && control_get(CONTROL_WAVES) == 1 &&
	       *guest32(&w, AT_DATA) == 0x4242, "a wave stores and stops");
	read_wave(&place, 63, 0x400, 3, out);
	tap_ok(read_one(&place, ixSQ_WAVE_TRAPSTS) == (0x80 | 6 << 12) &&
	       read_one(&place, ixSQ_WAVE_PC_LO) == 0x1000 &&
	       read_one(&place, ixSQ_WAVE_STATUS) & SQ_WAVE_STATUS__HALT_MASK &&
	       out[0] == (uint32_t)at && out[1] == at >> 32 && out[2] == 0x4242,
	       "its registers say which comparators and where");
	tap_ok(ih_next(&w, e) &&
	       KFD_DEBUG_DOORBELL_ID(KFD_CONTEXT_ID_GET_SQ_INT_DATA(e[4], e[5])) == 3 &&
	       KFD_DEBUG_TRAP_CODE(KFD_CONTEXT_ID_GET_SQ_INT_DATA(e[4], e[5])) == 0x108,
	       "its interrupt names queue and code");
	control_set(CONTROL_STOP, 1);
	tap_ok(control_get(CONTROL_STOP) == EBUSY, "its place is taken");
	control_set(CONTROL_ADDR_HI, 0);
	control_set(CONTROL_STOP, 0x101);
	tap_ok(control_get(CONTROL_STOP) == EFAULT, "a store to no memory");
	select_all();
	tap_ok(command(1, 1, 9, &place, 1) && !control_get(CONTROL_WAVES) &&
	       control_get(CONTROL_RESUMED) == w.gpu->sq.resumed, "it goes on");
	control_set(CONTROL_MARK, 1234);
	tap_ok(world_log(&w, "control: mark 1234") == 1 &&
	       control_get(CONTROL_FAULTS) == w.gpu->log.faults, "marks and faults");
}

int main(void)
{
	unsigned int fds = fds_open();

	alarm(60);
	tap_plan(1 + 5 + 4 + 7 + 12 + 1);
	world_create(&w, true);
	check_interrupts();
	check_places();
	check_registers();
	check_commands();
	check_control();
	world_destroy(&w);
	tap_ok(fds_open() == fds, "no descriptor is left");
	return tap_status();
}
