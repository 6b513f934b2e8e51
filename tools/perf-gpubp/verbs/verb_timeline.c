// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp timeline: who held which comparator when, with the hits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "internal.h"
#include "live_options.h"
#include "timeline.h"
#include "timeline_live.h"
#include "verb.h"

#define WAIT_MS		100

enum picture { PICTURE_SVG, PICTURE_JSON, PICTURE_RAW };

static const char * const endings[] = {
	[PICTURE_SVG] = "svg", [PICTURE_JSON] = "json", [PICTURE_RAW] = "raw",
};

/* @format, or else what @path ends in */
static bool picture_of(const char *path, const char *format,
		       enum picture *picture)
{
	const char *dot = strrchr(path, '.');
	unsigned int i;

	if (!format)
		format = dot ? dot + 1 : "";
	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(format, endings[i])) {
			*picture = i;
			return true;
		}
	return false;
}

/* ---- recording ------------------------------------------------------------ */

/* NULL after a message */
static struct live *start_command(const char **command,
				  const struct picks *picks)
{
	const struct live_target target = { .command = command };
	struct live *live;
	struct grun_err err;

	if (live_open_picks(&live, &target, picks, false))
		return NULL;
	if (!live_start(live, &err))
		return live;
	complain("%s", err.text);
	live_close(live);
	return NULL;
}

/* the terminal sends SIGINT to the command, too */
static bool is_over(struct live *live, double end)
{
	if (!live)
		return live_interrupted() || (end > 0 && live_now() >= end);
	live_pass_sigterm(live);
	return !live_running(live);
}

/* until the command has ended, or for some time, or until a signal */
static int read_events(struct perf_evlist *events, struct timeline_raw *raw,
		       struct live *live, double seconds)
{
	double end = seconds > 0 ? live_now() + seconds : 0;
	bool last;
	int err;

	do {
		last = is_over(live, end);
		err = timeline_live_read(events, raw, last ? 0 : WAIT_MS);
	} while (!err && !last);
	return err ? complain("out of memory") : 0;
}

static void add_map(uint32_t pid, void *data)
{
	struct timeline_raw *raw = data;
	char path[64];

	/* a process without names has none */
	snprintf(path, sizeof(path), GRUN_PERF_MAP, pid);
	timeline_raw_file(raw, pid, path);
}

static int record_command(struct perf_evlist *events, struct timeline_raw *raw,
			  const char **command, const struct picks *picks)
{
	struct live *live = start_command(command, picks);
	int status, err;

	if (!live)
		return EXIT_ERROR;
	err = read_events(events, raw, live, 0);
	status = live_close(live);
	/* the watches of its last moments */
	if (!err)
		err = timeline_live_read(events, raw, 0);
	return err ? err : status;
}

static int record_events(struct timeline_raw *raw, const char **command,
			 const struct picks *picks, double seconds, int pages)
{
	struct perf_evlist *events = timeline_live_begin(raw, pages);
	int status;

	if (!events)
		return EXIT_ERROR;
	live_signals();
	status = command ? record_command(events, raw, command, picks) :
			   read_events(events, raw, NULL, seconds);
	timeline_live_end(events, raw);
	timeline_decode_pids(raw, add_map, raw);
	return status;
}

static int load_events(struct timeline_raw *raw, const char *path)
{
	FILE *in = !strcmp(path, "-") ? stdin : fopen(path, "re");
	unsigned int bad;

	if (!in)
		return complain("%s: %s", path, strerror(errno));
	bad = timeline_raw_load(raw, in);
	if (in != stdin)
		fclose(in);
	if (bad)
		return complain("%s: part %u is malformed", path, bad);
	return 0;
}

/* ---- drawing -------------------------------------------------------------- */

static int draw_events(struct timeline_raw *raw, enum picture picture,
		       FILE *out, const char *path)
{
	struct timeline tl = {};
	const char *err = timeline_decode(&tl, raw);
	int status = 0;

	if (err)
		status = complain("%s", err);
	else if (picture == PICTURE_RAW)
		timeline_raw_save(raw, out);
	else if (!tl.nr_watches)
		status = complain("no watch was armed: there is nothing to draw");
	else if (picture == PICTURE_SVG)
		timeline_svg(&tl, out);
	else
		timeline_json(&tl, out);
	if (!status && tl.lost)
		complain("%llu events were lost: give more --mmap-pages",
			 (unsigned long long)tl.lost);
	timeline_free(&tl);
	return status ? status : finish_output(out, path);
}

static bool is_file(FILE *out)
{
	struct stat st;

	return !fstat(fileno(out), &st) && S_ISREG(st.st_mode);
}

static int draw_file(struct timeline_raw *raw, enum picture picture,
		     const char *path)
{
	bool standard = !strcmp(path, "-");
	FILE *out = standard ? stdout : fopen(path, "we");
	bool file;
	int status;

	if (!out)
		return complain("%s: %s", path, strerror(errno));
	file = is_file(out);
	status = draw_events(raw, picture, out, path);
	if (standard)
		return status;
	if (fclose(out) && !status)
		status = complain("%s: %s", path, strerror(errno));
	if (status && file)
		remove(path);
	return status;
}

struct timeline_options {
	const char *path;
	const char *format;
	const char *input;
	unsigned int seconds;
	unsigned int pages;
	struct picks picks;
};

static int check_options(const struct timeline_options *o, int argc,
			 enum picture *picture)
{
	if (!picture_of(o->path, o->format, picture))
		return misuse("%s: the format must be svg, json or raw",
			      o->format ? o->format : o->path);
	if (o->input && argc)
		return misuse("a command, or --input: not both");
	if (o->picks.nr_args && !argc)
		return misuse("-w and -W need a command");
	if (o->seconds && argc)
		return misuse("a command, or --duration: not both");
	if (!o->pages || o->pages & (o->pages - 1))
		return misuse("%u pages: not a power of two", o->pages);
	return EXIT_OK;
}

int verb_timeline(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp timeline [-o FILE] [-d SECONDS | [-w WATCH]... -- COMMAND...]",
		"perf-gpubp timeline [-o FILE] --input FILE.raw", NULL
	};
	static struct timeline_options o = { .path = "timeline.svg", .pages = 256 };
	const struct option options[] = {
		OPT_STRING('o', "output", &o.path, "FILE",
			   "picture (.svg), trace for Perfetto and Chrome (.json), or events (.raw); default: timeline.svg"),
		OPT_STRING(0, "format", &o.format, "svg|json|raw",
			   "instead of what the name of the file ends in"),
		PICK_OPTION('w', "watch", &o.picks, "WATCH",
			    "watch this in the command, too, as in -w 'grid[3..5]:w'"),
		PICK_OPTION('W', "watch-file", &o.picks, "FILE",
			    "likewise a watch set: a watch by address in each line of a file"),
		OPT_STRING('i', "input", &o.input, "FILE",
			   "draw events that were kept in a .raw file"),
		OPT_UINTEGER('d', "duration", &o.seconds,
			     "record for so many seconds, and not until ^C"),
		OPT_UINTEGER('m', "mmap-pages", &o.pages,
			     "pages of the ring buffer of each CPU"),
		OPT_END()
	};
	struct timeline_raw raw = {};
	enum picture picture = PICTURE_SVG;
	struct grun_err err;
	int status, drawn;

	argc = parse_options(argc, argv, options, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	status = check_options(&o, argc, &picture);
	if (!status && o.picks.nr_args)
		status = live_complain(picks_resolve(&o.picks, NULL, &err), &err);
	if (status)
		return status;
	if (o.input)
		status = load_events(&raw, o.input);
	else
		status = record_events(&raw, argc ? argv : NULL, &o.picks,
				       o.seconds, (int)o.pages);
	/* also of a command that failed */
	drawn = raw.nr_records ? draw_file(&raw, picture, o.path) : status ? status :
		complain("no watch was armed: there is nothing to draw");
	timeline_raw_free(&raw);
	if (o.picks.nr_args)
		picks_free(&o.picks);
	return status ? status : drawn;
}
