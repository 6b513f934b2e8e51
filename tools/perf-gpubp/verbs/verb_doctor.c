// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp doctor: what this machine lacks, and what to type.
 */
#include <stdbool.h>
#include <stdio.h>
#include <subcmd/parse-options.h>
#include "amd.h"
#include "doctor.h"
#include "trial.h"
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

/* Return: findings that are bad */
static int print_findings(const char *root)
{
	struct doctor_finding finding;
	unsigned int i;
	int bad = 0;

	for (i = 0; !doctor_check(root, i, &finding); i++) {
		finding_print(&finding);
		bad += finding.verdict == DOCTOR_BAD;
	}
	return bad;
}

/* what has never been tried on such a GPU; Return: exit status */
static int report(const char *root)
{
	unsigned int n, tried = 0, wrong = 0;
	int end;

	printf("gpubp: what this machine has of AMD\n");
	amd_print(root, stdout);
	printf("\n");
	print_findings(root);
	printf("\n");
	for (n = 0; (end = trial_run(root, n, stdout)) >= 0; n++) {
		tried += end != TRIAL_NOT;
		wrong += end == TRIAL_WRONG;
		printf("\n");
	}
	printf("%u tried, %u wrong. Nothing was changed. Please send all of these lines.\n", tried,
	       wrong);
	return wrong || !tried ? EXIT_FOUND : EXIT_OK;
}

int verb_doctor(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp doctor [<options>]", NULL
	};
	bool wants_report = false;
	const char *root = "";
	const struct option options[] = {
		OPT_STRING(0, "root", &root, "DIR",
			   "look at the files of another machine below DIR"),
		OPT_BOOLEAN(0, "report", &wants_report,
			    "try to watch an AMD GPU, and print what to send"),
		OPT_END()
	};

	if (parse_options(argc, argv, options, usage, 0))
		return misuse("doctor takes options only");
	if (wants_report)
		return report(root);
	return print_findings(root) ? EXIT_FOUND : EXIT_OK;
}
