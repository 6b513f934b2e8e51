/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the agent needs of <linux/kfd_ioctl.h>: that of the machine that it is built on may
 * be too old. tests/amdgpu/guest/kfd_abi.c compares the two.
 */
#ifndef GPUBP_ROCR_KFD_ABI_H
#define GPUBP_ROCR_KFD_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

struct agent_kfd_set_trap_handler {
	uint64_t tba_addr;
	uint64_t tma_addr;
	uint32_t gpu_id;
	uint32_t pad;
};

struct agent_kfd_acquire_vm {
	uint32_t drm_fd;
	uint32_t gpu_id;
};

struct agent_kfd_alloc {
	uint64_t va_addr;
	uint64_t size;
	uint64_t handle;
	uint64_t mmap_offset;
	uint32_t gpu_id;
	uint32_t flags;
};

struct agent_kfd_map {
	uint64_t handle;
	uint64_t device_ids_array_ptr;
	uint32_t n_devices;
	uint32_t n_success;
};

struct agent_kfd_runtime_enable {
	uint64_t r_debug;
	uint32_t mode_mask;
	uint32_t capabilities_mask;
};

struct agent_kfd_runtime_info {
	uint64_t r_debug;
	uint32_t runtime_state;
	uint32_t ttmp_setup;
};

struct agent_kfd_clocks {
	uint64_t gpu;
	uint64_t cpu;
	uint64_t boottime;
	uint64_t frequency;
	uint32_t gpu_id;
	uint32_t pad;
};

/* the first members */
struct agent_kfd_create_queue {
	uint64_t ring;
	uint64_t write_pointer;
	uint64_t read_pointer;
	uint64_t doorbell_offset;
	uint32_t ring_size;
	uint32_t gpu_id;
	uint32_t type;
	uint32_t percentage;
	uint32_t priority;
	uint32_t queue_id;
};

struct agent_kfd_destroy_queue {
	uint32_t queue_id;
	uint32_t pad;
};

struct agent_kfd_trap_enable {
	uint64_t exception_mask;
	uint64_t rinfo_ptr;
	uint32_t rinfo_size;
	uint32_t dbg_fd;
};

struct agent_kfd_trap_override {
	uint32_t override_mode;
	uint32_t enable_mask;
	uint32_t support_request_mask;
	uint32_t pad;
};

struct agent_kfd_trap_set_watch {
	uint64_t address;
	uint32_t mode;
	uint32_t mask;
	uint32_t gpu_id;
	uint32_t id;
};

struct agent_kfd_trap_clear_watch {
	uint32_t gpu_id;
	uint32_t id;
};

struct agent_kfd_trap_flags {
	uint32_t flags;
	uint32_t pad;
};

struct agent_kfd_trap_suspend {
	uint64_t exception_mask;
	uint64_t queues;
	uint32_t nr;
	uint32_t grace_period;
};

struct agent_kfd_trap_resume {
	uint64_t queues;
	uint32_t nr;
	uint32_t pad;
};

struct agent_kfd_trap_snapshot {
	uint64_t exception_mask;
	uint64_t entries;
	uint32_t nr;
	uint32_t entry_size;
};

/* what a snapshot has of each queue */
struct agent_kfd_queue {
	uint64_t exceptions;
	uint64_t ring;
	uint64_t write_pointer;
	uint64_t read_pointer;
	uint64_t save_area;
	uint32_t id;
	uint32_t gpu_id;
	uint32_t ring_size;
	uint32_t type;
	uint32_t save_area_size;
	uint32_t reserved;
};

/* at the begin of a save area */
struct agent_kfd_save_area {
	uint32_t stack_offset;
	uint32_t stack_size;
	uint32_t state_offset;
	uint32_t state_size;
};

struct agent_kfd_trap {
	uint32_t pid;
	uint32_t op;
	union {
		struct agent_kfd_trap_enable enable;
		struct agent_kfd_trap_override override;
		struct agent_kfd_trap_set_watch set_watch;
		struct agent_kfd_trap_clear_watch clear_watch;
		struct agent_kfd_trap_flags flags;
		struct agent_kfd_trap_suspend suspend;
		struct agent_kfd_trap_resume resume;
		struct agent_kfd_trap_snapshot snapshot;
		uint64_t all[3];
	};
};

#define AGENT_KFD_CREATE_QUEUE		_IOWR('K', 0x02, struct agent_kfd_create_queue)
#define AGENT_KFD_DESTROY_QUEUE		_IOWR('K', 0x03, struct agent_kfd_destroy_queue)
#define AGENT_KFD_CLOCKS		_IOWR('K', 0x05, struct agent_kfd_clocks)
#define AGENT_KFD_SET_TRAP_HANDLER	_IOW('K', 0x13, struct agent_kfd_set_trap_handler)
#define AGENT_KFD_ACQUIRE_VM		_IOW('K', 0x15, struct agent_kfd_acquire_vm)
#define AGENT_KFD_ALLOC			_IOWR('K', 0x16, struct agent_kfd_alloc)
#define AGENT_KFD_MAP			_IOWR('K', 0x18, struct agent_kfd_map)
#define AGENT_KFD_RUNTIME_ENABLE	_IOWR('K', 0x25, struct agent_kfd_runtime_enable)
#define AGENT_KFD_TRAP			_IOWR('K', 0x26, struct agent_kfd_trap)

/* KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK */
#define AGENT_KFD_RUNTIME_ON		1u

/* KFD_IOC_QUEUE_TYPE_* */
#define AGENT_KFD_SDMA			1u
#define AGENT_KFD_AQL			2u
#define AGENT_KFD_SDMA_XGMI		3u

/* of a queue's doorbell, 8 bytes, in the process's part of the doorbells */
#define AGENT_KFD_DOORBELLS		8192u

/* KFD_IOC_DBG_TRAP_* */
enum {
	AGENT_TRAP_ENABLE = 0,
	AGENT_TRAP_DISABLE = 1,
	AGENT_TRAP_OVERRIDE = 4,
	AGENT_TRAP_SUSPEND = 6,
	AGENT_TRAP_RESUME = 7,
	AGENT_TRAP_SET_WATCH = 8,
	AGENT_TRAP_CLEAR_WATCH = 9,
	AGENT_TRAP_FLAGS = 10,
	AGENT_TRAP_SNAPSHOT = 13,
};

/* KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP, KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH */
#define AGENT_TRAP_PRECISE	1u
#define AGENT_TRAP_WATCHES	0x80u

/* KFD_EC_MASK(EC_QUEUE_NEW); KFD_DBG_QUEUE_ERROR_MASK, KFD_DBG_QUEUE_INVALID_MASK */
#define AGENT_QUEUE_NEW		(1u << 30)
#define AGENT_QUEUE_ERROR	(1u << 30)
#define AGENT_QUEUE_INVALID	(1u << 31)

/* KFD_IOC_ALLOC_MEM_FLAGS_*: GTT, writable, executable, coherent, no substitute */
#define AGENT_ALLOC_FLAGS	(1u << 1 | 1u << 31 | 1u << 30 | 1u << 26 | 1u << 28)

#endif /* GPUBP_ROCR_KFD_ABI_H */
