/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_AMDGPU_SUBMIT_H
#define TESTS_AMDGPU_SUBMIT_H

#include <hsa.h>
#include <stdint.h>
#include <string.h>

#define SUBMIT_BYTES	64	/* of a packet */

/** queue_submit() - @packet is of any type, and without a header */
static inline void queue_submit(hsa_queue_t *queue, hsa_packet_type_t type,
				const void *packet)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	char *to = (char *)queue->base_address + SUBMIT_BYTES * (index % queue->size);
	uint16_t header = type << HSA_PACKET_HEADER_TYPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

	if (type == HSA_PACKET_TYPE_BARRIER_AND)
		header |= 1 << HSA_PACKET_HEADER_BARRIER;
	memcpy(to + sizeof(header), (const char *)packet + sizeof(header),
	       SUBMIT_BYTES - sizeof(header));
	__atomic_store_n((uint16_t *)to, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, index);
}

#endif /* TESTS_AMDGPU_SUBMIT_H */
