// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "splat.h"

static int kmsg = -1;

void splat_open(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(kmsg, 0, SEEK_END);
}

/* the most common patterns of tests/vm/lib.sh */
static bool is_splat(const char *text)
{
	static const char *const splats[] = {
		"BUG:", "WARNING:", "Oops", "KASAN:", "UBSAN:", "INFO: task",
		"general protection fault", "possible circular locking",
		"possible recursive locking", "ODEBUG", "Bad page", "soft lockup",
		"list_add corruption", "list_del corruption", "rcu: INFO",
		"page allocation failure", "Out of memory", "refcount_t",
	};
	size_t i;

	for (i = 0; i < sizeof(splats) / sizeof(splats[0]); i++)
		if (strstr(text, splats[i]))
			return true;
	return false;
}

const char *splat_next(void)
{
	static char line[2048];
	char *text;
	ssize_t n;

	while ((n = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		text = strchr(line, ';');
		if (!text || !is_splat(text))
			continue;
		text[strcspn(text, "\n")] = '\0';
		return text + 1;
	}
	return NULL;
}
