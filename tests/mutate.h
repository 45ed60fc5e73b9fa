/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames with octets changed, cut and added, the same ones at each run. */
#ifndef TSW_TESTS_MUTATE_H
#define TSW_TESTS_MUTATE_H

#include "frame.h"

/* How many: TSW_FUZZ_FRAMES, or a million. */
long mutate_times(void);
__u32 mutate_chance(__u32 below);
/* Of what is behind FROM; HEAD octets stay. */
void mutate(struct frame *f, __u32 from, __u32 head);

#endif
