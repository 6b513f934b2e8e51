// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"
#include "agent_wire.h"
#include "asker.h"
#include "attach.h"
#include "buffers.h"
#include "interpose.h"
#include "kfd.h"
#include "late.h"
#include "names.h"

#define NAME_LEN	64

/**
 * struct request - what was asked for last
 * @runs: it is being done
 * @asker: who asks
 * @tool: what gets names, or an answer
 */
static struct request {
	bool runs;
	char asker[NAME_LEN];
	char tool[NAME_LEN];
} request;

/* of a process whose ROCr has no handler of its end for us, as exit() calls the last one first */
static void see_calls(void)
{
	static bool seen;

	if (seen || !late_is())
		return;
	seen = true;
	atexit(agent_end);
	interpose_all();
}

/* what has allocated memory and loaded code before */
static void find_things(void)
{
	if (!kfd_gpu_at(0) || kfd_gpu_at(0)->render)
		late_find_gpus();
}

static void say_names(void)
{
	names_of_loaded_code();
	buffers_say_again();
}

static void say_begun(int fd, struct agent_hello *hello)
{
	hello->type = AGENT_HELLO;
	hello->version = AGENT_VERSION;
	hello->pid = (uint32_t)getpid();
	if (fd >= 0 && send(fd, hello, sizeof(*hello), MSG_NOSIGNAL) < 0)
		agent_end();
}

static void attach(bool by_kernel)
{
	int fd = request.tool[0] ? asker_connect(request.tool) : -1;
	struct agent_hello hello = { 0 };

	see_calls();
	find_things();
	/* names come before the hits that they are for; the kernel has them of processes it knows */
	if (!by_kernel && fd >= 0) {
		grun_listener_set(fd);
		say_names();
	}
	hello.err = agent_attach(request.asker, &hello);
	if (!by_kernel)
		return;
	if (!hello.err)
		say_names();
	say_begun(fd, &hello);
	if (fd >= 0)
		close(fd);
}

static void *attach_thread(void *unused)
{
	/* who opens events on the threads of the process waits until this one has ended */
	pthread_setname_np(pthread_self(), ATTACH_THREAD);
	attach(request.asker[0] != '@');
	__atomic_store_n(&request.runs, false, __ATOMIC_SEQ_CST);
	return NULL;
}

/* signals are the program's */
static int start_thread(void)
{
	pthread_t thread;
	sigset_t all, was;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	ret = pthread_create(&thread, NULL, attach_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (!ret)
		pthread_detach(thread);
	return -ret;
}

WRAPPER void gpubp_rocr_attach(const char *asker, const char *tool, int32_t *result)
{
	*result = -EALREADY;
	if (agent_is_asked() || __atomic_exchange_n(&request.runs, true, __ATOMIC_SEQ_CST))
		return;
	snprintf(request.asker, NAME_LEN, "%s", asker);
	snprintf(request.tool, NAME_LEN, "%s", tool);
	*result = start_thread();
	if (*result)
		__atomic_store_n(&request.runs, false, __ATOMIC_SEQ_CST);
}
