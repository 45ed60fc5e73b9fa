// SPDX-License-Identifier: GPL-2.0-only
/*
 * `apply FILE`: the JSON of a state, as it is read and checked, before the switch is asked. The
 * first octet says which of its hosts this one is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "fuzz.h"
#include "state/check.h"
#include "state/read.h"
#include "state/save.h"

/* A path and a reason, and wrong is the file: nothing was asked that could fail. */
static void must_be_refused(int err)
{
	must_have_failed(err);
	MUST(failure()->status == EXIT_MISUSE);
	MUST(is_printable(failure()->text, strlen(failure()->text)));
}

/* What is found by its name is itself; lists that belong to tenants are theirs. */
static void must_be_in_order(const struct state *s)
{
	size_t i, n = 0, ips = 0;

	for (i = 0; i < s->n_hosts; i++)
		MUST(state_find_host(s, s->host[i].spec.name.s) == i);
	for (i = 0; i < s->n_tenants; i++) {
		MUST(state_find_tenant(s, s->tenant[i].spec.name.s) == i);
		MUST(s->tenant[i].first == n);
		n += s->tenant[i].n;
	}
	MUST(n == s->n_endpoints);
	for (i = 0; i < s->n_endpoints; i++) {
		MUST(s->endpoint[i].tenant < s->n_tenants && s->endpoint[i].host < s->n_hosts);
		MUST(s->endpoint[i].first_ip + s->endpoint[i].n_ip <= s->n_ips);
		ips += s->endpoint[i].n_ip;
	}
	MUST(ips == s->n_ips);
	for (i = 0; i < s->n_publishes; i++)
		MUST(s->publish[i].tenant < s->n_tenants);
}

static void save(const struct state *s, bool pretty, struct said *said)
{
	hear(said);
	MUST(!state_save(stdout, s, pretty));
	hear_end();
	MUST(!said->err_len);
	must_be_json(said, false);
}

/* What is saved is read, is right, and is saved the same. */
static void must_come_back(const struct state *s, bool pretty)
{
	cleanup_said struct said said = {}, again = {};
	cleanup_state struct state read = {};
	json_t *value;

	save(s, pretty, &said);
	value = json_loadb(said.out, said.out_len, JSON_REJECT_DUPLICATES, NULL);
	MUST(value);
	MUST(!state_read(value, &read));
	json_decref(value);
	MUST(!state_check(&read));
	MUST(!state_take_own(&read, s->host[s->own].spec.name.s));
	save(&read, pretty, &again);
	MUST(said.out_len == again.out_len && !memcmp(said.out, again.out, said.out_len));
}

static void apply(const json_t *value, unsigned int own)
{
	cleanup_state struct state s = {};
	int err = state_read(value, &s);

	err = err ?: state_check(&s);
	if (err) {
		must_be_refused(err);
		return;
	}
	must_be_in_order(&s);
	err = state_take_own(&s, s.n_hosts ? s.host[own % s.n_hosts].spec.name.s : "h1");
	MUST(!err == !!s.n_hosts);
	if (!err)
		must_come_back(&s, own & 0x80);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *value;

	if (!size)
		return 0;
	value = json_loadb((const char *)data + 1, size - 1, JSON_REJECT_DUPLICATES, NULL);
	if (value)
		apply(value, data[0]);
	json_decref(value);
	return 0;
}
