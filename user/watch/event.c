// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hidden.h"
#include "base/json.h"
#include "base/text.h"
#include "watch/event.h"
#include "watch/watch.h"

static const char *const points[] = {
	[TSW_POINT_IN] = "in",	   [TSW_POINT_OUT] = "out",   [TSW_POINT_COPY] = "copy",
	[TSW_POINT_DROP] = "drop", [TSW_POINT_RULE] = "rule",
};

enum { POINTS = sizeof(points) / sizeof(points[0]) };

/* Does the event show the frame as it came in? */
static bool is_before(const struct tsw_event *event)
{
	return event->point == TSW_POINT_IN || event->point == TSW_POINT_DROP ||
	       event->point == TSW_POINT_RULE;
}

void event_dissect(const struct names *names, const struct tsw_event *event, const __u8 *frame,
		   struct dissected *d)
{
	/* Frames from and to the underlay have outer headers. */
	bool tunnel = event->direction == TSW_DIR_FROM_TUNNEL;

	if (!is_before(event) && event->direction != TSW_DIR_FROM_TUNNEL)
		tunnel = event->ifindex != names->t->config.gateway;
	dissect(frame, event->captured, &names->t->config, tunnel, d);
}

/* The endpoint by its port if the event has one, otherwise by the frame's MACs. */
static const char *endpoint_of(const struct names *names, const struct tsw_event *event,
			       const struct layers *l)
{
	const char *name = NULL;

	if (event->direction == TSW_DIR_FROM_ENDPOINT && is_before(event))
		return name_of_port(names, event->ifindex);
	if (event->direction == TSW_DIR_TO_ENDPOINT ||
	    (event->point == TSW_POINT_OUT && event->end == TSW_END_ANSWERED))
		name = name_of_port(names, event->ifindex);
	if (!name && l->eth && event->direction == TSW_DIR_FROM_ENDPOINT)
		name = name_of_endpoint(names, event->tenant, &l->src);
	if (!name && l->eth)
		name = name_of_endpoint(names, event->tenant, &l->dst);
	if (!name && l->eth)
		name = name_of_endpoint(names, event->tenant, &l->src);
	return name;
}

struct target {
	const char *kind;
	const char *name; /* or NULL */
};

/* The target by the device to which the frame was sent: a port, tsw-gw, or an underlay. */
static struct target sent_to(const struct names *names, const struct tsw_event *event,
			     const struct dissected *d)
{
	const char *name = name_of_port(names, event->ifindex);

	if (name)
		return (struct target){"endpoint", name};
	if (event->ifindex == names->t->config.gateway)
		return (struct target){"gateway", NULL};
	if (d->outer)
		return (struct target){"host", name_of_host(names, &d->way.to)};
	if (d->of.eth)
		name = name_of_home(names, event->tenant, &d->of.dst);
	return (struct target){"host", name};
}

static struct target target_of(const struct names *names, const struct tsw_event *event,
			       const struct dissected *d)
{
	if (event->point == TSW_POINT_COPY)
		return sent_to(names, event, d);
	switch (event->end) {
	case TSW_END_STACK:
		return (struct target){"kernel", NULL};
	case TSW_END_COPIED:
		return (struct target){"all", NULL};
	case TSW_END_ANSWERED:
		return (struct target){"sender", NULL};
	}
	return sent_to(names, event, d);
}

/* Adds a policy's rule and verdict. */
static void add_rule(json_t *facts, const struct names *names, const struct tsw_event *event)
{
	const char *verdict = event->reason ? "audited" : "allowed";

	if (event->point == TSW_POINT_RULE)
		json_object_set_new(facts, "verdict", json_string(verdict));
	if (event->point == TSW_POINT_RULE || event->reason == TSW_DROP_POLICY_DENIED)
		json_object_set_new(
			facts, "rule",
			json_text_or_null(name_of_rule(names, event->tenant, event->rule)));
}

json_t *event_facts(const struct names *names, const struct tsw_event *event,
		    const struct dissected *d)
{
	json_t *facts = json_pack("{s:s, s:o, s:o, s:s}", "event",
				  event->point < POINTS ? points[event->point] : "unknown",
				  "tenant", json_text_or_null(name_of_tenant(names, event->tenant)),
				  "endpoint", json_text_or_null(endpoint_of(names, event, &d->of)),
				  "direction", drop_direction(event->direction));
	struct target to;

	if (event->reason)
		json_object_set_new(facts, "reason", json_string(drop_reason(event->reason)));
	add_rule(facts, names, event);
	if (event->point == TSW_POINT_OUT || event->point == TSW_POINT_COPY) {
		to = target_of(names, event, d);
		json_object_set_new(facts, "to", json_string(to.kind));
		if (to.name)
			json_object_set_new(facts, to.kind[0] == 'h' ? "host" : "receiver",
					    json_text(to.name));
	}
	if (event->frame)
		json_object_set_new(facts, "frame", json_integer((json_int_t)event->frame));
	return facts;
}

void event_text(const json_t *facts, char *text, size_t len)
{
	const char *key;
	json_t *value;
	size_t used = 0;

	*text = '\0';
	json_object_foreach((json_t *)facts, key, value) {
		if (json_is_null(value) || used >= len)
			continue;
		used += (size_t)snprintf(text + used, len - used, "%s%s ", used ? " " : "", key);
		if (used >= len)
			break;
		if (json_is_integer(value))
			used += (size_t)snprintf(text + used, len - used, "%" JSON_INTEGER_FORMAT,
						 json_integer_value(value));
		else
			used += strlen(
				hidden_shown(json_string_value(value), text + used, len - used));
	}
}

static int add_ip(json_t *facts, const struct layers *l)
{
	int err = 0;

	if (l->ip)
		err = json_object_update_new(facts,
					     json_pack("{s:s, s:s}", "src", addr_text(&l->from),
						       "dst", addr_text(&l->to)));
	if (!err && l->has_proto)
		err = json_object_set_new(facts, "proto", json_string(ip_proto_text(l->proto)));
	if (!err && l->ports)
		err = json_object_update_new(facts, json_pack("{s:i, s:i}", "sport", l->sport,
							      "dport", l->dport));
	return err;
}

/* Adds the frame's headers, and the outer ones. */
static int add_frame(json_t *facts, const struct names *names, const struct dissected *d)
{
	const struct layers *l = &d->of;
	int err = 0;

	if (l->eth)
		err = json_object_update_new(
			facts, json_pack("{s:s, s:s, s:s}", "src_mac", mac_text(&l->src), "dst_mac",
					 mac_text(&l->dst), "type", ethertype_text(l->type)));
	err = err ?: add_ip(facts, l);
	if (!err && d->outer)
		err = json_object_update_new(
			facts, json_pack("{s:s, s:s, s:o}", "outer_src", addr_text(&d->way.from),
					 "outer_dst", addr_text(&d->way.to), "sender",
					 json_text_or_null(name_of_host(names, &d->way.from))));
	return err;
}

json_t *event_json(const struct names *names, const struct tsw_event *event, const __u8 *frame)
{
	struct dissected d;
	char time[64];
	json_t *line;
	int err;

	clock_text(event->time + watch_clock(), time, sizeof(time));
	event_dissect(names, event, frame, &d);
	line = json_pack("{s:s}", "time", time);
	err = json_object_update_new(line, event_facts(names, event, &d));
	if (!err && event->ifindex) /* 0: copies for several devices */
		err = json_object_set_new(line, "device",
					  json_text(name_of_device(names, event->ifindex)));
	err = err ?: add_frame(line, names, &d);
	err = err ?: json_object_set_new(line, "length", json_integer(event->length));
	if (!err)
		return line;
	json_decref(line);
	fail_memory();
	return NULL;
}

json_t *event_vip_json(const struct names *names, const struct tsw_addr_key *key,
		       const struct tsw_taken *taken)
{
	struct tsw_mac mac;
	char time[64];
	json_t *line;

	memcpy(&mac, &taken->mac, sizeof(mac));
	clock_text(taken->at + watch_clock(), time, sizeof(time));
	line = json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:I, s:b}", "time", time, "event", "vip",
			 "tenant", json_text_or_null(name_of_tenant(names, key->tenant)),
			 "endpoint", json_text_or_null(name_of_endpoint(names, key->tenant, &mac)),
			 "mac", mac_text(&mac), "address", addr_text(&key->addr), "changes",
			 (json_int_t)taken->changes, "contested",
			 taken->recent >= TSW_TAKEN_CONTESTED);
	if (!line)
		fail_memory();
	return line;
}
