/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupt cookies: decoded interrupt of a wave's s_sendmsg. Pure. */
#ifndef _GPUBP_PROVIDERS_AMDGPU_COOKIE_H
#define _GPUBP_PROVIDERS_AMDGPU_COOKIE_H

#include <linux/types.h>

/**
 * struct gpubp_amd_cookie - a decoded interrupt cookie
 * @doorbell: doorbell id in the process
 * @code: trap code
 * @se: shader engine; 0 from gfx11 on, where the cookie lacks it
 * @sh: shader array
 * @cu: compute unit; workgroup processor from gfx10 on
 * @simd: SIMD
 * @wave: wave slot
 */
struct gpubp_amd_cookie {
	u32 doorbell;
	u32 code;
	u8 se;
	u8 sh;
	u8 cu;
	u8 simd;
	u8 wave;
};

struct gpubp_amd_cookie gpubp_amd_cookie_parse(unsigned int gfx, u32 ctx0,
					       u32 ctx1);

#endif /* _GPUBP_PROVIDERS_AMDGPU_COOKIE_H */
