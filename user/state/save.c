// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "state/json.h"
#include "state/policy.h"
#include "state/save.h"

struct saving {
	FILE *file;
	const struct state *s;
	size_t flags; /* of json_dumps() */
	bool failed;  /* out of memory */
};

/* Prints and frees the value. OPEN: leaves out its closing brace, because more members follow. */
static void print(struct saving *p, json_t *value, bool open)
{
	char *text = json_dumps(value, p->flags);
	size_t len = text ? strlen(text) : 0;

	json_decref(value);
	if (!text) {
		p->failed = true;
		return;
	}
	if (open && len)
		len--;
	while (open && len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	json_write(p->file, text, "");
	free(text);
}

static void print_hosts(struct saving *p)
{
	json_t *host;
	__u32 i;

	fprintf(p->file, "\"hosts\":[");
	for (i = 0; i < p->s->n_hosts; i++) {
		host = state_host_json(p->s, i);
		if (i == p->s->own)
			json_object_set_new(host, "switch", state_switch_json(&p->s->host[i].up));
		fprintf(p->file, "%s\n ", i ? "," : "");
		print(p, host, false);
	}
	fprintf(p->file, "],\n");
}

static void print_endpoints(struct saving *p, const struct state_tenant *tenant)
{
	json_t *ep;
	size_t i;

	fprintf(p->file, ",\"endpoints\":[");
	for (i = tenant->first; i < tenant->first + tenant->n; i++) {
		ep = state_endpoint_json(p->s, (__u32)i);
		json_object_del(ep, "pending");
		fprintf(p->file, "%s\n  ", i > tenant->first ? "," : "");
		print(p, ep, false);
	}
	fprintf(p->file, "]");
}

/* Leaves out pending ports: a killed command left them half made or half deleted. */
static json_t *publishes(const struct state *s, __u32 tenant, size_t *next)
{
	json_t *list = json_array();

	for (; *next < s->n_publishes && s->publish[*next].tenant == tenant; ++*next)
		if (!s->publish[*next].pending)
			json_array_append_new(list, state_publish_json(s, (__u32)*next));
	return list;
}

/* Adds the part to the tenant and owns it. NULL: adds nothing. */
static void add_part(json_t *tenant, const char *key, json_t *part)
{
	if (part)
		json_object_set_new(tenant, key, part);
}

static void print_tenants(struct saving *p)
{
	json_t *tenant, *part;
	size_t next = 0;
	__u32 i;

	fprintf(p->file, "\"tenants\":[");
	for (i = 0; i < p->s->n_tenants; i++) {
		tenant = state_tenant_json(p->s, i);
		if (p->s->tenant[i].has_gateway) {
			part = state_gateway_json(p->s, i);
			json_object_del(part, "pending");
			json_object_set_new(tenant, "gateway", part);
		}
		add_part(tenant, "groups", state_groups_json(p->s, i));
		add_part(tenant, "policies", state_policies_json(p->s, i));
		part = publishes(p->s, i, &next);
		if (json_array_size(part))
			json_object_set(tenant, "publish", part);
		json_decref(part);
		fprintf(p->file, "%s\n ", i ? "," : "");
		print(p, tenant, true);
		print_endpoints(p, &p->s->tenant[i]);
		fprintf(p->file, "}");
	}
	fprintf(p->file, "],\n");
}

static void print_peers(struct saving *p)
{
	bool first = true;
	__u32 i;

	fprintf(p->file, "\"peers\":[");
	for (i = 0; i < p->s->n_peers; i++) {
		if (p->s->peer[i].pending)
			continue;
		fprintf(p->file, "%s\n ", first ? "" : ",");
		print(p, state_peer_json(p->s, i), false);
		first = false;
	}
	fprintf(p->file, "]");
}

int state_save(FILE *file, const struct state *s, bool pretty)
{
	struct saving p = {.file = file, .s = s, .flags = pretty ? JSON_INDENT(2) : JSON_COMPACT};

	fprintf(file, "{\"format\":%d,\n", STATE_FORMAT);
	print_hosts(&p);
	print_tenants(&p);
	print_peers(&p);
	fprintf(file, "}\n");
	return p.failed ? fail_memory() : 0;
}
