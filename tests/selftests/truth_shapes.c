// SPDX-License-Identifier: GPL-2.0
#include "truth_cases.h"

const struct shape shapes[] = {
	{ "1 byte",			0, 1 },
	{ "3 bytes, unaligned",		1, 3 },
	{ "4 bytes",			0, 4 },
	{ "4 bytes, unaligned",		2, 4 },
	{ "8 bytes",			0, 8 },
	{ "8 bytes, unaligned",		-3, 8 },
	{ "100 bytes",			0, 100 },
	{ "4 bytes, across granules",	-2, 4, true },
	{ "1 byte, end of a granule",	-1, 1, true },
	{ "100 bytes, three granules",	-18, 100, true },
	{}
};
