// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/json.h"
#include "base/key.h"
#include "base/spell.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/crypt.h"
#include "cmd/plan_switch.h"
#include "record/host_keys.h"
#include "switch/rekey.h"

static json_t *devs_json(const struct tsw *t, const struct crypt *c)
{
	json_t *list = json_array();
	unsigned int own, other;
	struct link dev;

	crypt_each(own, other)
		if (wg_is_of(c->map.ifindex[own][other], t->instance) &&
		    !link_by_index(c->map.ifindex[own][other], &dev))
			json_array_append_new(list, json_text(dev.name));
	return list;
}

/* The key that is used to send, and the next key or the one before. */
static void keys_json(const struct crypt *c, json_t *o)
{
	const unsigned int used = own_keys_used(&c->keys), newest = own_keys_newest(&c->keys);
	const struct own_key *other = own_key_of(&c->keys, !used);

	json_object_set_new(o, "public_key",
			    c->keys.n ? json_string(key_text(own_key_of(&c->keys, used)->public))
				      : json_null());
	if (other)
		json_object_set_new(o, used == newest ? "old_public_key" : "new_public_key",
				    json_string(key_text(other->public)));
}

int cmd_crypt_show(const struct tsw *t, json_t *o)
{
	cleanup_crypt struct crypt c = {};
	int err = crypt_read(t, &c);

	if (err)
		return err;
	json_object_update_new(
		o,
		json_pack("{s:s, s:I, s:o}", "encrypt",
			  word_encrypts[c.map.flags & TSW_CRYPT_MIXED ? TSW_ASK_ENCRYPT_MIXED
								      : TSW_ASK_ENCRYPT_WIREGUARD],
			  "wg_port", (json_int_t)c.map.port, "wg_devs", devs_json(t, &c)));
	keys_json(&c, o);
	return 0;
}

static json_t *ago_json(const struct crypt *c, __u64 handshake)
{
	const __u64 ago = c->now > handshake ? c->now - handshake : 0;

	return handshake ? json_integer((json_int_t)ago) : json_null();
}

int cmd_crypt_host(const struct crypt *c, const struct host_row *host, json_t *item)
{
	const struct host_row *row = hosts_row(&c->hosts, host->id);
	struct tsw_key_list list;
	__u64 rx, tx, handshake;
	json_t *keys;
	size_t i;
	__u32 k;

	if (!row) /* the host was added in between */
		return 0;
	i = (size_t)(row - c->hosts.row);
	host_keys_list(&host->host, &c->host_keys[i], &list);
	if (!list.n)
		return 0;
	keys = json_array();
	for (k = 0; k < list.n; k++)
		json_array_append_new(keys, json_string(key_text(list.at[k].octet)));
	json_object_set_new(item, "key", keys);
	if (!c->keys.n)
		return 0;
	handshake = crypt_traffic(c, i, &rx, &tx);
	json_object_update_new(item, json_pack("{s:o, s:I, s:I}", "handshake_ago",
					       ago_json(c, handshake), "wg_rx_bytes",
					       (json_int_t)rx, "wg_tx_bytes", (json_int_t)tx));
	return 0;
}

static bool is_waiting(const json_t *result)
{
	return !strcmp(json_string_value(json_object_get(result, "state")), "waiting");
}

/* Publishes the new key in the cluster before it waits for answers that use the key. */
int cmd_switch_rekey(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	const bool wait = w->given & FIELD(OPTION_WAIT);
	json_t *result;
	int err;

	if (cli->plan)
		return plan_switch_rekey(cli, w->option.force);
	err = switch_rekey(t, 0, w->option.force, &result);
	if (err)
		return err;
	cluster_tell_own(cli, NULL);
	if (wait && is_waiting(result)) {
		json_decref(result);
		err = switch_rekey(t, w->option.wait, w->option.force, &result);
	}
	if (err)
		return err;
	cli->bad |= wait && is_waiting(result);
	out_object(&cli->out, result);
	return 0;
}
