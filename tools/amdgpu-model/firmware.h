/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Firmware files of headers alone. amdgpu loads microcode into the GPU and takes
 * versions from its headers; the model executes none, so there is none.
 */
#ifndef AMDGPU_MODEL_FIRMWARE_H
#define AMDGPU_MODEL_FIRMWARE_H

#include "personality.h"

/** firmware_write() - the files that amdgpu asks for, into @directory; 0 or -errno */
int firmware_write(const struct personality *personality, const char *directory);

#endif /* AMDGPU_MODEL_FIRMWARE_H */
