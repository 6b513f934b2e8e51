// SPDX-License-Identifier: GPL-2.0
/* Maps of names: lines that make no sense, and what is beside an address. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "symmap.h"
#include "tap.h"

static bool name_is(const struct symmap *map, uint64_t addr, const char *name)
{
	const struct sym *sym = symmap_find(map, addr);

	return sym ? name && !strcmp(sym->name, name) : !name;
}

static bool beside_is(const struct symmap *map, uint64_t addr, const char *want)
{
	char text[160];

	return !strcmp(symmap_beside(map, addr, text, sizeof(text)), want);
}

static int make_link(const char *path)
{
	return symlink("/etc/passwd", path);
}

static int make_pipe(const char *path)
{
	return mkfifo(path, 0600);
}

static int make_file(const char *path)
{
	return mknod(path, S_IFREG | 0600, 0);
}

/* of a process that cannot be */
static bool process_refused(int (*make)(const char *path))
{
	static const char path[] = "/tmp/perf-4294967294.map";
	struct symmap map;
	struct grun_err err;
	int ret;

	unlink(path);
	if (make(path))
		return false;
	ret = symmap_read_process(&map, 4294967294, &err);
	symmap_free(&map);
	unlink(path);
	return ret;
}

int main(void)
{
	char path[] = "/tmp/gpubp-map-XXXXXX";
	static const char lines[] = "7000 100 grid\n7100 10 lut\nnonsense\n"
				    "9000 40 blur\n6f00 100 shades\n"
				    "7020 10 inner\n8000 10 \033[2J\n";
	int fd = mkstemp(path);
	struct grun_err err;
	struct symmap map;

	tap_plan(11);
	tap_ok(fd >= 0 && write(fd, lines, strlen(lines)) == (ssize_t)strlen(lines) &&
	       !symmap_read(&map, path, &err) && map.nr == 5, "a map of five names");
	close(fd);
	unlink(path);
	tap_ok(name_is(&map, 0x7104, "lut") && name_is(&map, 0x6f00, "shades") &&
	       name_is(&map, 0x903f, "blur"), "names");
	tap_ok(name_is(&map, 0x7110, NULL) && name_is(&map, 0x6eff, NULL) &&
	       name_is(&map, 0x9040, NULL), "addresses without a name");
	tap_ok(name_is(&map, 0x7020, "inner") && name_is(&map, 0x7030, "grid"),
	       "a name within another one");
	tap_ok(beside_is(&map, 0x7104, "4 bytes behind the end of grid"),
	       "behind the end of grid");
	tap_ok(beside_is(&map, 0x6ffc, "4 bytes in front of grid"),
	       "in front of grid");
	tap_ok(beside_is(&map, 0x9000, "") && beside_is(&map, 0x1, ""),
	       "beside nothing");
	symmap_free(&map);
	tap_ok(symmap_read(&map, "/none", &err) && !map.nr, "no map");
	tap_ok(name_is(&map, 0x7000, NULL), "no name in it");
	tap_ok(process_refused(make_link) && process_refused(make_pipe),
	       "a link, and a pipe, for the map of a process");
	tap_ok(!process_refused(make_file), "but a file");
	return tap_status();
}
