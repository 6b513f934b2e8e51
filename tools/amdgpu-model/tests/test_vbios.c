// SPDX-License-Identifier: GPL-2.0
/*
 * The VBIOS and the firmware as amdgpu checks and reads them: amdgpu_bios.c, atom.c,
 * amdgpu_atomfirmware.c, amdgpu_ucode.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd_compat.h"
#include "atomfirmware.h"
#include "amdgpu_ucode.h"
#include "discovery.h"

#include "firmware.h"
#include "gpu.h"
#include "tap.h"
#include "vbios.h"
#include "world.h"

static uint8_t rom[VBIOS_SIZE];

static unsigned int read16(unsigned int at)
{
	return at + 1 < VBIOS_SIZE ? rom[at] | rom[at + 1] << 8 : 0;
}

/* ---- the ROM ------------------------------------------------------------- */

/* pci_get_rom_size(), check_atom_bios() */
static void check_rom(void)
{
	const struct personality *p = world_gpu();
	unsigned int pcir, i;
	uint8_t sum = 0;

	for (i = 0; i < VBIOS_SIZE; i++)
		sum += rom[i];
	tap_ok(read16(0) == 0xaa55 && !sum, "signature and sum of an option ROM");
	pcir = read16(0x18);
	tap_ok(pcir + 24 <= VBIOS_SIZE && !memcmp(rom + pcir, "PCIR", 4) &&
	       read16(pcir + 4) == 0x1002 && read16(pcir + 6) == p->device &&
	       read16(pcir + 10) == 24 &&
	       (rom[pcir + 13] | (uint32_t)read16(pcir + 14) << 8) == p->class_code,
	       "its PCI data");
	tap_ok(read16(pcir + 16) * 512u == VBIOS_SIZE && rom[pcir + 21] & 0x80 &&
	       rom[2] * 512u <= VBIOS_SIZE, "one image, the last one");
	tap_ok(read16(0x48) && !memcmp(rom + read16(0x48) + 4, "ATOM", 4), "its ATOM header");
}

/* ---- tables -------------------------------------------------------------- */

/* amdgpu_atom_parse(); false: it refuses */
static bool parse_atom(unsigned int *data)
{
	unsigned int base = read16(0x48);

	/* ATOM_BIOS_MAGIC, ATOM_ATI_MAGIC at ATOM_ATI_MAGIC_PTR */
	if (read16(0) != 0xaa55 || memcmp(rom + 0x30, " 761295520", 10))
		return false;
	*data = read16(base + 32);
	return read16(base + 30) && *data && !memcmp(rom + base + 4, "ATOM", 4);
}

/* amdgpu_atom_parse_data_header(); NULL: there is no such table, or not whole */
static const void *parse_table(unsigned int index, size_t size, unsigned int format,
			       unsigned int content)
{
	unsigned int data = 0, at;

	if (!parse_atom(&data))
		return NULL;
	if (data + read16(data) > VBIOS_SIZE || read16(data) < 4 + 2 * index + 2)
		return NULL;
	at = read16(data + 4 + 2 * index);
	if (!at || at + size > VBIOS_SIZE || read16(at) != size || rom[at + 2] != format ||
	    rom[at + 3] != content)
		return NULL;
	return rom + at;
}

#define TABLE(name, type, format, content)					\
	((const struct type *)parse_table(					\
		offsetof(struct atom_master_list_of_data_tables_v2_1, name) / 2,	\
		sizeof(struct type), format, content))

static void check_tables(void)
{
	const struct atom_firmware_info_v3_1 *f =
		TABLE(firmwareinfo, atom_firmware_info_v3_1, 3, 1);
	const struct atom_gfx_info_v2_4 *g = TABLE(gfx_info, atom_gfx_info_v2_4, 2, 4);
	const struct atom_smu_info_v3_1 *s = TABLE(smu_info, atom_smu_info_v3_1, 3, 1);
	const struct atom_umc_info_v3_1 *u = TABLE(umc_info, atom_umc_info_v3_1, 3, 1);
	unsigned int i, at, other, bad = 0;

	tap_ok(f && f->bootup_sclk_in10khz && f->bootup_mclk_in10khz &&
	       f->bios_scratch_reg_startaddr + 7 == 0x53,
	       "firmwareinfo: clocks, scratch registers");
	tap_ok(g && g->max_shader_engines == world_gpu()->nr_se &&
	       g->max_cu_per_sh == world_gpu()->nr_cu && g->max_sh_per_se == 1 &&
	       g->gc_wave_size == 64 && g->gc_lds_size == 64 && g->gc_num_gprs &&
	       g->gc_max_waves_per_simd && g->gc_max_scratch_slots_per_cu,
	       "gfx_info: shader engines and compute units");
	tap_ok(s && s->core_refclk_10khz == 10000, "smu_info: 100 MHz");
	tap_ok(u, "umc_info");
	/* tables and what is at fixed places do not overlap */
	for (i = 0; i < 40; i++) {
		at = read16(read16(read16(0x48) + 32) + 4 + 2 * i);
		for (other = 0; at && other < 40; other++) {
			unsigned int o = read16(read16(read16(0x48) + 32) + 4 + 2 * other);

			bad += o > at && at + read16(at) > o;
		}
		bad += at && (at < 0x120 || at + read16(at) > VBIOS_SIZE - 1);
	}
	tap_ok(!bad, "tables do not overlap");
}

/* ---- firmware ------------------------------------------------------------ */

union image {
	struct common_firmware_header common;
	struct gfx_firmware_header_v1_0 gfx;
	struct rlc_firmware_header_v2_0 rlc;
	struct sdma_firmware_header_v1_0 sdma;
	uint8_t bytes[8192];
};

static size_t read_image(const char *directory, const char *name, union image *image)
{
	char path[256];
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.bin", directory, name);
	file = fopen(path, "rb");
	if (file) {
		size = fread(image, 1, sizeof(*image), file);
		fclose(file);
	}
	unlink(path);
	return size;
}

/* amdgpu_ucode_validate(), and what the loaders copy */
static bool image_right(const union image *image, size_t size, unsigned int major,
			unsigned int minor, size_t header)
{
	const struct common_firmware_header *h = &image->common;

	return size == h->size_bytes && h->header_version_major == major &&
	       h->header_version_minor == minor && h->header_size_bytes == header &&
	       h->ucode_size_bytes && h->ucode_size_bytes % 4 == 0 &&
	       h->ucode_array_offset_bytes >= header &&
	       (uint64_t)h->ucode_array_offset_bytes + h->ucode_size_bytes <= size;
}

static void check_firmware(void)
{
	char directory[] = "/tmp/firmware.XXXXXX";
	union image image;
	size_t size;

	if (!mkdtemp(directory))
		abort();
	tap_ok(!firmware_write(world_gpu(), directory), "firmware is written");
	size = read_image(directory, world_gpu()->mec, &image);
	tap_ok(size && image_right(&image, size, 1, 0, sizeof(image.gfx)),
	       "MEC: sizes and version of the header");
	/* kfd_device.c: GWS from 0x28 on; kfd_topology.c: debugging from 51 on */
	tap_ok(size && image.common.ucode_version >= 0x28 && image.common.ucode_version >= 51,
	       "its version is one that debugs");
	tap_ok(size && image.gfx.jt_offset + image.gfx.jt_size <=
	       image.common.ucode_size_bytes / 4, "its jump table is in it");
	size = read_image(directory, world_gpu()->rlc, &image);
	tap_ok(size && image_right(&image, size, 2, 0, sizeof(image.rlc)), "RLC");
	tap_ok(size && (uint64_t)image.rlc.reg_list_format_array_offset_bytes +
	       image.rlc.reg_list_format_size_bytes <= size &&
	       (uint64_t)image.rlc.reg_list_array_offset_bytes +
	       image.rlc.reg_list_size_bytes <= size, "its lists of registers are in it");
	size = read_image(directory, world_gpu()->sdma, &image);
	tap_ok(size && image_right(&image, size, 1, 0, sizeof(image.sdma)) &&
	       image.sdma.jt_offset + image.sdma.jt_size <=
	       image.common.ucode_size_bytes / 4, "SDMA");
	tap_ok(!rmdir(directory), "no other file is");
	tap_ok(firmware_write(world_gpu(), "/nonexistent") == -ENOENT,
	       "a directory that does not exist");
}

/* ---- the discovery table ------------------------------------------------- */

#define TABLE_BYTES	(10u << 10)

static union {
	struct binary_header header;
	uint32_t word[TABLE_BYTES / 4];
	uint8_t byte[TABLE_BYTES];
} bin;

/* amdgpu_discovery_read_binary_from_mem(), by amdgpu_device_mm_access() */
static void read_table(void)
{
	struct gpu *gpu = gpu_create(world_gpu(), NULL, world_threads());
	uint64_t at = world_gpu()->vram_size - (64 << 10);
	uint32_t i;

	for (i = 0; i < TABLE_BYTES / 4; i++, at += 4) {
		gpu_write_register(gpu, 0, (uint32_t)at | 0x80000000);
		gpu_write_register(gpu, 6, at >> 31);
		bin.word[i] = gpu_read_register(gpu, 1);
	}
	gpu_destroy(gpu);
}

static bool sum_right(uint32_t at, uint32_t len, uint16_t expected)
{
	uint16_t sum = 0;

	if (at > TABLE_BYTES || len > TABLE_BYTES - at)
		return false;
	while (len--)
		sum += bin.byte[at++];
	return sum == expected;
}

static bool table_right(table nr, uint32_t signature)
{
	const struct table_info *info = &bin.header.table_list[nr];
	uint32_t has = 0;

	memcpy(&has, bin.byte + info->offset, sizeof(has));
	return info->offset && has == signature &&
	       sum_right(info->offset, info->size, info->checksum);
}

/* amdgpu_discovery_reg_base_init(); returns the next one, NULL: it is not @ip */
static const uint8_t *check_ip(const uint8_t *at, const struct ip_version *ip)
{
	const struct ip_v4 *found = (const struct ip_v4 *)at;
	size_t bytes = ip->nr_segments * 4;

	if (found->hw_id != ip->hw_id || found->instance_number != ip->instance ||
	    found->major != ip->major || found->minor != ip->minor ||
	    found->revision != ip->revision ||
	    found->num_base_address != ip->nr_segments ||
	    memcmp(found->base_address, ip->segments, bytes))
		return NULL;
	return at + sizeof(*found) + bytes;
}

static bool ips_right(void)
{
	const struct ip_discovery_header *header = (const void *)
		(bin.byte + bin.header.table_list[IP_DISCOVERY].offset);
	const uint8_t *at = bin.byte + header->die_info[0].die_offset;
	const struct die_header *die = (const struct die_header *)at;
	const struct ip_version *ip = world_gpu()->ips;
	unsigned int nr = 0;

	for (at += sizeof(*die); at && ip->hw_id; ip++, nr++)
		at = check_ip(at, ip);
	return at && header->num_dies == 1 && !header->base_addr_64_bit &&
	       !die->die_id && die->num_ips == nr;
}

static void check_discovery(void)
{
	bool none = !world_gpu()->ips;
	uint32_t from = offsetof(struct binary_header, binary_checksum) + 2;
	const struct gc_info_v2_1 *gc;

	read_table();
	gc = (const void *)(bin.byte + bin.header.table_list[GC].offset);
	tap_ok(none ? sum_right(0, TABLE_BYTES, 0) :
	       bin.header.binary_signature == BINARY_SIGNATURE &&
	       sum_right(from, bin.header.binary_size - from, bin.header.binary_checksum),
	       "a discovery table, or none");
	tap_ok(none || (table_right(IP_DISCOVERY, DISCOVERY_TABLE_SIGNATURE) &&
			table_right(GC, GC_TABLE_ID) &&
			table_right(HARVEST_INFO, HARVEST_TABLE_SIGNATURE)),
	       "its parts");
	tap_ok(none || ips_right(), "IP blocks, and where their registers are");
	tap_ok(none || (gc->header.version_major == 2 && gc->header.version_minor == 1 &&
			gc->gc_num_se == world_gpu()->nr_se &&
			gc->gc_num_cu_per_sh == world_gpu()->nr_cu &&
			gc->gc_wave_size == 64), "the graphics core");
}

int main(void)
{
	tap_plan(4 + 5 + 9 + 4);
	vbios_build(rom, world_gpu());
	check_rom();
	check_tables();
	check_firmware();
	check_discovery();
	return tap_status();
}
