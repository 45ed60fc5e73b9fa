/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that the maps fit each other. Each function appends problems, see problem.h. */
#ifndef TSW_CHECK_MAPS_H
#define TSW_CHECK_MAPS_H

#include <jansson.h>

#include "check/owners.h"
#include "store/tsw.h"

/* Entries without an owner. */
void check_strays(const struct snapshot *s, const struct owners *owners, json_t *problems);

/* Names, tenants, hosts, gateways, indexes. */
void check_objects(const struct tsw *t, const struct snapshot *s, json_t *problems);

/* Counts that are wrong; and, into WARNINGS, what is nearly full. */
int check_counts(const struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings);

/* The policies' look-up tables must say what their groups and rules say. */
int check_policies(const struct snapshot *s, json_t *problems);
int check_policy_conns(const struct tsw *t, const struct snapshot *s, json_t *warnings);

/* Each tenant whose flows are counted must have a table, and no other tenant. */
int check_flows(const struct tsw *t, const struct snapshot *s, json_t *problems);

/* Vips that endpoints take from each other again and again. */
void check_contested(const struct snapshot *s, json_t *warnings);

/* Names with hidden characters, which older versions accepted. */
void check_hidden(const struct snapshot *s, json_t *warnings);

/* The entries of each endpoint, and its device. */
void check_endpoints(const struct tsw *t, const struct snapshot *s, const struct owners *owners,
		     json_t *problems);

/* Whether an endpoint lacks entries that can be written again from its record. */
bool endpoint_is_damaged(const struct tsw *t, const struct snapshot *s, const struct owner *owner);

/* Why an endpoint at AT is an orphan, or NULL. AT NULL: its place is unknown. One static buffer. */
const char *orphan_text(const struct tsw *t, const struct tsw_fdb *at);

#endif
