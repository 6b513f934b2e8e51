# SPDX-License-Identifier: GPL-2.0
# The registers of a header of amdgpu as entries of a list of struct register_offset.
s/^#define[ \t]*\(mm\|reg\)\([A-Za-z0-9_]*\)_BASE_IDX[ \t].*/\t{ "\2", \1\2, \1\2_BASE_IDX },/p
