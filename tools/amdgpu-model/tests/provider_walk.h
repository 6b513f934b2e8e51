/* SPDX-License-Identifier: GPL-2.0 */
/* The amdgpu provider's walk over a context save area, for tests with amdgpu's types. */
#ifndef AMDGPU_MODEL_TESTS_PROVIDER_WALK_H
#define AMDGPU_MODEL_TESTS_PROVIDER_WALK_H

#include <stdint.h>

/**
 * struct walked - a wave that it has found
 * @at: address of its record
 * @accs: of its accumulation registers
 * @hwregs: of its hardware registers
 */
struct walked {
	uint64_t at;
	uint64_t accs;
	uint64_t hwregs;
};

/**
 * provider_walk() - find the waves of an area
 * @base: address in the process
 * @size: bytes there
 * @stack: control stack
 * @stack_size: bytes of it
 * @stack_offset: its top
 * @state_offset: behind the last record
 * @out: (out) waves
 * @max: how many
 *
 * Return: how many there are.
 */
unsigned int provider_walk(uint64_t base, uint32_t size, const uint32_t *stack,
			   uint32_t stack_size, uint32_t stack_offset,
			   uint32_t state_offset, struct walked *out, unsigned int max);

#endif /* AMDGPU_MODEL_TESTS_PROVIDER_WALK_H */
