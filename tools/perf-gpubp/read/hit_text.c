// SPDX-License-Identifier: GPL-2.0
/*
 * The members of a hit in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include "show.h"

static const char *hit_trap(const struct hit *hit)
{
	switch (hit->rec.kind) {
	case GPUBP_KIND_BREAK:
		return "break";
	case GPUBP_KIND_TRAP:
		return "s_trap";
	default:
		return "access";
	}
}

const char *hit_access(const struct hit *hit)
{
	switch (hit->rec.access) {
	case GPUBP_ACCESS_LOAD:
		return "load";
	case GPUBP_ACCESS_STORE:
		return "store";
	case GPUBP_ACCESS_ATOMIC:
		return "atomic";
	default:
		return hit_trap(hit);
	}
}

static const struct {
	uint16_t exception;
	const char *name;
} exceptions[] = {
	{ GPUBP_EXC_MEM_VIOL, "memory violation" },
	{ GPUBP_EXC_ILLEGAL, "illegal instruction" },
	{ GPUBP_EXC_INT_DIV0, "integer division by zero" },
	{ GPUBP_EXC_FP_INVALID, "fp invalid" },
	{ GPUBP_EXC_FP_DENORMAL, "fp denormal" },
	{ GPUBP_EXC_FP_DIV0, "fp division by zero" },
	{ GPUBP_EXC_FP_OVERFLOW, "fp overflow" },
	{ GPUBP_EXC_FP_UNDERFLOW, "fp underflow" },
	{ GPUBP_EXC_FP_INEXACT, "fp inexact" },
	{ GPUBP_EXC_WAVE_START, "wave start" },
	{ GPUBP_EXC_WAVE_END, "wave end" },
};

const char *hit_exceptions(const struct hit *hit, char *out, size_t len)
{
	size_t i, at = 0;

	out[0] = '\0';
	for (i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if ((hit->rec.exceptions & exceptions[i].exception) && at < len)
			at += snprintf(out + at, len - at, "%s%s",
				       at ? ", " : "", exceptions[i].name);
	return out;
}

const char *hit_state(const struct hit *hit)
{
	switch (hit->rec.addr_state) {
	case GPUBP_ADDR_EXACT:
		return "exact";
	case GPUBP_ADDR_BLOCK:
		return "block";
	default:
		return "unknown";
	}
}

bool hit_has_address(const struct hit *hit)
{
	return hit->rec.kind != GPUBP_KIND_EXCEPTION ||
	       hit->rec.addr_state != GPUBP_ADDR_UNKNOWN;
}

unsigned int hit_lane(const struct hit *hit)
{
	return hit->rec.lanes ? (unsigned int)__builtin_ctzll(hit->rec.lanes) : 0;
}

static void value_text(char *out, size_t len, bool known, uint64_t value,
		       unsigned int bytes)
{
	if (known)
		snprintf(out, len, "0x%0*" PRIx64, (int)(2 * bytes), value);
	else
		snprintf(out, len, "?");
}

const char *hit_old(const struct hit *hit, char *out, size_t len)
{
	value_text(out, len, hit->rec.flags & GPUBP_HIT_OLD_VALUE,
		   hit->rec.old_value, hit->rec.value_len);
	return out;
}

const char *hit_new(const struct hit *hit, char *out, size_t len)
{
	value_text(out, len, hit->rec.flags & GPUBP_HIT_NEW_VALUE,
		   hit->rec.new_value, hit->rec.value_len);
	return out;
}

const char *hit_value(const struct hit *hit, char *out, size_t len)
{
	char old[24], new[24];

	snprintf(out, len, "%s -> %s", hit_old(hit, old, sizeof(old)),
		 hit_new(hit, new, sizeof(new)));
	return out;
}
