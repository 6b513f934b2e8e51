// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp agent: let the agent of a ROCm process give way to a debugger of the GPU.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <subcmd/parse-options.h>
#include "plural.h"
#include "verb.h"
#include "yield.h"

#define SECONDS		60

static int say_yield(int pid, unsigned int seconds, const struct agent_answer *answer)
{
	if (answer->err == -EALREADY)
		return complain("process %d is giving way already, as another user asked for", pid);
	if (answer->err == -ECANCELED)
		return complain("process %d does not give way: another user called it back", pid);
	if (answer->err)
		return complain("process %d does not give way: %s", pid, strerror(-answer->err));
	printf("process %d gives way: a debugger of the GPU can attach, within %u second%s\n", pid,
	       seconds, plural(seconds));
	return EXIT_OK;
}

static int say_return(int pid, const struct agent_answer *answer)
{
	if (answer->err == -EALREADY)
		return complain("process %d is not watched yet: a debugger has the GPU", pid);
	if (answer->err)
		return complain("process %d is not watched yet: %s", pid, strerror(-answer->err));
	printf("process %d is watched\n", pid);
	return EXIT_OK;
}

static int say_state(int pid, const struct agent_answer *answer)
{
	if (answer->is_traced)
		printf("process %d gives way to a debugger of the GPU\n", pid);
	else if (answer->paused)
		printf("process %d gives way to a debugger of the GPU, which is not there\n", pid);
	else
		printf("process %d is watched\n", pid);
	return answer->paused ? EXIT_FOUND : EXIT_OK;
}

/* 0: there is no such word */
static uint32_t request_of(const char *word)
{
	return !strcmp(word, "yield") ? AGENT_YIELD : !strcmp(word, "return") ? AGENT_RETURN :
	       !strcmp(word, "state") ? AGENT_STATE : 0;
}

static int pid_of(const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	return *end || pid <= 0 || pid > INT_MAX ? 0 : (int)pid;
}

int verb_agent(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp agent yield [-t SECONDS] PID", "perf-gpubp agent return|state PID", NULL
	};
	struct agent_request request;
	struct agent_answer answer;
	struct grun_err err;
	unsigned int seconds = SECONDS;
	const struct option options[] = {
		OPT_UINTEGER('t', "time", &seconds,
			     "seconds until a debugger has to have attached, default 60"),
		OPT_END()
	};
	int pid;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc != 2)
		return misuse("agent needs yield, return or state, and a process");
	pid = pid_of(argv[1]);
	request = (struct agent_request){ request_of(argv[0]), seconds };
	if (!request.type || !pid)
		return misuse("'%s %s' is not yield, return or state, and a process", argv[0], argv[1]);
	if (yield_ask(pid, &request, &answer, &err))
		return complain("%s", err.text);
	return request.type == AGENT_YIELD ? say_yield(pid, seconds, &answer) :
	       request.type == AGENT_RETURN ? say_return(pid, &answer) : say_state(pid, &answer);
}
