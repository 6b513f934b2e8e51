// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sysfile.h"

static int sys_open(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return open(full, O_RDONLY | O_CLOEXEC);
}

int sys_read(const char *root, const char *path, char text[SYS_FILE_MAX])
{
	int fd = sys_open(root, path);
	ssize_t n;

	text[0] = 0;
	if (fd < 0)
		return -errno;
	n = read(fd, text, SYS_FILE_MAX - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n > 0 ? n : 0] = 0;
	return (int)n;
}

FILE *sys_fopen(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fdopen(fd, "r");
	close(fd);
	errno = EINVAL;
	return NULL;
}

int sys_temporary(char path[PATH_MAX], const char *name)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(path, PATH_MAX, "%s/%s-XXXXXX", dir ? dir : "/tmp", name);
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

bool sys_same_file(const char *input, const char *output)
{
	struct stat a, b;

	return !stat(strcmp(input, "-") ? input : "/dev/stdin", &a) &&
	       !stat(output, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool sys_exists(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return !access(full, F_OK);
}

long sys_number(const char *root, const char *path, long otherwise)
{
	char text[SYS_FILE_MAX], *end;
	long n;

	if (sys_read(root, path, text) <= 0)
		return otherwise;
	n = strtol(text, &end, 0);
	return end == text ? otherwise : n;
}

bool sys_word(const char *text, unsigned int n, char *word, size_t len)
{
	size_t size;

	for (text += strspn(text, " "); n--; text += strspn(text, " "))
		text += strcspn(text, " ");
	size = strcspn(text, " ");
	snprintf(word, len, "%.*s", (int)size, text);
	return size > 0;
}
