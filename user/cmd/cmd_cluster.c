// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/hosts.h"
#include "cmd/cmd.h"
#include "cmd/records.h"

enum { STATUS_MS = 2000 };

int fit_cluster_join(struct words *w)
{
	const struct join_words *join = &w->join;

	if (!join->cert != !join->key)
		return misuse("cert and key go together");
	if (!join->user != !join->password_file)
		return misuse("user and password-file go together");
	return 0;
}

/* Whoever reads it later may be in another directory. */
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

/* What this switch is a member of already, *IS, must be what it is to be of. */
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

/* Whoever waits for etcd keeps nobody from the switch. */
static int check_lock(const struct cli *cli)
{
	return cli->tsw.lock < 0
		       ? 0
		       : fail(EBUSY, "in a batch it stands before all that changes the switch");
}

int cmd_cluster_join(struct cli *cli, const struct words *w)
{
	const struct tsw *t = &cli->tsw;
	struct tsw_addr_pair ip = {.preferred = TSW_IPV4};
	struct member m = {};
	struct etcd *e = NULL;
	bool is = false;
	int err = check_lock(cli);

	err = err ?: take(&w->join, &t->config, &m);
	err = err ?: check_before(t->instance, &m, &is);
	err = err ?: member_open(&m, records_wait_ms(cli), &e);
	err = err ?: member_check_store(e, &m);
	if (err) {
		etcd_close(e);
		return err;
	}
	memcpy(ip.of, t->config.local, sizeof(ip.of));
	if (addr_is_none(&ip.of[TSW_IPV4]))
		ip.preferred = TSW_IPV6;
	err = cluster_host_put(e, &m, &ip, is);
	etcd_close(e);
	return err ? err : member_write(t->instance, &m);
}

int cmd_cluster_leave(struct cli *cli, const struct words *w)
{
	const char *instance = cli->tsw.instance;
	struct etcd *e = NULL;
	struct member m;
	int err = check_lock(cli);

	err = err ?: member_read(instance, &m);
	if (err)
		return err;
	err = member_open(&m, records_wait_ms(cli), &e);
	err = err ?: member_check_store(e, &m);
	err = err ?: cluster_host_del(e, &m);
	etcd_close(e);
	if (err && w->option.force)
		note(&cli->tsw.log, "its records are left in cluster %s: %s", quoted(m.cluster.s),
		     failure()->text);
	else if (err)
		return err;
	return member_remove(instance);
}

static json_t *status_json(const struct etcd_member *member, int err)
{
	json_t *json = json_pack("{s:s, s:b, s:b}", "url", member->url, "healthy",
				 !err && member->led, "leader", member->leader);

	if (!err)
		json_object_set_new(json, "version", json_text(member->version));
	if (err || !member->led)
		json_object_set_new(json, "problem",
				    json_text(err ? failure()->text : "it knows no leader"));
	return json;
}

/* Each by itself, and soon: one that is silent is no reason to wait for long. */
static int members_json(const struct cli *cli, const struct member *m, json_t *list)
{
	const unsigned int ms = records_wait_ms(cli) < STATUS_MS ? records_wait_ms(cli) : STATUS_MS;
	struct etcd_member member;
	struct etcd *e;
	size_t i;
	int err = member_open(m, ms, &e);

	for (i = 0; !err && i < ETCD_MEMBERS; i++) {
		const int its = etcd_member(e, i, &member);

		if (!*member.url)
			break;
		json_array_append_new(list, status_json(&member, its));
	}
	etcd_close(e);
	return err;
}

struct shown {
	json_t *list;
	const char *name; /* that one alone; "": all */
};

static int add_host(void *context, const struct tsw_host_spec *host)
{
	const struct shown *shown = context;

	if (!*shown->name || !strcmp(host->name.s, shown->name))
		json_array_append_new(shown->list,
				      fields_json(host_fields, FIELD(HOST_NAME) | FIELD(HOST_IP),
						  host));
	return 0;
}

static int show(struct cli *cli, const struct member *m, struct etcd *e, const char *name)
{
	json_t *json =
		json_pack("{s:s, s:s, s:[]}", "cluster", m->cluster.s, "host", m->host.s, "etcd");
	struct shown shown = {json_array(), name};
	__s64 revision;
	size_t refused;
	int err = cluster_hosts(e, m, &revision, &refused, add_host, &shown);

	if (!err && *name && !json_array_size(shown.list))
		err = fail(ENOENT, "cluster %s has no host %s", quoted(m->cluster.s), quoted(name));
	if (!err)
		err = members_json(cli, m, json_object_get(json, "etcd"));
	json_object_set_new(json, "revision", json_integer(err ? 0 : revision));
	json_object_set_new(json, "hosts", shown.list);
	if (!err && refused)
		note(&cli->tsw.log, "records that are none of a host, and left out: %zu", refused);
	if (err)
		json_decref(json);
	else
		out_object(&cli->out, json);
	return err;
}

int cmd_cluster_show(struct cli *cli, const struct words *w)
{
	struct etcd *e = NULL;
	struct member m;
	int err = check_lock(cli);

	err = err ?: member_read(cli->tsw.instance, &m);
	err = err ?: member_open(&m, records_wait_ms(cli), &e);
	err = err ?: member_check_store(e, &m);
	err = err ?: show(cli, &m, e, w->given & W_NAME ? w->name.s : "");
	etcd_close(e);
	return err;
}
