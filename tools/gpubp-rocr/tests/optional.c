// SPDX-License-Identifier: GPL-2.0
/* A program that names nothing well: exits with 0 if the library refuses it. */
#include <errno.h>

#include "gpubp_rocr.h"

int main(void)
{
	return gpubp_name(&errno, 0, "a b") != -EINVAL;
}
