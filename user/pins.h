/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a switch's maps, programs and links are pinned: /sys/fs/bpf/tsw/INSTANCE. */
#ifndef TSW_PINS_H
#define TSW_PINS_H

#include <stdbool.h>

#define PINS_PATH 192 /* room for any path of ours */

void pins_dir(char path[PINS_PATH], const char *instance);

bool pins_have_fs(void);
/* The BPF filesystem is there, and what is ours in it belongs to us. */
int pins_check_fs(void);

bool pins_exist(const char *instance);
int pins_make(const char *instance);
int pins_remove(const char *instance); /* unpinning a link detaches it */

#endif
