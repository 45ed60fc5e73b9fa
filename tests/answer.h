/* SPDX-License-Identifier: GPL-2.0-only */
/* What a frame that is too big is answered with, written from the RFCs. */
#ifndef TSW_TESTS_ANSWER_H
#define TSW_TESTS_ANSWER_H

#include "frame.h"

void answer_too_big4(const struct frame *in, struct frame *out, __u16 mtu);
void answer_too_big6(const struct frame *in, struct frame *out, __u16 mtu);

#endif
