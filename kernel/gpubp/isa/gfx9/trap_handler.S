/* SPDX-License-Identifier: GPL-2.0 */
//
// Trap handler of gfx9 (gfx900 to gfx942): for a watch hit, an exception, an
// s_trap or a single step it stores a record in memory, sends an interrupt and
// halts the wave. It may only count a watch hit, unless the count is at its
// limit. A comparator sees all of its block: the handler can look at what the
// access in front of the pc did, and let the wave go on if that was not watched.
// If it was, it can record the hit in a ring and let the wave go on, too.
//
// On entry the hardware has put the interrupted pc, the trap id and the
// host-trap flag into ttmp0/1 and set STATUS.PRIV. ttmp6-11 hold values that
// the dispatcher sets for debuggers; bit 24 of ttmp11 means that a session
// steps the wave: programs can set MODE.DEBUG_EN, but no ttmp. User registers,
// vcc, exec, m0 and STATUS are preserved. The handler uses ttmp2-5, ttmp12-15. Where
// it decides a hit it uses no ttmp13, but m0, and bits of ttmp1 (S_*), and it
// compares VGPRs by relative addressing (MODE.GPR_IDX_EN). Where it records one it
// also uses ttmp8-11, v0 of the active lanes and XNACK_MASK, and puts them back.
//
// Before gfx942, a wave that is halted at s_endpgm cannot be saved (amdkfd's
// handler, ROCr's and ROCdbgapi avoid that, too). If that is the next
// instruction, or cannot be read because a memory access failed, the wave is
// parked: halted at two instructions of this handler that end it as well, with
// its pc in ttmp11[22:7], and in ttmp7, or behind a first level, which saves that,
// in ttmp13: providers have the names of waves in ttmp7 there, and the private
// memory, for which debuggers look in ttmp13, is not used any more.
//
// The handler's memory (TMA), aligned to 4 KiB: all but the records is in one page, so
// that no carry is needed in it:
//	0x00	16 words: number of the first record of shader array n = SE * 2
//		+ SH. Zeroed memory is right for a device of one shader array;
//		for more, a provider writes their numbers, in larger memory.
//	0x40	16 counters, one for each comparator: two words, limit and value.
//		Limit 0: do not count. Else a hit that finds value at the limit
//		sets it to 0 and is reported; any other hit adds 1 to it and
//		returns. To set a limit, set value to 0 first. Second level: any
//		hit adds 1.
//	0xc0	second level: TBA and TMA of the process's own handler, 0 none
//	0xd0	second level: TRAPSTS bits to handle, besides those of watches
//	0xd8	GFX942: mask of XCC_ID (the rest is the XCC's number), and number of
//		records of an XCC. Zeroed memory is right for one XCC.
//	0xe0	second level: 8 words: bitmap of s_trap ids to handle, besides
//		BREAK_ID
//	0x100	16 filters, one for each comparator, of 144 bytes: number of ranges, 0:
//		decide nothing; strays, to which each hit adds 1 that went on
//		because it touched no range; UNATTENDED: undecided and lost hits, else 2
//		unused words; 8 ranges of 4 words: first
//		byte, last byte in 48 bits, in [50:48] 1 << kind for loads, stores,
//		atomics
//	0xa00	ring: address of place 0 (two words); a place is taken while fewer than
//		this many are; number of the first that is taken; places - 1, a power of
//		two; bit n: record hits of comparator n, but atomics; bit 16 + n:
//		its atomics; the number whose wave sends an interrupt when it has
//		recorded; UNATTENDED: until when waves wait for a place. At
//		0x40, in a cache line
//		of its own: number of the next place, to which waves add 1
//	0xa80	records of 64 bytes, a cache line each, because scalar caches
//		of different CUs may write neighbours. Within an array the
//		number is CU * 64 + SIMD * 16 + WAVE.
//
// A record (byte offsets; trap.c parses it):
//	0x00	seq: odd while the record is being written, then two more than
//		before
//	0x04	reasons: TRAPSTS bits that were enabled; the handler cleared
//		them; and bit 31: a watch hit that found its counter at the limit; 28 to
//		30: of a hit that is checked, what was decided: a stray, counted, recorded
//	0x08	ttmp0/1: pc of an s_trap (the wave continues there if its id is
//		BREAK_ID, else after it), else pc of the next instruction;
//		trap id in [55:48]
//	0x10	exec
//	0x18	STATUS, MODE
//	0x20	HW_ID, TRAPSTS
//	0x28	ttmp6-11; GFX942: ttmp13, XCC_ID, ttmp8-11
//
// A wave that is saved while it is halted leaves its slot to others, whose
// records overwrite its own. So it has all of that in registers, too, which are
// saved with it: those above, as they were or, STATUS, as they are; and
//	ttmp4	[14:0] number of the record, 15 set, [31:16] seq[16:1]: its mark,
//		which tells it from other waves
//	ttmp5	reasons, id of the s_trap in [23:16]; with WATCH16 in ttmp13[31:24]
//
// A hit with ranges is decided if it is the only reason for the entry, and the 8
// bytes in front of the pc are an access of the flat or the global segment that did
// not overwrite its address; not if LDS is set, with VSKIP or relative registers
// in MODE, or with a base that is no aligned pair of s0 to s101, or is with the offset
// not in 48 bits. What is not decided is reported, and not counted. gfx900 and
// gfx90a share an image: bit 55, NV for one and accumulation registers for the other, is
// taken for NV.
//
// A hit that is decided and touched watched bytes is recorded if its counter's limit
// is 0, its comparator's bit is set in the ring and there is room. Number n of these
// is in place n & mask, 2 KiB each. The wave does not stop, and sends nothing, but
// one number's, an interrupt of its own code.
// A place (byte offsets; recorded.c parses it):
//	0x00	2 * n + 1, when all else is stored
//	0x04	doorbell of its queue
//	0x10	ttmp0/1: pc of the next instruction, S_* in [63:48]; s_memrealtime
//	0x20	exec, HW_ID, ttmp6; GFX942: XCC_ID in place of ttmp6
//	0x30	ttmp8-11
//	0x40	base: two SGPRs, 0 without one; XNACK_MASK
//	0x50	the 8 bytes in front of the pc
//	0x58	address of the handler's memory, stored by the kernel if hits are checked
//	0x100	vector registers, a word for each lane, stored of active lanes only: two
//		of the address, with a base one
//	0x300	up to four that were stored or loaded, or two of the first operand of an
//		atomic; not of accumulation registers (bit 55, NV on gfx900), nor of a
//		load to LDS
//	0x500	up to two that an atomic returned
//	0x700	v0, which the handler needs
//
// To check what it decides, the kernel replaces the words that the section "checks"
// lists: then a wave whose hit was decided stops, too, with a record that says how.
//
// With WATCH16 defined it is for the software GPU's sixteen comparators: bit
// 12 + n of TRAPSTS for comparator n > 3. Silicon has EXCP_CYCLE and other
// fields there.
//
// With SECOND_LEVEL defined it runs after a first level that saves waves, such
// as amdkfd's (cwsr_trap_handler_gfx9.asm). That has put STATUS into ttmp12,
// our TMA into ttmp14/15 and IB_STS[20:15], which it cleared, into
// ttmp11[31:26]; it handles SAVECTX itself, before or after this handler, and
// saves ttmp4-11 and ttmp13, where debuggers look for the wave's private memory, so
// ttmp13 is used for parked waves only. Traps that are not handled here are passed to the
// process's own handler: it gets the registers as the first level would pass
// them, including its own TMA.
//
// With UNATTENDED defined, too, it stops no wave: for a process that sets comparators for
// itself, without a host that could be asked. Hits are all that it handles; everything else goes to the
// process's own handler, as if there were no debugger. If several comparators hit, it
// takes one after the other; an exception that comes with them it passes on behind them. Each hit of
// watched bytes adds 1 to the value of its counter, whatever the limit. It is recorded,
// too, if its comparator's bit is set in the ring; if there is no place, or after an XNACK
// error, that adds 1 to the filter's lost ones. A hit that is not decided adds 1 to
// the undecided ones, and is recorded, whether that bit is set or not, without a kind in
// S_KINDS and without vector registers. With no ranges all hits are strays. A host trap that comes with a hit is
// forgotten: it was for the first level.
//
// With GFX942 defined it is for gfx942, whose ttmp11 has no unused bits: the first
// level has IB_STS in ttmp13[31:26], and bit 20 there means that a session
// steps the wave. A GPU can have several XCCs, which have shader arrays of the
// same numbers. A step sets a TRAPSTS bit, too, which the first level looks at.

.ifndef GFX942
.ifndef UNATTENDED
.set PARKS,		1
.endif
.endif

// A hit in a step of a session's is reported. GFX942 looks for one before it decides, so
// that no step's TRAPSTS bit is left behind; others if MODE says that it could be one.
.ifndef GFX942
.ifndef UNATTENDED
.set STEPS_RARELY,	1
.endif
.endif

.set MODE_EXCP_EN,	12
.set MODE_EXCP_EN_BITS,	9
.set MODE_DEBUG_EN,	11
.ifdef GFX942
.set TTMP13_STEPPED,	20
.ifndef WATCH16
.set TRAP_AFTER_INST,	25			// of TRAPSTS
.endif
.set XCCS,		0xd8
.set HWREG_XCC_ID,	20
.else
.set TTMP11_STEPPED,	24
.set TTMP11_PC_HI,	7			// while parked
.set TTMP11_PC_BITS,	16
.set PARK_ENDPGM,	2			// of the pc: at park + 4, not at park
.endif
.set TTMP_IB_STS,	26			// of ttmp11 or ttmp13
.set TTMP_DEBUGGED,	23			// likewise: there is a debugger
.set EXCP_WATCH,	7			// of EXCP_EN and TRAPSTS
.set EXCP_MEM_VIOL,	8
.set TRAPSTS_ALWAYS,	0x900			// mem_viol, illegal_inst
.ifdef WATCH16
.set TRAPSTS_WATCH1_N,	0x0fff7000
.else
.set TRAPSTS_WATCH1_N,	0x7000
.endif
.set TRAPSTS_WATCH,	(1 << EXCP_WATCH) | TRAPSTS_WATCH1_N
.set TTMP1_TRAP_ID,	0x00ff0000
.set TTMP1_HOST_TRAP,	24
.set TRAPSTS_SAVECTX,	10
.set STATUS_HALT,	13
.set STATUS_SCC_PRIO_ECC, 0x20007		// SCC, and what a first level clears
.set FIRST_TMA_OURS,	8			// of its memory: TMA of the second level
.set MARK_SEQ,		15			// shift of an even number
.set MARK_VALID,	15
.set BREAK_ID,		1			// s_trap 1
.set S_ENDPGM,		0xbf810000
.set S_BRANCH,		0xbf820000
.set HWREG_TMA_LO,	18			// llvm-mc has no names for these
.set HWREG_TMA_HI,	19
.set REASON_STRAY,	28			// of the record
.set REASON_COUNTED,	29
.set REASON_RECORDED,	30
.set REASON_LIMIT,	31

// MODE: relative registers, vector instructions are skipped; single step
.set MODE_UNLIKE,	3 << 27
.ifdef STEPS_RARELY
.set MODE_RARE,		(1 << MODE_DEBUG_EN) | MODE_UNLIKE
.else
.set MODE_RARE,		MODE_UNLIKE
.endif

// FLAT: encoding, segment and, before gfx942, LDS; fields of the second dword
.set FLAT_MASK,		0xfc00e000
.set FLAT_FLAT,		0xdc000000
.set FLAT_GLOBAL,	0xdc008000
.set FLAT_IS_GLOBAL,	15			// of the two segments
.set FLAT_GLC,		16
.set FLAT_OPCODE,	18 | (7 << 16)		// s_bfe fields
.set FLAT_DATA,		8 | (8 << 16)
.set FLAT_SADDR,	16 | (7 << 16)
.set FLAT_SADDR_ACC,	16 | (8 << 16)
.set FLAT_DST,		24 | (8 << 16)
.set FLAT_ACC,		23			// gfx900: NV
.set SADDR_OFF,		0x7f
.set SADDR_LAST,	100			// of a pair of SGPRs
.set SADDR_EVEN,	0x7e

// a place of the ring
.set PLACE_SHIFT,	11
.set PLACE_DOORBELL,	0x04
.set PLACE_PC,		0x10			// and time
.set PLACE_EXEC,	0x20
.set PLACE_SETUP,	0x30
.set PLACE_BASE,	0x40
.set PLACE_XNACK,	0x48
.set PLACE_CODE,	0x50
.set PLACE_MEMORY,	0x58
.set PLACE_ADDR,	0x100			// vector registers, 256 bytes each
.set PLACE_DATA,	0x300
.set PLACE_OLD,		0x500			// what an atomic returned
.set PLACE_V0,		0x700

// buffer descriptor: elements of 4 bytes, one for each lane; as amdkfd's handler
// has it: with ADD_TID_ENABLE the bits of the data format are high ones of the stride
.set RSRC1_STRIDE,	4			// << 16
.set RSRC2_RECORDS,	0x1000000
.set RSRC3_ADD_TID,	0x00807fac
.set XNACK_ERROR,	28			// of TRAPSTS

// ttmp1[31:16] while a hit is decided; fields for s_bfe
.set S_KINDS,		0x7 << 16		// of the access, one bit
.set S_ALL_KINDS,	7 << 16
.set S_LOAD,		16
.set S_STORE,		17
.set S_ATOMIC,		18
.set S_LAST_BYTE,	19 | (4 << 16)		// its width - 1
.set S_LAST_DWORD,	21 | (2 << 16)
.set S_FURTHER_DWORDS,	3 << 21			// all of S_LAST_DWORD
.set S_LAST_DWORD_LOW,	21
.set S_LAST_DWORD_HIGH,	22
.set S_MORE_SHIFT,	23			// how many ranges come behind this one
.set S_MORE,		7 << S_MORE_SHIFT
.set S_ONE_MORE,	1 << S_MORE_SHIFT
.set S_COMPARATOR,	26			// 4 bits
.set S_NOTIFY,		30			// set once a place is taken
.set S_SCC,		31
.set M0_OFFSET,		16 | (13 << 16)		// m0 in a filter

.set LOAD,		1			// in the table of opcodes
.set STORE,		2
.set ATOMIC,		4
.set FORGET_SIZE,	12			// of one of "forget_4"

.set COUNTERS,		0x40
.set THIRD,		0xc0
.set OUR_REASONS,	0xd0
.set OUR_TRAPS,		0xe0
.set MEMORY_ALIGN,	4096
.set FILTERS,		0x100
.set FILTER_SIZE,	144
.set STRAYS,		FILTERS + 4
.set UNDECIDED,		FILTERS + 8		// UNATTENDED
.set LOST,		FILTERS + 12		// likewise
.set RANGES,		FILTERS + 16
.set RANGE_SIZE,	16
.set NR_RANGES,		8
.set RING,		0xa00
.set RING_BASE,		RING			// struct gpubp_handler_ring
.set RING_LIMIT,	RING + 0x08		// and tail
.set RING_MASK,		RING + 0x10
.set RING_ATOMICS,	16			// of RING_ON, from there on
.set RING_ON,		RING + 0x14
.set RING_NOTIFY,	RING + 0x18
.set RING_UNTIL,	RING + 0x1c		// UNATTENDED
.set RING_WAIT,		500000000		// ticks, about five seconds
.set RING_HEAD,		RING + 0x40
.set RECORDS,		0xa80
.ifdef SECOND_LEVEL
// No exception of the KFD has this bit: the process's own handler sends 0x02, too.
.set CODE_STOPPED,	0x100 << 10
.else
.set CODE_STOPPED,	0x02 << 10		// EC_QUEUE_WAVE_TRAP
.endif
.set CODE_RECORDED,	0x180 << 10		// nor has it this one

// v0 of the active lanes is what it was again. Accesses of a wave to the same
// memory are done in order.
.macro reload_v0
	place_v0	load, PLACE_V0
	s_waitcnt	vmcnt(0)
.endm

// One scalar store at a time: concurrent stores of a wave are suspected of
// overtaking each other on this hardware (amdkfd's handler waits as well).
.macro store op, data, offset
	\op	\data, ttmp[14:15], RECORDS + \offset glc
	s_waitcnt	lgkmcnt(0)
.endm

// likewise to a place of the ring
.macro fill op, data, offset
	\op	\data, ttmp[14:15], \offset glc
	s_waitcnt	lgkmcnt(0)
.endm

// v0 of the active lanes to a place, or from it. An assembler for gfx942 has other
// names for the same bits.
.macro place_v0 op, offset
.if .option.machine_version_minor == 4
	buffer_\op\()_dword v0, off, ttmp[8:11], 0 offset:\offset sc0 nt
.else
	buffer_\op\()_dword v0, off, ttmp[8:11], 0 offset:\offset glc slc
.endif
.endm

// v[\n + m0], of the active lanes, by way of v0. What a store of a dword has read may
// be overwritten: gfx9 does not count that.
.macro fill_vector n, offset
	v_mov_b32	v0, v\n
	place_v0	store, \offset
.endm

// gfx9 answers MSG_GET_DOORBELL in exec_lo, bit 31 clear. exec must be kept
.macro get_doorbell to
	s_mov_b32	exec_lo, 0x80000000
	s_sendmsg	sendmsg(MSG_GET_DOORBELL)
wait_\@:
	s_nop		7
	s_bitcmp0_b32	exec_lo, 31
	s_cbranch_scc0	wait_\@
	s_and_b32	\to, exec_lo, 0x3ff
.endm

// Changes ttmp2, ttmp3 and ttmp[14:15]
.macro interrupt code
	s_mov_b64	ttmp[14:15], exec
	s_mov_b32	ttmp3, m0
	get_doorbell	ttmp2
	s_mov_b64	exec, ttmp[14:15]
	s_or_b32	m0, ttmp2, \code
	s_nop		0			// m0 to s_sendmsg: one wait state
	s_sendmsg	sendmsg(MSG_INTERRUPT)
	s_waitcnt	lgkmcnt(0)		// then m0 may be changed
	s_mov_b32	m0, ttmp3
.endm

.macro clear, bit
	s_bitcmp1_b32	ttmp2, \bit
	s_cbranch_scc0	kept_\bit
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, \bit, 1), 0
kept_\bit:
.endm

.macro is_stepped
.ifdef GFX942
	s_bitcmp1_b32	ttmp13, TTMP13_STEPPED
.else
	s_bitcmp1_b32	ttmp11, TTMP11_STEPPED
.endif
.endm

// Back to the program. Of STATUS only SCC has changed (and HALT, on purpose): restore
// only that, from bit 0 of ttmp12. EXECZ follows exec.
.macro leave
.ifdef SECOND_LEVEL
.ifdef GFX942
	s_lshr_b32	ttmp2, ttmp13, TTMP_IB_STS
.else
	s_lshr_b32	ttmp2, ttmp11, TTMP_IB_STS
.endif
	s_setreg_b32	hwreg(HW_REG_IB_STS, 15, 6), ttmp2
.else
	s_setreg_b32	hwreg(HW_REG_IB_STS, 15, 6), ttmp13
.endif
	leave_at_once
.endm

.macro leave_at_once
	s_and_b32	ttmp1, ttmp1, 0xffff
	s_setreg_b32	hwreg(HW_REG_STATUS, 0, 1), ttmp12
	s_rfe_b64	ttmp[0:1]
.endm

// of the filter: a comparator's bit of TRAPSTS, if it was the only reason
.macro forget_only bit
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, \bit, 1), 0
.ifdef UNATTENDED
	s_branch	next_reason
.else
	leave
.endif
.endm

// rows of the table of opcodes
.macro op nr, kind=0, width=1
	.rept	\nr
	.long	((\kind) << 16) | (((\width) - 1) << 19)
	.endr
.endm

// ttmp[14:15] as before "count"; ttmp4 = number of the comparator
.macro filter_done
	s_bfe_u32	ttmp4, ttmp1, S_COMPARATOR | (4 << 16)
	s_andn2_b32	ttmp14, ttmp14, MEMORY_ALIGN - 1
.endm

// ttmp2, ttmp12 and ttmp1, too
.macro report_only
	s_cmp_lg_u32	ttmp4, 0
	s_cselect_b32	ttmp2, 11, 7
	s_add_u32	ttmp2, ttmp2, ttmp4
.ifdef WATCH16
	s_cmp_gt_u32	ttmp4, 3
	s_addc_u32	ttmp2, ttmp2, 0
.endif
	s_lshl_b32	ttmp2, 1, ttmp2
	s_getreg_b32	ttmp12, hwreg(HW_REG_STATUS)
	s_lshr_b32	ttmp3, ttmp1, S_SCC
	s_andn2_b32	ttmp12, ttmp12, 1
	s_or_b32	ttmp12, ttmp12, ttmp3
	s_and_b32	ttmp1, ttmp1, 0xffff
.endm

// A hit of watched bytes: count it, or branch to \unlimited if it is not counted.
// ttmp4 = number of the comparator, ttmp[14:15] as before "count".
.macro count_hit unlimited, counted
	filter_done
.ifdef UNATTENDED
	s_lshl3_add_u32	ttmp5, ttmp4, COUNTERS + 4
	s_mov_b32	ttmp2, 1
	s_atomic_add	ttmp2, ttmp[14:15], ttmp5
	s_waitcnt	lgkmcnt(0)
	s_branch	\unlimited
.else
	s_lshl3_add_u32	ttmp5, ttmp4, COUNTERS
	s_load_dword	ttmp3, ttmp[14:15], ttmp5 glc
	s_waitcnt	lgkmcnt(0)
	s_cmp_eq_u32	ttmp3, 0
	s_cbranch_scc1	\unlimited
	s_add_u32	ttmp5, ttmp5, 4
.ifdef SECOND_LEVEL
	// Behind PCIe there is no increment that wraps
	s_mov_b32	ttmp2, 1
	s_atomic_add	ttmp2, ttmp[14:15], ttmp5
	s_waitcnt	lgkmcnt(0)
.else
	// old >= limit ? 0 : old + 1, in the L2, returning the old value: the
	// hardware counts modulo the period, for concurrent hits, too
	s_mov_b32	ttmp2, ttmp3
	s_atomic_inc	ttmp2, ttmp[14:15], ttmp5 glc
	s_waitcnt	lgkmcnt(0)
	s_cmp_ge_u32	ttmp2, ttmp3
	s_cbranch_scc1	at_limit
.endif
\counted\():
	s_branch	go_on
.endif
.endm

// the word at \from is a branch to \to, where hits are checked
.macro check from, to
	.long		\from - trap_handler
	.long		S_BRANCH | (((\to - \from) / 4 - 1) & 0xffff)
.endm

// What a first level does for a second one: SMEM needs a clean XNACK replay state;
// that of the interrupted code, which "resume" restores, goes to ttmp13. TMA is
// address >> 8, of 48 bits, sign-extended.
// GFX942: to \stepped, with nothing changed, if a session steps the wave.
.macro first_level stepped
.ifdef GFX942
	s_getreg_b32	ttmp14, hwreg(HW_REG_IB_STS, 15, 6)
	s_and_b32	ttmp13, ttmp13, 1 << TTMP13_STEPPED
.ifnb \stepped
	s_cbranch_scc1	\stepped
.endif
	s_or_b32	ttmp13, ttmp13, ttmp14
.else
	s_getreg_b32	ttmp13, hwreg(HW_REG_IB_STS, 15, 6)
.endif
	s_setreg_imm32_b32	hwreg(HW_REG_IB_STS, 15, 6), 0
	s_getreg_b32	ttmp14, hwreg(HWREG_TMA_LO)
	s_getreg_b32	ttmp15, hwreg(HWREG_TMA_HI)
	s_lshl_b64	ttmp[14:15], ttmp[14:15], 8
	s_sext_i32_i16	ttmp15, ttmp15
.endm

// A wave that was parked has its own pc again. No other has a pc in the first 256
// bytes of the handler, which it is aligned to: these go to \other. Changes ttmp3 to
// ttmp5. Behind the s_nop it was stepped, or saved in between: s_endpgm is all that is
// left, which it cannot be stepped over.
.macro unpark other
	s_getpc_b64	ttmp[4:5]
here_\@:
	s_sub_u32	ttmp4, ttmp4, here_\@ - trap_handler
	s_subb_u32	ttmp5, ttmp5, 0
	s_xor_b32	ttmp4, ttmp4, ttmp0
	s_andn2_b32	ttmp4, ttmp4, 0xff
	s_cbranch_scc1	\other
	s_xor_b32	ttmp5, ttmp5, ttmp1
	s_and_b32	ttmp5, ttmp5, 0xffff
	s_cbranch_scc1	\other
	s_bitcmp1_b32	ttmp0, PARK_ENDPGM
	s_cbranch_scc0	parked_\@
	s_setreg_imm32_b32	hwreg(HW_REG_MODE, MODE_DEBUG_EN, 1), 0
parked_\@:
.ifdef SECOND_LEVEL
	s_mov_b32	ttmp0, ttmp13
.else
	s_mov_b32	ttmp0, ttmp7
.endif
	s_bfe_u32	ttmp3, ttmp11, TTMP11_PC_HI | (TTMP11_PC_BITS << 16)
	s_and_b32	ttmp1, ttmp1, 0xffff0000
	s_or_b32	ttmp1, ttmp1, ttmp3
.endm

trap_handler:
.ifdef PARKS
	s_branch	enter
	s_nop		0
park:	// at 8 in all handlers: what is in front of it is no access, if a hit is taken there
	s_nop		0
	s_endpgm
enter:
.endif
.ifndef SECOND_LEVEL
	s_getreg_b32	ttmp12, hwreg(HW_REG_STATUS)	// before SCC changes
.endif
	// TRAPSTS also collects exceptions that are not enabled: ignore them.
	// EXCP_EN has the layout of TRAPSTS, but for watches from 1 on, which
	// have no enable bits of their own. ttmp4 and ttmp5 are not used until it is
	// known that the wave is not halted, with its record there: host traps make it
	// enter.
	s_getreg_b32	ttmp3, hwreg(HW_REG_MODE, MODE_EXCP_EN, MODE_EXCP_EN_BITS)
	s_or_b32	ttmp3, ttmp3, TRAPSTS_ALWAYS | TRAPSTS_WATCH1_N
	s_getreg_b32	ttmp2, hwreg(HW_REG_TRAPSTS)
	s_bitcmp1_b32	ttmp3, EXCP_WATCH
	s_cbranch_scc0	no_watches
enabled:
	s_and_b32	ttmp2, ttmp2, ttmp3
.ifdef UNATTENDED
	s_and_b32	ttmp3, ttmp2, TRAPSTS_WATCH
	s_cbranch_scc0	no_reason
	s_mov_b32	ttmp2, ttmp3
	s_branch	alone
.else

	// One comparator and no other reason: it may be counted here. Several
	// reasons are left to the kernel, which can match them to events.
	s_add_u32	ttmp3, ttmp2, -1
	s_and_b32	ttmp3, ttmp3, ttmp2
	s_cbranch_scc1	others
	s_and_b32	ttmp3, ttmp2, TRAPSTS_WATCH
	s_cbranch_scc1	alone
others:
	s_cmp_eq_u32	ttmp2, 0
	s_cbranch_scc1	no_reason
.ifdef SECOND_LEVEL
	// Bits that are enabled, but not handled here, stay set in TRAPSTS for
	// other handlers.
	s_andn2_b32	ttmp3, ttmp2, TRAPSTS_WATCH
	s_cbranch_scc0	entered
	s_load_dword	ttmp3, ttmp[14:15], OUR_REASONS glc
	s_waitcnt	lgkmcnt(0)
	s_or_b32	ttmp3, ttmp3, TRAPSTS_WATCH
	s_and_b32	ttmp3, ttmp2, ttmp3
	s_cbranch_scc0	no_reason
	s_mov_b32	ttmp2, ttmp3
	s_add_u32	ttmp3, ttmp2, -1
	s_and_b32	ttmp3, ttmp3, ttmp2
	s_cbranch_scc1	entered
	s_and_b32	ttmp3, ttmp2, TRAPSTS_WATCH
	s_cbranch_scc1	alone
.endif
	s_branch	entered
.endif

no_reason:
.ifndef UNATTENDED
	s_bitcmp1_b32	ttmp12, STATUS_HALT
	s_cbranch_scc0	not_halted
	s_bitcmp1_b32	ttmp4, MARK_VALID
.ifdef SECOND_LEVEL
	s_cbranch_scc1	resume
.else
	s_cbranch_scc1	return
.endif
not_halted:
.ifdef PARKS
	unpark		not_parked
not_parked:
.endif
	// gfx9 has no TRAPSTS bit for a step. A stepped wave that enters has
	// made a step, or was interrupted by something else in its place (a
	// context save, a host trap): report it in both cases rather than lose
	// a step. A program that steps itself is not reported; it continues.
	s_getreg_b32	ttmp3, hwreg(HW_REG_MODE)
	s_bitcmp1_b32	ttmp3, MODE_DEBUG_EN
	s_cbranch_scc0	not_stepped
	is_stepped
	s_cbranch_scc1	stepped
not_stepped:
.endif
.ifdef SECOND_LEVEL
	s_mov_b32	ttmp5, ttmp2			// enabled, and not handled here
.ifndef UNATTENDED
	s_mov_b32	ttmp2, 0
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cbranch_scc1	not_ours
	s_and_b32	ttmp4, ttmp1, TTMP1_TRAP_ID
	s_cbranch_scc0	no_trap
	s_cmp_eq_u32	ttmp4, BREAK_ID << 16
	s_cbranch_scc1	entered
	s_lshr_b32	ttmp4, ttmp4, 16 + 5
	s_lshl_b32	ttmp4, ttmp4, 2
	s_add_u32	ttmp4, ttmp4, OUR_TRAPS
	s_load_dword	ttmp4, ttmp[14:15], ttmp4 glc
	s_bfe_u32	ttmp3, ttmp1, 16 | (5 << 16)
	s_waitcnt	lgkmcnt(0)
	s_bitcmp1_b32	ttmp4, ttmp3
	s_cbranch_scc1	entered
	s_branch	not_ours

	// Nothing at all: a wave that was parked and stepped, from which the step was
	// taken. Other handlers would take it for one of theirs.
no_trap:
	s_cmp_lg_u32	ttmp5, 0
	s_cbranch_scc1	not_ours
	s_bitcmp1_b32	ttmp3, MODE_DEBUG_EN
	s_cbranch_scc0	resume
.endif

not_ours:
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], THIRD glc
	s_waitcnt	lgkmcnt(0)
	s_cmp_eq_u64	ttmp[2:3], 0
	s_cbranch_scc1	no_third
	s_load_dwordx2	ttmp[4:5], ttmp[14:15], THIRD + 8 glc
	s_waitcnt	lgkmcnt(0)
	s_mov_b64	ttmp[14:15], ttmp[4:5]
	s_mov_b32	ttmp4, 0		// what it halts has no record
.ifdef UNATTENDED
.ifdef GFX942
	s_bitset0_b32	ttmp13, TTMP_DEBUGGED
.else
	s_bitset0_b32	ttmp11, TTMP_DEBUGGED
.endif
.endif
	s_setpc_b64	ttmp[2:3]

	// As in a first level without a second: halt a wave with an exception,
	// with its pc two dwords back, because a wave that is halted at
	// s_endpgm cannot be saved; s_trap has no effect. ttmp5 has the enabled
	// bits.
no_third:
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cbranch_scc1	resume
	s_and_b32	ttmp4, ttmp1, TTMP1_TRAP_ID
	s_cbranch_scc1	skip_trap
	s_cmp_eq_u32	ttmp5, 0
	s_cbranch_scc1	own_step
	s_setreg_imm32_b32	hwreg(HW_REG_STATUS, STATUS_HALT, 1), 1
	s_sub_u32	ttmp0, ttmp0, 8
	s_subb_u32	ttmp1, ttmp1, 0
	s_branch	resume
skip_trap:
	s_add_u32	ttmp0, ttmp0, 4
	s_addc_u32	ttmp1, ttmp1, 0
	s_branch	resume

	// A program steps itself, and there is no third level: the first one takes that
	// for a step all the same, before it would save the wave.
own_step:
.ifdef GFX942
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, TRAP_AFTER_INST, 1), 0
.else
	s_getreg_b32	ttmp3, hwreg(HW_REG_TRAPSTS, TRAPSTS_SAVECTX, 1)
	s_cmp_eq_u32	ttmp3, 0
	s_cbranch_scc1	resume
	s_setreg_imm32_b32	hwreg(HW_REG_MODE, MODE_DEBUG_EN, 1), 0
.endif
	s_branch	resume

.ifndef UNATTENDED
stepped:
	s_mov_b32	ttmp2, 0
.endif
.else
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cbranch_scc1	return
	s_and_b32	ttmp3, ttmp1, TTMP1_TRAP_ID
	s_cbranch_scc0	return
stepped:
.endif

.ifndef UNATTENDED
	// A halted wave can have reasons, too, for when it is resumed: its record may not
	// have been read yet.
entered:
.ifndef SECOND_LEVEL
	first_level
.endif
	s_bitcmp1_b32	ttmp12, STATUS_HALT
	s_cbranch_scc0	report
	s_bitcmp1_b32	ttmp4, MARK_VALID
	s_cbranch_scc0	report
	s_branch	resume
.endif

alone:
.ifndef UNATTENDED
	s_and_b32	ttmp3, ttmp1, TTMP1_TRAP_ID | (1 << TTMP1_HOST_TRAP)
	s_cbranch_scc1	entered
.endif
.ifndef SECOND_LEVEL
	first_level	entered
.else
.ifndef UNATTENDED
.ifdef GFX942
	is_stepped
	s_cbranch_scc1	entered
.endif
.endif
.endif
	s_getreg_b32	ttmp3, hwreg(HW_REG_MODE)
	s_and_b32	ttmp3, ttmp3, MODE_RARE

	// ttmp4 = number of the (lowest) comparator: bit 7 is 0, 12 to 14 are 1 to 3, 16
	// on are 4 on
	s_ff1_i32_b32	ttmp4, ttmp2
.ifdef WATCH16
	s_cmp_ge_u32	ttmp4, 16
	s_subb_u32	ttmp4, ttmp4, 11
.else
	s_sub_u32	ttmp4, ttmp4, 11
.endif
	s_max_i32	ttmp4, ttmp4, 0

	// ttmp[14:15] moves to the comparator's filter, and ttmp1[31:16] gets what is
	// needed to report or to go on (S_*), until "filter_done". ttmp5 = number of
	// ranges - 1, of ttmp3 the bits that make an access unlike others remain.
	s_mul_i32	ttmp5, ttmp4, FILTER_SIZE
	s_add_u32	ttmp14, ttmp14, ttmp5
	s_load_dword	ttmp5, ttmp[14:15], FILTERS glc
	s_lshl_b32	ttmp12, ttmp12, S_SCC - 16
	s_lshl_b32	ttmp4, ttmp4, S_COMPARATOR - 16
	s_or_b32	ttmp4, ttmp4, ttmp12
	s_and_b32	ttmp1, ttmp1, 0xffff
	s_waitcnt	lgkmcnt(0)
	s_sub_u32	ttmp5, ttmp5, 1
	s_cbranch_scc1	all_watched
	s_or_b32	ttmp3, ttmp3, ttmp5
	s_cbranch_scc1	several
filter:
	// ttmp[2:3] = the instruction in front of the pc: all accesses have 8
	// bytes. Global memory is the usual case.
	s_load_dwordx2	ttmp[2:3], ttmp[0:1], -8 glc
	s_waitcnt	lgkmcnt(0)
	s_pack_ll_b32_b16 ttmp1, ttmp1, ttmp4
	s_and_b32	ttmp4, ttmp2, FLAT_MASK
	s_cmp_eq_u32	ttmp4, FLAT_GLOBAL
	s_cbranch_scc0	flat
global:
	// What the opcode does goes to ttmp1. An offset ignores bits 0 and 1,
	// which are GLC and SLC.
	s_bfe_u32	ttmp12, ttmp2, 16 | (9 << 16)
	s_getpc_b64	ttmp[4:5]
from_there:
	s_add_u32	ttmp12, ttmp12, opcodes - from_there
	s_load_dword	ttmp12, ttmp[4:5], ttmp12
	s_waitcnt	lgkmcnt(0)
	s_or_b32	ttmp1, ttmp1, ttmp12

	// m0 = offset in its high half, address register in its low byte, which is
	// an index from here to the end of the comparisons. It is kept in ttmp12.
	s_mov_b32	ttmp12, m0
	s_pack_ll_b32_b16 m0, ttmp3, ttmp2
	s_bitcmp1_b32	ttmp1, S_STORE
	s_cbranch_scc0	no_store
keeps:
	s_andn2_b32	ttmp4, SADDR_OFF << 16, ttmp3
	s_cbranch_scc1	with_base
	s_set_gpr_idx_on m0, gpr_idx(SRC0)

	// v[n:n+1] + offset. A lane touches a range if A <= v[n:n+1] <= B, with
	// A = first byte - (width - 1) - offset and B = last byte - offset: if
	// there are more lanes from A on than behind B. Addresses have 48 bits and a
	// sign, so that nothing overflows.
pair_range:
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], RANGES + 8 glc
	s_waitcnt	lgkmcnt(0)
	s_and_b32	ttmp4, ttmp3, ttmp1
	s_and_b32	ttmp4, ttmp4, S_KINDS
	s_cbranch_scc0	pair_next
	s_bfe_i32	ttmp4, m0, M0_OFFSET
	s_sext_i32_i16	ttmp3, ttmp3
	s_ashr_i32	ttmp5, ttmp4, 31
	s_sub_u32	ttmp2, ttmp2, ttmp4
	s_subb_u32	ttmp3, ttmp3, ttmp5
	v_cmp_gt_i64_e64 ttmp[2:3], v[0:1], ttmp[2:3]
	s_bcnt1_i32_b64	ttmp5, ttmp[2:3]
	s_bfe_u32	ttmp2, ttmp1, S_LAST_BYTE
	s_add_i32	ttmp4, ttmp4, ttmp2
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], RANGES glc
	s_waitcnt	lgkmcnt(0)
	s_sub_u32	ttmp2, ttmp2, ttmp4
	s_subb_u32	ttmp3, ttmp3, 0
	s_ashr_i32	ttmp4, ttmp4, 31
	s_sub_i32	ttmp3, ttmp3, ttmp4
	v_cmp_ge_i64_e64 ttmp[2:3], v[0:1], ttmp[2:3]
	s_bcnt1_i32_b64	ttmp4, ttmp[2:3]
	s_cmp_lg_u32	ttmp4, ttmp5
	s_cbranch_scc1	touched_m0
pair_next:
	s_and_b32	ttmp4, ttmp1, S_MORE
	s_cbranch_scc0	stray
	s_sub_u32	ttmp1, ttmp1, S_ONE_MORE
	s_sub_u32	ttmp14, ttmp14, RANGE_SIZE
	s_branch	pair_range

	// Begin with the last range: then the first one ends the loop
several:
	s_and_b32	ttmp3, ttmp3, MODE_RARE
.ifdef STEPS_RARELY
	s_cbranch_scc1	modes
of_several:
.else
	s_cbranch_scc1	undecided_early
.endif
	s_min_u32	ttmp5, ttmp5, NR_RANGES - 1
	s_lshl4_add_u32	ttmp14, ttmp5, ttmp14		// RANGE_SIZE
	s_lshl_b32	ttmp5, ttmp5, S_MORE_SHIFT - 16
	s_or_b32	ttmp4, ttmp4, ttmp5
	s_branch	filter

.ifdef STEPS_RARELY
modes:
	s_and_b32	ttmp3, ttmp3, MODE_UNLIKE
	s_cbranch_scc1	undecided_early
	is_stepped
	s_cbranch_scc0	of_several
	s_branch	undecided_early
.endif

	// The flat segment has no base, and offsets of 12 bits without a sign
flat:
	s_cmp_eq_u32	ttmp4, FLAT_FLAT
.ifdef PARKS
	s_cbranch_scc0	no_access
.else
	s_cbranch_scc0	undecided
.endif
	s_and_b32	ttmp4, ttmp3, SADDR_OFF << 16
	s_cbranch_scc1	undecided
	s_or_b32	ttmp3, ttmp3, SADDR_OFF << 16
	s_bitset0_b32	ttmp2, 12
	s_branch	global
.ifdef PARKS
no_access:
	unpark		undecided
	s_lshr_b32	ttmp4, ttmp1, 16
	s_and_b32	ttmp1, ttmp1, 0xffff
	s_branch	filter
.endif

	// Is an address overwritten? ttmp4 = address register - data register + 1,
	// ttmp5 = number of data registers.
no_store:
	s_and_b32	ttmp4, ttmp1, S_KINDS
	s_cbranch_scc0	undecided_m0			// an unknown opcode
	s_lshr_b32	ttmp4, ttmp3, 24
	s_and_b32	ttmp5, ttmp3, 0xff
	s_sub_u32	ttmp4, ttmp5, ttmp4
	s_bfe_u32	ttmp5, ttmp1, S_LAST_DWORD
	s_add_u32	ttmp4, ttmp4, 1
	s_add_u32	ttmp5, ttmp5, 1
	s_cmp_gt_u32	ttmp4, ttmp5
	s_cbranch_scc1	keeps
	s_bitcmp1_b32	ttmp1, S_ATOMIC
	s_cbranch_scc0	overlaps
	s_bitcmp1_b32	ttmp2, FLAT_GLC
	s_cbranch_scc0	keeps
overlaps:
.ifdef GFX942
	s_bitcmp1_b32	ttmp3, FLAT_ACC			// other registers
	s_cbranch_scc1	keeps
	s_bfe_u32	ttmp5, ttmp2, FLAT_OPCODE	// loads to LDS
	s_sub_u32	ttmp5, ttmp5, 38
	s_cmp_le_u32	ttmp5, 42 - 38
	s_cbranch_scc1	keeps
.endif
	// With a base, that the register behind the only one is overwritten does
	// not matter
	s_cmp_eq_u32	ttmp4, 0
	s_cbranch_scc0	undecided_m0
	s_bfe_u32	ttmp5, ttmp3, FLAT_SADDR
	s_cmp_eq_u32	ttmp5, SADDR_OFF
	s_cbranch_scc0	keeps
	s_branch	undecided_m0

	// s[b:b+1] + v[n] + offset: ttmp[4:5] = all but v[n]
with_base:
	s_bfe_u32	ttmp4, ttmp3, FLAT_SADDR
	s_cmp_gt_u32	ttmp4, SADDR_LAST
	s_cbranch_scc1	undecided_m0
	s_bitcmp1_b32	ttmp4, 0
	s_cbranch_scc1	undecided_m0
	s_bfe_i32	ttmp2, m0, M0_OFFSET
	s_mov_b32	m0, ttmp4
	s_and_b32	ttmp3, ttmp3, 0xff		// m0 to s_movrels: one wait state
	s_movrels_b64	ttmp[4:5], s[0:1]
	s_mov_b32	m0, ttmp3
	s_ashr_i32	ttmp3, ttmp2, 31
	s_add_u32	ttmp4, ttmp4, ttmp2
	s_addc_u32	ttmp5, ttmp5, ttmp3
	s_lshr_b32	ttmp2, ttmp5, 16
	s_cbranch_scc1	undecided_m0
	s_set_gpr_idx_on m0, gpr_idx(SRC0)

	// As above, but v[n] has 32 bits, and so must A and B. m0[31:16] has the kinds
	// of the range, then the number of lanes behind B.
base_range:
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], RANGES + 8 glc
	s_waitcnt	lgkmcnt(0)
	s_pack_lh_b32_b16 m0, m0, ttmp3
	s_sext_i32_i16	ttmp3, ttmp3
	s_sub_u32	ttmp2, ttmp2, ttmp4
	s_subb_u32	ttmp3, ttmp3, ttmp5
	s_cbranch_scc1	base_next			// B < 0
	s_cmp_lg_u32	ttmp3, 0
	s_cselect_b32	ttmp2, -1, ttmp2
	s_and_b32	ttmp3, m0, ttmp1
	s_and_b32	ttmp3, ttmp3, S_KINDS
	s_cbranch_scc0	base_next
	v_cmp_gt_u32_e64 ttmp[2:3], v0, ttmp2
	s_bcnt1_i32_b64	ttmp2, ttmp[2:3]
	s_pack_ll_b32_b16 m0, m0, ttmp2
	s_bfe_u32	ttmp2, ttmp1, S_LAST_BYTE
	s_add_u32	ttmp4, ttmp4, ttmp2
	s_addc_u32	ttmp5, ttmp5, 0
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], RANGES glc
	s_waitcnt	lgkmcnt(0)
	s_sub_u32	ttmp2, ttmp2, ttmp4
	s_subb_u32	ttmp3, ttmp3, ttmp5
	s_cselect_b32	ttmp2, 0, ttmp2			// A < 0
	s_cselect_b32	ttmp3, 0, ttmp3
	s_cmp_lg_u32	ttmp3, 0
	s_cbranch_scc1	base_missed
	v_cmp_ge_u32_e64 ttmp[2:3], v0, ttmp2
	s_bcnt1_i32_b64	ttmp2, ttmp[2:3]
	s_lshr_b32	ttmp3, m0, 16
	s_cmp_lg_u32	ttmp2, ttmp3
	s_cbranch_scc1	touched_m0
base_missed:
	s_and_b32	ttmp2, ttmp1, S_MORE
	s_cbranch_scc0	stray
	s_bfe_u32	ttmp2, ttmp1, S_LAST_BYTE
	s_sub_u32	ttmp4, ttmp4, ttmp2
	s_subb_u32	ttmp5, ttmp5, 0
base_next:
	s_and_b32	ttmp2, ttmp1, S_MORE
	s_cbranch_scc0	stray
	s_sub_u32	ttmp1, ttmp1, S_ONE_MORE
	s_sub_u32	ttmp14, ttmp14, RANGE_SIZE
	s_branch	base_range

touched_m0:
	s_set_gpr_idx_off
	s_mov_b32	m0, ttmp12
touched:
	count_hit	record, counted_bytes

stray:
	s_set_gpr_idx_off
	s_mov_b32	m0, ttmp12
stray_early:
	s_mov_b32	ttmp2, 1
	s_atomic_add	ttmp2, ttmp[14:15], STRAYS
stray_counted:
	s_waitcnt	lgkmcnt(0)

	// The only reason is forgotten: see "forget"
go_on:
	s_lshr_b32	ttmp12, ttmp1, S_SCC
.ifdef WATCH16
	s_bfe_u32	ttmp4, ttmp1, S_COMPARATOR | (4 << 16)
	s_cmp_gt_u32	ttmp4, 3
	s_cbranch_scc1	forget_4_on
.endif
	s_bitcmp1_b32	ttmp1, S_COMPARATOR + 1
	s_cbranch_scc1	forget_2_3
	s_bitcmp1_b32	ttmp1, S_COMPARATOR
	s_cbranch_scc1	forget_1
	forget_only	7
forget_1:
	forget_only	12
forget_2_3:
	s_bitcmp1_b32	ttmp1, S_COMPARATOR
	s_cbranch_scc1	forget_3
	forget_only	13
forget_3:
	forget_only	14
.ifdef WATCH16
forget_4_on:
	s_mul_i32	ttmp4, ttmp4, FORGET_SIZE
	s_getpc_b64	ttmp[2:3]
from_forget:
	s_add_u32	ttmp4, ttmp4, forget_4 - from_forget - 4 * FORGET_SIZE
	s_add_u32	ttmp2, ttmp2, ttmp4
	s_addc_u32	ttmp3, ttmp3, 0
	s_setpc_b64	ttmp[2:3]
forget_4:
	.irp	bit, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, \bit, 1), 0
	s_branch	resume
	.endr
.endif
.ifdef UNATTENDED
	// A bit that is set already is not the reason of another entry. ttmp12 has SCC only.
next_reason:
	s_getreg_b32	ttmp3, hwreg(HW_REG_MODE, MODE_EXCP_EN, MODE_EXCP_EN_BITS)
	s_or_b32	ttmp3, ttmp3, TRAPSTS_ALWAYS | TRAPSTS_WATCH1_N
	s_getreg_b32	ttmp2, hwreg(HW_REG_TRAPSTS)
	s_and_b32	ttmp2, ttmp2, ttmp3
	s_cbranch_scc0	resume
	s_getreg_b32	ttmp14, hwreg(HWREG_TMA_LO)
	s_getreg_b32	ttmp15, hwreg(HWREG_TMA_HI)
	s_lshl_b64	ttmp[14:15], ttmp[14:15], 8
	s_sext_i32_i16	ttmp15, ttmp15
	s_load_dwordx2	ttmp[14:15], ttmp[14:15], FIRST_TMA_OURS glc
	s_and_b32	ttmp1, ttmp1, 0xffff
	s_waitcnt	lgkmcnt(0)
	s_and_b32	ttmp3, ttmp2, TRAPSTS_WATCH
	s_cbranch_scc0	exception
	s_mov_b32	ttmp2, ttmp3
	s_branch	alone
exception:
	s_getreg_b32	ttmp3, hwreg(HW_REG_STATUS)
	s_andn2_b32	ttmp3, ttmp3, STATUS_SCC_PRIO_ECC
	s_or_b32	ttmp12, ttmp12, ttmp3
	s_branch	no_reason
.endif

	// What an opcode of FLAT does, in the layout of ttmp1 above bit 15. Of those
	// that not all processors have, each is the same in all that have it.
opcodes:
	op	16
	op	2, LOAD, 1		// 16: of bytes, words, dwords
	op	2, LOAD, 2
	op	1, LOAD, 4
	op	1, LOAD, 8
	op	1, LOAD, 12
	op	1, LOAD, 16
	op	2, STORE, 1			// 24
	op	2, STORE, 2
	op	1, STORE, 4
	op	1, STORE, 8
	op	1, STORE, 12
	op	1, STORE, 16
	op	4, LOAD, 1		// 32: to half a register
	op	2, LOAD, 2
.ifdef GFX942
	op	2, LOAD, 1			// 38: to LDS
	op	2, LOAD, 2
	op	1, LOAD, 4
.else
	op	5
.endif
	op	21
	op	15, ATOMIC, 4	// 64: dwords, from 77 on floats
	op	3, ATOMIC, 8
.ifdef GFX942
	op	1, ATOMIC, 4	// 82
.else
	op	1
.endif
	op	13
	op	13, ATOMIC, 8	// 96
	op	19

no_watches:
	s_andn2_b32	ttmp3, ttmp3, TRAPSTS_WATCH1_N
	s_branch	enabled

.ifdef UNATTENDED
all_watched:
	s_pack_ll_b32_b16 ttmp1, ttmp1, ttmp4
	s_branch	stray_early
.else
	// Of MODE only single steps of a session's matter then
all_watched:
.ifdef STEPS_RARELY
	s_bitcmp1_b32	ttmp3, MODE_DEBUG_EN
	s_cbranch_scc0	all_counted
	is_stepped
	s_cbranch_scc1	undecided_early
all_counted:
.endif
	s_pack_ll_b32_b16 ttmp1, ttmp1, ttmp4
	count_hit	uncounted, counted_block
.endif

	// Watched bytes were accessed. Is the hit to be recorded instead of reported,
	// and is there a place? Not after an XNACK error: vector stores may fail then
	// (amdkfd's handler uses none), nor if, since the entry, an access that was in
	// flight has hit another comparator: bits of these are cleared below.
record:
	s_load_dword	ttmp12, ttmp[14:15], RING_ON glc
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], RING_LIMIT glc
	s_load_dword	ttmp5, ttmp[14:15], RING_HEAD glc
	s_waitcnt	vmcnt(0) & expcnt(0) & lgkmcnt(0)
	s_bitcmp1_b32	ttmp1, S_ATOMIC
	s_cbranch_scc0	record_is_on
	s_lshr_b32	ttmp12, ttmp12, RING_ATOMICS
record_is_on:
	s_bitcmp1_b32	ttmp12, ttmp4
.ifdef UNATTENDED
	s_cbranch_scc0	record_is_off
record_room:
	s_sub_u32	ttmp5, ttmp5, ttmp3
	s_cmp_lt_u32	ttmp5, ttmp2
	s_cbranch_scc0	full
	s_getreg_b32	ttmp5, hwreg(HW_REG_TRAPSTS)
	s_bitcmp1_b32	ttmp5, XNACK_ERROR
	s_cbranch_scc1	lost
.else
	s_cbranch_scc0	uncounted
	s_sub_u32	ttmp5, ttmp5, ttmp3
	s_cmp_lt_u32	ttmp5, ttmp2
	s_cbranch_scc0	uncounted
	s_getreg_b32	ttmp5, hwreg(HW_REG_TRAPSTS)
	s_and_b32	ttmp5, ttmp5, TRAPSTS_WATCH | (1 << XNACK_ERROR)
	s_bcnt1_i32_b32	ttmp5, ttmp5
	s_cmp_eq_u32	ttmp5, 1
	s_cbranch_scc0	uncounted
.endif

	// ttmp12 = number of the place, ttmp[14:15] = its address. The kernel writes
	// the number whose wave is to notify it, and then looks at the next one: read
	// it behind the atomic. From here on no
	// result may be on its way to a register of the wave.
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], RING_BASE glc
	s_load_dword	ttmp4, ttmp[14:15], RING_MASK glc
	s_mov_b32	ttmp12, 1			// the atomic is no part of their clause
	s_atomic_add	ttmp12, ttmp[14:15], RING_HEAD glc
	s_waitcnt	lgkmcnt(0)
	s_load_dword	ttmp5, ttmp[14:15], RING_NOTIFY glc
	s_and_b32	ttmp4, ttmp4, ttmp12
	s_lshl_b32	ttmp4, ttmp4, PLACE_SHIFT
	s_add_u32	ttmp2, ttmp2, ttmp4
	s_addc_u32	ttmp3, ttmp3, 0
	s_waitcnt	lgkmcnt(0)
	s_mov_b64	ttmp[14:15], ttmp[2:3]
	s_cmp_lg_u32	ttmp5, ttmp12
	s_cbranch_scc1	taken
	s_bitset1_b32	ttmp1, S_NOTIFY
taken:

	// ttmp[4:5] = the access
	s_mov_b32	ttmp2, ttmp0
	s_and_b32	ttmp3, ttmp1, 0xffff
	s_load_dwordx2	ttmp[4:5], ttmp[2:3], -8 glc
	fill		s_store_dwordx4, ttmp[8:11], PLACE_SETUP
	s_memrealtime	ttmp[10:11]
	fill		s_store_dwordx2, ttmp[4:5], PLACE_CODE
	s_mov_b64	ttmp[8:9], ttmp[0:1]
	fill		s_store_dwordx4, ttmp[8:11], PLACE_PC
	s_mov_b64	ttmp[8:9], exec
	s_getreg_b32	ttmp10, hwreg(HW_REG_HW_ID)
.ifdef GFX942
	s_getreg_b32	ttmp11, hwreg(HWREG_XCC_ID)
.else
	s_mov_b32	ttmp11, ttmp6
.endif
	fill		s_store_dwordx4, ttmp[8:11], PLACE_EXEC
	get_doorbell	ttmp10
	s_mov_b64	exec, ttmp[8:9]
	fill		s_store_dword, ttmp10, PLACE_DOORBELL

	// The base, and XNACK_MASK, which would hold back lanes of vector accesses.
	// SCC = the address is in two vector registers: until the branch on that.
	s_mov_b32	ttmp2, m0
	s_mov_b64	ttmp[10:11], xnack_mask
.ifdef UNATTENDED
	s_and_b32	ttmp3, ttmp1, S_ALL_KINDS
	s_cbranch_scc0	record_undecided
.endif
	s_mov_b64	xnack_mask, 0
	s_bfe_u32	ttmp3, ttmp5, FLAT_SADDR_ACC
	s_cmp_eq_u32	ttmp3, SADDR_OFF
	s_cbranch_scc0	record_base
record_no_base:
	s_mov_b64	ttmp[8:9], 0
record_vectors:
	fill		s_store_dwordx4, ttmp[8:11], PLACE_BASE
	s_mov_b32	ttmp8, ttmp14
	s_pack_ll_b32_b16 ttmp9, ttmp15, RSRC1_STRIDE
	s_mov_b32	ttmp10, RSRC2_RECORDS
	s_mov_b32	ttmp11, RSRC3_ADD_TID
	place_v0	store, PLACE_V0
	s_set_gpr_idx_on ttmp5, gpr_idx(SRC0)
	fill_vector	0, PLACE_ADDR
	s_cbranch_scc0	record_data
	fill_vector	1, PLACE_ADDR + 0x100
record_data:
	s_and_b32	ttmp3, ttmp1, S_FURTHER_DWORDS | (1 << S_LOAD) | (1 << S_ATOMIC)
	s_cbranch_scc1	record_other
	s_bfe_u32	ttmp3, ttmp5, FLAT_DATA
	s_cbranch_scc0	record_v0
record_stored:
	s_set_gpr_idx_idx ttmp3
	fill_vector	0, PLACE_DATA
record_publish:
	s_set_gpr_idx_off
	place_v0	load, PLACE_V0
	s_mov_b32	m0, ttmp2
record_head:
	s_dcache_wb
	s_waitcnt	vmcnt(0) & lgkmcnt(0)
.ifdef UNATTENDED
	s_load_dwordx4	ttmp[8:11], ttmp[14:15], PLACE_SETUP glc
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], PLACE_XNACK glc
	s_waitcnt	lgkmcnt(0)
	s_mov_b64	xnack_mask, ttmp[2:3]
.else
	// The hit is forgotten, with what the handler's own accesses have hit: no
	// other one was in flight. s_setreg to s_setreg: two wait states.
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, EXCP_WATCH, 1), 0
	s_load_dwordx4	ttmp[8:11], ttmp[14:15], PLACE_SETUP glc
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], PLACE_XNACK glc
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, 12, 3), 0
	s_waitcnt	lgkmcnt(0)
	s_mov_b64	xnack_mask, ttmp[2:3]
.ifdef WATCH16
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, 16, 12), 0
.endif
.endif
	s_lshl1_add_u32	ttmp12, ttmp12, 1
	fill		s_store_dword, ttmp12, 0
	s_dcache_wb
recorded:
	s_lshr_b32	ttmp12, ttmp1, S_SCC
	s_waitcnt	lgkmcnt(0)
	s_bitcmp1_b32	ttmp1, S_NOTIFY
	s_cbranch_scc1	notify
notified:
.ifdef UNATTENDED
	s_branch	go_on
.else
	leave
.endif

notify:
	interrupt	CODE_RECORDED
	s_branch	notified

	// A base, the flat segment, or accumulation registers: these are not
	// recorded, see record_other. The code may have changed since the access.
record_base:
	s_bitcmp1_b32	ttmp5, FLAT_ACC
	s_cbranch_scc0	record_saddr
	s_bitset1_b32	ttmp1, S_LOAD
record_saddr:
	s_bfe_u32	ttmp3, ttmp5, FLAT_SADDR
	s_cmp_eq_u32	ttmp3, SADDR_OFF
	s_cbranch_scc1	record_no_base
	s_bitcmp0_b32	ttmp4, FLAT_IS_GLOBAL
	s_cbranch_scc1	record_no_base
	s_min_u32	ttmp3, ttmp3, SADDR_LAST
	s_and_b32	m0, ttmp3, SADDR_EVEN
	s_cmp_eq_u32	ttmp3, SADDR_OFF		// SCC = 0
	s_movrels_b64	ttmp[8:9], s[0:1]
	s_branch	record_vectors

record_v0:
	reload_v0
	s_branch	record_stored

record_other:
	s_bfe_u32	ttmp3, ttmp5, FLAT_DATA
	s_bitcmp1_b32	ttmp1, S_LOAD
	s_cbranch_scc0	record_first
	s_bitcmp1_b32	ttmp5, FLAT_ACC
	s_cbranch_scc1	record_publish
.ifdef GFX942
	s_bfe_u32	ttmp3, ttmp4, FLAT_OPCODE	// loads to LDS
	s_sub_u32	ttmp3, ttmp3, 38
	s_cmp_le_u32	ttmp3, 42 - 38
	s_cbranch_scc1	record_publish
.endif
	s_bfe_u32	ttmp3, ttmp5, FLAT_DST
record_first:
	reload_v0
	s_set_gpr_idx_idx ttmp3
	fill_vector	0, PLACE_DATA
	s_and_b32	ttmp3, ttmp1, S_FURTHER_DWORDS
	s_cbranch_scc0	record_old
	fill_vector	1, PLACE_DATA + 0x100
	s_bitcmp1_b32	ttmp1, S_LAST_DWORD_HIGH
	s_cbranch_scc0	record_old
	fill_vector	2, PLACE_DATA + 0x200
	s_bitcmp1_b32	ttmp1, S_LAST_DWORD_LOW
	s_cbranch_scc0	record_publish
	fill_vector	3, PLACE_DATA + 0x300
	s_branch	record_publish

	// What an atomic returned. What a compare-and-swap compares with is left out.
record_old:
	s_bitcmp1_b32	ttmp1, S_ATOMIC
	s_cbranch_scc0	record_publish
	s_bitcmp1_b32	ttmp4, FLAT_GLC
	s_cbranch_scc0	record_publish
	s_bfe_u32	ttmp3, ttmp5, FLAT_DST
	reload_v0
	s_set_gpr_idx_idx ttmp3
	fill_vector	0, PLACE_OLD
	s_and_b32	ttmp3, ttmp1, S_FURTHER_DWORDS
	s_cbranch_scc0	record_publish
	fill_vector	1, PLACE_OLD + 0x100
	s_branch	record_publish

.ifndef UNATTENDED
	// Where hits are checked: these stop, too. Their reason is reported again.
check_stray:
	s_waitcnt	lgkmcnt(0)
	filter_done
	report_only
	s_bitset1_b32	ttmp2, REASON_STRAY
	s_branch	report
check_counted:
	report_only
	s_bitset1_b32	ttmp2, REASON_COUNTED
	s_branch	report
check_recorded:
	s_load_dwordx2	ttmp[2:3], ttmp[14:15], PLACE_MEMORY glc
	s_bfe_u32	ttmp4, ttmp1, S_COMPARATOR | (4 << 16)
	s_waitcnt	lgkmcnt(0)
	s_mov_b64	ttmp[14:15], ttmp[2:3]
	report_only
	s_bitset1_b32	ttmp2, REASON_RECORDED
	s_branch	report
.endif

undecided_early:
	s_pack_ll_b32_b16 ttmp1, ttmp1, ttmp4
	s_branch	undecided

undecided_m0:
	s_set_gpr_idx_off
	s_mov_b32	m0, ttmp12
undecided:
	filter_done
.ifdef UNATTENDED
	s_andn2_b32	ttmp1, ttmp1, S_ALL_KINDS
	s_mul_i32	ttmp5, ttmp4, FILTER_SIZE
	s_add_u32	ttmp5, ttmp5, UNDECIDED
	s_mov_b32	ttmp2, 1
	s_atomic_add	ttmp2, ttmp[14:15], ttmp5
	s_waitcnt	lgkmcnt(0)
	s_branch	record

	// What is counted need not be recorded, but a hit that is not decided is not counted
record_is_off:
	s_and_b32	ttmp12, ttmp1, S_ALL_KINDS
	s_cbranch_scc0	record_room
	s_branch	go_on

	// No vector registers: which ones they are is not known, nor whether MODE lets them
	// be stored
record_undecided:
	s_mov_b64	ttmp[8:9], 0
	fill		s_store_dwordx4, ttmp[8:11], PLACE_BASE
	s_branch	record_head

	// The host may be about to take some: look again, until the time that it said. One
	// that is far away is over.
full:
	s_load_dword	ttmp12, ttmp[14:15], RING_UNTIL glc
	s_memrealtime	ttmp[2:3]
	s_waitcnt	lgkmcnt(0)
	s_cmp_eq_u32	ttmp12, 0
	s_cbranch_scc1	lost
	s_sub_u32	ttmp12, ttmp12, ttmp2
	s_cmp_lt_u32	ttmp12, RING_WAIT
	s_cbranch_scc0	lost
	s_sleep		127
	s_branch	record
lost:
	s_mul_i32	ttmp5, ttmp4, FILTER_SIZE
	s_add_u32	ttmp5, ttmp5, LOST
	s_mov_b32	ttmp2, 1
	s_atomic_add	ttmp2, ttmp[14:15], ttmp5
	s_waitcnt	lgkmcnt(0)
	s_branch	go_on
.else
uncounted:
	report_only
.ifndef SECOND_LEVEL
	s_branch	report
at_limit:
	report_only
	s_bitset1_b32	ttmp2, REASON_LIMIT
.endif

report:
.ifdef PARKS
	unpark		has_own_pc
has_own_pc:
.endif
.ifdef GFX942
	// ttmp3 = first record of the XCC
	s_getreg_b32	ttmp3, hwreg(HWREG_XCC_ID, 0, 4)
	s_load_dwordx2	ttmp[4:5], ttmp[14:15], XCCS glc
	s_waitcnt	lgkmcnt(0)
	s_and_b32	ttmp3, ttmp3, ttmp4
	s_mul_i32	ttmp3, ttmp3, ttmp5
.endif
	// ttmp[14:15] += 64 * (first record of the array + wave in the array)
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID, 12, 4)	// SE, SH
	s_lshl_b32	ttmp4, ttmp4, 2
.ifdef GFX942
	s_load_dword	ttmp5, ttmp[14:15], ttmp4 glc
.else
	s_load_dword	ttmp3, ttmp[14:15], ttmp4 glc
.endif
	s_waitcnt	lgkmcnt(0)
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID, 8, 4)	// CU
	s_lshl_b32	ttmp4, ttmp4, 6
.ifdef GFX942
	s_add_u32	ttmp3, ttmp3, ttmp5
.endif
	s_add_u32	ttmp3, ttmp3, ttmp4
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID, 0, 6)	// SIMD, WAVE
	s_add_u32	ttmp3, ttmp3, ttmp4
	s_lshl_b32	ttmp5, ttmp3, 6
	s_add_u32	ttmp14, ttmp14, ttmp5
	s_addc_u32	ttmp15, ttmp15, 0

	s_load_dword	ttmp4, ttmp[14:15], RECORDS glc
	s_waitcnt	lgkmcnt(0)
	s_or_b32	ttmp4, ttmp4, 1
	store	s_store_dword, ttmp4, 0
	s_dcache_wb
	s_waitcnt	lgkmcnt(0)
	store	s_store_dword, ttmp2, 0x04
	store	s_store_dwordx2, ttmp[0:1], 0x08
	s_mov_b64	ttmp[4:5], exec
	store	s_store_dwordx2, ttmp[4:5], 0x10
	store	s_store_dword, ttmp12, 0x18
	s_getreg_b32	ttmp4, hwreg(HW_REG_MODE)
	store	s_store_dword, ttmp4, 0x1c
	s_getreg_b32	ttmp4, hwreg(HW_REG_HW_ID)
	s_getreg_b32	ttmp5, hwreg(HW_REG_TRAPSTS)
	store	s_store_dwordx2, ttmp[4:5], 0x20
.ifdef GFX942
	s_mov_b32	ttmp4, ttmp13
	s_getreg_b32	ttmp5, hwreg(HWREG_XCC_ID)
	store	s_store_dwordx2, ttmp[4:5], 0x28
.else
	store	s_store_dwordx2, ttmp[6:7], 0x28
.endif
	store	s_store_dwordx4, ttmp[8:11], 0x30
	s_load_dword	ttmp4, ttmp[14:15], RECORDS glc
	s_waitcnt	lgkmcnt(0)
	s_add_u32	ttmp4, ttmp4, 1
	store	s_store_dword, ttmp4, 0
	s_dcache_wb
	s_waitcnt	lgkmcnt(0)

	// ttmp4 and ttmp5 must not change from here on
	s_lshl_b32	ttmp4, ttmp4, MARK_SEQ
	s_or_b32	ttmp4, ttmp4, ttmp3
	s_bitset1_b32	ttmp4, MARK_VALID
	s_and_b32	ttmp3, ttmp1, TTMP1_TRAP_ID
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cselect_b32	ttmp3, 0, ttmp3
.ifdef WATCH16
	s_mov_b32	ttmp5, ttmp2
	s_lshl_b32	ttmp3, ttmp3, 8
	s_or_b32	ttmp13, ttmp13, ttmp3
.else
	s_or_b32	ttmp5, ttmp2, ttmp3
.endif

forget:
	// Clear the bits that were read, each with a separate write: a bit that
	// an access in flight sets at the same time must be kept, as it is the
	// reason of the next entry.
	.irp	bit, 0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14
	clear	\bit
	.endr
.ifdef WATCH16
	.irp	bit, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
	clear	\bit
	.endr
.endif

.ifdef TRAP_AFTER_INST
	is_stepped
	s_cbranch_scc0	step_kept
	s_setreg_imm32_b32	hwreg(HW_REG_TRAPSTS, TRAP_AFTER_INST, 1), 0
step_kept:
.endif

	// The hardware pc is that of the s_trap; continue after it. A break
	// replaces an instruction that was not executed: keep the pc, so that a
	// wave that is resumed without stepping it hits the break again.
	s_bitcmp1_b32	ttmp1, TTMP1_HOST_TRAP
	s_cbranch_scc1	pc_is_next
	s_and_b32	ttmp3, ttmp1, TTMP1_TRAP_ID
	s_cbranch_scc0	pc_is_next
	s_cmp_eq_u32	ttmp3, BREAK_ID << 16
	s_cbranch_scc1	pc_is_next
	s_add_u32	ttmp0, ttmp0, 4
	s_addc_u32	ttmp1, ttmp1, 0
pc_is_next:
.ifdef PARKS
	s_and_b32	ttmp3, ttmp1, TTMP1_TRAP_ID
.endif
	s_and_b32	ttmp1, ttmp1, 0xffff

.ifdef PARKS
	// Where an access failed, the pc may be what it could not read. That a trap
	// instruction was executed proves the opposite: programs can write TRAPSTS.
	s_cmp_lg_u32	ttmp3, 0
	s_cbranch_scc1	not_failed
	s_bitcmp1_b32	ttmp2, EXCP_MEM_VIOL
	s_cbranch_scc1	to_park
not_failed:
	s_load_dword	ttmp2, ttmp[0:1], 0x0 glc
	s_waitcnt	lgkmcnt(0)
	s_cmp_eq_u32	ttmp2, S_ENDPGM
	s_cbranch_scc0	halt
to_park:
.ifdef SECOND_LEVEL
	s_mov_b32	ttmp13, ttmp0
.else
	s_mov_b32	ttmp7, ttmp0
.endif
	s_andn2_b32	ttmp11, ttmp11, 0xffff << TTMP11_PC_HI
	s_lshl_b32	ttmp1, ttmp1, TTMP11_PC_HI
	s_or_b32	ttmp11, ttmp11, ttmp1
	s_getpc_b64	ttmp[0:1]
to_here:
	s_sub_u32	ttmp0, ttmp0, to_here - park
	s_subb_u32	ttmp1, ttmp1, 0
halt:
.endif
	// Halt takes effect when s_rfe leaves the handler: a wave that waited
	// inside would block a context save. It is set before the interrupt
	// and not written again, so that the wave can be resumed as soon as the
	// interrupt arrives, even while it is still in the handler.
	s_setreg_imm32_b32	hwreg(HW_REG_STATUS, STATUS_HALT, 1), 1

	interrupt	CODE_STOPPED
.endif

resume:
	leave
.ifndef SECOND_LEVEL
return:
	leave_at_once
.endif

.ifndef UNATTENDED
.section checks, "a"
	check		stray_counted, check_stray
	check		counted_bytes, check_counted
	check		counted_block, check_counted
	check		recorded, check_recorded
.endif
