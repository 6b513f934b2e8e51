/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libgpubp-run: run amdgcn code objects on the software GPU.
 *
 * A program opens a device, loads a code object, allocates and names memory,
 * dispatches kernels and waits for them. Buffers and code objects that have a
 * name can be watched by it ("gpubp/...,named=1,.../"), and code is mapped so
 * that perf shows GPU pcs in samples as kernel + offset.
 *
 * Functions return 0 or a negative errno and then have put one sentence that
 * says what is wrong into @err. No function prints anything.
 */
#ifndef GPUBP_RUN_H
#define GPUBP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/gpubp.h>
#include <linux/gpubp_sim.h>

/**
 * struct grun_err - why a call failed
 * @text: one sentence without a full stop, for people
 */
struct grun_err {
	char text[256];
};

/**
 * grun_fail() - fill in an error
 * @err: error, may be NULL
 * @code: what to return
 * @fmt: as printf()
 *
 * Return: @code.
 */
int grun_fail(struct grun_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define GRUN_KERNEL_NAME	1024
#define GRUN_ARG_NAME		32
#define GRUN_MAX_ARGS		64

/**
 * enum grun_arg_kind - who sets a kernel argument, and to what
 * @GRUN_ARG_VALUE: the caller; a value of .size bytes
 * @GRUN_ARG_POINTER: the caller; a GPU address
 * @GRUN_ARG_HIDDEN: the library, from the launch geometry; see @hidden
 * @GRUN_ARG_OTHER: none, it cannot be launched: an image, LDS of a size that the launch has,
 *	a value of more bytes than &union grun_value has
 */
enum grun_arg_kind {
	GRUN_ARG_VALUE,
	GRUN_ARG_POINTER,
	GRUN_ARG_HIDDEN,
	GRUN_ARG_OTHER,
};

/* hidden arguments that the library knows; all others are zero */
enum grun_hidden {
	GRUN_HIDDEN_ZERO,
	GRUN_HIDDEN_BLOCK_COUNT,
	GRUN_HIDDEN_GROUP_SIZE,
	GRUN_HIDDEN_REMAINDER,
	GRUN_HIDDEN_GRID_DIMS,
};

/**
 * struct grun_arg - one argument of a kernel, from the code object's metadata
 * @name: name in the source, "" if the compiler left it out
 * @type: type in the source ("float*", "int"), "" if unknown
 * @kind: who sets it
 * @is_const: a pointer through which the kernel only reads, as its source or compiler says
 * @hidden: which value, if hidden
 * @dim: 0-2 for x, y, z of a hidden value
 * @offset: in the argument block, bytes
 * @size: bytes
 */
struct grun_arg {
	char name[GRUN_ARG_NAME];
	char type[GRUN_ARG_NAME];
	enum grun_arg_kind kind;
	bool is_const;
	enum grun_hidden hidden;
	unsigned int dim;
	uint32_t offset;
	uint32_t size;
};

/**
 * struct grun_kernel - one kernel of a code object
 * @name: of the function
 * @symbol: of its descriptor, usually name + ".kd"
 * @descriptor: where the descriptor is, bytes from the load address
 * @dx10_clamp: its waves begin with MODE.DX10_CLAMP, which masks exceptions of
 *	floating point
 * @kernarg_size: bytes of the argument block
 * @group_size: bytes of LDS
 * @private_size: bytes of scratch a work-item
 * @max_workgroup: work-items of a workgroup at most, 0 unknown
 * @required: workgroup size that the source demands, 0 none
 * @nr_args: entries of @args, hidden ones included
 * @args: in order
 */
struct grun_kernel {
	char name[GRUN_KERNEL_NAME];
	char symbol[GRUN_KERNEL_NAME];
	uint64_t descriptor;
	bool dx10_clamp;
	uint32_t kernarg_size;
	uint32_t group_size;
	uint32_t private_size;
	uint32_t max_workgroup;
	uint32_t required[3];
	unsigned int nr_args;
	struct grun_arg args[GRUN_MAX_ARGS];
};

/** grun_kernel_nr_params() - arguments of @kernel that the caller sets */
unsigned int grun_kernel_nr_params(const struct grun_kernel *kernel);

/** grun_kernel_param() - argument number @n of those that the caller sets, or NULL */
const struct grun_arg *grun_kernel_param(const struct grun_kernel *kernel,
					 unsigned int n);

/*
 * Code objects: read without a device, loaded with one.
 */

struct grun_code;

/**
 * grun_code_parse() - read a code object
 * @code: out
 * @image: the ELF file, copied
 * @size: bytes
 * @err: error
 *
 * The input may be anything: what is truncated or malformed is refused.
 *
 * Return: 0, -ENOEXEC (not a code object that can be run), -ENOMEM.
 */
int grun_code_parse(struct grun_code **code, const void *image, size_t size,
		    struct grun_err *err);

/** grun_code_open() - grun_code_parse() of the file @path */
int grun_code_open(struct grun_code **code, const char *path,
		   struct grun_err *err);

/** grun_code_free() - forget a code object that is not loaded, or whose device is closed */
void grun_code_free(struct grun_code *code);

/** grun_code_nr_kernels() - kernels in @code */
unsigned int grun_code_nr_kernels(const struct grun_code *code);

/** grun_code_kernel() - kernel number @n */
const struct grun_kernel *grun_code_kernel(const struct grun_code *code,
					   unsigned int n);

/** grun_code_find() - kernel by name, or NULL */
const struct grun_kernel *grun_code_find(const struct grun_code *code,
					 const char *name);

/** grun_code_symbol() - address of a function in the ELF file; false if there is none */
bool grun_code_symbol(const struct grun_code *code, const char *name,
		      uint64_t *value);

/** grun_code_loaded() - load address of what is at an offset in the ELF file; false if none */
bool grun_code_loaded(const struct grun_code *code, uint64_t file_offset,
		      uint64_t *offset);

/**
 * grun_code_function() - the function with an instruction
 * @code: code object
 * @offset: of the instruction, from the load address
 * @start: out: where the function begins, likewise
 *
 * Return: its name, NULL if there is none.
 */
const char *grun_code_function(const struct grun_code *code, uint64_t offset,
			       uint64_t *start);

/**
 * struct grun_variable - a variable of the program
 * @name: its name, shorter than GPUBP_NAME_MAX
 * @value: where it is, bytes from the load address
 * @size: bytes
 */
struct grun_variable {
	const char *name;
	uint64_t value;
	uint64_t size;
};

/**
 * grun_code_variable() - the next variable of the program
 * @code: code object
 * @pos: where to go on, 0 at first
 * @var: out
 *
 * Those that kernels can change, and constants but for static ones, which also are
 * the tables of libraries.
 *
 * Return: false if there is no other.
 */
bool grun_code_variable(const struct grun_code *code, uint64_t *pos,
			struct grun_variable *var);

/** grun_code_isa() - LLVM's name of the processor, or "unknown" */
const char *grun_code_isa(const struct grun_code *code);

/** grun_code_va() - where @code is loaded, 0 nowhere */
uint64_t grun_code_va(const struct grun_code *code);

/*
 * Devices.
 */

struct grun_device;

/* default device */
#define GRUN_DEVICE	"/dev/gpubp_sim0"

/**
 * grun_open() - open a device: a new GPU context with one queue
 * @dev: out
 * @path: device file, NULL for GRUN_DEVICE
 * @err: error
 *
 * Return: 0 or the errno of the device.
 */
int grun_open(struct grun_device **dev, const char *path, struct grun_err *err);

/**
 * grun_open_in_process() - open a GPU that is a thread of the process
 * @dev: out
 * @isa: processor, "gfx90a", "gfx942" or "gfx900"
 * @err: error
 *
 * In libgpubp-inproc.a, which is linked in front of libgpubp-run.a. It needs no driver:
 * with gpubp.ko and gpubp_agent.ko it is watched as any other GPU, through
 * <linux/gpubp_agent.h>, and without them nothing is. Its memory has the same addresses in
 * the process: what is wanted at an address has to be free there.
 *
 * Return: 0, -EINVAL, -ENOMEM, -EAGAIN.
 */
int grun_open_in_process(struct grun_device **dev, const char *isa, struct grun_err *err);

/** grun_in_process_watched() - 0, or the negative errno for which nothing can be watched */
int grun_in_process_watched(const struct grun_device *dev);

/** grun_close() - destroy the context; what still runs is killed */
void grun_close(struct grun_device *dev);

/** grun_info() - what the device said of itself */
const struct gpubp_sim_info *grun_info(const struct grun_device *dev);

/** grun_fd() - the open device file, -1 if it has none */
int grun_fd(const struct grun_device *dev);

/**
 * struct grun_mem - memory that GPU and CPU share
 * @va: GPU address
 * @size: bytes as asked for
 * @cpu: the same bytes for the CPU
 * @user: it is memory of the process (grun_userptr)
 * @mapped: bytes mapped
 */
struct grun_mem {
	uint64_t va;
	size_t size;
	void *cpu;
	bool user;
	size_t mapped;
};

/**
 * grun_redzone() - bytes that are behind each allocation and are in none, if
 *	GPUBP_REDZONE is set in the environment, so that an access beside a buffer is in no
 *	other: a multiple of 64. grun_alloc() adds them, if no address is wanted
 */
size_t grun_redzone(void);

/**
 * grun_alloc() - allocate zeroed device memory and map it for the CPU
 * @dev: device
 * @mem: out
 * @size: bytes
 * @va: wanted GPU address, page-aligned, 0 any
 * @err: error
 */
int grun_alloc(struct grun_device *dev, struct grun_mem *mem, size_t size,
	       uint64_t va, struct grun_err *err);

/** grun_userptr() - as grun_alloc(), but of zeroed memory of the process */
int grun_userptr(struct grun_device *dev, struct grun_mem *mem, size_t size,
		 uint64_t va, struct grun_err *err);

/** grun_release() - unmap and free */
void grun_release(struct grun_device *dev, struct grun_mem *mem);

/**
 * grun_name() - publish the name of a range of GPU memory
 * @dev: device
 * @va: first address
 * @size: bytes, 0 withdraws
 * @name: name, shorter than GPUBP_NAME_MAX
 * @err: error
 *
 * Events that watch the name bind to the range. It also goes to the perf map, so
 * that tools can turn addresses into name + offset, and with the time to
 * /tmp/gpubp-PID.names, so that a hit gets the name that was valid then. If
 * GPUBP_CALLSITES is 1 in the environment, the caller is recorded there as well.
 */
int grun_name(struct grun_device *dev, uint64_t va, size_t size,
	      const char *name, struct grun_err *err);

/**
 * grun_load() - place a code object in GPU memory
 * @dev: device
 * @code: code object, loaded at most once
 * @name: name to publish, NULL none
 * @err: error
 *
 * With a name, the variables of the program are published under theirs, too, as by
 * grun_name(): a name belongs to what had it last. So a buffer that is named later
 * takes that of a variable, and the code object that is loaded last has the
 * variable that both have. They have names as long as there is room for names.
 *
 * perf resolves a pc through the executable mapping that the process has there.
 * So the code's GPU address is that of a mapping made for this purpose: of the
 * file's segments if the code object was opened by grun_code_open(), else of
 * anonymous memory, whose functions perf takes from /tmp/perf-PID.map. Nothing
 * on the CPU looks into it; GPU memory is not this mapping.
 */
int grun_load(struct grun_device *dev, struct grun_code *code,
	      const char *name, struct grun_err *err);

/**
 * union grun_value - a kernel argument
 * @va: of a pointer
 * @bytes: of a value, as many as the argument has
 */
union grun_value {
	uint64_t va;
	unsigned char bytes[64];
};

/**
 * struct grun_launch - size of a dispatch
 * @grid: work-items in each dimension
 * @workgroup: likewise; must not be larger than the kernel allows
 */
struct grun_launch {
	uint32_t grid[3];
	uint32_t workgroup[3];
};

/**
 * grun_check_launch() - can @kernel be launched so?
 *
 * Return: 0 or -EINVAL.
 */
int grun_check_launch(const struct grun_kernel *kernel,
		      const struct grun_launch *launch, struct grun_err *err);

/**
 * grun_pack_args() - write the argument block of a dispatch, hidden arguments included
 * @kernel: kernel
 * @launch: size
 * @args: one value for each argument that the caller sets
 * @out: grun_kernel.kernarg_size bytes
 */
void grun_pack_args(const struct grun_kernel *kernel,
		    const struct grun_launch *launch,
		    const union grun_value *args, void *out);

/**
 * grun_dispatch() - start a kernel
 * @dev: device
 * @code: loaded code object
 * @kernel: one of its kernels
 * @launch: size
 * @args: one value for each argument that the caller sets
 * @nr_args: entries of @args
 * @seq: out: for grun_wait(); may be NULL
 * @err: error
 *
 * Dispatches run one after the other. Does not wait, unless the memory for
 * arguments of unfinished dispatches is used up.
 */
int grun_dispatch(struct grun_device *dev, const struct grun_code *code,
		  const struct grun_kernel *kernel,
		  const struct grun_launch *launch,
		  const union grun_value *args, unsigned int nr_args,
		  uint64_t *seq, struct grun_err *err);

/**
 * grun_wait() - wait until a dispatch has ended
 * @dev: device
 * @seq: of grun_dispatch(), 0 for the last one
 * @timeout_ns: -1 for ever
 * @err: error
 *
 * Return: 0, -ETIME, -EFAULT (memory violation), -EILSEQ (illegal
 * instruction), -ECANCELED (killed), -EIO (a trap that was not handled).
 */
int grun_wait(struct grun_device *dev, uint64_t seq, int64_t timeout_ns,
	      struct grun_err *err);

/**
 * DOC: Listeners
 *
 * A tool can learn of buffers, code objects and the addresses that kernels get
 * before the first dispatch uses them. It starts the program with one end of a
 * socketpair(AF_UNIX, SOCK_SEQPACKET) open, the number of the file descriptor
 * in the environment variable GPUBP_LISTENER. The library then sends messages
 * of text, each one packet without a newline or NUL at its end, and waits
 * for a packet of one byte, of any value, after each::
 *
 *   buffer PID VA SIZE NAME
 *   code PID VA SIZE NAME PATH
 *   dispatch PID CONTEXT/QUEUE/SEQ DONE KERNEL VA[,VA...]
 *   began PID CONTEXT/QUEUE/SEQ DONE KERNEL VA[,VA...]
 *   close PID CONTEXT/QUEUE
 *
 * buffer is sent by grun_name(), and by grun_load() for each variable of the
 * program, after events have bound to the range; SIZE 0 withdraws the name. code is
 * sent by grun_load(); PATH is absolute and the rest of the message. dispatch is sent
 * by grun_dispatch() before each kernel starts. It has the kernel's pointer arguments in
 * order, and between them, with = in front, the aligned words of its other arguments
 * that may be addresses, as of a struct with pointers; ... at the end stands for more
 * such words than there is room for, or that cannot be read. CONTEXT, QUEUE and SEQ are
 * those of the device, as hits have them, which may have the lower bits of SEQ only; CONTEXT
 * is 0 where all hits of the process are of one. The dispatches of the queue up to the number
 * DONE have ended, the others may run. began is a dispatch that the library saw too late: it
 * may run already. close is sent by grun_close() if there were dispatches. VA and SIZE are
 * hexadecimal with 0x (or 0), PID, CONTEXT, QUEUE, SEQ and DONE decimal; NAME and KERNEL are
 * one word each, in which all bytes but printable ASCII, and backslashes, are written as a
 * backslash and three octal digits. What is missing is "-": the name of code that has none,
 * the path of code that was in memory, a kernel that is not known, the pointers of a kernel
 * without any.
 *
 * If GPUBP_SERIAL is 1 in the environment, a dispatch waits, before its message is sent,
 * until those before it on its queue have ended; but only until that has once taken
 * ten seconds, as then a kernel may wait for what the program does next.
 *
 * A tool that closes its end gets no more messages; the program then runs as without
 * it. One that does not answer for ten seconds is not waited for, until it has answered
 * the messages that it has got. Processes that have the same socket send one message at
 * a time each, and the tool answers in the order of messages; an answer may let any of
 * the processes that wait go on.
 */

#endif /* GPUBP_RUN_H */
