/* SPDX-License-Identifier: GPL-2.0 */
/* Loading and unloading of the modules, by root. */
#ifndef SELFTESTS_RELOAD_H
#define SELFTESTS_RELOAD_H

/**
 * module_load() - without parameters; 0, also if it is loaded already, or a
 *	negative errno
 */
int module_load(const char *name);

/** module_unload_now() - 0, also if it is not loaded, or a negative errno */
int module_unload_now(const char *name);

/**
 * module_unload() - unload, waiting while the module is in use
 *
 * Files and events are freed some time after their last close().
 */
int module_unload(const char *name);

/** modules_load() - all of gpubp's */
int modules_load(void);

/** modules_unload() - all of gpubp's */
int modules_unload(void);

#endif /* SELFTESTS_RELOAD_H */
