// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kfd.h"
#include "kfd_abi.h"

/* ROCr asks in one thread, before the program can use a GPU */
static struct kfd_gpu gpus[KFD_MAX_GPUS];
static unsigned int nr_gpus;
static void (*at_queue)(void), (*at_end)(void);
static void (*at_queue_made)(uint32_t id, uint32_t doorbell);

int kfd_ioctl(int fd, unsigned long request, void *arg)
{
	long ret;

	do
		ret = syscall(SYS_ioctl, fd, request, arg);
	while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -errno : 0;
}

struct kfd_gpu *kfd_gpu_at(unsigned int n)
{
	return n < nr_gpus ? &gpus[n] : NULL;
}

void kfd_on_queue(void (*begin)(void))
{
	at_queue = begin;
}

void kfd_on_queue_made(void (*made)(uint32_t id, uint32_t doorbell))
{
	at_queue_made = made;
}

void kfd_on_end(void (*end)(void))
{
	at_end = end;
}

struct kfd_gpu *kfd_gpu_add(uint32_t id)
{
	unsigned int n;

	for (n = 0; n < nr_gpus; n++)
		if (gpus[n].id == id)
			return &gpus[n];
	if (nr_gpus == KFD_MAX_GPUS)
		return NULL;
	gpus[nr_gpus] = (struct kfd_gpu){ .id = id, .drm_fd = -1 };
	return &gpus[nr_gpus++];
}

static void acquired_vm(const struct agent_kfd_acquire_vm *args)
{
	struct kfd_gpu *gpu = kfd_gpu_add(args->gpu_id);

	if (gpu)
		gpu->drm_fd = (int)args->drm_fd;
}

/* true: that was all */
static bool sets_handler(const struct agent_kfd_set_trap_handler *args)
{
	struct kfd_gpu *gpu = kfd_gpu_add(args->gpu_id);

	if (!gpu)
		return false;
	gpu->tba = args->tba_addr;
	gpu->tma = args->tma_addr;
	if (!gpu->keep)
		return false;
	gpu->keep(gpu);
	return true;
}

static void made_queue(const struct agent_kfd_create_queue *args)
{
	if (args->type == AGENT_KFD_SDMA || args->type == AGENT_KFD_SDMA_XGMI)
		return;
	at_queue_made(args->queue_id,
		      (uint32_t)(args->doorbell_offset % AGENT_KFD_DOORBELLS / 8));
}

static bool ends_runtime(const struct agent_kfd_runtime_enable *args)
{
	return !(args->mode_mask & AGENT_KFD_RUNTIME_ON);
}

bool kfd_is(unsigned long request, unsigned long like)
{
	const unsigned long size = (unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT;

	return (request & ~size) == (like & ~size) && _IOC_SIZE(request) >= _IOC_SIZE(like);
}

bool kfd_asked(unsigned long request, void *arg)
{
	if (_IOC_TYPE(request) != 'K')
		return false;
	if (kfd_is(request, AGENT_KFD_CREATE_QUEUE) && at_queue && nr_gpus && gpus[0].tba)
		at_queue();
	if (kfd_is(request, AGENT_KFD_RUNTIME_ENABLE) && ends_runtime(arg) && at_end)
		at_end();
	return kfd_is(request, AGENT_KFD_SET_TRAP_HANDLER) && sets_handler(arg);
}

void kfd_answered(unsigned long request, const void *arg)
{
	if (kfd_is(request, AGENT_KFD_ACQUIRE_VM))
		acquired_vm(arg);
	if (kfd_is(request, AGENT_KFD_CREATE_QUEUE) && at_queue_made)
		made_queue(arg);
}
