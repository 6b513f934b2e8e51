// SPDX-License-Identifier: GPL-2.0
/*
 * What libgpubp-run sends to a tool that listens, and that a tool cannot stop
 * the program: each case runs a program in a process of its own.
 *
 * usage: test_listener DIRECTORY-OF-CODE-OBJECTS
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "gpubp_run.h"
#include "tap.h"

#define MAX_TEXT	8192

static const char *dir;

struct program {
	struct grun_device *dev;
	struct grun_code *code;
	struct grun_mem mem;
	struct grun_err err;
};

/* exit statuses show which call failed */
#define MUST(call)	do { if (call) _exit(__LINE__ % 250 + 1); } while (0)

static void program_open(struct program *p)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/copy.elf", dir);
	MUST(grun_open(&p->dev, NULL, &p->err));
	MUST(grun_alloc(p->dev, &p->mem, 4096, 0x200000000, &p->err));
	MUST(grun_code_open(&p->code, path, &p->err));
}

static void program_copy(struct program *p, uint64_t from, uint64_t to)
{
	const union grun_value args[] = { { .va = from }, { .va = to },
					  { .bytes = { 1 } } };
	const struct grun_launch launch = { { 64, 1, 1 }, { 64, 1, 1 } };

	MUST(grun_dispatch(p->dev, p->code, grun_code_kernel(p->code, 0),
			   &launch, args, 3, NULL, &p->err));
	MUST(grun_wait(p->dev, 0, -1, &p->err));
}

static void program_all(struct program *p)
{
	uint64_t va = p->mem.va;

	MUST(grun_name(p->dev, va, 64, "in", &p->err));
	MUST(grun_name(p->dev, va + 64, 256, "a b\\\n\xc3\xa4", &p->err));
	MUST(grun_load(p->dev, p->code, "copy.elf", &p->err));
	program_copy(p, va, va + 64);
	program_copy(p, va, va + 64);
	program_copy(p, va, va + 128);
	MUST(grun_name(p->dev, va, 0, "in", &p->err));
	program_copy(p, va, va + 64);
	grun_close(p->dev);
}

/* a value may be an address, or have some in it */
static void program_value(struct program *p)
{
	const struct grun_launch launch = { { 64, 1, 1 }, { 64, 1, 1 } };
	union grun_value args[] = { { .va = p->mem.va }, { .bytes = { 64 } } };
	struct grun_code *code;
	char path[4096];

	snprintf(path, sizeof(path), "%s/bounds.elf", dir);
	MUST(grun_code_open(&code, path, &p->err));
	MUST(grun_load(p->dev, code, NULL, &p->err));
	MUST(grun_dispatch(p->dev, code, grun_code_find(code, "indirect"), &launch,
			   args, 2, NULL, &p->err));
	args[0].va = 64;
	MUST(grun_dispatch(p->dev, code, grun_code_find(code, "indirect"), &launch,
			   args, 2, NULL, &p->err));
}

static void program_from_memory(struct program *p)
{
	static char image[65536];
	char path[4096];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%s/nop.elf", dir);
	fd = open(path, O_RDONLY);
	size = read(fd, image, sizeof(image));
	MUST(size <= 0);
	MUST(grun_code_parse(&p->code, image, (size_t)size, &p->err));
	MUST(grun_load(p->dev, p->code, NULL, &p->err));
	MUST(grun_dispatch(p->dev, p->code, grun_code_find(p->code, "nop"),
			   &(struct grun_launch){ { 64, 1, 1 }, { 64, 1, 1 } },
			   NULL, 0, NULL, &p->err));
}

static void program_variables(struct program *p)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/variables.elf", dir);
	MUST(grun_code_open(&p->code, path, &p->err));
	MUST(grun_load(p->dev, p->code, "variables.elf", &p->err));
}

static void program_late(struct program *p)
{
	MUST(grun_name(p->dev, p->mem.va, 64, "first", &p->err));
	MUST(grun_name(p->dev, p->mem.va + 64, 64, "second", &p->err));
	raise(SIGSTOP);
	MUST(grun_name(p->dev, p->mem.va + 128, 64, "third", &p->err));
	MUST(grun_name(p->dev, p->mem.va + 192, 64, "fourth", &p->err));
}

/* starts @run; @text: GPUBP_LISTENER, NULL for the socket that is returned */
static pid_t program_start(void (*run)(struct program *p), const char *text,
			   int *tool)
{
	struct program p = {};
	int ends[2];
	char fd[16];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return -1;
	snprintf(fd, sizeof(fd), "%d", ends[1]);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		setenv("GPUBP_LISTENER", text ? text : fd, 1);
		program_open(&p);
		run(&p);
		MUST(fcntl(ends[1], F_GETFD));
		_exit(0);
	}
	close(ends[1]);
	*tool = ends[0];
	return pid;
}

static int program_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static bool tool_read(int tool, char *text)
{
	ssize_t n = recv(tool, text, MAX_TEXT - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* takes @max messages at most; they go to @text, one a line */
static int tool_listen(int tool, int max, char *text, size_t size)
{
	char message[MAX_TEXT];
	size_t len = 0;
	int n;

	text[0] = 0;
	for (n = 0; n < max && tool_read(tool, message); n++) {
		len += (size_t)snprintf(text + len, size - len, "%s\n", message);
		if (len >= size || send(tool, "y", 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return n;
}

static unsigned long long code_va(const char *text)
{
	const char *code = strstr(text, "code ");
	unsigned long long va = 0;

	if (code)
		sscanf(code, "code %*d %llx", &va);
	return va;
}

static void test_messages(void)
{
	char text[MAX_TEXT], want[MAX_TEXT], *path;
	int tool, pid = program_start(program_all, NULL, &tool);
	unsigned long long size = 0;
	const char *code;

	tool_listen(tool, 100, text, sizeof(text));
	tap_ok(!program_status(pid), "a program with a listener runs");
	close(tool);
	code = strstr(text, "code ");
	if (code)
		sscanf(code, "code %*d %*x %llx", &size);
	snprintf(want, sizeof(want), "%s/copy.elf", dir);
	path = realpath(want, NULL);
	snprintf(want, sizeof(want),
		 "buffer %d 0x200000000 0x40 in\n"
		 "buffer %d 0x200000040 0x100 a\\040b\\134\\012\\303\\244\n"
		 "code %d %#llx %#llx copy.elf %s\n"
		 "dispatch %d 1/0/1 0 copy 0x200000000,0x200000040\n"
		 "dispatch %d 1/0/2 1 copy 0x200000000,0x200000040\n"
		 "dispatch %d 1/0/3 2 copy 0x200000000,0x200000080\n"
		 "buffer %d 0x200000000 0 in\n"
		 "dispatch %d 1/0/4 3 copy 0x200000000,0x200000040\n"
		 "close %d 1/0\n",
		 pid, pid, pid, code_va(text), size, path, pid, pid, pid, pid, pid,
		 pid);
	free(path);
	if (!tap_ok(!strcmp(text, want), "each message, once and in order"))
		tap_note("%s# wanted\n%s", text, want);
	tap_ok(size > 256 && code_va(text), "code has an address and a size");
}

static void test_from_memory(void)
{
	char text[MAX_TEXT], want[256];
	int tool, pid = program_start(program_from_memory, NULL, &tool);
	const char *line;

	tool_listen(tool, 100, text, sizeof(text));
	tap_ok(!program_status(pid), "code from memory, a kernel without arguments");
	close(tool);
	line = strchr(text, '\n');
	snprintf(want, sizeof(want), " - -\ndispatch %d 1/0/1 0 nop -\n", pid);
	if (!tap_ok(line && line - 4 > text && !strcmp(line - 4, want),
		    "they have no path and no pointers"))
		tap_note("%s", text);
}

/* is there a message that names @size bytes of the code object so? */
static bool names_variable(const char *text, int pid, const char *name,
			   unsigned long long size)
{
	unsigned long long va = code_va(text), span = 0, at, bytes;
	const char *line;
	char word[64];
	int sender;

	sscanf(strstr(text, "code "), "code %*d %*x %llx", &span);
	for (line = text; *line == 'b'; line = strchr(line, '\n') + 1)
		if (sscanf(line, "buffer %d %llx %llx %63s\n", &sender, &at, &bytes,
			   word) == 4 && !strcmp(word, name))
			return sender == pid && bytes == size && at > va &&
			       at + bytes <= va + span;
	return false;
}

static void test_variables(void)
{
	char text[MAX_TEXT];
	int tool, pid = program_start(program_variables, NULL, &tool);
	int n = tool_listen(tool, 100, text, sizeof(text));

	tap_ok(!program_status(pid) && n == 5 && strstr(text, "\ncode "),
	       "four variables have names before their code has");
	close(tool);
	if (!tap_ok(n == 5 && names_variable(text, pid, "calls", 4) &&
		    names_variable(text, pid, "table", 64) &&
		    names_variable(text, pid, "last", 8) &&
		    names_variable(text, pid, "factors", 16),
		    "those that kernels change, and constants that are not static"))
		tap_note("%s", text);
}

static void test_value(void)
{
	char text[MAX_TEXT], want[256];
	int tool, pid = program_start(program_value, NULL, &tool);

	tool_listen(tool, 100, text, sizeof(text));
	close(tool);
	snprintf(want, sizeof(want), "\ndispatch %d 1/0/1 0 indirect =0x200000000\n"
		 "dispatch %d 1/0/2 1 indirect -\n", pid, pid);
	if (!tap_ok(!program_status(pid) && strstr(text, want),
		    "a value that may be an address"))
		tap_note("%s", text);
}

/* the program must not go on before it is answered */
static void test_waits(void)
{
	const struct timespec while_waiting = { .tv_nsec = 200000000 };
	int tool, pid = program_start(program_all, NULL, &tool);
	char text[MAX_TEXT];

	tool_read(tool, text);
	nanosleep(&while_waiting, NULL);
	tap_ok(recv(tool, text, sizeof(text), MSG_DONTWAIT) < 0 && errno == EAGAIN &&
	       !waitpid(pid, NULL, WNOHANG), "the program waits for the answer");
	send(tool, "", 1, MSG_NOSIGNAL);
	tap_ok(tool_read(tool, text), "and then goes on");
	close(tool);
	tap_ok(!program_status(pid), "a tool that closes instead of answering is no harm");
}

static void test_closed(int messages)
{
	int tool, pid = program_start(program_all, NULL, &tool);
	char text[MAX_TEXT];

	tool_listen(tool, messages, text, sizeof(text));
	close(tool);
	tap_ok(!program_status(pid), "nor one that closes after %d messages", messages);
}

static void test_silent(void)
{
	int n, tool, pid = program_start(program_all, NULL, &tool);
	char text[MAX_TEXT];
	time_t start = time(NULL);

	tap_ok(!program_status(pid) && time(NULL) - start >= 9 &&
	       time(NULL) - start < 19,
	       "one that never answers is waited for ten seconds once");
	for (n = 0; recv(tool, text, sizeof(text), MSG_DONTWAIT) > 0; n++)
		;
	tap_ok(n == 9, "but gets all messages (%d)", n);
	close(tool);
}

/* two messages are not answered in time; once they are, the next ones are waited for */
static void test_late(void)
{
	const struct timespec while_waiting = { .tv_nsec = 200000000 };
	int tool, pid = program_start(program_late, NULL, &tool);
	char text[MAX_TEXT];

	tool_read(tool, text);
	tool_read(tool, text);
	tap_ok(!strncmp(text, "buffer", 6), "a message after ten seconds");
	send(tool, "", 1, MSG_NOSIGNAL);
	send(tool, "", 1, MSG_NOSIGNAL);
	waitpid(pid, NULL, WUNTRACED);
	kill(pid, SIGCONT);
	tool_read(tool, text);
	nanosleep(&while_waiting, NULL);
	tap_ok(recv(tool, text, sizeof(text), MSG_DONTWAIT) < 0 && errno == EAGAIN,
	       "a tool that was late is waited for again");
	send(tool, "", 1, MSG_NOSIGNAL);
	tool_listen(tool, 100, text, sizeof(text));
	close(tool);
	tap_ok(!program_status(pid), "and the program ends");
}

/* a number that is no listener: nothing is written, the program runs */
static void test_wrong(const char *text)
{
	int tool, pid = program_start(program_all, text, &tool);
	char message[MAX_TEXT];
	bool quiet = !tool_read(tool, message);

	tap_ok(!program_status(pid) && quiet, "GPUBP_LISTENER=%s is no listener", text);
	close(tool);
}

static void test_pipe(void)
{
	int ends[2], status;
	char fd[16], byte;
	int tool;

	if (pipe(ends))
		exit(1);
	snprintf(fd, sizeof(fd), "%d", ends[1]);
	status = program_status(program_start(program_all, fd, &tool));
	close(ends[1]);
	tap_ok(!status && !read(ends[0], &byte, 1), "a pipe is no listener");
	close(ends[0]);
	close(tool);
}

int main(int argc, char **argv)
{
	tap_plan(3 + 2 + 2 + 1 + 3 + 2 + 2 + 3 + 5 + 1);
	dir = argc == 2 ? argv[1] : ".";
	test_messages();
	test_from_memory();
	test_variables();
	test_value();
	test_waits();
	test_closed(0);
	test_closed(3);
	test_silent();
	test_late();
	test_wrong("");
	test_wrong("-1");
	test_wrong("3x");
	test_wrong("250");
	test_wrong("99999999999999999999");
	test_pipe();
	return tap_status();
}
