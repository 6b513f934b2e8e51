// SPDX-License-Identifier: GPL-2.0
/*
 * Findings: what is one of them, and which are not wanted.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "guard.h"

static bool same_finding(const struct guard_finding *a,
			 const struct guard_finding *b)
{
	return a->violation == b->violation && !strcmp(a->where, b->where) &&
	       !strcmp(a->buffer, b->buffer);
}

/* what changed bytes is more useful than what did not, and a known address than none */
static bool is_better(const struct guard_finding *new, const struct guard_finding *old)
{
	if (new->exact != old->exact)
		return new->exact;
	return new->change == GUARD_CHANGED && old->change != GUARD_CHANGED;
}

static void finding_repeat(struct guard_finding *old, const struct guard_finding *new)
{
	const uint64_t nr = old->nr;
	const unsigned int run = old->run;

	if (is_better(new, old))
		*old = *new;
	old->nr = nr + 1;
	old->run = run;
}

/* without a colon, all of a kernel */
static bool suppress_matches(const char *pattern, const struct guard_finding *f)
{
	char text[sizeof(f->kernel) + sizeof(f->buffer) + 1];

	snprintf(text, sizeof(text), strchr(pattern, ':') ? "%s:%s" : "%s", f->kernel,
		 f->buffer);
	return !fnmatch(pattern, text, 0);
}

static bool is_suppressed(const struct guard_findings *findings,
			  const struct guard_finding *f)
{
	char **pattern;

	for (pattern = findings->suppress; pattern && *pattern; pattern++)
		if (suppress_matches(*pattern, f))
			return true;
	return false;
}

int guard_findings_add(struct guard_findings *findings,
		       const struct guard_finding *new)
{
	struct guard_finding *list;
	size_t i;

	if (is_suppressed(findings, new)) {
		findings->nr_suppressed++;
		return 0;
	}
	for (i = 0; i < findings->nr; i++)
		if (same_finding(&findings->list[i], new)) {
			finding_repeat(&findings->list[i], new);
			return 0;
		}
	list = realloc(findings->list, (findings->nr + 1) * sizeof(*list));
	if (!list)
		return -1;
	findings->list = list;
	list[findings->nr] = *new;
	list[findings->nr].nr = 1;
	list[findings->nr++].run = findings->run;
	return 0;
}
