// SPDX-License-Identifier: GPL-2.0
#include "interpose.h"
#include "names.h"

void interpose_for_test(void);

WRAPPER void interpose_for_test(void)
{
	interpose_all();
}
