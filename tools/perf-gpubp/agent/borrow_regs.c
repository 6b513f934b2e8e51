// SPDX-License-Identifier: GPL-2.0
#ifdef __x86_64__
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "borrow_regs.h"
#include "target.h"

/* of the kernel, between a system call and user space */
#define ERESTARTSYS		512
#define ERESTARTNOINTR		513
#define ERESTARTNOHAND		514
#define ERESTART_RESTARTBLOCK	516

#define USER_CS			0x33
#define RED_ZONE		128
#define STACK_NEEDED		(64 << 10)
#define FLAGS_OFF		0x40500ull	/* DF, TF, AC: as a function finds them */

/* <asm/ucontext.h> and <asm/sigcontext.h>, which do not go with the C library's */
#define UC_FP_XSTATE		1
#define UC_SIGCONTEXT_SS	2
#define UC_STRICT_RESTORE_SS	4
#define XSTATE_MAGIC1		0x46505853u
#define XSTATE_MAGIC2		0x46505845u
#define XSTATE_SOFTWARE		464
#define NO_ALTSTACK		0x40000000	/* flags that the kernel refuses, and so changes none */

/* what is in front of the saved vector registers of a signal's frame */
struct xstate_software {
	uint32_t magic1;
	uint32_t extended_size;
	uint64_t features;
	uint32_t size;
	uint32_t padding[7];
};

/**
 * struct frame - struct rt_sigframe of the kernel, up to what rt_sigreturn() reads
 * @restorer: where the function returns to
 * @uc_flags: UC_*
 * @uc_link: none
 * @uc_stack: of signals
 * @regs: registers
 * @fpstate: address of the vector registers
 * @reserved: nothing
 * @mask: blocked signals
 */
struct frame {
	uint64_t restorer;
	uint64_t uc_flags;
	uint64_t uc_link;
	stack_t uc_stack;
	gregset_t regs;
	uint64_t fpstate;
	uint64_t reserved[8];
	uint64_t mask;
};

_Static_assert(offsetof(struct frame, regs) == 8 + offsetof(ucontext_t, uc_mcontext.gregs), "");
_Static_assert(offsetof(struct frame, fpstate) == 8 + offsetof(ucontext_t, uc_mcontext.fpregs), "");
_Static_assert(offsetof(struct frame, mask) == 8 + offsetof(ucontext_t, uc_sigmask), "");

/* ---- where it may be stopped --------------------------------------------------------- */

/* they sleep, and do nothing before */
static bool call_sleeps(uint64_t number)
{
	switch (number) {
	case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_accept:
	case SYS_accept4: case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
	case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2: case SYS_nanosleep:
	case SYS_clock_nanosleep: case SYS_futex: case SYS_pause: case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait: case SYS_wait4: case SYS_waitid: case SYS_ioctl:
	case SYS_flock:
		return true;
	default:
		return false;
	}
}

static bool call_was_interrupted(const struct user_regs_struct *regs)
{
	const int64_t ret = (int64_t)regs->rax;

	return (int64_t)regs->orig_rax >= 0 &&
	       (ret == -ERESTARTSYS || ret == -ERESTARTNOINTR || ret == -ERESTARTNOHAND ||
		ret == -ERESTART_RESTARTBLOCK || ret == -EINTR);
}

/* its code may have locks, as that of allocators */
static bool code_may_lock(const char *path)
{
	static const char * const names[] = { "/libc.so", "/libc-", "/ld-linux", "/ld-", "malloc" };
	unsigned int n;

	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		if (strstr(path, names[n]))
			return true;
	/* the kernel's, which the C library calls */
	return path[0] == '[';
}

/* of a thread that was sleeping; a call that has ended may be one of the loader's */
static bool call_is_safe(const struct user_regs_struct *regs)
{
	return regs->orig_rax == SYS_sched_yield ||
	       (call_sleeps(regs->orig_rax) && call_was_interrupted(regs));
}

/* mov $NUMBER, %eax; syscall: what goes on with a rest of its time has another number */
void borrow_number(pid_t pid, struct user_regs_struct *regs)
{
	unsigned char code[7];
	uint32_t number;

	if (regs->orig_rax != SYS_restart_syscall ||
	    !target_read(pid, regs->rip - sizeof(code), code, sizeof(code)) ||
	    code[0] != 0xb8 || code[5] != 0x0f || code[6] != 0x05)
		return;
	memcpy(&number, code + 1, sizeof(number));
	regs->orig_rax = number;
}

bool borrow_is_safe(pid_t pid, const struct user_regs_struct *regs)
{
	struct target_map map;

	if (regs->cs != USER_CS)
		return false;
	if ((int64_t)regs->orig_rax >= 0)
		return call_is_safe(regs);
	return target_map_at(pid, regs->rip, &map) && !code_may_lock(map.path);
}

struct user_regs_struct borrow_resumed(const struct user_regs_struct *regs, bool same_task_state)
{
	struct user_regs_struct to = *regs;

	if (call_was_interrupted(regs)) {
		to.rip -= 2;	/* the instruction */
		to.rax = same_task_state && (int64_t)regs->rax == -ERESTART_RESTARTBLOCK ?
			 SYS_restart_syscall : regs->orig_rax;
	}
	to.orig_rax = -1ull;
	return to;
}

struct user_regs_struct borrow_interrupted(const struct user_regs_struct *regs,
					   bool same_task_state)
{
	struct user_regs_struct to = *regs;

	if (call_was_interrupted(regs) &&
	    ((int64_t)regs->rax == -EINTR ||
	     ((int64_t)regs->rax == -ERESTART_RESTARTBLOCK && !same_task_state)))
		to.rax = -(uint64_t)ERESTARTNOHAND;
	return to;
}

/* ---- the frame ----------------------------------------------------------------------- */

static void frame_regs(gregset_t to, const struct user_regs_struct *r)
{
	to[REG_R8] = (greg_t)r->r8;
	to[REG_R9] = (greg_t)r->r9;
	to[REG_R10] = (greg_t)r->r10;
	to[REG_R11] = (greg_t)r->r11;
	to[REG_R12] = (greg_t)r->r12;
	to[REG_R13] = (greg_t)r->r13;
	to[REG_R14] = (greg_t)r->r14;
	to[REG_R15] = (greg_t)r->r15;
	to[REG_RDI] = (greg_t)r->rdi;
	to[REG_RSI] = (greg_t)r->rsi;
	to[REG_RBP] = (greg_t)r->rbp;
	to[REG_RBX] = (greg_t)r->rbx;
	to[REG_RDX] = (greg_t)r->rdx;
	to[REG_RAX] = (greg_t)r->rax;
	to[REG_RCX] = (greg_t)r->rcx;
	to[REG_RSP] = (greg_t)r->rsp;
	to[REG_RIP] = (greg_t)r->rip;
	to[REG_EFL] = (greg_t)r->eflags;
	to[REG_CSGSFS] = (greg_t)((r->cs & 0xffff) | (r->ss & 0xffff) << 48);
}

/* as the kernel marks them in a signal's frame; @to has room for four bytes more */
static void frame_xstate(unsigned char *to, const struct borrowed *was)
{
	struct xstate_software software = {
		.magic1 = XSTATE_MAGIC1, .size = (uint32_t)was->xstate_len,
		.extended_size = (uint32_t)was->xstate_len + 4,
	};
	const uint32_t magic2 = XSTATE_MAGIC2;

	memcpy(to, was->xstate, was->xstate_len);
	/* ptrace() has which registers there are where the frame has it, too */
	memcpy(&software.features, was->xstate + XSTATE_SOFTWARE, sizeof(software.features));
	memcpy(to + XSTATE_SOFTWARE, &software, sizeof(software));
	memcpy(to + was->xstate_len, &magic2, sizeof(magic2));
}

static bool stack_has_room(pid_t pid, uint64_t sp, uint64_t used)
{
	struct target_map map;

	return target_map_at(pid, sp, &map) &&
	       (map.grows || sp - map.start >= used + STACK_NEEDED);
}

static void call_regs(struct user_regs_struct *regs, const struct borrowed *was, uint64_t sp,
		      const struct borrow_call *call, uint64_t data)
{
	uint64_t arg[BORROW_ARGS];
	unsigned int n;

	for (n = 0; n < BORROW_ARGS; n++)
		arg[n] = call->arg[n] + (call->is_data >> n & 1 ? data : 0);
	*regs = was->regs;
	regs->orig_rax = -1ull;
	regs->rip = call->function;
	regs->rsp = sp;
	regs->rdi = arg[0];
	regs->rsi = arg[1];
	regs->rdx = arg[2];
	regs->rax = 0;
	regs->eflags &= ~FLAGS_OFF;
}

bool borrow_frame(pid_t pid, const struct borrowed *was, uint64_t restorer,
		  const struct borrow_call *call, struct user_regs_struct *regs, uint64_t *data)
{
	const struct user_regs_struct back = borrow_resumed(&was->regs, false);
	static unsigned char xstate[BORROW_XSTATE + 4];
	struct frame frame = {
		.restorer = restorer,
		.uc_flags = UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS,
		.uc_stack.ss_flags = NO_ALTSTACK,
		.mask = was->mask,
	};
	uint64_t at;

	*data = (was->regs.rsp - RED_ZONE - BORROW_DATA) & ~63ull;
	frame.fpstate = (*data - was->xstate_len - 4) & ~63ull;
	/* a function begins with a stack that its return address has misaligned */
	at = ((frame.fpstate - sizeof(frame)) & ~15ull) - 8;
	if (!stack_has_room(pid, was->regs.rsp, was->regs.rsp - at))
		return false;
	frame_regs(frame.regs, &back);
	frame_xstate(xstate, was);
	call_regs(regs, was, at, call, *data);
	return target_write(pid, *data, call->data, BORROW_DATA) &&
	       target_write(pid, frame.fpstate, xstate, was->xstate_len + 4) &&
	       target_write(pid, at, &frame, sizeof(frame));
}

bool borrow_has_returned(const struct user_regs_struct *now, const struct user_regs_struct *regs)
{
	return now->orig_rax == SYS_rt_sigreturn && now->rsp == regs->rsp + 8;
}
#endif /* __x86_64__ */
