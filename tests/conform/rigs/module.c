// SPDX-License-Identifier: GPL-2.0
/* gpubp_conform_toys: the suite for the test providers. */
#include <linux/module.h>

MODULE_DESCRIPTION("gpubp: conformance of the test providers");
MODULE_LICENSE("GPL");
