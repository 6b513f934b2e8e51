/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where waves of a queue are saved, as amdkfd and debuggers read it: a control stack of
 * COMPUTE_RELAUNCH words behind the MQD, and records in the memory of the process, from
 * the end of the stack's place there on. The stack grows down and the records grow up,
 * so that what was pushed last is found first, with its record at the top.
 *
 * What a record is made of is the trap handler's: vector, scalar and hardware
 * registers, ttmps, and LDS in that of a workgroup's first wave, then 64 bytes.
 */
#ifndef AMDGPU_MODEL_SAVE_AREA_H
#define AMDGPU_MODEL_SAVE_AREA_H

#include "vm.h"

/**
 * struct save_area - of a queue
 * @base: address in the process's space, 0: it has none
 * @size: bytes there
 * @stack: address of the control stack in the GART
 * @stack_size: bytes of it
 * @stack_offset: its top
 * @state_offset: behind the last record, from @base
 */
struct save_area {
	uint64_t base;
	uint32_t size;
	uint64_t stack;
	uint32_t stack_size;
	uint32_t stack_offset;
	uint32_t state_offset;
};

/**
 * struct save_shape - what the waves of a workgroup have
 * @nr_vgprs: vector registers, a multiple of 8, with accumulation registers
 * @acc_offset: number of the first of these, a multiple of 4
 * @nr_sgprs: scalar registers, a multiple of 16
 * @lds_bytes: LDS of the workgroup, a multiple of 512
 */
struct save_shape {
	uint32_t nr_vgprs;
	uint32_t acc_offset;
	uint32_t nr_sgprs;
	uint32_t lds_bytes;
};

/**
 * struct save_wave - a wave in memory
 * @first: of its workgroup
 * @last: same
 * @scratch: its part of the private memory
 */
struct save_wave {
	bool first;
	bool last;
	uint16_t scratch;
};

/** save_area_is_empty() - no wave is there */
bool save_area_is_empty(const struct save_area *a);

/** save_area_clear() - none is there any more */
void save_area_clear(struct save_area *a);

/** save_record() - room for the record of a wave: its address, 0: there is too little */
uint64_t save_record(struct save_area *a, const struct save_shape *shape, bool first);

/** save_push_wave() - behind its record; false: there is no room, or no memory */
bool save_push_wave(struct save_area *a, struct vm_access *access,
		    const struct save_wave *wave);

/** save_push_shape() - for the waves that were pushed since the last one */
bool save_push_shape(struct save_area *a, struct vm_access *access,
		     const struct save_shape *shape);

/** save_push_header() - the packet that the words are the body of */
bool save_push_header(struct save_area *a, struct vm_access *access);

/** save_pop_header() - false: there is none that fits */
bool save_pop_header(struct save_area *a, struct vm_access *access);

/** save_pop_shape() - what the waves have that follow; false: no waves follow */
bool save_pop_shape(struct save_area *a, struct vm_access *access,
		    struct save_shape *shape);

/** save_pop_wave() - a wave and the address of its record, 0: no wave follows */
uint64_t save_pop_wave(struct save_area *a, struct vm_access *access,
		       const struct save_shape *shape, struct save_wave *wave);

#endif /* AMDGPU_MODEL_SAVE_AREA_H */
