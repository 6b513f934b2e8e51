// SPDX-License-Identifier: GPL-2.0
/*
 * A recording is perf's: perf script reads it, with a filter in it that prints
 * hits (dlfilter/). So pipes, compressed files and those of other versions are
 * read as well as perf reads them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <subcmd/run-command.h>
#include "perf_cmd.h"
#include "perf_data.h"
#include "stream.h"
#include "wire_read.h"

/**
 * struct hits - a reader
 * @wire: what perf script prints
 * @perf: perf script
 * @running: it has not ended
 * @input: recording
 * @pipe: @input is no file: a thread passes it on
 * @feed: standard input of perf, then
 * @thread: that thread
 * @stream: what it saw
 */
struct hits {
	struct wire wire;
	struct child_process perf;
	bool running;
	int input;
	bool pipe;
	int feed;
	pthread_t thread;
	struct stream stream;
};

/* perf dies first if it does not like its input: then the rest is of no use */
static void copy_input(struct hits *hits)
{
	char buf[65536];
	ssize_t n, done, put;

	while ((n = read(hits->input, buf, sizeof(buf))) > 0) {
		stream_feed(&hits->stream, buf, (size_t)n);
		for (done = 0; done < n; done += put) {
			put = write(hits->feed, buf + done, (size_t)(n - done));
			if (put < 0)
				return;
		}
	}
}

static void close_feed(void *arg)
{
	struct hits *hits = arg;

	close(hits->feed);
}

/* perf waits for the end of its input, also if the rest is not wanted */
static void *pass_on(void *arg)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	pthread_cleanup_push(close_feed, arg);
	copy_input(arg);
	pthread_cleanup_pop(true);
	return NULL;
}

/* perf writes the size of the data when it ends, and reads none without */
static bool is_unfinished(int fd)
{
	struct file_header hdr = {};
	ssize_t n = pread(fd, &hdr, sizeof(hdr), 0);

	return n >= PIPE_HEADER && !memcmp(hdr.magic, FILE_MAGIC, sizeof(hdr.magic)) &&
	       hdr.size != PIPE_HEADER && !hdr.data.size;
}

static int open_input(struct hits *hits, const char *path, struct grun_err *err)
{
	struct stat st;

	hits->input = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) :
		      STDIN_FILENO;
	if (hits->input < 0 || fstat(hits->input, &st))
		return grun_fail(err, -1, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return grun_fail(err, -1, "a directory");
	if (isatty(hits->input))
		return grun_fail(err, -1, "a terminal");
	if (S_ISREG(st.st_mode) && !st.st_size)
		return grun_fail(err, -1, "empty: perf record ended before it wrote");
	if (S_ISREG(st.st_mode) && is_unfinished(hits->input))
		return grun_fail(err, -1, "not complete: perf record was killed before it wrote the end, and nothing in it can be read");
	hits->pipe = !S_ISREG(st.st_mode);
	/* of the header of a pipe */
	hits->stream.skip = 16;
	return 0;
}

static int start_perf(struct hits *hits, const char *path, bool force,
		      struct grun_err *err)
{
	char filter[PATH_MAX];
	/* perf would read all symbols of the kernel, in which no hit is */
	const char *argv[] = {
		perf_program(), "script", "--header", "-i", path,
		"--kallsyms", "/dev/null",
		"--dlfilter", filter, force ? "-f" : NULL, NULL,
	};

	if (perf_filter(filter, sizeof(filter), err))
		return -1;
	if (hits->pipe)
		argv[4] = "-";
	else if (!strcmp(path, "-"))
		argv[4] = "/dev/stdin";
	hits->perf.argv = argv;
	hits->perf.in = hits->pipe ? -1 : 0;
	hits->perf.out = -1;
	if (perf_start(&hits->perf, err))
		return -1;
	hits->running = true;
	hits->feed = hits->perf.in;
	hits->wire.in = fdopen(hits->perf.out, "r");
	return hits->wire.in ? 0 : grun_fail(err, -1, "out of memory");
}

/* hits->perf.argv is not used any more */
static int begin_reading(struct hits *hits, const char *path, bool force,
			 struct grun_err *err)
{
	if (open_input(hits, path, err) || start_perf(hits, path, force, err))
		return -1;
	if (!hits->pipe)
		return 0;
	if (pthread_create(&hits->thread, NULL, pass_on, hits)) {
		hits->pipe = false;
		close(hits->feed);
		return grun_fail(err, -1, "no thread");
	}
	return 0;
}

int hits_open(struct hits **hits, const char *path, bool force,
	      struct grun_err *err)
{
	*hits = calloc(1, sizeof(**hits));
	if (!*hits)
		return grun_fail(err, -1, "out of memory");
	if (begin_reading(*hits, path, force, err)) {
		(*hits)->pipe = false;
		hits_close(*hits);
		*hits = NULL;
		return -1;
	}
	return 0;
}

static int end_perf(struct hits *hits, struct grun_err *err)
{
	hits->running = false;
	if (perf_finish(&hits->perf, err))
		return -1;
	if (!hits->wire.type)
		return grun_fail(err, -1, "the machine had no gpubp when this was recorded, or the end is missing");
	if (hits->pipe) {
		pthread_join(hits->thread, NULL);
		hits->pipe = false;
	} else {
		hits->stream.lost_samples = stream_file_lost(hits->input);
	}
	return 0;
}

int hits_next(struct hits *hits, struct hit *hit, struct grun_err *err)
{
	int ret = wire_next(&hits->wire, hit, err);

	if (!ret && hits->running)
		return end_perf(hits, err);
	return ret;
}

uint64_t hits_lost(const struct hits *hits)
{
	return stream_lost(&hits->stream);
}

void hits_close(struct hits *hits)
{
	struct grun_err ignored;

	if (!hits)
		return;
	if (hits->pipe) {
		pthread_cancel(hits->thread);
		pthread_join(hits->thread, NULL);
	}
	if (hits->wire.in)
		fclose(hits->wire.in);
	if (hits->running)
		perf_finish(&hits->perf, &ignored);
	if (hits->input > STDIN_FILENO)
		close(hits->input);
	free(hits->wire.line);
	free(hits);
}
