// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "amd_compat.h"
#include "atomfirmware.h"

#include "vbios.h"

/* where things are; amdgpu follows the offsets */
#define AT_PCIR		0x200
#define AT_HEADER	0x300
#define AT_COMMANDS	0x400
#define AT_DATA		0x500
#define AT_TABLES	0x600
#define TABLE_ROOM	0x100

/* offsets that the PC's BIOS and ATOM fix */
#define AT_ROM_HEADER	0x48
#define AT_MAGIC	0x60	/* amdgpu takes a ROM without it for none */
#define AT_NAME		0x100

#define NR_COMMANDS	83
#define NR_DATA		40

/* struct atom_firmware_info_v3_1.bios_scratch_reg_startaddr: BIOS_SCRATCH_0 */
#define SCRATCH_AT	0x4c

struct pci_rom_data {
	char signature[4];
	uint16_t vendor;
	uint16_t device;
	uint16_t vpd;
	uint16_t length;
	uint8_t revision;
	uint8_t class_code[3];
	uint16_t image_blocks;
	uint16_t code_revision;
	uint8_t code_type;
	uint8_t indicator;
	uint16_t reserved;
};

static void put16(uint8_t *at, uint16_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put_header(void *table, uint16_t size, uint8_t format,
		       uint8_t content)
{
	struct atom_common_table_header header = {
		.structuresize = size, .format_revision = format,
		.content_revision = content,
	};

	memcpy(table, &header, sizeof(header));
}

/* data table number @nr at the next place */
static void put_table(uint8_t *rom, unsigned int *places, unsigned int nr,
		      const void *table, uint16_t size, uint8_t format,
		      uint8_t content)
{
	unsigned int at = AT_TABLES + (*places)++ * TABLE_ROOM;

	memcpy(rom + at, table, size);
	put_header(rom + at, size, format, content);
	put16(rom + AT_DATA + sizeof(struct atom_common_table_header) + 2 * nr, at);
}

#define DATA_TABLE(name)						\
	(offsetof(struct atom_master_list_of_data_tables_v2_1, name) / 2)

static void put_tables(uint8_t *rom, const struct personality *p)
{
	struct atom_firmware_info_v3_1 firmware = {
		.bootup_sclk_in10khz = 100000000 / 10000,
		.bootup_mclk_in10khz = 100000000 / 10000,
		.bios_scratch_reg_startaddr = SCRATCH_AT,
	};
	struct atom_gfx_info_v2_4 gfx = {
		.max_shader_engines = p->nr_se,
		.max_cu_per_sh = p->nr_cu,
		.max_sh_per_se = 1,
		.max_backends_per_se = 4,
		.max_texture_channel_caches = 16,
		.gc_num_gprs = 256,
		.gc_gsprim_buff_depth = 1792,
		.gc_wave_size = 64,
		.gc_max_waves_per_simd = 8,
		.gc_lds_size = 64,
		.gc_num_max_gs_thds = 32,
		.gc_gs_table_depth = 32,
		.gc_max_scratch_slots_per_cu = 32,
	};
	struct atom_smu_info_v3_1 smu = { .core_refclk_10khz = 10000 };
	struct atom_umc_info_v3_1 umc = { 0 };
	unsigned int places = 0;

	put_table(rom, &places, DATA_TABLE(firmwareinfo), &firmware,
		  sizeof(firmware), 3, 1);
	put_table(rom, &places, DATA_TABLE(gfx_info), &gfx, sizeof(gfx), 2, 4);
	put_table(rom, &places, DATA_TABLE(smu_info), &smu, sizeof(smu), 3, 1);
	put_table(rom, &places, DATA_TABLE(umc_info), &umc, sizeof(umc), 3, 1);
}

static void put_pci_data(uint8_t *rom, const struct personality *p)
{
	struct pci_rom_data data = {
		.signature = "PCIR", .vendor = 0x1002, .device = p->device,
		.length = sizeof(data),
		.class_code = { p->class_code, p->class_code >> 8, p->class_code >> 16 },
		.image_blocks = VBIOS_SIZE / 512, .indicator = 0x80,
	};

	rom[0] = 0x55;
	rom[1] = 0xaa;
	rom[2] = VBIOS_SIZE / 512;
	rom[3] = 0xcb;	/* the BIOS calls it, and it returns */
	put16(rom + 0x18, AT_PCIR);
	memcpy(rom + AT_PCIR, &data, sizeof(data));
}

static void put_rom_header(uint8_t *rom)
{
	struct atom_rom_header_v2_2 header = {
		.atom_bios_string = "ATOM",
		.masterhwfunction_offset = AT_COMMANDS,
		.masterdatatable_offset = AT_DATA,
	};

	put_header(&header, sizeof(header), 2, 1);
	memcpy(rom + AT_HEADER, &header, sizeof(header));
	put16(rom + AT_ROM_HEADER, AT_HEADER);
	put_header(rom + AT_COMMANDS, 4 + 2 * NR_COMMANDS, 1, 1);
	put_header(rom + AT_DATA, 4 + 2 * NR_DATA, 2, 1);
}

void vbios_build(uint8_t *rom, const struct personality *personality)
{
	uint8_t sum = 0;
	unsigned int i;

	memset(rom, 0, VBIOS_SIZE);
	put_pci_data(rom, personality);
	put_rom_header(rom);
	put_tables(rom, personality);
	memcpy(rom + 0x30, " 761295520", 10);
	strcpy((char *)rom + AT_MAGIC, "ATOMBIOS");
	strcpy((char *)rom + AT_NAME, "ATOMBIOSBK-AMD VER000.000.000.00");
	for (i = 0; i < VBIOS_SIZE; i++)
		sum += rom[i];
	rom[VBIOS_SIZE - 1] = -sum;
}
