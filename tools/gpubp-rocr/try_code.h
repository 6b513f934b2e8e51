/* SPDX-License-Identifier: GPL-2.0 */
/* Included with CODE(): the GPUs of which try.c has a code object, or an empty one. */
CODE(gfx90a)
CODE(gfx942)
