// SPDX-License-Identifier: GPL-2.0
/*
 * Access to an address space by GPU address: look up the page, copy.
 *
 * Pages of the device are accessed under RCU, which keeps them while a mapping
 * is being removed; pages of a process are pinned for one instruction.
 */
#include <kunit/visibility.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include "vm.h"

/* as in hardware, accesses of whole words are not torn */
static void copy_words(void *dst, const void *src, size_t len)
{
	const u32 *s = src;
	u32 *d = dst;

	for (; len; len -= sizeof(*d))
		WRITE_ONCE(*d++, READ_ONCE(*s++));
}

static void copy_longs(void *dst, const void *src, size_t len)
{
	const unsigned long *s = src;
	unsigned long *d = dst;

	for (; len; len -= sizeof(*d))
		WRITE_ONCE(*d++, READ_ONCE(*s++));
}

static void copy_small(void *dst, const void *src, size_t len)
{
	unsigned long bits = (unsigned long)dst | (unsigned long)src | len;

	if (IS_ALIGNED(bits, sizeof(long)))
		copy_longs(dst, src, len);
	else if (IS_ALIGNED(bits, sizeof(u32)))
		copy_words(dst, src, len);
	else
		memcpy(dst, src, len);
}

static void access_copy(void *memory, void *buf, size_t len, unsigned int flags)
{
	if (flags & SIM_ACCESS_WRITE)
		copy_small(memory, buf, len);
	else
		copy_small(buf, memory, len);
}

static bool access_allowed(const struct sim_map *map, unsigned int flags)
{
	if (!(flags & SIM_ACCESS_WRITE) || !map->readonly)
		return true;
	return map->kind == SIM_MAP_CODE && (flags & SIM_ACCESS_PRIV);
}

static struct sim_tlb_entry *tlb_entry(struct sim_tlb *tlb, u64 page)
{
	return &tlb->entry[page % SIM_TLB_ENTRIES];
}

/*
 * The mapping, and in @addr the page if it is memory of the device; under RCU.
 */
static struct sim_map *find_page(struct sim_vm *vm, struct sim_tlb *tlb,
				 u64 page, void **addr)
{
	u64 seq = smp_load_acquire(&vm->seq);	/* pairs with new_seq() */
	struct sim_tlb_entry *e = tlb ? tlb_entry(tlb, page) : NULL;
	struct sim_map *map;

	if (e && e->page == page && e->vm == vm && e->seq == seq) {
		*addr = e->addr;
		return (struct sim_map *)e->map;
	}
	map = mtree_load(&vm->maps, page);
	if (!map || map->kind == SIM_MAP_USERPTR)
		return map;
	*addr = page_address(map->pages[page - (map->va >> PAGE_SHIFT)]);
	if (e)
		*e = (struct sim_tlb_entry){ vm, seq, page, *addr, map };
	return map;
}

/**
 * sim_tlb_instruction() - begin another instruction: put the pages pinned for
 *	the last one
 * @tlb: translations
 * @inst: unique number of the instruction within the slice, not SIM_NO_INST
 */
void sim_tlb_instruction(struct sim_tlb *tlb, u64 inst)
{
	if (tlb->inst == inst)
		return;
	tlb->inst = inst;
	while (tlb->nr_pins)
		sim_pin_put(&tlb->pin[--tlb->nr_pins]);
	tlb->last_pin = 0;
}

/** sim_tlb_slice_end() - put all pinned pages at the end of a slice */
void sim_tlb_slice_end(struct sim_tlb *tlb)
{
	sim_tlb_instruction(tlb, SIM_NO_INST);
}

static bool pin_fits(const struct sim_pin *pin, const struct sim_map *map,
		     unsigned long page, bool write)
{
	return pin->map == map && pin->page == page &&
	       (pin->writable || !write);
}

static struct sim_pin *find_pin(struct sim_tlb *tlb, const struct sim_map *map,
				unsigned long page, bool write)
{
	unsigned int i, n;

	for (i = 0; i < tlb->nr_pins; i++) {
		n = (tlb->last_pin + i) % tlb->nr_pins;
		if (!pin_fits(&tlb->pin[n], map, page, write))
			continue;
		tlb->last_pin = n;
		return &tlb->pin[n];
	}
	return NULL;
}

/*
 * Takes over a reference to @map; returns the page, or an ERR_PTR as
 * sim_pin_get().
 */
static struct sim_pin *get_pin(struct sim_tlb *tlb, struct sim_map *map,
			       unsigned long page, unsigned int flags)
{
	struct sim_pin *pin =
		find_pin(tlb, map, page, flags & SIM_ACCESS_WRITE);
	int err = -EFAULT;

	if (!pin && tlb->nr_pins < SIM_NR_PINS) {
		pin = &tlb->pin[tlb->nr_pins];
		err = sim_pin_get(pin, map, page, flags | SIM_ACCESS_NOWAIT);
		if (!err) {
			tlb->last_pin = tlb->nr_pins++;
			return pin;
		}
		pin = NULL;
	}
	sim_map_put(map);
	return pin ?: ERR_PTR(err);
}

/* operation on a page */
struct page_op {
	void (*fn)(void *memory, struct page_op *op);
	void *buf;
	size_t len;
	unsigned int flags;
	u64 (*modify)(u64 old, const void *data);
	const void *data;
	u64 old;
};

static void page_do_pinned(const struct sim_pin *pin, u64 va,
			   struct page_op *op)
{
	void *memory = kmap_local_page(pin->memory);

	op->fn(memory + offset_in_page(va), op);
	kunmap_local(memory);
}

/* compute units do not wait for pages here: sim_vm_need() has pinned them */
static int page_do_userptr(struct sim_tlb *tlb, struct sim_map *map, u64 va,
			   struct page_op *op)
{
	unsigned long page = (va - map->va) >> PAGE_SHIFT;
	struct sim_pin own = {}, *pin;
	int err;

	if (tlb) {
		pin = get_pin(tlb, map, page, op->flags);
		if (IS_ERR(pin))
			return PTR_ERR(pin);
		page_do_pinned(pin, va, op);
		return 0;
	}
	err = sim_pin_get(&own, map, page, op->flags);
	if (err) {
		sim_map_put(map);
		return err;
	}
	page_do_pinned(&own, va, op);
	sim_pin_put(&own);
	return 0;
}

/* the access lies within one page; returns 0 or as sim_pin_get() */
static int page_do(struct sim_vm *vm, struct sim_tlb *tlb, u64 va,
		   struct page_op *op)
{
	struct sim_map *map;
	void *addr = NULL;

	rcu_read_lock();
	map = va < SIM_VA_END ? find_page(vm, tlb, va >> PAGE_SHIFT, &addr) :
				NULL;
	if (!map || !access_allowed(map, op->flags)) {
		rcu_read_unlock();
		return -EFAULT;
	}
	if (addr)
		op->fn(addr + offset_in_page(va), op);
	else
		sim_map_get(map);
	rcu_read_unlock();
	return addr ? 0 : page_do_userptr(tlb, map, va, op);
}

static void copy_op(void *memory, struct page_op *op)
{
	access_copy(memory, op->buf, op->len, op->flags);
}

/* the userptr mapping at @va with a reference, or NULL */
static struct sim_map *get_userptr(struct sim_vm *vm, u64 va)
{
	struct sim_map *map;

	guard(rcu)();
	map = va < SIM_VA_END ? mtree_load(&vm->maps, va >> PAGE_SHIFT) : NULL;
	if (!map || map->kind != SIM_MAP_USERPTR)
		return NULL;
	sim_map_get(map);
	return map;
}

static int need_page(struct sim_vm *vm, struct sim_tlb *tlb, u64 va,
		     unsigned int flags)
{
	struct sim_map *map = get_userptr(vm, va);

	if (!map)
		return 0;
	if (!access_allowed(map, flags)) {
		sim_map_put(map);
		return 0;
	}
	return PTR_ERR_OR_ZERO(get_pin(tlb, map, (va - map->va) >> PAGE_SHIFT,
				       flags));
}

/** sim_vm_may_wait() - may an access have to wait for a page? */
bool sim_vm_may_wait(const struct sim_vm *vm)
{
	return READ_ONCE(vm->nr_userptrs);
}

/**
 * sim_vm_need() - pin the pages of a process that an access needs
 * @vm: address space
 * @tlb: of the calling thread's compute unit: keeps the pages until
 *	sim_tlb_instruction()
 * @va: GPU address
 * @len: bytes, not 0
 * @flags: SIM_ACCESS_WRITE, SIM_ACCESS_PRIV
 * @missing: (out) address in the page that is not present
 *
 * An access that will fail needs no pages. Does not wait.
 *
 * Return: 0 or -EAGAIN.
 */
int sim_vm_need(struct sim_vm *vm, struct sim_tlb *tlb, u64 va, u64 len,
		unsigned int flags, u64 *missing)
{
	u64 end = va + len;

	/* SIM_VA_END also stops before @va wraps around */
	for (; va < end && va < SIM_VA_END; va = (va | ~PAGE_MASK) + 1) {
		if (need_page(vm, tlb, va, flags) != -EAGAIN)
			continue;
		*missing = va;
		return -EAGAIN;
	}
	return 0;
}

/**
 * sim_vm_fault_in() - fault in a page of a process
 * @vm: address space
 * @va: GPU address in it
 * @write: for writing
 *
 * May sleep. Return: as sim_map_fault_in().
 */
int sim_vm_fault_in(struct sim_vm *vm, u64 va, bool write)
{
	struct sim_map *map = get_userptr(vm, va);
	int err;

	if (!map)
		return -EFAULT;
	err = sim_map_fault_in(map, (va - map->va) >> PAGE_SHIFT, write);
	sim_map_put(map);
	return err;
}

/**
 * sim_vm_rw() - copy between @buf and GPU memory
 * @vm: address space
 * @tlb: of the calling thread's compute unit, or NULL
 * @va: GPU address
 * @buf: buffer
 * @len: bytes, not 0
 * @flags: SIM_ACCESS_*
 *
 * May sleep.
 *
 * Return: bytes copied, fewer than @len if the access reaches a page that is
 * not mapped or not writable; if none were copied an errno: -EFAULT, or -EAGAIN
 * with SIM_ACCESS_NOWAIT.
 */
ssize_t sim_vm_rw(struct sim_vm *vm, struct sim_tlb *tlb, u64 va, void *buf,
		  size_t len, unsigned int flags)
{
	size_t done = 0;
	int err = 0;

	while (done < len) {
		struct page_op op = {
			.fn = copy_op,
			.buf = buf + done,
			.len = min(len - done, PAGE_SIZE - offset_in_page(va)),
			.flags = flags,
		};

		err = page_do(vm, tlb, va, &op);
		if (err)
			break;
		done += op.len;
		va += op.len;
	}
	return done ?: err;
}

/** sim_vm_access() - as sim_vm_rw(), but returns 0 instead of an errno */
size_t sim_vm_access(struct sim_vm *vm, struct sim_tlb *tlb, u64 va, void *buf,
		     size_t len, unsigned int flags)
{
	ssize_t n = sim_vm_rw(vm, tlb, va, buf, len, flags);

	return max(n, 0);
}
EXPORT_SYMBOL_IF_KUNIT(sim_vm_access);

static void rmw_u32(u32 *p, struct page_op *op)
{
	u32 old = READ_ONCE(*p);

	while (!try_cmpxchg(p, &old, (u32)op->modify(old, op->data)))
		;
	op->old = old;
}

static void rmw_u64(u64 *p, struct page_op *op)
{
	u64 old = READ_ONCE(*p);

	while (!try_cmpxchg(p, &old, op->modify(old, op->data)))
		;
	op->old = old;
}

static void rmw_op(void *memory, struct page_op *op)
{
	if (op->len == sizeof(u32))
		rmw_u32(memory, op);
	else
		rmw_u64(memory, op);
}

/**
 * sim_vm_rmw() - atomic read-modify-write
 * @vm: address space
 * @tlb: of the calling thread's compute unit, or NULL
 * @va: GPU address
 * @len: 4 or 8
 * @fn: new value from the old one and @data; may be called several times
 * @data: for @fn
 * @flags: SIM_ACCESS_PRIV or 0
 * @old: the old value
 *
 * Atomic to other waves and to the CPU. May sleep.
 *
 * Return: 0, or -EFAULT, also for a misaligned address.
 */
int sim_vm_rmw(struct sim_vm *vm, struct sim_tlb *tlb, u64 va,
	       unsigned int len, u64 (*fn)(u64 old, const void *data),
	       const void *data, unsigned int flags, u64 *old)
{
	struct page_op op = {
		.fn = rmw_op,
		.len = len,
		.flags = flags | SIM_ACCESS_WRITE,
		.modify = fn,
		.data = data,
	};
	int err;

	if ((len != sizeof(u32) && len != sizeof(u64)) || !IS_ALIGNED(va, len))
		return -EFAULT;
	err = page_do(vm, tlb, va, &op);
	*old = op.old;
	return err;
}
