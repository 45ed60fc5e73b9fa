// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "agent/status.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/member.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "kernel/system.h"
#include "record/counters.h"
#include "store/pins.h"
#include "switch/session.h"
#include "tools/doctor/hosts.h"
#include "tools/doctor/mend.h"
#include "tools/doctor/report.h"
#include "wire/mtu.h"
#include "wire/underlay.h"

/* ---- this machine -------------------------------------------------------------------- */

static void check_kernel(struct report *d)
{
	struct utsname u = {};

	uname(&u);
	if (system_check_kernel())
		report_add(d, FAIL, "kernel", NULL, "%s", failure()->text);
	else
		report_add(d, OK, "kernel", NULL, "%s has what the switch needs",
			   escaped(u.release));
	if (system_check_capabilities())
		report_add(d, FAIL, "rights", "sudo tsw doctor", "%s", failure()->text);
	else
		report_add(d, OK, "rights", NULL, "this user may change the switch");
	if (pins_have_fs())
		report_add(d, OK, "bpffs", NULL, "/sys/fs/bpf is mounted");
	else
		report_add(d, FAIL, "bpffs", "mount -t bpf -o mode=0700 bpf /sys/fs/bpf",
			   "/sys/fs/bpf is not a BPF filesystem");
}

/* Settings below /proc/sys that make programs slow. Those of the router are in `switch check`. */
static void check_settings(struct report *d)
{
	const int jit = system_has_jit();

	if (!jit)
		report_add(
			d, WARN, "settings", "sysctl -w net.core.bpf_jit_enable=1",
			"the kernel does not compile programs, so each frame takes several times as long");
	if (system_counts_runs())
		report_add(
			d, WARN, "settings", "sysctl -w kernel.bpf_stats_enabled=0",
			"the kernel measures each run of a program, which costs time for each frame");
	if (jit && !system_counts_runs())
		report_add(d, OK, "settings", NULL, "none slows programs down");
}

/* ---- the switch ---------------------------------------------------------------------- */

static void check_hosts(struct report *d)
{
	const int err = report_hosts(d, "", true);

	if (err == -EPERM)
		report_add(d, WARN, "hosts", "sudo tsw doctor", "this user may not ask them");
	else if (err)
		report_add(d, FAIL, "hosts", NULL, "%s", failure()->text);
}

static int compare_mtus(struct report *d, const struct tenants *all)
{
	struct tsw *t = &d->cli->tsw;
	__u32 limit[TSW_ENCAPS];
	size_t i, less = 0;
	char why[256];
	int err = tenant_mtu_limits(t, limit);

	for (i = 0; !err && i < all->n; i++) {
		const struct tsw_tenant *is = &all->row[i].tenant;
		const __u32 most = limit[is->encap % TSW_ENCAPS];

		if (!most || is->mtu <= most)
			continue;
		less++;
		snprintf(why, sizeof(why),
			 "its MTU %u does not fit into the underlay: its endpoints must use %u, or "
			 "the underlay's devices need MTU %u",
			 is->mtu, most, is->mtu + underlay_mtu(t) - most);
		report_about(d, WARN, "mtu", "tenant_mtu", is->name, why);
	}
	if (!err && !less)
		report_add(d, OK, "mtu", NULL,
			   "the underlay has %u, endpoints may use %u with VXLAN", underlay_mtu(t),
			   limit[TSW_ENCAP_VXLAN]);
	return err;
}

static void check_mtus(struct report *d)
{
	cleanup_tenants struct tenants all = {};
	int err = tenants_read(&d->cli->tsw, &all);

	err = err ?: compare_mtus(d, &all);
	if (err)
		report_add(d, FAIL, "mtu", NULL, "%s", failure()->text);
}

static void add_found(struct report *d, enum health state, const json_t *found)
{
	json_t *one;
	size_t i;

	json_array_foreach(found, i, one) {
		const char *what = json_string_value(json_object_get(one, "what"));
		const char *object = json_string_value(json_object_get(one, "object"));
		const char *detail = json_string_value(json_object_get(one, "detail"));

		report_about(d, state, what, what, object, detail);
	}
}

static void check_switch(struct report *d)
{
	json_t *problems = json_array(), *warnings = json_array();
	const int err = check_all(d->cli, problems, warnings);

	if (err)
		report_add(d, FAIL, "switch", err == -ENOENT ? "tsw switch up dev DEV" : NULL, "%s",
			   failure()->text);
	else if (!json_array_size(problems))
		report_add(d, OK, "switch", NULL,
			   "maps, programs, devices, rules and nftables agree with each other");
	add_found(d, FAIL, problems);
	add_found(d, WARN, warnings);
	json_decref(problems);
	json_decref(warnings);
}

/* ---- the cluster --------------------------------------------------------------------- */

/* What the agent has found out about the switch is in `switch check`. */
static void check_agent(struct report *d)
{
	const char *instance = d->cli->tsw.instance;
	struct agent_status status;
	const bool runs = status_read(instance, &status);

	if (!member_is(instance)) {
		report_add(d, OK, "cluster", NULL, "this switch is in no cluster");
		return;
	}
	if (!runs)
		report_add(d, FAIL, "agent", "systemctl start tsw-agent@INSTANCE",
			   "it does not run, so changes of the cluster do not come here");
	if (runs && status.failed)
		report_add(d, FAIL, "agent", "journalctl -u tsw-agent@INSTANCE",
			   "it could not make %llu changes; its log says which",
			   (unsigned long long)status.failed);
	if (runs && status.held)
		report_add(d, WARN, "agent", "tsw cluster accept",
			   "it holds %llu deletions back, until somebody confirms them",
			   (unsigned long long)status.held);
	if (runs && status.missing)
		report_add(d, WARN, "agent", "tsw -c endpoint show",
			   "devices of %llu endpoints of this host do not exist",
			   (unsigned long long)status.missing);
	if (runs && !status.failed && !status.held && !status.missing)
		report_add(d, OK, "agent", NULL, "it runs, and has applied revision %lld",
			   (long long)status.revision);
}

static void add_member(struct report *d, const json_t *member)
{
	const char *why = json_string_value(json_object_get(member, "problem"));
	const char *url = json_string_value(json_object_get(member, "url"));

	if (why)
		report_about(d, WARN, "etcd", "etcd_member", url, why);
}

/* One member may be down; without a quorum opening the store fails. */
static void check_store(struct report *d)
{
	json_t *members = json_array(), *one;
	struct etcd *e = NULL;
	struct member m;
	size_t i, bad = 0;
	int err = cluster_open(d->cli, &m, &e);

	err = err ?: cluster_members(d->cli, &m, members);
	if (err)
		report_add(d, FAIL, "etcd", "tsw cluster show", "%s", failure()->text);
	json_array_foreach(members, i, one) {
		bad += !json_is_true(json_object_get(one, "healthy"));
		add_member(d, one);
	}
	if (!err && !bad)
		report_add(d, OK, "etcd", NULL, "all %zu members are healthy", i);
	json_decref(members);
	etcd_close(e);
}

/* ---- the command --------------------------------------------------------------------- */

static bool is_sound(const struct report *d)
{
	const json_t *row;
	size_t i;

	json_array_foreach(d->rows, i, row)
		if (strcmp(json_text_in(row, "state"), "OK"))
			return false;
	return true;
}

/*
 * The switch's own check is made last, because it takes the lock, but told before the hosts: a
 * fault here is often why they do not answer.
 */
int cmd_doctor(struct cli *cli, const struct words *w)
{
	static const char next[] = "Nothing is wrong here. If A does not reach B: "
				   "tsw trace from A to B, and on B's host THERE_TSW doctor";
	struct report d = {cli, json_array()}, hosts = {cli, json_array()};
	char text[MEND_LEN];
	bool sound;

	(void)w;
	check_kernel(&d);
	check_settings(&d);
	if (!session_open(&cli->tsw)) {
		check_mtus(&d);
		check_hosts(&hosts);
	}
	check_agent(&d);
	if (member_is(cli->tsw.instance))
		check_store(&d);
	check_switch(&d);
	json_array_extend(d.rows, hosts.rows);
	json_decref(hosts.rows);
	sound = is_sound(&d);
	report_print(&d);
	if (sound && !cli->out.json)
		printf("%s\n", mend_text(&cli->tsw, next, NULL, text));
	return 0;
}
