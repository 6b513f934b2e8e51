/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quanta of watches: which watch was armed in which quantum, from the log of a
 * device (debugfs, root only). Watches are recognized by their addresses.
 */
#ifndef SELFTESTS_TURNS_H
#define SELFTESTS_TURNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct turn - a watch
 * @on: it is armed
 * @since: first quantum of this state
 * @armed: number of quanta in which it was armed, up to @since
 * @times: how often it was armed; of those not counted only the last if it is
 *	still armed
 * @gap: longest sequence of quanta in which it was not armed
 * @before: part of @armed that is not counted
 */
struct turn {
	bool on;
	uint64_t since;
	uint64_t armed;
	uint64_t times;
	uint64_t gap;
	uint64_t before;
};

/**
 * struct turns - watches at @base, @base + @stride, ...
 * @log: the log, read up to change @number
 * @open: changes from here on belong to these watches
 * @base: address of the first
 * @stride: distance of two watches
 * @nr: number of entries of @turn
 * @turn: watches
 * @places: number of comparators that are shared fairly
 * @number: number of the last change read
 * @lost: number of changes missed
 * @quantum: last quantum that began with a change
 * @first: first quantum that is counted
 * @short_of: number of times that a watch was below its share
 */
struct turns {
	FILE *log;
	bool open;
	uint64_t base;
	uint64_t stride;
	unsigned int nr;
	struct turn *turn;
	unsigned int places;
	uint64_t number;
	uint64_t lost;
	uint64_t quantum;
	uint64_t first;
	uint64_t short_of;
};

/** turns_open() - for @nr watches that do not exist yet; 0 or a negative errno */
int turns_open(struct turns *t, uint64_t base, uint64_t stride, unsigned int nr,
	       unsigned int places);

/** turns_read() - read the log up to now; false if changes were lost */
bool turns_read(struct turns *t);

/** turns_begin() - start counting: all watches request to be armed from now on */
void turns_begin(struct turns *t);

/**
 * turns_wait() - read until so many counted quanta have ended
 *
 * Return: false if changes were lost, or no change occurs for a long time.
 */
bool turns_wait(struct turns *t, uint64_t quanta);

/** turns_ended() - number of counted quanta */
uint64_t turns_ended(const struct turns *t);

/** turns_armed() - number of those in which a watch was armed */
uint64_t turns_armed(const struct turns *t, unsigned int watch);

/** turns_sum() - sum of turns_armed() over all watches */
uint64_t turns_sum(const struct turns *t);

/** turns_longest_gap() - over all watches, including gaps that have not ended */
uint64_t turns_longest_gap(const struct turns *t);

/** turns_distinct() - number of watches armed in counted quanta */
unsigned int turns_distinct(const struct turns *t);

void turns_close(struct turns *t);

/** turns_policy() - set "fair" or "random"; 0 or a negative errno */
int turns_policy(const char *policy);

#endif /* SELFTESTS_TURNS_H */
