/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds objects in a state file in memory, for dry_edit.c. */
#ifndef TSW_DRY_FIND_H
#define TSW_DRY_FIND_H

#include <jansson.h>

#include <tsw/object.h>

#include "cluster/whole.h"
#include "rules/rules.h"

/* An item of a list. Without one, ITEM is NULL and LIST is where it would be. */
struct dry_found {
	json_t *list, *item;
	size_t at;
};

/* By the name in an item, or that is the item. */
struct dry_found dry_named(json_t *list, const char *name);
/* Without TENANT searches all; -ENOTUNIQ, -ENOENT: with a message. */
int dry_endpoint(json_t *all, const char *tenant, const char *name, struct dry_found *found);
struct dry_found dry_publish(json_t *tenant, const struct tsw_publish_spec *spec);
struct dry_found dry_peer(json_t *all, const char *tenant, const char *with);

/* Refuses a host that serves a gateway, or a group that is in use. */
int dry_serves(json_t *all, const char *host);
int dry_group_used(json_t *tenant, const char *group);

/* Endpoints at the host: names them; deletes them, and ends moves to there. */
void dry_at_host(json_t *all, const char *host, struct rule_names *names);
void dry_empty_host(json_t *all, const char *host);

/* Halves of peerings with the tenant on one side: counts them; removes them. */
size_t dry_halves(json_t *all, const char *tenant);
void dry_drop_peers(json_t *all, const char *tenant);

/* What the command would choose itself. */
json_int_t dry_free_id(json_t *all);
void dry_free_mac(const json_t *endpoints, json_t *item);

#endif
