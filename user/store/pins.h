/* SPDX-License-Identifier: GPL-2.0-only */
/* The pins of a switch's maps, programs and links, in /sys/fs/bpf/tsw/INSTANCE. */
#ifndef TSW_PINS_H
#define TSW_PINS_H

#include <stdbool.h>

#define PINS_PATH 192 /* room for the longest path */

void pins_dir(char path[PINS_PATH], const char *instance);

bool pins_have_fs(void);
/* Mounts a BPF filesystem, as bpftool and iproute2 do, if it will stay mounted. */
int pins_mount_fs(void);
/* Fails if there is no BPF filesystem, or our directory in it belongs to another user. */
int pins_check_fs(void);

/* Whether all directories of the instance exist; and making the missing ones. */
bool pins_are_whole(const char *instance);
int pins_mend(const char *instance);

bool pins_exist(const char *instance);
int pins_make(const char *instance);
int pins_remove(const char *instance); /* unpinning a link detaches it */

/*
 * Two directories of `switch upgrade`. It collects new programs and maps in `fresh`, and renames
 * that to `next` when it is complete. Its parts are progs, maps, and old for the maps to be
 * replaced.
 */
#define PINS_FRESH "fresh"
#define PINS_NEXT "next"
/* While this exists, nothing of `next` has been put in place. */
#define PINS_NEXT_CONFIG PINS_NEXT "/maps/tsw_config"

/* The path of WHAT, such as "next/progs", below the instance's directory. */
void pins_path(char path[PINS_PATH], const char *instance, const char *what);

/* The path of one pin: NAME in PART, such as "maps" or "next/progs". */
void pin_path(char path[PINS_PATH], const char *instance, const char *part, const char *name);
bool pin_exists(const char *instance, const char *part, const char *name);
/* Without WRITES a map in a read-only filesystem is opened read-only. */
int pin_open_at(const char *path, bool writes);
int pin_open(const char *instance, const char *part, const char *name); /* negative: errno */

/* Makes an empty `fresh`. */
int pins_make_fresh(const char *instance);
int pins_fresh_to_next(const char *instance);
bool pins_has(const char *instance, const char *what);
int pins_drop_fresh(const char *instance);
/* Renames `next` to `fresh` first, because half of `next` would pass for a started upgrade. */
int pins_drop_next(const char *instance);

/* The number of pins in WHAT. */
unsigned int pins_count(const char *instance, const char *what);

/* Moves all pins of one directory to another, where they replace those of the same names. */
int pins_move(const char *instance, const char *from, const char *to);

#endif
