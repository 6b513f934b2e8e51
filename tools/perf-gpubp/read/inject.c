// SPDX-License-Identifier: GPL-2.0
/*
 * Names where perf looks: a mapping record for each name, of a file with symbols.
 *
 * They follow the record with which a process begins, and have its time. What the
 * process maps later at the same addresses, such as its GPU code, takes precedence;
 * but for the memory of a device, behind whose mapping the names in it follow again.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "inject.h"
#include "internal.h"
#include "lifetimes.h"
#include "perf_data.h"
#include "symbol_file.h"
#include "verb.h"

#define FEATURE_AUXTRACE	18

/* a record, whose size has 16 bits */
union record {
	struct perf_event_header hdr;
	struct {
		struct perf_event_header hdr;
		uint32_t pid;
		uint32_t tid;
		char comm[];
	} comm;
	struct {
		struct perf_event_header hdr;
		uint32_t pid;
		uint32_t ppid;
		uint32_t tid;
		uint32_t ptid;
		uint64_t time;
	} fork;
	struct {
		struct perf_event_header hdr;
		uint32_t pid;
		uint32_t tid;
		uint64_t addr;
		uint64_t len;
		uint64_t pgoff;
		uint32_t maj;
		uint32_t min;
		uint64_t ino;
		uint64_t ino_generation;
		uint32_t prot;
		uint32_t flags;
		char filename[];
	} mmap2;
	unsigned char bytes[UINT16_MAX + 1];
};

static int short_read(struct inject *in, struct grun_err *err)
{
	return grun_fail(err, -1, ferror(in->in) ? "%s" : "the recording is truncated",
			 strerror(errno));
}

static int put(struct inject *in, const void *data, size_t len,
	       struct grun_err *err)
{
	if (fwrite(data, 1, len, in->out) == len)
		return 0;
	return grun_fail(err, -1, "cannot write: %s", strerror(errno));
}

/* @len bytes as they are */
static int copy_bytes(struct inject *in, uint64_t len, struct grun_err *err)
{
	char buf[65536];
	size_t n;

	for (; len; len -= n) {
		n = len < sizeof(buf) ? len : sizeof(buf);
		if (fread(buf, 1, n, in->in) != n)
			return short_read(in, err);
		if (put(in, buf, n, err))
			return -1;
	}
	return 0;
}

/* @from ends with its time and others, from @trailer on */
static int put_mapping(struct inject *in, const union record *from,
		       size_t trailer, const struct sym *sym, const char *path,
		       struct grun_err *err)
{
	static union record map;
	size_t len = (strlen(path) + 8) & ~7UL, more = from->hdr.size - trailer;

	if (sizeof(map.mmap2) + len + more > UINT16_MAX)
		return grun_fail(err, -1, "a record is damaged");
	memset(&map, 0, sizeof(map.mmap2) + len);
	map.hdr.type = PERF_RECORD_MMAP2;
	map.hdr.misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA;
	map.hdr.size = (uint16_t)(sizeof(map.mmap2) + len + more);
	map.mmap2.pid = from->comm.pid;
	map.mmap2.tid = from->comm.pid;
	map.mmap2.addr = sym->start;
	map.mmap2.len = sym->size;
	map.mmap2.pgoff = sym->start;
	map.mmap2.prot = PROT_READ | PROT_WRITE;
	map.mmap2.flags = MAP_SHARED;
	strcpy(map.mmap2.filename, path);
	memcpy(map.bytes + sizeof(map.mmap2) + len, from->bytes + trailer, more);
	return put(in, &map, map.hdr.size, err);
}

/* a file of names with times, or a map of perf */
static int map_read(struct symmap *map, FILE *file, struct grun_err *err)
{
	struct lifetimes lives;
	int ret = lifetimes_read(&lives, file, err);

	if (ret > 0) {
		rewind(file);
		ret = symmap_read_file(map, file, err);
	} else if (!ret) {
		ret = lifetimes_ranges(&lives, map);
		if (lives.is_cut)
			complain("names after line %u are missing", NAME_RECORDS_MAX);
	}
	lifetimes_free(&lives);
	fclose(file);
	return ret;
}

static int map_open(struct inject *in, uint32_t pid, struct grun_err *err)
{
	FILE *file;

	if (in->map_file)
		file = fopen(in->map_file, "re");
	else
		file = recorded_open(&in->recorded, pid);
	if (!file && !in->map_file)
		file = local_names_open(&in->recorded.local, pid, GRUN_PERF_MAP);
	return file ? map_read(&in->map, file, err) : -1;
}

/* the names of a process are read once, and its file of symbols written */
static int names_read(struct inject *in, uint32_t pid, struct grun_err *err)
{
	struct grun_err none;

	if (in->names_pid == pid && in->symbols[0])
		return 0;
	symmap_free(&in->map);
	in->names_pid = pid;
	if (snprintf(in->symbols, sizeof(in->symbols), "%s/gpu-%u", in->dir,
		     pid) >= (int)sizeof(in->symbols))
		return grun_fail(err, -1, "%s: too long", in->dir);
	if (map_open(in, pid, &none))
		memset(&in->map, 0, sizeof(in->map));
	return in->map.nr ? symbol_file_write(in->symbols, &in->map, err) : 0;
}

/* those of the process that are in the range */
static int insert_names(struct inject *in, const union record *from,
			size_t trailer, uint64_t start, uint64_t size,
			struct grun_err *err)
{
	const struct sym *sym;
	size_t i;

	if (trailer > from->hdr.size)
		return 0;
	if (names_read(in, from->comm.pid, err))
		return -1;
	for (i = 0; i < in->map.nr; i++) {
		sym = &in->map.syms[i];
		if ((sym->start - start < size || start - sym->start < sym->size) &&
		    put_mapping(in, from, trailer, sym, in->symbols, err))
			return -1;
		in->names += size == UINT64_MAX;
	}
	return 0;
}

static size_t padded(const char *text, size_t room)
{
	return (strnlen(text, room - 8) / 8 + 1) * 8;
}

/* the process has a device's memory there, and what it is called is not the device */
static int after_mapping(struct inject *in, const union record *r, size_t room,
			 struct grun_err *err)
{
	const size_t fixed = sizeof(r->mmap2) - sizeof(r->hdr);

	if (room < fixed + 8 || !(r->hdr.misc & PERF_RECORD_MISC_MMAP_DATA) ||
	    strncmp(r->mmap2.filename, "/dev/", strlen("/dev/")))
		return 0;
	return insert_names(in, r, sizeof(r->mmap2) +
			    padded(r->mmap2.filename, room - fixed),
			    r->mmap2.addr, r->mmap2.len, err);
}

/* a name is padded to a multiple of 8 */
static int after_record(struct inject *in, const union record *r,
			struct grun_err *err)
{
	size_t room = r->hdr.size - sizeof(r->hdr);

	switch (r->hdr.type) {
	case PERF_RECORD_COMM:
		if (room < 8 || r->comm.pid != r->comm.tid)
			return 0;
		return insert_names(in, r, sizeof(r->comm) +
				    padded(r->comm.comm, room), 0, UINT64_MAX, err);
	case PERF_RECORD_FORK:
		if (r->fork.pid == r->fork.ppid)
			return 0;
		return insert_names(in, r, sizeof(r->fork), 0, UINT64_MAX, err);
	case PERF_RECORD_MMAP2:
		return after_mapping(in, r, room, err);
	default:
		return 0;
	}
}

/* bytes that follow a record and that its size does not count */
static uint64_t payload(const union record *r)
{
	uint64_t size = 0;

	if (r->hdr.type == RECORD_TRACING_DATA && r->hdr.size >= 12)
		memcpy(&size, r->bytes + 8, 4);
	else if (r->hdr.type == RECORD_AUXTRACE && r->hdr.size >= 16)
		memcpy(&size, r->bytes + 8, 8);
	return size;
}

static int read_record(struct inject *in, union record *r, struct grun_err *err)
{
	size_t body = r->hdr.size - sizeof(r->hdr);

	if (r->hdr.size < sizeof(r->hdr))
		return grun_fail(err, -1, "a record is damaged");
	if (r->hdr.type == RECORD_COMPRESSED || r->hdr.type == RECORD_COMPRESSED2)
		return grun_fail(err, -1, "compressed: record without -z");
	if (fread(r->bytes + sizeof(r->hdr), 1, body, in->in) != body)
		return short_read(in, err);
	return 0;
}

static int copy_records(struct inject *in, uint64_t left, struct grun_err *err)
{
	static union record r;

	while (left) {
		if (fread(&r.hdr, sizeof(r.hdr), 1, in->in) != 1)
			return left == UINT64_MAX && !ferror(in->in) ? 0 :
			       short_read(in, err);
		if (read_record(in, &r, err) || put(in, &r, r.hdr.size, err) ||
		    copy_bytes(in, payload(&r), err) || after_record(in, &r, err))
			return -1;
		if (left != UINT64_MAX)
			left -= r.hdr.size + payload(&r) < left ?
				r.hdr.size + payload(&r) : left;
	}
	return 0;
}

/* the table of features stands behind the records, and they behind it */
static int move_features(struct inject *in, const struct file_header *hdr,
			 uint64_t by, struct grun_err *err)
{
	struct section section;
	unsigned int i;

	for (i = 0; i < NR_FEATURES; i++) {
		if (!(hdr->features[i / 64] & 1ULL << i % 64))
			continue;
		if (fread(&section, sizeof(section), 1, in->in) != 1)
			return short_read(in, err);
		section.offset += by;
		if (put(in, &section, sizeof(section), err))
			return -1;
	}
	return 0;
}

static int copy_rest(struct inject *in, struct grun_err *err)
{
	char buf[65536];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), in->in)))
		if (put(in, buf, n, err))
			return -1;
	return ferror(in->in) ? short_read(in, err) : 0;
}

static int copy_file(struct inject *in, struct file_header *hdr,
		     struct grun_err *err)
{
	uint64_t before = hdr->data.size;
	long end;

	if (hdr->features[0] & 1ULL << FEATURE_AUXTRACE)
		return grun_fail(err, -1, "recordings with AUX data cannot be changed");
	if (!before || hdr->data.offset < sizeof(*hdr))
		return grun_fail(err, -1, "the recording was not finished");
	if (put(in, hdr, sizeof(*hdr), err) ||
	    copy_bytes(in, hdr->data.offset - sizeof(*hdr), err) ||
	    copy_records(in, before, err))
		return -1;
	end = ftell(in->out);
	if (end < 0)
		return grun_fail(err, -1, "this recording can be written to a file only");
	hdr->data.size = (uint64_t)end - hdr->data.offset;
	if (move_features(in, hdr, hdr->data.size - before, err) ||
	    copy_rest(in, err))
		return -1;
	rewind(in->out);
	return put(in, hdr, sizeof(*hdr), err);
}

static int copy_recording(struct inject *in, struct grun_err *err)
{
	struct file_header hdr = {};

	if (fread(&hdr, PIPE_HEADER, 1, in->in) != 1 ||
	    memcmp(hdr.magic, FILE_MAGIC, sizeof(hdr.magic)))
		return grun_fail(err, -1, "not a perf.data file of this byte order");
	if (hdr.size == PIPE_HEADER)
		return put(in, &hdr, PIPE_HEADER, err) ||
		       copy_records(in, UINT64_MAX, err) ? -1 : 0;
	if (hdr.size != sizeof(hdr) ||
	    fread(&hdr.attr_size, sizeof(hdr) - PIPE_HEADER, 1, in->in) != 1)
		return grun_fail(err, -1, "the header is damaged");
	return copy_file(in, &hdr, err);
}

int inject_copy(struct inject *in, struct grun_err *err)
{
	int ret = copy_recording(in, err);

	symmap_free(&in->map);
	return ret;
}
