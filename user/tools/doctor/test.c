// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/ended.h"
#include "cmd/cmd.h"
#include "object/spec.h"
#include "object/trial.h"
#include "rules/rules.h"
#include "switch/session.h"
#include "tools/doctor/hosts.h"
#include "tools/doctor/pair.h"
#include "tools/doctor/report.h"
#include "wire/mtu.h"

enum { SHORT = 64, MTU_UNKNOWN = 1280 };

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
	err = err ?: report_hosts(&r, host.s, false);
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
