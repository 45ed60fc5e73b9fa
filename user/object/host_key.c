// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "object/host_key.h"
#include "record/host_keys.h"
#include "wire/crypt.h"

static const __u32 zero;

static bool is_mixed(const struct tsw *t)
{
	struct tsw_crypt crypt;

	return !map_get(&t->maps, MAP_CRYPT, &zero, &crypt) && crypt.flags & TSW_CRYPT_MIXED;
}

static int check_own(const struct tsw *t, const struct tsw_key_list *want)
{
	cleanup_keys struct own_keys own = {};
	size_t i;
	__u32 k;
	int err = crypt_is_on(t) ? key_file_read(t->instance, &own) : 0;

	for (i = 0; i < own.n; i++)
		for (k = 0; k < want->n; k++)
			if (key_equal(own.at[i].public, want->at[k].octet))
				return fail(EINVAL, "%s is this host's own key",
					    quoted(key_text(want->at[k].octet)));
	return err == -ENOENT ? 0 : err;
}

static bool has_any(const struct tsw_host_keys *keys, const struct tsw_key_list *want, __u32 *which)
{
	for (*which = 0; *which < want->n; ++*which) {
		const __u8 *key = want->at[*which].octet;

		if (key_equal(keys->key[TSW_CRYPT_PARITY(key)], key))
			return true;
	}
	return false;
}

/* With one key for two hosts, each would be sent frames for the other. */
static int check_others(const struct tsw *t, const char *name, const struct tsw_key_list *want)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host other;
	__u32 which;
	size_t i;
	int err = want->n ? map_rows(&t->maps, MAP_HOST_KEYS, &rows) : 0;

	for (i = 0; !err && i < rows.n; i++) {
		if (!has_any(row_value(&rows, i), want, &which))
			continue;
		err = map_get(&t->maps, MAP_HOSTS, row_key(&rows, i), &other);
		if (!err && strcmp(other.name, name))
			return fail(EEXIST, "%s is already host %s's key",
				    quoted(key_text(want->at[which].octet)), quoted(other.name));
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

int host_key_check(const struct tsw *t, const struct tsw_host *host,
		   const struct tsw_key_list *want)
{
	int err;

	if ((!want || !want->n) && crypt_is_on(t) && !is_mixed(t))
		return fail(ENOKEY,
			    "host %s needs a key, because the switch encrypts: key KEY, from "
			    "switch show there; or: tsw switch set encrypt wireguard,mixed",
			    quoted(host->name));
	if (!want)
		return 0;
	err = check_own(t, want);
	return err ?: check_others(t, host->name, want);
}

void host_key_plan(const struct tsw *t, struct tsw_host *host, struct tsw_host_keys *keys,
		   const struct tsw_key_list *want)
{
	static const struct tsw_key_list none;

	host_keys_plan(host, keys, want ? want : &none, !crypt_is_on(t));
	host->flags &= (__u16)~TSW_HOST_CLEAR;
	if (is_mixed(t) && !host_has_key(keys))
		host->flags |= TSW_HOST_CLEAR;
}

int host_key_put(const struct tsw *t, __u32 id, const struct tsw_host_keys *keys)
{
	return host_has_key(keys) ? map_put(&t->maps, MAP_HOST_KEYS, &id, keys)
				  : map_del_any(&t->maps, MAP_HOST_KEYS, &id);
}
