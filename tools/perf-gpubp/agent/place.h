/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits that waves have recorded themselves, without the kernel: places of the trap
 * handler's ring, decoded by the core's own description of the ISA.
 */
#ifndef PERF_GPUBP_PLACE_H
#define PERF_GPUBP_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include "agent_wire.h"

/**
 * struct place_hit - a hit
 * @slot: number of the comparator, as the place has it
 * @decided: it accessed watched bytes. Otherwise the wave could not tell: what follows
 *	@access is not known
 * @pc: of the instruction; if it is not known where that begins, behind it
 * @exec: active lanes
 * @has_coords: @wg, @wave and @dispatch are known
 * @wg: workgroup
 * @wave: number in the workgroup
 * @dispatch: number in its queue, low bits
 * @access: GPUBP_ACCESS_*, 0 unknown
 * @width: bytes that each lane accesses
 * @lanes: those that accessed watched bytes
 * @addr: what the first of these accessed
 * @hit_addr: its first watched byte
 * @hit_len: how many of @hit_addr and those behind are in the access and watched, at most 8
 * @has_value: @value is known
 * @value: what it stored or loaded there; of an atomic, its operand
 */
struct place_hit {
	unsigned int slot;
	bool decided;
	uint64_t pc;
	uint64_t exec;
	bool has_coords;
	uint32_t wg[3];
	uint32_t wave;
	uint32_t dispatch;
	uint8_t access;
	uint8_t width;
	uint64_t lanes;
	uint64_t addr;
	uint64_t hit_addr;
	uint8_t hit_len;
	bool has_value;
	uint64_t value;
};

/**
 * place_comparator() - which comparator's hit it is
 * @gfx: version of the GPU, see agent_wire.h
 * @place: AGENT_PLACE bytes, aligned as a uint64_t
 * @number: its number
 *
 * Return: AGENT_SLOTS if it is no hit at all.
 */
unsigned int place_comparator(uint32_t gfx, const void *place, uint32_t number);

/**
 * place_decode() - decode it
 * @gfx: as above, and the following
 * @place: place
 * @number: its number
 * @slot: what its comparator watched
 * @hit: out
 *
 * Return: false if it is no hit.
 */
bool place_decode(uint32_t gfx, const void *place, uint32_t number,
		  const struct agent_slot *slot, struct place_hit *hit);

#endif /* PERF_GPUBP_PLACE_H */
