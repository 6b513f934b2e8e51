// SPDX-License-Identifier: GPL-2.0
/*
 * points FILE CLANG-FLAGS...: the places of a C file that can be mutated, by
 * libclang. One line each, fields separated by tabs (struct point of mutants.h):
 *
 *	file line function operator start end form before after
 *
 * Bytes start to end are replaced by "after" where the mutant is on. Left out is
 * what comes from a macro or is an argument of one, what has to be constant, and
 * calls for locks, assertions, messages and memory that is freed, whose lack is
 * not a wrong result.
 */
#include <clang-c/Index.h>
#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MACROS	20000
#define MAX_DEPTH	256

struct range {
	unsigned int start, end;
};

static const char *path;	/* as it is printed */
static CXFile main_file;
static char *text;
static unsigned int text_len;
static struct range macros[MAX_MACROS];
static unsigned int nr_macros;

static CXCursor stack[MAX_DEPTH];	/* the cursors above the visited one */
static int depth;
static char function[256];
static enum CXTypeKind result;	/* of the function */

static void die(const char *what)
{
	fprintf(stderr, "points: %s: %s\n", path, what);
	exit(1);
}

/* ---- text ---------------------------------------------------------------- */

/* false if it is in another file */
static bool range_of(CXCursor c, struct range *r)
{
	CXSourceRange range = clang_getCursorExtent(c);
	CXFile file;

	clang_getExpansionLocation(clang_getRangeStart(range), &file, NULL, NULL,
				   &r->start);
	clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL,
				   &r->end);
	return clang_File_isEqual(file, main_file) && r->start < r->end &&
	       r->end <= text_len;
}

/* neither part of a macro's expansion nor of its arguments */
static bool is_plain(struct range r)
{
	unsigned int i;

	for (i = 0; i < nr_macros; i++)
		if (r.start < macros[i].end && macros[i].start < r.end &&
		    !(r.start <= macros[i].start && macros[i].end <= r.end))
			return false;
	for (i = 0; i < nr_macros; i++)
		if (macros[i].start == r.start && macros[i].end == r.end)
			return false;
	return true;
}

static void print_escaped(const char *s, size_t len)
{
	for (; len--; s++) {
		if (*s == '\n')
			fputs("\\n", stdout);
		else if (*s == '\t')
			fputs("\\t", stdout);
		else if (*s == '\\')
			fputs("\\\\", stdout);
		else
			putchar(*s);
	}
}

/* the mutated text is @r with @cut replaced by @by */
static void point(const char *operator, const char *form, struct range r,
		  struct range cut, const char *by)
{
	unsigned int line = 1, i;

	if (!*function || !is_plain(r))
		return;
	for (i = 0; i < cut.start; i++)
		line += text[i] == '\n';
	printf("%s\t%u\t%s\t%s\t%u\t%u\t%s\t", path, line, function, operator,
	       r.start, r.end, form);
	print_escaped(text + r.start, r.end - r.start);
	putchar('\t');
	print_escaped(text + r.start, cut.start - r.start);
	print_escaped(by, strlen(by));
	print_escaped(text + cut.end, r.end - cut.end);
	putchar('\n');
}

static void point_around(const char *operator, struct range r,
			 const char *before, const char *after)
{
	size_t len = r.end - r.start;
	char *by = malloc(strlen(before) + len + strlen(after) + 1);

	sprintf(by, "%s%.*s%s", before, (int)len, text + r.start, after);
	point(operator, "expr", r, r, by);
	free(by);
}

static bool text_is(struct range r, const char *s)
{
	return r.end - r.start == strlen(s) &&
	       !memcmp(text + r.start, s, strlen(s));
}

/* ---- cursors ------------------------------------------------------------- */

static enum CXChildVisitResult child_add(CXCursor c, CXCursor parent, void *data)
{
	CXCursor *child = data;
	int i;

	for (i = 0; i < 4 && !clang_Cursor_isNull(child[i]); i++)
		;
	if (i == 4)
		return CXChildVisit_Break;
	child[i] = c;
	return CXChildVisit_Continue;
}

/* the first children, null cursors behind the last */
static void children(CXCursor c, CXCursor child[4])
{
	int i;

	for (i = 0; i < 4; i++)
		child[i] = clang_getNullCursor();
	clang_visitChildren(c, child_add, child);
}

static CXCursor above(int n)
{
	return n < depth ? stack[depth - 1 - n] : clang_getNullCursor();
}

static bool is_statement_of(CXCursor c, CXCursor parent)
{
	CXCursor child[4];
	int i;

	switch (clang_getCursorKind(parent)) {
	case CXCursor_CompoundStmt:
		/* the value of ({ }) is its last statement */
		return clang_getCursorKind(above(1)) != CXCursor_StmtExpr;
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
	case CXCursor_LabelStmt:
		return true;
	case CXCursor_IfStmt:
		children(parent, child);
		return !clang_equalCursors(c, child[0]);
	case CXCursor_WhileStmt:
		children(parent, child);
		return clang_equalCursors(c, child[1]);
	case CXCursor_ForStmt:
		for (i = 3; i > 0; i--) {
			children(parent, child);
			if (!clang_Cursor_isNull(child[i]))
				return clang_equalCursors(c, child[i]);
		}
		return false;
	default:
		return false;
	}
}

static enum CXTypeKind kind_of_type(CXType type)
{
	return clang_getCanonicalType(type).kind;
}

static bool is_pointer(CXCursor c)
{
	enum CXTypeKind kind = kind_of_type(clang_getCursorType(c));

	return kind == CXType_Pointer || kind == CXType_ConstantArray ||
	       kind == CXType_IncompleteArray;
}

static bool is_signed(enum CXTypeKind kind)
{
	return kind == CXType_Int || kind == CXType_Long ||
	       kind == CXType_LongLong;
}

static bool is_unsigned(enum CXTypeKind kind)
{
	return kind == CXType_UInt || kind == CXType_ULong ||
	       kind == CXType_ULongLong || kind == CXType_UShort ||
	       kind == CXType_UChar || kind == CXType_Enum;
}

/* ---- operators ----------------------------------------------------------- */

static const struct swap {
	const char *operator, *from, *to;
} swaps[] = {
	{ "relation", "<", "<=" }, { "relation", "<=", "<" },
	{ "relation", ">", ">=" }, { "relation", ">=", ">" },
	{ "relation", "==", "!=" }, { "relation", "!=", "==" },
	{ "logic", "&&", "||" }, { "logic", "||", "&&" },
	{ "arithmetic", "+", "-" }, { "arithmetic", "-", "+" },
	{ "arithmetic", "*", "+" }, { "arithmetic", "/", "*" },
	{ "arithmetic", "%", "/" },
	{ "arithmetic", "+=", "-=" }, { "arithmetic", "-=", "+=" },
	{ "bits", "&", "|" }, { "bits", "|", "&" }, { "bits", "^", "|" },
	{ "bits", "<<", ">>" }, { "bits", ">>", "<<" },
	{ "bits", "|=", "&=" }, { "bits", "&=", "|=" }, { "bits", "^=", "|=" },
	{ "bits", "<<=", ">>=" }, { "bits", ">>=", "<<=" },
};

/* the operator between two operands: libclang 14 does not say which it is */
static bool find_operator(struct range left, struct range right, struct range *op)
{
	unsigned int i = left.end;

	while (i < right.start) {
		if (!strncmp(text + i, "/*", 2)) {
			i = strstr(text + i, "*/") + 2 - text;
		} else if (isspace(text[i]) || text[i] == ')' || text[i] == '(') {
			i++;
		} else {
			op->start = i;
			while (i < right.start && ispunct(text[i]) &&
			       text[i] != '(')
				i++;
			op->end = i;
			return true;
		}
	}
	return false;
}

static void swap_operator(CXCursor c, bool compound)
{
	struct range r, left, right, op;
	CXCursor child[4];
	unsigned int i;

	children(c, child);
	if (clang_Cursor_isNull(child[1]) || !range_of(c, &r) ||
	    !range_of(child[0], &left) || !range_of(child[1], &right) ||
	    left.end > right.start || !find_operator(left, right, &op) ||
	    !is_plain(left.end < op.start ? (struct range) { left.end, op.end } : op))
		return;
	for (i = 0; i < sizeof(swaps) / sizeof(swaps[0]); i++) {
		const struct swap *s = &swaps[i];
		bool mul = strchr("*/%", *s->from);

		if (!text_is(op, s->from))
			continue;
		if (is_pointer(child[0]) && !strcmp(s->operator, "arithmetic") &&
		    (mul || is_pointer(child[1])))
			return;
		if (is_pointer(child[1]) && !strcmp(s->from, "+"))
			return;
		point(s->operator, compound ? "void" : "expr", r, op, s->to);
	}
}

static const char *const kept_calls[] = {
	"*lock*", "*assert*", "trace_*", "*might_sleep*", "*cond_resched*",
	"*printk*", "*warn*", "*barrier*", "smp_*", "cpu_relax", "*free*",
	"preempt_*", "local_irq_*", "rcu_read_*", "init_*", "INIT_*",
};

static bool is_kept_call(CXCursor c)
{
	CXString name = clang_getCursorSpelling(c);
	bool kept = false;
	size_t i;

	for (i = 0; i < sizeof(kept_calls) / sizeof(kept_calls[0]); i++)
		kept |= !fnmatch(kept_calls[i], clang_getCString(name), 0);
	clang_disposeString(name);
	return kept;
}

static void drop(const char *operator, const char *form, CXCursor c,
		 const char *by)
{
	struct range r;

	if (range_of(c, &r))
		point(operator, form, r, r, by);
}

/* with its semicolon; not that of a macro */
static void drop_jump(CXCursor c)
{
	struct range r;

	if (!range_of(c, &r) || text[r.end] != ';' ||
	    (!text_is(r, "break") && !text_is(r, "continue")))
		return;
	r.end++;
	point("jump", "drop", r, r, ";");
}

static bool is_comparison(CXCursor c)
{
	struct range left, right, op;
	CXCursor child[4];

	if (clang_getCursorKind(c) != CXCursor_BinaryOperator)
		return false;
	children(c, child);
	return range_of(child[0], &left) && range_of(child[1], &right) &&
	       left.end <= right.start && find_operator(left, right, &op) &&
	       strchr("<>=!&|", text[op.start]) &&
	       (op.end - op.start == 2 || strchr("<>", text[op.start]));
}

/* comparisons, logic and ! have an operator of their own */
static void negate(CXCursor cond)
{
	struct range r;
	unsigned int i;

	if (clang_getCursorKind(cond) == CXCursor_UnaryOperator ||
	    is_comparison(cond) || !range_of(cond, &r))
		return;
	for (i = 0; i < nr_macros; i++)
		if (macros[i].start <= r.start && r.end <= macros[i].end)
			return;
	point_around("negate", r, "!(", ")");
}

static void replace_result(CXCursor c)
{
	CXCursor child[4];
	struct range r;

	children(c, child);
	if (clang_Cursor_isNull(child[0]) || !range_of(child[0], &r))
		return;
	if (result == CXType_Bool)
		point_around("result", r, "!(", ")");
	else if (text_is(r, "0"))
		point("result", "expr", r, r, is_signed(result) ? "-22" : "1");
	else if (text[r.start] == '-' && text[r.start + 1] == 'E')
		point("result", "expr", r, r, "0");
	else if (is_signed(result))
		point_around("result", r, "((", ") ? 0 : -22)");
	else if (is_unsigned(result))
		point_around("result", r, "!(", ")");
	else if (result == CXType_Pointer && !text_is(r, "NULL"))
		point("result", "expr", r, r, "(void *)0");
}

/* what has to be a constant, or is of no effect on a result */
static bool is_constant_context(CXCursor c)
{
	CXCursor parent = above(0), child[4];
	struct range r;

	switch (clang_getCursorKind(parent)) {
	case CXCursor_CaseStmt:
		children(parent, child);
		return clang_equalCursors(c, child[0]);
	case CXCursor_VarDecl:
		/* the size of an array */
		return clang_getCursorType(parent).kind == CXType_ConstantArray &&
		       clang_getCursorKind(c) != CXCursor_InitListExpr;
	case CXCursor_InitListExpr:
		return range_of(c, &r) && r.start && text[r.start - 1] == '[';
	default:
		return false;
	}
}

/* another limit is what another relation makes of it, another result likewise */
static void boundary(CXCursor c)
{
	CXCursor parent = above(0);
	struct range r;
	char by[64];
	int len;

	if (!range_of(c, &r) || is_comparison(parent) ||
	    clang_getCursorKind(parent) == CXCursor_ReturnStmt)
		return;
	len = r.end - r.start;
	if (len > 40)
		return;
	sprintf(by, "(%.*s + 1)", len, text + r.start);
	point("constant", "expr", r, r, by);
	if (!text_is(r, "0")) {
		sprintf(by, "(%.*s - 1)", len, text + r.start);
		point("constant", "expr", r, r, by);
	}
}

static void unary(CXCursor c, bool statement)
{
	struct range r, op;

	if (!range_of(c, &r))
		return;
	op = (struct range) { r.start, r.start + 1 };
	if (statement) {
		if (!memcmp(text + r.end - 2, "++", 2))
			point("unary", "void", r,
			      (struct range) { r.end - 2, r.end }, "--");
		else if (!memcmp(text + r.end - 2, "--", 2))
			point("unary", "void", r,
			      (struct range) { r.end - 2, r.end }, "++");
		return;
	}
	if (text[r.start] == '!' || text[r.start] == '~')
		point("unary", "expr", r, op, text[r.start] == '!' ? "!!" : "");
}

static void mutate(CXCursor c)
{
	bool statement = is_statement_of(c, above(0));
	CXCursor child[4];

	switch (clang_getCursorKind(c)) {
	case CXCursor_BinaryOperator:
		if (statement)
			drop("assign", "void", c, "(void)0");
		else
			swap_operator(c, false);
		break;
	case CXCursor_CompoundAssignOperator:
		if (statement) {
			drop("assign", "void", c, "(void)0");
			swap_operator(c, true);
		}
		break;
	case CXCursor_UnaryOperator:
		unary(c, statement);
		break;
	case CXCursor_CallExpr:
		if (statement && !is_kept_call(c))
			drop("call", "void", c, "(void)0");
		break;
	case CXCursor_IntegerLiteral:
		boundary(c);
		break;
	case CXCursor_IfStmt:
	case CXCursor_WhileStmt:
	case CXCursor_ConditionalOperator:
		children(c, child);
		negate(child[0]);
		break;
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt:
		drop_jump(c);
		break;
	case CXCursor_ReturnStmt:
		replace_result(c);
		break;
	default:
		break;
	}
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, void *data)
{
	switch (clang_getCursorKind(c)) {
	case CXCursor_EnumDecl:
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
	case CXCursor_StaticAssert:
	case CXCursor_AsmStmt:
	case CXCursor_UnaryExpr:	/* sizeof */
		return CXChildVisit_Continue;
	case CXCursor_VarDecl:
		if (clang_Cursor_getStorageClass(c) == CX_SC_Static)
			return CXChildVisit_Continue;
		break;
	default:
		break;
	}
	if (is_constant_context(c))
		return CXChildVisit_Continue;
	mutate(c);
	if (depth == MAX_DEPTH)
		die("nested too deep");
	stack[depth++] = c;
	clang_visitChildren(c, visit, NULL);
	depth--;
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_file(CXCursor c, CXCursor parent, void *data)
{
	CXString name;

	if (!clang_Location_isFromMainFile(clang_getCursorLocation(c)))
		return CXChildVisit_Continue;
	if (clang_getCursorKind(c) == CXCursor_MacroExpansion) {
		if (nr_macros == MAX_MACROS)
			die("too many macros");
		nr_macros += range_of(c, &macros[nr_macros]);
	}
	if (clang_getCursorKind(c) != CXCursor_FunctionDecl ||
	    !clang_isCursorDefinition(c))
		return CXChildVisit_Continue;
	name = clang_getCursorSpelling(c);
	snprintf(function, sizeof(function), "%s", clang_getCString(name));
	clang_disposeString(name);
	result = kind_of_type(clang_getCursorResultType(c));
	stack[depth++] = c;
	clang_visitChildren(c, visit, NULL);
	depth--;
	return CXChildVisit_Continue;
}

static void read_text(void)
{
	FILE *f = fopen(path, "r");

	if (!f)
		die("cannot be read");
	text = calloc(1, 1 << 20);
	text_len = fread(text, 1, (1 << 20) - 1, f);
	fclose(f);
}

static void check_diagnostics(CXTranslationUnit tu)
{
	unsigned int i;

	for (i = 0; i < clang_getNumDiagnostics(tu); i++) {
		CXDiagnostic d = clang_getDiagnostic(tu, i);

		if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
			die(clang_getCString(clang_formatDiagnostic(d,
				clang_defaultDiagnosticDisplayOptions())));
		clang_disposeDiagnostic(d);
	}
}

int main(int argc, char **argv)
{
	CXTranslationUnit tu;
	CXIndex index = clang_createIndex(0, 0);

	if (argc < 2) {
		fputs("usage: points FILE CLANG-FLAGS...\n", stderr);
		return 2;
	}
	path = argv[1];
	read_text();
	if (clang_parseTranslationUnit2(index, path,
					(const char *const *)argv + 2, argc - 2,
					NULL, 0,
					CXTranslationUnit_DetailedPreprocessingRecord,
					&tu))
		die("cannot be parsed");
	check_diagnostics(tu);
	main_file = clang_getFile(tu, path);
	clang_visitChildren(clang_getTranslationUnitCursor(tu), visit_file, NULL);
	clang_disposeTranslationUnit(tu);
	clang_disposeIndex(index);
	return 0;
}
