/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts: their statements, and what of them can be checked without a device.
 * Pure.
 *
 *	script   = { [ statement ] ( newline | ";" ) }
 *	statement = buf | run | wait | fill | print | sum | check | sleep | cpuwrite
 *	           | name | unname
 *	buf      = "buf" decl { "," decl }      one allocation, one behind another
 *	decl     = NAME TYPE SIZE { "at" INT | "userptr" | pattern }
 *	pattern  = "zero" | "iota" | "random" [ INT ] | "file" STRING | "value" NUMBER
 *	run      = "run" NAME { "grid" "=" SIZE | "wg" "=" SIZE | "times" "=" INT }
 *	           { NUMBER | NAME [ "[" INT "]" ] }
 *	wait     = "wait" [ NUMBER ]            seconds
 *	fill     = "fill" range pattern
 *	print    = "print" range
 *	sum      = "sum" range
 *	check    = "check" range NUMBER { NUMBER }
 *	sleep    = "sleep" NUMBER               seconds
 *	cpuwrite = "cpuwrite" NAME "[" INT "]" NUMBER
 *	name     = "name" NAME NAME             the buffer has this name, too
 *	unname   = "unname" NAME [ NAME ]       the buffer has no name, or not this one
 *	range    = NAME [ "[" INT [ ".." INT ] "]" ]
 *	SIZE     = INT [ "x" INT [ "x" INT ] ]
 */
#ifndef GRUN_SCRIPT_H
#define GRUN_SCRIPT_H

#include "lex.h"
#include "types.h"

#define SCRIPT_MAX_BUFFER	(1ULL << 30)	/* bytes */

enum pattern_type {
	PATTERN_NONE,
	PATTERN_ZERO,
	PATTERN_IOTA,
	PATTERN_RANDOM,
	PATTERN_FILE,
	PATTERN_VALUE,
};

/**
 * struct pattern - what a buffer is filled with
 * @type: enum pattern_type
 * @pos: where it says so
 * @value: seed or value
 * @file: path
 */
struct pattern {
	enum pattern_type type;
	struct lex_pos pos;
	struct number value;
	char file[256];
};

/**
 * struct decl - one buffer
 * @pos: where it is declared
 * @name: name
 * @type: of its elements
 * @count: elements
 * @offset: behind the first buffer of its statement, bytes
 * @va: wanted GPU address of the allocation, 0 any
 * @userptr: memory of the process
 * @pattern: first contents
 */
struct decl {
	struct lex_pos pos;
	char name[LEX_NAME_MAX];
	const struct elem_type *type;
	uint64_t count;
	uint64_t offset;
	uint64_t va;
	bool userptr;
	struct pattern pattern;
};

/**
 * struct range - elements of a buffer
 * @pos: its place in the script
 * @name: of the buffer
 * @indexed: @first and @last are given
 * @first: first element
 * @last: last element
 * @decl: the buffer; number in script->decls
 */
struct range {
	struct lex_pos pos;
	char name[LEX_NAME_MAX];
	bool indexed;
	uint64_t first;
	uint64_t last;
	size_t decl;
};

/**
 * struct word - an argument of run or a value of check
 * @pos: its place in the script
 * @is_range: a buffer, else a number
 * @range: the buffer
 * @number: the number
 */
struct word {
	struct lex_pos pos;
	bool is_range;
	struct range range;
	struct number number;
};

enum verb {
	VERB_BUF,
	VERB_RUN,
	VERB_WAIT,
	VERB_FILL,
	VERB_PRINT,
	VERB_SUM,
	VERB_CHECK,
	VERB_SLEEP,
	VERB_CPUWRITE,
	VERB_NAME,
	VERB_UNNAME,
};

/**
 * struct stmt - one statement
 * @verb: enum verb
 * @pos: where it begins
 * @first: its first entry in script->decls (buf) or script->words (run, check)
 * @nr: how many
 * @name: kernel (run), name of a buffer (name, unname)
 * @name_pos: its place in the script
 * @launch: sizes (run)
 * @times: dispatches (run)
 * @range: what it is about (fill, print, sum, check, cpuwrite, name, unname)
 * @pattern: (fill)
 * @number: seconds (wait: negative is for ever; sleep) or value (cpuwrite)
 */
struct stmt {
	enum verb verb;
	struct lex_pos pos;
	size_t first;
	size_t nr;
	char name[LEX_NAME_MAX];
	struct lex_pos name_pos;
	struct grun_launch launch;
	uint64_t times;
	struct range range;
	struct pattern pattern;
	struct number number;
};

struct script {
	struct stmt *stmts;
	size_t nr_stmts;
	struct decl *decls;
	size_t nr_decls;
	struct word *words;
	size_t nr_words;
};

/**
 * script_parse() - read a script
 * @script: out
 * @text: text, need not be terminated
 * @len: bytes
 * @err: says line, column and what was expected
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int script_parse(struct script *script, const char *text, size_t len,
		 struct grun_err *err);

/** script_free() - undo script_parse() */
void script_free(struct script *script);

/**
 * script_check() - check all that can be checked without a device: buffers
 *	exist where they are used, indices are inside, kernels exist, arguments
 *	fit them
 * @script: script; ranges are resolved
 * @code: code object, NULL to check no run statement
 * @err: error
 *
 * Return: 0 or -EINVAL.
 */
int script_check(struct script *script, const struct grun_code *code,
		 struct grun_err *err);

/**
 * script_value() - number of a script as an argument of a kernel
 * @arg: the argument
 * @n: the number
 * @value: out
 *
 * Return: false if the argument cannot hold it.
 */
bool script_value(const struct grun_arg *arg, const struct number *n,
		  union grun_value *value);

#endif /* GRUN_SCRIPT_H */
