// SPDX-License-Identifier: GPL-2.0
/*
 * Bits that an instruction must leave zero: fields of operands that it does not
 * have, and modifiers without a meaning for it. The hardware documents do not
 * say what happens otherwise; LLVM's disassembler rejects such words, so no
 * program made by LLVM contains them.
 *
 * Derived from LLVM's answers for each bit of each opcode, of LLVM 14 but for
 * buffer_wbl2 (LLVM 17 makes it with glc and scc); tests/host/isa
 * compares a million random words. Opcodes between the rows have no such bits.
 */
#include <linux/kernel.h>
#include "operands.h"

enum form { PLAIN, SDWA, DPP };

/**
 * struct reserved - bits of a range of opcodes
 * @form: without SDWA or DPP dword, or with one of them
 * @seg: segment of GFX9_FLAT
 * @arch: bit mask of enum gfx9_arch
 * @first: opcode
 * @last: opcode
 * @low: bits of the first dword
 * @high: bits of the second dword
 * @ones: bits of the first dword that must be one
 */
struct reserved {
	u8 form, seg, arch;
	u16 first, last;
	u32 low, high, ones;
};

#define BOTH	(GFX9_GFX900 | GFX9_GFX90A)

static const struct reserved vop3[] = {
	{ PLAIN, 0, BOTH, 16, 21, 0x00008600, 0xdffc0000 },
	{ PLAIN, 0, BOTH, 32, 127, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, BOTH, 160, 255, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 256, 256, 0x00008400, 0x98000000 },
	{ PLAIN, 0, BOTH, 257, 261, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 262, 262, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 263, 263, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 264, 264, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 265, 265, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 266, 267, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 268, 277, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 278, 278, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 281, 283, 0x00000000, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 284, 286, 0x00000000, 0xf8000000 },
	{ PLAIN, 0, BOTH, 287, 291, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 294, 296, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 297, 300, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 301, 302, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 303, 306, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 307, 307, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 308, 310, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 315, 315, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 317, 317, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 320, 320, 0x000087ff, 0xffffffff },
	{ PLAIN, 0, BOTH, 321, 321, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, BOTH, 323, 323, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 324, 326, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, BOTH, 327, 331, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 332, 333, 0x00000600, 0xdffffe00 },
	{ PLAIN, 0, BOTH, 334, 334, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, BOTH, 335, 336, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 337, 340, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, BOTH, 341, 341, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 342, 342, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, BOTH, 343, 362, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 363, 367, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, BOTH, 368, 370, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 371, 371, 0x00000600, 0xdffffe00 },
	{ PLAIN, 0, BOTH, 372, 372, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 373, 373, 0x000087ff, 0xffffffff },
	{ PLAIN, 0, BOTH, 375, 375, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, BOTH, 377, 378, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, BOTH, 379, 398, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, BOTH, 399, 399, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, BOTH, 450, 451, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 456, 458, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 461, 463, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 465, 466, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 468, 469, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 471, 472, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 473, 476, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 477, 477, 0x00000000, 0x18000000 },
	{ PLAIN, 0, BOTH, 484, 487, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 488, 489, 0x00000000, 0xf8000000 },
	{ PLAIN, 0, BOTH, 491, 492, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 493, 493, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 496, 496, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, BOTH, 497, 498, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 499, 499, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 500, 500, 0x00000000, 0x18000000 },
	{ PLAIN, 0, BOTH, 501, 502, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 503, 503, 0x00000000, 0x18000000 },
	{ PLAIN, 0, BOTH, 504, 505, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 506, 506, 0x00000000, 0x18000000 },
	{ PLAIN, 0, BOTH, 507, 508, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 509, 514, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 515, 515, 0x00000000, 0x18000000 },
	{ PLAIN, 0, BOTH, 516, 517, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, BOTH, 518, 519, 0x00000000, 0x18000000 },
	{ PLAIN, 0, BOTH, 624, 625, 0x00000500, 0xa7fc0100 },
	{ PLAIN, 0, BOTH, 626, 626, 0x00000700, 0xe7fc0100 },
	{ PLAIN, 0, BOTH, 628, 628, 0x00000500, 0xa7fc0000 },
	{ PLAIN, 0, BOTH, 629, 629, 0x00000100, 0x20000000 },
	{ PLAIN, 0, BOTH, 630, 631, 0x00000100, 0x38000000 },
	{ PLAIN, 0, BOTH, 640, 644, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 645, 647, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 648, 648, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 649, 649, 0x00008000, 0x18000000 },
	{ PLAIN, 0, BOTH, 650, 657, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 658, 658, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 659, 659, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 660, 661, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, BOTH, 662, 662, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 663, 664, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 665, 666, 0x00002400, 0x9ffc0000 },
	{ PLAIN, 0, BOTH, 668, 669, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 670, 671, 0x00002700, 0xfffc0000 },
	{ PLAIN, 0, BOTH, 672, 672, 0x00002400, 0x9ffc0000 },
	{ PLAIN, 0, BOTH, 673, 673, 0x00000400, 0x87fc0000 },
};

static const struct reserved vop3p[] = {
	{ PLAIN, 0, BOTH, 0, 0, 0x00000600, 0xc0000000 },
	{ PLAIN, 0, BOTH, 1, 8, 0x00002600, 0xc7fc0000 },
	{ PLAIN, 0, BOTH, 9, 9, 0x00000600, 0xc0000000 },
	{ PLAIN, 0, BOTH, 10, 13, 0x00002600, 0xc7fc0000 },
	{ PLAIN, 0, BOTH, 15, 18, 0x00002400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 38, 39, 0x00000200, 0x40000000 },
	{ PLAIN, 0, BOTH, 49, 51, 0x00002400, 0x87fc0000 },
	{ PLAIN, 0, BOTH, 88, 89, 0x00003f00, 0xe7fffe00 },
};

static const struct reserved ds[] = {
	{ PLAIN, 0, BOTH, 0, 11, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 12, 12, 0x00000000, 0xff000000 },
	{ PLAIN, 0, BOTH, 13, 13, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 14, 17, 0x00000000, 0xff000000 },
	{ PLAIN, 0, BOTH, 18, 19, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 20, 20, 0x0201ffff, 0xffffffff },
	{ PLAIN, 0, BOTH, 21, 21, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 29, 29, 0x00000000, 0xffff00ff },
	{ PLAIN, 0, BOTH, 30, 31, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 32, 43, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 45, 45, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 50, 51, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 53, 53, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 54, 61, 0x00000000, 0x00ffff00 },
	{ PLAIN, 0, BOTH, 62, 63, 0x00010000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 64, 75, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 76, 76, 0x00000000, 0xff000000 },
	{ PLAIN, 0, BOTH, 77, 77, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 78, 81, 0x00000000, 0xff000000 },
	{ PLAIN, 0, BOTH, 82, 85, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 86, 91, 0x00000000, 0x00ffff00 },
	{ PLAIN, 0, BOTH, 92, 92, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 96, 107, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 109, 109, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 114, 115, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 118, 120, 0x00000000, 0x00ffff00 },
	{ PLAIN, 0, BOTH, 124, 126, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, BOTH, 128, 149, 0x02000000, 0xffffff00 },
	{ PLAIN, 0, BOTH, 152, 152, 0x02000000, 0xffffffff, 0x00010000 },
	{ PLAIN, 0, BOTH, 153, 153, 0x00000000, 0xffffff00, 0x00010000 },
	{ PLAIN, 0, BOTH, 154, 154, 0x02000000, 0xffffffff, 0x00010000 },
	{ PLAIN, 0, BOTH, 155, 155, 0x00000000, 0xffffff00, 0x00010000 },
	{ PLAIN, 0, BOTH, 156, 156, 0x02000000, 0xffffffff, 0x00010000 },
	{ PLAIN, 0, BOTH, 157, 157, 0x00000000, 0xffffff00, 0x00010000 },
	{ PLAIN, 0, BOTH, 182, 190, 0x00000000, 0x00ffffff },
	{ PLAIN, 0, BOTH, 191, 191, 0x00000000, 0x00ffff00, 0x00010000 },
	{ PLAIN, 0, BOTH, 192, 211, 0x02000000, 0xffffff00 },
	{ PLAIN, 0, BOTH, 222, 223, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, BOTH, 254, 255, 0x00000000, 0x00ffff00 },
};

static const struct reserved flat[] = {
	{ PLAIN, 0, BOTH, 16, 76, 0x00002000, 0x007f0000 },
	{ PLAIN, 0, BOTH, 79, 81, 0x02002000, 0x007f0000 },
	{ PLAIN, 0, BOTH, 96, 108, 0x00002000, 0x007f0000 },
	{ PLAIN, 2, BOTH, 77, 81, 0x02000000, 0x00000000 },
};

static const struct reserved mubuf[] = {
	{ PLAIN, 0, BOTH, 1, 15, 0x00010000, 0x00000000 },
	{ PLAIN, 0, BOTH, 24, 39, 0x00010000, 0x00000000 },
	{ PLAIN, 0, BOTH, 40, 40, 0x00013000, 0x00800000 },
	{ PLAIN, 0, BOTH, 41, 41, 0x0001f000, 0x00800000 },
	{ PLAIN, 0, BOTH, 62, 63, 0x0001f000, 0x00000000 },
	{ PLAIN, 0, BOTH, 64, 76, 0x00010000, 0x00000000 },
	{ PLAIN, 0, BOTH, 77, 81, 0x00018000, 0x00000000 },
	{ PLAIN, 0, BOTH, 96, 108, 0x00010000, 0x00000000 },
	{ PLAIN, 0, BOTH, 113, 113, 0x0001f000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX900, 61, 61, 0x00003000, 0x00000000, 0x00010000 },
	{ PLAIN, 0, GFX9_GFX90A, 61, 61, 0x00003000, 0x00800000, 0x00010000 },
};

static const struct reserved smem[] = {
	{ PLAIN, 0, BOTH, 32, 37, 0x00020000, 0x00000000 },
};

static const struct reserved vop1[] = {
	{ PLAIN, 0, BOTH, 0, 0, 0x01fe0000, 0x00000000 },
	{ PLAIN, 0, BOTH, 53, 53, 0x01fe0000, 0x00000000 },
	{ SDWA, 0, BOTH, 0, 0, 0x01fe0000, 0x00000000 },
	{ SDWA, 0, BOTH, 1, 1, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, BOTH, 5, 6, 0x00000000, 0xbf300000 },
	{ SDWA, 0, BOTH, 7, 8, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, BOTH, 10, 11, 0x00000000, 0xbf080000 },
	{ SDWA, 0, BOTH, 12, 13, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, BOTH, 14, 20, 0x00000000, 0xbf300000 },
	{ SDWA, 0, BOTH, 27, 42, 0x00000000, 0xbf080000 },
	{ SDWA, 0, BOTH, 43, 47, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, BOTH, 51, 51, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, BOTH, 52, 52, 0x00000000, 0xbf080000 },
	{ SDWA, 0, BOTH, 53, 53, 0x01fe0000, 0x00000000 },
	{ SDWA, 0, BOTH, 55, 55, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, BOTH, 57, 58, 0x00000000, 0xbf300000 },
	{ SDWA, 0, BOTH, 59, 60, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, BOTH, 61, 66, 0x00000000, 0xbf080000 },
	{ SDWA, 0, BOTH, 67, 67, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, BOTH, 68, 76, 0x00000000, 0xbf080000 },
	{ SDWA, 0, BOTH, 77, 78, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, BOTH, 79, 79, 0x00000000, 0xbf30c000 },
	{ DPP, 0, BOTH, 0, 0, 0x01fe0000, 0x00000000 },
	{ DPP, 0, BOTH, 1, 1, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 3, 3, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 4, 6, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 7, 13, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 14, 14, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 15, 16, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 17, 20, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 21, 21, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 22, 22, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 23, 42, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 43, 47, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 48, 52, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 53, 53, 0x01fe0000, 0x00000000 },
	{ DPP, 0, BOTH, 55, 58, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 59, 78, 0x00000000, 0x00c00000 },
	{ DPP, 0, BOTH, 79, 79, 0x00000000, 0x00f00000 },
};

static const struct reserved vop2[] = {
	{ SDWA, 0, BOTH, 0, 0, 0x00000000, 0x3030c000 },
	{ SDWA, 0, BOTH, 1, 5, 0x00000000, 0x08080000 },
	{ SDWA, 0, BOTH, 6, 9, 0x00000000, 0x3030c000 },
	{ SDWA, 0, BOTH, 10, 11, 0x00000000, 0x08080000 },
	{ SDWA, 0, BOTH, 12, 30, 0x00000000, 0x3030c000 },
	{ SDWA, 0, BOTH, 31, 34, 0x00000000, 0x08080000 },
	{ SDWA, 0, BOTH, 38, 44, 0x00000000, 0x3030c000 },
	{ SDWA, 0, BOTH, 45, 46, 0x00000000, 0x08080000 },
	{ SDWA, 0, BOTH, 47, 50, 0x00000000, 0x3030c000 },
	{ SDWA, 0, BOTH, 51, 51, 0x00000000, 0x30080000 },
	{ SDWA, 0, BOTH, 52, 61, 0x00000000, 0x3030c000 },
	{ DPP, 0, BOTH, 6, 9, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 12, 21, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 25, 30, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 38, 44, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 47, 50, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 52, 54, 0x00000000, 0x00f00000 },
	{ DPP, 0, BOTH, 61, 61, 0x00000000, 0x00f00000 },
};

static const struct reserved vopc[] = {
	{ SDWA, 0, BOTH, 16, 21, 0x00000000, 0x30080000 },
	{ SDWA, 0, BOTH, 32, 95, 0x00000000, 0x08080000 },
	{ SDWA, 0, BOTH, 160, 223, 0x00000000, 0x30300000 },
};

static const struct reserved sopp[] = {
	{ PLAIN, 0, BOTH, 3, 3, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, BOTH, 10, 10, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, BOTH, 19, 19, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, BOTH, 22, 22, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, BOTH, 27, 28, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, BOTH, 30, 30, 0x0000ffff, 0x00000000 },
};

#define ROWS(table)	{ table, ARRAY_SIZE(table) }

/* the rows of each encoding, as the decoder looks up every instruction */
static const struct {
	const struct reserved *rows;
	unsigned int nr;
} rows_of[] = {
	[GFX9_VOP3]	= ROWS(vop3),
	[GFX9_VOP3P]	= ROWS(vop3p),
	[GFX9_DS]	= ROWS(ds),
	[GFX9_FLAT]	= ROWS(flat),
	[GFX9_MUBUF]	= ROWS(mubuf),
	[GFX9_SMEM]	= ROWS(smem),
	[GFX9_VOP1]	= ROWS(vop1),
	[GFX9_VOP2]	= ROWS(vop2),
	[GFX9_VOPC]	= ROWS(vopc),
	[GFX9_SOPP]	= ROWS(sopp),
};

static enum form inst_form(const struct gfx9_inst *i)
{
	return i->sdwa ? SDWA : i->dpp ? DPP : PLAIN;
}

static bool reserved_is_violated(const struct reserved *r, const u32 *w)
{
	return (w[0] & r->low) || (~w[0] & r->ones) ||
	       (r->high && (w[1] & r->high));
}

static bool reserved_applies(const struct reserved *r,
			     const struct gfx9_inst *i)
{
	return r->first <= i->op && i->op <= r->last && r->seg == i->seg &&
	       r->form == inst_form(i) && (r->arch & i->arch);
}

/**
 * gfx9_reserved_set() - does an instruction violate its reserved bits
 * @i: decoded instruction
 * @w: its words
 */
bool gfx9_reserved_set(const struct gfx9_inst *i, const u32 *w)
{
	const struct reserved *r, *end;

	if (i->fmt >= ARRAY_SIZE(rows_of))
		return false;
	r = rows_of[i->fmt].rows;
	for (end = r + rows_of[i->fmt].nr; r < end; r++)
		if (reserved_applies(r, i))
			return reserved_is_violated(r, w);
	return false;
}
