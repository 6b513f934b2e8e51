/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gfx9 (gfx900, gfx90a, gfx942) registers of wave state, of the trap handler and of the
 * watch hardware. Bits and offsets: amdgpu's
 * include/asic_reg/gc/gc_9_0_*.h and gc_9_4_2_*.h, vega10_enum.h.
 */
#ifndef _GPUBP_ISA_GFX9_REGS_H
#define _GPUBP_ISA_GFX9_REGS_H

/* s_getreg/s_setreg ids */
#define HWREG_MODE		1
#define HWREG_STATUS		2
#define HWREG_TRAPSTS		3
#define HWREG_HW_ID		4
#define HWREG_GPR_ALLOC		5
#define HWREG_LDS_ALLOC		6
#define HWREG_IB_STS		7
#define HWREG_PC_LO		8	/* behind SQ_IND, not of s_getreg */
#define HWREG_PC_HI		9
#define HWREG_SH_MEM_BASES	15
#define HWREG_TBA_LO		16
#define HWREG_TBA_HI		17
#define HWREG_TMA_LO		18
#define HWREG_TMA_HI		19
#define HWREG_XCC_ID		20	/* gfx942 */

/* MODE */
#define MODE_FP_ROUND		0x0000000f
#define MODE_FP_DENORM		0x000000f0
#define MODE_DX10_CLAMP		0x00000100	/* also disables FP traps */
#define MODE_IEEE		0x00000200
#define MODE_DEBUG_EN		0x00000800
#define MODE_EXCP_EN_SHIFT	12	/* 9 bits, as TRAPSTS_EXCP_MASK */
#define MODE_EXCP_EN_WATCH	0x00080000
#define MODE_CSP		0xe0000000	/* depth of the fork stack */
#define MODE_CSP_SHIFT		29

/* STATUS */
#define STATUS_SCC		0x00000001
#define STATUS_PRIV		0x00000020
#define STATUS_TRAP_EN		0x00000040
#define STATUS_EXECZ		0x00000200
#define STATUS_VCCZ		0x00000400
#define STATUS_IN_TG		0x00000800
#define STATUS_IN_BARRIER	0x00001000
#define STATUS_HALT		0x00002000
#define STATUS_TRAP		0x00004000
#define STATUS_VALID		0x00010000
#define STATUS_COND_DBG_USER	0x00100000
#define STATUS_COND_DBG_SYS	0x00200000

/* TRAPSTS */
#define TRAPSTS_EXCP_MASK	0x000001ff	/* FP, int_div0, watch0, mem_viol */
#define TRAPSTS_FP		0x0000003f	/* IEEE 754, and denormals */
#define TRAPSTS_INT_DIV0	0x00000040
#define TRAPSTS_WATCH0		0x00000080
#define TRAPSTS_MEM_VIOL	0x00000100
#define TRAPSTS_SAVECTX		0x00000400
#define TRAPSTS_ILLEGAL_INST	0x00000800
#define TRAPSTS_WATCH123	0x00007000	/* bits 12, 13, 14 */
#define TRAPSTS_WATCH0_3	(TRAPSTS_WATCH0 | TRAPSTS_WATCH123)
#define TRAPSTS_WATCH4_15	0x0fff0000	/* software GPU only */
#define TRAPSTS_WATCH		(TRAPSTS_WATCH0_3 | TRAPSTS_WATCH4_15)
#define TRAPSTS_EXCP_CYCLE	0x003f0000	/* same bits, on silicon */
#define TRAPSTS_XNACK_ERROR	0x10000000

/*
 * HW_ID: WAVE[3:0] SIMD[5:4] PIPE[7:6] CU[11:8] SH 12 SE[14:13] (gfx90a
 * [15:13]) TG[19:16] VM_ID[23:20] QUEUE[26:24] STATE[29:27] ME[31:30]
 */
#define HW_ID_WAVE(x)		((x) & 0xf)
#define HW_ID_SIMD(x)		(((x) >> 4) & 0x3)
#define HW_ID_CU(x)		(((x) >> 8) & 0xf)
#define HW_ID_SH(x)		(((x) >> 12) & 0x1)
#define HW_ID_SE(x)		(((x) >> 13) & 0x3)
#define HW_ID_VMID(x)		(((x) >> 20) & 0xf)

/* XCC_ID: as many bits as the trap handler reads */
#define XCC_ID_MASK		0x0000000f

/* messages of s_sendmsg */
#define MSG_INTERRUPT		1
#define MSG_SAVEWAVE		4
#define MSG_GET_DOORBELL	10

/* doorbell payload of a debug interrupt: doorbell[9:0], trap code << 10 */
#define DBG_PAYLOAD_DOORBELL	0x3ff
#define DBG_PAYLOAD_CODE_SHIFT	10
#define DBG_CODE_WAVE_TRAP	0x02	/* EC_QUEUE_WAVE_TRAP = 2: bit 1 */
#define DBG_CODE_SECOND		0x100	/* of a second level: no EC_* has this bit */
#define DBG_CODE_RECORDED	0x180	/* nor 0x80: a wave has recorded, and went on */

/* interrupt ring: SQ cookie */
#define IH_CLIENT_SE0SH		0x0a	/* then SE1SH, SE2SH, SE3SH */
#define IH_SRC_SQ		239
#define SQ_ENC_INST		1

/* dword offsets, BASE_IDX 0 */
#define regGRBM_GFX_CNTL	0x0022
#define regTCP_WATCH0_ADDR_H	0x12a0	/* ADDR_H, ADDR_L, CNTL; stride 3 */
#define TCP_WATCH_STRIDE	3
#define regSQ_SHADER_TBA_LO	0x031c
#define regSQ_SHADER_TBA_HI	0x031d
#define regSQ_SHADER_TMA_LO	0x031e
#define regSQ_SHADER_TMA_HI	0x031f
#define regSQ_DEBUG		0x0332
#define regSQ_IND_INDEX		0x0378
#define regSQ_IND_DATA		0x0379
#define regSQ_CMD		0x037b
#define regSPI_GDBG_TRAP_CONFIG	0x11d2
#define regSPI_GDBG_TRAP_MASK	0x11d3	/* gfx900 */
#define regSPI_GDBG_PER_VMID_CNTL	0x11d3	/* gfx90a */

#define TCP_WATCH_CNTL_MASK	0x00ffffff
#define TCP_WATCH_CNTL_VMID_SHIFT	24
#define TCP_WATCH_CNTL_MODE_SHIFT	29
#define TCP_WATCH_CNTL_VALID	0x80000000

#define TRAP_CONFIG_TRAP_EN	0x00008000
#define TRAP_CONFIG_VMID_SEL_SHIFT	16	/* one bit per VMID */

#define TRAP_MASK_EXCP_EN	0x000001ff
#define TRAP_MASK_REPLACE	0x00000200

#define PER_VMID_CNTL_TRAP_EN	0x00000008
#define PER_VMID_CNTL_EXCP_EN_SHIFT	4	/* 9 bits */
#define PER_VMID_CNTL_EXCP_REPLACE	0x00002000

#endif /* _GPUBP_ISA_GFX9_REGS_H */
