/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of an endpoint that clients hand on as they are: server, xdp, groups and those that follow
 * groups in the table. The network's configuration gives all its endpoints values. A container may
 * choose others, or more of a list, only if the configuration offers them: a container must not
 * give itself a group or an address.
 */
#ifndef TSW_PLUG_OFFER_H
#define TSW_PLUG_OFFER_H

#include <tsw/object.h>

#include "record/fields.h"

#define OFFER_FIELDS (ENDPOINT_OPTIONS | FIELDS(ENDPOINT_GROUP, ENDPOINT_END))

enum { OFFERS = 64 };

struct offers {
	struct {
		enum endpoint_field field;
		struct tsw_name text; /* "any", or by the field's kind: see offer_add() */
	} at[OFFERS];
	unsigned int n;
};

/* The next of OFFER_FIELDS behind FIELD; the first behind ENDPOINT_NAME, at last ENDPOINT_END. */
enum endpoint_field offer_next(enum endpoint_field field);

/* What the next functions, which offer_split() may call, do with a value. */
struct offering {
	struct offers *offers;
	struct tsw_endpoint_spec *spec;
	__u64 *given; /* gets the FIELD() of a value that SPEC gets */
	enum endpoint_field field;
};

/* Gives SPEC a value of the network's own. A list may have the value already. */
int offer_give(void *offering, const char *text);

/*
 * Adds a value that containers may choose: a group, or a network that has the addresses and
 * prefixes, or the largest number; `on` for what is on or off; or `any`.
 */
int offer_add(void *offering, const char *text);

/* Gives SPEC a container's choice. -EPERM: the configuration does not offer it. */
int offer_choose(void *offering, const char *text);

/* Checks that GOT, the endpoint NAME, has all that WANT gives by FIELDS; more is no error. */
int offer_check(const char *name, __u64 fields, const struct tsw_endpoint_spec *want,
		const struct tsw_endpoint_spec *got);

/* Calls EACH for the values in TEXT, which commas separate. */
int offer_split(const char *text, int (*each)(void *context, const char *value), void *context);

#endif
