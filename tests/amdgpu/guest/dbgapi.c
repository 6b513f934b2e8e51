// SPDX-License-Identifier: GPL-2.0
/*
 * dbgapi PID OP...: a debugger of a ROCm process, by AMD's library for that
 * (librocm-dbgapi), which ROCgdb is built on. Prints a line for each operation,
 * which begins "OP: " and goes on "0" or the library's name of the error:
 *
 *	attach			"attach: 0 runtime N"; N 1: the runtime is loaded
 *	agents			"agents: 0 of N: NAME..."
 *	queues			"queues: 0 of N"
 *	watch=ADDRESS,SIZE	for stores and atomics: "watch=...: 0"
 *	unwatch			the last one
 *	stopped=SECONDS		until a wave stops, "stopped=...: 0 reason R pc 0x...
 *				exec 0x... v0 0x...": the following are about this wave
 *	waves			"waves: 0 of N, STOPPED stopped"
 *	stop			the first wave that runs; its stop follows (stopped=)
 *	step			one instruction, in a displaced buffer: "step: 0 pc 0x..."
 *	resume			the wave
 *	hits=NUMBER		so often, a wave stops and goes on: "hits=...: 0 in N us",
 *				from the first one
 *	detach			which lets all waves go on
 *	until=FILE		wait until FILE exists
 *	touch=FILE
 */
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <time.h>
#include <amd-dbgapi.h>

#include "operations.h"

/* DWARF's number of v0 in waves of 64 lanes */
#define DWARF_V0	2560
#define EVENT_SECONDS	20
#define MAX_INSN	32

static pid_t target;
static amd_dbgapi_process_id_t process;
static amd_dbgapi_watchpoint_id_t watchpoint;
static amd_dbgapi_wave_id_t wave;

/* true: it is no error; prints both */
static bool print_status(const char *op, amd_dbgapi_status_t status)
{
	const char *text = "?";

	if (status != AMD_DBGAPI_STATUS_SUCCESS)
		amd_dbgapi_get_status_string(status, &text);
	printf("%s: %s", op, status == AMD_DBGAPI_STATUS_SUCCESS ? "0" : text);
	return status == AMD_DBGAPI_STATUS_SUCCESS;
}

/* ---- what the library asks for ------------------------------------------------ */

static amd_dbgapi_status_t get_os_pid(amd_dbgapi_client_process_id_t client,
				      amd_dbgapi_os_process_id_t *pid)
{
	*pid = target;
	return AMD_DBGAPI_STATUS_SUCCESS;
}

/* where code objects are loaded and unloaded, of which this program sees nothing */
static amd_dbgapi_status_t insert_breakpoint(amd_dbgapi_client_process_id_t client,
					     amd_dbgapi_global_address_t address,
					     amd_dbgapi_breakpoint_id_t breakpoint)
{
	return AMD_DBGAPI_STATUS_SUCCESS;
}

static amd_dbgapi_status_t remove_breakpoint(amd_dbgapi_client_process_id_t client,
					     amd_dbgapi_breakpoint_id_t breakpoint)
{
	return AMD_DBGAPI_STATUS_SUCCESS;
}

static void log_message(amd_dbgapi_log_level_t level, const char *message)
{
	printf("# %s\n", message);
}

static amd_dbgapi_callbacks_t callbacks = {
	.allocate_memory = malloc,
	.deallocate_memory = free,
	.get_os_pid = get_os_pid,
	.insert_breakpoint = insert_breakpoint,
	.remove_breakpoint = remove_breakpoint,
	.log_message = log_message,
};

/* ---- events --------------------------------------------------------------------- */

/* until the library may have one, which it says by a file */
static void wait_event(void)
{
	struct pollfd file = { .fd = -1, .events = POLLIN };
	char said[64];

	amd_dbgapi_process_get_info(process, AMD_DBGAPI_PROCESS_INFO_NOTIFIER,
				    sizeof(file.fd), &file.fd);
	if (poll(&file, 1, 50) > 0)
		while (read(file.fd, said, sizeof(said)) == sizeof(said))
			;
}

/* the next event of a kind, others are done with; false: none within so many seconds */
static bool next_event(amd_dbgapi_event_kind_t wanted, unsigned int seconds,
		       amd_dbgapi_event_id_t *event)
{
	amd_dbgapi_event_kind_t kind;
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		while (amd_dbgapi_process_next_pending_event(process, event, &kind) ==
		       AMD_DBGAPI_STATUS_SUCCESS && kind != AMD_DBGAPI_EVENT_KIND_NONE) {
			if (kind == wanted)
				return true;
			amd_dbgapi_event_processed(*event);
		}
		wait_event();
	}
	return false;
}

/* ... for a wave, which becomes the one that operations are about */
static bool next_stop(unsigned int seconds)
{
	amd_dbgapi_event_id_t event;

	if (!next_event(AMD_DBGAPI_EVENT_KIND_WAVE_STOP, seconds, &event))
		return false;
	amd_dbgapi_event_get_info(event, AMD_DBGAPI_EVENT_INFO_WAVE, sizeof(wave), &wave);
	return amd_dbgapi_event_processed(event) == AMD_DBGAPI_STATUS_SUCCESS;
}

static uint64_t wave_info(amd_dbgapi_wave_info_t query, size_t size)
{
	uint64_t value = 0;

	amd_dbgapi_wave_get_info(wave, query, size, &value);
	return value;
}

static uint64_t wave_pc(void)
{
	return wave_info(AMD_DBGAPI_WAVE_INFO_PC, 8);
}

/* ---- operations ----------------------------------------------------------------- */

static void op_attach(const char *op, char *arg)
{
	amd_dbgapi_event_id_t event;
	uint32_t state = 0;

	if (print_status(op, amd_dbgapi_process_attach((void *)&target, &process)) &&
	    next_event(AMD_DBGAPI_EVENT_KIND_RUNTIME, EVENT_SECONDS, &event)) {
		amd_dbgapi_event_get_info(event, AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE,
					  sizeof(state), &state);
		amd_dbgapi_event_processed(event);
	}
	printf(" runtime %u\n", state);
}

static void op_agents(const char *op, char *arg)
{
	amd_dbgapi_agent_id_t *agents = NULL;
	size_t nr = 0, i;

	print_status(op, amd_dbgapi_process_agent_list(process, &nr, &agents, NULL));
	printf(" of %zu:", nr);
	for (i = 0; i < nr; i++) {
		char *name = NULL;

		amd_dbgapi_agent_get_info(agents[i], AMD_DBGAPI_AGENT_INFO_NAME,
					  sizeof(name), &name);
		printf(" %s", name ? name : "?");
		free(name);
	}
	printf("\n");
	free(agents);
}

static void op_queues(const char *op, char *arg)
{
	amd_dbgapi_queue_id_t *queues = NULL;
	size_t nr = 0;

	print_status(op, amd_dbgapi_process_queue_list(process, &nr, &queues, NULL));
	printf(" of %zu\n", nr);
	free(queues);
}

static void op_watch(const char *op, char *arg)
{
	uint64_t address = strtoull(arg, &arg, 0);
	uint64_t size = *arg ? strtoull(arg + 1, NULL, 0) : 4;

	print_status(op, amd_dbgapi_set_watchpoint(process, address, size,
				AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW, &watchpoint));
	printf("\n");
}

static void op_unwatch(const char *op, char *arg)
{
	print_status(op, amd_dbgapi_remove_watchpoint(watchpoint));
	printf("\n");
}

static uint32_t vgpr(uint64_t dwarf)
{
	amd_dbgapi_architecture_id_t arch = { 0 };
	amd_dbgapi_register_id_t reg = { 0 };
	uint32_t value = 0;

	amd_dbgapi_wave_get_info(wave, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE, sizeof(arch),
				 &arch);
	amd_dbgapi_dwarf_register_to_register(arch, dwarf, &reg);
	amd_dbgapi_read_register(wave, reg, 0, sizeof(value), &value);
	return value;
}

static void op_stopped(const char *op, char *arg)
{
	if (!next_stop((unsigned int)atoi(arg))) {
		printf("%s: no wave stopped\n", op);
		return;
	}
	printf("%s: 0 reason 0x%llx pc 0x%llx exec 0x%llx v0 0x%x\n", op,
	       (unsigned long long)wave_info(AMD_DBGAPI_WAVE_INFO_STOP_REASON, 4),
	       (unsigned long long)wave_pc(),
	       (unsigned long long)wave_info(AMD_DBGAPI_WAVE_INFO_EXEC_MASK, 8),
	       vgpr(DWARF_V0));
}

static bool wave_is_stopped(amd_dbgapi_wave_id_t which)
{
	uint32_t state = 0;

	amd_dbgapi_wave_get_info(which, AMD_DBGAPI_WAVE_INFO_STATE, sizeof(state), &state);
	return state == AMD_DBGAPI_WAVE_STATE_STOP;
}

static void op_waves(const char *op, char *arg)
{
	amd_dbgapi_wave_id_t *waves = NULL;
	size_t nr = 0, i, stopped = 0;

	print_status(op, amd_dbgapi_process_wave_list(process, &nr, &waves, NULL));
	for (i = 0; i < nr; i++)
		stopped += wave_is_stopped(waves[i]);
	printf(" of %zu, %zu stopped\n", nr, stopped);
	free(waves);
}

static void op_stop(const char *op, char *arg)
{
	amd_dbgapi_wave_id_t *waves = NULL;
	size_t nr = 0, i;

	amd_dbgapi_process_wave_list(process, &nr, &waves, NULL);
	for (i = 0; i < nr && wave_is_stopped(waves[i]); i++)
		;
	if (i < nr)
		print_status(op, amd_dbgapi_wave_stop(waves[i]));
	else
		printf("%s: no wave runs", op);
	printf("\n");
	free(waves);
}

static amd_dbgapi_status_t step_displaced(void)
{
	amd_dbgapi_displaced_stepping_id_t stepping;
	amd_dbgapi_status_t status;
	uint8_t insn[MAX_INSN];
	amd_dbgapi_size_t size = sizeof(insn);

	status = amd_dbgapi_read_memory(process, wave, 0, AMD_DBGAPI_ADDRESS_SPACE_GLOBAL,
					wave_pc(), &size, insn);
	if (!status)
		status = amd_dbgapi_displaced_stepping_start(wave, insn, &stepping);
	if (status)
		return status;
	status = amd_dbgapi_wave_resume(wave, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
					AMD_DBGAPI_EXCEPTION_NONE);
	if (!status && !next_stop(EVENT_SECONDS))
		status = AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
	return status ?: amd_dbgapi_displaced_stepping_complete(wave, stepping);
}

static void op_step(const char *op, char *arg)
{
	print_status(op, step_displaced());
	printf(" pc 0x%llx\n", (unsigned long long)wave_pc());
}

static void op_resume(const char *op, char *arg)
{
	print_status(op, amd_dbgapi_wave_resume(wave, AMD_DBGAPI_RESUME_MODE_NORMAL,
						AMD_DBGAPI_EXCEPTION_NONE));
	printf("\n");
}

/* what is read of it is its pc */
static bool stop_and_resume(void)
{
	return next_stop(EVENT_SECONDS) && wave_pc() &&
	       !amd_dbgapi_wave_resume(wave, AMD_DBGAPI_RESUME_MODE_NORMAL,
				       AMD_DBGAPI_EXCEPTION_NONE);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

static void op_hits(const char *op, char *arg)
{
	uint64_t begin = 0;
	int left;

	for (left = atoi(arg); left && stop_and_resume(); left--)
		begin = begin ?: now_us();
	if (left)
		printf("%s: %d are missing\n", op, left);
	else
		printf("%s: 0 in %llu us\n", op, (unsigned long long)(now_us() - begin));
}

static void op_detach(const char *op, char *arg)
{
	print_status(op, amd_dbgapi_process_detach(process));
	printf("\n");
}

static const struct operation operations[] = {
	{ "attach", op_attach },
	{ "agents", op_agents },
	{ "queues", op_queues },
	{ "watch", op_watch },
	{ "unwatch", op_unwatch },
	{ "stopped", op_stopped },
	{ "waves", op_waves },
	{ "stop", op_stop },
	{ "step", op_step },
	{ "resume", op_resume },
	{ "hits", op_hits },
	{ "detach", op_detach },
	{ "until", wait_until },
	{ "touch", touch_file },
	{ 0 }
};

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: dbgapi PID OPERATION...\n");
		return 2;
	}
	target = atoi(argv[1]);
	if (ptrace(PTRACE_SEIZE, target, 0, 0)) {
		perror("dbgapi: ptrace");
		return 1;
	}
	amd_dbgapi_set_log_level(getenv("DBGAPI_LOG") ? atoi(getenv("DBGAPI_LOG")) :
				 AMD_DBGAPI_LOG_LEVEL_WARNING);
	if (amd_dbgapi_initialize(&callbacks)) {
		printf("the library cannot be used\n");
		return 1;
	}
	perform_operations(operations, argv + 2);
	amd_dbgapi_finalize();
	return 0;
}
