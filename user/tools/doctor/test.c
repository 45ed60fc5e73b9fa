// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/ended.h"
#include "cmd/cmd.h"
#include "object/spec.h"
#include "object/trial.h"
#include "record/counters.h"
#include "record/hosts.h"
#include "rules/rules.h"
#include "switch/session.h"
#include "tools/doctor/pair.h"
#include "tools/doctor/path.h"
#include "tools/doctor/report.h"
#include "wire/mtu.h"

enum { SHORT = 64, MTU_UNKNOWN = 1280 };

/* ---- other hosts --------------------------------------------------------------------- */

/* Which encapsulations tenants of this switch use. */
static int used_encaps(const struct tsw *t, bool used[TSW_ENCAPS])
{
	cleanup_tenants struct tenants all = {};
	size_t i;
	int err = tenants_read(t, &all);

	for (i = 0; !err && i < all.n; i++)
		used[all.row[i].tenant.encap % TSW_ENCAPS] = true;
	return err;
}

static void tell_encap(struct report *r, const char *name, const char *encap, bool used)
{
	char why[160];

	snprintf(why, sizeof(why),
		 used ? "it answers, but not by %s, which tenants here use: something between "
			"drops it"
		      : "it answers, but not by %s, which no tenant here uses",
		 encap);
	report_about(r, used ? FAIL : WARN, "encap", "silent_encap", name, why);
}

static void tell_host(struct report *r, const char *name, const struct path *p,
		      const bool used[TSW_ENCAPS])
{
	char why[256];
	int encap;

	if (!p->took) {
		report_about(r, FAIL, "host", "silent_host", name,
			     "it does not answer through the tunnel");
		return;
	}
	snprintf(why, sizeof(why), "it answers in %llu us by%s%s",
		 (unsigned long long)(p->took / 1000 + 1),
		 p->passes[TSW_ENCAP_VXLAN] ? " vxlan" : "",
		 p->passes[TSW_ENCAP_GRE] ? " gre" : "");
	report_about(r, OK, "host", NULL, name, why);
	for (encap = 0; encap < REACH_ENCAPS; encap++)
		if (!p->passes[encap])
			tell_encap(r, name, encap == TSW_ENCAP_GRE ? "gre" : "vxlan",
				   used[encap] ||
					   (encap == TSW_ENCAP_VXLAN && used[TSW_ENCAP_GENEVE]));
	if (p->fits == p->mtu) {
		snprintf(why, sizeof(why), "packets of %u octets pass, there and back", p->mtu);
		report_about(r, OK, "mtu", NULL, name, why);
		return;
	}
	snprintf(why, sizeof(why),
		 "packets of %u octets get lost on the way there or back; the longest that pass "
		 "have %u",
		 p->mtu, p->fits);
	report_about(r, p->mtu ? FAIL : WARN, "mtu", "path_mtu", name, why);
}

/* The value of `host`, or an empty name for all hosts. */
static int asked_host(const struct words *w, struct tsw_name *host)
{
	char *const *at;
	int err = 0;

	*host = (struct tsw_name){};
	if (!(w->given & FIELD(OPTION_HOST)))
		return 0;
	for (at = w->all; !err && *at; at += 2)
		err = *host->s ? misuse("\"host\" is given twice") : parse_known_name(at[1], host);
	return err;
}

static int test_hosts(struct report *r, const char *name)
{
	const struct tsw *t = &r->cli->tsw;
	cleanup_hosts struct hosts all = {};
	bool used[TSW_ENCAPS] = {};
	struct path *paths;
	size_t i, told = 0;
	int err = hosts_read(t, &all);

	err = err ?: used_encaps(t, used);
	if (err)
		return err;
	paths = calloc(all.n + 1, sizeof(*paths));
	if (!paths)
		return fail_memory();
	for (i = 0; i < all.n; i++)
		told += !*name || !strcmp(all.row[i].host.name, name);
	err = told || !*name ? paths_find(t, &all, name, paths) : rule_missing("host", name);
	for (i = 0; !err && i < all.n; i++)
		if (!*name || !strcmp(all.row[i].host.name, name))
			tell_host(r, all.row[i].host.name, &paths[i], used);
	if (!err && !all.n)
		report_add(r, OK, "hosts", NULL, "this switch has no other hosts");
	free(paths);
	return err;
}

/* ---- two endpoints of its own -------------------------------------------------------- */

static int add_endpoint(struct tsw *t, const struct pair *p, const char *name)
{
	struct tsw_endpoint_spec spec = {.tenant = trial_name, .mac = p->mac, .ip.n = TSW_FAMILIES};

	snprintf(spec.name.s, sizeof(spec.name.s), "%s", name);
	memcpy(spec.dev, p->dev, sizeof(spec.dev));
	memcpy(spec.ip.at, p->ip, sizeof(p->ip));
	return spec_endpoint(t, &spec,
			     FIELD(ENDPOINT_TENANT) | FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_IP) |
				     FIELD(ENDPOINT_DEV),
			     SPEC_ADD);
}

/* True: it went both ways. */
static bool exchange(struct report *r, const struct pair pair[2], enum tsw_family family, __u32 len)
{
	const char *ip = family_text(family);
	unsigned int i;

	if (pair[0].socket[family] < 0 || pair[1].socket[family] < 0) {
		report_add(r, OK, "endpoints", NULL, "this kernel has no %s", ip);
		return true;
	}
	for (i = 0; i < 2; i++) {
		if (pair_carries(&pair[i], &pair[!i], family, len))
			continue;
		report_add(r, FAIL, "endpoints", "tsw doctor, then tsw monitor drops",
			   "%s packets of %u octets do not get from one endpoint of this host to "
			   "another",
			   ip, len);
		return false;
	}
	report_add(r, OK, "endpoints", NULL, "%s packets of %u octets pass, there and back", ip,
		   len);
	return true;
}

/* The rest says nothing where short packets get lost. */
static void exchange_all(struct report *r, const struct pair pair[2], __u32 mtu)
{
	bool passes = exchange(r, pair, TSW_IPV4, SHORT);

	passes = passes && exchange(r, pair, TSW_IPV4, mtu);
	passes = passes && exchange(r, pair, TSW_IPV6, mtu);
	if (!passes)
		return;
	if (pair_carries_foreign(&pair[0], &pair[1]))
		report_add(r, FAIL, "guard", "tsw switch repair",
			   "a packet from an address that is not the endpoint's arrives");
	else
		report_add(r, OK, "guard", NULL,
			   "a packet from an address that is not the endpoint's is dropped");
}

/* Holds the switch's lock, so that no other command takes this test's tenant for a leftover. */
static int try_pair(struct report *r, struct pair pair[2])
{
	struct tsw *t = &r->cli->tsw;
	__u32 mtu = 0;
	int err = tenant_mtu_limit(t, TSW_ENCAP_VXLAN, &mtu);

	mtu = mtu ?: MTU_UNKNOWN;
	err = err ?: pair_make(pair, mtu);
	err = err ?: trial_add(t);
	if (err)
		return err;
	err = add_endpoint(t, &pair[0], "a");
	err = err ?: add_endpoint(t, &pair[1], "b");
	err = err ?: pair_start(pair);
	if (!err)
		exchange_all(r, pair, mtu);
	if (err) {
		const struct failure why = *failure();

		trial_del(t);
		return fail_again(&why);
	}
	return trial_del(t);
}

static void test_endpoints(struct report *r)
{
	struct tsw *t = &r->cli->tsw;
	const bool will_write = t->will_write;
	struct pair pair[2] = {{.ns = -1, .socket = {-1, -1}, .foreign = -1},
			       {.ns = -1, .socket = {-1, -1}, .foreign = -1}};
	int err;

	if (!will_write)
		session_leave(t);
	t->will_write = true;
	err = session_open(t);
	err = err ?: try_pair(r, pair);
	if (err)
		report_add(r, err == -EPERM ? WARN : FAIL, "endpoints",
			   err == -EPERM ? "sudo tsw test" : "tsw doctor", "not tried: %s",
			   failure()->text);
	pair_end(pair);
	session_restore(t, will_write);
}

int cmd_test(struct cli *cli, const struct words *w)
{
	struct report r = {cli, json_array()};
	struct tsw_name host;
	int err;

	ended_catch(); /* what is made is removed again, also after a signal */
	err = asked_host(w, &host);
	err = err ?: test_hosts(&r, host.s);
	if (err) {
		json_decref(r.rows);
		return err;
	}
	if (ended_asked())
		report_add(&r, FAIL, "endpoints", NULL, "not tried: interrupted");
	else
		test_endpoints(&r);
	report_print(&r);
	return 0;
}
