# SPDX-License-Identifier: GPL-2.0
#
# gpubp: see "make help".
#
# kbuild reads this file, too, if the tree is built as an external module; its
# rules are in Kbuild.

ifeq ($(KERNELRELEASE),)

MAKEFLAGS += --no-print-directory
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
	$(lastword $(sort $(wildcard /usr/src/linux-headers-*-amd64))))

# all processors, unless -j says how many
parallel = $(if $(filter -j%,$(MAKEFLAGS))$(findstring j,$(firstword -$(MAKEFLAGS))),,-j$(shell nproc))

budget	= $(if $(BUDGET),--budget $(BUDGET))

TOOLS	:= tools/gpubp-run tools/perf-gpubp tools/gpubp-cc
# for ROCm programs, where there are ROCm's headers
ROCR	:= tools/gpubp-rocr
HSA	?= $(patsubst %/hsa.h,%,$(firstword $(wildcard /usr/include/hsa/hsa.h /opt/rocm/include/hsa/hsa.h)))
TOOLS	+= $(if $(HSA),$(ROCR))
export HSA

.PHONY: all module tools install install-modules install-tools install-udev uninstall \
	demo demo-rocm check quick lint check-host check-vm check-kernels soak mutants bench docs clean help

all:
	@! command -v dpkg-query >/dev/null || scripts/deps build
	@$(MAKE) module
	@$(MAKE) tools

help:
	@sed -n 's/^## //p' Makefile

## make demo        boot a VM, find a GPU kernel that writes past its buffer
demo:
	@scripts/deps vm check
	@scripts/demo $(BUGS)

## make demo-rocm   the same with an unmodified HIP program, ROCm, Debian's amdgpu and a
##                  modelled AMD GPU; with DRIVER=patched, amdgpu with gpubp's provider
demo-rocm:
	@scripts/deps vm check roots
	@DRIVER=$(DRIVER) scripts/demo-rocm

## make check       all tests; skips those that passed before with the same
##                  inputs, FRESH=1 runs all
check:
	@scripts/deps vm check docs roots
	@scripts/check check

## make quick       tests that a change can break, as many as fit into three
##                  minutes
quick:
	@scripts/deps vm check
	@scripts/check --quick check

## make lint        static checks
lint:
	@scripts/deps vm check
	@scripts/check lint

## make check-host  tests that need no kernel
check-host:
	@scripts/deps check
	@scripts/check host

## make check-vm    KUnit and selftests, in VMs
check-vm:
	@scripts/deps vm check
	@scripts/check vm

## make check-kernels
##                  selftests on all supported kernels, with all perfs (root):
##                  hours; BUDGET=60 ends after an hour, the same again goes on
check-kernels:
	@scripts/deps vm check roots cross
	@scripts/check $(budget) kernels

## make soak        long versions of the stress tests, millions of breaks: hours;
##                  BUDGET=60 likewise
soak:
	@scripts/deps vm check
	@scripts/check $(budget) soak

## make mutants     small mistakes in the code, one at a time: does a test fail? (hours)
mutants:
	@scripts/deps vm check mutants
	@tests/mutants/run

## make bench       benchmarks, compared to CPU breakpoints; cannot fail;
##                  BUDGET=60 likewise
bench:
	@scripts/deps vm check
	@scripts/bench $(budget)

## make             the modules and the tools
## make module      the modules, for the running kernel or for KDIR=
module:
	@test -n "$(KDIR)" || { echo "No kernel headers found: install linux-headers-$$(uname -r), or set KDIR=." >&2; exit 1; }
	@release=$$(cat $(KDIR)/include/config/kernel.release) && \
		printf '%s\n' 6.12 "$$release" | sort -VC || \
		{ echo "gpubp needs Linux 6.12 or newer, but $(KDIR) is for $$release." >&2; exit 1; }
	$(MAKE) $(parallel) -C $(KDIR) M=$(CURDIR) modules

## make tools       gpubp-run, perf-gpubp, gpubp-cc, the library; need no kernel; with ROCm's
##                  headers, what watches ROCm programs
tools:
	@set -e; for tool in $(TOOLS); do $(MAKE) $(parallel) -C $$tool; done

## make install     install both (root): below prefix=/usr/local, the modules for
##                  that kernel; DESTDIR= for packages
## make uninstall   remove them again
# one after the other, whatever -j says
install:
	@$(MAKE) install-modules
	@$(MAKE) install-tools
	@$(MAKE) install-udev

release	= $(shell cat $(KDIR)/include/config/kernel.release)

install-modules: module
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install
	@test -n "$(DESTDIR)" || depmod $(release)
	@test -n "$(DESTDIR)" || scripts/signing

install-tools:
	@set -e; for tool in $(TOOLS); do $(MAKE) $(parallel) -C $$tool install; done

udevdir	?= $(or $(prefix),/usr/local)/lib/udev/rules.d

install-udev:
	@install -D -m 644 scripts/60-gpubp.rules $(DESTDIR)$(udevdir)/60-gpubp.rules

uninstall:
	@rm -f $(DESTDIR)$(udevdir)/60-gpubp.rules
	@test ! -d $(DESTDIR)$(udevdir) || \
		rmdir $(if $(DESTDIR),-p) --ignore-fail-on-non-empty $(DESTDIR)$(udevdir)
	@set -e; for tool in $(sort $(TOOLS) $(ROCR)); do $(MAKE) -C $$tool uninstall; done
	@cd "$(DESTDIR)/lib/modules/$(release)/updates" 2>/dev/null || exit 0; \
	rm -rf kernel/gpubp; \
	rmdir -p --ignore-fail-on-non-empty kernel; cd /; \
	rmdir $(if $(DESTDIR),-p) --ignore-fail-on-non-empty "$(DESTDIR)/lib/modules/$(release)/updates"; \
	test -n "$(DESTDIR)" || depmod $(release)

## make docs        the documentation as HTML, in build/docs
docs:
	@scripts/deps docs
	@scripts/docs

## make clean       remove build results; kernels stay in the cache
clean:
	rm -rf build
	@test ! -e Module.symvers -a ! -e modules.order || \
		$(MAKE) -C $(KDIR) M=$(CURDIR) clean

endif
