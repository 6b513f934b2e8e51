// SPDX-License-Identifier: GPL-2.0
/*
 * schemata choose SEED NUMBER <numbered points >chosen
 * schemata apply FILE <numbered points >source
 *
 * choose: NUMBER of the points (see points.c), by a hash of the seed and of what
 * the point is: another line in the file, or another file, changes no other
 * choice. Of each function one, then of each function a second, and so on.
 *
 * apply: FILE with all these mutants, whose numbers are in a first field. The
 * original expression is evaluated unless the mutant is on.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS	100000

enum { NUMBER, FILE_NAME, LINE, FUNCTION, OPERATOR, START, END, FORM, BEFORE,
       AFTER, NR_FIELDS };

struct point {
	char *line;
	char *field[NR_FIELDS];
	unsigned int start, end;
	uint64_t function;	/* hash */
	uint64_t hash;
	unsigned int round;	/* points of the function before this one */
};

static struct point points[MAX_POINTS];
static unsigned int nr_points;

static void die(const char *what, const char *name)
{
	fprintf(stderr, "schemata: %s: %s\n", name, what);
	exit(1);
}

static void read_points(void)
{
	char *line = NULL, *copy;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		struct point *p = &points[nr_points++];
		int i;

		if (nr_points == MAX_POINTS)
			die("too many", "points");
		line[strcspn(line, "\n")] = 0;
		p->line = strdup(line);
		copy = strdup(line);
		for (i = 0; i < NR_FIELDS; i++)
			p->field[i] = strsep(&copy, "\t");
		if (!p->field[AFTER])
			die("not a point", line);
		p->start = atoi(p->field[START]);
		p->end = atoi(p->field[END]);
	}
	free(line);
}

/* ---- choose -------------------------------------------------------------- */

/* FNV-1a, with a finish that makes the order of similar strings unlike */
static uint64_t hash_string(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	h = (h ^ 0xff) * 0x100000001b3ULL;
	return h;
}

static uint64_t hash_end(uint64_t h)
{
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ (h >> 33);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_function(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	int c = compare(p->function, q->function);

	return c ? c : compare(p->hash, q->hash);
}

static int by_round(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->round != q->round)
		return p->round < q->round ? -1 : 1;
	return compare(p->function, q->function);
}

static int by_place(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	int c = p->field[FILE_NAME] && q->field[FILE_NAME] ?
		strcmp(p->field[FILE_NAME], q->field[FILE_NAME]) : 0;

	if (c)
		return c;
	if (p->start != q->start)
		return p->start < q->start ? -1 : 1;
	if (p->end != q->end)
		return p->end > q->end ? -1 : 1;
	return strcmp(p->line, q->line);
}

static void hash_point(struct point *p, const char *seed, unsigned int nth)
{
	uint64_t h = hash_string(0xcbf29ce484222325ULL, seed);
	char number[16];

	h = hash_string(h, p->field[FILE_NAME]);
	h = hash_string(h, p->field[FUNCTION]);
	p->function = hash_end(h);
	h = hash_string(h, p->field[OPERATOR]);
	h = hash_string(h, p->field[BEFORE]);
	h = hash_string(h, p->field[AFTER]);
	snprintf(number, sizeof(number), "%u", nth);
	p->hash = hash_end(hash_string(h, number));
}

/* the nth of equal points of a function */
static unsigned int equal_before(unsigned int i)
{
	unsigned int n = 0, j;
	int f;

	for (j = i; j-- && !strcmp(points[j].field[FUNCTION],
				   points[i].field[FUNCTION]);) {
		for (f = OPERATOR; f < NR_FIELDS; f++)
			if (f != START && f != END &&
			    strcmp(points[i].field[f], points[j].field[f]))
				break;
		n += f == NR_FIELDS;
	}
	return n;
}

static void choose(const char *seed, unsigned int number)
{
	unsigned int i;

	read_points();
	for (i = 0; i < nr_points; i++)
		hash_point(&points[i], seed, equal_before(i));
	qsort(points, nr_points, sizeof(points[0]), by_function);
	for (i = 1; i < nr_points; i++)
		if (points[i].function == points[i - 1].function)
			points[i].round = points[i - 1].round + 1;
	qsort(points, nr_points, sizeof(points[0]), by_round);
	if (nr_points > number)
		nr_points = number;
	qsort(points, nr_points, sizeof(points[0]), by_place);
	for (i = 0; i < nr_points; i++)
		puts(points[i].line);
}

/* ---- apply --------------------------------------------------------------- */

static char *text;
static unsigned int next;	/* point that is not yet applied */

static void put_mutated(const char *s)
{
	for (; *s; s++) {
		if (*s != '\\')
			putchar(*s);
		else if (*++s == '\\')
			putchar('\\');
		else	/* lines keep their numbers */
			putchar(' ');
	}
}

static void put_text(unsigned int start, unsigned int end)
{
	fwrite(text + start, 1, end - start, stdout);
}

static void put_points(unsigned int start, unsigned int end);

static void put_point(const struct point *p)
{
	const char *form = p->field[FORM];

	if (!strcmp(form, "drop")) {
		printf("{ if (!gpubp_mutant(%s)) ", p->field[NUMBER]);
		put_points(p->start, p->end);
		fputs(" }", stdout);
		return;
	}
	form = strcmp(form, "void") ? "" : "(void)";
	printf("(gpubp_mutant(%s) ? %s(", p->field[NUMBER], form);
	put_mutated(p->field[AFTER]);
	printf(") : %s(", form);
	put_points(p->start, p->end);
	fputs("))", stdout);
}

static void put_points(unsigned int start, unsigned int end)
{
	while (next < nr_points && points[next].start < end) {
		const struct point *p = &points[next++];

		if (p->start < start || p->end > end)
			die("overlaps another one", p->line);
		put_text(start, p->start);
		put_point(p);
		start = p->end;
	}
	put_text(start, end);
}

static void apply(const char *file)
{
	FILE *f = fopen(file, "r");
	unsigned int len;

	if (!f)
		die("cannot be read", file);
	text = calloc(1, 1 << 20);
	len = fread(text, 1, 1 << 20, f);
	fclose(f);
	read_points();
	qsort(points, nr_points, sizeof(points[0]), by_place);
	put_points(0, len);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "choose")) {
		choose(argv[2], atoi(argv[3]));
	} else if (argc == 3 && !strcmp(argv[1], "apply")) {
		apply(argv[2]);
	} else {
		fputs("usage: schemata choose SEED NUMBER | apply FILE\n", stderr);
		return 2;
	}
	return fflush(stdout) || ferror(stdout);
}
