/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns: who was armed in which quantum, as the log of a device tells (debugfs,
 * root only). Addresses tell whose watch it is.
 */
#ifndef SELFTESTS_TURNS_H
#define SELFTESTS_TURNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct turn - a watch
 * @on: it is armed
 * @since: quantum since which it is so
 * @armed: quanta in which it was armed, up to @since
 * @times: how often it was armed, of those that do not count the last if it lasts
 * @gap: the most quanta in a row in which it was not
 * @before: of @armed, what does not count
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
 * @open: from here on changes are of these watches
 * @base: address of the first
 * @stride: from each to the next
 * @nr: entries of @turn
 * @turn: watches
 * @places: comparators of which each has its part for sure
 * @number: the last change that was seen
 * @lost: changes that were not seen
 * @quantum: the last quantum that began with a change
 * @first: the first quantum that counts
 * @short_of: times that a watch had fewer turns than it is entitled to
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

/** turns_open() - of @nr watches that do not exist as yet; 0 or a negative errno */
int turns_open(struct turns *t, uint64_t base, uint64_t stride, unsigned int nr,
	       unsigned int places);

/** turns_read() - up to now; false if changes were lost */
bool turns_read(struct turns *t);

/** turns_begin() - all want to be armed from now on */
void turns_begin(struct turns *t);

/**
 * turns_wait() - read until so many quanta that count have ended
 *
 * Return: false if changes were lost, or nothing changes for ever so long.
 */
bool turns_wait(struct turns *t, uint64_t quanta);

/** turns_ended() - quanta that count */
uint64_t turns_ended(const struct turns *t);

/** turns_armed() - of them, those in which a watch was armed */
uint64_t turns_armed(const struct turns *t, unsigned int watch);

/** turns_sum() - of all watches */
uint64_t turns_sum(const struct turns *t);

/** turns_longest_gap() - of all, those that have not ended included */
uint64_t turns_longest_gap(const struct turns *t);

/** turns_distinct() - watches that were armed in quanta that count */
unsigned int turns_distinct(const struct turns *t);

void turns_close(struct turns *t);

/** turns_policy() - "fair" or "random"; 0 or a negative errno */
int turns_policy(const char *policy);

#endif /* SELFTESTS_TURNS_H */
