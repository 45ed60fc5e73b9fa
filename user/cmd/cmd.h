/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands, one file an object; command.c has the table of them. */
#ifndef TSW_CMD_H
#define TSW_CMD_H

#include "store/tsw.h"
#include "cli/words.h"

int check_switch_set(struct words *w);
int cmd_switch_up(struct tsw *t, const struct words *w);
int cmd_switch_set(struct tsw *t, const struct words *w);
int cmd_switch_show(struct tsw *t, const struct words *w);
int cmd_switch_check(struct tsw *t, const struct words *w);
int cmd_switch_gc(struct tsw *t, const struct words *w);
int cmd_switch_repair(struct tsw *t, const struct words *w);
int cmd_switch_upgrade(struct tsw *t, const struct words *w);
int cmd_switch_down(struct tsw *t, const struct words *w);

int check_tenant(struct words *w);
int check_tenant_set(struct words *w);
int cmd_tenant_add(struct tsw *t, const struct words *w);
int cmd_tenant_replace(struct tsw *t, const struct words *w);
int cmd_tenant_set(struct tsw *t, const struct words *w);
int cmd_tenant_del(struct tsw *t, const struct words *w);
int cmd_tenant_show(struct tsw *t, const struct words *w);

int check_host(struct words *w);
int cmd_host_add(struct tsw *t, const struct words *w);
int cmd_host_replace(struct tsw *t, const struct words *w);
int cmd_host_set(struct tsw *t, const struct words *w);
int cmd_host_del(struct tsw *t, const struct words *w);
int cmd_host_show(struct tsw *t, const struct words *w);

int check_endpoint(struct words *w);
int check_endpoint_set(struct words *w);
int cmd_endpoint_add(struct tsw *t, const struct words *w);
int cmd_endpoint_replace(struct tsw *t, const struct words *w);
int cmd_endpoint_set(struct tsw *t, const struct words *w);
int cmd_endpoint_del(struct tsw *t, const struct words *w);
int cmd_endpoint_show(struct tsw *t, const struct words *w);

int check_gateway(struct words *w);
int check_gateway_set(struct words *w);
int cmd_gateway_add(struct tsw *t, const struct words *w);
int cmd_gateway_replace(struct tsw *t, const struct words *w);
int cmd_gateway_set(struct tsw *t, const struct words *w);
int cmd_gateway_del(struct tsw *t, const struct words *w);
int cmd_gateway_show(struct tsw *t, const struct words *w);
int check_gateway_place(struct words *w);
int cmd_gateway_place(struct tsw *t, const struct words *w);

int cmd_publish_add(struct tsw *t, const struct words *w);
int cmd_publish_del(struct tsw *t, const struct words *w);
int cmd_publish_show(struct tsw *t, const struct words *w);

int check_peer(struct words *w);
int cmd_peer_add(struct tsw *t, const struct words *w);
int cmd_peer_del(struct tsw *t, const struct words *w);
int cmd_peer_show(struct tsw *t, const struct words *w);

int cmd_stats_show(struct tsw *t, const struct words *w);
int cmd_stats_drops(struct tsw *t, const struct words *w);

int cmd_monitor(struct tsw *t, const struct words *w);
int check_capture(struct words *w);
int cmd_capture(struct tsw *t, const struct words *w);
int check_trace(struct words *w);
int cmd_trace(struct tsw *t, const struct words *w);
int cmd_metrics(struct tsw *t, const struct words *w);
int cmd_top(struct tsw *t, const struct words *w);
int cmd_graph(struct tsw *t, const struct words *w);
int cmd_save(struct tsw *t, const struct words *w);
int cmd_apply(struct tsw *t, const struct words *w);
int cmd_diff(struct tsw *t, const struct words *w);

int cmd_features(struct tsw *t, const struct words *w);
int cmd_version(struct tsw *t, const struct words *w);

#endif
