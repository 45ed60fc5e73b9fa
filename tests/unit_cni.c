// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tsw-cni reads of a container's own words: labels, its pod's annotations, CNI_ARGS; which are
 * taken, which refused and with what code.
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
#include "base/text.h"
#include "cni/want.h"
#include "plug/json.h"
#include "plug/kept.h"
#include "record/plugin.h"

#include <cmocka.h>

#define LABEL(key, value) "{\"key\":\"" key "\",\"value\":\"" value "\"}"
#define LABELS(all) "{\"args\":{\"cni\":{\"labels\":[" all "]}}}"
#define CHOICE(rest, all) "{" rest ",\"args\":{\"cni\":{\"labels\":[" all "]}}}"
#define ANNOTATIONS(all) "{\"runtimeConfig\":{\"io.kubernetes.cri.pod-annotations\":{" all "}}}"
#define RUNTIME(all) "{\"runtimeConfig\":{" all "}}"

/* What a container of NETWORK net is asked to have. 0 or the error. */
static int read_want(const char *config, const char *args, struct cni *c, struct want *want)
{
	int err;

	*want = (struct want){};
	*c = (struct cni){.args = args, .network = "net", .config = json_loads(config, 0, NULL)};
	assert_non_null(c->config);
	c->runtime = plug_find(c->config, "runtimeConfig");
	c->ipam = json_string_value(plug_find(plug_find(c->config, "ipam"), "type"));
	cni_name("default", "net", "c1", "eth0", &c->names);
	err = cni_check_keys(c);
	err = err ?: cni_check_words(c);
	err = err ?: want_addresses(c, want);
	err = err ?: want_rates(c, &want->limits);
	err = err ?: want_name(c, want);
	err = err ?: want_offers(c, want);
	c->ipam = NULL;
	json_decref(c->config);
	return err;
}

static void taken(void **state)
{
	/* clang-format off */
	static const struct {
		const char *config, *args, *name;
		bool pod;
		__u64 in, out;
	} rows[] = {
		{"{}", "", "", false, 0, 0},
		{LABELS(LABEL("app", "x") "," LABEL("tsw.name", "web")), "", "web", false, 0, 0},
		{ANNOTATIONS("\"tsw.name\":\"web\",\"a/b\":7"), "", "web", false, 0, 0},
		{"{}", "IgnoreUnknown=1;TSW_NAME=web", "web", false, 0, 0},
		{LABELS(LABEL("tsw.name", "web")), "TSW_NAME=web;K8S_POD_NAME=p", "web", false, 0, 0},
		{"{}", "K8S_POD_NAME=p", "p", true, 0, 0},
		{"{\"nameFrom\":\"pod\"}", "K8S_POD_NAME=p", "p", true, 0, 0},
		{"{\"nameFrom\":\"id\"}", "K8S_POD_NAME=p", "", false, 0, 0},
		{"{}", "K8S_POD_NAME=a/b", "", false, 0, 0},
		{"{}", "K8S_POD_NAME=", "", false, 0, 0},
		{LABELS(LABEL("tsw.rate-in", "80mbit")), "TSW_RATE_OUT=1gbit", "", false, 80000000, 1000000000},
		{"{\"rate-in\":\"80mbit\"}", "TSW_RATE_IN=79mbit", "", false, 79000000, 0},
		{"{\"rate-in\":\"80mbit\",\"runtimeConfig\":{\"bandwidth\":{\"egressRate\":2000}}}", "", "", false,
		 80000000, 2000},
		/* As go-cni writes it. The burst is "none". */
		{RUNTIME("\"bandwidth\":{\"IngressRate\":3000,\"IngressBurst\":4294967295,\"EgressRate\":2000,"
			 "\"EgressBurst\":4294967295}"), "", "", false, 3000, 2000},
		{"{\"RuntimeConfig\":{\"Bandwidth\":{\"INGRESSRATE\":3000}}}", "", "", false, 3000, 0},
		{"{\"Args\":{\"CNI\":{\"Labels\":[{\"Key\":\"tsw.name\",\"Value\":\"web\"}]}}}", "", "web", false, 0, 0},
	};
	/* clang-format on */
	struct want want;
	struct cni c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (read_want(rows[i].config, rows[i].args, &c, &want))
			fail_msg("%s %s: %s", rows[i].config, rows[i].args, failure()->text);
		assert_string_equal(want.name.s, rows[i].name);
		assert_int_equal(want.pod, rows[i].pod);
		assert_int_equal(want.limits.rate[TSW_RATE_IN], rows[i].in);
		assert_int_equal(want.limits.rate[TSW_RATE_OUT], rows[i].out);
		assert_int_equal(want.limits.burst, 0);
	}
}

static void offered(void **state)
{
	/* clang-format off */
	static const struct {
		const char *config, *args;
		__u64 given;
		__u32 server, xdp, n_groups;
	} rows[] = {
		{"{\"server\":true}", "", FIELD(ENDPOINT_SERVER), true, false, 0},
		{"{\"Server\":\"on\",\"xdp\":false}", "", FIELD(ENDPOINT_SERVER) | FIELD(ENDPOINT_XDP), true,
		 false, 0},
		{"{\"xdpChoice\":\"any\"}", "", 0, false, false, 0},
		{"{\"xdpChoice\":true}", "TSW_XDP=on", FIELD(ENDPOINT_XDP), false, true, 0},
		{CHOICE("\"xdpChoice\":[\"any\"]", LABEL("tsw.xdp", "on")), "", FIELD(ENDPOINT_XDP), false, true, 0},
		{CHOICE("\"xdp\":\"on\",\"xdpChoice\":\"any\"", LABEL("tsw.xdp", "off")), "", FIELD(ENDPOINT_XDP),
		 false, false, 0},
		{CHOICE("\"server\":true", LABEL("tsw.server", "on")), "", FIELD(ENDPOINT_SERVER), true, false, 0},
		{CHOICE("\"groups\":\"b\",\"groupChoice\":[\"a\"]", LABEL("tsw.group", "a,b")), "",
		 FIELD(ENDPOINT_GROUP), false, false, 2},
	};
	/* clang-format on */
	struct want want;
	struct cni c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (read_want(rows[i].config, rows[i].args, &c, &want))
			fail_msg("%s %s: %s", rows[i].config, rows[i].args, failure()->text);
		assert_int_equal(want.given, rows[i].given);
		assert_int_equal(want.spec.server, rows[i].server);
		assert_int_equal(want.spec.xdp, rows[i].xdp);
		assert_int_equal(want.spec.group.n, rows[i].n_groups);
	}
}

/* clang-format off */
static const struct {
	enum cni_code code;
	const char *config, *args, *said;
} refusals[] = {
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.nmae", "x")), "", "label \"tsw.nmae\" is unknown"},
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.", "x")), "", "label \"tsw.\" is unknown"},
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.name.x", "x")), "", "label \"tsw.name.x\" is unknown"},
	{CNI_BAD_CONFIG, LABELS("{\"key\":7}"), "", "key"},
	{CNI_BAD_CONFIG, ANNOTATIONS("\"tsw.x\":\"y\""), "", "annotation \"tsw.x\" is unknown"},
	{CNI_BAD_CONFIG, ANNOTATIONS("\"tsw.name\":7"), "", "annotation tsw.name: tsw.name: \"7\""},
	{CNI_BAD_ENV, "{}", "A=TSW_X;TSW_NAMES=x", "CNI_ARGS: \"TSW_NAMES\" is unknown"},
	{CNI_BAD_ENV, "{}", "TSW_NAM", "CNI_ARGS: \"TSW_NAM\" is unknown"},
	{CNI_BAD_ENV, "{}", "TSW_NAME=a b", "CNI_ARGS: TSW_NAME: \"a b\" cannot be a name"},
	{CNI_BAD_ENV, LABELS(LABEL("tsw.name", "a")), "TSW_NAME=b", "two names are given, \"a\" and \"b\""},
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.name", "")), "", "label tsw.name: \"\" cannot be a name"},
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.group", "db")), "", "does not let its containers choose group"},
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.rate-in", "fast")), "", "label tsw.rate-in: \"fast\""},
	{CNI_BAD_CONFIG, "{\"rate-in\":\"1mbit\"}", "TSW_RATE_IN=2mbit",
	 "rate-in: 2000000 exceeds the network's limit of 1000000"},
	{CNI_BAD_CONFIG, "{\"rate-out\":7}", "", "rate-out"},
	{CNI_BAD_CONFIG, "{\"nameFrom\":\"me\"}", "", "nameFrom: \"me\" is unknown"},
	{CNI_BAD_ENV, "{\"nameFrom\":\"id\"}", "TSW_NAME=x", "does not let containers choose a name"},
	{CNI_BAD_CONFIG, "{\"rate-out\":\"5\"}", "", "rate-out: \"5\""},
	{CNI_BAD_CONFIG, "{\"runtimeConfig\":{\"bandwidth\":{\"ingressRate\":5}}}", "", "5 is not between"},
	{CNI_BAD_CONFIG, "{\"runtimeConfig\":{\"bandwidth\":{\"egressBurst\":5}}}", "", "needs egressRate"},
	{CNI_BAD_CONFIG, CHOICE("\"groupChoice\":[\"db\"]", LABEL("tsw.group", "web")), "",
	 "label tsw.group: the network does not let its containers choose group \"web\""},
	{CNI_BAD_CONFIG, CHOICE("\"groupChoice\":\"any\"", LABEL("tsw.group", "web,,db")), "",
	 "label tsw.group: \"\" "},
	{CNI_BAD_ENV, "{\"groups\":[\"web\"]}", "TSW_GROUP=db", "CNI_ARGS: TSW_GROUP: the network does not"},
	{CNI_BAD_CONFIG, "{\"groups\":[\"a/b\"]}", "", "groups: \"a/b\""},
	{CNI_BAD_CONFIG, "{\"groups\":7}", "", "groups: \"7\" is not a list"},
	/* A container must not give itself what the network does not offer. */
	{CNI_BAD_CONFIG, LABELS(LABEL("tsw.xdp", "on")), "",
	 "label tsw.xdp: the network does not let its containers choose xdp \"on\""},
	{CNI_BAD_CONFIG, CHOICE("\"xdpChoice\":true", LABEL("tsw.server", "on")), "", "choose server \"on\""},
	{CNI_BAD_CONFIG, CHOICE("\"serverChoice\":\"off\"", LABEL("tsw.server", "on")), "", "choose server"},
	{CNI_BAD_CONFIG, CHOICE("\"server\":true", LABEL("tsw.server", "off")), "", "choose server \"off\""},
	{CNI_BAD_CONFIG, ANNOTATIONS("\"tsw.server\":\"on\""), "", "annotation tsw.server: the network does not"},
	{CNI_BAD_ENV, "{}", "TSW_SERVER=on", "CNI_ARGS: TSW_SERVER: the network does not"},
	{CNI_BAD_CONFIG, CHOICE("\"serverChoice\":\"any\"", LABEL("tsw.server", "yes")), "",
	 "label tsw.server: \"yes\""},
	{CNI_BAD_CONFIG, CHOICE("\"serverChoice\":\"any\"", LABEL("tsw.server", "")), "", "label tsw.server: \"\""},
	{CNI_BAD_CONFIG, "{\"xdp\":7}", "", "xdp: \"7\""},
	{CNI_BAD_CONFIG, "{\"xdpChoice\":\"maybe\"}", "", "xdpChoice: \"maybe\""},
	{CNI_BAD_CONFIG, "{\"xdpChoise\":\"any\"}", "", "did you mean \"xdpChoice\"?"},
	/* Keys that are nearly right, and values of another type. */
	{CNI_BAD_CONFIG, "{\"tenat\":\"red\"}", "", "key \"tenat\" is unknown; did you mean \"tenant\"?"},
	{CNI_BAD_CONFIG, "{\"Tennat\":\"red\"}", "", "key \"Tennat\" is unknown; did you mean \"tenant\"?"},
	{CNI_BAD_CONFIG, "{\"group\":\"web\"}", "", "did you mean \"groups\"?"},
	{CNI_BAD_CONFIG, "{\"rate_in\":\"1mbit\"}", "", "did you mean \"rate-in\"?"},
	{CNI_BAD_CONFIG, "{\"capabilities\":{\"portMapping\":true}}", "",
	 "capabilities: key \"portMapping\" is unknown; did you mean \"portMappings\"?"},
	{CNI_BAD_CONFIG, RUNTIME("\"bandwith\":{}"), "", "runtimeConfig: key \"bandwith\""},
	{CNI_BAD_CONFIG, RUNTIME("\"bandwidth\":{\"IngresRate\":5000}"), "", "bandwidth: key \"IngresRate\""},
	{CNI_BAD_CONFIG, RUNTIME("\"dns\":{\"server\":[]}"), "", "dns: key \"server\""},
	{CNI_BAD_CONFIG, "{\"dns\":{\"nameserver\":[]}}", "", "did you mean \"nameservers\"?"},
	{CNI_BAD_CONFIG, RUNTIME("\"portMappings\":[{\"hostPrt\":80}]"), "", "portMappings: key \"hostPrt\""},
	{CNI_BAD_CONFIG, RUNTIME("\"bandwidth\":\"1M\""), "", "bandwidth: \"\\\"1M\\\"\" is not an object"},
	{CNI_BAD_CONFIG, RUNTIME("\"dns\":{\"Servers\":\"9.9.9.9\"}"), "", "dns: servers: "},
	{CNI_BAD_CONFIG, RUNTIME("\"dns\":{\"Servers\":[9]}"), "", "dns: servers[0] is not a text"},
	{CNI_BAD_CONFIG, RUNTIME("\"portMappings\":{}"), "", "portMappings: \"{}\" is not a list"},
	{CNI_BAD_CONFIG, "{\"runtimeConfig\":[]}", "", "runtimeConfig: \"[]\" is not an object"},
	{CNI_BAD_CONFIG, "{\"ipam\":\"host-local\"}", "", "ipam: "},
	/* Addresses. */
	{CNI_BAD_CONFIG, ANNOTATIONS("\"tsw.ip\":\"10.0.0.5\""), "",
	 "annotation tsw.ip: the network does not let its containers choose address \"10.0.0.5\""},
	{CNI_BAD_CONFIG, CHOICE("\"addressChoice\":[\"10.0.0.128/25\"]", LABEL("tsw.ip", "10.0.0.5")), "",
	 "does not let its containers choose address"},
	{CNI_BAD_CONFIG, CHOICE("\"addressChoice\":\"any\",\"ipam\":{\"type\":\"x\"}", LABEL("tsw.ip", "10.0.0.5")),
	 "", "plugin \"x\" chooses the addresses"},
	{CNI_BAD_ENV, "{\"addressChoice\":\"any\"}", "IP=10.0.0.4;TSW_IP=10.0.0.5", "addresses are given twice"},
	{CNI_BAD_ENV, "{\"addressChoice\":\"any\"}", "TSW_IP=10.0.0", "\"10.0.0\""},
	{CNI_BAD_ENV, "{\"addressChoice\":\"any\"}", "TSW_IP=10.0.0.5,", "\"\""},
	{CNI_BAD_CONFIG, "{\"addressChoice\":[\"10.0.0\"]}", "", "addressChoice: \"10.0.0\""},
	{CNI_BAD_ENV, "{}", "TSW_MAC=02:00:00:00:00:01", "does not let its containers choose a MAC"},
	{CNI_BAD_ENV, "{\"addressChoice\":\"any\"}", "MAC=02:00:00:00:00:01;TSW_MAC=02:00:00:00:00:02",
	 "two MACs are given"},
	{CNI_BAD_ENV, "{\"addressChoice\":\"any\"}", "TSW_MAC=01:00:00:00:00:02", "01:00:00:00:00:02"},
	{CNI_BAD_CONFIG, "{\"groups\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}", "",
	 "one group too many"},
};
/* clang-format on */

static void refused(void **state)
{
	struct want want;
	struct cni c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		if (!read_want(refusals[i].config, refusals[i].args, &c, &want) ||
		    c.code != refusals[i].code || !strstr(failure()->text, refusals[i].said))
			fail_msg("%s %s: %d, %s", refusals[i].config, refusals[i].args, c.code,
				 failure()->text);
}

/* The container's own choice of addresses. */
static void addresses(void **state)
{
	/* clang-format off */
	static const struct {
		const char *config, *args, *ip[2], *mac;
	} rows[] = {
		{"{\"addressChoice\":\"any\"}", "", {NULL, NULL}, "00:00:00:00:00:00"},
		{"{\"addressChoice\":\"any\"}", "TSW_IP=10.0.0.5,fd00::5;TSW_MAC=02:00:00:00:00:05",
		 {"10.0.0.5", "fd00::5"}, "02:00:00:00:00:05"},
		{CHOICE("\"addressChoice\":[\"10.9.0.0/16\",\"10.0.0.0/25\"]", LABEL("tsw.ip", "10.0.0.5/24")), "",
		 {"10.0.0.5", NULL}, "00:00:00:00:00:00"},
		{"{\"addressChoice\":[]}", "MAC=02:00:00:00:00:05;TSW_MAC=02:00:00:00:00:05", {NULL, NULL},
		 "02:00:00:00:00:05"},
	};
	/* clang-format on */
	struct want want;
	struct cni c;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (read_want(rows[i].config, rows[i].args, &c, &want))
			fail_msg("%s %s: %s", rows[i].config, rows[i].args, failure()->text);
		for (k = 0; k < 2 && rows[i].ip[k]; k++)
			assert_string_equal(addr_text(&want.dress.ip[k].at.addr), rows[i].ip[k]);
		assert_int_equal(want.dress.n_ip, k);
		assert_string_equal(mac_text(&want.mac), rows[i].mac);
	}
}

/* What read_want() writes to standard error. */
static void told_of(const char *config, char *text, int room)
{
	const int was = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	struct want want;
	struct cni c;
	size_t n;
	int err;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	err = read_want(config, "", &c, &want);
	dup2(was, STDERR_FILENO);
	close(was);
	rewind(file);
	n = fread(text, 1, (size_t)room - 1, file);
	text[n] = '\0';
	fclose(file);
	if (err)
		fail_msg("%s: %s", config, failure()->text);
}

/* Unknown keys that may be another's are ignored, and told. */
static void told(void **state)
{
	/* clang-format off */
	static const struct {
		const char *config, *said;
	} rows[] = {
		{"{\"kubeconfig\":\"x\"}",
		 "tsw-cni: network \"net\": the network's configuration: key \"kubeconfig\" is unknown, and ignored\n"},
		{"{\"capabilities\":{\"aliases\":true}}", "capabilities: key \"aliases\""},
		{RUNTIME("\"ipRanges\":[]"), "runtimeConfig: key \"ipRanges\""},
		{RUNTIME("\"bandwidth\":{\"shapedSubnets\":[]}"), "bandwidth: key \"shapedSubnets\""},
		{RUNTIME("\"portMappings\":[{\"ContainerPort\":8,\"HostPort\":8,\"range\":2}]"), "portMappings: key \"range\""},
		{RUNTIME("\"portMappings\":[{\"ContainerPort\":8,\"HOSTPORT\":8,\"hostIp\":\"\",\"Protocol\":\"tcp\"}]"), NULL},
		{"{\"cniVersion\":\"1.0.0\",\"cni.dev/attachments\":[],\"_comment\":\"x\",\"example.com/x\":1}", NULL},
		{"{\"ipam\":{\"type\":\"host-local\",\"range\":7},\"capabilities\":{\"ipRanges\":true}}", NULL},
		{"{\"deviceID\":\"x\",\"ipMasq\":false,\"disableCheck\":true}", NULL},
	};
	/* clang-format on */
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		told_of(rows[i].config, text, sizeof(text));
		if (rows[i].said ? !strstr(text, rows[i].said) : *text != '\0')
			fail_msg("%s: %s", rows[i].config, text);
	}
}

/* GC takes what begins as its network's own: nobody else may. */
static void own(void **state)
{
	char args[256];
	struct want want;
	struct cni c;

	(void)state;
	assert_int_equal(read_want("{}", "", &c, &want), 0);
	snprintf(args, sizeof(args), "TSW_NAME=%sx", c.names.network);
	assert_int_not_equal(read_want("{}", args, &c, &want), 0);
	assert_non_null(strstr(failure()->text, "begins like the names that this network makes"));
	snprintf(args, sizeof(args), "K8S_POD_NAME=%sx", c.names.network);
	assert_int_equal(read_want("{}", args, &c, &want), 0);
	assert_string_equal(want.name.s, "");
	assert_false(want.pod);
}

/* ---- what is kept ----------------------------------------------------------------- */

static int count(void *n, const char *name)
{
	assert_memory_equal(name, "cni-a-", 6);
	++*(int *)n;
	return 0;
}

static void kept(void **state)
{
	char directory[] = "/tmp/unit_cni.XXXXXX", path[64];
	struct given g = {.directory = directory, .own = {"cni-a-1"}};
	json_t *all = NULL;
	struct world w = WORLD_CLOSED;
	const struct tsw_name red = {"red"};
	FILE *file;
	int n = 0;

	(void)state;
	w.t.instance = "unit-cni-nowhere";
	assert_non_null(mkdtemp(directory));
	assert_int_equal(kept_read(directory, "cni-a-1", &all), -ENOENT);
	assert_int_equal(given_load(&g, &w, &red), 0);
	assert_string_equal(given_name(&g)->s, "cni-a-1");
	assert_int_equal(kept_write(directory, "cni-b-1", json_object(), false), 0);
	all = json_pack("{s:s, s:s, s:s, s:i}", "tenant", "red", "name", "web", "dev", "tswx",
			"ifindex", 7);
	assert_int_equal(kept_write(directory, "cni-a-1", json_incref(all), true), 0);
	assert_int_equal(kept_write(directory, "cni-a-1", all, false), 0); /* in its place */
	assert_int_equal(given_load(&g, &w, &red), 0);
	assert_string_equal(given_name(&g)->s, "web");
	assert_string_equal(g.tenant.s, "red");
	assert_string_equal(g.dev, "tswx");
	assert_int_equal(g.ifindex, 7);
	assert_int_equal(kept_each(directory, "cni-a-", count, &n), 0);
	assert_int_equal(n, 1);
	/* As a crash may leave it. */
	snprintf(path, sizeof(path), "%s/cni-a-1", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(given_load(&g, &w, &red), 0);
	assert_string_equal(given_name(&g)->s, "cni-a-1");
	/* Damaged, with no endpoint at its device. */
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("{\"tenant\": \"red\", \"na", file);
	fclose(file);
	assert_int_equal(given_load(&g, &w, &red), -EINVAL);
	assert_non_null(strstr(failure()->text, "is damaged"));
	assert_int_equal(kept_remove(directory, "cni-a-1"), 0);
	assert_int_equal(kept_remove(directory, "cni-a-1"), 0);
	assert_int_equal(kept_remove(directory, "cni-b-1"), 0);
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(kept_each(directory, "", count, &n), 0);
}

/* A plugin's devices are known by their names. Users' devices and the switch's own are not. */
static void devices(void **state)
{
	static const char *const others[] = {"",
					     "tsw",
					     "tsw-gw",
					     "tsw-vx",
					     "eth0",
					     "veth1a2b3c",
					     "tswweb",
					     "tswabcdefghijk",
					     "tswabcdefghijklm",
					     "tswabcdefghijk1",
					     "tswabcdefghijkL",
					     "tsxabcdefghijkl",
					     "tsw-bcdefghijkl"};
	char container[16];
	struct cni_names names;
	size_t i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(container, sizeof(container), "c%zu", i);
		cni_name("default", "net", container, "eth0", &names);
		assert_true(plugin_device(names.dev));
	}
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (plugin_device(others[i]))
			fail_msg("%s", others[i]);
}

static void put_given(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Only names and devices that fit are the plugin's; a given name is by its file. */
static void whose(void **state)
{
	char root[] = "/tmp/tsw-unit-cni-XXXXXX", command[256], path[512], text[512];
	struct plugins none = {}, p;
	struct cni_names names, other;
	char dev[IFNAMSIZ];
	const char *own;

	(void)state;
	cni_name("default", "net", "0123456789abcdef", "eth0", &names);
	cni_name("default", "net", "c2", "eth0", &other);
	own = names.endpoint.s;
	assert_string_equal(plugin_of(&none, "red", own, names.dev), "tsw-cni");
	assert_null(plugin_of(&none, "red", own, other.dev));
	names.dev[3] = names.dev[3] == 'a' ? 'b' : 'a'; /* of another network */
	assert_null(plugin_of(&none, "red", own, names.dev));
	names.dev[3] = own[strlen("cni-")];
	assert_null(plugin_of(&none, "red", own, "tswwebserverabc"));
	assert_null(plugin_of(&none, "red", own, ""));
	assert_null(plugin_of(&none, "red", "web", names.dev));
	assert_null(plugin_of(&none, "red", "web", "tswwebserverabc"));
	assert_null(plugin_of(&none, "red", "cni-", names.dev));

	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command), "mkdir -p %s%s", root, PLUGIN_CNI_DIRECTORY);
	assert_int_equal(system(command), 0);
	assert_int_equal(plugins_read(&p, root, "default"), 0);
	assert_int_equal(p.n, 0);
	snprintf(path, sizeof(path), "%s%s/%s", root, PLUGIN_CNI_DIRECTORY, own);
	snprintf(text, sizeof(text),
		 "{\"tenant\":\"red\",\"name\":\"web\",\"dev\":\"%s\",\"ifindex\":7}", names.dev);
	put_given(path, text);
	snprintf(path, sizeof(path), "%s%s/%s", root, PLUGIN_CNI_DIRECTORY, other.endpoint.s);
	put_given(path, "{\"tenant\": \"red\", \"na");
	assert_int_equal(plugins_read(&p, root, "default"), 0);
	assert_int_equal(p.n, 1);
	assert_string_equal(plugin_of(&p, "red", "web", names.dev), "tsw-cni");
	assert_null(plugin_of(&p, "blue", "web", names.dev));
	assert_null(plugin_of(&p, "red", "web", other.dev));
	assert_null(plugin_of(&p, "red", "web2", names.dev));
	assert_string_equal(plugin_of_dead(&p, "default", "red", "web", dev), "tsw-cni");
	assert_string_equal(dev, names.dev);
	assert_null(plugin_of_dead(&p, "default", "blue", "web", dev));
	assert_null(plugin_of_dead(&p, "default", "red", "web2", dev));
	assert_string_equal(plugin_of_dead(&p, "default", "blue", other.endpoint.s, dev),
			    "tsw-cni");
	assert_string_equal(dev, other.dev);
	assert_null(plugin_of_dead(&p, "default", "red", "cni-by-hand-and-long-enough", dev));
	plugin_forget(&p, "red", "web", other.dev);
	assert_int_equal(access(p.all[0].file, F_OK), 0);
	plugin_forget(&p, "red", "web", names.dev);
	assert_int_equal(access(p.all[0].file, F_OK), -1);
	plugins_free(&p);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken), cmocka_unit_test(offered),   cmocka_unit_test(refused),
		cmocka_unit_test(own),	 cmocka_unit_test(addresses), cmocka_unit_test(told),
		cmocka_unit_test(kept),	 cmocka_unit_test(devices),   cmocka_unit_test(whose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
