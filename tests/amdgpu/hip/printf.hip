// SPDX-License-Identifier: GPL-2.0
/* What a kernel prints: the GPU calls the CPU, and waits for it. */
#include <string.h>
#include <unistd.h>

#include "hip.h"

__global__ void print(int number)
{
	if (threadIdx.x % 16 == 3)
		printf("item %d of group %d: %s %.3f %lld %c\n", (int)threadIdx.x,
		       (int)blockIdx.x, threadIdx.x < 32 ? "low" : "high",
		       number / 8.0, (long long)number << 32, 'a' + (int)threadIdx.x / 16);
}

__global__ void print_string(const char *text)
{
	if (!threadIdx.x)
		printf("<%s>%%\n", text);
}

/* of what it prints to the file descriptor of standard output */
static FILE *diverted;
static int saved;

static void divert(void)
{
	fflush(stdout);
	saved = dup(1);
	diverted = tmpfile();
	dup2(fileno(diverted), 1);
}

static void restore(void)
{
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	rewind(diverted);
}

static void check_items(void)
{
	static const char letters[] = "abcd";
	int item, group, lines = 0, wrong = 0;
	char line[200], expected[200];

	divert();
	print<<<3, 64>>>(11);
	must_run();
	restore();
	while (fgets(line, sizeof(line), diverted)) {
		lines++;
		if (sscanf(line, "item %d of group %d:", &item, &group) != 2 ||
		    item / 16 > 3 || group > 2) {
			wrong++;
			continue;
		}
		snprintf(expected, sizeof(expected),
			 "item %d of group %d: %s 1.375 47244640256 %c\n", item, group,
			 item < 32 ? "low" : "high", letters[item / 16]);
		wrong += strcmp(line, expected) || item % 16 != 3;
	}
	fclose(diverted);
	tap_ok(lines == 12 && !wrong, "a line of each of %d work-items, %d wrong", lines,
	       wrong);
}

static void check_string(void)
{
	char line[200] = "", *text;

	MUST(hipHostMalloc(&text, 100, 0));
	strcpy(text, "text that the CPU wrote, longer than a packet of sixty-four bytes");
	divert();
	print_string<<<1, 64>>>(text);
	must_run();
	restore();
	tap_ok(fgets(line, sizeof(line), diverted) && line[0] == '<' &&
	       !strncmp(line + 1, text, strlen(text)) &&
	       !strcmp(line + 1 + strlen(text), ">%\n"), "a string");
	fclose(diverted);
	MUST(hipHostFree(text));
}

int main(void)
{
	tap_plan(2);
	check_items();
	check_string();
	return tap_status();
}
