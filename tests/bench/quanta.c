// SPDX-License-Identifier: GPL-2.0
/*
 * Quanta: how long a quantum is on the average, by the commits that are counted
 * while many addresses rotate on the comparators and nothing else happens.
 */
#include <stdio.h>
#include <unistd.h>
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "others.h"

#define ADDRESSES	100
#define SECONDS		4

static double mean_us(void)
{
	int64_t commits;
	double us;

	usleep(500000);		/* the old quantum ends */
	commits = books_state("commits");
	us = now_ns() / 1e3;
	sleep(SECONDS);
	commits = books_state("commits") - commits;
	return commits ? (now_ns() / 1e3 - us) / commits : 0;
}

void bench_quanta(void)
{
	static const unsigned int quantum_us[] = { 10000, 4000, 1000, 500 };
	long old = event_parameter("quantum_us", quantum_us[0]);
	struct events events;
	struct gpu gpu;
	unsigned int i;
	char name[64];

	if (gpu_open(&gpu, "loop"))
		die("gpu");
	events_open(&events, ADDRESSES, ARMED, 0, 0);
	for (i = 0; i < sizeof(quantum_us) / sizeof(quantum_us[0]); i++) {
		event_parameter("quantum_us", quantum_us[i]);
		snprintf(name, sizeof(name), "mean quantum in us, of %u",
			 quantum_us[i]);
		bench_value(name, ARMED, mean_us());
	}
	event_parameter("quantum_us", old);
	events_close(&events);
	gpu_close(&gpu);
}
