// SPDX-License-Identifier: GPL-2.0
/*
 * idle - exit status 0 if the books balance and nothing is left behind: no
 * event, no watch, no cell. Run after each test.
 */
#include <stdio.h>
#include "books.h"

#define PATIENCE	30	/* s; emulated machines are slow */

int main(void)
{
	if (books_idle(PATIENCE))
		return 0;
	books_print();
	return 1;
}
