/* SPDX-License-Identifier: GPL-2.0-only */
/* Do the maps fit each other? What is wrong is appended, see problem.h. */
#ifndef TSW_CHECK_MAPS_H
#define TSW_CHECK_MAPS_H

#include <jansson.h>

#include "check/owners.h"
#include "store/tsw.h"

/* Entries that nobody owns. */
int check_strays(const struct snapshot *s, const struct owners *owners, json_t *problems);

/* Names, tenants, hosts, gateways, indexes. */
int check_things(const struct tsw *t, const struct snapshot *s, json_t *problems);

/* What is counted, and how full the switch is: the latter into WARNINGS. */
int check_counts(const struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings);

/* Do policies say what their groups and rules do? */
int check_policies(const struct snapshot *s, json_t *problems);
int check_policy_conns(const struct tsw *t, const struct snapshot *s, json_t *warnings);

/* Has each tenant whose flows are counted a table, and no other? */
int check_flows(const struct tsw *t, const struct snapshot *s, json_t *problems);

/* Names that an older version took. */
void check_hidden(const struct snapshot *s, json_t *warnings);

/* Each endpoint's own entries, and whether its device is there. */
int check_endpoints(const struct tsw *t, const struct snapshot *s, const struct owners *owners,
		    json_t *problems);

/* An endpoint whose entries can be written again from what it has. */
bool endpoint_is_damaged(const struct tsw *t, const struct snapshot *s, const struct owner *owner);

/* NULL: all is well with where it lives. AT NULL: not known. One buffer, used again. */
const char *orphan_text(const struct tsw *t, const struct tsw_fdb *at);

#endif
