// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: /dev/gpubp, for operations that perf_event_open(2) cannot express.
 *
 * This file has the file operations and dispatches ioctls to their functions.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../event/event.h"
#include "attach.h"
#include "catch.h"
#include "displaced.h"
#include "dump.h"
#include "filter_cmds.h"
#include "hold.h"
#include "mem.h"
#include "notice.h"
#include "publish.h"
#include "reason_cmd.h"
#include "regs.h"
#include "runctl.h"
#include "session.h"
#include "set_cmds.h"
#include "sync.h"

/* the largest struct of a command */
#define MAX_ARG		sizeof(struct gpubp_wave_dump)

/**
 * struct command - an ioctl
 * @cmd: code of the uapi header: type, number, and the size known to the kernel
 * @flags: offset of the member flags, which ends the shortest valid argument
 * @allowed: flags that are defined
 * @run: executes it on a copy of the argument. What lies beyond the caller's
 *	struct is 0. If the ioctl has results, the copy is written back, also after
 *	an error
 */
struct command {
	unsigned int cmd;
	unsigned int flags;
	u32 allowed;
	long (*run)(struct gpubp_session *session, void *arg);
};

#define COMMAND_FLAGS(_cmd, _struct, _run, _allowed) {			\
	.cmd = (_cmd) +							\
	       BUILD_BUG_ON_ZERO(_IOC_SIZE(_cmd) != sizeof(struct _struct)) + \
	       BUILD_BUG_ON_ZERO(sizeof(struct _struct) > MAX_ARG),	\
	.flags = offsetof(struct _struct, flags),			\
	.allowed = (_allowed),						\
	.run = (_run),							\
}

#define COMMAND(_cmd, _struct, _run)					\
	COMMAND_FLAGS(_cmd, _struct, _run, 0)

static const struct command commands[] = {
	COMMAND(GPUBP_ATTACH, gpubp_attach, gpubp_attach_cmd),
	COMMAND(GPUBP_DETACH, gpubp_attach, gpubp_detach_cmd),
	COMMAND(GPUBP_RIGHTS, gpubp_attach, gpubp_rights_cmd),
	COMMAND(GPUBP_CONTEXTS, gpubp_contexts, gpubp_contexts_cmd),
	COMMAND(GPUBP_WAVES, gpubp_wave_list, gpubp_waves_cmd),
	COMMAND(GPUBP_HALT, gpubp_run, gpubp_halt_cmd),
	COMMAND(GPUBP_RESUME, gpubp_run, gpubp_resume_cmd),
	COMMAND(GPUBP_STEP, gpubp_run, gpubp_step_cmd),
	COMMAND(GPUBP_DISPLACED_START, gpubp_displaced,
		gpubp_displaced_start_cmd),
	COMMAND(GPUBP_DISPLACED_COMPLETE, gpubp_displaced,
		gpubp_displaced_complete_cmd),
	COMMAND(GPUBP_DISPLACED_INFO, gpubp_displaced,
		gpubp_displaced_info_cmd),
	COMMAND(GPUBP_CATCH, gpubp_catch, gpubp_catch_cmd),
	COMMAND(GPUBP_UNCATCH, gpubp_catch, gpubp_uncatch_cmd),
	COMMAND(GPUBP_READ_REGS, gpubp_regs, gpubp_read_regs_cmd),
	COMMAND(GPUBP_WRITE_REGS, gpubp_regs, gpubp_write_regs_cmd),
	COMMAND_FLAGS(GPUBP_READ_MEM, gpubp_mem, gpubp_read_mem_cmd,
		      GPUBP_MEM_FLUSH),
	COMMAND_FLAGS(GPUBP_WRITE_MEM, gpubp_mem, gpubp_write_mem_cmd,
		      GPUBP_MEM_FLUSH),
	COMMAND(GPUBP_DUMP_WAVE, gpubp_wave_dump, gpubp_dump_wave_cmd),
	COMMAND(GPUBP_MODIFY, gpubp_modify, gpubp_modify_cmd),
	COMMAND(GPUBP_SYNC, gpubp_sync, gpubp_sync_cmd),
	COMMAND(GPUBP_STATS, gpubp_event_stats, gpubp_stats_cmd),
	COMMAND(GPUBP_REASON, gpubp_refusal, gpubp_reason_cmd),
	COMMAND(GPUBP_PUBLISH, gpubp_publish, gpubp_publish_cmd),
	COMMAND(GPUBP_CONDITION_CREATE, gpubp_condition,
		gpubp_filter_create_cmd),
	COMMAND(GPUBP_CONDITION_DESTROY, gpubp_condition,
		gpubp_filter_destroy_cmd),
	COMMAND(GPUBP_SET_CREATE, gpubp_set, gpubp_set_create_cmd),
	COMMAND(GPUBP_SET_DESTROY, gpubp_set, gpubp_set_destroy_cmd),
	COMMAND(GPUBP_SET_UPDATE, gpubp_set_update, gpubp_set_update_cmd),
	COMMAND(GPUBP_SET_READ, gpubp_set_read, gpubp_set_read_cmd),
};

/**
 * gpubp_session_event() - find an event that the process of a session opened
 * @session: session
 * @id: perf id of the event
 *
 * gpubp_events_lock is held. Return: the event, never an inherited one, or
 * NULL.
 */
struct gpubp_event *gpubp_session_event(struct gpubp_session *session, u64 id)
{
	struct gpubp_event *gev = gpubp_event_by_id(id);

	if (!gev || gev->opener != session->opener)
		return NULL;
	/* events of kernel consumers are hidden from all sessions */
	return gev->event->overflow_handler_context ? NULL : gev;
}

static const struct command *command_find(unsigned int cmd)
{
	unsigned int i;

	if (_IOC_TYPE(cmd) != _IOC_TYPE(GPUBP_MODIFY) ||
	    !(_IOC_DIR(cmd) & _IOC_WRITE))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (_IOC_NR(commands[i].cmd) == _IOC_NR(cmd))
			return &commands[i];
	return NULL;
}

/* the caller's struct may differ in size: see /dev/gpubp in the uapi header */
static int arg_copy(const struct command *command, void *arg, void __user *from,
		    size_t size)
{
	u32 flags;
	int err;

	if (size < command->flags + sizeof(flags))
		return -EINVAL;
	err = copy_struct_from_user(arg, _IOC_SIZE(command->cmd), from, size);
	if (err)
		return err;
	memcpy(&flags, arg + command->flags, sizeof(flags));
	return flags & ~command->allowed ? -EINVAL : 0;
}

static long session_ioctl(struct file *file, unsigned int cmd,
			  unsigned long uarg)
{
	struct gpubp_session *session = file->private_data;
	const struct command *command = command_find(cmd);
	u64 arg[DIV_ROUND_UP(MAX_ARG, sizeof(u64))];
	void __user *from = (void __user *)uarg;
	size_t size;
	long ret;

	if (!command)
		return -ENOTTY;
	if (task_tgid(current) != session->opener)
		return -EPERM;	/* the file was passed on or inherited */
	ret = arg_copy(command, arg, from, _IOC_SIZE(cmd));
	if (ret)
		return ret;
	ret = command->run(session, arg);
	/* beyond the kernel's size, the argument was and stays 0 */
	size = min(_IOC_SIZE(cmd), _IOC_SIZE(command->cmd));
	if ((_IOC_DIR(cmd) & _IOC_READ) && copy_to_user(from, arg, size))
		return -EFAULT;
	return ret;
}

static int session_open(struct inode *inode, struct file *file)
{
	struct gpubp_session *session = kzalloc(sizeof(*session),
						GFP_KERNEL_ACCOUNT);

	if (!session)
		return -ENOMEM;
	session->user = gpubp_user_current();
	if (!session->user) {
		kfree(session);
		return -ENOMEM;
	}
	session->opener = get_pid(task_tgid(current));
	mutex_init(&session->lock);
	gpubp_attachments_init(session);
	INIT_LIST_HEAD(&session->sets);
	INIT_LIST_HEAD(&session->filters);
	sema_init(&session->op_sem, 1);
	gpubp_holds_init_session(session);
	gpubp_notices_init(session);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int session_release(struct inode *inode, struct file *file)
{
	struct gpubp_session *session = file->private_data;

	gpubp_catches_exit_session(session);
	gpubp_holds_exit_session(session);
	gpubp_attached_exit_session(session);
	gpubp_attachments_exit(session);
	gpubp_sets_exit_session(session);
	gpubp_filters_exit_session(session);
	gpubp_notices_exit(session);
	put_pid(session->opener);
	gpubp_user_put(session->user);
	kfree(session);
	return 0;
}

static const struct file_operations session_fops = {
	.owner		= THIS_MODULE,
	.open		= session_open,
	.release	= session_release,
	.read		= gpubp_notices_read,
	.poll		= gpubp_notices_poll,
	.unlocked_ioctl	= session_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice session_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "gpubp",
	.fops	= &session_fops,
	.mode	= 0666,
};

/** gpubp_session_init() - register /dev/gpubp; 0 or a negative errno */
int gpubp_session_init(void)
{
	return misc_register(&session_dev);
}

/** gpubp_session_exit() - remove /dev/gpubp; open files pin the module */
void gpubp_session_exit(void)
{
	misc_deregister(&session_dev);
}
