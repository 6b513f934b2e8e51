/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues, and what the engines that work on them share: the command processor
 * (cp.h), user queues of AQL packets (aql.h), SDMA (sdma.h), and the firmware's
 * scheduler (scheduler.h), which maps queues of processes and takes them off again.
 */
#ifndef AMDGPU_MODEL_ENGINE_H
#define AMDGPU_MODEL_ENGINE_H

#include "ih.h"
#include "save_area.h"

struct compute;
struct runlist;

#define MODEL_MAX_QUEUES	256
#define MODEL_NR_WATCHES	4

/*
 * What queues hold is the guest's, and buffers may name each other. Work is counted in
 * dwords of packets and in parts of 64 bytes that are moved: a queue that did so much
 * is looked at again later, and one packet, with the buffers that it names, may not
 * take more than that.
 */
#define MODEL_WORK		65536u
#define MODEL_PACKET_WORK	(8u << 20)

/* KFD doorbells of a process are numbered in 64 bits */
#define DOORBELL_NUMBER(dword)	((dword) >> 1 & 0x3ff)

enum queue_kind { QUEUE_FREE, QUEUE_PM4, QUEUE_AQL, QUEUE_SDMA };

/**
 * struct queue - a ring in memory
 * @serial: differs from that of each other queue, also of one at the same place
 * @kind: who reads it
 * @user: of a process: the scheduler may take it off
 * @kicked: there may be work
 * @waiting: for memory to change; it is looked at again later
 * @wait_ns: since when it waits for the same thing, 0 not
 * @stopped: after an error: nothing of it is executed any more
 * @leaving: it is being taken off: none of its packets begins
 * @vm: address space of the ring and of what it names
 * @base: address of the ring
 * @size: packets of 64 bytes (AQL) or dwords (others), a power of two
 * @rptr: next one, not wrapped
 * @wptr: first one that is not there yet, not wrapped
 * @rptr_addr: where @rptr is reported, 0 nowhere
 * @wptr_addr: where @wptr is when there was no doorbell
 * @doorbell: in dwords
 * @mqd: address in the GART of what the driver described it by, 0 none
 * @area: where its waves are saved, while none is executed
 * @inactive: address of the signal by which ROCr was asked for private memory, 0 none
 * @ring_id: for interrupts
 * @sdma: engine
 */
struct queue {
	uint64_t serial;
	enum queue_kind kind;
	bool user;
	bool kicked;
	bool waiting;
	bool stopped;
	bool leaving;
	uint64_t wait_ns;
	struct vm vm;
	uint64_t base;
	uint32_t size;
	uint64_t rptr;
	uint64_t wptr;
	uint64_t rptr_addr;
	uint64_t wptr_addr;
	uint32_t doorbell;
	uint64_t mqd;
	struct save_area area;
	uint64_t inactive;
	uint8_t ring_id;
	uint8_t sdma;
};

/**
 * struct process - what a VMID has been given by MAP_PROCESS
 * @mapped: the VMID is in use
 * @vm: address space
 * @tba: trap handler
 * @tma: its memory
 * @single_memop: a memory instruction of its waves ends before the next one begins
 */
struct process {
	bool mapped;
	struct vm vm;
	uint64_t tba;
	uint64_t tma;
	bool single_memop;
};

/**
 * struct engine_steps - single steps of waves that go wrong, for tests
 * @spurious: one in so many executes nothing; 0 none
 * @lost: one in so many is not followed by its trap; 0 none
 * @nr_spurious: how many there were since one did
 * @nr_lost: same
 */
struct engine_steps {
	uint32_t spurious;
	uint32_t lost;
	uint32_t nr_spurious;
	uint32_t nr_lost;
};

/**
 * struct engine - shared
 * @log: what happens
 * @access: memory
 * @regs: registers
 * @ih: interrupts
 * @compute: what executes kernels
 * @queue: all queues
 * @process: by VMID
 * @vmids: those that the scheduler may give away
 * @hardware_queues: same, of compute, 0: any number
 * @runlist: the scheduler's list
 * @in_turn: it maps and unmaps by itself, which is not logged
 * @write_register: for packets that write registers
 * @gpu: its argument
 * @unmapped: queues that the UNMAP_QUEUES that waits has taken off
 * @serial: of the queue that was added last
 * @work: since the queue that runs was begun
 * @packet_work: @work at the begin of the packet of its ring
 * @packets: executed
 * @unknown: packets that are not modelled
 * @steps: those of waves
 */
struct engine {
	struct log *log;
	struct vm_access *access;
	struct registers *regs;
	struct ih *ih;
	struct compute *compute;
	struct queue queue[MODEL_MAX_QUEUES];
	struct process process[MODEL_NR_VMIDS];
	uint16_t vmids;
	unsigned int hardware_queues;
	struct runlist *runlist;
	bool in_turn;
	void (*write_register)(void *gpu, uint32_t index, uint32_t value);
	void *gpu;
	unsigned int unmapped;
	uint64_t serial;
	uint64_t work;
	uint64_t packet_work;
	uint64_t packets;
	uint64_t unknown;
	struct engine_steps steps;
};

/** queue_add() - a free entry with @queue in it; NULL: there are too many */
struct queue *queue_add(struct engine *e, const struct queue *queue);

/** queue_find() - by doorbell, NULL none */
struct queue *queue_find(struct engine *e, uint32_t doorbell);

/** queue_remove() - of the kernel: it is gone */
void queue_remove(struct queue *queue);

/** queue_is() - whether @queue is still the one that had @serial */
bool queue_is(const struct queue *queue, uint64_t serial);

/** queue_begin_packet() - of the ring of the queue that runs; false: later, it did enough */
bool queue_begin_packet(struct engine *e);

/** queue_work() - count @units; false after queue_error(): too much for a packet */
bool queue_work(struct engine *e, struct queue *queue, uint64_t units);

/** queue_size() - 1 << @order, as far as a ring can be */
uint32_t queue_size(unsigned int order);

/** queue_interrupt() - @source of enum soc15_ih_clientid @client, because of @queue */
void queue_interrupt(struct engine *e, const struct queue *queue, uint8_t client,
		     uint8_t source, uint32_t context);

/** queue_end_of_pipe() - the same of CP, at the end of work */
void queue_end_of_pipe(struct engine *e, const struct queue *queue,
		       uint32_t context);

/** queue_fault() - an access of @queue failed: tell, interrupt, stop it */
void queue_fault(struct engine *e, struct queue *queue, const char *what);

/** queue_error() - what @queue holds makes no sense: tell, stop it */
void queue_error(struct engine *e, struct queue *queue, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** queue_wait() - @queue waits for register @index (MODEL_NR_REGISTERS: memory); told after a second */
void queue_wait(struct engine *e, struct queue *queue, uint32_t index,
		uint32_t reference);

/** queue_dword() - @nr behind the read pointer; false after queue_fault() */
bool queue_dword(struct engine *e, struct queue *queue, uint64_t nr,
		 uint32_t *value);

#endif /* AMDGPU_MODEL_ENGINE_H */
