# SPDX-License-Identifier: GPL-2.0
# How amdkfd reads the words of a wave's interrupt, from kfd_int_process_v9.c.
/^enum SQ_INTERRUPT_WORD_ENCODING/,/^};/p
/^#define \(SQ_INTERRUPT\|KFD_CONTEXT\|KFD_INT_DATA\|KFD_DEBUG\)/{
:more
/\\$/{
N
b more
}
p
}
