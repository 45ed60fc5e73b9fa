// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "cluster/host_index.h"

enum { HOSTS = 4 }; /* before and after: where the endpoint lives, and where it moves to */

json_t *host_index_device(const char *value)
{
	json_t *index = json_loads(value, JSON_REJECT_DUPLICATES, NULL);
	json_t *device = json_object_get(index, "dev");

	device = json_is_string(device) ? json_incref(device) : NULL;
	json_decref(index);
	return device;
}

char *host_index_text(const json_t *device)
{
	json_t *index = json_object();
	char *text;

	if (device)
		json_object_set(index, "dev", (json_t *)device);
	text = json_dumps(index, JSON_COMPACT);
	json_decref(index);
	if (!text)
		fail_memory();
	return text;
}

/* EP's device on HOST, or "" if it is not known. NULL: EP is not on HOST. */
static const char *device_at(const struct tsw_endpoint_spec *ep, const char *host)
{
	if (ep && !strcmp(ep->host.s, host))
		return ep->dev;
	return ep && !strcmp(ep->to_host.s, host) ? ep->to_dev : NULL;
}

static void add_host(const char *hosts[HOSTS], size_t *n, const char *host)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (!strcmp(hosts[i], host))
			return;
	if (*host)
		hosts[(*n)++] = host;
}

static size_t find_hosts(const char *hosts[HOSTS], const struct tsw_endpoint_spec *old,
			 const struct tsw_endpoint_spec *want)
{
	const struct tsw_endpoint_spec *const both[] = {want, old};
	size_t n = 0, i;

	for (i = 0; i < sizeof(both) / sizeof(*both); i++) {
		if (!both[i])
			continue;
		add_host(hosts, &n, both[i]->host.s);
		add_host(hosts, &n, both[i]->to_host.s);
	}
	return n;
}

/* Makes the entry SEEN name DEVICE. LOOKED: SEEN was read. True: it names DEVICE already. */
static bool put(struct change *c, const struct seen *seen, const char *device, bool looked)
{
	json_t *want = *device ? json_text(device) : NULL;
	json_t *is = seen->value ? host_index_device(seen->value) : NULL;
	const bool same = seen->value && (is ? json_equal(is, want) : !want);
	char *text = host_index_text(want);

	if (same)
		change_check(c, seen->key, seen->modified);
	else if (!text)
		c->err = -ENOMEM;
	else if (looked)
		change_put(c, seen->key, text, seen->modified);
	else
		change_write(c, seen->key, text, 0);
	free(text);
	json_decref(want);
	json_decref(is);
	return same;
}

int host_index_change(const struct records *r, struct change *c, __u32 id,
		      const struct tsw_endpoint_spec *old, const struct tsw_endpoint_spec *want)
{
	const char *hosts[HOSTS], *name = want ? want->name.s : old->name.s, *device;
	const size_t n = find_hosts(hosts, old, want);
	const bool looks = old && want;
	cleanup_look struct look look = {};
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		look_at(&look, r, "at/%s/%u/%s", hosts[i], id, name);
	err = looks ? look_read(r, &look) : look.err;
	for (i = 0; !err && i < n; i++) {
		device = device_at(want, hosts[i]);
		if (device ? put(c, &look.at[i], device, looks) : looks && !look.at[i].value)
			continue;
		if (!device)
			change_clear(c, look.at[i].key, NULL);
		record_pulse(r, c, "at/%s/", hosts[i]);
	}
	return err;
}
