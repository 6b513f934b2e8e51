/* SPDX-License-Identifier: GPL-2.0 */
/* Rights: what opening an event on another process allows. */
#ifndef _GPUBP_EVENT_RIGHTS_H
#define _GPUBP_EVENT_RIGHTS_H

#include "../core/core.h"

#define GPUBP_RIGHTS_ALL	(GPUBP_RIGHT_READ | GPUBP_RIGHT_WRITE | \
				 GPUBP_RIGHT_STOP | GPUBP_RIGHT_SIGNAL)

/**
 * struct gpubp_opener_creds - what the rights of an opener depend on
 * @tracer: attr.sigtrap and attr.remove_on_exec are set: perf core does the
 *	access check of a tracer and removes the event at an exec
 * @self: the target is in the opener's own thread group
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
 * gpubp_rights_of_opener() - rights of an opener that passes perf core's check
 * @o: the opener
 *
 * Access to the memory of another process requires the right to trace it. As
 * for process_vm_readv(), all rights derive from PTRACE_MODE_ATTACH, which perf
 * core checks with attr.sigtrap. Without attr.sigtrap it checks
 * PTRACE_MODE_READ, which Yama ignores.
 *
 * perf core does no ptrace check, and calls no security module, if the opener
 * has CAP_PERFMON, and CAP_KILL over the target. No capability replaces the
 * decision of the security modules, not even CAP_SYS_PTRACE: such an opener has
 * no rights.
 *
 * The creator of a user namespace has CAP_KILL over targets in it. So for an
 * opener with CAP_PERFMON but without CAP_KILL, the check is certain only for a
 * target in the initial user namespace. Tasks move to descendant namespaces,
 * never up: a target that is in the initial one now was in it at the check.
 *
 * Pure. Return: the rights, and whether they depend on the target's namespace.
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
 * An opener may patch memory that it could write anyway: in its own process; in
 * a target for which perf core checks PTRACE_MODE_ATTACH (see
 * gpubp_rights_of_opener()); or in any, with CAP_PERFMON and CAP_SYS_PTRACE.
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
