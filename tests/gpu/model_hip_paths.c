// SPDX-License-Identifier: GPL-2.0
/*
 * Models of hip/paths.hip.
 */
#include "model_wave.h"

#define REGION	1024

/* lanes whose x, divided by @by, leaves @rest */
static uint64_t lanes_with_rest(const struct model_wave *w, uint32_t by, uint32_t rest)
{
	uint64_t mask = 0;

	FOR_LANES(lane, w->exec)
		if (w->x[lane] % by == rest)
			mask |= 1ULL << lane;
	return mask;
}

static void hip_switch(struct model_wave *w)
{
	lanes at, value;
	uint32_t n;

	lanes_x(w, 1, 0, value);
	for (n = 0; n < 4; n++) {
		lanes_at(w, w->args[0] + n * REGION, 1 << n, at);
		wave_store(w, lanes_with_rest(w, 5, n), at, 1 << n, &value);
	}
}

#define DEPTHS	7

/* what the levels from @level on return */
static uint32_t below_level(uint32_t level, uint32_t depth)
{
	return level < depth ? below_level(level + 1, depth) * 3 + level : 0;
}

static void recurse_level(struct model_wave *w, uint32_t level)
{
	uint64_t exec = 0;
	lanes at, value;

	FOR_LANES(lane, w->exec)
		if (level < w->x[lane] % DEPTHS)
			exec |= 1ULL << lane;
	lanes_at(w, w->args[0] + 4ULL * level, 32, at);
	FOR_LANES(lane, exec)
		value[lane] = below_level(level + 1, w->x[lane] % DEPTHS);
	wave_store(w, exec, at, 4, &value);
}

static void hip_recurse(struct model_wave *w)
{
	uint32_t level;
	lanes at, value;

	for (level = DEPTHS - 1; level--; )
		recurse_level(w, level);
	lanes_at(w, w->args[1], 4, at);
	FOR_LANES(lane, w->exec)
		value[lane] = below_level(0, w->x[lane] % DEPTHS);
	wave_store(w, w->exec, at, 4, &value);
}

static void hip_table(struct model_wave *w)
{
	static const unsigned int widths[] = { 1, 4, 8 };
	static const uint64_t factors[] = { 1, 3, 5ULL << 32 };
	lanes which, at, value;
	unsigned int n;

	wave_load_words(w, w->exec, w->args[1], which);
	for (n = 0; n < 3; n++) {
		uint64_t exec = 0;

		FOR_LANES(lane, w->exec) {
			value[lane] = factors[n] * w->x[lane];
			if (which[lane] % 3 == n)
				exec |= 1ULL << lane;
		}
		lanes_at(w, w->args[0] + n * REGION, widths[n], at);
		wave_store(w, exec, at, widths[n], &value);
	}
}

static void hip_virtual(struct model_wave *w)
{
	lanes which, at, value;
	uint64_t squares = 0;

	wave_load_words(w, w->exec, w->args[1], which);
	FOR_LANES(lane, w->exec) {
		value[lane] = which[lane] & 1 ? w->x[lane] * w->x[lane] : w->x[lane];
		squares |= (which[lane] & 1) << lane;
	}
	lanes_at(w, w->args[0], 4, at);
	wave_store(w, squares, at, 4, &value);
	lanes_at(w, w->args[0] + REGION, 4, at);
	wave_store(w, w->exec & ~squares, at, 4, &value);
}

/* the lowest lane of each sum succeeds, the others try again */
static void hip_cas(struct model_wave *w)
{
	lanes at, old, was, new;
	uint64_t exec = w->exec;

	FOR_LANES(lane, exec)
		at[lane] = w->args[0] + 4ULL * (w->x[lane] / 4);
	wave_load(w, exec, at, 4, ADDR_ANY, &old);
	while (exec) {
		FOR_LANES(lane, exec) {
			was[lane] = old[lane];
			new[lane] = ((uint32_t)old[lane] + w->x[lane] * w->x[lane]) % 1000003;
		}
		wave_atomic(w, exec, at, 4, ADDR_ANY, op_cmpswap, new, was, old);
		FOR_LANES(lane, w->exec)
			if (old[lane] == was[lane])
				exec &= ~(1ULL << lane);
	}
}

static void hip_atomics(struct model_wave *w)
{
	static const struct {
		atomic_fn fn;
		uint32_t plus;
	} ops[] = { { op_add, 0 }, { op_smax, 0 }, { op_or, 0x10000 } };
	lanes at, value;
	unsigned int n;

	for (n = 0; n < 3; n++) {
		lanes_at(w, w->args[0] + 4 * n, 16, at);
		lanes_x(w, 1, ops[n].plus, value);
		wave_atomic(w, w->exec, at, 4, ADDR_KEPT, ops[n].fn, value, NULL, NULL);
	}
	lanes_at(w, w->args[1], 8, at);
	FOR_LANES(lane, w->exec)
		value[lane] = 1ULL << 40;
	wave_atomic(w, w->exec, at, 8, ADDR_KEPT, op_add, value, NULL, NULL);
}

const struct model_kernel model_hip_paths[] = {
	{ "hip_switch", { 64 }, hip_switch },
	{ "hip_recurse", { 64 }, hip_recurse },
	{ "hip_table", { 64 }, hip_table },
	{ "hip_virtual", { 64 }, hip_virtual },
	{ "hip_cas", { 64 }, hip_cas },
	{ "hip_atomics", { 64 }, hip_atomics },
	{}
};
