// SPDX-License-Identifier: GPL-2.0
/*
 * late_names LIBRARY: a program that allocates, loads the library when it has begun, and allocates
 * again: only the second buffer has a name, by calls of the program and of the runtime. Prints
 * TAP.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fake.h"
#include "tap.h"

extern struct fake fake;
int hipMalloc(void **at, size_t size);

/* lines of the file of names that have this size, in hexadecimal digits */
static unsigned int named(const char *size)
{
	char path[64], line[512];
	unsigned int nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/gpubp-%u.names", (unsigned int)getpid());
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		nr += !!strstr(line, size);
	if (file)
		fclose(file);
	return nr;
}

static void remove_names(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/gpubp-%u.names", (unsigned int)getpid());
	unlink(path);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", (unsigned int)getpid());
	unlink(path);
}

static void *alloc_at(char *address, size_t size)
{
	void *at = NULL;

	fake.at = address;
	hipMalloc(&at, size);
	return at;
}

int main(int argc, char **argv)
{
	int (*const volatile stored)(void **at, size_t size) = hipMalloc;
	void (*interpose)(void) = NULL;
	void *library, *at;

	tap_plan(6);
	alloc_at((char *)0x100000, 0x1110);
	library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (library)
		*(void **)&interpose = dlsym(library, "interpose_for_test");
	if (!tap_ok(interpose, "the library is loaded"))
		return 1;
	tap_ok(alloc_at((char *)0x200000, 0x2220) == (void *)0x200000 && !named("2220"),
	       "a call that is bound");
	interpose();
	tap_ok(alloc_at((char *)0x300000, 0x3330) == (void *)0x300000, "the next one");
	tap_ok(named("3330") == 1 && !named("1110"), "its buffer has a name");
	fake.at = (char *)0x400000;
	tap_ok(!stored(&at, 0x4440) && at == (void *)0x400000, "a call by a stored address");
	tap_ok(ioctl(-1, TIOCGWINSZ, &at) < 0, "a call of the C library's");
	remove_names();
	return tap_status();
}
