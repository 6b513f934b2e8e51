/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The message of a hit to the kernel, <linux/gpubp_agent.h>, with the code and the
 * registers of the access, which the ISA knows. For files that are compiled with
 * tools/Makefile.isa.
 */
#ifndef GPUBP_AGENT_MESSAGE_H
#define GPUBP_AGENT_MESSAGE_H

#include <linux/gpubp_agent.h>
#include <linux/gpubp_isa.h>
#include <linux/kernel.h>
#include <linux/string.h>

/** agent_read_fn - the values of a request, as it has them; not 0: there are none */
typedef int (*agent_read_fn)(const void *arg, const struct gpubp_reg_req *req, u32 *out);

/**
 * agent_message_add() - add registers to a message
 * @message: begins with a struct gpubp_agent_hit; of GPUBP_AGENT_MESSAGE bytes
 * @req: registers
 * @read: reads them
 * @arg: for @read
 *
 * What has no values, or no room, is left out.
 */
static inline void agent_message_add(void *message, const struct gpubp_reg_req *req,
				     agent_read_fn read, const void *arg)
{
	struct gpubp_agent_hit *hit = message;
	struct gpubp_agent_regs head = {
		.file = req->file, .count = req->count, .first = req->first,
	};
	size_t len = req->count * sizeof(u32) *
		     (req->file == GPUBP_REG_VECTOR ? GPUBP_AGENT_LANES : 1);
	u8 *at = (u8 *)message + hit->header.size;
	u32 values[4 * GPUBP_AGENT_LANES] = { };

	if (!req->count || len > sizeof(values) || req->file > GPUBP_REG_VECTOR ||
	    hit->header.size + sizeof(head) + len > GPUBP_AGENT_MESSAGE ||
	    read(arg, req, values))
		return;
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), values, len);
	hit->header.size += sizeof(head) + len;
	hit->nr_regs++;
}

/**
 * agent_message_access() - add the code in front of the pc, and the registers of the access
 * @message: as agent_message_add() takes it
 * @isa: of the wave
 * @code: what is in front of the pc
 * @len: bytes
 * @read: reads registers
 * @arg: for @read
 */
static inline void agent_message_access(void *message, const struct gpubp_isa *isa,
					const void *code, u32 len, agent_read_fn read,
					const void *arg)
{
	struct gpubp_agent_hit *hit = message;
	struct gpubp_insn insn;
	unsigned int n;

	hit->code_len = min(len, (u32)GPUBP_AGENT_CODE);
	memcpy(hit->code + GPUBP_AGENT_CODE - hit->code_len,
	       (const u8 *)code + len - hit->code_len, hit->code_len);
	if (isa->access_before(code, len, &insn) <= 0)
		return;
	for (n = 0; n < insn.nr_regs; n++)
		agent_message_add(message, &insn.regs[n], read, arg);
	agent_message_add(message, &insn.stored, read, arg);
	agent_message_add(message, &insn.loaded, read, arg);
}

/** agent_message_end() - a message is a multiple of 8 bytes */
static inline void agent_message_end(void *message)
{
	struct gpubp_agent_hit *hit = message;

	memset((u8 *)message + hit->header.size, 0, -hit->header.size & 7);
	hit->header.size = ALIGN(hit->header.size, 8);
}

#endif /* GPUBP_AGENT_MESSAGE_H */
