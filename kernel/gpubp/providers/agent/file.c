// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/gpubp_agent: each open file is an agent; see <uapi/linux/gpubp_agent.h>.
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "agent.h"

static int file_open(struct inode *inode, struct file *file)
{
	struct agent *a = agent_create();

	if (!a)
		return -ENOMEM;
	file->private_data = a;
	return 0;
}

static int file_release(struct inode *inode, struct file *file)
{
	agent_destroy(file->private_data);
	return 0;
}

/* ---- programs ------------------------------------------------------------ */

/* until there is one that was not read */
static int program_wait(struct file *file, struct agent_program *prog)
{
	struct agent *a = file->private_data;
	int err = 0;

	while (!err && !agent_next_program(a, prog))
		err = file->f_flags & O_NONBLOCK ? -EAGAIN :
		      wait_event_interruptible(a->programs.news,
					       agent_has_program(a));
	return err;
}

static ssize_t file_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct agent *a = file->private_data;
	struct agent_program *prog;
	int err = agent_check_caller(a);

	if (err)
		return err;
	if (len < sizeof(prog->msg))
		return -EINVAL;
	prog = kzalloc(sizeof(*prog), GFP_KERNEL_ACCOUNT);
	if (!prog)
		return -ENOMEM;
	err = program_wait(file, prog);
	if (!err && copy_to_user(buf, &prog->msg, sizeof(prog->msg)))
		err = -EFAULT;
	if (!err)
		agent_program_sent(a, prog);
	gpubp_ranges_put(prog->ranges);
	kfree(prog);
	return err ?: sizeof(prog->msg);
}

static __poll_t file_poll(struct file *file, poll_table *wait)
{
	struct agent *a = file->private_data;

	if (agent_check_caller(a))
		return EPOLLERR;
	poll_wait(file, &a->programs.news, wait);
	return EPOLLOUT | EPOLLWRNORM |
	       (agent_has_program(a) ? EPOLLIN | EPOLLRDNORM : 0);
}

/* ---- messages ------------------------------------------------------------ */

static int message_take(struct agent *a, const void *msg, bool wait)
{
	const struct gpubp_agent_header *header = msg;

	switch (header->type) {
	case GPUBP_AGENT_ACK:
		return header->size == sizeof(struct gpubp_agent_ack) ?
		       agent_ack(a, msg) : -EINVAL;
	case GPUBP_AGENT_HIT:
		return agent_report(a, msg, wait);
	case GPUBP_AGENT_LOST:
		return agent_lost(a, msg);
	case GPUBP_AGENT_COUNTS:
		return agent_counts(a, msg);
	case GPUBP_AGENT_FREED:
		return agent_freed(a, msg, wait);
	case GPUBP_AGENT_PAUSE:
		return agent_pause(a, msg);
	case GPUBP_AGENT_RETRY:
		return header->size == sizeof(struct gpubp_agent_retry) ?
		       agent_retry(a, msg) : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* one message from @buf to @msg; its size, or an errno */
static int message_copy(void *msg, const char __user *buf, size_t len)
{
	struct gpubp_agent_header *header = msg;
	u32 size;

	if (len < sizeof(*header))
		return -EINVAL;
	if (copy_from_user(header, buf, sizeof(*header)))
		return -EFAULT;
	size = header->size;
	if (size < sizeof(*header) || size > GPUBP_AGENT_MESSAGE || size % 8 ||
	    size > len)
		return -EINVAL;
	if (copy_from_user(header + 1, buf + sizeof(*header),
			   size - sizeof(*header)))
		return -EFAULT;
	return size;
}

/* as many messages as are valid; the error of the first one that is not, if it is the first */
static ssize_t file_write(struct file *file, const char __user *buf, size_t len,
			  loff_t *pos)
{
	bool wait = !(file->f_flags & O_NONBLOCK);
	struct agent *a = file->private_data;
	void *msg __free(kfree) = NULL;
	int size, err = agent_check_caller(a);
	size_t done = 0;

	if (err)
		return err;
	msg = kmalloc(GPUBP_AGENT_MESSAGE, GFP_KERNEL_ACCOUNT);
	if (!msg)
		return -ENOMEM;
	do {
		size = message_copy(msg, buf + done, len - done);
		err = size < 0 ? size : message_take(a, msg, wait);
		if (err)
			return done ?: err;
		done += size;
		cond_resched();
	} while (done < len && !fatal_signal_pending(current));
	return done;
}

/* ---- requests ------------------------------------------------------------ */

static long file_join(struct agent *a, void __user *arg)
{
	struct gpubp_agent_join join;
	int err;

	if (copy_from_user(&join, arg, sizeof(join)))
		return -EFAULT;
	/* before anything is done that the caller could not know of */
	if (clear_user(arg + offsetof(struct gpubp_agent_join, device),
		       sizeof(join) - offsetof(struct gpubp_agent_join, device)))
		return -EFAULT;
	err = agent_join(a, &join);
	if (err)
		return err;
	return copy_to_user(arg, &join, sizeof(join)) ? -EFAULT : 0;
}

static long file_queue(struct agent *a, void __user *arg,
		       int (*act)(struct agent *a, const struct gpubp_agent_queue *q))
{
	struct gpubp_agent_queue queue;

	if (copy_from_user(&queue, arg, sizeof(queue)))
		return -EFAULT;
	return act(a, &queue);
}

static long file_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct agent *a = file->private_data;
	void __user *user = (void __user *)arg;
	int err;

	if (cmd == GPUBP_AGENT_JOIN)
		return file_join(a, user);
	err = agent_check_caller(a);
	switch (cmd) {
	case GPUBP_AGENT_QUEUE_CREATE:
		return err ?: file_queue(a, user, agent_queue_create);
	case GPUBP_AGENT_QUEUE_DESTROY:
		return err ?: file_queue(a, user, agent_queue_destroy);
	case GPUBP_AGENT_WAIT_ARMED:
		return err ?: file_queue(a, user, agent_queue_wait_armed);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations agent_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.read = file_read,
	.write = file_write,
	.poll = file_poll,
	.unlocked_ioctl = file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice agent_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gpubp_agent",
	.fops = &agent_fops,
	.mode = 0666,
};

/* ---- the module ---------------------------------------------------------- */

static int agents_show(struct seq_file *m, void *unused)
{
	agent_show_all(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(agents);

static struct dentry *agents_file;

static int __init agent_init(void)
{
	int err = misc_register(&agent_misc);

	if (err)
		return err;
	agents_file = debugfs_create_file("gpubp_agents", 0400, NULL, NULL,
					  &agents_fops);
	return 0;
}

static void __exit agent_exit(void)
{
	debugfs_remove(agents_file);
	misc_deregister(&agent_misc);
}

module_init(agent_init);
module_exit(agent_exit);

MODULE_DESCRIPTION("gpubp: GPUs whose comparators are programmed in user space");
MODULE_LICENSE("GPL");
MODULE_VERSION(GPUBP_VERSION);
