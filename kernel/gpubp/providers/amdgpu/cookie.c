// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt cookies of SQ, context ids 0 and 1; amdkfd's kfd_int_process_v*.c
 * has the same fields.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>

#include "cookie.h"

/* written to m0 by the trap handler */
#define DOORBELL	GENMASK(9, 0)
#define CODE		GENMASK(18, 10)
#define CODE_GFX11	GENMASK(23, 10)

static u32 cookie_data_gfx9(u32 ctx0, u32 ctx1)
{
	return FIELD_GET(GENMASK(11, 0), ctx0) |
	       FIELD_GET(GENMASK(31, 28), ctx0) << 12 |
	       FIELD_GET(GENMASK(7, 0), ctx1) << 16;
}

static struct gpubp_amd_cookie cookie_parse_gfx9(u32 ctx0, u32 ctx1)
{
	u32 data = cookie_data_gfx9(ctx0, ctx1);

	return (struct gpubp_amd_cookie){
		.doorbell	= FIELD_GET(DOORBELL, data),
		.code		= FIELD_GET(CODE, data),
		.sh		= FIELD_GET(BIT(12), ctx0),
		.wave		= FIELD_GET(GENMASK(17, 14), ctx0),
		.simd		= FIELD_GET(GENMASK(19, 18), ctx0),
		.cu		= FIELD_GET(GENMASK(23, 20), ctx0),
		.se		= FIELD_GET(GENMASK(25, 24), ctx0),
	};
}

static struct gpubp_amd_cookie cookie_parse_gfx10(u32 ctx0, u32 ctx1)
{
	return (struct gpubp_amd_cookie){
		.doorbell	= FIELD_GET(DOORBELL, ctx0),
		.code		= FIELD_GET(CODE, ctx0),
		.sh		= FIELD_GET(BIT(23), ctx0),
		.wave		= FIELD_GET(GENMASK(29, 25), ctx0),
		.simd		= FIELD_GET(GENMASK(31, 30), ctx0),
		.cu		= FIELD_GET(GENMASK(3, 0), ctx1),
		.se		= FIELD_GET(GENMASK(5, 4), ctx1),
	};
}

static struct gpubp_amd_cookie cookie_parse_gfx11(u32 ctx0, u32 ctx1)
{
	return (struct gpubp_amd_cookie){
		.doorbell	= FIELD_GET(DOORBELL, ctx0),
		.code		= FIELD_GET(CODE_GFX11, ctx0),
		.sh		= FIELD_GET(BIT(25), ctx0),
		.wave		= FIELD_GET(GENMASK(31, 27), ctx0),
		.simd		= FIELD_GET(GENMASK(1, 0), ctx1),
		.cu		= FIELD_GET(GENMASK(5, 2), ctx1),
	};
}

/**
 * gpubp_amd_cookie_parse() - decode a cookie
 * @gfx: major version of the graphics core
 * @ctx0: context id 0
 * @ctx1: context id 1
 */
struct gpubp_amd_cookie gpubp_amd_cookie_parse(unsigned int gfx, u32 ctx0,
					       u32 ctx1)
{
	if (gfx < 10)
		return cookie_parse_gfx9(ctx0, ctx1);
	return gfx < 11 ? cookie_parse_gfx10(ctx0, ctx1) :
			  cookie_parse_gfx11(ctx0, ctx1);
}
