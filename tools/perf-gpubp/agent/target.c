// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "target.h"

/* ---- memory ----------------------------------------------------------------------- */

bool target_read(pid_t pid, uint64_t at, void *to, size_t len)
{
	const struct iovec here = { to, len }, there = { (void *)(uintptr_t)at, len };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

bool target_write(pid_t pid, uint64_t at, const void *from, size_t len)
{
	const struct iovec here = { (void *)(uintptr_t)from, len };
	const struct iovec there = { (void *)(uintptr_t)at, len };

	return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

/* ---- mappings ---------------------------------------------------------------------- */

static FILE *open_proc(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return fopen(path, "re");
}

static bool read_map(FILE *maps, struct target_map *map)
{
	char line[4096], rights[8] = "";

	if (!fgets(line, sizeof(line), maps))
		return false;
	map->path[0] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255[^\n]",
		   &map->start, &map->end, rights, &map->offset, map->path) < 4)
		return false;
	map->executes = rights[2] == 'x';
	map->grows = !strcmp(map->path, "[stack]");
	return true;
}

typedef bool (*map_test)(const struct target_map *map, const void *data);

/* the next one of which @is says so */
static bool next_map(FILE *maps, map_test is, const void *data, struct target_map *map)
{
	while (read_map(maps, map))
		if (is(map, data))
			return true;
	return false;
}

static bool first_map(pid_t pid, map_test is, const void *data, struct target_map *map)
{
	FILE *maps = open_proc(pid, "maps");
	bool found;

	if (!maps)
		return false;
	found = next_map(maps, is, data, map);
	fclose(maps);
	return found;
}

static bool map_holds(const struct target_map *map, const void *data)
{
	const uint64_t *at = data;

	return map->start <= *at && *at < map->end;
}

static bool map_is_named(const struct target_map *map, const void *data)
{
	const char *slash = strrchr(map->path, '/');

	return slash && !strncmp(slash + 1, data, strlen(data));
}

static bool map_is_start(const struct target_map *map, const void *data)
{
	return !map->offset && map_is_named(map, data);
}

bool target_map_at(pid_t pid, uint64_t at, struct target_map *map)
{
	return first_map(pid, map_holds, &at, map);
}

bool target_has(pid_t pid, const char *name)
{
	struct target_map map;

	return first_map(pid, map_is_named, name, &map);
}

/* ---- functions ---------------------------------------------------------------------- */

/* of the segment at the begin of the file */
static uint64_t elf_base(Elf *elf)
{
	GElf_Phdr phdr;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
		    !phdr.p_offset)
			return phdr.p_vaddr;
	return 0;
}

static uint64_t section_function(Elf_Data *data, size_t nr, Elf *elf, size_t names,
				 const char *function)
{
	const char *name;
	GElf_Sym sym;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		name = elf_strptr(elf, names, sym.st_name);
		if (name && !strcmp(name, function))
			return sym.st_value;
	}
	return 0;
}

static uint64_t elf_function(Elf *elf, const char *function)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_DYNSYM ||
		    !shdr.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		return data ? section_function(data, shdr.sh_size / shdr.sh_entsize, elf,
					       shdr.sh_link, function) : 0;
	}
	return 0;
}

/* the file that is mapped, even if there is another one by now */
static int open_mapped(pid_t pid, const struct target_map *map)
{
	struct stat st;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		 map->start, map->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	/* without CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE */
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, map->path);
	return stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
}

uint64_t target_function(pid_t pid, const char *name, const char *function)
{
	struct target_map map;
	uint64_t at = 0;
	Elf *elf;
	int fd;

	if (!first_map(pid, map_is_start, name, &map))
		return 0;
	fd = open_mapped(pid, &map);
	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf) {
		at = elf_function(elf, function);
		at = at ? at - elf_base(elf) + map.start : 0;
		elf_end(elf);
	}
	close(fd);
	return at;
}

static uint64_t map_code(pid_t pid, const struct target_map *map, const void *code, size_t len)
{
	const size_t size = (size_t)(map->end - map->start);
	unsigned char *copy = malloc(size), *at = NULL;
	uint64_t found = 0;

	if (copy && target_read(pid, map->start, copy, size))
		at = memmem(copy, size, code, len);
	if (at)
		found = map->start + (uint64_t)(at - copy);
	free(copy);
	return found;
}

bool target_may(pid_t pid)
{
	struct target_map map;
	char byte;

	return first_map(pid, map_is_start, "libc.so.6", &map) &&
	       (target_read(pid, map.start, &byte, 1) || errno != EPERM);
}

uint64_t target_code(pid_t pid, const char *name, const void *code, size_t len)
{
	FILE *maps = open_proc(pid, "maps");
	struct target_map map;
	uint64_t at = 0;

	if (!maps)
		return 0;
	while (!at && next_map(maps, map_is_named, name, &map))
		if (map.executes)
			at = map_code(pid, &map, code, len);
	fclose(maps);
	return at;
}

/* ---- whether it may ------------------------------------------------------------------- */

/* the word behind "NAME:" in its status; false: it has no such line */
static bool read_status(pid_t pid, const char *name, char word[64])
{
	FILE *file = open_proc(pid, "status");
	size_t len = strlen(name);
	bool found = false;
	char line[256];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, name, len) && line[len] == ':' &&
			sscanf(line + len + 1, "%63[^\n]", word) == 1;
	fclose(file);
	return found;
}

static long status_number(pid_t pid, const char *name)
{
	char word[64];

	return read_status(pid, name, word) ? strtol(word, NULL, 10) : 0;
}

static int check_state(pid_t pid, struct grun_err *err)
{
	char state[64];

	if (!read_status(pid, "State", state))
		return grun_fail(err, -ESRCH, "there is no process %d", pid);
	if (strpbrk(state, "ZX"))
		return grun_fail(err, -ESRCH, "process %d has ended", pid);
	if (status_number(pid, "TracerPid"))
		return grun_fail(err, -EBUSY,
				 "process %d has a debugger or a tracer, process %ld: end that first",
				 pid, status_number(pid, "TracerPid"));
	if (strpbrk(state, "Tt"))
		return grun_fail(err, -EBUSY,
				 "process %d is stopped: let it go on (kill -CONT %d) first",
				 pid, pid);
	return 0;
}

static ino_t mounts_of(const char *pid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

static int check_mounts(pid_t pid, struct grun_err *err)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	if (!mounts_of(number))
		return grun_fail(err, -EPERM,
				 "process %d is not yours to debug: ptrace_scope, set-uid, or another user",
				 pid);
	if (mounts_of(number) == mounts_of("self"))
		return 0;
	return grun_fail(err, -EXDEV,
			 "process %d has other mounts, as in a container: run perf-gpubp there", pid);
}

/* one that perf-gpubp has as well lets a library be loaded */
static int check_seccomp(pid_t pid, struct grun_err *err)
{
	if (!status_number(pid, "Seccomp") ||
	    (status_number(pid, "Seccomp") == status_number(getpid(), "Seccomp") &&
	     status_number(pid, "Seccomp_filters") == status_number(getpid(), "Seccomp_filters")))
		return 0;
	return grun_fail(err, -EPERM,
			 "process %d has a seccomp filter, which may end it when it loads a library",
			 pid);
}

static int check_program(pid_t pid, struct grun_err *err)
{
	FILE *file = open_proc(pid, "exe");
	Elf64_Ehdr ehdr;
	bool is_ours;

	if (!file)
		return grun_fail(err, -EPERM, "/proc/%d/exe: %s", pid, strerror(errno));
	is_ours = fread(&ehdr, sizeof(ehdr), 1, file) == 1 &&
		  ehdr.e_ident[EI_CLASS] == ELFCLASS64 && ehdr.e_machine == EM_X86_64;
	fclose(file);
	if (!is_ours)
		return grun_fail(err, -EINVAL, "process %d is no program of x86-64", pid);
	return 0;
}

static int check_libc(pid_t pid, struct grun_err *err)
{
	char features[64];

	if (read_status(pid, "x86_Thread_features", features) && strstr(features, "shstk"))
		return grun_fail(err, -EINVAL, "process %d has a shadow stack", pid);
	if (target_has(pid, "libc.so.6"))
		return 0;
	return grun_fail(err, -EINVAL,
			 "process %d has no glibc that it could load a library by: it is linked statically, or with another libc",
			 pid);
}

int target_check(pid_t pid, struct grun_err *err)
{
#ifdef __x86_64__
	int ret = check_state(pid, err);

	ret = ret ? ret : check_mounts(pid, err);
	ret = ret ? ret : check_program(pid, err);
	ret = ret ? ret : check_seccomp(pid, err);
	return ret ? ret : check_libc(pid, err);
#else
	return grun_fail(err, -EOPNOTSUPP,
			 "a library is brought into a process that runs on x86-64 only: start the program by perf-gpubp");
#endif
}
