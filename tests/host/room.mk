# SPDX-License-Identifier: GPL-2.0
# Included with TOP set: $(ROOM_LIB), the wave interpreter, the ISA room and the
# environment of tests/host/wave under the sanitizers, compiled once for all
# users. Concurrent suites build it one after another.

ROOM_DIR ?= $(TOP)/build/host/room
ROOM_LIB := $(ROOM_DIR)/libroom.a

$(ROOM_LIB): room-force
	@mkdir -p $(@D)
	@flock $(@D)/lock $(MAKE) -s --no-print-directory -C $(TOP)/tests/host \
		O=$(patsubst %/,%,$(dir $(ROOM_DIR))) room

room-force:

.PHONY: room-force
