// SPDX-License-Identifier: GPL-2.0
/*
 * Several programs of this folder in one process, each a library with a main(): the
 * runtime compiles kernels of its own when a process first uses it, which takes longer
 * than the program under an emulator.
 *
 * usage: together NAME...	libraries beside this program
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef int (*program)(void);

/* load - the program of that name, or nothing */
static program load(const char *folder, const char *name)
{
	char path[500];
	void *library, *start = nullptr;

	snprintf(path, sizeof(path), "%s/%s.so", folder, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library)
		start = dlsym(library, "main");
	if (!start)
		printf("Bail out! %s\n", dlerror());
	return (program)start;
}

/* the processor's seconds of this process */
static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* run - prints that it ended, and is 0 if it ended well */
static int run(const char *name, program start)
{
	double begin = seconds();
	int status = start();

	printf("%s - %s ends with 0\n# %s: %.2f s of a processor\n",
	       status ? "not ok" : "ok", name, name, seconds() - begin);
	fflush(stdout);
	return status;
}

/* All are loaded before the first one calls HIP, which looks for managed variables then. */
int main(int argc, char **argv)
{
	char *end = strrchr(argv[0], '/');
	program programs[100];
	int i, failures = 0;

	if (!end || argc < 2 || argc > 100)
		return 2;
	*end = '\0';
	for (i = 1; i < argc; i++) {
		programs[i] = load(argv[0], argv[i]);
		if (!programs[i])
			return 1;
	}
	for (i = 1; i < argc; i++)
		failures += run(argv[i], programs[i]) != 0;
	return failures != 0;
}
