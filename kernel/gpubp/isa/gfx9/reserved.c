// SPDX-License-Identifier: GPL-2.0
/*
 * Bits that an instruction must leave zero: fields of operands that it does not
 * have, and modifiers without a meaning for it. The hardware documents do not
 * say what happens otherwise; LLVM's disassembler rejects such words, so no
 * program made by LLVM contains them.
 *
 * Derived from LLVM's answers for each bit of each opcode: of LLVM 17 for gfx942,
 * else of LLVM 14, but for buffer_wbl2 (LLVM 17 makes it with glc and scc). The
 * versions differ in a few modifiers. tests/host/isa compares a million random
 * words. Opcodes between the rows have no such bits.
 */
#include <linux/kernel.h>
#include "operands.h"
#include "ops.h"

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

static const struct reserved vop3[] = {
	{ PLAIN, 0, GFX9_ANY, 16, 21, 0x00008600, 0xdffc0000 },
	{ PLAIN, 0, GFX9_ANY, 32, 127, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_ANY, 160, 255, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 256, 256, 0x00008400, 0x98000000 },
	{ PLAIN, 0, GFX9_ANY, 257, 261, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 262, 262, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 263, 263, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 264, 264, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 265, 265, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 266, 267, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 268, 277, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 278, 278, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 281, 283, 0x00000000, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 284, 286, 0x00000000, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 287, 291, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 294, 296, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 297, 300, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 301, 302, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 303, 306, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 307, 307, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 308, 310, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_GFX942, 311, 311, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_GFX942, 312, 314, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_ANY, 315, 315, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 317, 317, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 320, 320, 0x000087ff, 0xffffffff },
	{ PLAIN, 0, GFX9_ANY, 321, 321, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, GFX9_ANY, 323, 323, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 324, 326, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 327, 331, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 332, 333, 0x00000600, 0xdffffe00 },
	{ PLAIN, 0, GFX9_ANY, 334, 334, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 335, 336, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 337, 340, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 341, 341, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 342, 342, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 343, 362, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 363, 367, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, GFX9_ANY, 368, 370, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 371, 371, 0x00000600, 0xdffffe00 },
	{ PLAIN, 0, GFX9_ANY, 372, 372, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 373, 373, 0x000087ff, 0xffffffff },
	{ PLAIN, 0, GFX9_ANY, 375, 375, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, GFX9_GFX942, 376, 376, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, GFX9_ANY, 377, 378, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 379, 398, 0x00000600, 0xc7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 399, 399, 0x00008700, 0xfffffe00 },
	{ PLAIN, 0, GFX9_GFX942, 404, 407, 0x00000700, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_ANY, 450, 451, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 456, 458, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 461, 463, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 465, 466, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 468, 469, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 471, 472, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 473, 476, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 477, 477, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_ANY, 484, 487, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 488, 489, 0x00000000, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 491, 492, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 493, 493, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 496, 496, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_GFX942, 497, 498, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_GFX942, 500, 500, 0x00000000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX942, 501, 502, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_GFX942, 503, 503, 0x00000000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX942, 504, 505, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_GFX942, 506, 506, 0x00000000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX942, 507, 508, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_GFX942, 515, 515, 0x00000000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX942, 516, 517, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_GFX942, 518, 519, 0x00000000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 497, 498, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 499, 499, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 500, 500, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_ANY, 501, 502, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 503, 503, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_ANY, 504, 505, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 506, 506, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_ANY, 507, 508, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 509, 514, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 515, 515, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_ANY, 516, 517, 0x00000700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 518, 519, 0x00000000, 0x18000000 },
	{ PLAIN, 0, GFX9_GFX942, 520, 520, 0x00008700, 0xf8000000 },
	{ PLAIN, 0, GFX9_ANY, 624, 625, 0x00000500, 0xa7fc0100 },
	{ PLAIN, 0, GFX9_ANY, 626, 626, 0x00000700, 0xe7fc0100 },
	{ PLAIN, 0, GFX9_ANY, 628, 628, 0x00000500, 0xa7fc0000 },
	{ PLAIN, 0, GFX9_ANY, 629, 629, 0x00000100, 0x20000000 },
	{ PLAIN, 0, GFX9_ANY, 630, 631, 0x00000100, 0x38000000 },
	{ PLAIN, 0, GFX9_ANY, 640, 644, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 645, 647, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 648, 648, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_GFX942, 649, 649, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 649, 649, 0x00008000, 0x18000000 },
	{ PLAIN, 0, GFX9_ANY, 650, 657, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 658, 658, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 659, 659, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 660, 661, 0x00000400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_ANY, 662, 662, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 663, 664, 0x00008700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 665, 666, 0x00002400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_ANY, 668, 669, 0x00000700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_GFX942, 670, 671, 0x00002400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_ANY, 670, 671, 0x00002700, 0xfffc0000 },
	{ PLAIN, 0, GFX9_ANY, 672, 672, 0x00002400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_ANY, 673, 673, 0x00000400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_GFX942, 674, 675, 0x0000a400, 0x9ffc0000 },
	{ PLAIN, 0, GFX9_GFX942, 676, 677, 0x00008000, 0x1ffc0000 },
};

static const struct reserved vop3p[] = {
	{ PLAIN, 0, GFX9_ANY, 0, 0, 0x00000600, 0xc0000000 },
	{ PLAIN, 0, GFX9_ANY, 1, 8, 0x00002600, 0xc7fc0000 },
	{ PLAIN, 0, GFX9_ANY, 9, 9, 0x00000600, 0xc0000000 },
	{ PLAIN, 0, GFX9_ANY, 10, 13, 0x00002600, 0xc7fc0000 },
	{ PLAIN, 0, GFX9_ANY, 15, 18, 0x00002400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 38, 39, 0x00000200, 0x40000000 },
	{ PLAIN, 0, GFX9_ANY, 49, 51, 0x00002400, 0x87fc0000 },
	{ PLAIN, 0, GFX9_ANY, 88, 89, 0x00003f00, 0xe7fffe00 },
	{ PLAIN, 0, GFX9_GFX942, 98, 108, 0x00000000, 0xe0000000 },
	{ PLAIN, 0, GFX9_GFX942, 120, 127, 0x00000000, 0xe0000000 },
};

static const struct reserved ds[] = {
	{ PLAIN, 0, GFX9_ANY, 0, 11, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 12, 12, 0x00000000, 0xff000000 },
	{ PLAIN, 0, GFX9_ANY, 13, 13, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 14, 17, 0x00000000, 0xff000000 },
	{ PLAIN, 0, GFX9_ANY, 18, 19, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 20, 20, 0x0201ffff, 0xffffffff },
	{ PLAIN, 0, GFX9_ANY, 21, 21, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_GFX942, 23, 24, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 29, 29, 0x00000000, 0xffff00ff },
	{ PLAIN, 0, GFX9_ANY, 30, 31, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 32, 43, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 45, 45, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 50, 51, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 53, 53, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 54, 61, 0x00000000, 0x00ffff00 },
	{ PLAIN, 0, GFX9_ANY, 62, 63, 0x00010000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 64, 75, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 76, 76, 0x00000000, 0xff000000 },
	{ PLAIN, 0, GFX9_ANY, 77, 77, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 78, 81, 0x00000000, 0xff000000 },
	{ PLAIN, 0, GFX9_ANY, 82, 85, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 86, 91, 0x00000000, 0x00ffff00 },
	{ PLAIN, 0, GFX9_ANY, 92, 92, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 96, 107, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 109, 109, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 114, 115, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 118, 120, 0x00000000, 0x00ffff00 },
	{ PLAIN, 0, GFX9_ANY, 124, 126, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 128, 149, 0x02000000, 0xffffff00 },
	{ PLAIN, 0, GFX9_ANY, 152, 152, 0x02000000, 0xffffffff, 0x00010000 },
	{ PLAIN, 0, GFX9_ANY, 153, 153, 0x00000000, 0xffffff00, 0x00010000 },
	{ PLAIN, 0, GFX9_ANY, 154, 154, 0x02000000, 0xffffffff, 0x00010000 },
	{ PLAIN, 0, GFX9_ANY, 155, 155, 0x00000000, 0xffffff00, 0x00010000 },
	{ PLAIN, 0, GFX9_ANY, 156, 156, 0x02000000, 0xffffffff, 0x00010000 },
	{ PLAIN, 0, GFX9_ANY, 157, 157, 0x00000000, 0xffffff00, 0x00010000 },
	{ PLAIN, 0, GFX9_GFX942, 183, 184, 0x00000000, 0x00ff0000 },
	{ PLAIN, 0, GFX9_ANY, 182, 190, 0x00000000, 0x00ffffff },
	{ PLAIN, 0, GFX9_ANY, 191, 191, 0x00000000, 0x00ffff00, 0x00010000 },
	{ PLAIN, 0, GFX9_ANY, 192, 211, 0x02000000, 0xffffff00 },
	{ PLAIN, 0, GFX9_ANY, 222, 223, 0x00000000, 0xffff0000 },
	{ PLAIN, 0, GFX9_ANY, 254, 255, 0x00000000, 0x00ffff00 },
};

static const struct reserved flat[] = {
	{ PLAIN, 0, GFX9_ANY, 16, 76, 0x00002000, 0x007f0000 },
	{ PLAIN, 0, GFX9_GFX942, 77, 82, 0x00002000, 0x007f0000 },
	{ PLAIN, 0, GFX9_GFX90A, 79, 81, 0x02002000, 0x007f0000 },
	{ PLAIN, 0, GFX9_ANY, 96, 108, 0x00002000, 0x007f0000 },
	{ PLAIN, 1, GFX9_GFX942, 38, 42, 0x00000000, 0x00800000 },
	{ PLAIN, 2, GFX9_GFX942, 38, 42, 0x00000000, 0x00800000 },
	{ PLAIN, 2, GFX9_GFX90A, 77, 81, 0x02000000, 0x00000000 },
};

static const struct reserved mubuf[] = {
	{ PLAIN, 0, GFX9_GFX942, 21, 23, 0x00010000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 1, 15, 0x00010000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 24, 39, 0x00010000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 40, 40, 0x00013000, 0x00800000 },
	{ PLAIN, 0, GFX9_GFX942, 41, 41, 0x00013000, 0x00800000 },
	{ PLAIN, 0, GFX9_ANY, 41, 41, 0x0001f000, 0x00800000 },
	{ PLAIN, 0, GFX9_ANY, 62, 63, 0x0001f000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 64, 76, 0x00010000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX942, 77, 81, 0x00010000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX90A, 77, 81, 0x00018000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 96, 108, 0x00010000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 113, 113, 0x0001f000, 0x00000000 },
	{ PLAIN, 0, GFX9_GFX900, 61, 61, 0x00003000, 0x00000000, 0x00010000 },
	{ PLAIN, 0, GFX9_FROM_90A, 61, 61, 0x00003000, 0x00800000, 0x00010000 },
};

static const struct reserved smem[] = {
	{ PLAIN, 0, GFX9_ANY, 32, 37, 0x00020000, 0x00000000 },
};

static const struct reserved vop1[] = {
	{ PLAIN, 0, GFX9_ANY, 0, 0, 0x01fe0000, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 53, 53, 0x01fe0000, 0x00000000 },
	{ SDWA, 0, GFX9_ANY, 0, 0, 0x01fe0000, 0x00000000 },
	{ SDWA, 0, GFX9_ANY, 1, 1, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, GFX9_ANY, 5, 6, 0x00000000, 0xbf300000 },
	{ SDWA, 0, GFX9_ANY, 7, 8, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, GFX9_ANY, 10, 11, 0x00000000, 0xbf080000 },
	{ SDWA, 0, GFX9_ANY, 12, 13, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, GFX9_ANY, 14, 20, 0x00000000, 0xbf300000 },
	{ SDWA, 0, GFX9_ANY, 27, 42, 0x00000000, 0xbf080000 },
	{ SDWA, 0, GFX9_ANY, 43, 47, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, GFX9_ANY, 51, 51, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, GFX9_ANY, 52, 52, 0x00000000, 0xbf080000 },
	{ SDWA, 0, GFX9_ANY, 53, 53, 0x01fe0000, 0x00000000 },
	{ SDWA, 0, GFX9_ANY, 55, 55, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, GFX9_ANY, 57, 58, 0x00000000, 0xbf300000 },
	{ SDWA, 0, GFX9_ANY, 59, 60, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, GFX9_ANY, 61, 66, 0x00000000, 0xbf080000 },
	{ SDWA, 0, GFX9_ANY, 67, 67, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, GFX9_ANY, 68, 76, 0x00000000, 0xbf080000 },
	{ SDWA, 0, GFX9_ANY, 77, 78, 0x00000000, 0xbf08c000 },
	{ SDWA, 0, GFX9_ANY, 79, 79, 0x00000000, 0xbf30c000 },
	{ SDWA, 0, GFX9_GFX942, 84, 87, 0x00000000, 0xbf300000 },
	{ DPP, 0, GFX9_ANY, 0, 0, 0x01fe0000, 0x00000000 },
	{ DPP, 0, GFX9_ANY, 1, 1, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 3, 3, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 4, 6, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 7, 13, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 14, 14, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 15, 16, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 17, 20, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 21, 21, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 22, 22, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 23, 42, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 43, 47, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 48, 52, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 53, 53, 0x01fe0000, 0x00000000 },
	{ DPP, 0, GFX9_ANY, 55, 58, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 59, 78, 0x00000000, 0x00c00000 },
	{ DPP, 0, GFX9_ANY, 79, 79, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_GFX942, 84, 87, 0x00000000, 0x00f00000 },
};

static const struct reserved vop2[] = {
	{ SDWA, 0, GFX9_GFX942, 0, 0, 0x00000000, 0x0808c000 },
	{ SDWA, 0, GFX9_ANY, 0, 0, 0x00000000, 0x3030c000 },
	{ SDWA, 0, GFX9_ANY, 1, 5, 0x00000000, 0x08080000 },
	{ SDWA, 0, GFX9_ANY, 6, 9, 0x00000000, 0x3030c000 },
	{ SDWA, 0, GFX9_ANY, 10, 11, 0x00000000, 0x08080000 },
	{ SDWA, 0, GFX9_ANY, 12, 30, 0x00000000, 0x3030c000 },
	{ SDWA, 0, GFX9_ANY, 31, 34, 0x00000000, 0x08080000 },
	{ SDWA, 0, GFX9_ANY, 38, 44, 0x00000000, 0x3030c000 },
	{ SDWA, 0, GFX9_ANY, 45, 46, 0x00000000, 0x08080000 },
	{ SDWA, 0, GFX9_ANY, 47, 50, 0x00000000, 0x3030c000 },
	{ SDWA, 0, GFX9_ANY, 51, 51, 0x00000000, 0x30080000 },
	{ SDWA, 0, GFX9_ANY, 52, 61, 0x00000000, 0x3030c000 },
	{ DPP, 0, GFX9_ANY, 6, 9, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 12, 21, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 25, 30, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 38, 44, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 47, 50, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 52, 54, 0x00000000, 0x00f00000 },
	{ DPP, 0, GFX9_ANY, 61, 61, 0x00000000, 0x00f00000 },
};

static const struct reserved vopc[] = {
	{ SDWA, 0, GFX9_ANY, 16, 21, 0x00000000, 0x30080000 },
	{ SDWA, 0, GFX9_ANY, 32, 95, 0x00000000, 0x08080000 },
	{ SDWA, 0, GFX9_ANY, 160, 223, 0x00000000, 0x30300000 },
};

static const struct reserved sopp[] = {
	{ PLAIN, 0, GFX9_ANY, 3, 3, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 10, 10, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 19, 19, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 22, 22, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 27, 28, 0x0000ffff, 0x00000000 },
	{ PLAIN, 0, GFX9_ANY, 30, 30, 0x0000ffff, 0x00000000 },
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
