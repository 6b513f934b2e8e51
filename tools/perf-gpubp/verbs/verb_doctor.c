// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp doctor: what this machine lacks, and what to type.
 */
#include <stdio.h>
#include <subcmd/parse-options.h>
#include "doctor.h"
#include "verb.h"

static const char * const verdicts[] = {
	[DOCTOR_FINE] = "ok", [DOCTOR_LESS] = "note", [DOCTOR_BAD] = "BAD",
};

static void finding_print(const struct doctor_finding *f)
{
	printf("%-4s  %-9s  %s\n", verdicts[f->verdict], f->what, f->text);
	if (f->todo[0])
		printf("                 %s\n", f->todo);
}

int verb_doctor(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp doctor [<options>]", NULL
	};
	const char *root = "";
	const struct option options[] = {
		OPT_STRING(0, "root", &root, "DIR",
			   "look at the files of another machine below DIR"),
		OPT_END()
	};
	struct doctor_finding finding;
	int bad = 0;
	unsigned int i;

	if (parse_options(argc, argv, options, usage, 0))
		return misuse("doctor takes options only");
	for (i = 0; !doctor_check(root, i, &finding); i++) {
		finding_print(&finding);
		bad += finding.verdict == DOCTOR_BAD;
	}
	return bad ? EXIT_FOUND : EXIT_OK;
}
