/* SPDX-License-Identifier: GPL-2.0 */
/* Rights: what opening an event on another process allows. */
#ifndef _GPUBP_EVENT_RIGHTS_H
#define _GPUBP_EVENT_RIGHTS_H

#include "../core/core.h"

#define GPUBP_RIGHTS_ALL	(GPUBP_RIGHT_READ | GPUBP_RIGHT_WRITE | \
				 GPUBP_RIGHT_STOP | GPUBP_RIGHT_SIGNAL)

/**
 * struct gpubp_opener_creds - what decides which rights opening an event gives
 * @tracer: attr.sigtrap and attr.remove_on_exec: perf core asks as for a
 *	tracer, and takes the event off at an exec
 * @self: the target is the opener's own thread group
 * @perfmon: the opener has CAP_PERFMON or CAP_SYS_ADMIN
 * @kill: the opener has CAP_KILL
 *
 * Capabilities: effective ones, in the initial user namespace.
 */
struct gpubp_opener_creds {
	bool tracer;
	bool self;
	bool perfmon;
	bool kill;
};

/**
 * gpubp_rights_of_opener() - what an opener earns, if perf core lets it open
 * @o: the opener
 *
 * Nobody sees another process's memory who may not trace it: as
 * process_vm_readv() does, so all rights come from PTRACE_MODE_ATTACH, which
 * perf core asks for with attr.sigtrap. Without, it asks for PTRACE_MODE_READ,
 * which Yama ignores.
 *
 * Of a holder of CAP_PERFMON and of CAP_KILL over the target it asks nothing,
 * nor do the security modules learn of it. No capability stands for what they
 * would have said, CAP_SYS_PTRACE neither: there are no rights.
 *
 * CAP_KILL over a target in a user namespace comes with having made it, so a
 * holder of CAP_PERFMON alone was asked for sure only in the initial one. From
 * there tasks move down, never up: a target found there was there when perf
 * core asked.
 *
 * Pure. Return: what it earns.
 */
static inline struct gpubp_opener_rights
gpubp_rights_of_opener(const struct gpubp_opener_creds *o)
{
	u8 own = o->tracer ? GPUBP_RIGHTS_ALL : GPUBP_RIGHT_READ;

	if (o->self)
		return (struct gpubp_opener_rights){ .rights = own };
	if (!o->tracer || (o->perfmon && o->kill))
		return (struct gpubp_opener_rights){};
	return (struct gpubp_opener_rights){
		.rights = GPUBP_RIGHTS_ALL, .init_ns = o->perfmon
	};
}

/**
 * gpubp_may_patch() - may an opener have a break in its target's code
 * @o: the opener
 * @ptrace: it has CAP_SYS_PTRACE
 * @init_ns: the target is in the initial user namespace
 *
 * Who could write that memory anyway may: in its own process; by perf core's
 * PTRACE_MODE_ATTACH, as gpubp_rights_of_opener() says; or everywhere with
 * CAP_PERFMON and CAP_SYS_PTRACE.
 *
 * Pure.
 */
static inline bool gpubp_may_patch(const struct gpubp_opener_creds *o,
				   bool ptrace, bool init_ns)
{
	struct gpubp_opener_rights opener_rights = gpubp_rights_of_opener(o);

	if (o->self || (o->perfmon && ptrace))
		return true;
	return (opener_rights.rights & GPUBP_RIGHT_WRITE) &&
	       (!opener_rights.init_ns || init_ns);
}

#endif /* _GPUBP_EVENT_RIGHTS_H */
