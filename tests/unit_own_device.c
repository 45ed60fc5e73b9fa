// SPDX-License-Identifier: GPL-2.0-only
/* What an agent believes of its own host's devices: own_device_read() and desired_state(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/desired.h"
#include "agent/own_device.h"
#include "base/text.h"
#include "cluster/host_index.h"
#include "state/state.h"

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HERE "\"host\":\"h2\""
#define MAC "\"name\":\"a\",\"mac\":\"02:00:00:00:00:01\","

/* ---- the index's value ------------------------------------------------------------ */

static void values(void **state)
{
	static const struct {
		const char *value, *device; /* NULL: none */
	} all[] = {
		{"{}", NULL},
		{"", NULL},
		{"no JSON", NULL},
		{"[]", NULL},
		{"\"dev\"", NULL},
		{"{\"dev\":1}", NULL},
		{"{\"dev\":null}", NULL},
		{"{\"dev\":\"v\",\"dev\":\"mgmt0\"}", NULL},
		{"{\"dev\":\"v\"}", "v"},
		{"{\"later\":1,\"dev\":\"v\"}", "v"},
		{"{\"dev\":\"\"}", ""},
	};
	json_t *device;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		device = host_index_device(all[i].value);
		assert_true(!device == !all[i].device);
		if (device)
			assert_string_equal(json_string_value(device), all[i].device);
		json_decref(device);
	}
	text = host_index_text(NULL);
	assert_string_equal(text, "{}");
	free(text);
	device = json_string("ve\"a");
	text = host_index_text(device);
	assert_string_equal(text, "{\"dev\":\"ve\\\"a\"}");
	free(text);
	json_decref(device);
}

/* ---- one record ------------------------------------------------------------------- */

/* RECORD is e/7/a, INDEX is at/h2/7/a or NULL; what comes of that at h2. */
struct own {
	const char *what, *record, *index;
	bool refused;
	const char *becomes, *claimed;
};

static const struct own owns[] = {
	{"as it is meant to be", "{" HERE ",\"dev\":\"v\"}", "{\"dev\":\"v\"}", false,
	 "{" HERE ",\"dev\":\"v\"}", NULL},
	{"another's word for our device", "{" HERE ",\"dev\":\"mgmt0\"}", "{\"dev\":\"v\"}", false,
	 "{" HERE ",\"dev\":\"v\"}", "mgmt0"},
	{"we know it, and it was taken away", "{" HERE "}", "{\"dev\":\"v\"}", false,
	 "{" HERE ",\"dev\":\"v\"}", NULL},
	{"we did not say any", "{" HERE ",\"dev\":\"mgmt0\"}", "{}", false, "{" HERE "}", "mgmt0"},
	{"nobody did", "{" HERE "}", "{}", false, "{" HERE "}", NULL},
	{"it is not here", "{" HERE ",\"dev\":\"mgmt0\"}", NULL, true, NULL, NULL},
	{"another host's", "{\"host\":\"h1\",\"dev\":\"x\"}", NULL, false,
	 "{\"host\":\"h1\",\"dev\":\"x\"}", NULL},
	{"another host's, which was ours", "{\"host\":\"h1\",\"dev\":\"x\"}", "{\"dev\":\"v\"}",
	 false, "{\"host\":\"h1\",\"dev\":\"x\"}", NULL},
	{"it moves here", "{\"host\":\"h1\",\"dev\":\"x\",\"to_host\":\"h2\",\"to_dev\":\"mgmt0\"}",
	 "{\"dev\":\"v\"}", false,
	 "{\"host\":\"h1\",\"dev\":\"x\",\"to_host\":\"h2\",\"to_dev\":\"v\"}", "mgmt0"},
	{"it is said to move here", "{\"host\":\"h1\",\"to_host\":\"h2\",\"to_dev\":\"mgmt0\"}",
	 NULL, true, NULL, NULL},
	{"it moves away", "{" HERE ",\"dev\":\"mgmt0\",\"to_host\":\"h1\",\"to_dev\":\"x\"}",
	 "{\"dev\":\"v\"}", false, "{" HERE ",\"dev\":\"v\",\"to_host\":\"h1\",\"to_dev\":\"x\"}",
	 "mgmt0"},
};

static void put(struct record_set *r, const char *key, const char *value)
{
	const struct record record = {(char *)key, value, 5, 0};

	assert_int_equal(record_set_put(r, &record), 0);
}

static void one(const struct own *o)
{
	json_t *value = json_loads(o->record, 0, NULL), *becomes;
	struct record_set r = {};
	struct own_device own;
	bool is;

	if (o->index)
		put(&r, "at/h2/7/a", o->index);
	put(&r, "at/h2/7/b", "{\"dev\":\"other\"}");
	put(&r, "at/h2/70/a", "{\"dev\":\"other\"}");
	is = own_device_read(&r, "h2", "e/7/a", value, &own);
	if (is == o->refused)
		fail_msg("%s: it is %srefused", o->what, is ? "not " : "");
	becomes = o->becomes ? json_loads(o->becomes, 0, NULL) : NULL;
	if (becomes && !json_equal(value, becomes))
		fail_msg("%s: is %s", o->what, json_dumps(value, 0));
	if (!o->claimed != !own.claimed ||
	    (o->claimed && strcmp(json_string_value(own.claimed), o->claimed)))
		fail_msg("%s: claimed is %s", o->what, json_string_value(own.claimed));
	own_device_end(&own);
	json_decref(becomes);
	json_decref(value);
	record_set_free(&r);
}

static void records(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(owns); i++)
		one(&owns[i]);
}

/* ---- of what this host has already ------------------------------------------------ */

struct calls {
	size_t refused, untrue, adopted;
	char key[64], value[64];
	__s64 modified;
};

static void refused(void *context, const char *key)
{
	struct calls *calls = context;

	(void)key;
	calls->refused++;
}

static void untrue(void *context, const char *key)
{
	struct calls *calls = context;

	(void)key;
	calls->untrue++;
}

static void adopted(void *context, const struct record *index, const char *value)
{
	struct calls *calls = context;

	calls->adopted++;
	snprintf(calls->key, sizeof(calls->key), "%s", index->key);
	snprintf(calls->value, sizeof(calls->value), "%s", value);
	calls->modified = index->modified;
}

/* e/7/a has the device DEV and an index of 0.2.0; what h2 has of it is HAVE, of the tenant ID. */
static struct calls desired(const char *dev, const char *have, __u32 id, const char *takes)
{
	struct state_tenant tenant = {.spec = {.name = {"red"}, .id = id}, .n = 1};
	struct state_endpoint endpoint = {.name = {"a"}, .to = STATE_NONE};
	struct state_host hosts[] = {{.spec.name = {"h2"}}};
	const struct state is = {.host = hosts,
				 .n_hosts = 1,
				 .tenant = &tenant,
				 .n_tenants = have != NULL,
				 .endpoint = &endpoint,
				 .n_endpoints = have != NULL};
	struct interest interest = {};
	struct record_set r = {};
	struct calls calls = {};
	const struct desired w = {&r, &interest, "h2", &is, refused, untrue, adopted, &calls};
	cleanup_state struct state s = {};
	char record[160];

	snprintf(endpoint.dev, sizeof(endpoint.dev), "%s", have ? have : "");
	snprintf(record, sizeof(record), "{" MAC HERE ",\"dev\":\"%s\"}", dev);
	put(&r, "host/h2", "{\"name\":\"h2\",\"ip\":[\"192.0.2.2\"]}");
	put(&r, "vtep/192.0.2.2", "{\"owner\":\"h2\",\"nonce\":\"0\"}");
	put(&r, "tenant/red", "{\"name\":\"red\",\"id\":7}");
	put(&r, "vni/7", "{\"owner\":\"red\",\"nonce\":\"0\"}");
	put(&r, "e/7/a", record);
	put(&r, "at/h2/7/a", "{}");
	assert_int_equal(interest_find(&r, "h2", &interest), 0);
	assert_int_equal(desired_state(&w, &s), 0);
	assert_int_equal(s.n_endpoints, 1);
	assert_string_equal(s.endpoint[0].dev, takes);
	assert_int_equal(calls.refused, 0);
	interest_free(&interest);
	record_set_free(&r);
	return calls;
}

static void adopts(void **state)
{
	struct calls calls = desired("v", "v", 7, "v");

	(void)state;
	assert_int_equal(calls.adopted, 1);
	assert_int_equal(calls.untrue, 0);
	assert_string_equal(calls.key, "at/h2/7/a");
	assert_string_equal(calls.value, "{\"dev\":\"v\"}");
	assert_int_equal(calls.modified, 5);
	calls = desired("mgmt0", "v", 7, ""); /* another device */
	assert_true(!calls.adopted && calls.untrue == 1);
	calls = desired("v", NULL, 7, ""); /* as after a boot */
	assert_true(!calls.adopted && calls.untrue == 1);
	calls = desired("v", "v", 8, ""); /* of a tenant that had the name */
	assert_true(!calls.adopted && calls.untrue == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(records),
		cmocka_unit_test(adopts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
