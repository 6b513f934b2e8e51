/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gpubp_agent: GPUs whose comparators are programmed in user space, /dev/gpubp_agent.
 *
 * One open file is one agent. It serves the process that joined with it, and no other:
 * a device of gpubp with one context, that process's. The kernel asks the agent by
 * programs, which it reads; the agent answers, and reports hits, by messages, which it
 * writes. The end of the file, or of the process's address space, is the agent's end.
 *
 * No other process waits for an agent, and what an agent says is believed of its own
 * process only: a count of such a process is as true as what the process writes.
 */
#ifndef _UAPI_LINUX_GPUBP_AGENT_H
#define _UAPI_LINUX_GPUBP_AGENT_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GPUBP_AGENT_SLOTS	16	/* comparators of a device, at most */
#define GPUBP_AGENT_RANGES	8	/* ranges of a comparator, at most */
#define GPUBP_AGENT_LANES	64	/* values of a vector register in a message */
#define GPUBP_AGENT_CODE	16	/* bytes of code in a hit, at most */
#define GPUBP_AGENT_MESSAGE	8192	/* bytes of a message, at most */
#define GPUBP_AGENT_NO_QUEUE	0xffffffff

/* struct gpubp_agent_join.flags, what the comparators can do */
#define GPUBP_AGENT_PRECISE	0x1	/* hits have the pc behind the access */

/**
 * struct gpubp_agent_join - GPUBP_AGENT_JOIN: serve the calling process
 * @isa: LLVM's name of the processor, "gfx90a", "gfx942" or "gfx900": the kernel finds
 *	addresses and values of a hit from its code and registers. Empty: of no ISA that
 *	the kernel knows, and hits have %GPUBP_AGENT_HIT_ADDR
 * @name: of the device, for people, before a number that no other one has; ASCII letters and
 *	digits, "-" and "_", not empty
 * @node_fd: a file of the GPU's character device, open for reading and writing, if
 *	agents of other processes program the same comparators: these share them, as
 *	many as @nr_slots. -1: they are its own
 * @nr_slots: comparators, 1 to %GPUBP_AGENT_SLOTS
 * @granule: smallest block that a comparator can compare, bytes, a power of two
 * @va_bits: bits of an address that are compared, 32 to 64
 * @max_block: largest block, bytes, a power of two
 * @modes: bitmap of modes that comparators have, see &struct gpubp_agent_slot; with
 *	mode 3
 * @flags: GPUBP_AGENT_PRECISE or 0
 * @device: (out) number of the new device, as in struct gpubp_hit_record
 * @context: (out) id of its context
 *
 * Errors: -EINVAL (a field, @isa is not known, not a process), -EBADF (@node_fd), -ENOTTY
 * (it is no character device, or not open for both), -EISCONN (this file has joined),
 * -EUSERS (the user has as many agents as the module parameter user_agents), -ENOSPC
 * (there are as many as max_agents, or 255 devices), -ENOMEM, -EINTR.
 */
struct gpubp_agent_join {
	char isa[16];
	char name[16];
	__s32 node_fd;
	__u32 nr_slots;
	__u32 granule;
	__u32 va_bits;
	__u64 max_block;
	__u32 modes;
	__u32 flags;
	__u32 device;
	__u32 context;
};

/* struct gpubp_agent_queue.flags */
#define GPUBP_AGENT_QUEUE_HELD	0x1	/* executes nothing before GPUBP_AGENT_WAIT_ARMED */

/**
 * struct gpubp_agent_queue - GPUBP_AGENT_QUEUE_CREATE, GPUBP_AGENT_QUEUE_DESTROY,
 *	GPUBP_AGENT_WAIT_ARMED
 * @id: number of the queue in the process, not %GPUBP_AGENT_NO_QUEUE
 * @tid: of GPUBP_AGENT_QUEUE_CREATE: thread of the process that has its hits, 0: the caller
 * @flags: of GPUBP_AGENT_QUEUE_CREATE: GPUBP_AGENT_QUEUE_HELD or 0. Without it the queue
 *	may execute before watches are armed: that time is not running
 * @reserved: 0
 *
 * GPUBP_AGENT_WAIT_ARMED waits until the watches that are wanted in the process are armed,
 * before the queue is used; by another thread than the one that reads programs. It returns
 * after queue_wait_ms (of gpubp) or ack_ms (module parameters) if the agent does not answer.
 *
 * Errors: -ENOTCONN (not joined), -EPERM (another process), -EINVAL (@id, @flags,
 * @reserved), -ESRCH (no such thread of the process), -EEXIST, -ENOENT (no such queue),
 * -ENOSPC (a process has 1024 of them), -ENOMEM; of GPUBP_AGENT_WAIT_ARMED also -EINTR
 * (killed) and -ETIMEDOUT (a queue that was held is not any more, and something is not
 * armed yet).
 */
struct gpubp_agent_queue {
	__u32 id;
	__u32 tid;
	__u32 flags;
	__u32 reserved;
};

#define GPUBP_AGENT_JOIN		_IOWR('B', 0xc0, struct gpubp_agent_join)
#define GPUBP_AGENT_QUEUE_CREATE	_IOW('B', 0xc1, struct gpubp_agent_queue)
#define GPUBP_AGENT_QUEUE_DESTROY	_IOW('B', 0xc2, struct gpubp_agent_queue)
#define GPUBP_AGENT_WAIT_ARMED		_IOW('B', 0xc3, struct gpubp_agent_queue)

/* struct gpubp_agent_range.flags */
#define GPUBP_AGENT_RANGE_COUNT	0x1	/* its hits need only be counted */

/**
 * struct gpubp_agent_range - bytes that events watch
 * @start: first byte
 * @len: bytes, not 0
 * @access: the kinds of access, GPUBP_ACCESS_*
 * @flags: GPUBP_AGENT_RANGE_COUNT, or 0: each hit has to be recorded
 */
struct gpubp_agent_range {
	__u64 start;
	__u64 len;
	__u32 access;
	__u32 flags;
};

/**
 * struct gpubp_agent_slot - a comparator of a program
 * @value: it hits where {address & @mask} == @value
 * @mask: bits that are compared
 * @mode: 0 loads, 1 stores and atomics, 2 atomics, 3 all
 * @nr_ranges: entries of @range. 0: it is not known which bytes are watched, and each
 *	hit has to be recorded
 * @range: what is watched in the block; ranges may overlap, or reach beyond it
 *
 * A hit that accesses no byte of a range, in one of its ways, is a *stray*: it need not be
 * recorded. One that accesses bytes of one range only may be counted in place of being
 * recorded: see &struct gpubp_agent_counts. Each other one is to be recorded.
 */
struct gpubp_agent_slot {
	__u64 value;
	__u64 mask;
	__u32 mode;
	__u32 nr_ranges;
	struct gpubp_agent_range range[GPUBP_AGENT_RANGES];
};

/**
 * struct gpubp_agent_program - what read(2) returns: the state to program
 * @seq: its number, higher than those of all earlier ones
 * @valid: bitmap of the comparators that compare; the others compare nothing, and may be
 *	given to other processes once that is acknowledged
 * @flags: GPUBP_AGENT_PRECISE: memory operations have to be precise; or 0
 * @slot: the comparators; entries that are not in @valid are 0
 *
 * Only the newest program is returned, and only once. The agent stops what is not in it,
 * writes the hits that were recorded until then, and what was counted until then by each
 * comparator, starts what is new in it, and then writes a &struct gpubp_agent_ack.
 * Comparators that do not change, or only in their ranges, go on comparing: their next
 * hits are recorded or counted by the new ranges. A new program may look like the last
 * one: then ranges are those of other events, which count from then on.
 *
 * read(2) fails with -EINVAL (a shorter buffer), -ENOTCONN, -EPERM, -EAGAIN (O_NONBLOCK, and
 * there is no newer program), -EINTR, -EFAULT, -ENOMEM. poll(2) says when there is one.
 */
struct gpubp_agent_program {
	__u64 seq;
	__u32 valid;
	__u32 flags;
	struct gpubp_agent_slot slot[GPUBP_AGENT_SLOTS];
};

/* types of messages */
enum gpubp_agent_type {
	GPUBP_AGENT_ACK		= 1,
	GPUBP_AGENT_HIT		= 2,
	GPUBP_AGENT_LOST	= 3,
	GPUBP_AGENT_RETRY	= 4,
	GPUBP_AGENT_COUNTS	= 5,
	GPUBP_AGENT_FREED	= 6,
	GPUBP_AGENT_PAUSE	= 7,
};

/**
 * struct gpubp_agent_header - the beginning of each message
 * @size: bytes of the message with this header, a multiple of 8
 * @type: enum gpubp_agent_type
 */
struct gpubp_agent_header {
	__u32 size;
	__u32 type;
};

/**
 * struct gpubp_agent_ack - the agent has done what a program says
 * @header: type GPUBP_AGENT_ACK
 * @seq: number of the program, the last one that was read
 * @err: by comparator, 0 or a negative errno if it could not be programmed
 *
 * All hits of what the program ended have been written before, and all counts of the
 * program before it. -EINVAL: @seq is that of
 * no program that was read, or was acknowledged.
 */
struct gpubp_agent_ack {
	struct gpubp_agent_header header;
	__u64 seq;
	__s32 err[GPUBP_AGENT_SLOTS];
};

/* struct gpubp_agent_hit.flags */
#define GPUBP_AGENT_HIT_ADDR		0x1	/* addr, width and access */
#define GPUBP_AGENT_HIT_DISPATCH	0x2	/* dispatch */
#define GPUBP_AGENT_HIT_COORDS		0x4	/* wg and wave_in_group */

/**
 * struct gpubp_agent_regs - values of consecutive registers of a wave that hit
 * @file: 0 scalar: one value a register; 1 vector: %GPUBP_AGENT_LANES values a register,
 *	register by register, lane by lane within a register
 * @count: number of registers
 * @first: the first one, as the ISA encodes it
 * @reserved: 0
 *
 * The values, each a __u32 as it was when the wave recorded the hit, follow it.
 */
struct gpubp_agent_regs {
	__u8 file;
	__u8 count;
	__u16 first;
	__u32 reserved;
};

/**
 * struct gpubp_agent_hit - a wave has accessed what comparators compare
 * @header: type GPUBP_AGENT_HIT
 * @pc: address of the instruction behind the access
 * @exec: lanes that were active, not 0
 * @time: when it hit, ns of CLOCK_MONOTONIC
 * @slots: comparators that matched, of the last program acknowledged or a newer one
 * @queue: its queue, %GPUBP_AGENT_NO_QUEUE: not known
 * @flags: GPUBP_AGENT_HIT_*
 * @dispatch: number of its dispatch, as far as flags say
 * @wg: its workgroup; likewise
 * @wave_in_group: its number in the workgroup; likewise
 * @addr: first byte that its lowest lane accessed; likewise
 * @width: bytes that a lane accessed
 * @access: one GPUBP_ACCESS_*
 * @code_len: bytes at the end of @code that are valid
 * @nr_regs: number of &struct gpubp_agent_regs that follow, each with its values
 * @reserved: 0
 * @code: the bytes before @pc, the last one that in front of @pc
 *
 * Its wave goes on: nothing waits until the kernel has resolved the hit. The writer waits
 * (with O_NONBLOCK: -EAGAIN) while the kernel has 64 hits of the process that it has not
 * resolved. Errors: -EINVAL (a field, registers that do not fit, @slots that the process
 * was not given, an address outside of their blocks), -ENOENT (no such queue), -ENOMEM.
 */
struct gpubp_agent_hit {
	struct gpubp_agent_header header;
	__u64 pc;
	__u64 exec;
	__u64 time;
	__u32 slots;
	__u32 queue;
	__u32 flags;
	__u32 dispatch;
	__u32 wg[3];
	__u32 wave_in_group;
	__u64 addr;
	__u16 width;
	__u8 access;
	__u8 code_len;
	__u8 nr_regs;
	__u8 reserved[3];
	__u8 code[GPUBP_AGENT_CODE];
};

/**
 * struct gpubp_agent_counts - hits of a comparator that are not written one by one
 * @header: type GPUBP_AGENT_COUNTS
 * @seq: number of the program in which they hit: the last one that was acknowledged, or
 *	the last one that was read
 * @slot: number of the comparator
 * @strays: hits that accessed no byte of a range. If they are too many the kernel gives
 *	narrower blocks, in turns
 * @hits: by range, hits that accessed bytes of it and of no other range. Of a range
 *	without GPUBP_AGENT_RANGE_COUNT they are records that were lost: if only one event
 *	has the range, and takes all of its hits, it counts them, and they are lost
 *	samples
 *
 * Of hits since the last such message; together 2^32 - 1 at most. Of several comparators
 * that an access hits, each has its hit. An agent that counts writes such messages before
 * each &struct gpubp_agent_ack, before the process ends, and every 10 ms or so, as far as there
 * is something new; if it knows when work has ended, before others know.
 *
 * -EINVAL: @seq, @slot or ranges that the process does not have, or too many.
 */
struct gpubp_agent_counts {
	struct gpubp_agent_header header;
	__u64 seq;
	__u32 slot;
	__u32 strays;
	__u32 hits[GPUBP_AGENT_RANGES];
};

/**
 * struct gpubp_agent_lost - hits were lost before the agent could write them
 * @header: type GPUBP_AGENT_LOST
 * @nr: how many, at most 2^32 - 1
 *
 * For hits of which it is not known which range they accessed: no event counts them,
 * but all have them as lost samples.
 */
struct gpubp_agent_lost {
	struct gpubp_agent_header header;
	__u64 nr;
};

/**
 * struct gpubp_agent_retry - comparators that could not be programmed are free now
 * @header: type GPUBP_AGENT_RETRY
 * @slots: bitmap of them
 * @reserved: 0
 */
struct gpubp_agent_retry {
	struct gpubp_agent_header header;
	__u32 slots;
	__u32 reserved;
};

/**
 * struct gpubp_agent_freed - memory of the process is another buffer's from now on, or none
 * @header: type GPUBP_AGENT_FREED
 * @start: first byte
 * @len: bytes, not 0
 *
 * What watches have seen there is not the old value of what is there next, and code objects
 * there are gone. Written behind the hits of the buffer that was freed, and before those of
 * the next one. Nothing is kept of it but that the last 64 are known one by one: after more
 * of them, what was seen elsewhere may be forgotten, too.
 *
 * The writer waits (with O_NONBLOCK: -EAGAIN) until the kernel has resolved the hits of the
 * process that were written before. -EINVAL: @len is 0, or too much; -EINTR: a signal.
 */
struct gpubp_agent_freed {
	struct gpubp_agent_header header;
	__u64 start;
	__u64 len;
};

/**
 * struct gpubp_agent_pause - the agent gives all of its comparators back, for a time
 * @header: type GPUBP_AGENT_PAUSE
 * @on: 1: it has none from now on, 0: it can have some again
 * @reserved: 0
 *
 * A debugger is to have the GPU, for example. The next programs have no comparator, until one
 * comes behind a message with @on 0. The agent acknowledges the first of them as any other, with
 * the hits and counts of before; then it compares nothing. Time in which a watch is not
 * armed is not running. Another message of the same @on does nothing.
 */
struct gpubp_agent_pause {
	struct gpubp_agent_header header;
	__u32 on;
	__u32 reserved;
};

#endif /* _UAPI_LINUX_GPUBP_AGENT_H */
