/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of a switch as `switch check` reads them, which fit each other:
 *
 *	red, id 100                                         blue, id 200, has nothing
 *	A  host 2   10.0.0.1 fd00::1, with a limit
 *	B  host 2   no addresses
 *	G  gateway  10.0.0.9/24, index 1
 */
#ifndef TSW_TESTS_CHECK_WORLD_H
#define TSW_TESTS_CHECK_WORLD_H

#include "store/tsw.h"

enum { RED = 100, BLUE = 200, HOST = 2, INDEX = 1 };

extern const struct tsw_mac mac_a, mac_b, mac_g;
extern struct tsw t;

int world_build(void **state);
int world_done(void **state);

struct tsw_addr world_ip(const char *text);
void world_add(enum map map, const void *key, size_t key_size, const void *value,
	       size_t value_size);
void *world_value(enum map map, const void *key);
void world_drop(enum map map, const void *key);
void world_addr(const char *text, const struct tsw_mac *mac, const char *next); /* of red */
void world_endpoint(const char *text, const struct tsw_mac *mac, const char *first,
		    struct tsw_fdb at); /* of red */
void world_tenants(__u32 n);		/* more, without groups */
void world_group(__u32 tenant, __u32 member, __u32 other, __u32 refs);

#define ADD(map, key, value) world_add(map, &(key), sizeof(key), &(value), sizeof(value))

/* All that is told, `what object` of each, and a part of the first one's text; NULL: any. */
void world_expect(const char *name, const char *want, const char *part);

void world_warn(const char *name, const char *want); /* the same of warnings */

/* How many endpoints repair would make anew. */
size_t world_damaged(void);

#endif
