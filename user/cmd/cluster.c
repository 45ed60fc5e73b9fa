// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/own_host.h"
#include "base/err.h"
#include "base/text.h"
#include "cluster/call.h"
#include "cluster/hosts.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/plan.h"
#include "cmd/records.h"
#include "store/key_file.h"

int fit_cluster_join(struct words *w)
{
	const struct join_words *join = &w->join;

	if (!join->cert != !join->key)
		return misuse("cert and key go together");
	if (!join->user != !join->password_file)
		return misuse("user and password-file go together");
	return 0;
}

/* Makes the path absolute: later commands may run in another directory. */
static int take_file(const char *file, char path[PATH_MAX])
{
	if (file && !realpath(file, path))
		return fail(errno, "cannot find %s: %s", quoted(file), strerror(errno));
	return 0;
}

static int take_text(const char *key, const char *text, char *to, size_t room)
{
	if (!text)
		return 0;
	if (!*text)
		return misuse("%s is empty", key);
	if ((size_t)snprintf(to, room, "%s", text) >= room)
		return misuse("%s %s is too long", key, quoted(text));
	return 0;
}

static int take(const struct join_words *join, const struct tsw_config *config, struct member *m)
{
	int err = take_text("etcd", join->etcd, m->etcd, sizeof(m->etcd));

	err = err ?: take_text("user", join->user, m->user, sizeof(m->user));
	err = err ?: take_file(join->ca, m->ca);
	err = err ?: take_file(join->cert, m->cert);
	err = err ?: take_file(join->key, m->key);
	err = err ?: take_file(join->password_file, m->password_file);
	m->cluster = *join->name.s ? join->name : (struct tsw_name){"default"};
	memcpy(m->host.s, config->name, sizeof(m->host.s));
	return err;
}

/* *IS: the switch is a member already; then it must be of the same cluster, as the same host. */
static int check_before(const char *instance, struct member *want, bool *is)
{
	struct member before;
	int err = member_read(instance, &before);

	*is = !err;
	if (err)
		return err == -ENOENT ? 0 : err;
	if (strcmp(before.cluster.s, want->cluster.s) || strcmp(before.host.s, want->host.s))
		return fail(
			EEXIST,
			"this switch is host %s of cluster %s: leave that first, by: tsw cluster "
			"leave",
			quoted(before.host.s), quoted(before.cluster.s));
	memcpy(want->store, before.store, sizeof(want->store));
	return 0;
}

void cluster_tell_own(struct cli *cli, const struct own_keys *keys)
{
	struct tsw *t = &cli->tsw;
	struct tsw_host_spec spec;
	struct etcd *e = NULL;
	struct member m;
	int err;

	if (!member_is(t->instance))
		return;
	err = member_read(t->instance, &m);
	err = err ?: own_host_spec(t, &m.host, &spec);
	for (spec.key.n = keys ? 0 : spec.key.n; keys && spec.key.n < keys->n; spec.key.n++)
		memcpy(spec.key.at[spec.key.n].octet, keys->at[spec.key.n].public, TSW_CRYPT_KEY);
	err = err ?: member_open(&m, records_wait_ms(cli), &e);
	plan_etcd(cli, e);
	err = err ?: cluster_host_put(e, &m, &spec, true);
	etcd_close(e);
	if (err)
		note(&t->log,
		     "the cluster's records do not have this host's key yet: %s; run the "
		     "same command again",
		     failure()->text);
}

static int refuse_key(void *context, const struct tsw_host_spec *host)
{
	const struct member *m = context;

	if (!host->key.n || !strcmp(host->name.s, m->host.s))
		return 0;
	return fail(ENOKEY,
		    "host %s of cluster %s encrypts, and this switch does not: tsw switch set "
		    "encrypt wireguard",
		    quoted(host->name.s), quoted(m->cluster.s));
}

/* Hosts that encrypt and hosts that do not cannot reach each other: see reconcile.c. */
static int check_closed(struct etcd *e, struct member *m, const struct tsw_host_spec *own)
{
	size_t refused;
	__s64 revision;

	return own->key.n ? 0 : cluster_hosts(e, m, &revision, &refused, refuse_key, m);
}

/* Writes the member's file, last. */
static int write_member(struct cli *cli, const struct member *m, bool is)
{
	const char *instance = cli->tsw.instance;
	char path[MEMBER_PATH];
	struct member old;

	if (!cli->plan)
		return member_write(instance, m);
	member_path(path, instance);
	if (!is || member_read(instance, &old) || memcmp(&old, m, sizeof(old)))
		plan_add(cli->plan, is ? "set" : "add", "file", path);
	return 0;
}

int cmd_cluster_join(struct cli *cli, const struct words *w)
{
	const struct tsw *t = &cli->tsw;
	struct tsw_host_spec spec = {};
	struct member m = {};
	struct etcd *e = NULL;
	bool is = false;
	int err = cluster_check_lock(cli);

	err = err ?: take(&w->join, &t->config, &m);
	err = err ?: check_before(t->instance, &m, &is);
	err = err ?: member_open(&m, records_wait_ms(cli), &e);
	err = err ?: member_check_store(e, &m);
	err = err ?: member_check(&m);
	if (err) {
		etcd_close(e);
		return err;
	}
	plan_etcd(cli, e);
	err = own_host_spec(t, &m.host, &spec);
	err = err ?: check_closed(e, &m, &spec);
	err = err ?: cluster_host_put(e, &m, &spec, is);
	etcd_close(e);
	return err ?: write_member(cli, &m, is);
}

int cmd_cluster_leave(struct cli *cli, const struct words *w)
{
	const char *instance = cli->tsw.instance;
	char path[MEMBER_PATH];
	struct etcd *e = NULL;
	struct member m;
	int err = cluster_check_lock(cli);

	err = err ?: member_read(instance, &m);
	if (err)
		return err;
	err = member_open(&m, records_wait_ms(cli), &e);
	err = err ?: member_check_store(e, &m);
	plan_etcd(cli, e);
	err = err ?: cluster_host_del(e, &m);
	etcd_close(e);
	if (err && w->option.force)
		note(&cli->tsw.log, "its records are left in cluster %s: %s", quoted(m.cluster.s),
		     failure()->text);
	else if (err)
		return err;
	if (!cli->plan)
		return member_remove(instance);
	member_path(path, instance);
	plan_add(cli->plan, "del", "file", path);
	return 0;
}

int cmd_cluster_accept(struct cli *cli, const struct words *w)
{
	struct etcd *e = NULL;
	struct member m;
	int err = cluster_open(cli, &m, &e);

	(void)w;
	plan_etcd(cli, e);
	err = err ?: call_accept(e, &m);
	etcd_close(e);
	return err;
}
