// SPDX-License-Identifier: GPL-2.0
#include "isa/gfx9/trap.h"

#include "second_handler.h"

const uint32_t *second_handler(size_t *bytes)
{
	*bytes = gfx9_handler.nr_second * sizeof(u32);
	return gfx9_handler.second;
}

uint64_t second_handler_park(uint64_t handler)
{
	return handler + GFX9_PARK;
}
