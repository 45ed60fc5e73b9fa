// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/spell.h"
#include "base/text.h"
#include "state/json.h"
#include "state/policy.h"
#include "state/report.h"

enum { NAME_ROOM = 3 * TSW_NAME_LEN };

static const char *const whats[] = {"add", "set", "del"};
static const char *const objects[] = {
	[OBJECT_HOST] = "host",		[OBJECT_TENANT] = "tenant",   [OBJECT_GROUP] = "group",
	[OBJECT_ENDPOINT] = "endpoint", [OBJECT_GATEWAY] = "gateway", [OBJECT_PUBLISH] = "publish",
	[OBJECT_PEER] = "peer",		[OBJECT_POLICY] = "policy",   [OBJECT_SWITCH] = "switch",
};

static const char *object_name(const struct state *s, const struct change *c, __u32 i)
{
	static _Thread_local char text[NAME_ROOM];
	const struct state_publish *p;

	switch (c->object) {
	case OBJECT_SWITCH:
	case OBJECT_HOST:
		return s->host[i].spec.name.s;
	case OBJECT_TENANT:
	case OBJECT_GATEWAY:
		return s->tenant[i].spec.name.s;
	case OBJECT_ENDPOINT:
		snprintf(text, sizeof(text), "%s/%s", s->tenant[s->endpoint[i].tenant].spec.name.s,
			 s->endpoint[i].name.s);
		return text;
	case OBJECT_PUBLISH:
		p = &s->publish[i];
		snprintf(text, sizeof(text), "%s/%s/%u%s", s->tenant[p->tenant].spec.name.s,
			 word_protos[p->spec.proto], p->spec.port,
			 addr_is_v4(&p->spec.to.addr) ? "" : "/ipv6");
		return text;
	case OBJECT_GROUP:
		snprintf(text, sizeof(text), "%s/%s", s->tenant[s->group[i].tenant].spec.name.s,
			 s->group[i].name.s);
		return text;
	case OBJECT_POLICY:
		snprintf(text, sizeof(text), "%s/%s", s->tenant[s->policy[i].tenant].spec.name.s,
			 s->policy[i].spec.name.s);
		return text;
	}
	snprintf(text, sizeof(text), "%s/%s", s->tenant[s->peer[i].tenant].spec.name.s,
		 s->tenant[s->peer[i].with].spec.name.s);
	return text;
}

static json_t *object_json(const struct state *s, const struct change *c, __u32 i)
{
	json_t *o, *host;

	switch (c->object) {
	case OBJECT_SWITCH:
		o = state_switch_json(&s->host[i].up);
		host = state_host_json(s, i);
		json_object_set(o, "ip", json_object_get(host, "ip"));
		json_decref(host);
		return o;
	case OBJECT_HOST:
		return state_host_json(s, i);
	case OBJECT_TENANT:
		return state_tenant_json(s, i);
	case OBJECT_ENDPOINT:
		return state_endpoint_json(s, i);
	case OBJECT_GATEWAY:
		return state_gateway_json(s, i);
	case OBJECT_PUBLISH:
		return state_publish_json(s, i);
	case OBJECT_GROUP:
		return json_object();
	case OBJECT_POLICY:
		return state_policy_json(s, i);
	}
	return state_peer_json(s, i);
}

/* Whether the key's value is a part of the object's name in reports. */
static bool is_named(const struct change *c, const char *key)
{
	return !strcmp(key, "name") || (c->object == OBJECT_PEER && !strcmp(key, "tenant")) ||
	       (c->object == OBJECT_PEER && !strcmp(key, "with")) ||
	       (c->object == OBJECT_PUBLISH && strcmp(key, "to"));
}

static json_t *or_null(json_t *value)
{
	return value ? value : json_null();
}

/* Adds the keys of OF that differ: new values to ITEM, old ones to WAS. */
static void add_differing(json_t *item, json_t *was, json_t *have, json_t *want, json_t *of)
{
	const char *key;
	json_t *value, *a, *b;

	json_object_foreach(of, key, value) {
		a = json_object_get(have, key);
		b = json_object_get(want, key);
		if (a && b && json_equal(a, b))
			continue;
		json_object_set(item, key, or_null(b));
		json_object_set(was, key, or_null(a));
	}
}

bool state_add_differing(json_t *item, json_t *have, json_t *want, bool missing)
{
	json_t *was = json_object();
	bool any;

	add_differing(item, was, have, want, want);
	if (missing)
		add_differing(item, was, have, want, have);
	any = json_object_size(was);
	if (any)
		json_object_set(item, "was", was);
	json_decref(was);
	return any;
}

json_t *state_change_json(const struct state *have, const struct state *want,
			  const struct change *c)
{
	const bool gone = c->what == CHANGE_DEL;
	json_t *old = c->what == CHANGE_SET ? object_json(have, c, c->have) : NULL;
	json_t *new = gone ? NULL : object_json(want, c, c->want), *value;
	json_t *item =
		json_pack("{s:s, s:s, s:o}", "change", whats[c->what], "object", objects[c->object],
			  "name",
			  json_text(object_name(gone ? have : want, c, gone ? c->have : c->want)));
	const char *key;

	if (c->what == CHANGE_ADD)
		json_object_foreach(new, key, value)
			if (!is_named(c, key))
				json_object_set(item, key, value);
	/* Settings of the switch that the file lacks may stay. */
	if (c->what == CHANGE_SET)
		state_add_differing(item, old, new, c->object != OBJECT_SWITCH);
	json_decref(old);
	json_decref(new);
	return item;
}

const char *state_change_text(const struct state *have, const struct state *want,
			      const struct change *c)
{
	static _Thread_local char text[NAME_ROOM + 16];
	const bool gone = c->what == CHANGE_DEL;

	snprintf(text, sizeof(text), "%s %s", objects[c->object],
		 object_name(gone ? have : want, c, gone ? c->have : c->want));
	return text;
}

int state_failed(const struct state *have, const struct state *want, const struct changes *c,
		 size_t done)
{
	fail_where("%s: ", escaped(state_change_text(have, want, &c->all[done])));
	fail_more("; %zu of %zu changes were made; apply the file again for the rest", done, c->n);
	return -failure()->code;
}
