// SPDX-License-Identifier: GPL-2.0
/*
 * Register access for root through debugfs, as in amdgpu: "regs" is read and
 * written at the byte offset of a register, "select" sets the bank and index
 * selects, which persist.
 *
 * The driver uses the same select registers. Each access by root is one
 * critical section with its selects, and so is each access by the driver:
 * neither sees the other's selects.
 */
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "device.h"
#include "mmio.h"

/*
 * Bits of the file offset, as in amdgpu: the register, and selects for this
 * access.
 */
#define POS_REG		GENMASK_ULL(21, 0)
#define POS_SE		GENMASK_ULL(33, 24)
#define POS_SH		GENMASK_ULL(43, 34)
#define POS_INSTANCE	GENMASK_ULL(53, 44)
#define POS_VMID	GENMASK_ULL(58, 54)
#define POS_BY_VMID	BIT_ULL(61)
#define POS_BY_INDEX	BIT_ULL(62)

/* most bytes of one read or write */
#define MAX_SIZE	4096

static u32 gfx_cntl(u32 vmid)
{
	return vmid << GFX_CNTL_VMID_SHIFT;
}

/* all ones broadcast, as in amdgpu; here the instance decides for all three */
static u32 gfx_index(u32 se, u32 sh, u32 instance)
{
	if (instance > 0xff)
		return GFX_INDEX_BROADCAST;
	return (se & 0xff) << 16 | (sh & 0xff) << 8 | instance;
}

/* root's selects, with those that the offset sets for this access only */
static struct sim_selection selection_at(struct sim_device *dev, loff_t pos)
{
	struct sim_selection sel = dev->root;

	lockdep_assert_held(&dev->sq_lock);
	if (pos & POS_BY_VMID)
		sel.gfx_cntl = gfx_cntl(FIELD_GET(POS_VMID, pos));
	if (pos & POS_BY_INDEX)
		sel.gfx_index = gfx_index(FIELD_GET(POS_SE, pos),
					  FIELD_GET(POS_SH, pos),
					  FIELD_GET(POS_INSTANCE, pos));
	return sel;
}

static void mmio_select(struct sim_device *dev, const struct sim_selection *sel)
{
	lockdep_assert_held(&dev->sq_lock);
	sim_wreg(dev, regGRBM_GFX_CNTL, sel->gfx_cntl);
	sim_wreg(dev, regGRBM_GFX_INDEX, sel->gfx_index);
	sim_wreg(dev, regSQ_IND_INDEX, sel->ind_index);
}

/* values written to a select register persist */
static void mmio_note_selects(struct sim_device *dev, u32 reg, u32 value)
{
	lockdep_assert_held(&dev->sq_lock);
	if (reg == regGRBM_GFX_CNTL)
		dev->root.gfx_cntl = value;
	if (reg == regGRBM_GFX_INDEX)
		dev->root.gfx_index = value;
	dev->root.ind_index = sim_rreg(dev, regSQ_IND_INDEX);
}

/* root's selects persist */
static void mmio_access(struct sim_device *dev, loff_t pos, u32 *value,
			bool write)
{
	u32 reg = FIELD_GET(POS_REG, pos) / sizeof(u32);
	struct sim_selection sel;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	sel = selection_at(dev, pos);
	mmio_select(dev, &sel);
	if (write)
		sim_wreg(dev, reg, *value);
	else
		*value = sim_rreg(dev, reg);
	mmio_note_selects(dev, write ? reg : 0, *value);
}

static int mmio_check(loff_t pos, size_t size)
{
	if (size % sizeof(u32) || pos % sizeof(u32) || size > MAX_SIZE ||
	    ((pos & POS_BY_VMID) && (pos & POS_BY_INDEX)))
		return -EINVAL;
	return 0;
}

static void mmio_access_all(struct sim_device *dev, loff_t pos, u32 *buf,
			    size_t size, bool write)
{
	size_t n;

	for (n = 0; n < size / sizeof(u32); n++)
		mmio_access(dev, pos + n * sizeof(u32), &buf[n], write);
}

static ssize_t regs_read(struct file *file, char __user *user, size_t size,
			 loff_t *pos)
{
	int err = mmio_check(*pos, size);

	if (err)
		return err;
	u32 *buf __free(kfree) = kmalloc(size, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	mmio_access_all(file->private_data, *pos, buf, size, false);
	if (copy_to_user(user, buf, size))
		return -EFAULT;
	*pos += size;
	return size;
}

static ssize_t regs_write(struct file *file, const char __user *user,
			  size_t size, loff_t *pos)
{
	int err = mmio_check(*pos, size);

	if (err)
		return err;
	u32 *buf __free(kfree) = memdup_user(user, size);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	mmio_access_all(file->private_data, *pos, buf, size, true);
	*pos += size;
	return size;
}

static const struct file_operations regs_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= regs_read,
	.write	= regs_write,
	.llseek	= default_llseek,
};

/* "vmid V", "grbm SE SH INSTANCE" or "grbm broadcast" */
static int select_parse(const char *text, struct sim_selection *sel)
{
	u32 a, b, c;

	if (sysfs_streq(text, "grbm broadcast"))
		sel->gfx_index = GFX_INDEX_BROADCAST;
	else if (sscanf(text, "grbm %u %u %u", &a, &b, &c) == 3)
		sel->gfx_index = gfx_index(a, b, c);
	else if (sscanf(text, "vmid %u", &a) == 1 && a < SIM_NR_VMIDS)
		sel->gfx_cntl = gfx_cntl(a);
	else
		return -EINVAL;
	return 0;
}

static int select_text(struct sim_device *dev, const char *text)
{
	int err;

	guard(raw_spinlock_irqsave)(&dev->sq_lock);
	err = select_parse(text, &dev->root);
	if (!err)
		mmio_select(dev, &dev->root);
	return err;
}

static ssize_t select_write(struct file *file, const char __user *user,
			    size_t size, loff_t *pos)
{
	char text[32];

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, size))
		return -EFAULT;
	text[size] = '\0';
	return select_text(file->private_data, text) ?: size;
}

static const struct file_operations select_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= select_write,
	.llseek	= noop_llseek,
};

/*
 * sim_mmio_debugfs_add() - add the register files for root; removed with @dir
 */
void sim_mmio_debugfs_add(struct sim_device *dev, struct dentry *dir)
{
	debugfs_create_file("regs", 0600, dir, dev, &regs_fops);
	debugfs_create_file("select", 0200, dir, dev, &select_fops);
}
