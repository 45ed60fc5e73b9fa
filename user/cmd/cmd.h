/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands, one file an object; cli/command_table.c lists them. */
#ifndef TSW_CMD_H
#define TSW_CMD_H

#include "cli/cli.h"
#include "cli/words.h"

int fit_switch_set(struct words *w);
int cmd_switch_up(struct cli *cli, const struct words *w);
int cmd_switch_set(struct cli *cli, const struct words *w);
int cmd_switch_show(struct cli *cli, const struct words *w);
int cmd_switch_list(struct cli *cli, const struct words *w);
int cmd_switch_check(struct cli *cli, const struct words *w);
int cmd_switch_gc(struct cli *cli, const struct words *w);
int cmd_switch_repair(struct cli *cli, const struct words *w);
int cmd_switch_upgrade(struct cli *cli, const struct words *w);
int cmd_switch_rekey(struct cli *cli, const struct words *w);
int cmd_switch_down(struct cli *cli, const struct words *w);

/* For every object, of this host's switch or of a cluster's records: see object.c. */
int cmd_add(struct cli *cli, const struct words *w);
int cmd_replace(struct cli *cli, const struct words *w);
int cmd_set(struct cli *cli, const struct words *w);
int cmd_del(struct cli *cli, const struct words *w);
int cmd_show(struct cli *cli, const struct words *w);

int fit_tenant(struct words *w);
int fit_tenant_set(struct words *w);

int fit_host(struct words *w);
int fit_host_set(struct words *w);
int cmd_host_probe(struct cli *cli, const struct words *w);

int fit_endpoint(struct words *w);
int fit_endpoint_set(struct words *w);
int fit_endpoint_show(struct words *w);

int fit_gateway(struct words *w);
int fit_gateway_set(struct words *w);
int fit_gateway_place(struct words *w);
int cmd_gateway_place(struct cli *cli, const struct words *w);

int fit_peer(struct words *w);

int fit_group(struct words *w);
/* Reads the groups of `group add`. The caller frees *NAME, also after an error. */
int groups_read(const struct words *w, struct tsw_name **name, size_t *n);

int fit_policy(struct words *w);
int fit_policy_set(struct words *w);

int cmd_stats_policy(struct cli *cli, const struct words *w);
int cmd_stats_show(struct cli *cli, const struct words *w);
int cmd_stats_drops(struct cli *cli, const struct words *w);

int cmd_flows_show(struct cli *cli, const struct words *w);
int cmd_flows_audited(struct cli *cli, const struct words *w);
int cmd_flows_export(struct cli *cli, const struct words *w);

int cmd_monitor(struct cli *cli, const struct words *w);
int fit_capture(struct words *w);
int cmd_capture(struct cli *cli, const struct words *w);
int fit_trace(struct words *w);
int cmd_trace(struct cli *cli, const struct words *w);
int cmd_metrics(struct cli *cli, const struct words *w);
int cmd_top(struct cli *cli, const struct words *w);
int fit_web(struct words *w);
int cmd_web(struct cli *cli, const struct words *w);
int cmd_graph(struct cli *cli, const struct words *w);
int cmd_save(struct cli *cli, const struct words *w);
int cmd_apply(struct cli *cli, const struct words *w);
int cmd_diff(struct cli *cli, const struct words *w);

int fit_cluster_join(struct words *w);
int cmd_cluster_join(struct cli *cli, const struct words *w);
int cmd_cluster_leave(struct cli *cli, const struct words *w);
int cmd_cluster_show(struct cli *cli, const struct words *w);
int cmd_cluster_import(struct cli *cli, const struct words *w);
int cmd_cluster_import_dry(struct cli *cli, const struct words *w);
int cmd_cluster_wait(struct cli *cli, const struct words *w);
int cmd_cluster_accept(struct cli *cli, const struct words *w);

int cmd_agent(struct cli *cli, const struct words *w);

/* save, apply, diff and check with -c, for all records. */
int cmd_whole_save(struct cli *cli, const struct words *w);
int cmd_whole_apply(struct cli *cli, const struct words *w);
int cmd_whole_diff(struct cli *cli, const struct words *w);
int cmd_whole_gc(struct cli *cli, const struct words *w);
int cmd_whole_check(struct cli *cli, const struct words *w);

int cmd_status(struct cli *cli, const struct words *w);
int cmd_doctor(struct cli *cli, const struct words *w);
int cmd_test(struct cli *cli, const struct words *w);
int cmd_sysdump(struct cli *cli, const struct words *w);
int cmd_features(struct cli *cli, const struct words *w);
int cmd_version(struct cli *cli, const struct words *w);

#endif
