/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a switch's maps, programs and links are pinned: /sys/fs/bpf/tsw/INSTANCE. */
#ifndef TSW_PINS_H
#define TSW_PINS_H

#include <stdbool.h>

#define PINS_PATH 192 /* room for any path of ours */

void pins_dir(char path[PINS_PATH], const char *instance);

bool pins_have_fs(void);
/* Mounts one, as bpftool and iproute2 do, where it stays. */
int pins_mount_fs(void);
/* The BPF filesystem is there, and what is ours in it belongs to us. */
int pins_check_fs(void);

/* Its directories are all there; and made where they are not. */
bool pins_are_whole(const char *instance);
int pins_mend(const char *instance);

bool pins_exist(const char *instance);
int pins_make(const char *instance);
int pins_remove(const char *instance); /* unpinning a link detaches it */

/*
 * Two directories of `switch upgrade`: in `fresh` it gathers what is to take the place of programs
 * and maps, and makes it `next` when it is complete. Parts: progs, maps, and in old the
 * maps that are to be replaced.
 */
#define PINS_FRESH "fresh"
#define PINS_NEXT "next"
/* While this is there, nothing of `next` has been put in place. */
#define PINS_NEXT_CONFIG PINS_NEXT "/maps/tsw_config"

/* WHAT below the instance's directory, as "next/progs". */
void pins_path(char path[PINS_PATH], const char *instance, const char *what);

/* One pin: NAME in PART, as "maps" or "next/progs". */
void pin_path(char path[PINS_PATH], const char *instance, const char *part, const char *name);
bool pin_exists(const char *instance, const char *part, const char *name);
/* Where the filesystem is read-only, who only reads gets what can only be read. */
int pin_open_at(const char *path, bool writes);
int pin_open(const char *instance, const char *part, const char *name); /* negative: errno */

/* Makes an empty one. */
int pins_make_fresh(const char *instance);
int pins_fresh_to_next(const char *instance);
bool pins_has(const char *instance, const char *what);
int pins_drop_fresh(const char *instance);
/* At one stroke, which makes it `fresh`: a half of it would pass for what was begun. */
int pins_drop_next(const char *instance);

/* How many pins are in it. */
unsigned int pins_count(const char *instance, const char *what);

/* All pins of one directory take the place of those with the same names in another. */
int pins_move(const char *instance, const char *from, const char *to);

#endif
