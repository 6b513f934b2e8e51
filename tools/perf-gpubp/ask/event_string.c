// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event_string.h"
#include "sysfile.h"

#define PREFIX		"gpubp/"
#define NAME_MAX_LEN	64

struct reader {
	struct perf_event_attr *attr;
	const char *root;
	struct grun_err *err;
	char needed[256];	/* "addr,len,": what an alias wants values of */
};

/* one term: @value is NULL if it has none */
struct term {
	char name[NAME_MAX_LEN];
	char *value;
};

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return end != text && !*end && !errno && text[0] != '-';
}

/* "config1:0-63": the member, and its bits */
static int format_parse(struct reader *r, const char *format, __u64 **field,
			unsigned int *low, unsigned int *high)
{
	struct perf_event_attr *attr = r->attr;
	__u64 *fields[] = { &attr->config, &attr->config1, &attr->config2 };
	unsigned int n = 0;

	if (sscanf(format, "config:%u-%u", low, high) < 1 &&
	    sscanf(format, "config%u:%u-%u", &n, low, high) < 2)
		return -EINVAL;
	if (!strchr(format, '-'))
		*high = *low;
	if (n >= 3 || *low > *high || *high > 63)
		return -EINVAL;
	*field = fields[n];
	return 0;
}

static int term_store(struct reader *r, const struct term *term,
		      const char *format)
{
	unsigned int low, high;
	__u64 *field;
	uint64_t value = 1;

	if (format_parse(r, format, &field, &low, &high))
		return grun_fail(r->err, -EINVAL, "sysfs describes %s as \"%s\"",
				 term->name, format);
	if (term->value && !parse_number(term->value, &value))
		return grun_fail(r->err, -EINVAL, "%s is no number: %s",
				 term->name, term->value);
	if (high - low < 63 && value >> (high - low + 1))
		return grun_fail(r->err, -EINVAL, "%s has %u bits: %s is too large",
				 term->name, high - low + 1, term->value);
	*field |= value << low;
	return 0;
}

/* terms of every PMU; 1 if it is none of them */
static int term_common(struct reader *r, const struct term *term)
{
	struct {
		const char *name;
		uint64_t value;
	} members[] = {
		{ "config", r->attr->config }, { "config1", r->attr->config1 },
		{ "config2", r->attr->config2 },
		{ "period", r->attr->sample_period },
		{ "freq", r->attr->sample_freq },
	};
	size_t i, n = sizeof(members) / sizeof(members[0]);

	if (!strcmp(term->name, "name"))
		return 0;
	for (i = 0; i < n && strcmp(members[i].name, term->name); i++)
		;
	if (i == n)
		return 1;
	if (!term->value || !parse_number(term->value, &members[i].value))
		return grun_fail(r->err, -EINVAL, "%s needs a number", term->name);
	r->attr->config = members[0].value;
	r->attr->config1 = members[1].value;
	r->attr->config2 = members[2].value;
	r->attr->sample_period = members[!strcmp(term->name, "freq") ? 4 : 3].value;
	r->attr->freq = !strcmp(term->name, "freq");
	return 0;
}

static int terms_parse(struct reader *r, char *text, bool alias);

static int term_alias(struct reader *r, const struct term *term)
{
	char path[128], text[SYS_FILE_MAX];

	snprintf(path, sizeof(path), SYS_PMU "/events/%s", term->name);
	if (term->value || sys_read(r->root, path, text) <= 0)
		return grun_fail(r->err, -EINVAL,
				 "%s is neither a term nor an event that a device serves: see perf-gpubp list",
				 term->name);
	return terms_parse(r, text, true);
}

static void term_need(struct reader *r, const char *name)
{
	size_t used = strlen(r->needed);

	snprintf(r->needed + used, sizeof(r->needed) - used, "%s,", name);
}

static int term_parse(struct reader *r, const struct term *term, bool alias)
{
	char path[128], format[SYS_FILE_MAX];
	int ret;

	if (!term->name[0] || strchr(term->name, '/'))
		return grun_fail(r->err, -EINVAL, "an empty term");
	if (alias && term->value && !strcmp(term->value, "?")) {
		term_need(r, term->name);
		return 0;
	}
	ret = term_common(r, term);
	if (ret <= 0)
		return ret;
	snprintf(path, sizeof(path), SYS_PMU "/format/%s", term->name);
	if (sys_read(r->root, path, format) > 0)
		return term_store(r, term, format);
	return alias ? grun_fail(r->err, -EINVAL, "sysfs has no term %s", term->name) :
		       term_alias(r, term);
}

/* "a=1,b,c=2"; is changed */
static int terms_parse(struct reader *r, char *text, bool alias)
{
	struct term term;
	char *word;
	int ret = 0;

	while (!ret && (word = strsep(&text, ","))) {
		term.value = strchr(word, '=');
		if (term.value)
			*term.value++ = 0;
		snprintf(term.name, sizeof(term.name), "%s", word);
		ret = term_parse(r, &term, alias);
	}
	return ret;
}

/* did the user give the value that an alias demands? */
static bool terms_name(const char *terms, const char *name)
{
	size_t len = strlen(name);

	for (; terms; terms = strchr(terms, ',') ? strchr(terms, ',') + 1 : NULL)
		if (!strncmp(terms, name, len) && terms[len] == '=')
			return true;
	return false;
}

static int needs_check(struct reader *r, const char *terms)
{
	char *rest = r->needed, *name;

	while ((name = strsep(&rest, ",")) && name[0])
		if (!terms_name(terms, name))
			return grun_fail(r->err, -EINVAL, "%s= is missing", name);
	return 0;
}

static int modifiers_parse(struct perf_event_attr *attr, const char *text,
			   struct grun_err *err)
{
	for (; *text; text++) {
		if (*text == 'D')
			attr->pinned = 1;
		else if (*text == 'e')
			attr->exclusive = 1;
		else if (*text == 'p' && attr->precise_ip < 3)
			attr->precise_ip++;
		else if (!strchr("ukhHGISP", *text))
			return grun_fail(err, -EINVAL, "no modifier of perf: %c",
					 *text);
	}
	return 0;
}

static int body_parse(struct reader *r, const char *terms)
{
	char copy[SYS_FILE_MAX];
	int ret;

	snprintf(copy, sizeof(copy), "%s", terms);
	ret = terms[0] ? terms_parse(r, copy, false) : 0;
	return ret ?: needs_check(r, terms);
}

int event_string_parse(struct perf_event_attr *attr, const char *root,
		       const char *text, struct grun_err *err)
{
	long type = sys_number(root, SYS_PMU "/type", -1);
	struct reader r = { .attr = attr, .root = root, .err = err };
	char terms[SYS_FILE_MAX];
	const char *end;
	int ret;

	if (type < 0)
		return grun_fail(err, -ENODEV,
				 "gpubp is not loaded: see perf-gpubp doctor");
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = (__u32)type;
	end = strrchr(text, '/');
	if (strncmp(text, PREFIX, strlen(PREFIX)) ||
	    end < text + strlen(PREFIX) || strlen(text) >= sizeof(terms))
		return grun_fail(err, -EINVAL, "%.80s is not gpubp/.../", text);
	snprintf(terms, sizeof(terms), "%.*s",
		 (int)(end - text - (int)strlen(PREFIX)), text + strlen(PREFIX));
	ret = body_parse(&r, terms);
	return ret ?: modifiers_parse(attr, end + 1, err);
}
