// SPDX-License-Identifier: GPL-2.0
/* gpubp_gfx9: the gfx9 ISA, used by providers and the software GPU. */
#include <linux/gpubp_isa.h>
#include <linux/module.h>

MODULE_DESCRIPTION("gpubp: AMD gfx9 instruction set");
MODULE_LICENSE("GPL");
MODULE_VERSION(GPUBP_VERSION);
