// SPDX-License-Identifier: GPL-2.0
/* gpubp_kunit: the suites are found by KUnit in a section of the module. */
#include <linux/module.h>

/* what MODULE_IMPORT_NS() makes, whether it takes a name or a string */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("gpubp: KUnit tests");
MODULE_LICENSE("GPL");
