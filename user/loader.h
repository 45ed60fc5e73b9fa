/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs that this binary has, loaded with maps of their own or those of a running switch. */
#ifndef TSW_LOADER_H
#define TSW_LOADER_H

#include "maps.h"
#include "store/migrate.h"

/* Loads the programs, with maps for so many, and pins both below DIR. */
int programs_make(const char *dir, __u32 max_tenants, __u32 max_endpoints);

/* Reads them, for maps of the caller's; and loads those of them that are to be. */
struct tsw_bpf;
int programs_open(struct tsw_bpf **skel);
int programs_load(struct tsw_bpf *skel);

/* Tells these programs from those of another build. */
__u64 programs_build(void);

/*
 * Loads them with the maps that are pinned below DIR, whose switch CONFIG is of. Where
 * ABI, the version of that switch, has a map otherwise, it is made anew and filled with what the
 * old one has. Below TO are pinned: the programs, what maps are new, and in `old` those before.
 */
int programs_renew(const char *dir, const char *to, __u32 abi, const struct tsw_config *config);

#endif
