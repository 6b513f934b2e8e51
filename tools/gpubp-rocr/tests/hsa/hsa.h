/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rocr.c, queues.c and the files below it have of ROCr's headers, for tests on machines without them. The library is
 * built with those, which have the functions, too.
 */
#ifndef TESTS_HSA_H
#define TESTS_HSA_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
	HSA_STATUS_SUCCESS	= 0,
	HSA_STATUS_ERROR	= 0x1000,
	HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b,
} hsa_status_t;

typedef enum {
	HSA_SYSTEM_INFO_VERSION_MAJOR = 0,
} hsa_system_info_t;

typedef struct { uint64_t handle; } hsa_agent_t;
typedef struct { uint64_t handle; } hsa_signal_t;
typedef int64_t hsa_signal_value_t;

typedef enum {
	HSA_SIGNAL_CONDITION_LT	= 2,
} hsa_signal_condition_t;

typedef enum {
	HSA_WAIT_STATE_BLOCKED	= 0,
} hsa_wait_state_t;

typedef uint32_t hsa_queue_type32_t;

typedef struct {
	hsa_queue_type32_t type;
	uint32_t features;
	void *base_address;
	hsa_signal_t doorbell_signal;
	uint32_t size;
	uint32_t reserved1;
	uint64_t id;
} hsa_queue_t;

enum {
	HSA_PACKET_TYPE_INVALID		= 1,
	HSA_PACKET_TYPE_KERNEL_DISPATCH	= 2,
	HSA_PACKET_TYPE_BARRIER_AND	= 3,
	HSA_PACKET_HEADER_TYPE		= 0,
	HSA_PACKET_HEADER_WIDTH_TYPE	= 8,
};

typedef struct {
	uint16_t header;
	uint16_t setup;
	uint16_t workgroup_size_x;
	uint16_t workgroup_size_y;
	uint16_t workgroup_size_z;
	uint16_t reserved0;
	uint32_t grid_size_x;
	uint32_t grid_size_y;
	uint32_t grid_size_z;
	uint32_t private_segment_size;
	uint32_t group_segment_size;
	uint64_t kernel_object;
	void *kernarg_address;
	uint64_t reserved2;
	hsa_signal_t completion_signal;
} hsa_kernel_dispatch_packet_t;

typedef struct { uint64_t handle; } hsa_region_t;

hsa_status_t hsa_shut_down(void);
hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void *value);
hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
			      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
			      void *data, uint32_t private_size, uint32_t group_size,
			      hsa_queue_t **queue);
hsa_status_t hsa_queue_destroy(hsa_queue_t *queue);
uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t *queue);
hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t nr, const hsa_agent_t *agents,
			       hsa_signal_t *signal);
hsa_status_t hsa_signal_destroy(hsa_signal_t signal);
hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal);
hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal,
					     hsa_signal_condition_t condition,
					     hsa_signal_value_t value, uint64_t timeout,
					     hsa_wait_state_t state);
uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t *queue, uint64_t value);
uint64_t hsa_queue_add_write_index_acquire(const hsa_queue_t *queue, uint64_t value);
uint64_t hsa_queue_add_write_index_release(const hsa_queue_t *queue, uint64_t value);
uint64_t hsa_queue_add_write_index_acq_rel(const hsa_queue_t *queue, uint64_t value);
uint64_t hsa_queue_add_write_index_scacquire(const hsa_queue_t *queue, uint64_t value);
uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t *queue, uint64_t value);
uint64_t hsa_queue_add_write_index_scacq_screl(const hsa_queue_t *queue, uint64_t value);
void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);
void hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value);

#endif /* TESTS_HSA_H */
