/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Versions of tsw as numbers that compare: major << 16 | minor << 8 | patch. TSW_VERSION is this
 * version: the Makefile takes it from the file VERSION.
 */
#ifndef TSW_VERSION_H
#define TSW_VERSION_H

#include <linux/types.h>

/* 0: not a version. */
__u32 version_number(const char *text);

/* NULL for 0; else in a buffer that the next call uses again. */
const char *version_text(__u32 number);

#endif
