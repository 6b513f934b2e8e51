/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of libgpubp-run share.
 */
#ifndef GRUN_INTERNAL_H
#define GRUN_INTERNAL_H

#include "elffile.h"
#include "gpubp_run.h"

/* in a kernel's descriptor, 32 bits */
#define GRUN_DESCRIPTOR_RSRC1	48
#define GRUN_RSRC1_DX10_CLAMP	(1U << 21)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct grun_code - a code object
 * @path: of the file, absolute; NULL if it came from memory
 * @fd: the file, until the code object is loaded, else -1
 * @image: its content
 * @elf: checked, points into @image
 * @kernels: from the metadata, descriptors resolved
 * @nr_kernels: entries of @kernels
 * @mem: device memory once loaded
 * @window: the process's executable mapping of the same addresses
 */
struct grun_code {
	char *path;
	int fd;
	void *image;
	struct grun_elf elf;
	struct grun_kernel *kernels;
	unsigned int nr_kernels;
	struct grun_mem mem;
	void *window;
};

/**
 * struct grun_backend - a kind of GPU
 * @open: fill in &grun_device.info, .queue and what is its own; @path as for grun_open()
 * @close: also after a failure of @open; what still runs is killed
 * @alloc: memory that GPU and CPU share, at @va if that is not 0
 * @alloc_code: likewise, at the address @window of a mapping that is the process's own
 * @file_segments: PF_* of the segments of a code object's file that are mapped over its
 *	window, 0: all. Others have to be the GPU's memory where that is known by the
 *	address that it has in the process
 * @userptr: map the &grun_mem.mapped bytes at .cpu, which is new memory, for the GPU, at
 *	@va if that is not 0; .va is out, and .cpu if it has to be elsewhere
 * @unmap: the mapping at @va, not that of the CPU
 * @name: publish a name, or withdraw it
 * @dispatch: start a kernel; &gpubp_sim_dispatch.seq is out
 * @wait: wait until it has ended; &gpubp_sim_wait.status, .pc and .addr are out
 *
 * Each returns 0 or a negative errno, as the calls of <linux/gpubp_sim.h> have it. Those
 * with @err say what is wrong.
 */
struct grun_backend {
	int (*open)(struct grun_device *dev, const char *path, struct grun_err *err);
	void (*close)(struct grun_device *dev);
	int (*alloc)(struct grun_device *dev, struct grun_mem *mem, size_t size,
		     uint64_t va, struct grun_err *err);
	int (*alloc_code)(struct grun_device *dev, struct grun_mem *mem, size_t size,
			  void *window, struct grun_err *err);
	uint32_t file_segments;
	int (*userptr)(struct grun_device *dev, struct grun_mem *mem, uint64_t va);
	int (*unmap)(struct grun_device *dev, uint64_t va);
	int (*name)(struct grun_device *dev, const struct gpubp_sim_name *name);
	int (*dispatch)(struct grun_device *dev, struct gpubp_sim_dispatch *args);
	int (*wait)(struct grun_device *dev, struct gpubp_sim_wait *args);
};

/* a device file of the kernel's software GPU */
extern const struct grun_backend grun_backend_file;

/** grun_open_backend() - grun_open() of a kind of GPU */
int grun_open_backend(struct grun_device **dev, const struct grun_backend *backend,
		      const char *path, struct grun_err *err);

/**
 * struct grun_device - an open device
 * @backend: what it is
 * @fd: its file, -1 none
 * @own: what is the backend's own
 * @info: what it said
 * @queue: the one queue
 * @last_seq: last dispatch
 * @done_seq: all up to it were seen to have ended, for a tool that listens
 * @overlaps: do not wait for dispatches any more, though the tool wants that
 * @code: last code object loaded, for messages
 * @kernarg: memory for argument blocks, handed out front to back
 * @kernarg_used: bytes of it that dispatches up to @last_seq may read
 * @launches: what @queue was given; NULL: it is not recorded
 */
struct grun_device {
	const struct grun_backend *backend;
	int fd;
	void *own;
	struct gpubp_sim_info info;
	uint32_t queue;
	uint64_t last_seq;
	uint64_t done_seq;
	bool overlaps;
	const struct grun_code *code;
	struct grun_mem kernarg;
	size_t kernarg_used;
	struct grun_launches *launches;
};

static inline uint64_t grun_round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/**
 * grun_clear_clamp() - if the environment asks for it, let waves of a code object that
 *	is in memory begin without DX10_CLAMP
 */
void grun_clear_clamp(const struct grun_code *code);

/** grun_name_code() - publish the name of a loaded code object */
int grun_name_code(struct grun_device *dev, const struct grun_code *code,
		   const char *name, struct grun_err *err);

/**
 * grun_code_map_segments() - map segments of the file for perf
 * @code: code object; its file is closed then
 * @window: where its load address is in the process; what is there is replaced
 * @page: bytes of a page
 * @flags: only segments with all of these PF_*
 */
void grun_code_map_segments(struct grun_code *code, char *window, size_t page,
			    uint32_t flags);

/** grun_code_where() - " (stencil+0x40)" for a pc in @code, else "" */
void grun_code_where(const struct grun_code *code, uint64_t pc, char *out,
		     size_t len);

/* formats of the files of names of a process, see perfmap.c */
#define GRUN_PERF_MAP		"/tmp/perf-%u.map"
#define GRUN_NAMES		"/tmp/gpubp-%u.names"
#define GRUN_NAMES_HEADER	"gpubp names 1"
#define GRUN_CALLSITE_MAX	1024
#define GRUN_OUTSIDE		((const void *)-1)

/** grun_name_time() - the time of a record: of before events bind to a name, or lose it */
uint64_t grun_name_time(void);

/** grun_name_from() - grun_name() of a program that calls from @caller, as for grun_callsite() */
int grun_name_from(struct grun_device *dev, uint64_t va, size_t size,
		   const char *name, const void *caller, struct grun_err *err);

/**
 * grun_name_record() - record that a range has a name, in both files of perfmap.c
 * @time: from when on, of grun_name_time()
 * @context: number of the GPU context that has it, 0 all of the process
 * @addr: first address
 * @size: bytes, 0: the name is withdrawn
 * @name: name
 * @caller: where the program did so, as for grun_callsite()
 *
 * Failure is not reported: names are a convenience.
 */
void grun_name_record(uint64_t time, uint32_t context, uint64_t addr, uint64_t size,
		      const char *name, const void *caller);

/** grun_name_functions() - likewise of the functions of a loaded code object */
void grun_name_functions(uint32_t context, const struct grun_code *code);

/**
 * grun_callsite() - where the program calls the library, if GPUBP_CALLSITES is 1
 * @caller: __builtin_return_address(0) of the function that it called; GRUN_OUTSIDE:
 *	in a shared library, which is not the program; NULL: it does not call
 * @out: "PATH+0xADDRESS" of the innermost frames, separated by tabs; or ""
 *
 * Return: @out.
 */
const char *grun_callsite(const void *caller, char out[GRUN_CALLSITE_MAX]);

/** grun_name_line() - write a line, with its end, to the file of names with times */
void grun_name_line(const char *line);

/**
 * grun_launches_new() - record what a queue is given
 * @context: number of the GPU context that has it, 0 all of the process
 * @queue: its id, as hits have it
 * @nr_places: a power of two: a dispatch of number N is over when that of number
 *	N + @nr_places is added
 *
 * Return: its launches, or NULL: they are not recorded.
 */
struct grun_launches *grun_launches_new(uint32_t context, uint32_t queue,
					uint32_t nr_places);

/** grun_launches_free() - the queue is destroyed; NULL is ignored */
void grun_launches_free(struct grun_launches *launches);

/**
 * grun_launches_add() - a kernel is about to be launched
 * @launches: those of the queue; NULL is ignored
 * @index: number of the dispatch, of which hits may have the lower bits only
 * @kernel: GPU address of the kernel's descriptor
 * @launch: sizes; NULL: not known, whatever had that number before
 * @site: where the program launches, as grun_callsite() says; "" unknown
 */
void grun_launches_add(struct grun_launches *launches, uint64_t index, uint64_t kernel,
		       const struct grun_launch *launch, const char *site);

/* messages to a tool that listens, if there is one: see gpubp_run.h */

/**
 * grun_listener_set() - the socket of a tool that listens from now on
 * @fd: it, in place of the last one, which is closed, or that of GPUBP_LISTENER
 */
void grun_listener_set(int fd);

/** grun_listener_buffer() - a name was published, or with @size 0 withdrawn */
void grun_listener_buffer(uint64_t va, uint64_t size, const char *name);

/** grun_listener_code() - a code object was loaded */
void grun_listener_code(const struct grun_code *code, const char *name);

/** grun_listener_is_there() - does a tool listen? */
bool grun_listener_is_there(void);

/**
 * struct grun_start - a kernel that is about to be started
 * @context: GPU context, as hits have it; 0: all hits of the process are of that
 * @queue: its queue, as hits have it
 * @seq: its number in the queue, of which hits may have the lower bits only
 * @done: the dispatches of the queue up to that number have ended
 * @began: it may have begun already
 * @may_point: may a word be an address? NULL: by its size
 */
struct grun_start {
	uint32_t context;
	uint32_t queue;
	uint64_t seq;
	uint64_t done;
	bool began;
	bool (*may_point)(uint64_t word);
};

/**
 * grun_listener_dispatch() - a kernel is about to be started
 * @start: where
 * @kernel: it; NULL unknown
 * @block: its argument block; NULL: it cannot be read
 */
void grun_listener_dispatch(const struct grun_start *start, const struct grun_kernel *kernel,
			    const void *block);

/** grun_listener_close() - a queue is destroyed */
void grun_listener_close(uint32_t context, uint32_t queue);

#endif /* GRUN_INTERNAL_H */
