/* SPDX-License-Identifier: GPL-2.0-only */
/* The pins of a switch's maps, programs and links, in /sys/fs/bpf/tsw/INSTANCE. */
#ifndef TSW_PINS_H
#define TSW_PINS_H

#include <stdbool.h>

#define PINS_PATH 192 /* room for the longest path */

void pins_dir(char path[PINS_PATH], const char *instance);

bool pins_have_fs(void);
/* Mounts a BPF filesystem as bpftool and iproute2 do, unless this mount namespace is temporary. */
int pins_mount_fs(void);
int pins_check_mount(void); /* whether it may, or need not */
/* Fails without a BPF filesystem, or if another user owns tsw's directory in it. */
int pins_check_fs(void);

/* Whether all directories of the instance exist. pins_mend() makes the missing ones. */
bool pins_are_whole(const char *instance);
int pins_mend(const char *instance);

/* Calls EACH for all instances, in the order of their names. */
int pins_each(int (*each)(void *context, const char *instance), void *context);

bool pins_exist(const char *instance);
int pins_make(const char *instance);
int pins_remove(const char *instance); /* unpinning a link detaches it */

/*
 * `switch upgrade` uses two directories. It collects new programs and maps in `fresh`, and renames
 * that to `next` when it is complete. Each has the parts progs, maps, and old, which is for the
 * maps that the new ones replace.
 */
#define PINS_FRESH "fresh"
#define PINS_NEXT "next"
/* While this pin exists, the upgrade has not put anything of `next` in place. */
#define PINS_NEXT_CONFIG PINS_NEXT "/maps/tsw_config"

/* The path of WHAT, such as "next/progs", below the instance's directory. */
void pins_path(char path[PINS_PATH], const char *instance, const char *what);

/* The path of one pin: NAME in PART, such as "maps" or "next/progs". */
void pin_path(char path[PINS_PATH], const char *instance, const char *part, const char *name);
bool pin_exists(const char *instance, const char *part, const char *name);
/* Opens a pin; negative: errno. Without WRITES opens a map in a read-only filesystem read-only. */
int pin_open_at(const char *path, bool writes);
int pin_open(const char *instance, const char *part, const char *name); /* negative: errno */

/* Makes an empty `fresh`. */
int pins_make_fresh(const char *instance);
int pins_fresh_to_next(const char *instance);
bool pins_has(const char *instance, const char *what);
int pins_drop_fresh(const char *instance);
/* Renames `next` to `fresh` first, because a partial `next` would look like a started upgrade. */
int pins_drop_next(const char *instance);

/* The number of pins in WHAT. */
unsigned int pins_count(const char *instance, const char *what);

/* Moves all pins from one directory to another, and replaces pins of the same names there. */
int pins_move(const char *instance, const char *from, const char *to);

#endif
