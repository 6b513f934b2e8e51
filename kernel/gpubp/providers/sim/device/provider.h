/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _GPUBP_PROVIDERS_SIM_DEVICE_PROVIDER_H
#define _GPUBP_PROVIDERS_SIM_DEVICE_PROVIDER_H

struct gpubp_commit_result;
struct gpubp_mapping;
struct gpubp_program;
struct gpubp_where;
struct sim_device;

/* suspend.c */
int sim_suspend(void *priv, void * const *ctxs, unsigned int nr,
		unsigned int grace_ms);
void sim_resume(void *priv, void * const *ctxs, unsigned int nr);

/* translate.c */
int sim_mem_translate(void *priv, const struct gpubp_where *where,
		      struct gpubp_mapping *out);

int sim_provider_register(struct sim_device *dev);
void sim_provider_unregister(struct sim_device *dev);
void sim_commit(void *priv, const struct gpubp_program *prog,
		struct gpubp_commit_result *res);

#endif /* _GPUBP_PROVIDERS_SIM_DEVICE_PROVIDER_H */
