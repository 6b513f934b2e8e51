/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpubp

#if !defined(_TRACE_GPUBP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_GPUBP_H

#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <uapi/linux/gpubp.h>

/* export the values: user space tools do not know the names of an enum */
TRACE_DEFINE_ENUM(GPUBP_ADDR_UNKNOWN);
TRACE_DEFINE_ENUM(GPUBP_ADDR_BLOCK);
TRACE_DEFINE_ENUM(GPUBP_ADDR_EXACT);

/*
 * The fields are those of struct gpubp_hit_record, at the same offsets: the
 * same decoder reads this event and the raw part of a sample. pid, tid and cpu
 * of the hit owner follow, as current is the resolver. If the owner is gone,
 * pid and tid are 0 and cpu is -1.
 */
TRACE_EVENT(gpubp_hit,
	TP_PROTO(const struct gpubp_hit_record *rec,
		 const struct task_struct *owner, int cpu),
	TP_ARGS(rec, owner, cpu),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u64, pc)
		__field(u64, lanes)
		__field(u64, exec)
		__field(u64, old_value)
		__field(u64, new_value)
		__field(u64, gpu_time)
		__field(u64, watch)
		__field(u64, wave)
		__field(u32, context)
		__field(u32, queue)
		__field(u32, dispatch)
		__field(u32, wg_x)
		__field(u32, wg_y)
		__field(u32, wg_z)
		__field(u32, nr_merged)
		__field(u16, width)
		__field(u16, flags)
		__field(u8, addr_state)
		__field(u8, access)
		__field(u8, value_len)
		__field(u8, device)
		__field(u32, wave_in_group)
		__field(u16, exceptions)
		__field(u8, kind)
		__field(u8, trap_id)
		__field(u8, hit_len)
		__array(u8, unused, 3)
		__field(u64, hit_addr)
		__field(u64, data)
		__field(u64, before)
		__field(u64, seen)
		__field(u64, now)
		__field(u32, unused2)
		__field(u32, pid)
		__field(u32, tid)
		__field(s32, cpu)
	),
	TP_fast_assign(
		memcpy((void *)__entry + sizeof(__entry->ent),
		       (const void *)rec + sizeof(__entry->ent),
		       sizeof(*rec) - sizeof(__entry->ent));
		__entry->pid = owner ? owner->tgid : 0;
		__entry->tid = owner ? owner->pid : 0;
		__entry->cpu = cpu;
	),
	TP_printk("dev=%u ctx=%u queue=%u wg=%u,%u,%u wave=%u pc=0x%llx addr=0x%llx width=%u lanes=0x%llx old=0x%llx new=0x%llx watch=%llu access=%s state=%s pid=%u tid=%u cpu=%d",
		  __entry->device, __entry->context, __entry->queue,
		  __entry->wg_x, __entry->wg_y, __entry->wg_z,
		  __entry->wave_in_group, __entry->pc, __entry->addr,
		  __entry->width, __entry->lanes, __entry->old_value,
		  __entry->new_value, __entry->watch,
		  __print_flags(__entry->access, "|",
				{ GPUBP_ACCESS_LOAD, "load" },
				{ GPUBP_ACCESS_STORE, "store" },
				{ GPUBP_ACCESS_ATOMIC, "atomic" }),
		  __print_symbolic(__entry->addr_state,
				   { GPUBP_ADDR_UNKNOWN, "unknown" },
				   { GPUBP_ADDR_BLOCK, "block" },
				   { GPUBP_ADDR_EXACT, "exact" }),
		  __entry->pid, __entry->tid, __entry->cpu)
);

DECLARE_EVENT_CLASS(gpubp_slot_class,
	TP_PROTO(u8 device, u32 context, u64 watch, u64 start, u64 last,
		 u32 slots),
	TP_ARGS(device, context, watch, start, last, slots),
	TP_STRUCT__entry(
		__field(u8, device)
		__field(u32, context)
		__field(u64, watch)
		__field(u64, start)
		__field(u64, last)
		__field(u32, slots)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->context = context;
		__entry->watch = watch;
		__entry->start = start;
		__entry->last = last;
		__entry->slots = slots;
	),
	TP_printk("dev=%u ctx=%u watch=%llu [0x%llx-0x%llx] slots=0x%x",
		  __entry->device, __entry->context, __entry->watch,
		  __entry->start, __entry->last, __entry->slots)
);

/* a commit made the hardware compare a watch */
DEFINE_EVENT(gpubp_slot_class, gpubp_arm,
	TP_PROTO(u8 device, u32 context, u64 watch, u64 start, u64 last,
		 u32 slots),
	TP_ARGS(device, context, watch, start, last, slots));

/* a commit disarmed a watch, or the watch was freed, as no event wants it */
DEFINE_EVENT(gpubp_slot_class, gpubp_disarm,
	TP_PROTO(u8 device, u32 context, u64 watch, u64 start, u64 last,
		 u32 slots),
	TP_ARGS(device, context, watch, start, last, slots));

/* a watch stopped too many waves and is throttled for 100 ms << level */
TRACE_EVENT(gpubp_stall,
	TP_PROTO(u8 device, u32 context, u64 watch, u64 start, u64 last,
		 u32 level),
	TP_ARGS(device, context, watch, start, last, level),
	TP_STRUCT__entry(
		__field(u8, device)
		__field(u32, context)
		__field(u64, watch)
		__field(u64, start)
		__field(u64, last)
		__field(u32, level)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->context = context;
		__entry->watch = watch;
		__entry->start = start;
		__entry->last = last;
		__entry->level = level;
	),
	TP_printk("dev=%u ctx=%u watch=%llu [0x%llx-0x%llx] level=%u",
		  __entry->device, __entry->context, __entry->watch,
		  __entry->start, __entry->last, __entry->level)
);

/* a commit has ended */
TRACE_EVENT(gpubp_rotate,
	TP_PROTO(u8 device, u64 quantum, unsigned int armed,
		 unsigned int watches, u32 changed, s64 ns),
	TP_ARGS(device, quantum, armed, watches, changed, ns),
	TP_STRUCT__entry(
		__field(u64, quantum)
		__field(s64, ns)
		__field(u8, device)
		__field(u32, armed)
		__field(u32, watches)
		__field(u32, changed)
	),
	TP_fast_assign(
		__entry->quantum = quantum;
		__entry->ns = ns;
		__entry->device = device;
		__entry->armed = armed;
		__entry->watches = watches;
		__entry->changed = changed;
	),
	TP_printk("dev=%u quantum=%llu armed=%u/%u changed=0x%x ns=%lld",
		  __entry->device, __entry->quantum, __entry->armed,
		  __entry->watches, __entry->changed, __entry->ns)
);

/* a wave was moved past a break: to @to, or the instruction was simulated */
TRACE_EVENT(gpubp_step,
	TP_PROTO(u8 device, u32 context, u64 wave, u64 pc, u64 to,
		 bool simulated),
	TP_ARGS(device, context, wave, pc, to, simulated),
	TP_STRUCT__entry(
		__field(u64, wave)
		__field(u64, pc)
		__field(u64, to)
		__field(u8, device)
		__field(u32, context)
		__field(u8, simulated)
	),
	TP_fast_assign(
		__entry->wave = wave;
		__entry->pc = pc;
		__entry->to = to;
		__entry->device = device;
		__entry->context = context;
		__entry->simulated = simulated;
	),
	TP_printk("dev=%u ctx=%u wave=0x%llx pc=0x%llx %s=0x%llx",
		  __entry->device, __entry->context, __entry->wave,
		  __entry->pc, __entry->simulated ? "simulated" : "to",
		  __entry->to)
);

/* a precise point was armed: a break of the kernel at an access to a watch */
TRACE_EVENT(gpubp_escalate,
	TP_PROTO(u8 device, u32 context, u64 watch, u64 pc),
	TP_ARGS(device, context, watch, pc),
	TP_STRUCT__entry(
		__field(u64, watch)
		__field(u64, pc)
		__field(u8, device)
		__field(u32, context)
	),
	TP_fast_assign(
		__entry->watch = watch;
		__entry->pc = pc;
		__entry->device = device;
		__entry->context = context;
	),
	TP_printk("dev=%u ctx=%u watch=%llu pc=0x%llx", __entry->device,
		  __entry->context, __entry->watch, __entry->pc)
);

/* a hit left the hit path: name of the counter of the statistics that has it */
TRACE_EVENT(gpubp_done,
	TP_PROTO(u8 device, u64 wave, const char *where),
	TP_ARGS(device, wave, where),
	TP_STRUCT__entry(
		__field(u64, wave)
		__field(u8, device)
		__string(where, where)
	),
	TP_fast_assign(
		__entry->wave = wave;
		__entry->device = device;
		__assign_str(where);
	),
	TP_printk("dev=%u wave=0x%llx %s", __entry->device, __entry->wave,
		  __get_str(where))
);

/* a sample was handed to perf, this long after the interrupt */
TRACE_EVENT(gpubp_deliver,
	TP_PROTO(u64 event, u64 watch, s64 latency_ns),
	TP_ARGS(event, watch, latency_ns),
	TP_STRUCT__entry(
		__field(u64, event)
		__field(u64, watch)
		__field(s64, latency_ns)
	),
	TP_fast_assign(
		__entry->event = event;
		__entry->watch = watch;
		__entry->latency_ns = latency_ns;
	),
	TP_printk("event=%llu watch=%llu latency_ns=%lld", __entry->event,
		  __entry->watch, __entry->latency_ns)
);

#endif /* _TRACE_GPUBP_H */

#include <trace/define_trace.h>
