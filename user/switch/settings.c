// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/closed.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "kernel/netns.h"
#include "store/attach.h"
#include "store/closed.h"
#include "store/pins.h"
#include "switch/settings.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

enum { MAX_ENDPOINTS = 65536, MAX_TENANTS = 16384 };

/* A member of a cluster keeps the name with which it joined, also if the machine is renamed. */
static int default_name(const char *instance, struct tsw_name *name)
{
	char host[HOST_NAME_MAX + 1] = "", path[128];
	const char *joined;
	json_t *file;
	int err;

	/* Of member_read() only the name, because a program with the library is no member. */
	snprintf(path, sizeof(path), "/etc/tsw/%s.cluster", instance);
	file = json_load_file(path, 0, NULL);
	joined = json_string_value(json_object_get(file, "host"));
	gethostname(host, sizeof(host) - 1);
	err = parse_name(joined ?: (strcmp(instance, "default") ? instance : host), name);
	json_decref(file);
	return err;
}

int settings_name(const struct tsw *t, const struct tsw_switch_spec *w, char to[TSW_NAME_LEN])
{
	struct tsw_name name = w->name;
	int err = 0;

	if (!(w->given & FIELD(SWITCH_NAME))) {
		err = default_name(t->instance, &name);
		if (err)
			fail_more("; give the host's name with name HOST");
	}
	memcpy(to, name.s, TSW_NAME_LEN);
	return err;
}

static int read_attach(const struct tsw_switch_spec *w, struct tsw_config *c)
{
	bool tcx = attach_has_tcx();

	if (w->given & FIELD(SWITCH_ATTACH) && w->attach != TSW_ASK_ATTACH_AUTO)
		c->flags_asked |= TSW_ASKED_ATTACH;
	if (w->attach == TSW_ASK_ATTACH_TCX && !tcx)
		return fail(EOPNOTSUPP, "this kernel has no tcx, which needs Linux 6.6");
	c->attach = w->attach == TSW_ASK_ATTACH_CLSACT || !tcx ? TSW_ATTACH_CLSACT : TSW_ATTACH_TCX;
	return 0;
}

/* The kernel and the programs tell VXLAN from Geneve by the port. */
static int read_port(const struct tsw_switch_spec *w, struct tsw_config *c)
{
	const __u32 port = w->given & FIELD(SWITCH_PORT) ? w->port : TSW_VXLAN_PORT;

	if (port == TSW_GENEVE_PORT)
		return fail(EINVAL, "port %u is Geneve's: choose another for VXLAN", port);
	c->port = htons((__u16)port);
	return 0;
}

void settings_encrypt(const struct tsw_switch_spec *w, struct tsw_config *c,
		      struct tsw_crypt *crypt)
{
	if (w->given & FIELD(SWITCH_WG_PORT))
		crypt->port = w->wg_port;
	if (!(w->given & FIELD(SWITCH_ENCRYPT)))
		return;
	c->flags &= ~TSW_CFG_ENCRYPT;
	crypt->flags &= ~TSW_CRYPT_MIXED;
	if (w->encrypt != TSW_ASK_ENCRYPT_OFF)
		c->flags |= TSW_CFG_ENCRYPT;
	if (w->encrypt == TSW_ASK_ENCRYPT_MIXED)
		crypt->flags |= TSW_CRYPT_MIXED;
}

int settings_check_encrypt(const struct tsw_config *c)
{
	if (!(c->flags & TSW_CFG_ENCRYPT))
		return 0;
	if (c->xdp_asked == TSW_XDP_NATIVE || c->xdp_asked == TSW_XDP_GENERIC)
		return fail(EINVAL,
			    "xdp %s is not possible with encrypt, because XDP would see encrypted "
			    "frames: use xdp auto or off",
			    xdp_word(c->xdp_asked));
	return wg_check_kernel();
}

enum { WG_PORTS = TSW_CRYPT_PARITIES * TSW_CRYPT_PARITIES };

static bool overlap(const struct tsw_port_range *range, __u32 first, __u32 n)
{
	return range->first < first + n && first <= range->last;
}

int settings_check_ports(const struct tsw_config *c, const struct tsw_crypt *crypt)
{
	const struct tsw_port_range nat = {c->nat_asked_low, c->nat_asked_high};

	if (overlap(&nat, ntohs(c->port), 1) || overlap(&nat, TSW_GENEVE_PORT, 1))
		return fail(EADDRINUSE,
			    "nat-ports %s contains the port of the switch's tunnels: choose "
			    "others",
			    ports_text(&nat));
	if (c->flags & TSW_CFG_ENCRYPT && overlap(&nat, crypt->port, WG_PORTS))
		return fail(EADDRINUSE,
			    "nat-ports %s overlaps WireGuard's ports %u-%u (wg-port): choose "
			    "others for one of them",
			    ports_text(&nat), crypt->port, crypt->port + WG_PORTS - 1);
	return 0;
}

int settings_check_published(const struct tsw_config *c, const struct tsw_crypt *crypt,
			     const struct tsw_publish_key *key)
{
	const struct tsw_port_range nat = {c->nat_asked_low, c->nat_asked_high};
	const struct tsw_port_range port = {key->port, key->port};

	if (overlap(&nat, key->port, 1))
		return fail(EADDRINUSE, "nat-ports %s contains the published port %u",
			    ports_text(&nat), key->port);
	if (c->flags & TSW_CFG_ENCRYPT && key->proto == IPPROTO_UDP &&
	    overlap(&port, crypt->port, WG_PORTS))
		return fail(EADDRINUSE,
			    "udp port %u is published, but WireGuard would use it: choose another "
			    "wg-port",
			    key->port);
	return 0;
}

/*
 * Refuses a switch that encrypted when it was last up, if `encrypt` is not given. A forgotten word
 * must not send frames in the clear.
 */
static int check_forgotten(const struct tsw *t, const struct settings *s)
{
	if (s->encrypt || !key_file_exists(t->instance) || pins_exist(t->instance))
		return 0;
	return fail(EEXIST,
		    "the switch %s encrypted when it was last up, and still has its key: give "
		    "encrypt wireguard or encrypt off",
		    quoted(t->instance));
}

int settings_read(struct tsw *t, const struct tsw_switch_spec *w, struct settings *s)
{
	struct tsw_config *c = &s->config;
	int err;

	memset(s, 0, sizeof(*s));
	s->local = w->given & FIELD(SWITCH_LOCAL);
	if (!s->local)
		c->flags_asked |= TSW_ASKED_NO_LOCAL;
	s->name = w->given & FIELD(SWITCH_NAME);
	s->zone = w->given & FIELD(SWITCH_ZONE);
	s->nat_ports = w->given & FIELD(SWITCH_NAT_PORTS);
	s->closed = w->given & FIELD(SWITCH_CLOSED);
	s->close = w->closed;
	c->nat_asked_low = (__u16)w->nat_ports.first;
	c->nat_asked_high = (__u16)w->nat_ports.last;
	memcpy(c->zone, w->zone.s, sizeof(c->zone));
	c->xdp_asked = xdp_asked(w);
	s->encrypt = w->given & FIELD(SWITCH_ENCRYPT);
	s->wg_port = w->given & FIELD(SWITCH_WG_PORT);
	s->crypt.port = TSW_CRYPT_PORT;
	settings_encrypt(w, c, &s->crypt);
	err = settings_check_encrypt(c);
	err = err ?: check_forgotten(t, s);
	err = err ?: read_port(w, c);
	err = err ?: settings_check_ports(c, &s->crypt);
	err = err ?: underlay_read_devs(t, w, c);
	err = err ?: underlay_read_locals(w, c);
	err = err ?: settings_name(t, w, c->name);
	err = err ?: read_attach(w, c);
	err = err ?: netns_inode(&c->netns);
	c->nsid = -1;
	if (err)
		return err;
	c->max_endpoints =
		w->given & FIELD(SWITCH_MAX_ENDPOINTS) ? w->max_endpoints : MAX_ENDPOINTS;
	c->max_tenants = w->given & FIELD(SWITCH_MAX_TENANTS) ? w->max_tenants : MAX_TENANTS;
	return 0;
}

static bool same_devices(const struct tsw_config *a, const struct tsw_config *b)
{
	unsigned int n = underlay_staying(a), i;

	if (n != underlay_staying(b))
		return false;
	for (i = 0; i < n; i++)
		if (a->underlay[i].ifindex != b->underlay[i].ifindex)
			return false;
	return true;
}

static bool same_encryption(const struct tsw_config *have, const struct tsw_crypt *crypt,
			    const struct settings *s)
{
	return !((have->flags ^ s->config.flags) & TSW_CFG_ENCRYPT) &&
	       (!(have->flags & TSW_CFG_ENCRYPT) || crypt->flags == s->crypt.flags);
}

int settings_compare(const struct tsw *t, const struct settings *s)
{
	const struct tsw_config *have = &t->config, *want = &s->config;
	const __u32 zero = 0;
	struct tsw_closed_list closed;
	struct tsw_crypt crypt;
	int err = map_get(&t->maps, MAP_CRYPT, &zero, &crypt) ?: closed_load(t, &closed);
	const struct {
		const char *word;
		bool differs;
	} all[] = {
		{"dev", !same_devices(have, want)},
		{"local", s->local && memcmp(have->local, want->local, sizeof(have->local))},
		{"name", s->name && strcmp(have->name, want->name) != 0},
		{"port", have->port != want->port},
		{"xdp", have->xdp_asked != want->xdp_asked},
		{"attach", (have->flags_asked ^ want->flags_asked) & TSW_ASKED_ATTACH ||
				   have->attach != want->attach},
		{"max-endpoints", have->max_endpoints != want->max_endpoints},
		{"max-tenants", have->max_tenants != want->max_tenants},
		{"nat-ports", s->nat_ports && (have->nat_asked_low != want->nat_asked_low ||
					       have->nat_asked_high != want->nat_asked_high)},
		{"closed", s->closed && !closed_equal(&closed, &s->close)},
		{"zone", s->zone && strcmp(have->zone, want->zone) != 0},
		{"encrypt", s->encrypt && !same_encryption(have, &crypt, s)},
		{"wg-port", s->wg_port && crypt.port != s->crypt.port},
	};
	char list[128] = "";
	size_t i, used = 0;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].differs)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", all[i].word);
	if (err || !used)
		return err;
	return fail(EEXIST, "the switch %s is up with other settings (%s): take it down first",
		    quoted(t->instance), list);
}
