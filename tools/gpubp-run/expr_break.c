// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks: "stencil+0x4c", "stencil.cl:17" to offsets in code objects. See
 * gpubp_expr.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expr.h"
#include "internal.h"

#define ALIGN	4	/* bytes, of instructions */

/**
 * struct breaks - what an expression means so far
 * @text: expression
 * @codes: where to look
 * @nr_codes: entries of @codes
 * @list: result
 * @nr: entries of @list
 * @err: error
 */
struct breaks {
	const char *text;
	const struct gexpr_code *codes;
	size_t nr_codes;
	struct gexpr *list;
	size_t nr;
	struct grun_err *err;
};

const char *gexpr_code_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct gexpr *gexpr_append(struct gexpr **list, size_t *nr)
{
	struct gexpr *grown = *list;

	if (!(*nr & (*nr - 1)))
		grown = realloc(grown, (*nr ? 2 * *nr : 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	*list = grown;
	return memset(&grown[(*nr)++], 0, sizeof(*grown));
}

/* all of @text is a number; "010" is what it looks like */
static bool break_number(const char *text, uint64_t *n)
{
	bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*n = strtoull(text, &end, hex ? 16 : 10);
	return !*end && !errno;
}

static int break_add(struct breaks *b, const struct gexpr_code *code, uint64_t addr)
{
	struct gexpr *e;

	if (addr % ALIGN)
		return grun_fail(b->err, -EINVAL,
				 "no instruction is at 0x%llx, which is no multiple of %d",
				 (unsigned long long)addr, ALIGN);
	if (code && strlen(code->name) >= GPUBP_NAME_MAX)
		return grun_fail(b->err, -EINVAL,
				 "the code object's name %.70s... has more than %d characters",
				 code->name, GPUBP_NAME_MAX - 1);
	e = gexpr_append(&b->list, &b->nr);
	if (!e)
		return grun_fail(b->err, -ENOMEM, "out of memory");
	e->kind = GPUBP_KIND_BREAK;
	e->addr = addr;
	if (code) {
		snprintf(e->name, sizeof(e->name), "%s", code->name);
		e->code = gpubp_name_hash(code->name);
	}
	gexpr_label(e, b->text);
	return 0;
}

static int break_outside(struct breaks *b, const char *name, uint64_t size,
			 uint64_t offset)
{
	return grun_fail(b->err, -EINVAL, "%s has %llu bytes: 0x%llx is out of range",
			 name, (unsigned long long)size, (unsigned long long)offset);
}

/* a kernel, or the code object itself; nothing if @code has none of that name */
static int break_in_code(struct breaks *b, const struct gexpr_code *code,
			 const char *name, uint64_t offset, bool whole)
{
	const struct grun_elf *elf = &code->code->elf;
	struct grun_symbol sym;

	if (grun_elf_find(elf, name, &sym) && sym.type == STT_FUNC)
		return offset < sym.size ? break_add(b, code, sym.value + offset) :
					   break_outside(b, name, sym.size, offset);
	if (whole || strcmp(code->name, name))
		return 0;
	return offset < elf->span ? break_add(b, code, offset) :
				    break_outside(b, name, elf->span, offset);
}

static int break_missing(struct breaks *b, const char *name)
{
	const struct grun_kernel *kernel;
	char names[128] = "";
	size_t at = 0, i;
	unsigned int k;

	for (i = 0; i < b->nr_codes; i++) {
		for (k = 0; (kernel = grun_code_kernel(b->codes[i].code, k)); k++) {
			if (at + strlen(kernel->name) + 8 > sizeof(names))
				continue;
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
					       at ? ", " : "", kernel->name);
		}
	}
	return grun_fail(b->err, -EINVAL, "there is no kernel %.40s; there are: %s",
			 name, names);
}

static int breaks_by_name(struct breaks *b, char *name)
{
	char *plus = strrchr(name, '+');
	uint64_t offset = 0;
	int ret = 0;
	size_t i;

	if (plus) {
		*plus++ = 0;
		if (!break_number(plus, &offset))
			return grun_fail(b->err, -EINVAL,
					 "'%.40s' is not an offset", plus);
	}
	for (i = 0; !ret && i < b->nr_codes; i++)
		ret = break_in_code(b, &b->codes[i], name, offset, !plus);
	return ret || b->nr ? ret : break_missing(b, name);
}

static int line_missing(struct breaks *b, const struct gexpr_lines *lines,
			const char *file, unsigned int line)
{
	if (!lines->has_tables)
		return grun_fail(b->err, -EINVAL,
				 "no code object has a line table: compile with -g");
	if (!lines->has_file)
		return grun_fail(b->err, -EINVAL,
				 "no code object has code of a file %.80s", file);
	if (!lines->next)
		return grun_fail(b->err, -EINVAL,
				 "no code is of line %u of %.80s, or of one behind it",
				 line, file);
	return grun_fail(b->err, -EINVAL,
			 "no code is of line %u of %.80s; the next line that has some is %u",
			 line, file, lines->next);
}

static int breaks_by_line(struct breaks *b, const char *file, unsigned int line)
{
	struct gexpr_lines lines = {};
	int ret = 0;
	size_t i, n;

	for (i = 0; !ret && i < b->nr_codes; i++) {
		n = lines.nr;
		ret = gexpr_lines_read(&lines, b->codes[i].code, file, line);
		for (; !ret && n < lines.nr; n++)
			ret = break_add(b, &b->codes[i], lines.offsets[n]);
	}
	if (ret == -ENOMEM)
		grun_fail(b->err, ret, "out of memory");
	else if (!ret && !b->nr)
		ret = line_missing(b, &lines, file, line);
	free(lines.offsets);
	return ret;
}

static int breaks_read(struct breaks *b, char *text)
{
	char *colon = strrchr(text, ':');
	uint64_t n;

	if (break_number(text, &n))
		return break_add(b, NULL, n);
	if (!text[0] || text == colon)
		return grun_fail(b->err, -EINVAL,
				 "expected KERNEL+OFFSET, FILE:LINE or an address");
	if (!b->nr_codes)
		return grun_fail(b->err, -EINVAL,
				 "no code object is given, in which %.60s could be",
				 text);
	if (!colon || !break_number(colon + 1, &n))
		return breaks_by_name(b, text);
	*colon = 0;
	if (!n || n > INT32_MAX)
		return grun_fail(b->err, -EINVAL, "'%.40s' is not a line", colon + 1);
	return breaks_by_line(b, text, (unsigned int)n);
}

int gexpr_breaks(struct gexpr **list, size_t *nr, const char *text,
		 const struct gexpr_code *codes, size_t nr_codes,
		 struct grun_err *err)
{
	struct breaks b = {
		.text = text, .codes = codes, .nr_codes = nr_codes, .err = err,
	};
	char *copy = strdup(text);
	int ret;

	if (!copy)
		return grun_fail(err, -ENOMEM, "out of memory");
	ret = breaks_read(&b, copy);
	free(copy);
	if (ret) {
		free(b.list);
		return ret;
	}
	*list = b.list;
	*nr = b.nr;
	return 0;
}
