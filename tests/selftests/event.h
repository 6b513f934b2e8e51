/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of PMU gpubp, used like tools do: perf_event_open(2), the ring buffer,
 * read(2).
 */
#ifndef SELFTESTS_EVENT_H
#define SELFTESTS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/perf_event.h>
#include <linux/gpubp.h>

#define EVENT_STORES	GPUBP_ACCESS_STORE
#define EVENT_WRITES	(GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)
#define EVENT_ANY	(GPUBP_ACCESS_LOAD | EVENT_WRITES)

/** event_type() - attr.type of the PMU; exits if it does not exist */
uint32_t event_type(void);

/** event_watch() - attr of a counting event for accesses to an address */
struct perf_event_attr event_watch(uint64_t addr, uint64_t len,
				   unsigned int access);

/** event_break() - attr of a counting break at an instruction */
struct perf_event_attr event_break(uint64_t pc);

/** event_named() - event_watch() for an offset into a named buffer */
struct perf_event_attr event_named(const char *name, uint64_t offset,
				   uint64_t len, unsigned int access);

/** event_if() - only hits that meet a condition, by its id; 0 none */
void event_if(struct perf_event_attr *attr, uint32_t condition);

/**
 * event_sample() - make it a sampling event with a wakeup for each sample
 *
 * Without PERF_SAMPLE_PERIOD: with it, perf core writes a sample at each hit of
 * a fixed period, as it does for tracepoints.
 */
void event_sample(struct perf_event_attr *attr, uint64_t period);

/**
 * event_open() - perf_event_open(2)
 * @attr: attr
 * @pid: task, 0 the caller, -1 all
 * @cpu: CPU, -1 all
 *
 * Return: file descriptor or a negative errno.
 */
int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/** event_open_break() - event_open() of event_break() for a task */
int event_open_break(uint64_t pc, pid_t pid);

/**
 * struct event_value - result of read(2) of an event
 * @count: accesses
 * @enabled: ns
 * @running: ns
 * @lost: samples lost
 */
struct event_value {
	uint64_t count;
	uint64_t enabled;
	uint64_t running;
	uint64_t lost;
};

/** event_read() - 0, or a negative errno */
int event_read(int fd, struct event_value *value);

/** events_read() - event_read() of @nr events */
int events_read(const int *fd, unsigned int nr, struct event_value *values);

/**
 * events_wrong() - events whose count is not that of the accesses since a read, or that
 *	had not all of the time
 * @fd: events
 * @nr: how many
 * @before: of events_read()
 * @accesses: of each since then
 */
unsigned int events_wrong(const int *fd, unsigned int nr,
			  const struct event_value *before, uint64_t accesses);

/** event_count() - the count, or -1 */
int64_t event_count(int fd);

/** now_ns() - CLOCK_MONOTONIC */
uint64_t now_ns(void);

/** env_number() - a number from the environment, @unless it is not set */
int env_number(const char *name, int unless);

/** debug_kernel() - true with lockdep, KASAN and so on: ten times as slow */
bool debug_kernel(void);

/** slow_kernel() - true for a debug kernel, and with KCSAN */
bool slow_kernel(void);

/** event_paranoid() - set perf_event_paranoid; returns the old value, or -1 */
int event_paranoid(int value);

/** event_parameter() - set a numeric parameter of gpubp; returns the old value, or -1 */
long event_parameter(const char *name, long value);

/** event_sim_parameter() - event_parameter() for the software GPU */
long event_sim_parameter(const char *name, long value);

/*
 * Samples.
 */

/**
 * struct sample - PERF_RECORD_SAMPLE of event_sample()'s sample_type
 * @ip: GPU pc
 * @addr: GPU address
 * @time: perf's clock
 * @data_src: union perf_mem_data_src
 * @pid: process
 * @tid: thread
 * @cpu: CPU
 * @rec: raw record; .common is not compared
 */
struct sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t time;
	uint64_t data_src;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	struct gpubp_hit_record rec;
};

/** record_is_clean() - is all 0 that has no meaning in it? */
bool record_is_clean(const struct gpubp_hit_record *rec);

/** record_print() - print what it says of bytes and values as a comment of TAP */
void record_print(const struct gpubp_hit_record *rec);

/**
 * struct ring - a mapped ring buffer
 * @page: control page
 * @data: behind it
 * @size: of @data, a power of two
 * @lost: records lost for lack of space so far
 * @bad: records of an unexpected form
 */
struct ring {
	struct perf_event_mmap_page *page;
	const char *data;
	uint64_t size;
	uint64_t lost;
	unsigned int bad;
};

/** ring_map() - map @pages (a power of two) of an event; 0 or a negative errno */
int ring_map(struct ring *ring, int fd, unsigned int pages);

/** ring_next() - take the oldest sample; false if the ring is empty */
bool ring_next(struct ring *ring, struct sample *sample);

/** ring_drain() - take all samples; returns how many */
unsigned int ring_drain(struct ring *ring);

void ring_unmap(struct ring *ring);

#endif /* SELFTESTS_EVENT_H */
