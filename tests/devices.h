/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_TESTS_DEVICES_H
#define TSW_TESTS_DEVICES_H

#include <linux/types.h>

int devices_put(int map, __u32 ifindex); /* as the command does; MAP is lab_map(M_DEVICES) */

#endif
