// SPDX-License-Identifier: GPL-2.0
/*
 * The demo application: four kernels in a pipeline, some frames of it.
 *
 * All buffers lie one behind another in one allocation, as a suballocator has
 * them, each with a name. Between those that kernels write lie tables that none
 * may write. At the end the program compares the tables with what it had put
 * there, and says which are damaged; it cannot know by which kernel.
 *
 * usage: demo [--frames N] [--device PATH] STENCIL.elf
 * exit status: 0 all is well, 1 a table is damaged, 2 usage, 3 no GPU
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpubp_run.h"

#define WIDTH		64
#define HEIGHT		64
#define PIXELS		(WIDTH * HEIGHT)
#define TABLE		64
#define LEVELS		64

enum {
	EXIT_OK = 0,
	EXIT_DAMAGED = 1,
	EXIT_USAGE = 2,
	EXIT_GPU = 3,
};

enum buffer_id {
	SHADES, PICTURE, LUT, BLURRED, GAMMA, RESULT, PALETTE, HISTOGRAM, LIMITS,
	NR_BUFFERS,
};

/* all elements have 4 bytes; @table: filled by the CPU, read-only for kernels */
static const struct {
	const char *name;
	unsigned int count;
	bool table;
} buffers[NR_BUFFERS] = {
	[SHADES] = { "shades", TABLE, true },
	[PICTURE] = { "picture", PIXELS, false },
	[LUT] = { "lut", TABLE, true },
	[BLURRED] = { "blurred", PIXELS, false },
	[GAMMA] = { "gamma", TABLE, true },
	[RESULT] = { "result", PIXELS, false },
	[PALETTE] = { "palette", TABLE, true },
	[HISTOGRAM] = { "levels", LEVELS, false },
	[LIMITS] = { "limits", TABLE, true },
};

struct demo {
	struct grun_device *dev;
	struct grun_code *code;
	struct grun_mem mem;
	uint64_t offset[NR_BUFFERS];
	struct grun_err err;
};

static uint64_t buffer_va(const struct demo *demo, enum buffer_id id)
{
	return demo->mem.va + demo->offset[id];
}

static float *buffer_cpu(const struct demo *demo, enum buffer_id id)
{
	return (float *)((char *)demo->mem.cpu + demo->offset[id]);
}

/* a value that a kernel's result would hardly be */
static float table_value(enum buffer_id id, unsigned int i)
{
	return (float)(TABLE - i) / TABLE + (id == SHADES ? 0 : 2 * (float)id);
}

static int allocate(struct demo *demo)
{
	uint64_t size = 0;
	unsigned int i, n;
	int ret;

	for (i = 0; i < NR_BUFFERS; i++) {
		demo->offset[i] = size;
		size += 4 * buffers[i].count;
	}
	ret = grun_alloc(demo->dev, &demo->mem, size, 0, &demo->err);
	for (i = 0; !ret && i < NR_BUFFERS; i++) {
		for (n = 0; buffers[i].table && n < buffers[i].count; n++)
			buffer_cpu(demo, i)[n] = table_value(i, n);
		ret = grun_name(demo->dev, buffer_va(demo, i),
				4 * buffers[i].count, buffers[i].name,
				&demo->err);
	}
	return ret;
}

static union grun_value pointer_arg(const struct demo *demo, enum buffer_id id)
{
	return (union grun_value){ .va = buffer_va(demo, id) };
}

static union grun_value int_arg(int n)
{
	union grun_value value = {};

	memcpy(value.bytes, &n, sizeof(n));
	return value;
}

static union grun_value float_arg(float f)
{
	union grun_value value = {};

	memcpy(value.bytes, &f, sizeof(f));
	return value;
}

static int launch(struct demo *demo, const char *name,
		  const union grun_value *args, unsigned int nr_args)
{
	const struct grun_kernel *kernel = grun_code_find(demo->code, name);
	struct grun_launch launch = { .grid = { PIXELS, 1, 1 } };

	if (!kernel)
		return grun_fail(&demo->err, -1, "no kernel %s", name);
	memcpy(launch.workgroup, kernel->required, sizeof(launch.workgroup));
	if (launch.workgroup[1] > 1) {
		launch.grid[0] = WIDTH;
		launch.grid[1] = HEIGHT;
	}
	return grun_dispatch(demo->dev, demo->code, kernel, &launch, args,
			     nr_args, NULL, &demo->err);
}

static int launch_frame(struct demo *demo, int frame)
{
	union grun_value draw[] = {
		pointer_arg(demo, PICTURE), pointer_arg(demo, SHADES),
		int_arg(WIDTH), int_arg(frame),
	};
	union grun_value blur[] = {
		pointer_arg(demo, PICTURE), pointer_arg(demo, BLURRED),
		int_arg(WIDTH), int_arg(HEIGHT),
	};
	union grun_value normalise[] = {
		pointer_arg(demo, BLURRED), pointer_arg(demo, RESULT),
		float_arg(1.05f), float_arg(-0.04f - 0.001f * (float)frame),
	};
	union grun_value histogram[] = {
		pointer_arg(demo, RESULT), pointer_arg(demo, HISTOGRAM),
		int_arg(LEVELS),
	};
	int ret = launch(demo, "draw", draw, 4);

	if (!ret)
		ret = launch(demo, "blur", blur, 4);
	if (!ret)
		ret = launch(demo, "normalise", normalise, 4);
	if (!ret)
		ret = launch(demo, "histogram", histogram, 3);
	return ret;
}

static int run(struct demo *demo, int frames)
{
	int frame, ret = 0;

	for (frame = 0; !ret && frame < frames; frame++)
		ret = launch_frame(demo, frame);
	if (!ret)
		ret = grun_wait(demo->dev, 0, -1, &demo->err);
	return ret;
}

static bool table_damaged(const struct demo *demo, enum buffer_id id)
{
	const float *table = buffer_cpu(demo, id);
	unsigned int i;
	bool damaged = false;

	for (i = 0; i < buffers[id].count; i++) {
		if (table[i] == table_value(id, i))
			continue;
		printf("demo: %s[%u] is damaged: %.9g, not %.9g\n",
		       buffers[id].name, i, table[i], table_value(id, i));
		damaged = true;
	}
	return damaged;
}

static int verdict(const struct demo *demo, int frames)
{
	const uint32_t *levels = (const void *)buffer_cpu(demo, HISTOGRAM);
	unsigned int i, damaged = 0, counted = 0;

	for (i = 0; i < LEVELS; i++)
		counted += levels[i];
	printf("demo: %d frames, %u pixels counted\n", frames, counted);
	for (i = 0; i < NR_BUFFERS; i++)
		damaged += buffers[i].table && table_damaged(demo, i);
	if (!damaged)
		printf("demo: all tables are as they were\n");
	return damaged ? EXIT_DAMAGED : EXIT_OK;
}

static int fail(const struct demo *demo)
{
	fprintf(stderr, "demo: %s\n", demo->err.text);
	return EXIT_GPU;
}

static int parse_options(int argc, char **argv, int *frames, const char **device)
{
	static const struct option longs[] = {
		{ "frames", required_argument, NULL, 'f' },
		{ "device", required_argument, NULL, 'd' },
		{}
	};
	int c;

	while ((c = getopt_long(argc, argv, "f:d:", longs, NULL)) != -1) {
		if (c == 'f')
			*frames = atoi(optarg);
		else if (c == 'd')
			*device = optarg;
		else
			return -1;
	}
	return *frames > 0 && optind == argc - 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
	const char *device = NULL;
	struct demo demo = {};
	int frames = 8, ret;

	if (parse_options(argc, argv, &frames, &device)) {
		fputs("usage: demo [--frames N] [--device PATH] STENCIL.elf\n", stderr);
		return EXIT_USAGE;
	}
	if (grun_code_open(&demo.code, argv[optind], &demo.err) ||
	    grun_open(&demo.dev, device, &demo.err) ||
	    grun_load(demo.dev, demo.code, basename(argv[optind]),
		      &demo.err) ||
	    allocate(&demo) || run(&demo, frames))
		ret = fail(&demo);
	else
		ret = verdict(&demo, frames);
	grun_close(demo.dev);
	grun_code_free(demo.code);
	return ret;
}
