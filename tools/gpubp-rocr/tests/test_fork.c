// SPDX-License-Identifier: GPL-2.0
/*
 * test_fork LIBRARY: a process forks while another thread of it allocates, and has locks:
 * its child frees and allocates. Or that thread is cancelled there: another one does. HIP and ROCr are fake.h's, LIBRARY and what it needs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <hsa_ext_amd.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake.h"
#include "gpubp_rocr.h"
#include "names.h"
#include "tap.h"

#define SECONDS		20	/* until a child hangs for ever */

int hipMalloc(void **at, size_t size);
int hipMallocManaged(void **at, size_t size, unsigned int flags);
int hipMallocAsync(void **at, size_t size, void *stream);
int hipFree(void *at);
hsa_status_t hsa_amd_svm_attributes_set(void *at, size_t size,
					hsa_amd_svm_attribute_pair_t *list, size_t nr);

/* where the thread stops, with the locks that it has there */
enum stop { STOP_SESSION, STOP_PUBLISH, STOP_FILE, STOP_LISTENER, NR_STOPS };

static enum stop stop;
static bool is_cancelled;	/* it does not stop there */
static sem_t stopped, go_on;
static pthread_t allocator;
static int heard[2];	/* a pipe: what the child published */
static struct fake *fake;
static fake_run_fn *run;
static char *shared;	/* memory of the host that the GPU accesses */

static void stop_at(enum stop here)
{
	if (stop != here || !allocator || !pthread_equal(pthread_self(), allocator))
		return;
	stop = NR_STOPS;	/* once */
	if (is_cancelled) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
		return;
	}
	sem_post(&stopped);
	sem_wait(&go_on);
}

/* the linker has these for calls of open(), ioctl() and send() */
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, struct gpubp_publish *p);
ssize_t __wrap_send(int fd, const void *data, size_t len, int flags);
int __real_open(const char *path, int flags, ...);
ssize_t __real_send(int fd, const void *data, size_t len, int flags);

int __wrap_open(const char *path, int flags, ...)
{
	bool session = !strcmp(path, "/dev/gpubp");

	stop_at(session ? STOP_SESSION : STOP_FILE);
	return session ? 1000 : __real_open(path, flags, 0644);
}

int __wrap_ioctl(int fd, unsigned long request, struct gpubp_publish *p)
{
	stop_at(STOP_PUBLISH);
	return write(heard[1], p->size ? "+" : "-", 1) == 1 ? 0 : -1;
}

ssize_t __wrap_send(int fd, const void *data, size_t len, int flags)
{
	stop_at(STOP_LISTENER);
	return __real_send(fd, data, len, flags);
}

static void *address(uintptr_t va)
{
	return (void *)va;
}

/* ---- a parent and its child --------------------------------------------------- */

static void *allocate(void *unused)
{
	hsa_amd_svm_attribute_pair_t accessible = { HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, 1 };

	allocator = pthread_self();
	hsa_amd_svm_attributes_set(shared, (size_t)getpagesize(), &accessible, 1);
	return NULL;
}

/* what its parent has, and what it has itself: it hangs if a lock is taken */
static void child_main(void)
{
	void *at;

	alarm(SECONDS);
	munmap(shared, (size_t)getpagesize());
	fake->at = address(0x3000);
	hipMalloc(&at, 0x100);
	gpubp_name(at, 0, "name");
	hipFree(at);
	hipMallocManaged(&at, 0x100, 0);
	hipFree(at);
	hipMallocAsync(&at, 0x100, NULL);
	run();
	hipFree(at);
	_exit(0);
}

/* answers as a tool does that listens */
static void answer(int listener)
{
	char message[256];

	if (recv(listener, message, sizeof(message), MSG_DONTWAIT) > 0)
		send(listener, "", 1, MSG_NOSIGNAL);
	usleep(1000);
}

static bool child_ends(pid_t pid, int listener)
{
	int status = -1;

	while (!waitpid(pid, &status, WNOHANG))
		answer(listener);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void remove_files(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
	snprintf(path, sizeof(path), "/tmp/gpubp-%d.names", pid);
	unlink(path);
}

/* 0, or what is wrong */
static int parent_main(int listener)
{
	const enum stop here = stop;
	char text[64] = "";
	pthread_t thread;
	pid_t pid;
	int wrong;

	shared = mmap(NULL, (size_t)getpagesize(), PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sem_init(&stopped, 0, 0);
	sem_init(&go_on, 0, 0);
	if (pipe(heard) || pthread_create(&thread, NULL, allocate, NULL))
		return 1;
	sem_wait(&stopped);
	/* what the thread published */
	if (here > STOP_PUBLISH && read(heard[0], text, 1) != 1)
		return 2;
	pid = fork();
	if (!pid)
		child_main();
	wrong = child_ends(pid, listener) ? 0 : 3;
	if (!wrong && (read(heard[0], text, sizeof(text) - 1) < 0 ||
		       strcmp(text, "+-+-+-+-")))
		wrong = 4;
	sem_post(&go_on);
	while (pthread_tryjoin_np(thread, NULL))
		answer(listener);
	remove_files(pid);
	remove_files(getpid());
	return wrong;
}

/* likewise, in another process, of which the main thread goes on */
static int cancelled_main(int listener)
{
	pid_t pid = fork();
	pthread_t thread;
	int wrong;

	if (!pid) {
		shared = mmap(NULL, (size_t)getpagesize(), PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		alarm(SECONDS);
		if (pipe(heard) || pthread_create(&thread, NULL, allocate, NULL) ||
		    pthread_join(thread, NULL))
			_exit(1);
		child_main();
	}
	wrong = child_ends(pid, listener) ? 0 : 1;
	remove_files(pid);
	return wrong;
}

/* in a process of its own: what is opened once is not open yet */
static int situation(void)
{
	int fds[2], status = -1;
	char text[16];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return -1;
	snprintf(text, sizeof(text), "%d", fds[1]);
	setenv("GPUBP_LISTENER", text, 1);
	pid = fork();
	if (!pid)
		_exit(is_cancelled ? cancelled_main(fds[0]) : parent_main(fds[0]));
	waitpid(pid, &status, 0);
	close(fds[0]);
	close(fds[1]);
	return status;
}

int main(int argc, char **argv)
{
	static const char * const names[NR_STOPS] = {
		[STOP_SESSION] = "opens the session", [STOP_PUBLISH] = "publishes a name",
		[STOP_FILE] = "writes a name", [STOP_LISTENER] = "talks to a listener",
	};
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	unsigned int i;
	int status;

	if (!library) {
		printf("Bail out! %s\n", argc == 2 ? dlerror() : "no library");
		return 1;
	}
	fake = dlsym(library, "fake");
	run = (fake_run_fn *)dlsym(library, "fake_run");
	tap_plan(2 * NR_STOPS);
	for (i = 0; i < 2 * NR_STOPS; i++) {
		stop = i % NR_STOPS;
		is_cancelled = i >= NR_STOPS;
		status = situation();
		tap_ok(!status, is_cancelled ? "a thread is cancelled that %s" :
		       "a fork while another thread %s", names[stop]);
		if (status)
			tap_note("status %#x", (unsigned int)status);
	}
	return tap_status();
}
