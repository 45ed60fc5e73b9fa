/* SPDX-License-Identifier: GPL-2.0-only */
/* Endpoints: finding, checking, and changing them as a whole. */
#ifndef TSW_ENDPOINT_H
#define TSW_ENDPOINT_H

#include "object/limit.h"
#include "store/tsw.h"
#include "cli/words.h"

struct endpoint {
	struct tsw_endpoint_key key;
	struct tsw_mac mac;
	bool placed; /* `at` is known */
	bool pending;
	bool peer; /* at a veth whose other end is in another namespace */
	struct tsw_fdb at;
	struct limits limits;
	unsigned int n_ip;
	struct tsw_addr ip[WORDS_IPS];
};

/* By name, in the tenant or, where that is empty, in any; -ENOENT with a message. */
int endpoint_find(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		  struct endpoint *ep);

bool endpoint_has_ip(const struct endpoint *ep, const struct tsw_addr *ip);

/*
 * An address with that owner is the endpoint's: its MAC, or while it is pending the one that it
 * had before, which is nobody else's.
 */
bool endpoint_may_own(const struct tsw *t, const struct endpoint *ep, const struct tsw_mac *mac);

/* ` of endpoint "a"` or ` of its gateway`, where it is cheap to find out whose MAC it is. */
const char *endpoint_owner_text(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac);

/* Reads all of it; -ENOENT without a message. */
int endpoint_load(const struct tsw *t, const struct tsw_endpoint_key *key, struct endpoint *ep);

/* An endpoint can be there, whoever is there now. */
int endpoint_check_device(struct tsw *t, const char *dev);

/* Where it is to be: a device here, another host, or where it is; checked to be possible. */
int endpoint_at_device(struct tsw *t, const char *dev, struct endpoint *ep);
int endpoint_at_host(const struct tsw *t, const struct tsw_name *host, struct endpoint *ep);
int endpoint_stay(struct tsw *t, struct endpoint *ep);

/*
 * OLD is what is there under that key, or NULL; WANT has its place by one of the above. All is
 * checked before anything is changed.
 */
int endpoint_change(struct tsw *t, const struct endpoint *old, const struct endpoint *want);
int endpoint_del(struct tsw *t, const struct endpoint *ep);
int endpoint_del_all(struct tsw *t, __u32 tenant);

#endif
