// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp report: which instructions hit, most hits first.
 */
#include <inttypes.h>
#include <stdio.h>
#include "plural.h"
#include "rank.h"
#include "reading.h"
#include "report.h"
#include "strangers.h"
#include "verb.h"

static struct culprits culprits;
static struct strangers strangers;
static bool by_time;

static int add_hit(struct reading *r, const struct hit *hit)
{
	unsigned int period = show_period(&r->show, hit);
	uint32_t context = show_context(&r->show, hit);

	return culprits_add(&culprits, hit, context, period) ||
	       strangers_add(&strangers, hit, context, period) ?
	       complain("out of memory") : EXIT_OK;
}

static bool several_processes(void)
{
	size_t i;

	for (i = 1; i < culprits.nr; i++)
		if (culprits.list[i]->first.pid != culprits.list[0]->first.pid)
			return true;
	return false;
}

static void print_strangers(struct reading *r)
{
	struct stranger found;
	char text[256];

	strangers_get(&strangers, &found);
	if (strangers.left_out)
		printf("values were compared at the first %u places: %" PRIu64 " hit%s elsewhere %s not\n",
		       SPOTS_MAX, strangers.left_out, plural(strangers.left_out),
		       strangers.left_out == 1 ? "was" : "were");
	if (!found.nr)
		return;
	printf("%" PRIu64 " value%s no hit had left there, e.g. %#" PRIx64 " in %s after %#" PRIx64 ": the CPU, a copy engine or another process's GPU context wrote (perf-gpubp run --cpu), or an access without a hit\n",
	       found.nr, plural(found.nr), found.value,
	       show_element(&r->show, &found.hit, text, sizeof(text)), found.last);
}

static void print_for_people(struct reading *r, bool details)
{
	bool several = several_processes();
	char more[128];
	size_t i;

	for (i = 0; i < culprits.nr; i++)
		if (details)
			report_paragraph(&r->show, culprits.list[i]);
		else
			report_line(&r->show, culprits.list[i], several);
	if (*culprits_more(&culprits, more, sizeof(more)))
		puts(more);
	if (!culprits.nr)
		puts("no hits (scalar loads, LDS, DMA and the CPU are not watched)");
	print_strangers(r);
	if (r->lost)
		printf("lost %" PRIu64 " record%s\n", r->lost, plural(r->lost));
}

static void print_rows(struct reading *r)
{
	struct row row = { .show = &r->show };
	char more[128];
	size_t i;

	if (r->format == FORMAT_CSV)
		fields_header(NULL, true);
	for (i = 0; i < culprits.nr; i++) {
		row.culprit = culprits.list[i];
		row.hit = &row.culprit->first;
		fields_print(&row, NULL, r->format);
	}
	if (*culprits_more(&culprits, more, sizeof(more)))
		complain("%s", more);
	if (r->lost)
		fprintf(stderr, "lost %" PRIu64 "\n", r->lost);
}

static int print_report(struct reading *r, bool details)
{
	int status = reading_hits(r, add_hit);

	/* programs get each instruction */
	if (r->format == FORMAT_LINES)
		culprits_join_breaks(&culprits);
	if (by_time)
		culprits_sort_by_time(&culprits);
	else
		culprits_sort(&culprits);
	if (!status && r->format == FORMAT_LINES)
		print_for_people(r, details);
	else if (!status)
		print_rows(r);
	culprits_free(&culprits);
	strangers_free(&strangers);
	return status;
}

/* a line in front of what one of several recordings has */
static void print_heading(const char *path, bool first)
{
	char rank[128];

	printf("%s%s", first ? "" : "\n", path);
	if (rank_of_path(path, rank, sizeof(rank)))
		printf(", %s", rank);
	printf(":\n");
}

/* of several ranks, for instance; Return: the last status that is not EXIT_OK */
static int report_each(const struct reading *options, int argc, const char **argv, bool details)
{
	int i, ret, status = EXIT_OK;

	if (options->input || options->output || options->json || options->csv)
		return misuse("one recording at a time with -i, -o, --json and --csv");
	for (i = 0; i < argc; i++) {
		struct reading r = *options;

		ret = reading_begin(&r, 1, argv + i);
		if (!ret)
			print_heading(argv[i], !i);
		ret = reading_end(&r, ret ? ret : print_report(&r, details));
		status = ret ? ret : status;
	}
	return status;
}

int verb_report(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp report [<options>] [perf.data...]", NULL
	};
	struct reading r = {};
	bool details = false;
	const struct option options[] = {
		READING_INPUTS(&r),
		OPT_BOOLEAN('v', "verbose", &details,
			    "a paragraph with details instead of a line"),
		OPT_BOOLEAN(0, "first", &by_time,
			    "in the order of their first hits"),
		READING_FORMATS(&r),
		OPT_END()
	};
	int status;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc > 1)
		return report_each(&r, argc, argv, details);
	status = reading_begin(&r, argc, argv);
	return reading_end(&r, status ? status : print_report(&r, details));
}
