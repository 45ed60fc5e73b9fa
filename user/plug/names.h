/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes short names of a runtime's long ones. Equal input gives equal names. */
#ifndef TSW_PLUG_NAMES_H
#define TSW_PLUG_NAMES_H

#include <tsw/abi.h>

#define NAME_SEED 0xcbf29ce484222325ULL

/* FNV-1a of 64 bits. It need not resist attacks, because only the runtime chooses TEXT. */
__u64 name_mix(__u64 hash, const char *text);

/* N letters of 5 bits each, and a NUL. */
void name_letters(__u64 hash, unsigned int n, char *text);

/*
 * The MAC of a container that asks for ADDR. When the container is started again, its neighbours
 * still have this MAC in their caches. With another one they would not reach it for half a minute.
 */
struct tsw_mac name_mac(const struct tsw_addr *addr);

#endif
