// SPDX-License-Identifier: GPL-2.0
/* Operands and executor of each vector operation. */
#include <linux/kernel.h>
#include "valu.h"

#define INT2	{ VG_INT, 2, 0 }
#define INT2C	{ VG_INT, 2, VF_CLAMP }
#define INT1	{ VG_INT, 1, 0 }
#define INT3	{ VG_INT3, 3, 0 }
#define INT3C	{ VG_INT3, 3, VF_CLAMP }
#define INT3S	{ VG_INT3, 3, VF_OP_SEL | VF_CLAMP }	/* of two sources */
#define CARRY	{ VG_CARRY, 2, VF_CLAMP }
#define HALF2	{ VG_B16, 2, 0 }
#define HALF2C	{ VG_B16, 2, VF_CLAMP }
#define HALF3	{ VG_B16, 3, VF_CLAMP }
/*
 * Of the halves of a destination AMD's manuals say that v_mad_f16, u16, i16, v_fma_f16
 * and v_div_fixup_f16 keep the one that they do not write, and that the upper one
 * becomes zero after the legacy forms. Mesa relies on the former for all operations that
 * have op_sel for the destination, LLVM on the latter for all others, except v_mac_f16,
 * v_madmk_f16 and v_madak_f16: there they contradict.
 */
#define SEL_KEEP (VF_OP_SEL | VF_SEL_DST | VF_KEEP)
#define HALF2S	{ VG_B16, 2, SEL_KEEP | VF_CLAMP }
#define HALF3S	{ VG_B16, 3, SEL_KEEP | VF_CLAMP }
#define FLT1	{ VG_FLOAT, 1, VF_MODS | VF_CLAMP }
#define FLT2	{ VG_FLOAT, 2, VF_MODS | VF_CLAMP }
#define FLT3	{ VG_FLOAT, 3, VF_MODS | VF_CLAMP }
#define FLTMAC	{ VG_FLOAT, 2, VF_MODS | VF_CLAMP | VF_DST_IN }
#define CVTINT	{ VG_CVT, 1, VF_CLAMP | VF_OMOD }	/* integer to float */
#define CVTFLT	{ VG_CVT, 1, VF_MODS }	/* float to something */
#define CVTCUT	{ VG_CVT, 1, VF_MODS | VF_INEXACT }	/* to integer */
#define SHIFT64	{ VG_WIDE, 2, VF_WIDE1 | VF_WIDED }
#define MAD64	{ VG_WIDE, 3, VF_WIDE2 | VF_WIDED | VF_CLAMP }
#define LANE	{ VG_LANE, 0, 0 }
#define TRANS	{ VG_TRANS, 1, VF_MODS | VF_CLAMP }
#define D_IN	(VF_MODS | VF_DOUBLE)
#define D_OUT	(VF_WIDED | VF_CLAMP)
#define DBL1	{ VG_F64, 1, VF_WIDE0 | D_IN | D_OUT }
#define DBL2	{ VG_F64, 2, VF_WIDE0 | VF_WIDE1 | D_IN | D_OUT }
#define DBL3	{ VG_F64, 3, WIDE_SRC | D_IN | D_OUT }
#define DBLINT	{ VG_F64, 1, VF_WIDE0 | D_IN }	/* double to integer */
#define DBLCUT	{ VG_F64, 1, VF_WIDE0 | D_IN | VF_INEXACT }
#define INTDBL	{ VG_F64, 1, D_OUT | VF_OMOD }
#define WIDE_SRC (VF_WIDE0 | VF_WIDE1 | VF_WIDE2)
#define CMPH	{ VG_CMP, 2, VF_HALF | VF_MODS }
#define H_FLAGS	(VF_HALF | VF_MODS | VF_CLAMP)
#define H1	{ VG_F16, 1, H_FLAGS }
#define H2	{ VG_F16, 2, H_FLAGS }
#define H3	{ VG_F16, 3, H_FLAGS }
#define H3S	{ VG_F16, 3, H_FLAGS | SEL_KEEP }
#define HINT	{ VG_F16, 1, VF_HALF | VF_MODS }	/* half to integer */
#define HCUT	{ VG_F16, 1, VF_HALF | VF_MODS | VF_INEXACT }
#define INTH	{ VG_F16, 1, VF_CLAMP | VF_OMOD }

static const struct vop_info infos[] = {
	[V_CMP_CLASS_F32 ... V_CMPX_CLASS_F32] = { VG_CMP, 2, VF_MODS },
	[V_CMP_CLASS_F64 ... V_CMPX_CLASS_F64] = { VG_CMP, 2, VF_WIDE0 | D_IN },
	[V_CMP_CLASS_F16 ... V_CMPX_CLASS_F16] = CMPH,
	[V_CMP_F16 ... V_CMP_F32 - 1] = { VG_CMP, 2, VF_HALF | VF_MODS |
						     VF_CLAMP },
	[V_CMP_F32 ... V_CMP_F64 - 1] = { VG_CMP, 2, VF_MODS | VF_CLAMP },
	[V_CMP_F64 ... V_CMP_F64 + 31] = {
		VG_CMP, 2, VF_WIDE0 | VF_WIDE1 | D_IN | VF_CLAMP
	},
	[V_CMP_I16 ... V_CMP_I64 - 1] = { VG_CMP, 2, 0 },
	[V_CMP_I64 ... VOP2_BASE - 1] = { VG_CMP, 2, VF_WIDE0 | VF_WIDE1 },
	[V_CNDMASK_B32] = { VG_CARRY, 2, VF_MODS },
	[V_ADD_F32 ... V_SUBREV_F32] = FLT2,
	[V_FMAC_F64] = { VG_F64, 2, VF_WIDE0 | VF_WIDE1 | D_IN | D_OUT |
			 VF_DST_IN },
	[V_MUL_F32] = FLT2,
	[V_MUL_I32_I24] = INT2C,
	[V_MUL_HI_I32_I24] = INT2,
	[V_MUL_U32_U24] = INT2C,
	[V_MUL_HI_U32_U24] = INT2,
	[V_MIN_F32 ... V_MAX_F32] = FLT2,
	[V_MIN_I32 ... V_XOR_B32] = INT2,
	[V_MAC_F32] = FLTMAC,
	[V_MADMK_F32 ... V_MADAK_F32] = { VG_FLOAT, 2, 0 },
	[V_ADD_CO_U32 ... V_SUBBREV_CO_U32] = CARRY,
	[V_ADD_F16 ... V_MUL_F16] = H2,
	[V_MAC_F16] = { VG_F16, 2, H_FLAGS | VF_DST_IN },
	[V_MADMK_F16 ... V_MADAK_F16] = { VG_F16, 2, VF_HALF },
	[V_ADD_U16 ... V_SUBREV_U16] = HALF2C,
	[V_MUL_LO_U16 ... V_ASHRREV_I16] = HALF2,
	[V_MAX_F16 ... V_MIN_F16] = H2,
	[V_MAX_U16 ... V_MIN_I16] = HALF2,
	[V_LDEXP_F16] = H2,
	[V_ADD_U32 ... V_SUBREV_U32] = INT2C,
	[V_FMAC_F32] = FLTMAC,
	[V_XNOR_B32] = INT2,
	[V_NOP] = LANE,
	[V_MOV_B32] = INT1,
	[V_READFIRSTLANE_B32] = LANE,
	[V_CVT_I32_F64] = DBLCUT,
	[V_CVT_F64_I32] = INTDBL,
	[V_CVT_F32_I32 ... V_CVT_F32_U32] = CVTINT,
	[V_CVT_U32_F32 ... V_CVT_I32_F32] = CVTCUT,
	[V_CVT_F16_F32] = { VG_CVT, 1, VF_MODS | VF_CLAMP },
	[V_CVT_F32_F16] = { VG_CVT, 1, H_FLAGS },
	[V_CVT_RPI_I32_F32 ... V_CVT_FLR_I32_F32] = CVTFLT,
	[V_CVT_OFF_F32_I4] = CVTINT,
	[V_CVT_F32_F64] = { VG_F64, 1, VF_WIDE0 | D_IN | VF_CLAMP },
	[V_CVT_F64_F32] = { VG_F64, 1, VF_MODS | D_OUT },
	[V_CVT_F32_UBYTE0 ... V_CVT_F32_UBYTE3] = CVTINT,
	[V_CVT_U32_F64] = DBLCUT,
	[V_CVT_F64_U32] = INTDBL,
	[V_TRUNC_F64 ... V_FLOOR_F64] = DBL1,
	[V_FRACT_F32 ... V_FLOOR_F32] = FLT1,
	[V_EXP_F32 ... V_RSQ_F32] = TRANS,
	[V_RCP_F64 ... V_RSQ_F64] = DBL1,
	[V_SQRT_F32] = TRANS,
	[V_SQRT_F64] = DBL1,
	[V_SIN_F32 ... V_COS_F32] = TRANS,
	[V_NOT_B32 ... V_FFBH_I32] = INT1,
	[V_FREXP_EXP_I32_F64] = DBLINT,
	[V_FREXP_MANT_F64 ... V_FRACT_F64] = DBL1,
	[V_FREXP_EXP_I32_F32] = CVTFLT,
	[V_FREXP_MANT_F32] = FLT1,
	[V_CLREXCP] = LANE,
	[V_MOV_B64] = { VG_WIDE, 1, VF_WIDE0 | VF_WIDED },
	[V_CVT_F16_U16 ... V_CVT_F16_I16] = INTH,
	[V_CVT_U16_F16 ... V_CVT_I16_F16] = HCUT,
	[V_RCP_F16 ... V_FREXP_MANT_F16] = H1,
	[V_FREXP_EXP_I16_F16] = HINT,
	[V_FLOOR_F16 ... V_COS_F16] = H1,
	[V_EXP_LEGACY_F32 ... V_LOG_LEGACY_F32] = TRANS,
	[V_SAT_PK_U8_I16] = INT1,
	[V_SWAP_B32 ... V_ACCVGPR_MOV_B32] = LANE,
	[V_MAD_LEGACY_F32 ... V_MAD_F32] = FLT3,
	[V_MAD_I32_I24 ... V_MAD_U32_U24] = INT3C,
	[V_BFE_U32 ... V_BFI_B32] = INT3,
	[V_FMA_F32] = FLT3,
	[V_FMA_F64] = DBL3,
	[V_LERP_U8 ... V_ALIGNBYTE_B32] = INT3,
	[V_MIN3_F32] = FLT3,
	[V_MIN3_I32 ... V_MIN3_U32] = INT3,
	[V_MAX3_F32] = FLT3,
	[V_MAX3_I32 ... V_MAX3_U32] = INT3,
	[V_MED3_F32] = FLT3,
	[V_MED3_I32 ... V_MED3_U32] = INT3,
	[V_SAD_U8 ... V_SAD_U32] = INT3C,
	[V_DIV_FIXUP_F32] = { VG_DIV, 3, VF_MODS | VF_CLAMP },
	[V_DIV_FIXUP_F64] = { VG_DIV, 3, WIDE_SRC | D_IN | D_OUT },
	[V_DIV_SCALE_F32] = { VG_DIV, 3, 0 },
	[V_DIV_SCALE_F64] = { VG_DIV, 3, WIDE_SRC | VF_WIDED },
	[V_DIV_FMAS_F32] = { VG_DIV, 3, VF_MODS | VF_CLAMP },
	[V_DIV_FMAS_F64] = { VG_DIV, 3, WIDE_SRC | D_IN | D_OUT },
	[V_MSAD_U8] = INT3C,
	[V_MAD_U64_U32 ... V_MAD_I64_I32] = MAD64,
	[V_MAD_LEGACY_F16] = H3,
	[V_MAD_LEGACY_U16 ... V_MAD_LEGACY_I16] = HALF3,
	[V_PERM_B32] = INT3,
	[V_FMA_LEGACY_F16 ... V_DIV_FIXUP_LEGACY_F16] = H3,
	[V_MAD_U32_U16 ... V_MAD_I32_I16] = INT3S,
	[V_XAD_U32] = INT3,
	[V_MIN3_F16] = H3S,
	[V_MIN3_I16 ... V_MIN3_U16] = HALF3S,
	[V_MAX3_F16] = H3S,
	[V_MAX3_I16 ... V_MAX3_U16] = HALF3S,
	[V_MED3_F16] = H3S,
	[V_MED3_I16 ... V_MED3_U16] = HALF3S,
	[V_LSHL_ADD_U32 ... V_OR3_B32] = INT3,
	[V_MAD_F16] = H3S,
	[V_MAD_U16 ... V_MAD_I16] = HALF3S,
	[V_FMA_F16 ... V_DIV_FIXUP_F16] = H3S,
	[V_LSHL_ADD_U64] = { VG_WIDE, 3, VF_WIDE0 | VF_WIDE2 | VF_WIDED },
	[V_ADD_F64 ... V_MAX_F64] = DBL2,
	[V_LDEXP_F64] = { VG_F64, 2, VF_WIDE0 | D_IN | D_OUT },
	[V_MUL_LO_U32 ... V_MUL_HI_I32] = INT2,
	[V_LDEXP_F32] = { VG_CVT, 2, VF_MODS | VF_CLAMP },
	[V_READLANE_B32 ... V_WRITELANE_B32] = LANE,
	[V_BCNT_U32_B32] = INT2,
	[V_MBCNT_LO_U32_B32 ... V_MBCNT_HI_U32_B32] = INT2,
	[V_LSHLREV_B64 ... V_ASHRREV_I64] = SHIFT64,
	[V_TRIG_PREOP_F64] = { VG_F64, 2, VF_WIDE0 | D_IN | D_OUT },
	[V_BFM_B32] = INT2,
	[V_CVT_PKRTZ_F16_F32] = { VG_CVT, 2, VF_MODS },
	[V_CVT_PK_U16_U32 ... V_CVT_PK_I16_I32] = INT2,
	[V_ADD_I32 ... V_SUB_I32] = INT2C,
	[V_ADD_I16 ... V_SUB_I16] = HALF2S,
	[V_PACK_B32_F16] = { VG_B16, 2, VF_HALF | VF_MODS | VF_OP_SEL },
	[V_MUL_LEGACY_F32] = FLT2,
};

/*
 * sim_vop_info() - operands of an operation; group VG_NONE if there is none
 */
struct vop_info sim_vop_info(unsigned int op)
{
	return op < ARRAY_SIZE(infos) ? infos[op] : (struct vop_info){};
}
