/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dry run of a command that changes more than objects. With cli->plan the command makes all of
 * its checks, and then lists what it would change there, each as `diff` does. The order is that of
 * the list, not of the changes.
 */
#ifndef TSW_PLAN_H
#define TSW_PLAN_H

#include "cli/cli.h"
#include "etcd/etcd.h"

/* CHANGE: "add", "set" or "del". OBJECT: "file" and the like. */
void plan_add(json_t *plan, const char *change, const char *object, const char *name);

/* The same for a record, as an etcd_told. PLAN is a json_t. */
void plan_record(void *plan, const struct etcd_op *op, __s64 count);

/* In a dry run E only lists the records that it would write. E may be NULL. */
void plan_etcd(const struct cli *cli, struct etcd *e);

/*
 * The parts of something, each with its settings; PARTS is an array without change. Frees FIELDS,
 * which may be NULL.
 */
void plan_part(json_t *parts, const char *object, const char *name, json_t *fields);

/* Lists what is to be done to turn the parts HAVE into WANT. */
void plan_parts(json_t *plan, const json_t *have, const json_t *want);

#endif
