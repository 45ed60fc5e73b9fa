// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/hosts.h"
#include "record/tenant_find.h"
#include "record/counters.h"
#include "rules/rules.h"
#include "tools/doctor/hosts.h"
#include "tools/doctor/path.h"

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

static void tell_encap(struct report *r, const char *name, int encap, bool used)
{
	char why[160], what[32] = "IP protocol 47";

	if (encap != TSW_ENCAP_GRE)
		snprintf(what, sizeof(what), "UDP port %u", ntohs(r->cli->tsw.config.port));
	snprintf(why, sizeof(why),
		 used ? "it answers, but not by %s, which tenants here use: something between "
			"drops %s"
		      : "it answers, but not by %s, which no tenant here uses",
		 encap == TSW_ENCAP_GRE ? "gre" : "vxlan", what);
	report_about(r, used ? FAIL : WARN, "encap", "silent_encap", name, why);
}

static void tell_silent(struct report *r, const struct tsw_host *host)
{
	char why[256];

	snprintf(why, sizeof(why),
		 "it does not answer at %s through the tunnel: it or its switch is down, it has "
		 "another address or does not know this host, or something drops tunnel frames",
		 addr_text(&host->addr[host->family & 1]));
	report_about(r, FAIL, "host", "silent_host", host->name, why);
}

/* BRIEF, for `doctor`: only what is wrong. A whole packet was tried, but no length searched. */
static void tell_host(struct report *r, const char *name, const struct path *p,
		      const bool used[TSW_ENCAPS], bool brief)
{
	char why[256];
	int encap;

	snprintf(why, sizeof(why), "it answers in %llu us by%s%s",
		 (unsigned long long)(p->took / 1000 + 1),
		 p->passes[TSW_ENCAP_VXLAN] ? " vxlan" : "",
		 p->passes[TSW_ENCAP_GRE] ? " gre" : "");
	if (!brief)
		report_about(r, OK, "host", NULL, name, why);
	for (encap = 0; encap < REACH_ENCAPS; encap++) {
		const bool needs =
			used[encap] || (encap == TSW_ENCAP_VXLAN && used[TSW_ENCAP_GENEVE]);

		if (!p->passes[encap] && (needs || !brief))
			tell_encap(r, name, encap, needs);
	}
	if (p->fits >= p->mtu && brief)
		return;
	if (brief) {
		snprintf(why, sizeof(why),
			 "packets of %u octets, which its underlay should take, get lost on the "
			 "way there or back",
			 p->mtu);
		report_about(r, WARN, "host", "long_lost", name, why);
		return;
	}
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

int report_hosts(struct report *r, const char *name, bool brief)
{
	const struct tsw *t = &r->cli->tsw;
	cleanup_hosts struct hosts all = {};
	bool used[TSW_ENCAPS] = {};
	struct path *paths;
	size_t i, told = 0, silent = 0;
	int err = hosts_read(t, &all);

	err = err ?: used_encaps(t, used);
	if (err)
		return err;
	paths = calloc(all.n + 1, sizeof(*paths));
	if (!paths)
		return fail_memory();
	for (i = 0; i < all.n; i++)
		told += !*name || !strcmp(all.row[i].host.name, name);
	err = told || !*name ? paths_find(t, &all, name, brief, paths) : rule_missing("host", name);
	for (i = 0; !err && i < all.n; i++) {
		const struct tsw_host *host = &all.row[i].host;

		if (*name && strcmp(host->name, name))
			continue;
		silent += !paths[i].took;
		if (paths[i].took)
			tell_host(r, host->name, &paths[i], used, brief);
		else
			tell_silent(r, host);
	}
	if (!err && !all.n)
		report_add(r, OK, "hosts", NULL, "this switch has no other hosts");
	else if (!err && brief && !silent)
		report_add(r, OK, "hosts", NULL, "all %zu answer through the tunnel", all.n);
	free(paths);
	return err;
}
