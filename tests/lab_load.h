/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_TESTS_LAB_LOAD_H
#define TSW_TESTS_LAB_LOAD_H

#include "tsw.skel.h"

struct tsw_bpf *lab_load_maps(void); /* empty ones; NULL, and libbpf has told why */
void lab_unload(void);

#endif
