// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: /dev/gpubp, for what perf_event_open(2) has no place for.
 *
 * Here are the file and the way from a command to the room that does it.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "attach.h"
#include "displaced.h"
#include "dump.h"
#include "event.h"
#include "hold.h"
#include "modify.h"
#include "regs.h"
#include "runctl.h"
#include "session.h"
#include "set.h"
#include "sync.h"
#include "user.h"

/* the largest struct of a command */
#define MAX_ARG		sizeof(struct gpubp_wave_dump)

/**
 * struct command - an ioctl
 * @cmd: its number
 * @run: does it on a copy of its argument, which is copied back when the
 *	command has a result, also where it fails
 */
struct command {
	unsigned int cmd;
	long (*run)(struct gpubp_session *session, void *arg);
};

static const struct command commands[] = {
	{ GPUBP_ATTACH, gpubp_attach_cmd },
	{ GPUBP_DETACH, gpubp_detach_cmd },
	{ GPUBP_RIGHTS, gpubp_rights_cmd },
	{ GPUBP_CONTEXTS, gpubp_contexts_cmd },
	{ GPUBP_WAVES, gpubp_waves_cmd },
	{ GPUBP_HALT, gpubp_halt_cmd },
	{ GPUBP_RESUME, gpubp_resume_cmd },
	{ GPUBP_STEP, gpubp_step_cmd },
	{ GPUBP_DISPLACED_START, gpubp_displaced_start_cmd },
	{ GPUBP_DISPLACED_COMPLETE, gpubp_displaced_complete_cmd },
	{ GPUBP_DISPLACED_INFO, gpubp_displaced_info_cmd },
	{ GPUBP_READ_REGS, gpubp_read_regs_cmd },
	{ GPUBP_WRITE_REGS, gpubp_write_regs_cmd },
	{ GPUBP_READ_MEM, gpubp_read_mem_cmd },
	{ GPUBP_DUMP_WAVE, gpubp_dump_wave_cmd },
	{ GPUBP_MODIFY, gpubp_modify_cmd },
	{ GPUBP_SYNC, gpubp_sync_cmd },
	{ GPUBP_STATS, gpubp_stats_cmd },
	{ GPUBP_SET_CREATE, gpubp_set_create_cmd },
	{ GPUBP_SET_DESTROY, gpubp_set_destroy_cmd },
	{ GPUBP_SET_UPDATE, gpubp_set_update_cmd },
	{ GPUBP_SET_READ, gpubp_set_read_cmd },
};

/**
 * gpubp_session_event() - the event that a session calls by this id
 * @session: session
 * @id: perf's id of the event
 *
 * gpubp_events_lock is held. Return: the event, never a child, or NULL.
 */
struct gpubp_event *gpubp_session_event(struct gpubp_session *session, u64 id)
{
	struct gpubp_event *gev = gpubp_event_by_id(id);

	if (!gev || gev->opener != session->opener)
		return NULL;
	/* a consumer's is the kernel's, on whosever behalf */
	return gev->event->overflow_handler_context ? NULL : gev;
}

static const struct command *command_find(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].cmd == cmd)
			return &commands[i];
	return NULL;
}

static long session_ioctl(struct file *file, unsigned int cmd,
			  unsigned long uarg)
{
	struct gpubp_session *session = file->private_data;
	const struct command *command = command_find(cmd);
	size_t size = _IOC_SIZE(cmd);
	u64 arg[DIV_ROUND_UP(MAX_ARG, sizeof(u64))];
	long ret;

	if (!command || WARN_ON_ONCE(size > sizeof(arg)))
		return -ENOTTY;
	if (task_tgid(current) != session->opener)
		return -EPERM;	/* given away, or inherited by a child */
	if (copy_from_user(arg, (void __user *)uarg, size))
		return -EFAULT;
	ret = command->run(session, arg);
	if ((_IOC_DIR(cmd) & _IOC_READ) &&
	    copy_to_user((void __user *)uarg, arg, size))
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
	sema_init(&session->turn, 1);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int session_release(struct inode *inode, struct file *file)
{
	struct gpubp_session *session = file->private_data;

	gpubp_holds_release(session);
	gpubp_attachments_exit(session);
	gpubp_sets_release(session);
	put_pid(session->opener);
	gpubp_user_put(session->user);
	kfree(session);
	return 0;
}

static const struct file_operations session_fops = {
	.owner		= THIS_MODULE,
	.open		= session_open,
	.release	= session_release,
	.unlocked_ioctl	= session_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice session_dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "gpubp",
	.fops	= &session_fops,
	.mode	= 0666,
};

/** gpubp_session_init() - make /dev/gpubp; 0 or a negative errno */
int gpubp_session_init(void)
{
	return misc_register(&session_dev);
}

/** gpubp_session_exit() - no file of it is open, each held the module */
void gpubp_session_exit(void)
{
	misc_deregister(&session_dev);
}
