// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/key.h"
#include "record/host_keys.h"

int host_keys_get(const struct tsw *t, __u32 id, struct tsw_host_keys *keys)
{
	return map_get_or_zero(&t->maps, MAP_HOST_KEYS, &id, keys);
}

unsigned int host_keys_used(const struct tsw_host *host)
{
	return !!(host->flags & TSW_HOST_ODD);
}

bool host_has_key(const struct tsw_host_keys *keys)
{
	return !key_is_none(keys->key[0]) || !key_is_none(keys->key[1]);
}

static void append(struct tsw_key_list *list, const __u8 key[TSW_CRYPT_KEY])
{
	if (!key_is_none(key))
		memcpy(list->at[list->n++].octet, key, TSW_CRYPT_KEY);
}

void host_keys_list(const struct tsw_host *host, const struct tsw_host_keys *keys,
		    struct tsw_key_list *list)
{
	const unsigned int used = host_keys_used(host);
	const unsigned int last = host->flags & TSW_HOST_COMING ? !used : used;

	*list = (struct tsw_key_list){};
	append(list, keys->key[!last]);
	append(list, keys->key[last]);
}

static unsigned int parity(const struct tsw_key *key)
{
	return TSW_CRYPT_PARITY(key->octet);
}

static void use(struct tsw_host *host, unsigned int odd)
{
	host->flags |= odd ? TSW_HOST_ODD : 0;
}

void host_keys_plan(struct tsw_host *host, struct tsw_host_keys *keys,
		    const struct tsw_key_list *want, bool now)
{
	const struct tsw_key *newest = want->n ? &want->at[want->n - 1] : NULL;
	const unsigned int old = host_keys_used(host);
	const struct tsw_host_keys was = *keys;
	const __u8 *used = was.key[old];
	__u32 i;

	host->flags &= (__u16)~HOST_KEY_FLAGS;
	*keys = (struct tsw_host_keys){};
	for (i = 0; i < want->n; i++)
		memcpy(keys->key[parity(&want->at[i])], want->at[i].octet, TSW_CRYPT_KEY);
	if (!newest)
		return;
	if (want->n == TSW_CRYPT_PARITIES)
		host->flags |= TSW_HOST_BOTH;
	if (key_equal(newest->octet, used)) {
		use(host, old);
	} else if (want->n == TSW_CRYPT_PARITIES) { /* the older until a handshake */
		use(host, parity(&want->at[0]));
		host->flags |= TSW_HOST_COMING;
	} else if (now || key_is_none(used) || parity(newest) == old) {
		use(host, parity(newest));
	} else {
		memcpy(keys->key[old], used, TSW_CRYPT_KEY);
		use(host, old);
		host->flags |= TSW_HOST_COMING;
	}
}
