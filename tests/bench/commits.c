// SPDX-License-Identifier: GPL-2.0
/*
 * Commits: how often the device's registers are written for a change of an
 * event; alone, and with a hundred events of the same address, so that no event
 * has to wait for a slot. And how often per second while a hundred addresses
 * rotate on the comparators, whatever users open and close.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "bench.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define MAX_OTHERS	100
#define CHANGES		10
#define SETTLE_US	100000
#define BURST		1000
#define SECONDS		1

static int session;

static int64_t commits(void)
{
	int64_t n = books_state("commits");

	if (n < 0)
		die("commits");
	return n;
}

/* waits until no further commit is made; returns their number */
static int64_t settled(void)
{
	int64_t old, new = commits();

	do {
		old = new;
		usleep(SETTLE_US);
		new = commits();
	} while (new != old);
	return new;
}

static uint64_t address_of(unsigned int i)
{
	return 0x100000 + 64ULL * i;
}

static int open_watch(unsigned int i)
{
	return bench_event(ARMED, address_of(i), 0, 0);
}

/* Changes of event *@fd; each is undone by the next one. */

static void do_open(int *fd)
{
	*fd = open_watch(0);
}

static void do_disable(int *fd)
{
	if (ioctl(*fd, PERF_EVENT_IOC_DISABLE, 0))
		die("disable");
}

static void do_enable(int *fd)
{
	if (ioctl(*fd, PERF_EVENT_IOC_ENABLE, 0))
		die("enable");
}

static void do_modify(int *fd)
{
	if (session_modify(session, *fd, address_of(1)))
		die("modify");
}

static void do_close(int *fd)
{
	close(*fd);
}

static const struct change {
	const char *name;
	void (*make)(int *fd);
} changes[] = {
	{ "opened", do_open },
	{ "disabled", do_disable },
	{ "enabled", do_enable },
	{ "modified", do_modify },
	{ "closed", do_close },
};

#define NR_CHANGES	(sizeof(changes) / sizeof(changes[0]))

static void count_changes(const char *where)
{
	int64_t made[NR_CHANGES] = {}, then = settled(), now;
	unsigned int round, i;
	char name[64];
	int fd;

	for (round = 0; round < CHANGES; round++)
		for (i = 0; i < NR_CHANGES; i++) {
			changes[i].make(&fd);
			now = settled();
			made[i] += now - then;
			then = now;
		}
	for (i = 0; i < NR_CHANGES; i++) {
		snprintf(name, sizeof(name), "commits, event %s, %s",
			 changes[i].name, where);
		bench_value(name, ARMED, (double)made[i] / CHANGES);
	}
}

static void open_others(int *fd, bool apart)
{
	unsigned int i;

	for (i = 0; i < MAX_OTHERS; i++)
		fd[i] = open_watch(2 + (apart ? i : 0));
}

static void close_others(const int *fd)
{
	unsigned int i;

	for (i = 0; i < MAX_OTHERS; i++)
		close(fd[i]);
	settled();
}

static void burst(void)
{
	unsigned int i;

	for (i = 0; i < BURST; i++)
		close(open_watch(0));
}

static void count_burst(void)
{
	int64_t then = settled();

	burst();
	bench_value("commits, opened and closed, in a burst of 1000", ARMED,
		    (double)(settled() - then) / BURST);
}

static void count_rate(const char *name, void (*pass_time)(void))
{
	int64_t made = commits();
	double begin = now_ns() / 1e9, time;

	do {
		pass_time();
		time = now_ns() / 1e9 - begin;
	} while (time < SECONDS);
	bench_value(name, ARMED, (commits() - made) / time);
}

static void rest(void)
{
	usleep(SETTLE_US);
}

void bench_commits(void)
{
	int others[MAX_OTHERS];
	struct gpu gpu;

	session = session_open();
	if (session < 0 || gpu_open(&gpu, "loop"))
		die("session");
	count_changes("alone");
	count_burst();
	open_others(others, false);
	count_changes("with 100 of one address");
	close_others(others);
	open_others(others, true);
	count_rate("commits/s, 100 addresses", rest);
	count_rate("commits/s, 100 addresses, others open and close", burst);
	close_others(others);
	gpu_close(&gpu);
	close(session);
}
