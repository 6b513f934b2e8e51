// SPDX-License-Identifier: GPL-2.0
/*
 * What a program may do to impersonate the trap handler, the driver or another
 * program. Each kernel that survives ends with one vector store to the word AT.
 * They have no model.
 */
#include "gpu.h"

#define FORGERY	WORKGROUP(64, 1) void

typedef __global volatile uint *word;

#define ASM(...)	__asm__ volatile(__VA_ARGS__)

static void store(word at)
{
	ASM("global_store_dword %0, %1, off\n\ts_waitcnt vmcnt(0)"
	    : : "v"(at), "v"(1) : "memory");
}

#define TIMES(n)	_Pragma("clang loop unroll(disable)") while ((n)--)

/* ---- messages ------------------------------------------------------------ */

/* a different payload each time: any doorbell, any code */
__kernel FORGERY interrupts(word at, uint n)
{
	TIMES(n)
		ASM("s_mov_b32 m0, %0\n\t"
		    "s_nop 0\n\t"
		    "s_sendmsg sendmsg(MSG_INTERRUPT)" : : "s"(n * 0x9e3779b1u));
	store(at);
}

/* the handler's payload, for each doorbell in turn */
__kernel FORGERY trap_interrupts(word at, uint n)
{
	TIMES(n)
		ASM("s_mov_b32 m0, %0\n\t"
		    "s_nop 0\n\t"
		    "s_sendmsg sendmsg(MSG_INTERRUPT)"
		    : : "s"((n & 1023) | 2 << 10));
	store(at);
}

#define MESSAGE(id)	"s_sendmsg " #id "\n\ts_nop 0\n\t"

/* get_doorbell returns its value in exec_lo */
__kernel FORGERY messages(word at)
{
	ulong exec;

	ASM("s_mov_b64 %0, exec\n\t"
	    MESSAGE(0) MESSAGE(2) MESSAGE(3) MESSAGE(4) MESSAGE(5) MESSAGE(6)
	    MESSAGE(7) MESSAGE(8) MESSAGE(9) MESSAGE(10) MESSAGE(11)
	    MESSAGE(12) MESSAGE(13) MESSAGE(14) MESSAGE(15) MESSAGE(0xfff0)
	    "s_mov_b64 exec, %0" : "=&s"(exec));
	store(at);
}

/* ---- state of the handler ------------------------------------------------ */

__kernel FORGERY write_ttmp(word at)
{
	ASM("s_mov_b32 ttmp0, 0");
	store(at);
}

__kernel FORGERY write_ttmps(word at)
{
	ASM("s_mov_b64 ttmp[14:15], -1");
	store(at);
}

__kernel FORGERY load_ttmps(word at)
{
	ASM("s_load_dwordx4 ttmp[4:7], %0, 0x0" : : "s"(at));
	store(at);
}

/* to: values that user code reads */
__kernel FORGERY read_ttmps(word at, word to)
{
	uint a, b;

	ASM("s_mov_b32 %0, ttmp11\n\ts_mov_b32 %1, ttmp1" : "=s"(a), "=s"(b));
	to[0] = a | b;
	store(at);
}

__kernel FORGERY rfe(word at)
{
	ulong pc;

	ASM("s_getpc_b64 %0\n\ts_rfe_b64 %0" : "=&s"(pc));
	store(at);
}

/* ---- registers ------------------------------------------------------------- */

#define SETREG(id, value) \
	ASM("s_setreg_imm32_b32 hwreg(" #id "), " #value)

/*
 * including PRIV and HALT; to: PRIV and HALT afterwards, and TBA as user code
 * reads it
 */
__kernel FORGERY set_status(word at, word to)
{
	uint status, tba;

	SETREG(2, 0xffffffff);
	ASM("s_getreg_b32 %0, hwreg(2)\n\ts_getreg_b32 %1, hwreg(16)"
	    : "=s"(status), "=s"(tba));
	to[0] = (status & 0x2020) | tba;
	store(at);
}

/* position of a wave, its resources, address of the handler */
__kernel FORGERY set_others(word at)
{
	SETREG(4, 0xffffffff);
	SETREG(5, 0xffffffff);
	SETREG(6, 0xffffffff);
	SETREG(7, 0xffffffff);
	SETREG(15, 0xffffffff);
	SETREG(16, 0x12345678);
	SETREG(17, 0x12345678);
	SETREG(18, 0x12345678);
	SETREG(19, 0x12345678);
	store(at);
}

/* sets all bits; the store is a hit of one comparator only */
__kernel FORGERY set_trapsts(word at, uint n)
{
	TIMES(n)
		SETREG(3, 0xffffffff);
	store(at);
}

/* the watch bits, and a trap directly after a store without active lanes */
__kernel FORGERY decoy_trap(word at)
{
	SETREG(3, 0xffffffff);
	ASM("s_branch 1f\n\t"
	    "global_store_dword %0, %1, off\n"
	    "1:\n\t"
	    "s_trap 3" : : "v"(at), "v"(1) : "memory");
	store(at);
}

__kernel FORGERY decoy_illegal(word at)
{
	SETREG(3, 0xffffffff);
	ASM("s_branch 1f\n\t"
	    "global_store_dword %0, %1, off\n"
	    "1:\n\t"
	    ".long 0xffffffff" : : "v"(at), "v"(1) : "memory");
}

/* MODE.EXCP_EN: a program may disable its own watches */
__kernel FORGERY clear_excp_en(word at)
{
	ASM("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 0");
	store(at);
}

/* MODE.DEBUG_EN: a trap after each instruction */
__kernel FORGERY single_step(word at, uint n)
{
	ASM("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1");
	TIMES(n)
		ASM("s_nop 0");
	store(at);
	ASM("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 0");
}

/* ---- halts and traps ------------------------------------------------------- */

__kernel FORGERY halt(word at)
{
	ASM("s_sethalt 1");
	store(at);
}

__kernel FORGERY halt_by_message(word at)
{
	ASM("s_mov_b32 m0, 0x800\n\ts_nop 0\n\ts_sendmsghalt sendmsg(MSG_INTERRUPT)");
	store(at);
}

/* reserved for the hardware */
__kernel FORGERY trap_0(word at)
{
	ASM("s_trap 0");
	store(at);
}


/* all but 0, and 2, which aborts */
__kernel FORGERY traps(word at)
{
	ASM("s_trap 1\n\t"
	    ".set id, 3\n\t"
	    ".rept 253\n\t"
	    "s_trap id\n\t"
	    ".set id, id + 1\n\t"
	    ".endr");
	store(at);
}

__kernel FORGERY trap_abort(word at)
{
	ASM("s_trap 2");
	store(at);
}

__kernel FORGERY trap_other(word at)
{
	ASM("s_trap 77");
	store(at);
}

/* like the end of the context save handler */
__kernel FORGERY end_saved(word at)
{
	store(at);
	ASM("s_endpgm_saved");
}
