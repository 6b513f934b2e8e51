// SPDX-License-Identifier: GPL-2.0
/* Samples that perf record wrote twice: each is one. */
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "twice.h"

#define STREAM	2000

static struct twice_sample sample_at(uint64_t time, uint32_t cpu, uint64_t wave)
{
	struct twice_sample sample;

	memset(&sample, 0, sizeof(sample));
	sample.hit.time = time;
	sample.hit.cpu = cpu;
	sample.hit.rec.wave = wave;
	return sample;
}

static unsigned int count(const struct twice_sample *samples, unsigned int nr)
{
	struct twice twice = {};
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += !twice_is_known(&twice, &samples[i]);
	return n;
}

/* one field differs: another sample */
static bool each_field_matters(void)
{
	struct twice_sample pair[2];
	unsigned char *bytes = (unsigned char *)&pair[1];
	size_t i;

	for (i = 0; i < sizeof(pair[1]); i++) {
		pair[0] = sample_at(7, 1, 3);
		pair[1] = pair[0];
		bytes[i] ^= 1;
		if (count(pair, 2) != 2)
			return false;
	}
	return true;
}

/*
 * By time, as perf script prints them: up to @most different ones at a time, each up to
 * three times
 */
static bool streams_are_right(unsigned int most)
{
	struct twice_sample *stream = calloc(STREAM, sizeof(*stream));
	unsigned int nr = 0, want = 0, n, i, copies;
	uint64_t time = 1;
	bool right;

	while (stream && nr + 3 * most <= STREAM) {
		n = 1 + (unsigned int)rand() % most;
		want += n;
		for (copies = 1 + (unsigned int)rand() % 3; copies; copies--)
			for (i = 0; i < n; i++)
				stream[nr++] = sample_at(time, i % 2, i);
		time += 1 + (unsigned int)rand() % 5;
	}
	right = stream && count(stream, nr) == want;
	free(stream);
	return right;
}

static bool no_more_are_dropped(void)
{
	struct twice_sample many[3 * TWICE_MAX];
	unsigned int i;

	for (i = 0; i < 3 * TWICE_MAX; i++)
		many[i] = sample_at(9, 0, i);
	return count(many, 3 * TWICE_MAX) == 3 * TWICE_MAX;
}

int main(void)
{
	struct twice_sample same[3] = {
		sample_at(5, 0, 1), sample_at(5, 0, 1), sample_at(5, 0, 1),
	};
	struct twice_sample timeless[2] = { sample_at(0, 0, 1), sample_at(0, 0, 1) };

	tap_plan(5);
	tap_ok(count(same, 3) == 1, "three times the same");
	tap_ok(count(timeless, 2) == 2, "without times none is");
	tap_ok(each_field_matters(), "whatever else differs");
	tap_ok(streams_are_right(1) && streams_are_right(TWICE_MAX), "streams");
	tap_ok(no_more_are_dropped(), "more at a time than are kept");
	return tap_status();
}
