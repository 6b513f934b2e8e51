// SPDX-License-Identifier: GPL-2.0
/*
 * fake_agent MODE: a process with an agent (agent_wire.h), without a GPU, for "perf-gpubp run
 * --no-kernel -w 0x1000/4:w -- fake_agent MODE".
 *
 *	hit	one store of 42 to 0x1000, by lane 5
 *	refuse	it cannot be watched
 *	named	likewise, and it names a buffer when its agent has ended
 *	unread	likewise, before that, and it ends without reading what is wanted then
 *	unarmed	no comparator is left
 *	torn	it ends without its last message
 *	killed	likewise, after a hit
 *	noise	it sends what no agent sends
 *	forged	likewise, hits
 *	silent	it has no agent
 *	pauses	it gives way to a debugger, and comes back, before that hit
 *	stay	it answers until it is not asked any more
 *	again	it has an agent already
 *
 * As a library, which FAKE_LIBRARY makes of it, it is what "perf-gpubp run --no-kernel -p PID" has
 * a process load; the mode is that of the variable FAKE_MODE.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "agent_wire.h"

/* of a place of gfx90a's handler, in dwords */
enum {
	PLACE_PC = 4, PLACE_EXEC = 8, PLACE_TTMP6 = 11, PLACE_TTMP8 = 12, PLACE_CODE = 20,
	PLACE_ADDR = 64, PLACE_DATA = 192, NR_LANES = 64,
};

#define LANE		5
#define STORE		(2u << 16)	/* kinds, of ttmp1 */
#define DISPATCH	9

static int link_fd;

static void say(const void *message, size_t len)
{
	if (send(link_fd, message, len, MSG_NOSIGNAL) != (ssize_t)len)
		exit(3);
}

static int connect_tool(void)
{
	const char *name = getenv("GPUBP_AGENT");
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (!name || name[0] != '@' || strlen(name) >= sizeof(address.sun_path))
		exit(4);
	memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
	link_fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	return connect(link_fd, (struct sockaddr *)&address,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name)));
}

static void say_hello(int err, const char *text)
{
	struct agent_hello hello = {
		.type = AGENT_HELLO, .version = AGENT_VERSION, .err = err,
		.pid = (uint32_t)getpid(), .gfx = 90010, .granule = 64, .largest = 1 << 30,
	};

	snprintf(hello.text, sizeof(hello.text), "%s", text);
	say(&hello, sizeof(hello));
}

/* global_store_dword v[2:3], v4, off */
static void fill_place(uint32_t *place)
{
	static const uint32_t code[2] = { 0xdc708000, 0x007f0402 };
	static const uint32_t group[3] = { 7, 2, 0 };

	place[0] = 1;
	place[PLACE_PC] = 0x2008;
	place[PLACE_PC + 1] = STORE | 3 << 19;
	place[PLACE_EXEC] = 1u << LANE;
	place[PLACE_TTMP6] = DISPATCH;
	memcpy(&place[PLACE_TTMP8], group, sizeof(group));
	place[PLACE_TTMP8 + 3] = 1;	/* wave */
	memcpy(&place[PLACE_CODE], code, sizeof(code));
	place[PLACE_ADDR + LANE] = 0x1000;
	place[PLACE_DATA + LANE] = 42;
}

static void say_hits(bool forged)
{
	struct {
		struct agent_hits hits;
		uint32_t place[AGENT_PLACE / 4];
	} m = { .hits = { .type = AGENT_HITS, .nr = 1, .counts[0] = { 1, 6, 0, 0 } } };
	unsigned int n;

	fill_place(m.place);
	for (n = 0; forged && n < AGENT_PLACE / 4; n++)
		m.place[n] = n ? (uint32_t)random() : 1;
	say(&m, sizeof(m));
}

static void answer(int err)
{
	struct agent_program program;
	struct agent_ack ack = { .type = AGENT_ACK, .err = { err } };

	if (recv(link_fd, &program, sizeof(program), 0) != sizeof(program) ||
	    !program.slot[0].on || program.slot[0].value != 0x1000 || program.slot[1].on)
		exit(5);
	ack.seq = program.seq;
	say(&ack, sizeof(ack));
}

/* a program without anything, before it is there again */
static void pause_and_return(void)
{
	struct agent_paused paused = { .type = AGENT_PAUSED, .on = 1 };
	struct agent_program program;
	struct agent_ack ack = { .type = AGENT_ACK, .counts[0].counted = 5 };

	say(&paused, sizeof(paused));
	if (recv(link_fd, &program, sizeof(program), 0) != sizeof(program) || program.slot[0].on)
		exit(9);
	ack.seq = program.seq;
	say(&ack, sizeof(ack));
	usleep(2000);
	paused.on = 0;
	say(&paused, sizeof(paused));
	answer(0);
}

/* what is wanted last is nothing, of which the last counts are said */
static void stay(void)
{
	struct agent_program program;
	struct agent_ack ack = { .type = AGENT_ACK };

	while (recv(link_fd, &program, sizeof(program), 0) == sizeof(program)) {
		ack.seq = program.seq;
		ack.counts[0].counted = program.slot[0].on ? 1 : 7;
		say(&ack, sizeof(ack));
	}
}

static void say_bye(uint64_t counted, uint64_t lost)
{
	const struct agent_ack bye = {
		.type = AGENT_BYE, .seq = 1, .counts[0] = { counted, 4, 0, lost },
	};

	say(&bye, sizeof(bye));
}

static void name_buffer(void)
{
	const char *listener = getenv("GPUBP_LISTENER");
	char text[64];
	int len;

	len = snprintf(text, sizeof(text), "buffer %d 4000 40 cells", getpid());
	if (!listener || send(atoi(listener), text, (size_t)len, MSG_NOSIGNAL) != len)
		exit(7);
}

/* while perf-gpubp looks at neither */
static void end_and_name(void)
{
	kill(getppid(), SIGSTOP);
	say_hits(false);
	say_bye(3, 2);
	close(link_fd);
	name_buffer();
	kill(getppid(), SIGCONT);
}

static void name_and_end(void)
{
	struct agent_program program;

	name_buffer();
	/* it is there, and stays */
	if (recv(link_fd, &program, sizeof(program), MSG_PEEK) != sizeof(program))
		exit(8);
	say_hits(false);
	say_bye(3, 2);
	close(link_fd);
}

static int run(const char *mode)
{
	if (!strcmp(mode, "silent"))
		return 0;
	if (connect_tool())
		return 6;
	if (!strcmp(mode, "refuse")) {
		say_hello(-EALREADY, "it is another's");
		return 0;
	}
	say_hello(0, "");
	if (!strcmp(mode, "stay")) {
		stay();
		return 0;
	}
	answer(strcmp(mode, "unarmed") ? 0 : -ENOMEM);
	if (!strcmp(mode, "torn"))
		return 0;
	if (!strcmp(mode, "pauses"))
		pause_and_return();
	if (!strcmp(mode, "named")) {
		end_and_name();
		return 0;
	}
	if (!strcmp(mode, "unread")) {
		name_and_end();
		return 0;
	}
	if (!strcmp(mode, "noise"))
		say("noise", 5);
	else if (strcmp(mode, "unarmed"))
		say_hits(!strcmp(mode, "forged"));
	if (strcmp(mode, "noise") && strcmp(mode, "killed"))
		say_bye(3, 2);
	return 0;
}

#ifdef FAKE_LIBRARY
static void *run_late(void *mode)
{
	run(mode);
	close(link_fd);
	return NULL;
}

void gpubp_rocr_attach(const char *asker, const char *tool, int32_t *result);

__attribute__((visibility("default")))
void gpubp_rocr_attach(const char *asker, const char *tool, int32_t *result)
{
	const char *mode = getenv("FAKE_MODE") ?: "";
	pthread_t thread;

	setenv("GPUBP_AGENT", asker, 1);
	if (!strcmp(mode, "again"))
		*result = -EALREADY;
	else
		*result = -pthread_create(&thread, NULL, run_late, (void *)mode);
}
#else
int main(int argc, char **argv)
{
	return argc > 1 ? run(argv[1]) : 2;
}
#endif
