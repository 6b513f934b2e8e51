# SPDX-License-Identifier: GPL-2.0
# Included with TOP set: what compiles for each processor.
#
#	$(cpus)			processors: gfx942 if there is a clang for it
#	$(call clang-for,CPU)	its compiler
#	$(say-cpus)		a command that says what is missing, a TAP stream

llvm17	:= $(TOP)/tests/vm/llvm
cpus	:= gfx900 gfx90a $(shell $(llvm17) --have && echo gfx942)
clang-for = $(if $(filter gfx942,$(1)),$(llvm17) clang,$(CLANG))
hash	:= \#
say-cpus = $(if $(filter gfx942,$(cpus)),:,printf '1..1\nok 1 - gfx942 $(hash) SKIP no LLVM 17 in the cache\n')
