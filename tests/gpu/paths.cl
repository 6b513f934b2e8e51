// SPDX-License-Identifier: GPL-2.0
/*
 * The paths to memory, one per kernel: each accesses the word AT n times by its
 * path, and then one word, the control, by a vector load. The value read by the
 * path is stored to to[0], the control's value to to[1]. They have no model.
 */
#include "gpu.h"

#define WAY	WORKGROUP(64, 1) void

typedef __global volatile uint *word;

#define VALUE	0x5a5a5a5au	/* stored by the paths */

/* one store by the whole wave, of a register to one address */
static void out(word to, uint value)
{
	__asm__ volatile("global_store_dword %0, %1, off\n\t"
			 "s_waitcnt vmcnt(0)" : : "v"(to), "v"(value) : "memory");
}

/* "&": the address survives, so that the hit is exact */
static uint load(word at)
{
	uint value;

	__asm__ volatile("global_load_dword %0, %1, off\n\t"
			 "s_waitcnt vmcnt(0)" : "=&v"(value) : "v"(at) : "memory");
	return value;
}

static void finish(word control, word to, uint way)
{
	out(to, way);
	out(to + 1, load(control));
}

/* address used where AT is not a global address */
#define CONTROL(to)	((to) + 64)

#define TIMES(n)	_Pragma("clang loop unroll(disable)") while ((n)--)

/* ---- scalar memory ------------------------------------------------------- */

__kernel WAY scalar_load(word at, word to, uint n)
{
	uint value = 0;

	TIMES(n)
		__asm__ volatile("s_dcache_inv\n\t"
				 "s_load_dword %0, %1, 0x0\n\t"
				 "s_waitcnt lgkmcnt(0)"
				 : "=s"(value) : "s"(at) : "memory");
	finish(at, to, value);
}

__kernel WAY scalar_buffer_load(word at, word to, uint n)
{
	uint4 buffer = { (uint)(ulong)at, (uint)((ulong)at >> 32), 64, 0x27000 };
	uint value = 0;

	TIMES(n)
		__asm__ volatile("s_dcache_inv\n\t"
				 "s_buffer_load_dword %0, %1, 0x0\n\t"
				 "s_waitcnt lgkmcnt(0)"
				 : "=s"(value) : "s"(buffer) : "memory");
	finish(at, to, value);
}

__kernel WAY scalar_store(word at, word to, uint n)
{
	TIMES(n)
		__asm__ volatile("s_store_dword %0, %1, 0x0\n\t"
				 "s_dcache_wb\n\t"
				 "s_waitcnt lgkmcnt(0)"
				 : : "s"(VALUE), "s"(at) : "memory");
	finish(at, to, VALUE);
}

/* each adds 1 */
__kernel WAY scalar_atomic(word at, word to, uint n)
{
	uint value = 0;

	TIMES(n) {
		value = 1;
		__asm__ volatile("s_atomic_add %0, %1, 0x0 glc\n\t"
				 "s_waitcnt lgkmcnt(0)"
				 : "+s"(value) : "s"(at) : "memory");
	}
	finish(at, to, value);
}

/* ---- LDS and private memory ---------------------------------------------- */

#define LDS_WORDS	1280

/* at: an offset in LDS */
__kernel WAY lds(uint at, word to, uint n)
{
	__local volatile uint area[LDS_WORDS];
	uint value = 0;

	area[LOCAL_X] = 0;
	TIMES(n)
		__asm__ volatile("v_mov_b32 %0, %2\n\t"
				 "ds_write_b32 %1, %0\n\t"
				 "ds_read_b32 %0, %1\n\t"
				 "s_waitcnt lgkmcnt(0)"
				 : "=&v"(value) : "v"(at), "s"(VALUE) : "memory");
	finish(CONTROL(to), to, value + area[LOCAL_X]);
}

/* bits 63:32 of an aperture's addresses; gfx9 */
#define SHARED_HIGH()	high("s_getreg_b32 %0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)")
#define PRIVATE_HIGH()	high("s_getreg_b32 %0, hwreg(HW_REG_SH_MEM_BASES, 0, 16)")
#define high(get)	({						\
	uint h_;							\
	__asm__ volatile(get "\n\ts_lshl_b32 %0, %0, 16" : "=s"(h_) : : "scc"); \
	h_; })

static uint flat(ulong address)
{
	uint value;

	__asm__ volatile("v_mov_b32 %0, %2\n\t"
			 "flat_store_dword %1, %0\n\t"
			 "s_waitcnt vmcnt(0) lgkmcnt(0)\n\t"
			 "flat_load_dword %0, %1\n\t"
			 "s_waitcnt vmcnt(0) lgkmcnt(0)"
			 : "=&v"(value) : "v"(address), "s"(VALUE) : "memory");
	return value;
}

__kernel WAY flat_lds(uint at, word to, uint n)
{
	__local volatile uint area[LDS_WORDS];
	uint value = 0;

	area[LOCAL_X] = 0;
	TIMES(n)
		value = flat((ulong)SHARED_HIGH() << 32 | at);
	finish(CONTROL(to), to, value + area[LOCAL_X]);
}

#define PRIVATE_WORDS	1280

/*
 * at: an offset in private memory. to[4:5]: base address of the wave's private
 * memory. The compiler sees no flat access; the clobber of flat_scratch makes
 * it set up the register. Hardware does that on gfx942.
 */
#ifdef __gfx942__
#define SET_UP
#else
#define SET_UP "flat_scratch"
#endif

__kernel WAY flat_private(uint at, word to, uint n)
{
	volatile uint area[PRIVATE_WORDS];
	uint value = 0, low, hi;

	area[LOCAL_X] = 0;
	__asm__ volatile("s_mov_b32 %0, flat_scratch_lo\n\t"
			 "s_mov_b32 %1, flat_scratch_hi"
			 : "=s"(low), "=s"(hi) : : SET_UP);
	out(to + 4, low);
	out(to + 5, hi);
	TIMES(n)
		value = flat((ulong)PRIVATE_HIGH() << 32 | at);
	finish(CONTROL(to), to, value + area[LOCAL_X]);
}

/* ---- inactive lanes ------------------------------------------------------ */

/* records: bytes of the buffer that begins at AT - 4 */
__kernel WAY buffer(word at, word to, uint n, uint records)
{
	ulong base = (ulong)at - 4;
	uint4 rsrc = { (uint)base, (uint)(base >> 32), records, 0x27000 };

	TIMES(n)
		__asm__ volatile("buffer_store_dword %0, %1, %2, 0 offen\n\t"
				 "s_waitcnt vmcnt(0)"
				 : : "v"(VALUE), "v"(4), "s"(rsrc) : "memory");
	finish(at, to, 0);
}

/* lane i stores to the word at AT - 4 + 4 i, if it is in mask */
__kernel WAY lanes(word at, word to, uint n, ulong mask)
{
	word mine = at - 1 + LOCAL_X;

	TIMES(n) {
		ulong saved;

		__asm__ volatile("s_mov_b64 %0, exec\n\t"
				 "s_mov_b64 exec, %1\n\t"
				 "global_store_dword %2, %3, off\n\t"
				 "s_mov_b64 exec, %0\n\t"
				 "s_waitcnt vmcnt(0)"
				 : "=&s"(saved) : "s"(mask), "v"(mine), "v"(VALUE)
				 : "memory");
	}
	finish(at, to, 0);
}

/* ---- instruction fetches ------------------------------------------------- */

/* to[4:5]: address of the loop; the control reads the loop if AT is set */
__kernel WAY fetch(word at, word to, uint n)
{
	ulong pc;

	n++;
	__asm__ volatile("s_getpc_b64 %0\n"
			 "1:\n\t"
			 "s_sub_u32 %1, %1, 1\n\t"
			 "s_cmp_lg_u32 %1, 0\n\t"
			 "s_cbranch_scc1 1b"
			 : "=&s"(pc), "+s"(n) : : "scc");
	out(to + 4, (uint)pc);
	out(to + 5, (uint)(pc >> 32));
	finish(at, to, 0);
}

__kernel WAY vector(word at, word to, uint n)
{
	TIMES(n)
		out(at, VALUE);
	finish(at, to, VALUE);
}

__kernel WAY vector_flat(word at, word to, uint n)
{
	uint value = 0;

	TIMES(n)
		value = flat((ulong)at);
	finish(at, to, value);
}

__kernel WAY vector_atomic(word at, word to, uint n)
{
	TIMES(n)
		__asm__ volatile("global_atomic_add %0, %1, off\n\t"
				 "s_waitcnt vmcnt(0)"
				 : : "v"(at), "v"(1) : "memory");
	finish(at, to, 0);
}
