/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events in words: what people type after -w, -b and -x, the same in every
 * tool, and the event that it means.
 *
 *	watch     = place [ ":" MODE ] { ":" OPTION } [ "if" condition ]
 *	place     = BUFFER [ ":" TYPE ] [ "[" INT [ ".." INT ] "]" | "[*]" ]
 *	          | BUFFER "+" INT "," INT           offset and length in bytes
 *	          | INT "/" INT                      address and length in bytes
 *	BUFFER    = NAME | '"' any name '"'
 *	MODE      = letters: r loads, w stores, a atomics; rw all three. Without
 *	            one: stores and atomics
 *	OPTION    = "changed" | "meter" | "possible" | "lost" | "process" | "exact"
 *	condition = term { "and" term }
 *	term      = "isnan" | "value" OPERATOR NUMBER
 *	          | "value" [ "not" ] "in" NUMBER ".." NUMBER
 *	          | "group" INT [ "," INT [ "," INT ] ] | "item" INT
 *	OPERATOR  = "==" | "!=" | "<" | "<=" | ">" | ">="
 *	break     = KERNEL [ "+" INT ] | CODE-OBJECT "+" INT | FILE ":" LINE | INT
 *	exception = CLASS { "," CLASS }
 *
 * A condition is on what the access stored, loaded or, of an atomic, on its
 * operand, as the type of the elements has it; item is the flat number of the
 * work-item in its workgroup.
 *
 * That is what the PMU's aliases mean, too: w is watch_w, rw is watch_rw, a is
 * watch_atomic, none is watch. Elements have the type of the buffer if it is
 * known, else TYPE, else 4 bytes.
 *
 * Functions return 0 or a negative errno, and then have put one sentence into
 * @err. Without a device.
 */
#ifndef GPUBP_EXPR_H
#define GPUBP_EXPR_H

#include <linux/perf_event.h>
#include "gpubp_run.h"

#define GEXPR_LABEL_MAX	64

/* bytes of the longest gexpr_event() */
#define GEXPR_EVENT_MAX	256

/**
 * struct gexpr - an event
 * @kind: enum gpubp_kind: a watch, a break or an exception
 * @name: of the buffer or code object that @addr is relative to, "" none
 * @addr: first byte, or instruction
 * @len: bytes of a watch
 * @access: GPUBP_ACCESS_* of a watch
 * @flags: GPUBP_CONFIG_CHANGED, _METER, _POSSIBLE, _LOST and _PROCESS
 * @exact: exact hits only (precise_ip 2)
 * @conditional: hits that meet @condition only
 * @condition: for GPUBP_CONDITION_CREATE; see gexpr_event()
 * @code: hash of @name, or GPUBP_EXC_*
 * @label: the expression, in characters that perf takes for the name of an
 *	event
 */
struct gexpr {
	unsigned int kind;
	char name[GPUBP_NAME_MAX];
	uint64_t addr;
	uint64_t len;
	unsigned int access;
	uint64_t flags;
	bool exact;
	bool conditional;
	struct gpubp_condition condition;
	uint32_t code;
	char label[GEXPR_LABEL_MAX];
};

/**
 * struct gexpr_buffer - a buffer of which more than the name is known
 * @name: name
 * @va: GPU address, 0 unknown
 * @size: bytes
 * @type: of its elements as in scripts, NULL unknown
 */
struct gexpr_buffer {
	const char *name;
	uint64_t va;
	uint64_t size;
	const char *type;
};

/**
 * struct gexpr_buffers - all buffers that there are: of a script, or of the
 *	perf map of a process
 * @list: buffers; those of one name have one type
 * @nr: entries of @list
 */
struct gexpr_buffers {
	const struct gexpr_buffer *list;
	size_t nr;
};

/**
 * gexpr_watch() - read a watch
 * @e: out
 * @text: expression
 * @known: all buffers that there are, NULL unknown
 * @err: error
 *
 * The kernel binds a named watch only where all of its bytes are inside of the
 * buffer. A watch of a whole buffer has @len 0 without @known: the kernel takes
 * the size of each buffer of that name. With @known, a name that does not exist,
 * a range behind the end, a type that is not the buffer's, and a name whose hash
 * is that of another one are refused.
 *
 * Return: 0 or -EINVAL.
 */
int gexpr_watch(struct gexpr *e, const char *text,
		const struct gexpr_buffers *known, struct grun_err *err);

/**
 * gexpr_place() - make a watch by name one by address
 * @e: watch
 * @known: buffers with addresses; of several with this name, the first that
 *	contains the bytes
 * @err: error
 *
 * Return: 0 or -EINVAL.
 */
int gexpr_place(struct gexpr *e, const struct gexpr_buffers *known,
		struct grun_err *err);

/**
 * gexpr_watches() - read a file of watches, one a line
 * @list: out: for the members of a watch set; the caller frees it
 * @nr: out
 * @path: file; empty lines are skipped, "#" begins a comment
 * @known: all buffers that there are, with addresses; NULL: addresses only
 * @err: error, with path and line
 *
 * Members have an address and a kind of access, and nothing else: all are
 * placed, and options are refused.
 *
 * Return: 0, -EINVAL, -ENOMEM or the errno of the file.
 */
int gexpr_watches(struct gexpr **list, size_t *nr, const char *path,
		  const struct gexpr_buffers *known, struct grun_err *err);

/**
 * struct gexpr_code - a code object in which breaks are looked up
 * @code: code object, see grun_code_open()
 * @name: that it is published as; see gexpr_code_name()
 */
struct gexpr_code {
	const struct grun_code *code;
	const char *name;
};

/** gexpr_code_name() - the name that gpubp-run publishes the file @path as */
const char *gexpr_code_name(const char *path);

/**
 * gexpr_breaks() - read breaks
 * @list: out: one at least; the caller frees it
 * @nr: out
 * @text: expression
 * @codes: code objects
 * @nr_codes: entries of @codes, 0 is enough for an address
 * @err: error
 *
 * FILE:LINE are all instructions with which code of that line begins, in all
 * code objects; it needs their line tables (clang -g). FILE may leave out
 * leading directories. A kernel's name is looked up in all code objects, too.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int gexpr_breaks(struct gexpr **list, size_t *nr, const char *text,
		 const struct gexpr_code *codes, size_t nr_codes,
		 struct grun_err *err);

/**
 * gexpr_exception() - read classes of exceptions: "mem_viol", "fp,int_div0"
 * @e: out
 * @text: expression
 * @err: error
 *
 * Return: 0 or -EINVAL.
 */
int gexpr_exception(struct gexpr *e, const char *text, struct grun_err *err);

/** gexpr_exception_name() - class number @n and its bits, or NULL at the end */
const char *gexpr_exception_name(unsigned int n, uint32_t *bits);

/**
 * gexpr_event() - the event for stock perf's -e
 * @e: event
 * @out: "gpubp/watch_w,named=1,code=0x...,addr=0x0,len=4,name=tail/"
 * @len: size of @out, GEXPR_EVENT_MAX is enough
 *
 * An event with a condition has the id of @e->condition, which the caller got
 * from GPUBP_CONDITION_CREATE: it needs a session that stays open until the event
 * is. So does gexpr_attr().
 *
 * perf ORs the terms of an alias with others, so an alias is used only if it
 * is the whole access, and not with lost, which cannot have a period.
 */
void gexpr_event(const struct gexpr *e, char *out, size_t len);

/**
 * gexpr_attr() - the event for perf_event_open(2)
 * @e: event
 * @attr: out: config, config1, config2, and sample_period 1 as of the aliases
 *	(0 for lost); the type of the PMU and all else is the caller's
 */
void gexpr_attr(const struct gexpr *e, struct perf_event_attr *attr);

#endif /* GPUBP_EXPR_H */
