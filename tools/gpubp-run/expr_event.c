// SPDX-License-Identifier: GPL-2.0
/*
 * Events in the words of perf's event parser, of the PMU's format/ and events/
 * directories, and of perf_event_open(2).
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "expr.h"
#include "internal.h"

static const char *const watch_aliases[] = {
	[GPUBP_ACCESS_LOAD] = "watch_r",
	[GPUBP_ACCESS_STORE] = "watch_w",
	[GPUBP_ACCESS_ATOMIC] = "watch_atomic",
	[GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC] = "watch",
	[GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC] = "watch_rw",
};

static const struct {
	uint64_t flag;
	const char *term;
} flag_terms[] = {
	{ GPUBP_CONFIG_PROCESS, "process=1," },
	{ GPUBP_CONFIG_POSSIBLE, "possible=1," },
	{ GPUBP_CONFIG_CHANGED, "changed=1," },
	{ GPUBP_CONFIG_METER, "meter=1," },
	{ GPUBP_CONFIG_LOST, "lost=1," },
};

/*
 * Terms of perf's events. Without quotes these are no names, and neither is r
 * with a hexadecimal number, a raw event.
 */
static const char *const perf_terms[] = {
	"config", "config1", "config2", "config3", "config4", "name", "period",
	"freq", "branch_type", "time", "call-graph", "stack-size", "max-stack",
	"nr", "inherit", "no-inherit", "overwrite", "no-overwrite", "percore",
	"driver-config", "aux-output", "aux-sample-size", "aux-action",
	"metric-id", "ratio-to-prev", "cpu",
};

static bool label_is_term(const char *label)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(perf_terms); i++)
		if (!strcmp(label, perf_terms[i]))
			return true;
	return label[0] == 'r' && !label[1 + strspn(label + 1, "0123456789abcdefABCDEFx")];
}

static bool label_takes(char c)
{
	return isalnum((unsigned char)c) || strchr("_.[]-", c);
}

/* ":w" that is no part of another word */
static bool label_is_store(const char *text)
{
	return text[0] == ':' && text[1] == 'w' && strchr(":.", text[2]);
}

void gexpr_label(struct gexpr *e, const char *text)
{
	size_t at = 0;

	/* perf would take it for a number */
	if (isdigit((unsigned char)text[strspn(text, " \t")]))
		at = (size_t)snprintf(e->label, sizeof(e->label), "at.");
	for (; *text && at < sizeof(e->label) - 1; text++) {
		if (label_is_store(text))
			text++;
		else if (!strchr(" \t\"", *text))
			e->label[at++] = label_takes(*text) ? *text : '.';
	}
	e->label[at] = 0;
}

/* append to the string in @out */
static void __attribute__((format(printf, 3, 4)))
event_add(char *out, size_t len, const char *fmt, ...)
{
	size_t at = strlen(out);
	va_list args;

	va_start(args, fmt);
	vsnprintf(out + at, len - at, fmt, args);
	va_end(args);
}

/* "exc_fp", if the PMU has an alias for exactly these classes */
static void event_begin_exception(const struct gexpr *e, char *out, size_t len)
{
	const char *name;
	unsigned int i;
	uint32_t bits;

	for (i = 0; (name = gexpr_exception_name(i, &bits)); i++)
		if (bits == e->code) {
			event_add(out, len, "exc_%s,", name);
			return;
		}
	event_add(out, len, "kind=%d,code=0x%x,period=1,", GPUBP_KIND_EXCEPTION,
		  e->code);
}

static void event_begin_watch(const struct gexpr *e, char *out, size_t len)
{
	const char *alias = e->access < ARRAY_SIZE(watch_aliases) ?
			    watch_aliases[e->access] : NULL;

	if (alias && !(e->flags & GPUBP_CONFIG_LOST))
		event_add(out, len, "%s,", alias);
	else
		event_add(out, len, "kind=%d,access=%u,%s", GPUBP_KIND_WATCH,
			  e->access,
			  e->flags & GPUBP_CONFIG_LOST ? "" : "period=1,");
}

static void event_add_flags(const struct gexpr *e, char *out, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flag_terms); i++)
		if (e->flags & flag_terms[i].flag)
			event_add(out, len, "%s", flag_terms[i].term);
}

static void event_add_place(const struct gexpr *e, char *out, size_t len)
{
	if (e->name[0])
		event_add(out, len, "named=1,code=0x%x,", e->code);
	event_add(out, len, "addr=0x%llx,", (unsigned long long)e->addr);
	if (e->kind == GPUBP_KIND_WATCH)
		event_add(out, len, "len=%llu,", (unsigned long long)e->len);
	if (e->conditional)
		event_add(out, len, "cond=%u,", e->condition.id);
}

void gexpr_event(const struct gexpr *e, char *out, size_t len)
{
	bool quoted = label_is_term(e->label);

	snprintf(out, len, "gpubp/");
	if (e->kind == GPUBP_KIND_WATCH)
		event_begin_watch(e, out, len);
	else if (e->kind == GPUBP_KIND_BREAK)
		event_add(out, len, "gpu_break,");
	else
		event_begin_exception(e, out, len);
	event_add_flags(e, out, len);
	if (e->kind != GPUBP_KIND_EXCEPTION)
		event_add_place(e, out, len);
	event_add(out, len, quoted ? "name='%s'/%s" : "name=%s/%s", e->label,
		  e->exact ? "pp" : "");
}

void gexpr_attr(const struct gexpr *e, struct perf_event_attr *attr)
{
	attr->config = e->kind | e->flags |
		       (uint64_t)e->access << GPUBP_CONFIG_ACCESS_SHIFT |
		       (uint64_t)e->code << GPUBP_CONFIG_CODE_SHIFT |
		       (e->name[0] ? GPUBP_CONFIG_NAMED : 0);
	attr->config1 = e->addr;
	attr->config2 = e->len | (uint64_t)e->condition.id <<
				 GPUBP_CONFIG2_COND_SHIFT;
	attr->precise_ip = e->exact ? 2 : 0;
	attr->sample_period = !(e->flags & GPUBP_CONFIG_LOST);
}
