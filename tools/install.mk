# SPDX-License-Identifier: GPL-2.0
#
# Install a tool: set installs to FILE=DIRECTORY words, include this last.
#
#	make install [DESTDIR=] [prefix=/usr/local]
#	make uninstall, with the same

DESTDIR	 ?=
prefix	 ?= /usr/local
bindir	 ?= $(prefix)/bin
libdir	 ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir	 ?= $(prefix)/share
man1dir	 ?= $(datadir)/man/man1
completiondir ?= $(datadir)/bash-completion/completions

pair_file = $(firstword $(subst =, ,$1))
pair_dir  = $(DESTDIR)$(lastword $(subst =, ,$1))
pair_to	  = $(pair_dir)/$(notdir $(pair_file))

# only a staging directory loses the folders that others share
uninstall_dirs = $(sort $(if $(DESTDIR),$(foreach p,$(installs),$(call pair_dir,$p)),\
	$(own_dirs:%=$(DESTDIR)%)))

install: all
	$(Q)$(foreach p,$(installs),install -D \
		-m $(if $(filter $(DESTDIR)$(bindir),$(call pair_dir,$p)),755,644) \
		$(call pair_file,$p) $(call pair_to,$p) &&) :

uninstall:
	$(Q)rm -f $(foreach p,$(installs),$(call pair_to,$p))
	$(Q)for dir in $(uninstall_dirs); do \
		test ! -d $$dir || rmdir $(if $(DESTDIR),-p) --ignore-fail-on-non-empty $$dir; \
	done

.PHONY: install uninstall
