// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "amd_compat.h"
#include "amdgpu_ucode.h"

#include "firmware.h"

#define UCODE_AT	256
#define UCODE_SIZE	256

/*
 * What the driver decides by versions: from MEC 51 on amdkfd says that a debugger
 * works, 88 and more make it use a shader that cleans.
 */
#define MEC_VERSION	0x60
#define MEC_FEATURE	46
#define RLC_VERSION	0x11
#define SDMA_VERSION	9
#define SDMA_FEATURE	44

union image {
	struct common_firmware_header common;
	struct gfx_firmware_header_v1_0 mec;
	struct rlc_firmware_header_v2_0 rlc;
	struct sdma_firmware_header_v1_0 sdma;
	uint8_t bytes[UCODE_AT + UCODE_SIZE];
};

static void put_common(union image *image, uint16_t major, uint32_t size,
		       uint16_t ip_major, uint32_t version)
{
	image->common = (struct common_firmware_header){
		.size_bytes = sizeof(*image),
		.header_size_bytes = size,
		.header_version_major = major,
		.ip_version_major = ip_major,
		.ip_version_minor = 4,
		.ucode_version = version,
		.ucode_size_bytes = UCODE_SIZE,
		.ucode_array_offset_bytes = UCODE_AT,
	};
}

static int write_image(const char *directory, const char *name,
		       const union image *image)
{
	char path[4096];
	size_t written;
	FILE *file;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s.bin", directory, name) >=
	    sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "wb");
	if (!file)
		return -errno;
	written = fwrite(image, sizeof(*image), 1, file);
	return fclose(file) || !written ? -EIO : 0;
}

int firmware_write(const struct personality *personality, const char *directory)
{
	union image mec = { 0 }, rlc = { 0 }, sdma = { 0 };
	int err;

	put_common(&mec, 1, sizeof(mec.mec), 9, MEC_VERSION);
	mec.mec.ucode_feature_version = MEC_FEATURE;
	put_common(&rlc, 2, sizeof(rlc.rlc), 9, RLC_VERSION);
	rlc.rlc.ucode_feature_version = 1;
	put_common(&sdma, 1, sizeof(sdma.sdma), 4, SDMA_VERSION);
	sdma.sdma.ucode_feature_version = SDMA_FEATURE;
	err = write_image(directory, personality->mec, &mec);
	if (!err)
		err = write_image(directory, personality->rlc, &rlc);
	if (!err)
		err = write_image(directory, personality->sdma, &sdma);
	return err;
}
