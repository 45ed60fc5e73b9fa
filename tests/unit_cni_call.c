// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tsw-cni reads of a call: its variables, the tenant, and published ports.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "cni/ports.h"

#include <cmocka.h>

#define LABEL(key, value) "{\"key\":\"" key "\",\"value\":\"" value "\"}"

#define CONF(rest) "{\"cniVersion\":\"1.1.0\",\"name\":\"n\"" rest "}"
#define BLUE "\"args\":{\"cni\":{\"labels\":[" LABEL("tsw.tenant", "blue") "]}}"
#define A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* The error of a call with this configuration, where VARIABLE has another VALUE. */
static int read_call(const char *command, const char *config, const char *variable,
		     const char *value, struct cni *c)
{
	FILE *input = tmpfile();
	int err;

	assert_non_null(input);
	fputs(config, input);
	rewind(input);
	assert_int_equal(dup2(fileno(input), STDIN_FILENO), STDIN_FILENO);
	fclose(input);
	setenv("CNI_COMMAND", command, 1);
	setenv("CNI_CONTAINERID", "c", 1);
	setenv("CNI_NETNS", "/run/netns/c", 1);
	setenv("CNI_IFNAME", "eth0", 1);
	setenv("CNI_ARGS", "", 1);
	if (variable)
		setenv(variable, value, 1);
	*c = (struct cni){};
	err = cni_read(c);
	err = err ?: cni_read_tenant(c);
	cni_free(c);
	return err;
}

static void calls(void **state)
{
	static const char red[] = CONF(",\"tenant\":\"red\"");
	/* clang-format off */
	static const struct {
		enum cni_code code;
		const char *config, *variable, *value, *said;
	} rows[] = {
		{CNI_BAD_VERSION, "{\"cniVersion\":\"9.0.0\"}", NULL, NULL, "\"9.0.0\" is not supported"},
		{CNI_BAD_VERSION, "{\"cniVersion\":\"0.2.0\"}", NULL, NULL, "\"0.2.0\" is not supported"},
		{CNI_NO_JSON, "{\"cniVersion", NULL, NULL, "is not JSON"},
		{CNI_NO_JSON, "[]", NULL, NULL, "not a JSON object"},
		{CNI_BAD_CONFIG, "{\"cniVersion\":\"1.1.0\",\"tenant\":\"red\"}", NULL, NULL, "name: \"\""},
		{CNI_BAD_CONFIG, "{\"cniVersion\":\"1.1.0\",\"name\":\"a b\"}", NULL, NULL, "name: \"a b\""},
		{CNI_BAD_CONFIG, CONF(",\"tenant\":7"), NULL, NULL, "tenant: \"7\" is not a text"},
		{CNI_BAD_CONFIG, CONF(""), NULL, NULL, "either \"tenant\" or"},
		{CNI_BAD_CONFIG, CONF(",\"tenantFrom\":\"pod\""), NULL, NULL, "tenantFrom: \"pod\""},
		{CNI_BAD_ENV, CONF(",\"tenantFrom\":\"namespace\""), NULL, NULL, "has no K8S_POD_NAMESPACE"},
		{CNI_BAD_ENV, CONF(",\"tenantFrom\":\"namespace\""), "CNI_ARGS", "K8S_POD_NAMESPACE=" A32 A32, A32 A32},
		{CNI_BAD_CONFIG, CONF(",\"tenant\":\"red\",\"tenantFrom\":\"namespace\""), NULL, NULL, "either \"tenant\" or"},
		{CNI_BAD_CONFIG, CONF(",\"tenantChoice\":[\"a/b\"]"), NULL, NULL, "tenantChoice: \"a/b\""},
		{CNI_BAD_CONFIG, CONF(",\"tenantChoice\":7"), NULL, NULL, "tenantChoice: \"7\" is not a list"},
		{CNI_BAD_CONFIG, CONF(",\"tenantChoice\":\"any\""), NULL, NULL, "has no label tsw.tenant"},
		{CNI_BAD_ENV, red, "CNI_ARGS", "TSW_TENANT=blue",
		 "CNI_ARGS: TSW_TENANT: the network does not let its containers choose tenant \"blue\""},
		{CNI_BAD_ENV, CONF(",\"tenant\":\"red\",\"tenantChoice\":[\"blue\"]"), "CNI_ARGS", "TSW_TENANT=green",
		 "choose tenant \"green\""},
		{CNI_BAD_ENV, CONF(",\"tenantChoice\":\"any\""), "CNI_ARGS", "TSW_TENANT=a/b", "\"a/b\""},
		{CNI_BAD_ENV, CONF(",\"tenantChoice\":\"any\"," BLUE), "CNI_ARGS", "TSW_TENANT=red",
		 "two tenants are given, \"blue\" and \"red\""},
		{CNI_BAD_CONFIG, CONF(",\"tenant\":\"red\",\"tenantChoice\":[\"blue\"]"), "CNI_ARGS", "K8S_POD_NAMESPACE=x",
		 "hands on no annotations"},
		{CNI_BAD_CONFIG, CONF(",\"tenant\":\"red\",\"instance\":\"a/b\""), NULL, NULL, "instance: \"a/b\""},
		{CNI_BAD_ENV, red, "CNI_CONTAINERID", "", "CNI_CONTAINERID: \"\""},
		{CNI_BAD_ENV, red, "CNI_CONTAINERID", "-c", "CNI_CONTAINERID: \"-c\""},
		{CNI_BAD_ENV, red, "CNI_CONTAINERID", A32 A32 A32 A32 "a", "more than 128 characters"},
		{CNI_BAD_ENV, red, "CNI_IFNAME", "eth/0", "CNI_IFNAME: \"eth/0\""},
		{CNI_BAD_ENV, red, "CNI_IFNAME", "abcdefghijklmnop", "CNI_IFNAME: \"abcdefghijklmnop\""},
		{CNI_BAD_ENV, red, "CNI_NETNS", "", "CNI_NETNS: \"\""},
	};
	/* clang-format on */
	struct cni c;
	size_t i;

	(void)state;
	assert_int_equal(read_call("ADD", red, NULL, NULL, &c), 0);
	assert_string_equal(c.tenant.s, "red");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!read_call("ADD", rows[i].config, rows[i].variable, rows[i].value, &c) ||
		    c.code != rows[i].code || !strstr(failure()->text, rows[i].said))
			fail_msg("%s: %d, %s", rows[i].config, c.code, failure()->text);
}

/* Which tenant a call is about. Verbs other than ADD and STATUS need none, and refuse nothing. */
static void tenants(void **state)
{
	/* clang-format off */
	static const struct {
		const char *command, *config, *args, *tenant;
	} rows[] = {
		{"ADD", CONF(",\"tenantFrom\":\"namespace\""), "K8S_POD_NAMESPACE=blue", "blue"},
		{"ADD", CONF(",\"TenantFrom\":\"namespace\""), "K8S_POD_NAMESPACE=blue", "blue"},
		{"DEL", CONF(",\"tenantFrom\":\"namespace\""), "", ""},
		{"DEL", CONF(",\"tenantFrom\":\"namespace\""), "K8S_POD_NAMESPACE=a/b", ""},
		{"DEL", CONF(",\"tenant\":7"), "", ""},
		{"GC", CONF(""), "", ""},
		{"STATUS", CONF(",\"tenantFrom\":\"namespace\""), "", ""},
		{"ADD", CONF(",\"tenant\":\"red\"," BLUE ",\"tenantChoice\":[\"green\",\"blue\"]"), "", "blue"},
		{"ADD", CONF(",\"tenant\":\"red\",\"tenantChoice\":\"blue\""), "TSW_TENANT=blue", "blue"},
		{"ADD", CONF(",\"tenant\":\"red\",\"tenantChoice\":\"any\""), "", "red"},
		{"ADD", CONF(",\"tenant\":\"blue\"," BLUE), "", "blue"},
		{"ADD", CONF(",\"tenantChoice\":\"any\"," BLUE), "TSW_TENANT=blue", "blue"},
		{"ADD", CONF(",\"tenantFrom\":\"namespace\",\"tenantChoice\":[\"blue\"]," BLUE), "K8S_POD_NAMESPACE=x", "blue"},
		{"ADD", CONF(",\"tenant\":\"red\",\"tenantChoice\":[\"blue\"],\"runtimeConfig\":"
			     "{\"io.kubernetes.cri.pod-annotations\":null}"), "K8S_POD_NAMESPACE=x", "red"},
		{"DEL", CONF(",\"tenant\":\"red\",\"tenantChoice\":[\"green\"]," BLUE), "", ""},
		{"CHECK", CONF(",\"tenant\":\"red\",\"tenantChoice\":\"any\""), "", ""},
		{"STATUS", CONF(",\"tenant\":\"red\",\"tenantChoice\":\"any\""), "", "red"},
	};
	/* clang-format on */
	struct cni c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (read_call(rows[i].command, rows[i].config, "CNI_ARGS", rows[i].args, &c))
			fail_msg("%s %s: %s", rows[i].command, rows[i].config, failure()->text);
		assert_int_equal(c.code, 0);
		assert_string_equal(c.tenant.s, rows[i].tenant);
	}
}

#define PORT(rest) "[{\"hostPort\":80,\"containerPort\":80" rest "}]"

static void ports(void **state)
{
	static const struct {
		enum cni_code code;
		unsigned int gateways;
		const char *ports, *said;
	} rows[] = {
		{CNI_BAD_CONFIG, 0, PORT(""), "has no gateway"},
		{CNI_BAD_FIELD, 1, PORT(",\"protocol\":\"sctp\""), "protocol \"sctp\""},
		{CNI_BAD_FIELD, 1, PORT(",\"hostIP\":\"192.0.2.1\""), "hostIP \"192.0.2.1\""},
		{CNI_BAD_CONFIG, 1, "[{\"containerPort\":80}]", "hostPort: 0 is not a port"},
		{CNI_BAD_CONFIG, 1, "[{\"HostPort\":80}]", "containerPort: 0 is not a port"},
		{CNI_BAD_CONFIG, 1, "[{\"HostPort\":80,\"ContainerPort\":0}]",
		 "containerPort: 0 is not a port"},
		{CNI_BAD_FIELD, 1, PORT(",\"HostIP\":\"127.0.0.1\""), "hostIP \"127.0.0.1\""},
		{CNI_BAD_FIELD, 1,
		 "[{\"HostPort\":80,\"ContainerPort\":80},{\"HostPort\":80,\"ContainerPort\":80,"
		 "\"Protocol\":\"sctp\"}]",
		 "protocol \"sctp\""},
	};
	struct tenancy tenancy = {.gateway.n = 1};
	json_t *list = json_loads(PORT(",\"protocol\":\"UDP\",\"hostIP\":\"::\""), 0, NULL);
	size_t i;

	(void)state;
	assert_int_equal(ports_check(&(struct cni){}, list, &tenancy), 0);
	json_decref(list);
	/* Kubernetes' way to ask for no port of the host needs no gateway. */
	tenancy.gateway.n = 0;
	list = json_loads(
		"[{\"HostPort\":0,\"ContainerPort\":80,\"Protocol\":\"tcp\",\"HostIP\":\"\"}]", 0,
		NULL);
	assert_int_equal(ports_check(&(struct cni){}, list, &tenancy), 0);
	json_decref(list);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cni c = {};
		int err;

		list = json_loads(rows[i].ports, 0, NULL);
		tenancy.gateway.n = rows[i].gateways;
		err = ports_check(&c, list, &tenancy);
		json_decref(list);
		if (!err || c.code != rows[i].code || !strstr(failure()->text, rows[i].said))
			fail_msg("%s: %d, %s", rows[i].ports, c.code, failure()->text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(tenants),
		cmocka_unit_test(ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
