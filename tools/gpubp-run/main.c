// SPDX-License-Identifier: GPL-2.0
/*
 * gpubp-run: run kernels of an amdgcn code object on the software GPU.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "events.h"
#include "exec.h"
#include "gpubp_expr.h"
#include "list.h"

#define MAX_SCRIPT	(1U << 20)

/* exit statuses, as the manual page lists them */
enum {
	EXIT_OK = 0,
	EXIT_WRONG = 1,		/* a check failed, a kernel did not end well */
	EXIT_INPUT = 2,		/* command line, code object, script: nothing ran */
	EXIT_DEVICE = 3,	/* no device, no memory */
};

/* options without a letter */
enum {
	OPTION_IN_PROCESS = 256,
};

struct options {
	const char *device;
	const char *file;
	const char *code;
	const char *name;
	struct events events;
	bool list;
	bool in_process;
	bool verbose;
	int64_t timeout_ns;
	char **lines;
	int nr_lines;
};

static const char help[] =
"usage: gpubp-run [OPTION]... CODE.elf [LINE]...\n"
"       gpubp-run -e WATCH|-b BREAK|-x EXCEPTION... [CODE.elf [LINE]...]\n"
"       gpubp-run --list [CODE.elf]\n"
"\n"
"Run kernels of an amdgcn code object on the software GPU, as a script says:\n"
"each LINE, or the file of -f, has statements separated by ';'.\n"
"\n"
"  -d, --device PATH    default " GRUN_DEVICE "\n"
"      --in-process     on a GPU in this process, which needs no driver\n"
"  -e, --event WATCH    print the event for stock perf's -e, run nothing;\n"
"                       WATCH is BUFFER[3]:w, BUFFER[128..131]:rw, BUFFER:a,\n"
"                       BUFFER+OFFSET,BYTES:r, ADDRESS/BYTES:w, and with a type\n"
"                       that is not of 4 bytes BUFFER:f64[3]:w\n"
"                       w stores, r loads, a atomics, rw all, none stores and\n"
"                       atomics\n"
"  -b, --break BREAK    likewise: KERNEL+OFFSET or FILE:LINE of CODE.elf, or an\n"
"                       address\n"
"  -X, --exception CLASS[,CLASS]...  likewise: mem_viol, fp, ...\n"
"  -f, --file SCRIPT    read the script from a file, - is standard input\n"
"  -l, --list           print devices, or the kernels and variables of\n"
"                       CODE.elf\n"
"  -n, --name NAME      publish the code object as NAME; default: its file name\n"
"  -t, --timeout SECS   give up waiting for a kernel then; default: never\n"
"  -v, --verbose        say why nothing can be watched, with --in-process\n"
"  -h, --help\n"
"\n"
"statements:\n"
"  buf NAME TYPE SIZE [zero|iota|random [SEED]|value N|file \"F\"] [at ADDRESS]\n"
"      [userptr] [, NAME ...]           allocate; after a comma: right behind\n"
"  run KERNEL [grid=SIZE] [wg=SIZE] [times=N] ARGUMENT...\n"
"  wait [SECS]    fill RANGE PATTERN    print RANGE    sum RANGE\n"
"  check RANGE VALUE...    sleep SECS   cpuwrite NAME[I] VALUE\n"
"\n"
"exit status: 0 success; 1 a check failed or a kernel did not end well;\n"
"2 wrong command line, code object or script, nothing was run; 3 no device\n";

static int complain(int status, const struct grun_err *err)
{
	fprintf(stderr, "gpubp-run: %s\n", err->text);
	return status;
}

static int parse_timeout(struct options *opt, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0 && seconds < 1e9))
		return -1;
	opt->timeout_ns = (int64_t)(seconds * 1e9);
	return 0;
}

static int add_event(struct options *opt, int option, const char *text)
{
	struct events *events = &opt->events;

	if (events->nr == EVENTS_MAX)
		return -1;
	events->list[events->nr].option = option;
	events->list[events->nr++].text = text;
	return 0;
}

/* 0, or -1 if the option is wrong */
static int parse_option(struct options *opt, int c)
{
	switch (c) {
	case 'd':
		opt->device = optarg;
		return 0;
	case 'b':
	case 'e':
	case 'X':
		return add_event(opt, c, optarg);
	case 'f':
		opt->file = optarg;
		return 0;
	case 'l':
		opt->list = true;
		return 0;
	case 'n':
		opt->name = optarg;
		return 0;
	case 't':
		return parse_timeout(opt, optarg);
	case 'v':
		opt->verbose = true;
		return 0;
	case OPTION_IN_PROCESS:
		opt->in_process = true;
		return 0;
	default:
		return -1;
	}
}

static void parse_options(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "break", required_argument, NULL, 'b' },
		{ "device", required_argument, NULL, 'd' },
		{ "event", required_argument, NULL, 'e' },
		{ "exception", required_argument, NULL, 'X' },
		{ "file", required_argument, NULL, 'f' },
		{ "list", no_argument, NULL, 'l' },
		{ "name", required_argument, NULL, 'n' },
		{ "in-process", no_argument, NULL, OPTION_IN_PROCESS },
		{ "timeout", required_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int c;

	while ((c = getopt_long(argc, argv, "b:d:e:f:ln:t:vX:h", longs, NULL)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			exit(EXIT_OK);
		}
		if (parse_option(opt, c)) {
			fputs("gpubp-run: wrong option, see gpubp-run --help\n", stderr);
			exit(EXIT_INPUT);
		}
	}
	if (opt->in_process && opt->device) {
		fputs("gpubp-run: both --device and --in-process\n", stderr);
		exit(EXIT_INPUT);
	}
	if (optind < argc)
		opt->code = argv[optind++];
	opt->lines = argv + optind;
	opt->nr_lines = argc - optind;
}

static int read_script(FILE *file, const char *name, char **text, size_t *len,
		       struct grun_err *err)
{
	*text = malloc(MAX_SCRIPT);
	if (!*text)
		return grun_fail(err, -ENOMEM, "out of memory");
	*len = fread(*text, 1, MAX_SCRIPT, file);
	if (ferror(file) || *len == MAX_SCRIPT)
		return grun_fail(err, -EINVAL, "%s: cannot be read, or is too long",
				 name);
	return 0;
}

static int script_from_file(const char *name, char **text, size_t *len,
			    struct grun_err *err)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	int ret;

	if (!file)
		return grun_fail(err, -errno, "%s: %s", name, strerror(errno));
	ret = read_script(file, name, text, len, err);
	if (file != stdin)
		fclose(file);
	return ret;
}

/* argument n is line n, which is what messages then say */
static int script_from_lines(char **lines, int nr, char **text, size_t *len,
			     struct grun_err *err)
{
	FILE *out = open_memstream(text, len);
	int i;

	if (!out)
		return grun_fail(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++)
		fprintf(out, "%s\n", lines[i]);
	fclose(out);
	return 0;
}

static int load_script(const struct options *opt, struct script *script,
		       struct grun_err *err)
{
	char *text = NULL;
	size_t len = 0;
	int ret;

	if (opt->file && opt->nr_lines)
		return grun_fail(err, -EINVAL,
				 "a script file and script lines are given");
	if (opt->file)
		ret = script_from_file(opt->file, &text, &len, err);
	else
		ret = script_from_lines(opt->lines, opt->nr_lines, &text, &len, err);
	if (!ret)
		ret = script_parse(script, text, len, err);
	free(text);
	return ret;
}

static const char *code_name(const struct options *opt, char *out, size_t len)
{
	snprintf(out, len, "%s", opt->name ? opt->name :
		 gexpr_code_name(opt->code));
	return out;
}

static int print_events(const struct options *opt, const struct script *script,
			const struct grun_code *code)
{
	char name[GPUBP_NAME_MAX] = "";
	struct grun_err err;

	if (code)
		code_name(opt, name, sizeof(name));
	if (events_print(&opt->events, script, code, name, &err))
		return complain(EXIT_INPUT, &err);
	return EXIT_OK;
}

static int run_status(int ret)
{
	switch (ret) {
	case 0:
		return EXIT_OK;
	case -EBADMSG:
	case -ETIME:
	case -EFAULT:
	case -EILSEQ:
	case -ECANCELED:
	case -EIO:
		return EXIT_WRONG;
	default:
		return EXIT_DEVICE;
	}
}

/* its GPU is the one that the code is for */
static int open_in_process(const struct options *opt, struct grun_device **dev,
			   const struct grun_code *code, struct grun_err *err)
{
	int ret = grun_open_in_process(dev, grun_code_isa(code), err), why;

	if (ret)
		return ret;
	why = grun_in_process_watched(*dev);
	if (why && opt->verbose)
		fprintf(stderr, "gpubp-run: nothing is watched: /dev/gpubp_agent: %s\n",
			strerror(-why));
	return 0;
}

static int open_device(const struct options *opt, struct grun_device **dev,
		       const struct grun_code *code, struct grun_err *err)
{
	return opt->in_process ? open_in_process(opt, dev, code, err) :
				 grun_open(dev, opt->device, err);
}

static int run_device(const struct options *opt, const struct script *script,
		      struct grun_code *code)
{
	char name[GPUBP_NAME_MAX];
	struct grun_device *dev;
	struct grun_err err;
	int ret;

	ret = open_device(opt, &dev, code, &err);
	if (ret)
		return complain(opt->in_process && ret == -EINVAL ? EXIT_INPUT : EXIT_DEVICE, &err);
	ret = grun_load(dev, code, code_name(opt, name, sizeof(name)), &err);
	if (ret)
		ret = complain(ret == -ENOEXEC ? EXIT_INPUT : EXIT_DEVICE, &err);
	else if ((ret = script_run(script, dev, code, opt->timeout_ns, &err)))
		ret = complain(run_status(ret), &err);
	grun_close(dev);
	return ret;
}

static int run_code(const struct options *opt, struct grun_code *code)
{
	struct script script;
	struct grun_err err;
	int ret;

	if (load_script(opt, &script, &err))
		return complain(EXIT_INPUT, &err);
	if (script_check(&script, code, &err))
		ret = complain(EXIT_INPUT, &err);
	else if (opt->events.nr)
		ret = print_events(opt, opt->file || opt->nr_lines ? &script : NULL,
				   code);
	else
		ret = run_device(opt, &script, code);
	script_free(&script);
	return ret;
}

static int run_without_code(const struct options *opt)
{
	struct grun_err err;

	if (opt->events.nr && !opt->file)
		return print_events(opt, NULL, NULL);
	if (opt->list)
		return list_devices() ? EXIT_OK :
		       (grun_fail(&err, 0, "no software GPU: is gpubp_sim loaded?"),
			complain(EXIT_DEVICE, &err));
	grun_fail(&err, 0, "no code object given, see gpubp-run --help");
	return complain(EXIT_INPUT, &err);
}

int main(int argc, char **argv)
{
	struct options opt = { .timeout_ns = -1 };
	struct grun_code *code;
	struct grun_err err;
	int ret = EXIT_OK;

	parse_options(&opt, argc, argv);
	if (!opt.code)
		return run_without_code(&opt);
	if (grun_code_open(&code, opt.code, &err))
		return complain(EXIT_INPUT, &err);
	if (opt.list)
		list_code(code);
	else
		ret = run_code(&opt, code);
	grun_code_free(code);
	return ret;
}
