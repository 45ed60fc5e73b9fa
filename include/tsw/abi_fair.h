/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the ABI that is about shares of what tenants use together. See abi.h. */
#ifndef TSW_ABI_FAIR_H
#define TSW_ABI_FAIR_H

#include <tsw/abi.h>
#include <tsw/abi_timeout.h>

/*
 * The most that a tenant may have at a gateway's host: connections, and half-open ones, which have
 * no answer yet. 0: the default; TSW_FAIR_NONE: no limit.
 */
#define TSW_FAIR_CONNECTIONS 32768
#define TSW_FAIR_HALF_OPEN 4096
#define TSW_FAIR_NONE 0xffffffffU

/* Time is counted in ticks of CLOCK_MONOTONIC, each a bit longer than a second. */
#define TSW_FAIR_TICK 30 /* a tick is ns >> 30 */
#define TSW_FAIR_SLICES 16
#define TSW_FAIR_SLICE 1 /* a slice is two ticks */
/* The number of slices whose connections count if a half-open one is kept for that time. */
#define TSW_FAIR_AGE(ticks) (((ticks) >> TSW_FAIR_SLICE) + 2)

/*
 * tsw_fair: tenant id -> its limits and use. The command makes the entry if limits were given, else
 * the first frame does.
 */
struct tsw_fair {
	__u32 connections;
	__u32 half_open;
	__u32 table; /* the table of its connections in tsw_conns; a new number is an empty table */
	__u32 fragments;	      /* CLOCK_MONOTONIC, ns >> 20: when this bucket is full */
	__u32 slice[TSW_FAIR_SLICES]; /* half-open connections by the time when they began */
	__u32 begun[TSW_FAIR_SLICES];
	__u64 neighbours; /* CLOCK_MONOTONIC, ns: when this bucket is full */
	__u64 errors;
};

/*
 * tsw_conns: a connection has one entry in one of two buckets that its addresses and ports choose:
 * its print, its state, and the tick until which the kernel keeps it. Least recently used buckets
 * go.
 */
#define TSW_CONN_ENTRIES 8
#define TSW_CONN_UNTIL 0x3fffffffULL
#define TSW_CONN_HALF_OPEN (1ULL << 30)
#define TSW_CONN_CLOSING (1ULL << 31)
#define TSW_CONN_STREAM TSW_CONN_CLOSING /* of UDP */

struct tsw_conn_key {
	__u32 tenant;
	__u32 table;
	__u32 bucket;
};

struct tsw_conn_bucket {
	__u64 entry[TSW_CONN_ENTRIES]; /* print << 32 | state | until */
};

/* tsw_fair_seen: per CPU, the connections and destinations that were looked at in this tick. */
#define TSW_FAIR_SEEN 512

struct tsw_fair_seen {
	__u64 at[TSW_FAIR_SEEN]; /* print, in the lower bits the tick */
};

_Static_assert(sizeof(struct tsw_fair) == 160, "ABI");
_Static_assert(sizeof(struct tsw_conn_key) == 12, "ABI");
_Static_assert(sizeof(struct tsw_conn_bucket) == 64, "ABI");

#endif
