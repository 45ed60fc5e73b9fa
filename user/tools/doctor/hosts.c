// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "record/hosts.h"
#include "record/tenant_find.h"
#include "record/counters.h"
#include "rules/rules.h"
#include "tools/doctor/handshake.h"
#include "tools/doctor/hosts.h"
#include "tools/doctor/mend.h"
#include "tools/doctor/path.h"
#include "wire/crypt.h"

/* ---- other hosts --------------------------------------------------------------------- */

/* Which encapsulations tenants of this switch use, and whose it is if only one does. */
struct uses {
	size_t n[TSW_ENCAPS];
	struct tsw_name one[TSW_ENCAPS];
};

static int read_uses(const struct tsw *t, struct uses *u)
{
	cleanup_tenants struct tenants all = {};
	size_t i;
	int err = tenants_read(t, &all);

	for (i = 0; !err && i < all.n; i++) {
		const struct tsw_tenant *its = &all.row[i].tenant;

		u->n[its->encap % TSW_ENCAPS]++;
		memcpy(u->one[its->encap % TSW_ENCAPS].s, its->name, sizeof(its->name));
	}
	return err;
}

/* Each encapsulation that is in the set, as words. */
static const char *encaps_text(const bool set[TSW_ENCAPS], const char *between, char text[32])
{
	enum tsw_encap encap;

	*text = '\0';
	for (encap = 0; encap < TSW_ENCAPS; encap++)
		if (set[encap])
			snprintf(text + strlen(text), 32 - strlen(text), "%s%s",
				 *text ? between : "", encap_text(encap));
	return text;
}

/* What a firewall has to let through. */
static const char *packets_text(const struct tsw *t, enum tsw_encap encap, char text[32])
{
	const unsigned int port =
		encap == TSW_ENCAP_GENEVE ? TSW_GENEVE_PORT : ntohs(t->config.port);

	if (encap == TSW_ENCAP_GRE)
		return "IP protocol 47";
	snprintf(text, 32, "UDP port %u", port);
	return text;
}

/* The command that gives tenants of ENCAP another one, of those that PASS. */
static const char *other_encap(const struct uses *u, enum tsw_encap encap,
			       const bool pass[TSW_ENCAPS], char text[MEND_LEN])
{
	const char *tenant = u->one[encap].s;
	char passing[32];

	snprintf(text, MEND_LEN, "tsw tenant set %s encap %s",
		 u->n[encap] == 1 && is_plain_word(tenant) ? tenant : "TENANT",
		 encaps_text(pass, "|", passing));
	return text;
}

static void tell_encap(struct report *r, const char *name, const struct path *p,
		       enum tsw_encap encap, const struct uses *u)
{
	char what[32], mend[MEND_LEN], why[256];

	snprintf(why, sizeof(why),
		 "it answers, but not by %s, which tenants here use: something between drops "
		 "%s%s",
		 encap_text(encap), packets_text(&r->cli->tsw, encap, what),
		 encap == TSW_ENCAP_GENEVE ? ", or its tsw is older" : "");
	report_row(r, FAIL, "encap", name, why, other_encap(u, encap, p->passes, mend));
}

/* BRIEF: only those that tenants use. */
static void tell_encaps(struct report *r, const char *name, const struct path *p,
			const struct uses *u, bool brief)
{
	bool unused[TSW_ENCAPS] = {}, any = false;
	char text[32], why[128];
	enum tsw_encap encap;

	for (encap = 0; encap < TSW_ENCAPS; encap++) {
		if (p->passes[encap])
			continue;
		unused[encap] = !u->n[encap];
		any |= unused[encap];
		if (u->n[encap])
			tell_encap(r, name, p, encap, u);
	}
	if (!any || brief)
		return;
	snprintf(why, sizeof(why), "it answers, but not by %s, which no tenant here uses",
		 encaps_text(unused, " or ", text));
	report_row(r, WARN, "encap", name, why, NULL);
}

static bool is_encrypted(const struct tsw *t, const struct tsw_host *host)
{
	return crypt_is_on(t) && !(host->flags & TSW_HOST_CLEAR);
}

static void tell_silent(struct report *r, const struct tsw_host *host, const char *what,
			const char *how)
{
	char why[256];

	snprintf(why, sizeof(why),
		 "it does not answer at %s through the tunnel%s: it or its switch is down, it has "
		 "another address or does not know this host, or something drops tunnel frames",
		 addr_text(&host->addr[host->family & 1]), how);
	report_about(r, FAIL, "host", what, host->name, why);
}

/* The commands that give two hosts each other's keys. */
static const char *keys_mend(const struct tsw *t, char text[MEND_LEN])
{
	const bool named = is_plain_word(t->config.name);
	struct tsw_key_list own;

	if (crypt_own_keys(t, &own) || !own.n)
		return "tsw switch check";
	snprintf(text, MEND_LEN,
		 "THERE_TSW host set %s key %s (on OBJECT); tsw host set OBJECT key KEY",
		 named ? t->config.name : "NAME", key_text(own.at[own.n - 1].octet));
	return text;
}

static const struct {
	const char *why, *mend;
} handshakes[] = {
	[HANDSHAKE_NO_PEER] = {"WireGuard does not have it as a peer", "tsw switch repair"},
	[HANDSHAKE_KEPT] = {"this host's own rules drop WireGuard's packets to it",
			    "nft list ruleset"},
	[HANDSHAKE_UNREACHED] = {"it is down, or something refuses WireGuard's packets to it",
				 "THERE_TSW switch show; THERE_TSW host show (on OBJECT), or "
				 "tsw host set OBJECT ip IP"},
	[HANDSHAKE_REFUSED] = {"nothing listens there: its switch is down or does not encrypt, or "
			       "it has another wg-port, or another key than here",
			       "THERE_TSW switch show (on OBJECT)"},
	[HANDSHAKE_ONE_WAY] = {"WireGuard's packets come from there, but something drops those "
			       "from here to there",
			       "nft list ruleset (on OBJECT)"},
	[HANDSHAKE_HEARD] = {"WireGuard's packets come from there, but its switch does not "
			     "answer, or something drops those from here to there",
			     "THERE_TSW switch show; THERE_TSW host show (on OBJECT)"},
	[HANDSHAKE_FOREIGN] = {"WireGuard's packets come from there, but not by the keys of the "
			       "two: there or here the other one's is wrong"},
	[HANDSHAKE_NOTHING] = {"nothing of WireGuard comes from there: something drops it, or it "
			       "has no key of this host",
			       "THERE_TSW test (on OBJECT); tsw test host OBJECT; "
			       "nft list ruleset (here and on OBJECT)"},
};

/* What keeps WireGuard from reaching a silent host. */
static void tell_handshake(struct report *r, const struct tsw_host *host, enum handshake is)
{
	const struct tsw *t = &r->cli->tsw;
	const unsigned int first = crypt_port(t), last = TSW_CRYPT_PORT_OF(first, 1, 1);
	char why[256], mend[MEND_LEN];

	if (is == HANDSHAKE_DONE) {
		tell_silent(r, host, "silent_host", ", though WireGuard reaches it");
		return;
	}
	snprintf(why, sizeof(why), "%s (UDP ports %u to %u)", handshakes[is].why, first, last);
	report_row(r, FAIL, "encrypt", host->name, why, handshakes[is].mend ?: keys_mend(t, mend));
}

/* The largest MTU of endpoints whose tunnel packets have LENGTH. */
static __u32 inner_mtu(const struct tsw_host *host, const struct uses *u, __u32 length)
{
	const enum tsw_family family = (enum tsw_family)(host->family & 1);
	const bool gre = u->n[TSW_ENCAP_GRE] && !u->n[TSW_ENCAP_VXLAN] && !u->n[TSW_ENCAP_GENEVE];

	return length - TSW_OVERHEAD(gre ? TSW_ENCAP_GRE : TSW_ENCAP_VXLAN, family);
}

static void tell_whole(struct report *r, const char *name, const struct path *p,
		       const struct uses *u)
{
	enum tsw_encap encap;
	char why[128], mend[MEND_LEN];

	for (encap = 0; encap < TSW_ENCAPS; encap++) {
		if (!u->n[encap] || !p->passes[encap] || p->whole[encap])
			continue;
		snprintf(why, sizeof(why), "packets of %u octets pass by %s, but not by %s",
			 p->fits, encap_text(path_encap(p)), encap_text(encap));
		report_row(r, FAIL, "mtu", name, why, other_encap(u, encap, p->whole, mend));
	}
}

static void tell_mtu(struct report *r, const struct tsw_host *host, const struct path *p,
		     const struct uses *u)
{
	const bool encrypted = is_encrypted(&r->cli->tsw, host);
	const char *who = encrypted ? "WireGuard" : "the underlay";
	char why[256], mend[MEND_LEN];

	if (!p->mtu) {
		report_row(r, WARN, "mtu", host->name, "the underlay's MTU is not known", NULL);
		return;
	}
	if (p->fits == p->mtu) {
		snprintf(why, sizeof(why),
			 "%s carries packets of %u octets, there and back; endpoints may use %u",
			 who, p->mtu, inner_mtu(host, u, p->mtu));
		report_row(r, OK, "mtu", host->name, why, NULL);
	} else {
		snprintf(why, sizeof(why),
			 "packets of %u octets get lost in %s, there or back; the longest that "
			 "pass have %u, so endpoints may use %u",
			 p->mtu, who, p->fits, inner_mtu(host, u, p->fits));
		snprintf(mend, sizeof(mend), "tsw host set OBJECT mtu %u",
			 p->fits + (encrypted ? TSW_CRYPT_OVERHEAD : 0));
		report_row(r, FAIL, "mtu", host->name, why, mend);
	}
	tell_whole(r, host->name, p, u);
}

/* BRIEF, for `doctor`: only what is wrong. A whole packet was tried, but no length searched. */
static void tell_host(struct report *r, const struct tsw_host *host, const struct path *p,
		      const struct uses *u, bool brief)
{
	char why[256], by[32];

	snprintf(why, sizeof(why), "it answers in %llu us by %s%s",
		 (unsigned long long)(p->took / 1000 + 1), encaps_text(p->passes, " ", by),
		 is_encrypted(&r->cli->tsw, host) ? ", encrypted"
		 : crypt_is_on(&r->cli->tsw)	  ? ", not encrypted"
						  : "");
	if (!brief)
		report_row(r, OK, "host", host->name, why, NULL);
	tell_encaps(r, host->name, p, u, brief);
	if (!brief) {
		tell_mtu(r, host, p, u);
	} else if (p->fits < p->mtu) {
		snprintf(why, sizeof(why),
			 "packets of %u octets, which its underlay should take, get lost on the "
			 "way there or back",
			 p->mtu);
		report_about(r, WARN, "host", "long_lost", host->name, why);
	}
}

/* Watches all silent hosts at once, because that takes some seconds. */
static int tell_all_silent(struct report *r, const struct hosts *all, const bool *silent,
			   bool brief)
{
	const struct tsw *t = &r->cli->tsw;
	struct shaking shaking[HANDSHAKES];
	size_t i, n = 0, next = 0;
	int err;

	for (i = 0; !brief && i < all->n && n < HANDSHAKES; i++)
		if (silent[i] && is_encrypted(t, &all->row[i].host))
			shaking[n++] = (struct shaking){.host = all->row[i].id};
	err = n ? handshakes_watch(t, shaking, n) : 0;
	for (i = 0; !err && i < all->n; i++) {
		const struct tsw_host *host = &all->row[i].host;

		if (!silent[i])
			continue;
		if (next < n && shaking[next].host == all->row[i].id)
			tell_handshake(r, host, shaking[next++].is);
		else if (is_encrypted(t, host))
			tell_silent(r, host, "long_lost", " and WireGuard");
		else
			tell_silent(r, host, "silent_host", "");
	}
	return err;
}

int report_hosts(struct report *r, const char *name, bool brief)
{
	const struct tsw *t = &r->cli->tsw;
	cleanup_hosts struct hosts all = {};
	cleanup_free struct path *paths = NULL;
	cleanup_free bool *silent = NULL;
	struct uses uses = {};
	size_t i, told = 0, answer = 0;
	int err = hosts_read(t, &all);

	err = err ?: read_uses(t, &uses);
	if (err)
		return err;
	paths = calloc(all.n + 1, sizeof(*paths));
	silent = calloc(all.n + 1, sizeof(*silent));
	if (!paths || !silent)
		return fail_memory();
	for (i = 0; i < all.n; i++)
		told += !*name || !strcmp(all.row[i].host.name, name);
	err = told || !*name ? paths_find(t, &all, name, brief, paths) : rule_missing("host", name);
	for (i = 0; !err && i < all.n; i++) {
		const struct tsw_host *host = &all.row[i].host;

		silent[i] = !paths[i].took && (!*name || !strcmp(host->name, name));
		answer += paths[i].took != 0;
		if (paths[i].took)
			tell_host(r, host, &paths[i], &uses, brief);
	}
	err = err ?: tell_all_silent(r, &all, silent, brief);
	if (!err && !all.n)
		report_add(r, OK, "hosts", NULL, "this switch has no other hosts");
	else if (!err && brief && answer == all.n)
		report_add(r, OK, "hosts", NULL, "all %zu answer through the tunnel", all.n);
	return err;
}
