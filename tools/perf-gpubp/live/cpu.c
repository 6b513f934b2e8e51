// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cpu.h"
#include "listen.h"
#include "perf_cmd.h"
#include "sysfile.h"

#define ANSWER_MS	5000
#define MOST		4	/* breakpoints of a CPU */
#define LONGEST		8	/* bytes of one */
#define TEXT_MAX	512

/**
 * struct cpu_watch - a breakpoint, and the perf that records it
 * @pid: process
 * @va: first byte
 * @len: 1, 2, 4 or 8
 * @cut: the watch has more bytes
 * @pick: of the watch
 * @perf: its process id, 0: it could not be set
 * @control: our end of a pipe for commands to it: perf fails when that is closed
 * @ack: likewise, for its answers
 * @data: its recording
 */
static struct cpu_watch {
	uint32_t pid;
	uint64_t va;
	unsigned int len;
	bool cut;
	const struct pick *pick;
	pid_t perf;
	int control;
	int ack;
	char data[PATH_MAX];
} watches[MOST];

static unsigned int nr_watches, nr_beyond;
static int listener = -1;

int cpu_begin(int *theirs, struct grun_err *err)
{
	return listen_begin(&listener, theirs, err);
}

/* ---- a breakpoint --------------------------------------------------------- */

/* in the child: never returns */
static void watch_exec(const struct cpu_watch *w, int control, int ack)
{
	char event[64], pid[16], fds[48];
	const char *args[] = {
		perf_program(), "record", "-q", "-o", w->data, "-e", event,
		"-p", pid, "-D", "-1", fds, NULL
	};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(event, sizeof(event), "mem:%#" PRIx64 "/%u:w", w->va, w->len);
	snprintf(pid, sizeof(pid), "%u", w->pid);
	snprintf(fds, sizeof(fds), "--control=fd:%d,%d", control, ack);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(args[0], (char **)(uintptr_t)args);
	_exit(127);
}

static bool watch_is_acknowledged(int ack)
{
	struct pollfd in = { .fd = ack, .events = POLLIN };
	char text[16];

	return poll(&in, 1, ANSWER_MS) > 0 && read(ack, text, sizeof(text)) > 0;
}

static void watch_end(struct cpu_watch *w)
{
	if (w->perf <= 0)
		return;
	kill(w->perf, SIGINT);
	while (waitpid(w->perf, NULL, 0) < 0 && errno == EINTR)
		;
	w->perf = 0;
	close(w->control);
	close(w->ack);
}

/* false: perf ended, or does not answer */
static bool watch_enable(const struct cpu_watch *w)
{
	static const char enable[] = "enable\n";
	ssize_t len = strlen(enable);

	return write(w->control, enable, (size_t)len) == len &&
	       watch_is_acknowledged(w->ack);
}

static void watch_fork(struct cpu_watch *w, int control, int ack)
{
	w->perf = fork();
	if (!w->perf)
		watch_exec(w, control, ack);
	close(control);
	close(ack);
	if (w->perf > 0 && !watch_enable(w))
		watch_end(w);
}

static void watch_set(struct cpu_watch *w)
{
	int control[2], ack[2];

	if (pipe(control))
		return;
	if (pipe(ack)) {
		close(control[0]);
		close(control[1]);
		return;
	}
	w->control = control[1];
	w->ack = ack[0];
	/* only one perf may have them */
	fcntl(control[1], F_SETFD, FD_CLOEXEC);
	fcntl(ack[0], F_SETFD, FD_CLOEXEC);
	watch_fork(w, control[0], ack[1]);
}

/* of a buffer of @size: without a length, all from the offset on */
static uint64_t pick_len(const struct pick *pick, uint64_t size)
{
	uint64_t len = pick->attr.config2 & GPUBP_CONFIG2_LEN;

	return len || pick->attr.config1 > size ? len : size - pick->attr.config1;
}

/* the bytes of a breakpoint are a power of two, and aligned */
static unsigned int watch_length(uint64_t va, uint64_t len)
{
	unsigned int n = LONGEST;

	while (n > len || va % n)
		n /= 2;
	return n;
}

static bool watch_exists(uint32_t pid, uint64_t va)
{
	unsigned int i;

	for (i = 0; i < nr_watches; i++)
		if (watches[i].pid == pid && watches[i].va == va)
			return true;
	return false;
}

static void watch_add(uint32_t pid, const struct pick *pick, uint64_t va,
		      uint64_t len)
{
	struct cpu_watch *w = &watches[nr_watches];

	if (watch_exists(pid, va))
		return;
	if (nr_watches == MOST) {
		nr_beyond++;
		return;
	}
	*w = (struct cpu_watch) { .pid = pid, .va = va, .pick = pick };
	w->len = watch_length(va, len);
	w->cut = w->len < len;
	/* a signal may end us as soon as the file is there */
	nr_watches++;
	if (sys_temporary(w->data, "perf-gpubp-cpu"))
		nr_watches--;
	else
		watch_set(w);
}

/* ---- messages ------------------------------------------------------------- */

/* is the pick a watch of bytes of this buffer; @va: (out) its first byte */
static bool pick_is_in(const struct pick *pick, uint64_t start, uint64_t size,
		       const char *name, uint64_t *va)
{
	const struct perf_event_attr *attr = &pick->attr;
	bool named = attr->config & GPUBP_CONFIG_NAMED;

	if ((attr->config & GPUBP_CONFIG_KIND) != GPUBP_KIND_WATCH ||
	    (named && attr->config >> GPUBP_CONFIG_CODE_SHIFT != gpubp_name_hash(name)))
		return false;
	*va = attr->config1 + (named ? start : 0);
	return pick_len(pick, size) && *va - start < size &&
	       pick_len(pick, size) <= size - (*va - start);
}

/* "buffer PID VA SIZE NAME" */
static void take_message(const struct picks *picks, const char *text)
{
	uint64_t start, size, va;
	char name[GPUBP_NAME_MAX];
	uint32_t pid;
	unsigned int i;

	if (sscanf(text, "buffer %" SCNu32 " %" SCNx64 " %" SCNx64 " %63s", &pid,
		   &start, &size, name) != 4)
		return;
	for (i = 0; i < picks->nr; i++)
		if (pick_is_in(&picks->list[i], start, size, name, &va))
			watch_add(pid, &picks->list[i], va,
				  pick_len(&picks->list[i], size));
}

bool cpu_follow(const struct picks *picks, int timeout_ms)
{
	char text[LISTEN_MAX];
	ssize_t n;

	while ((n = listen_receive(listener, timeout_ms, text)) > 0) {
		take_message(picks, text);
		if (!listen_answer(listener))
			return false;
	}
	return !n;
}

/* ---- the report ----------------------------------------------------------- */

static void print_place(const struct cpu_watch *w, const char *place,
			unsigned int nr, FILE *out)
{
	fprintf(out, "cpu: before %s wrote %s, %u hit%s\n", place, w->pick->text,
		nr, nr == 1 ? "" : "s");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static void print_places(const struct cpu_watch *w, char **places, size_t nr,
			 FILE *out)
{
	size_t i, from = 0;

	qsort(places, nr, sizeof(*places), by_text);
	for (i = 1; i <= nr; i++)
		if (i == nr || strcmp(places[i], places[from])) {
			print_place(w, places[from], (unsigned int)(i - from), out);
			from = i;
		}
}

/*
 * "  ADDRESS FUNCTION+0xOFFSET (FILE)", and "  file.c:12" in the line below. Names of C++
 * have blanks and parentheses.
 */
static char *place_parse(const char *line, const char *source)
{
	int address = 0, symbol = 0, end = (int)strcspn(line, "\n"), ret;
	char *text = NULL;

	sscanf(line, " %n%*s %n", &address, &symbol);
	while (end > symbol && strncmp(line + end, " (", 2))
		end--;
	if (!symbol || end <= symbol || line[symbol] == '[')
		ret = asprintf(&text, "0x%.*s", (int)strcspn(line + address, "\n"),
			       line + address);
	else if (source[0])
		ret = asprintf(&text, "%.*s (%.*s)", end - symbol, line + symbol,
			       (int)strcspn(source, "\n"), source);
	else
		ret = asprintf(&text, "%.*s", end - symbol, line + symbol);
	return ret < 0 ? NULL : text;
}

static bool is_sample(const char *line)
{
	const char *at = line + strspn(line, " \t");
	size_t digits = strspn(at, "0123456789abcdef");

	return digits > 1 && at[digits] == ' ';
}

/* what perf knows no source of has a file and an address, or question marks */
static bool is_source(const char *line)
{
	return strchr(line, ':') && line[0] != '[' && line[0] != '?';
}

/**
 * struct places - where the CPU stored, one entry for each time
 * @text: the places
 * @nr: entries of @text
 */
struct places {
	char **text;
	size_t nr;
};

static void places_add(struct places *places, const char *line,
		       const char *source)
{
	char **grown = realloc(places->text,
			       (places->nr + 1) * sizeof(*grown));

	if (!grown)
		return;
	places->text = grown;
	grown[places->nr] = place_parse(line, source);
	places->nr += grown[places->nr] != NULL;
}

static void places_read(struct places *places, FILE *in)
{
	char sample[TEXT_MAX] = "", line[TEXT_MAX];
	const char *source;

	while (fgets(line, sizeof(line), in)) {
		source = line + strspn(line, " \t");
		if (is_sample(line)) {
			if (sample[0])
				places_add(places, sample, "");
			strcpy(sample, line);
		} else if (sample[0] && source[0] != '\n') {
			places_add(places, sample, is_source(source) ? source : "");
			sample[0] = '\0';
		}
	}
	if (sample[0])
		places_add(places, sample, "");
}

/*
 * Without addr2line a perf that is to find lines ends at the first place that it looks up.
 * It may fail in the end for another reason, and the places are known.
 */
static int watch_read(const struct cpu_watch *w, struct places *places,
		      struct grun_err *err)
{
	const char *args[] = {
		perf_program(), "script", "-i", w->data, "-F",
		perf_has_program("addr2line") ? "ip,sym,symoff,dso,srcline" :
						"ip,sym,symoff,dso",
		NULL
	};
	struct child_process perf = { .argv = args, .out = -1 };
	FILE *in;

	if (perf_start(&perf, err))
		return -1;
	in = fdopen(perf.out, "r");
	if (in) {
		places_read(places, in);
		fclose(in);
	}
	return perf_finish(&perf, err);
}

static void places_free(struct places *places)
{
	while (places->nr)
		free(places->text[--places->nr]);
	free(places->text);
}

static void watch_report(const struct cpu_watch *w, FILE *out)
{
	struct places places = {};
	const char *text = w->pick->text;
	struct grun_err err;
	int ret = watch_read(w, &places, &err);

	if (ret && !places.nr)
		fprintf(out, "cpu: %s: no breakpoint of the CPU: %s\n", text,
			err.text);
	else if (!places.nr)
		fprintf(out, "cpu: no store to %s, %u bytes at %#" PRIx64 "\n",
			text, w->len, w->va);
	print_places(w, places.text, places.nr, out);
	if (w->cut)
		fprintf(out, "cpu: only the first %u bytes of %s: a breakpoint of the CPU has %u at most\n",
			w->len, text, LONGEST);
	places_free(&places);
}

void cpu_report(FILE *out)
{
	unsigned int i;

	for (i = 0; i < nr_watches; i++) {
		watch_end(&watches[i]);
		watch_report(&watches[i], out);
	}
	if (!nr_watches)
		fputs("cpu: no watched byte was named by gpubp-run or its library\n", out);
	if (nr_beyond)
		fprintf(out, "cpu: %u more were not watched: a CPU has %u breakpoints\n",
			nr_beyond, MOST);
	if (listener >= 0)
		close(listener);
	listener = -1;
}

void cpu_clean(void)
{
	unsigned int i;

	for (i = 0; i < nr_watches; i++) {
		if (watches[i].perf > 0)
			kill(watches[i].perf, SIGINT);
		unlink(watches[i].data);
	}
}
