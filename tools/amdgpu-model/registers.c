// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"

/* a driver that polls for this long is logged */
#define POLL_NS		1000000000ull
/* and only if it read this often: others are read once in a while */
#define POLL_READS	100
/* the first accesses to a register that is not modelled are logged */
#define TOLD_ACCESSES	2

static const struct {
	const char *name;
	enum register_bank bank;
	bool told;
} modelled[R_NR] = {
#define X(block, name, bank, told)					\
	[R_##block##_##name] = { #block " " #name, BANK_##bank, told },
	MODEL_REGISTERS(X)
#undef X
};

static char *join_names(const char *block, const char *name)
{
	char *joined = malloc(strlen(block) + strlen(name) + 2);

	if (joined) {
		strcpy(joined, block);
		strcat(joined, " ");
		strcat(joined, name);
	}
	return joined;
}

static bool name_register(struct registers *regs, uint32_t index, char *name)
{
	struct register_cell *cell;

	if (!name)
		return false;
	/* the first header that names it counts */
	if (index >= MODEL_NR_REGISTERS || regs->cell[index].name) {
		free(name);
		return true;
	}
	cell = &regs->cell[index];
	cell->name = name;
	return true;
}

static bool name_block(struct registers *regs, const struct register_block *block)
{
	const struct register_offset *o;

	for (o = block->list; o->name; o++) {
		unsigned int segment = block->only >= 0 ? (unsigned int)block->only :
				       o->segment;

		if (!name_register(regs, block->segments[segment] + o->offset,
				   join_names(block->name, o->name)))
			return false;
	}
	return true;
}

static bool name_all(struct registers *regs, const struct personality *p)
{
	const struct register_block *block;
	const struct register_extra *extra;

	for (extra = p->extras; extra->name; extra++)
		if (!name_register(regs, extra->index, strdup(extra->name)))
			return false;
	for (block = p->blocks; block->name; block++)
		if (!name_block(regs, block))
			return false;
	return true;
}

static void mark_plain(struct registers *regs)
{
	const char * const *pattern;
	uint32_t i;

	for (i = 0; i < MODEL_NR_REGISTERS; i++) {
		struct register_cell *cell = &regs->cell[i];

		for (pattern = plain_registers; cell->name && *pattern; pattern++)
			if (!fnmatch(*pattern, cell->name, 0))
				cell->modelled = true;
	}
}

static size_t nr_banks(enum register_bank bank)
{
	return bank == BANK_QUEUE ? MODEL_NR_QUEUES : MODEL_NR_VMIDS;
}

static bool mark_modelled(struct registers *regs, enum model_register id)
{
	uint32_t index = registers_find(regs, modelled[id].name);
	struct register_cell *cell;

	if (index == MODEL_NR_REGISTERS) {
		log_fault(regs->log, "registers", "there is no %s",
			  modelled[id].name);
		return false;
	}
	cell = &regs->cell[index];
	regs->index[id] = index;
	cell->id = id;
	cell->bank = modelled[id].bank;
	cell->told = modelled[id].told;
	cell->modelled = true;
	if (cell->bank == BANK_NOTHING)
		return true;
	cell->banks = calloc(nr_banks(cell->bank), sizeof(*cell->banks));
	return cell->banks;
}

/* every engine of a hub does what its first one does */
static void mark_engines(struct registers *regs, enum model_register first)
{
	unsigned int i;

	for (i = 0; i < MODEL_NR_INVALIDATE; i++)
		regs->cell[regs->index[first] + i].modelled = true;
}

/* a misspelt name would be a value that is never there */
static bool check_resets(struct registers *regs, const struct personality *p)
{
	const struct register_reset *reset;

	for (reset = p->resets; reset->name; reset++) {
		if (registers_find(regs, reset->name) < MODEL_NR_REGISTERS)
			continue;
		log_fault(regs->log, "registers", "there is no %s", reset->name);
		return false;
	}
	return true;
}

struct registers *registers_create(const struct personality *personality,
				   struct log *log)
{
	struct registers *regs = calloc(1, sizeof(*regs));
	unsigned int id;
	bool good;

	if (!regs)
		return NULL;
	regs->log = log;
	good = name_all(regs, personality) && check_resets(regs, personality);
	for (id = R_NONE + 1; good && id < R_NR; id++)
		good = mark_modelled(regs, id);
	if (!good) {
		registers_destroy(regs);
		return NULL;
	}
	mark_plain(regs);
	mark_engines(regs, R_GC_VM_INVALIDATE_ENG0_SEM);
	mark_engines(regs, R_GC_VM_INVALIDATE_ENG0_REQ);
	mark_engines(regs, R_GC_VM_INVALIDATE_ENG0_ACK);
	mark_engines(regs, R_MMHUB_VM_INVALIDATE_ENG0_SEM);
	mark_engines(regs, R_MMHUB_VM_INVALIDATE_ENG0_REQ);
	mark_engines(regs, R_MMHUB_VM_INVALIDATE_ENG0_ACK);
	registers_reset(regs, personality);
	return regs;
}

void registers_destroy(struct registers *regs)
{
	uint32_t i;

	for (i = 0; regs && i < MODEL_NR_REGISTERS; i++) {
		free(regs->cell[i].name);
		free(regs->cell[i].banks);
	}
	free(regs);
}

void registers_reset(struct registers *regs, const struct personality *personality)
{
	const struct register_reset *reset;
	uint32_t i;

	regs->me = regs->pipe = regs->queue = regs->vmid = 0;
	for (i = 0; i < MODEL_NR_REGISTERS; i++) {
		struct register_cell *cell = &regs->cell[i];

		cell->value = 0;
		if (cell->banks)
			memset(cell->banks, 0,
			       nr_banks(cell->bank) * sizeof(*cell->banks));
	}
	for (reset = personality->resets; reset->name; reset++) {
		i = registers_find(regs, reset->name);
		regs->cell[i].value = reset->value;
	}
}

uint32_t registers_find(const struct registers *regs, const char *name)
{
	uint32_t i;

	for (i = 0; i < MODEL_NR_REGISTERS; i++)
		if (regs->cell[i].name && !strcmp(regs->cell[i].name, name))
			break;
	return i;
}

enum model_register register_id(const struct registers *regs, uint32_t index)
{
	return regs->cell[index].id;
}

const char *register_name(const struct registers *regs, uint32_t index,
			  char buf[16])
{
	if (regs->cell[index].name)
		return regs->cell[index].name;
	snprintf(buf, 16, "0x%05x", index);
	return buf;
}

unsigned int registers_bank(const struct registers *regs)
{
	return regs->me << 5 | regs->pipe << 3 | regs->queue;
}

static uint32_t *register_value(struct registers *regs, uint32_t index)
{
	struct register_cell *cell = &regs->cell[index];

	if (cell->bank == BANK_QUEUE)
		return &cell->banks[registers_bank(regs)];
	return cell->bank == BANK_VMID ? &cell->banks[regs->vmid] : &cell->value;
}

uint32_t register_get(const struct registers *regs, uint32_t index)
{
	return *register_value((struct registers *)regs, index);
}

void register_set(struct registers *regs, uint32_t index, uint32_t value)
{
	*register_value(regs, index) = value;
}

uint32_t reg_get(const struct registers *regs, enum model_register id)
{
	return register_get(regs, regs->index[id]);
}

void reg_set(struct registers *regs, enum model_register id, uint32_t value)
{
	register_set(regs, regs->index[id], value);
}

uint64_t reg_get64(const struct registers *regs, enum model_register lo,
		   enum model_register hi)
{
	return reg_get(regs, lo) | (uint64_t)reg_get(regs, hi) << 32;
}

uint32_t reg_get_of_vmid(const struct registers *regs, enum model_register id,
			 unsigned int vmid)
{
	return regs->cell[regs->index[id]].banks[vmid];
}

void reg_set_of_vmid(struct registers *regs, enum model_register id,
		     unsigned int vmid, uint32_t value)
{
	regs->cell[regs->index[id]].banks[vmid] = value;
}

static const char *bank_text(const struct registers *regs,
			     const struct register_cell *cell, char buf[16])
{
	if (cell->bank != BANK_VMID)
		return "";
	snprintf(buf, 16, " vmid %u", regs->vmid);
	return buf;
}

static void count_access(struct registers *regs, uint32_t index, const char *what,
			 uint32_t value, uint32_t times)
{
	const struct register_cell *cell = &regs->cell[index];
	char buf[16], vmid[16];

	if (!cell->modelled)
		regs->unmodelled++;
	if (!cell->told && (cell->modelled || times > TOLD_ACCESSES))
		return;
	log_line(regs->log, cell->told ? "debug" : "not modelled",
		 "%s %s 0x%08x%s", what, register_name(regs, index, buf), value,
		 bank_text(regs, cell, vmid));
}

void registers_count_read(struct registers *regs, uint32_t index, uint32_t value)
{
	struct register_poll *poll = &regs->poll;
	uint64_t now = clock_ns();
	char buf[16];

	count_access(regs, index, "read", value, ++regs->cell[index].reads);
	if (poll->index != index || poll->value != value || !poll->reads) {
		*poll = (struct register_poll){
			.index = index, .value = value, .since_ns = now, .reads = 1
		};
		return;
	}
	poll->reads++;
	if (poll->told || poll->reads < POLL_READS ||
	    now - poll->since_ns < POLL_NS)
		return;
	poll->told = true;
	regs->polls++;
	log_fault(regs->log, "registers", "the driver waits for %s, which is 0x%x",
		  register_name(regs, index, buf), value);
}

void registers_count_write(struct registers *regs, uint32_t index,
			   uint32_t value)
{
	regs->poll.reads = 0;
	count_access(regs, index, "write", value, ++regs->cell[index].writes);
}

void registers_summary(const struct registers *regs)
{
	unsigned int nr = 0;
	char buf[16];
	uint32_t i;

	for (i = 0; i < MODEL_NR_REGISTERS; i++) {
		const struct register_cell *cell = &regs->cell[i];

		if (cell->modelled || !(cell->reads + cell->writes))
			continue;
		nr++;
		log_line(regs->log, "not modelled", "%s: %u reads, %u writes",
			 register_name(regs, i, buf), cell->reads, cell->writes);
	}
	log_line(regs->log, "registers",
		 "%u registers not modelled, %llu accesses to them, %llu long waits",
		 nr, (unsigned long long)regs->unmodelled,
		 (unsigned long long)regs->polls);
}
