// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the output of llvm-objdump -d:
 *
 *	0000000000001200 <kernel>:
 *	<tab>global_store_dword v[0:1], v4, off       // 000000001234: DC708000 ...
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <subcmd/run-command.h>
#include "disasm.h"
#include "perf_cmd.h"

#define NEWEST_LLVM	30
#define OLDEST_LLVM	13

/* Debian's packages have it with and without its version */
static const char *find_objdump(char *name, size_t len)
{
	const char *given = getenv("LLVM_OBJDUMP");
	int version;

	if (given && given[0])
		return given;
	snprintf(name, len, "llvm-objdump");
	for (version = NEWEST_LLVM; !perf_has_program(name); version--) {
		if (version < OLDEST_LLVM)
			return "llvm-objdump";
		snprintf(name, len, "llvm-objdump-%d", version);
	}
	return name;
}

/* one more instruction; arrays grow by powers of two */
static int add_insn(struct disasm *d, uint64_t pc, const char *text)
{
	struct insn *grown = d->insns;

	if (!(d->nr & (d->nr - 1)))
		grown = realloc(grown, (d->nr ? 2 * d->nr : 1) * sizeof(*grown));
	if (!grown)
		return -1;
	d->insns = grown;
	grown[d->nr].pc = pc;
	grown[d->nr].first = d->label;
	d->label = false;
	grown[d->nr].text = strdup(text);
	return grown[d->nr].text ? (d->nr++, 0) : -1;
}

static int read_insn(struct disasm *d, char *line)
{
	char *comment = strstr(line, "// "), *end;
	uint64_t pc;

	if (isxdigit((unsigned char)*line) && strstr(line, ">:"))
		d->label = true;
	if (!isspace((unsigned char)*line) || !comment ||
	    sscanf(comment, "// %" SCNx64 ":", &pc) != 1)
		return 0;
	while (isspace((unsigned char)*line))
		line++;
	for (end = comment; end > line && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	return add_insn(d, pc, line);
}

static int read_insns(struct disasm *d, int fd)
{
	FILE *in = fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	int ret = in ? 0 : -1;

	while (!ret && getline(&line, &size, in) > 0)
		ret = read_insn(d, line);
	free(line);
	if (in)
		fclose(in);
	return ret;
}

static int by_pc(const void *a, const void *b)
{
	const struct insn *x = a, *y = b;

	return (x->pc > y->pc) - (x->pc < y->pc);
}

static void disasm_free(struct disasm *disasm)
{
	while (disasm->nr)
		free(disasm->insns[--disasm->nr].text);
	free(disasm->insns);
	memset(disasm, 0, sizeof(*disasm));
}

int disasm_read(struct disasm *disasm, const char *path, struct grun_err *err)
{
	char name[32];
	const char *argv[] = {
		find_objdump(name, sizeof(name)), "-d", path, NULL,
	};
	struct child_process objdump = {
		.argv = argv, .no_stdin = 1, .out = -1, .no_stderr = 1,
	};
	int ret;

	memset(disasm, 0, sizeof(*disasm));
	if (start_command(&objdump))
		return grun_fail(err, -1, "cannot run %s", argv[0]);
	ret = read_insns(disasm, objdump.out);
	if (finish_command(&objdump) || ret || !disasm->nr) {
		disasm_free(disasm);
		return grun_fail(err, -1, "%s: no disassembly by %s (install llvm, or set LLVM_OBJDUMP)",
				 path, argv[0]);
	}
	qsort(disasm->insns, disasm->nr, sizeof(*disasm->insns), by_pc);
	return 0;
}

const struct insn *disasm_find(const struct disasm *disasm, uint64_t pc)
{
	struct insn key = { .pc = pc };

	return disasm->nr ? bsearch(&key, disasm->insns, disasm->nr,
				    sizeof(key), by_pc) : NULL;
}
