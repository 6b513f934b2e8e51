// SPDX-License-Identifier: GPL-2.0
/*
 * Filling buffers.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "exec.h"

/* splitmix64: the same numbers everywhere, for the same seed */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* integers: all values of the type; floats: [0, 1) in steps that f32 can tell */
static struct number random_number(const struct elem_type *type, uint64_t *state)
{
	uint64_t bits = next_random(state);
	struct number n = {
		.num = bits >> (64 - 8 * type->size),
		.real = (double)(bits >> 40) / (1 << 24),
	};

	return n;
}

static struct number pattern_number(const struct pattern *pattern,
				    const struct elem_type *type, uint64_t i,
				    uint64_t *state)
{
	struct number n = {};

	switch (pattern->type) {
	case PATTERN_IOTA:
		/* wraps in small types */
		n.num = i & (~0ULL >> (64 - 8 * type->size));
		n.real = (double)i;
		return n;
	case PATTERN_RANDOM:
		return random_number(type, state);
	case PATTERN_VALUE:
		return pattern->value;
	default:
		return n;
	}
}

static int fill_from_file(const char *path, char *p, uint64_t size,
			  struct grun_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t done = 0;
	ssize_t n = 1;

	if (fd < 0)
		return grun_fail(err, -errno, "%s: %s", path, strerror(errno));
	while (done < size && n > 0) {
		n = read(fd, p + done, size - done);
		if (n > 0)
			done += (uint64_t)n;
	}
	close(fd);
	if (done < size)
		return grun_fail(err, -EINVAL,
				 "%s: has %llu bytes, the buffer takes %llu", path,
				 (unsigned long long)done, (unsigned long long)size);
	return 0;
}

int pattern_fill(const struct pattern *pattern, const struct elem_type *type,
		 void *p, uint64_t count, struct grun_err *err)
{
	uint64_t i, state = pattern->value.num;
	struct number n;

	if (pattern->type == PATTERN_FILE)
		return fill_from_file(pattern->file, p, count * type->size, err);
	for (i = 0; i < count; i++) {
		n = pattern_number(pattern, type, i, &state);
		elem_put(type, (char *)p + i * type->size, &n);
	}
	return 0;
}
