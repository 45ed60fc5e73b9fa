/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads this binary's programs, with new maps or with those of a running switch. */
#ifndef TSW_LOADER_H
#define TSW_LOADER_H

#include "maps.h"
#include "store/migrate.h"

/* Loads the programs and maps for so many tenants and endpoints, and pins both below DIR. */
int programs_make(const char *dir, __u32 max_tenants, __u32 max_endpoints);

/* Loads the same, and drops it again: does this kernel take it? */
int programs_try(__u32 max_tenants, __u32 max_endpoints);

/* Reads the programs, for which the caller then chooses maps; and loads those that are chosen. */
struct tsw_bpf;
int programs_open(struct tsw_bpf **skel);
int programs_load(struct tsw_bpf *skel);

/* A hash that differs from that of another build's programs. */
__u64 programs_build(void);

/*
 * Loads the programs for a running switch, whose maps are pinned below DIR and which has CONFIG. A
 * map whose layout differs in that switch's ABI version is made anew and filled from the old one.
 * Pins below TO the programs and the new maps, and in TO/old the maps that these replace. TO NULL:
 * drops all of it again. MADE: which maps are new, or NULL.
 */
int programs_renew(const char *dir, const char *to, __u32 abi, const struct tsw_config *config,
		   bool made[MAP_COUNT]);

#endif
