// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <linux/gpubp_sim.h>
#include "gpu.h"
#include "gpu_device.h"

int gpu_device_open(struct grun_device **dev, unsigned int nr, const struct grun_code *code,
		    struct grun_err *err)
{
	char path[32];

	(void)code;
	snprintf(path, sizeof(path), "/dev/gpubp_sim%u", nr);
	return grun_open(dev, path, err);
}

void gpu_device_close(struct grun_device *dev)
{
	grun_close(dev);
}

int gpu_device_copy(const struct grun_device *dev, uint64_t dst, uint64_t src, uint64_t size)
{
	struct gpubp_sim_copy args = { .dst = dst, .src = src, .size = size };

	return ioctl(grun_fd(dev), GPUBP_SIM_COPY, &args) ? -errno : 0;
}

/* waves wait until their hits are resolved */
void gpu_device_settle(void)
{
}

bool gpu_device_tells_unmaps(void)
{
	return true;
}

bool gpu_device_knows_latest(void)
{
	return true;
}

/* each dispatch waits for events */
int gpu_await(int event)
{
	(void)event;
	return 0;
}
