// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "agent/unreached.h"
#include "base/json.h"
#include "base/text.h"

/*
 * Is the agent of host NAME alive? A host in front of which addresses are translated says so: it
 * cannot be asked, because the question names the address.
 */
static bool is_judged(const struct replica *rp, const char *name)
{
	const struct record *record;
	char key[MEMBER_KEY];
	json_t *value;
	bool elsewhere;

	snprintf(key, sizeof(key), "alive/%s", name);
	record = record_set_find(&rp->records, key);
	if (!record)
		return false;
	value = json_loads(record->value, 0, NULL);
	elsewhere = json_is_true(json_object_get(value, "elsewhere"));
	json_decref(value);
	return !elsewhere;
}

void unreached_find(struct unreached *u, struct prober *p, struct quiet **quiet,
		    const struct replica *rp, struct complaints *complaints)
{
	struct quiet *const new = prober_quiet(p);
	char what[TSW_NAME_LEN + 8], why[192];
	const struct quiet_host *host;
	bool judges;
	size_t i;

	if (new) {
		free(*quiet);
		*quiet = new;
	}
	*u = (struct unreached){};
	/* Without etcd nobody knows who is alive, nor which address this host's record has. */
	judges = rp->connected && *quiet && is_judged(rp, rp->m->host.s);
	complaints_begin(complaints);
	for (i = 0; judges && i < (*quiet)->n; i++) {
		host = &(*quiet)->all[i];
		if (!is_judged(rp, host->name.s))
			continue;
		if (u->n < UNREACHED_TOLD)
			u->told[u->n] = *host;
		u->n++;
		snprintf(what, sizeof(what), "host %s", host->name.s);
		snprintf(why, sizeof(why), UNREACHED_WHY, addr_text(&host->addr));
		complaints_add(complaints, what, why);
	}
	complaints_end(complaints);
}

json_t *unreached_json(const struct unreached *u)
{
	json_t *names = json_array();
	__u32 i;

	for (i = 0; i < u->n && i < UNREACHED_TOLD; i++)
		json_array_append_new(names, json_text(u->told[i].name.s));
	return names;
}
