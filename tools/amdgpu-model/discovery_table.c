// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>

#include "amd_compat.h"
#include "discovery.h"

#include "discovery_table.h"

/* amdgpu's DISCOVERY_TMR_OFFSET and DISCOVERY_TMR_SIZE */
#define FROM_END	(64u << 10)
#define TABLE_SIZE	(10u << 10)

/* where the parts are */
#define AT_IPS		0x100
#define AT_GC		0x2000
#define AT_HARVEST	0x2200

/* struct ip_v4 before its addresses */
#define IP_BYTES	8

#define VERSION_OF_IPS	3	/* addresses of 32 bits */

static uint16_t sum(const uint8_t *from, size_t len)
{
	uint16_t total = 0;

	while (len--)
		total += *from++;
	return total;
}

static void add_table(uint8_t *bin, table nr, uint16_t at, uint16_t size)
{
	struct table_info info = {
		.offset = at, .checksum = sum(bin + at, size), .size = size,
	};

	memcpy(bin + offsetof(struct binary_header, table_list) + nr * sizeof(info),
	       &info, sizeof(info));
}

/* returns its size */
static size_t put_ip(uint8_t *at, const struct ip_version *ip)
{
	const uint8_t head[IP_BYTES] = {
		ip->hw_id, ip->hw_id >> 8, ip->instance, ip->nr_segments,
		ip->major, ip->minor, ip->revision,
	};

	memcpy(at, head, sizeof(head));
	memcpy(at + sizeof(head), ip->segments, ip->nr_segments * 4);
	return sizeof(head) + ip->nr_segments * 4;
}

/* one die, with all blocks */
static void put_ips(uint8_t *bin, const struct personality *p)
{
	struct ip_discovery_header header = {
		.signature = DISCOVERY_TABLE_SIGNATURE, .version = VERSION_OF_IPS,
		.num_dies = 1,
		.die_info[0].die_offset = AT_IPS + sizeof(header),
	};
	size_t at = AT_IPS + sizeof(header) + sizeof(struct die_header);
	struct die_header die = { 0 };
	const struct ip_version *ip;

	for (ip = p->ips; ip->hw_id; ip++, die.num_ips++)
		at += put_ip(bin + at, ip);
	header.size = at - AT_IPS;
	memcpy(bin + AT_IPS, &header, sizeof(header));
	memcpy(bin + AT_IPS + sizeof(header), &die, sizeof(die));
	add_table(bin, IP_DISCOVERY, AT_IPS, header.size);
}

static void put_gc(uint8_t *bin, const struct personality *p)
{
	struct gc_info_v2_1 gc = {
		.header = {
			.table_id = GC_TABLE_ID, .version_major = 2,
			.version_minor = 1, .size = sizeof(gc),
		},
		.gc_num_se = p->nr_se,
		.gc_num_cu_per_sh = p->nr_cu,
		.gc_num_sh_per_se = 1,
		.gc_num_rb_per_se = 4,
		.gc_num_tccs = 16,
		.gc_num_gprs = 256,
		.gc_num_max_gs_thds = 32,
		.gc_gs_table_depth = 32,
		.gc_gsprim_buff_depth = 1792,
		.gc_wave_size = 64,
		.gc_max_waves_per_simd = 8,
		.gc_max_scratch_slots_per_cu = 32,
		.gc_lds_size = 64,
		.gc_num_sc_per_se = 1,
		.gc_num_packer_per_sc = 2,
		.gc_num_tcp_per_sh = p->nr_cu,
		.gc_tcp_size_per_cu = 32,
		.gc_num_sdp_interface = 16,
		.gc_num_cu_per_sqc = 2,
		.gc_instruction_cache_size_per_sqc = 64,
		.gc_scalar_data_cache_size_per_sqc = 16,
		.gc_tcc_size = 4096,
	};

	memcpy(bin + AT_GC, &gc, sizeof(gc));
	add_table(bin, GC, AT_GC, sizeof(gc));
}

/* nothing is missing */
static void put_harvest(uint8_t *bin)
{
	struct harvest_table harvest = {
		.header = { .signature = HARVEST_TABLE_SIGNATURE },
	};

	memcpy(bin + AT_HARVEST, &harvest, sizeof(harvest));
	add_table(bin, HARVEST_INFO, AT_HARVEST, sizeof(harvest));
}

static void put_header(uint8_t *bin)
{
	struct binary_header header = {
		.binary_signature = BINARY_SIGNATURE, .version_major = 1,
		.binary_size = TABLE_SIZE,
	};
	size_t from = offsetof(struct binary_header, binary_checksum) +
		      sizeof(header.binary_checksum);

	memcpy(bin, &header, offsetof(struct binary_header, table_list));
	header.binary_checksum = sum(bin + from, TABLE_SIZE - from);
	memcpy(bin, &header, offsetof(struct binary_header, table_list));
}

void discovery_table_write(struct memory *mem, const struct personality *personality)
{
	uint8_t *bin = memory_vram(mem, mem->vram_size - FROM_END, TABLE_SIZE);

	if (!personality->ips || !bin)
		return;
	memset(bin, 0, TABLE_SIZE);
	put_ips(bin, personality);
	put_gc(bin, personality);
	put_harvest(bin);
	put_header(bin);
}
