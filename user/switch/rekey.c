// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/key.h"
#include "record/host_keys.h"
#include "store/config.h"
#include "switch/rekey.h"
#include "switch/session.h"
#include "wire/crypt.h"

enum { LOOK_MS = 100 };

/* Hosts that have not shaken hands with the newest key. */
static json_t *missing(const struct crypt *c)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < c->hosts.n; i++)
		if (host_has_key(&c->host_keys[i]) &&
		    !crypt_handshake(c, own_keys_newest(&c->keys), i))
			json_array_append_new(list, json_text(c->hosts.row[i].host.name));
	return list;
}

static int read_result(const struct tsw *t, json_t **result)
{
	cleanup_crypt struct crypt c = {};
	int err = crypt_read(t, &c);
	const char *state = "waiting";

	if (err)
		return err;
	if (own_keys_used(&c.keys) == own_keys_newest(&c.keys))
		state = c.keys.n == 1 ? "done" : "used";
	json_decref(*result);
	*result = json_pack("{s:s, s:s, s:o}", "key", key_text(c.keys.at[c.keys.n - 1].public),
			    "state", state, "missing", missing(&c));
	return 0;
}

/* Refuses a switch without keys. */
static int read_keys(const struct tsw *t, struct crypt *c)
{
	int err = crypt_is_on(t) ? crypt_read(t, c)
				 : fail(EINVAL, "the switch does not encrypt: run tsw switch set "
						"encrypt wireguard first");

	/* crypt_mend() has said why */
	return err || c->keys.n ? err : fail(ENOENT, "the switch has no key: run switch check");
}

static bool waits(const struct crypt *c)
{
	json_t *list = missing(c);
	const bool some = json_array_size(list);

	json_decref(list);
	return some;
}

/*
 * *LEFT: it waits for hosts. FIRST: the first step of this call. Only that makes a key, unless this
 * call has just completed an earlier change.
 */
static int step(struct tsw *t, bool first, bool force, bool *left)
{
	cleanup_crypt struct crypt c = {};
	int err = read_keys(t, &c);

	*left = false;
	if (err)
		return err;
	if (c.keys.n == 1)
		return first && !t->key_over ? crypt_begin_rekey(t) : 0;
	if (own_keys_used(&c.keys) == own_keys_newest(&c.keys))
		return 0;
	*left = waits(&c);
	return *left && !force ? 0 : crypt_use_newest(t);
}

/* Takes a second step at once, because without hosts nobody has to learn the new key. */
static int go_on(struct tsw *t, bool first, bool force, bool *left)
{
	int err = session_open(t);

	err = err ?: step(t, first, force, left);
	if (!err && first)
		err = step(t, false, force, left);
	return err;
}

int switch_rekey(struct tsw *t, __u32 wait, bool force, json_t **result)
{
	const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + wait * SECOND_NS;
	const bool will_write = t->will_write;
	bool left = true, first = true;
	int err = 0;

	*result = NULL;
	session_leave(t);
	t->will_write = true;
	for (; !err && left; first = false) {
		err = go_on(t, first, force, &left);
		err = err ?: read_result(t, result);
		if (err || !left || clock_ns(CLOCK_MONOTONIC) >= end)
			break;
		session_close(t);
		nanosleep(&moment, NULL);
	}
	session_restore(t, will_write);
	t->key_over = false;
	if (err)
		json_decref(*result);
	return err;
}

/* Whoever opens the switch for writing drops the old key then. */
static void drop_idle(struct crypt *c)
{
	struct own_keys *keys = &c->keys;

	if (crypt_is_idle(c))
		*keys = (struct own_keys){.at = {keys->at[keys->n - 1]}, .n = 1};
}

int switch_rekey_look(struct tsw *t, bool force, struct crypt *c)
{
	struct own_keys *keys = &c->keys;
	unsigned int newest;
	int err = session_open(t);

	err = err ?: config_check_netns(t);
	err = err ?: read_keys(t, c);
	if (err)
		return err;
	newest = own_keys_newest(keys);
	if (keys->n == 1)
		keys->at[keys->n++] = (struct own_key){.public = {!newest}};
	if (own_keys_used(keys) != own_keys_newest(keys) && (force || !waits(c)))
		keys->used = keys->n - 1;
	drop_idle(c);
	return 0;
}
