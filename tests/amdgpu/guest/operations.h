/* SPDX-License-Identifier: GPL-2.0 */
/* Programs whose arguments are operations "NAME" or "NAME=ARGUMENT", each with a line of output. */
#ifndef AMDGPU_GUEST_OPERATIONS_H
#define AMDGPU_GUEST_OPERATIONS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * struct operation - one of them
 * @name: that it begins with; NULL ends a list
 * @perform: called with the whole operation and its argument, "" if it has none
 */
struct operation {
	const char *name;
	void (*perform)(const char *op, char *arg);
};

/** print_result() - "OP: RESULT", or "OP: -ERRNO" if it is negative, without an end of line */
static inline void print_result(const char *op, int result)
{
	if (result < 0)
		printf("%s: -%s", op, strerrorname_np(errno));
	else
		printf("%s: %d", op, result);
}

/** wait_until() - until file @arg exists */
static inline void wait_until(const char *op, char *arg)
{
	while (access(arg, F_OK))
		usleep(50000);
	printf("%s: 0\n", op);
}

/** touch_file() - make file @arg */
static inline void touch_file(const char *op, char *arg)
{
	int fd = open(arg, O_WRONLY | O_CREAT, 0644);

	print_result(op, fd < 0 ? -1 : 0);
	printf("\n");
	if (fd >= 0)
		close(fd);
}

/** perform_operations() - one after the other, up to NULL; there must be none but those of @list */
static inline void perform_operations(const struct operation *list, char **ops)
{
	const struct operation *o;
	size_t length;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; *ops; ops++) {
		length = strcspn(*ops, "=");
		for (o = list; o->name; o++)
			if (strlen(o->name) == length &&
			    !strncmp(o->name, *ops, length))
				break;
		if (!o->name) {
			fprintf(stderr, "no such operation: %s\n", *ops);
			exit(2);
		}
		o->perform(*ops, *ops + length + ((*ops)[length] == '='));
	}
}

#endif /* AMDGPU_GUEST_OPERATIONS_H */
