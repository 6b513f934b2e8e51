// SPDX-License-Identifier: GPL-2.0
/*
 * Code objects of a recording.
 */
#include <stdlib.h>
#include <string.h>
#include "intern.h"
#include "objects.h"

static struct object *object_read(const char *path, struct grun_err *err)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->path = intern(path);
	/* what cannot be read is not tried again, either */
	if (grun_code_open(&object->code, path, err))
		object->code = NULL;
	else
		object->lines = lines_open(path);
	return object;
}

struct object *object_get(const char *path, struct grun_err *err)
{
	static struct object *objects;
	struct object *object;

	for (object = objects; object; object = object->next)
		if (!strcmp(object->path, path))
			break;
	if (!object) {
		object = object_read(path, err);
		if (!object)
			return NULL;
		object->next = objects;
		objects = object;
	}
	return object->code ? object : NULL;
}

const struct disasm *object_disasm(struct object *object, struct grun_err *err)
{
	if (!object->disassembled)
		disasm_read(&object->disasm, object->path, &object->why);
	object->disassembled = true;
	*err = object->why;
	return object->disasm.nr ? &object->disasm : NULL;
}

const char *object_insn(struct object *object, uint64_t pc)
{
	struct grun_err ignored;
	const struct disasm *disasm = object_disasm(object, &ignored);
	const struct insn *insn = disasm ? disasm_find(disasm, pc) : NULL;

	return insn ? insn->text : NULL;
}
