// SPDX-License-Identifier: GPL-2.0
#include "isa/gfx9/trap.h"

#include "second_handler.h"

const uint32_t *second_handler(unsigned int arch, size_t *bytes)
{
	const struct gpubp_handler *h = arch == GFX9_GFX942 ? &gfx942_handler :
							      &gfx9_handler;

	*bytes = h->nr_second * sizeof(u32);
	return h->second;
}

uint32_t second_handler_code(void)
{
	return gfx9_handler.second_code;
}

uint64_t second_handler_park(uint64_t handler)
{
	return handler + GFX9_PARK;
}
