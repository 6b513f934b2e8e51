// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "firmware.h"
#include "gpu.h"

static const char usage_text[] =
"usage: amdgpu-model [OPTIONS] SOCKET\n"
"       amdgpu-model [--gpu NAME] --firmware DIRECTORY\n"
"\n"
"Be a GPU that Linux's amdgpu driver can use, for a virtual machine whose QEMU\n"
"has a vfio-user-pci device on the socket. One client is served; the program ends\n"
"with it.\n"
"\n"
"  --gpu NAME    which GPU: gfx90a (the default) or gfx942\n"
"  --threads N   that execute waves, 1 to 8 (default: the machine's processors)\n"
"  --log FILE    what happens, - for standard error (the default)\n"
"  --firmware DIRECTORY\n"
"                write the firmware files that the driver asks for, which have\n"
"                headers and no microcode\n"
"  --help        this\n"
"\n"
"Exit status: 0 if the client ended the connection, 1 after an error, 2 for a\n"
"wrong use, 3 if the log has lines with FAULT.\n";

static volatile sig_atomic_t ended;

static void end_now(int signal)
{
	ended = signal;
}

static int serve(struct gpu *gpu, struct vfu_server *server)
{
	struct pollfd poll_fd = { .fd = vfu_fd(server), .events = POLLIN };
	int got = 0, wait_ms = -1;

	while (!got && !ended) {
		int ready = poll(&poll_fd, 1, wait_ms);

		if (ready > 0)
			got = vfu_handle(server);
		else if (ready < 0 && errno != EINTR)
			got = -errno;
		if (got == -EINTR)
			got = 0;
		/* a message in between does not help those that wait */
		wait_ms = gpu_look_again(gpu);
	}
	return got < 0 ? got : 0;
}

static int serve_socket(struct gpu *gpu, const char *path)
{
	int listener = vfu_listen(path), err;
	struct vfu_server *server;

	if (listener < 0) {
		fprintf(stderr, "amdgpu-model: %s: %s\n", path,
			strerror(-listener));
		return 1;
	}
	server = vfu_accept(listener, &gpu->device);
	err = server ? serve(gpu, server) : -errno;
	vfu_close(server);
	close(listener);
	unlink(path);
	gpu_summary(gpu);
	if (err && !ended) {
		fprintf(stderr, "amdgpu-model: the connection ended: %s\n",
			strerror(-err));
		return 1;
	}
	return gpu->log.faults ? 3 : 0;
}

static FILE *open_log(const char *path)
{
	return strcmp(path, "-") ? fopen(path, "w") : stderr;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = end_now };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* what the model is to be */
struct options {
	const struct personality *personality;
	unsigned int nr_threads;
	const char *log;
	const char *firmware;
};

static int run(const struct options *options, const char *socket)
{
	const struct personality *personality = options->personality;
	const char *log_path = options->log;
	FILE *log = open_log(log_path);
	struct gpu *gpu;
	int status;

	if (!log) {
		fprintf(stderr, "amdgpu-model: %s: %s\n", log_path,
			strerror(errno));
		return 1;
	}
	gpu = gpu_create(personality, log, options->nr_threads);
	if (!gpu) {
		fprintf(stderr, "amdgpu-model: no %s: %s\n", personality->name,
			strerror(errno));
		return 1;
	}
	catch_signals();
	status = serve_socket(gpu, socket);
	gpu_destroy(gpu);
	return status;
}

static int write_firmware(const struct personality *personality,
			  const char *directory)
{
	int err = firmware_write(personality, directory);

	if (err)
		fprintf(stderr, "amdgpu-model: %s: %s\n", directory,
			strerror(-err));
	return err ? 1 : 0;
}

static int wrong_use(void)
{
	fputs(usage_text, stderr);
	return 2;
}

static unsigned int nr_processors(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	return nr < 1 ? 1 : nr > EXECUTORS_MAX ? EXECUTORS_MAX : nr;
}

/* false: there is no such number of threads */
static bool parse_threads(const char *text, unsigned int *nr)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*nr = value;
	if (*text >= '0' && *text <= '9' && !*end && value && value <= EXECUTORS_MAX)
		return true;
	fprintf(stderr, "amdgpu-model: threads are 1 to %u, not %s\n", EXECUTORS_MAX, text);
	return false;
}

/* 0, or the exit status */
static int parse_option(struct options *options, int option)
{
	switch (option) {
	case 'g':
		options->personality = personality_find(optarg);
		if (options->personality)
			return 0;
		fprintf(stderr, "amdgpu-model: no such GPU: %s\n", optarg);
		return 2;
	case 't':
		return parse_threads(optarg, &options->nr_threads) ? 0 : 2;
	case 'l':
		options->log = optarg;
		return 0;
	case 'f':
		options->firmware = optarg;
		return 0;
	default:
		return wrong_use();
	}
}

int main(int argc, char **argv)
{
	static const struct option names[] = {
		{ "gpu", required_argument, NULL, 'g' },
		{ "threads", required_argument, NULL, 't' },
		{ "log", required_argument, NULL, 'l' },
		{ "firmware", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct options options = {
		.personality = &personality_gfx90a, .nr_threads = nr_processors(), .log = "-",
	};
	int option, status = 0;

	while (!status && (option = getopt_long(argc, argv, "h", names, NULL)) >= 0) {
		if (option == 'h') {
			fputs(usage_text, stdout);
			return 0;
		}
		status = parse_option(&options, option);
	}
	if (status)
		return status;
	if (argc - optind != !options.firmware)
		return wrong_use();
	return options.firmware ?
	       write_firmware(options.personality, options.firmware) :
	       run(&options, argv[optind]);
}
