/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disassembly of a code object, by llvm-objdump.
 */
#ifndef PERF_GPUBP_DISASM_H
#define PERF_GPUBP_DISASM_H

#include "gpubp_run.h"

/**
 * struct insn - an instruction
 * @pc: its address in the file
 * @text: mnemonic and operands
 * @first: of a function
 */
struct insn {
	uint64_t pc;
	char *text;
	bool first;
};

/**
 * struct disasm - the instructions
 * @insns: sorted by address
 * @nr: entries of @insns
 * @label: the next one is the first of a function
 */
struct disasm {
	struct insn *insns;
	size_t nr;
	bool label;
};

/** disasm_read() - all of @path, for the rest of the program's life; 0 or -1 */
int disasm_read(struct disasm *disasm, const char *path, struct grun_err *err);

/** disasm_find() - the instruction at an address, or NULL */
const struct insn *disasm_find(const struct disasm *disasm, uint64_t pc);

#endif /* PERF_GPUBP_DISASM_H */
