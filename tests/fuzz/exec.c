// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "exec.h"
#include "lex.h"
#include "pool.h"
#include "state.h"

static const struct {
	const char *name;
	long nr;
} syscalls[] = {
	{ "close", SYS_close }, { "dup", SYS_dup }, { "ioctl", SYS_ioctl },
	{ "kill", SYS_kill }, { "madvise", SYS_madvise }, { "mmap", SYS_mmap },
	{ "mprotect", SYS_mprotect }, { "mremap", SYS_mremap },
	{ "munmap", SYS_munmap }, { "openat", SYS_openat },
	{ "perf_event_open", SYS_perf_event_open }, { "read", SYS_read },
	{ "userfaultfd", SYS_userfaultfd }, { "write", SYS_write },
};

#define MAX_RING	(1 << 20)

static long syscall_nr(const char *name)
{
	size_t len = strcspn(name, "$"), i;

	for (i = 0; i < sizeof(syscalls) / sizeof(syscalls[0]); i++)
		if (strlen(syscalls[i].name) == len && !memcmp(name, syscalls[i].name, len))
			return syscalls[i].nr;
	return -1;
}

static const struct own_call *own_call(const char *name)
{
	static const struct own_call *const all[] = { exec_gpu, exec_sys };
	const struct own_call *call;
	size_t i;

	for (i = 0; i < 2; i++)
		for (call = all[i]; call->name; call++)
			if (!strcmp(call->name, name))
				return call;
	return NULL;
}

/* by number of the call */
static struct {
	const struct own_call *own;
	long nr;
} makers[MAX_CALLS];

void exec_init(void)
{
	unsigned int nr, i;
	const struct call *calls = syntax_calls(&nr);

	for (i = 0; i < nr; i++) {
		makers[i].own = own_call(calls[i].name);
		makers[i].nr = syscall_nr(calls[i].name);
		if (makers[i].nr < 0 && !makers[i].own)
			lex_die(calls[i].name, 0, "no maker for this call");
	}
}

static uint64_t room(uint64_t at, uint64_t len)
{
	uint64_t end = (uintptr_t)gen_pages() + VMA_PAGES * PAGE;

	return at >= end ? 0 : len < end - at ? len : end - at;
}

/* calls about memory must not touch the program's own memory */
static void keep_to_pages(const struct call *call, uint64_t *args)
{
	if (call->args[0].type->kind != TYPE_VMA)
		return;
	args[1] = room(args[0], args[1]);
	if (!strncmp(call->name, "mremap", 6))
		args[2] = room(args[4], args[2]);
}

static bool is_worker(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < state->nr_workers; i++)
		if (pid > 0 && state->workers[i].pid == pid)
			return true;
	return false;
}

/* resources of the fuzzer itself; rings of root may take all memory */
static bool is_forbidden(const struct made *made, long nr)
{
	return (nr == SYS_kill && !is_worker(made->args[0])) ||
	       (nr == SYS_mmap && made->args[1] > MAX_RING) ||
	       (nr == SYS_close && (made->args[0] < 3 || made->args[0] >= FIRST_OWN_FD));
}

int64_t exec_call(const struct made *made)
{
	const struct own_call *own = makers[made->call->nr].own;
	long nr = makers[made->call->nr].nr, ret;
	uint64_t a[MAX_ARGS];

	if (own)
		return own->fn(made);
	if (is_forbidden(made, nr))
		return -EPERM;
	memcpy(a, made->args, sizeof(a));
	keep_to_pages(made->call, a);
	ret = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (ret == -1)
		return -errno;
	if (nr == SYS_close)
		pool_drop_fd(a[0]);
	return ret;
}
