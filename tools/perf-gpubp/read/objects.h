/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code objects of a recording: each is read once.
 */
#ifndef PERF_GPUBP_OBJECTS_H
#define PERF_GPUBP_OBJECTS_H

#include "disasm.h"
#include "lines.h"

/**
 * struct object - a code object
 * @path: its file
 * @code: symbols and kernels; NULL if @path is none
 * @lines: source lines, NULL none
 * @disasm: instructions
 * @disassembled: @disasm was tried
 * @why: why it failed
 * @next: another one
 */
struct object {
	const char *path;
	struct grun_code *code;
	struct lines *lines;
	struct disasm disasm;
	bool disassembled;
	struct grun_err why;
	struct object *next;
};

/** object_get() - the code object in @path, which stays until the program ends; NULL if it is none */
struct object *object_get(const char *path, struct grun_err *err);

/** object_disasm() - the instructions of a code object; NULL with an error */
const struct disasm *object_disasm(struct object *object, struct grun_err *err);

/** object_insn() - text of the instruction at an address in the file; NULL unknown */
const char *object_insn(struct object *object, uint64_t pc);

#endif /* PERF_GPUBP_OBJECTS_H */
