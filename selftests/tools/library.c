// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a program does with libtsw, for cli/library.sh. Prints `ok WHAT` or `no WHAT: why`.
 *
 *   library make|down HOST VTEP HOST VTEP    both hosts' switches, a thread for each
 *   library refuse|state|lock|watch HOST
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tsw/object.h>
#include <tsw/state.h>
#include <tsw/watch.h>

enum { WAIT_MS = 20000, TENANTS = 2, CONTAINERS = 3, ROUNDS = 40 };

static const char *const tenants[TENANTS] = {"red", "blue"};
static const char *const names[CONTAINERS] = {"a", "b", "c"};

static int said(int err, const char *what)
{
	flockfile(stdout);
	if (err)
		printf("no %s: %d, %s\n", what, err, tsw_error());
	else
		printf("ok %s\n", what);
	funlockfile(stdout);
	return err;
}

static void want(bool is, const char *what)
{
	printf("%s %s%s\n", is ? "ok" : "no", what, is ? "" : ": it is not so");
}

/* ---- make: what the command would make, field by field ----------------------------- */

struct host {
	const char *name, *vtep;
	const struct host *other;
	bool first; /* a and b live here, c there */
	pthread_t thread;
};

static struct tsw *open_on(const char *host, __u32 wait_ms)
{
	const struct tsw_options options = {.netns = host, .wait_ms = wait_ms};
	struct tsw *t;

	if (said(tsw_open(&options, &t), "opened"))
		exit(1);
	return t;
}

static struct tsw_name named(const char *text)
{
	struct tsw_name name = {};

	snprintf(name.s, sizeof(name.s), "%s", text);
	return name;
}

static struct tsw_addr_pair at(const char *text)
{
	struct tsw_addr_pair pair = {};

	if (tsw_read_addr(text, &pair.of[TSW_IPV4]))
		exit(1);
	return pair;
}

static int make_endpoint(struct tsw *t, const struct host *h, const char *tenant, int i)
{
	struct tsw_endpoint_spec spec = {
		.name = named(names[i]), .tenant = named(tenant), .mac.b = {2, 0, 0, 0, 0}};
	char ip[16];

	spec.mac.b[5] = (__u8)(i + 1);
	snprintf(ip, sizeof(ip), "10.0.0.%d", i + 1);
	if (tsw_read_addr(ip, &spec.ip.at[spec.ip.n++]))
		return -EINVAL;
	if (h->first == (i < 2))
		snprintf(spec.dev, sizeof(spec.dev), "%s-%s", tenant, names[i]);
	else
		spec.host = named(h->other->name);
	return tsw_endpoint_add(t, &spec);
}

static int make_gateway(struct tsw *t, const char *tenant)
{
	struct tsw_gateway_spec gateway = TSW_GATEWAY_DEFAULTS, is;
	struct tsw_publish_spec publish = {.proto = TSW_PROTO_TCP, .port = 5080};
	int err = tsw_read_prefix("10.0.0.254/24", &gateway.ip.at[gateway.ip.n++]);

	err = err ?: tsw_gateway_put(t, tenant, &gateway);
	err = err ?: tsw_gateway_get(t, tenant, &is);
	want(!err && is.nat && is.ip.n == 1 && is.mac.b[0] && !is.host.s[0],
	     "a gateway is read as it was made");
	publish.to.port = 80;
	err = err ?: tsw_read_addr("10.0.0.1", &publish.to.addr);
	return err ?: tsw_publish_add(t, tenant, &publish);
}

static int make_tenant(struct tsw *t, const struct host *h, const char *tenant)
{
	struct tsw_tenant_spec spec = TSW_TENANT_DEFAULTS, is;
	int err, i;

	spec.name = named(tenant);
	spec.id = tenant == tenants[0] ? 100 : 200;
	spec.limits.rate[TSW_RATE_IN] = 900000000;
	err = tsw_tenant_add(t, &spec);
	err = err ?: tsw_tenant_get(t, tenant, &is);
	want(!err && !memcmp(&is, &spec, sizeof(is)), "a tenant is read as it was made");
	for (i = 0; !err && i < CONTAINERS; i++)
		err = make_endpoint(t, h, tenant, i);
	return err;
}

static void *make(void *context)
{
	const struct host *h = context;
	struct tsw_switch_spec up = {
		.dev = {1, {"eth0"}}, .local = at(h->vtep), .name = named(h->name)};
	const struct tsw_host_spec other = {named(h->other->name), at(h->other->vtep)};
	struct tsw *t = open_on(h->name, WAIT_MS);
	int i;

	said(tsw_switch_up(t, &up), "the switch is up");
	want(tsw_switch_up(t, &up) == 0, "and up already");
	said(tsw_host_add(t, &other), "it knows the other host");
	for (i = 0; i < TENANTS; i++)
		said(make_tenant(t, h, tenants[i]), "a tenant is made");
	if (h->first)
		said(make_gateway(t, "red"), "a gateway and a published port");
	tsw_close(t);
	return NULL;
}

static void *down(void *context)
{
	const struct host *h = context;
	struct tsw *t = open_on(h->name, WAIT_MS);

	if (h->first) {
		said(tsw_gateway_del(t, "red", true), "the gateway goes");
		said(tsw_endpoint_del(t, "red", "a"), "an endpoint goes");
		said(tsw_tenant_del(t, "blue", true), "a tenant goes with its endpoints");
	}
	said(tsw_switch_down(t), "the switch is down");
	tsw_close(t);
	return NULL;
}

static void both(void *(*what)(void *), char **word)
{
	struct host host[2] = {{.name = word[0], .vtep = word[1], .first = true},
			       {.name = word[2], .vtep = word[3]}};
	int i;

	for (i = 0; i < 2; i++) {
		host[i].other = &host[!i];
		pthread_create(&host[i].thread, NULL, what, &host[i]);
	}
	for (i = 0; i < 2; i++)
		pthread_join(host[i].thread, NULL);
}

/* ---- refuse: what no word was read for is looked at, too ---------------------------- */

static void refused(int err, int code, const char *said_of)
{
	char what[256];

	snprintf(what, sizeof(what), "refused: %s", said_of);
	if (err == code && strstr(tsw_error(), said_of))
		said(0, what);
	else
		printf("no %s: %d, %s\n", what, err, tsw_error());
}

static void refuse_endpoints(struct tsw *t)
{
	struct tsw_endpoint_spec spec = {.name = named("x"), .tenant = named("red")};

	refused(tsw_endpoint_add(t, &spec), -EINVAL, "mac: \"00:00:00:00:00:00\"");
	spec.mac.b[0] = 2;
	refused(tsw_endpoint_add(t, &spec), -EINVAL, "give either dev DEV or host HOST");
	spec.host = named("h2");
	spec.ip.n = TSW_ENDPOINT_IPS + 1;
	refused(tsw_endpoint_add(t, &spec), -EINVAL, "ip: the value is out of range");
	spec.ip.n = 2; /* the same twice, and nobody's */
	refused(tsw_endpoint_add(t, &spec), -EINVAL, "ip[0]: \"::\"");
	spec.ip.n = 0;
	memset(spec.name.s, 'x', sizeof(spec.name.s));
	refused(tsw_endpoint_add(t, &spec), -EINVAL, "name: the value is out of range");
	spec.name = named("a");
	refused(tsw_endpoint_add(t, &spec), -EEXIST, "already has an endpoint \"a\"");
	spec.tenant = named("green");
	refused(tsw_endpoint_add(t, &spec), -ENOENT, "there is no tenant \"green\"");
	refused(tsw_endpoint_del(t, "red", "nobody"), -ENOENT, "no endpoint \"nobody\"");
	refused(tsw_endpoint_get(t, "red", "a\nb", &spec), -EINVAL, "\"a\\x0ab\"");
	refused(tsw_endpoint_get(t, NULL, "a", &spec), -EINVAL, "\"\"");
}

/* What stands behind the end of a name is no part of it. What the switch chooses is told. */
static void canonical(struct tsw *t)
{
	struct tsw_tenant_spec spec = {.id = 100, .automatic = TSW_AUTO_ID}, is;
	struct tsw_endpoint_spec ep = {.name = named("x"),
				       .tenant = named("green"),
				       .host = named("h2"),
				       .automatic = TSW_AUTO_MAC | TSW_AUTO_IP};

	memset(spec.name.s, 'x', sizeof(spec.name.s));
	strcpy(spec.name.s, "green");
	tsw_read_prefix("10.0.0.0/30", &spec.net.at[spec.net.n++]);
	said(tsw_tenant_add(t, &spec), "a tenant whose name has octets behind its end");
	want(!tsw_tenant_get(t, "green", &is) && is.id == 1, "is found by its name, with an id");
	want(!tsw_endpoint_add(t, &ep) && !tsw_endpoint_get(t, "green", "x", &ep) && ep.ip.n == 1 &&
		     (ep.mac.b[0] & 3) == 2 && !ep.automatic,
	     "an endpoint has a MAC and an address");
	ep.automatic = TSW_AUTO_ID;
	refused(tsw_endpoint_put(t, &ep), -EINVAL, "automatic: 0x1 is not possible here");
	said(tsw_tenant_del(t, "green", true), "and deleted");
}

/* A handle of one namespace while the thread is in another's. */
static void elsewhere(struct tsw *t, const char *other)
{
	struct tsw_tenant_spec red;
	struct tsw *second = open_on(other, WAIT_MS);

	refused(tsw_tenant_get(t, "red", &red), -EINVAL, "not in the network namespace where");
	refused(tsw_switch_down(t), -EINVAL, "not in the network namespace where");
	tsw_close(second);
	said(tsw_tenant_get(t, "red", &red), "back in its own it goes on");
}

static void refuse(const char *host)
{
	struct tsw_tenant_spec tenant = {.name = named("green")};
	struct tsw_gateway_spec gateway = TSW_GATEWAY_DEFAULTS;
	struct tsw_peer_spec peer = {
		.tenant = named("red"), .with = named("blue"), .proto = 9, .port = 80};
	struct tsw_options options = {.netns = "nowhere"};
	struct tsw *t;

	refused(tsw_open(&options, &t), -ENOENT, "network namespace \"nowhere\"");
	options = (struct tsw_options){.instance = "a/b"};
	refused(tsw_open(&options, &t), -EINVAL, "\"a/b\"");
	options.instance = "other";
	if (said(tsw_open(&options, &t), "a switch that is not up can be opened"))
		return;
	refused(tsw_tenant_del(t, "red", true), -ENOENT, "no switch");
	tsw_close(t);
	want(strstr(tsw_error(), "no switch"), "what was said outlives the handle");

	t = open_on(host, WAIT_MS);
	refused(tsw_tenant_put(t, &tenant), -EINVAL, "\"id\" is missing");
	tenant.id = TSW_VNI_MAX + 1;
	refused(tsw_tenant_put(t, &tenant), -EINVAL, "16777216");
	want(tsw_error_status() == 2, "its exit status is that of a wrong command");
	tenant = (struct tsw_tenant_spec){.name = named("green"), .id = 5, .encap = 7};
	refused(tsw_tenant_put(t, &tenant), -EINVAL, "encap: the value is out of range");
	tenant = (struct tsw_tenant_spec){.name = named("green"), .id = 5, .mtu = 100};
	refused(tsw_tenant_put(t, &tenant), -EINVAL, "mtu: 100");
	tenant = (struct tsw_tenant_spec){.name = named("green"), .id = 5, .limits.burst = 9000};
	refused(tsw_tenant_put(t, &tenant), -EINVAL, "burst");
	refused(tsw_switch_set(t, &(struct tsw_switch_spec){.given = TSW_SWITCH_DEV}), -EINVAL,
		"a switch needs a device");
	refused(tsw_gateway_put(t, "red", &gateway), -EINVAL, "a gateway needs an address");
	refused(tsw_peer_add(t, &peer), -EINVAL, "proto: the value is out of range");
	refuse_endpoints(t);
	canonical(t);
	elsewhere(t, "h2");
	tsw_close(t);
}

/* ---- state ------------------------------------------------------------------------- */

static char *save(struct tsw *t)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	said(tsw_state_save(t, f), "it is saved");
	fclose(f);
	return text;
}

static int with(struct tsw *t, char *text, const struct tsw_apply *apply, size_t *n)
{
	FILE *f = fmemopen(text, strlen(text), "r");
	int err = n ? tsw_state_diff(t, f, apply, n) : tsw_state_apply(t, f, apply);

	fclose(f);
	return err;
}

static void count(void *context, const char *json)
{
	++*(size_t *)context;
	if (json[0] != '{' || !strstr(json, "\"change\""))
		printf("no a change is told as JSON: %s\n", json);
}

static int count_host(void *context, const struct tsw_host_spec *spec)
{
	++*(int *)context;
	return strcmp(spec->name.s, "h2") ? -EINVAL : 0;
}

static int count_tenant(void *context, const struct tsw_tenant_spec *spec)
{
	++*(int *)context;
	return spec->id == 100 || spec->id == 200 ? 0 : -EINVAL;
}

static int count_endpoint(void *context, const struct tsw_endpoint_spec *spec)
{
	return ++*(int *)context == 4 || spec->ip.n != 1;
}

static void lists(struct tsw *t)
{
	int n[4] = {};

	said(tsw_hosts(t, count_host, &n[0]), "hosts are listed");
	said(tsw_tenants(t, count_tenant, &n[1]), "tenants are listed");
	said(tsw_endpoints(t, "red", count_endpoint, &n[2]), "endpoints of one are listed");
	said(tsw_endpoints(t, NULL, count_endpoint, &n[3]), "of all, until there are enough");
	want(n[0] == 1 && n[1] == 2 && n[2] == 3 && n[3] == 4, "as many as there are");
}

static void state(const char *host)
{
	struct tsw *t = open_on(host, WAIT_MS), *reader = open_on(host, WAIT_MS);
	struct tsw_tenant_spec red;
	char *before = save(t), *after;
	size_t told = 0, n = 9;
	const struct tsw_apply apply = {.change = count, .context = &told};
	bool ok = false;

	said(with(t, before, NULL, &n), "it is compared with itself");
	want(!n, "and is as it is");
	said(tsw_tenant_get(t, "red", &red), "a tenant is read");
	red.broadcast = false;
	said(tsw_tenant_put(t, &red), "and changed");
	said(with(t, before, &apply, &n), "it is compared");
	want(n == 1 && told == 1, "one change is found and told");
	lists(reader);
	said(tsw_switch_down(t), "the switch goes down");
	refused(tsw_tenant_get(reader, "red", &red), -ENOENT, "no switch");
	told = 0;
	said(with(t, before, &apply, NULL), "the state is applied");
	want(told > 5, "all of it is told");
	after = save(t);
	want(!strcmp(before, after), "and saved as it was before");
	tsw_release(t);
	said(tsw_tenant_get(reader, "red", &red), "who has read before reads the new one");
	want(red.broadcast, "as it is now");
	tsw_close(reader);
	said(tsw_switch_check(t, &ok, NULL), "it is checked");
	want(ok, "and is well");
	said(tsw_switch_repair(t), "there is nothing to repair");
	said(tsw_switch_upgrade(t), "nor to upgrade");
	want(with(t, (char[]){"{\"format\": 1, \"hosts\": [], \"x\": 1}"}, NULL, NULL) == -EINVAL &&
		     strstr(tsw_error(), "\"x\""),
	     "a key that nobody knows is refused");
	want(with(t, (char[]){"{"}, NULL, NULL) == -EINVAL, "and so is what is no JSON");
	free(before);
	free(after);
	tsw_close(t);
}

/* ---- lock: two threads and one switch ------------------------------------------------ */

static void *other_thread(void *context)
{
	const char *host = context;
	struct tsw_tenant_spec red;
	struct tsw *t = open_on(host, 200);

	said(tsw_tenant_get(t, "red", &red), "who reads does not wait");
	refused(tsw_tenant_put(t, &red), -EBUSY, "waited 0.2 s");
	said(tsw_tenant_get(t, "red", &red), "nor behind a change that was refused");
	tsw_close(t);
	t = open_on(host, WAIT_MS);
	said(tsw_tenant_put(t, &red), "who waits gets its turn");
	tsw_close(t);
	return NULL;
}

/* In another thread: it is another's. */
static void *at_once(void *context)
{
	struct tsw_tenant_spec red;
	struct tsw *t = open_on(context, TSW_WAIT_NONE);

	said(tsw_tenant_get(t, "red", &red) ?: tsw_tenant_put(t, &red), "nobody has the lock");
	tsw_close(t);
	return NULL;
}

static void check_lets_go(struct tsw *t, char *host)
{
	pthread_t thread;
	bool ok = false;

	said(tsw_switch_check(t, &ok, NULL), "it is checked without the lock before");
	pthread_create(&thread, NULL, at_once, host);
	pthread_join(thread, NULL);
}

static void lock(char *host)
{
	const struct timespec while_it_waits = {.tv_sec = 1};
	struct tsw_tenant_spec red;
	struct tsw *t = open_on(host, WAIT_MS);
	struct stat before, after;
	pthread_t thread;
	int i, err = 0;

	stat("/proc/thread-self/ns/net", &before);
	said(tsw_tenant_get(t, "red", &red), "a tenant is read");
	said(tsw_tenant_put(t, &red), "a change takes the lock");
	pthread_create(&thread, NULL, other_thread, host);
	nanosleep(&while_it_waits, NULL);
	for (i = 0; !err && i < ROUNDS; i++)
		err = tsw_tenant_put(t, &red);
	said(err, "and keeps it for more");
	tsw_release(t);
	pthread_join(thread, NULL);
	check_lets_go(t, host);
	said(tsw_tenant_put(t, &red), "it is taken again");
	tsw_close(t);
	stat("/proc/thread-self/ns/net", &after);
	want(before.st_ino != after.st_ino, "the thread is back in the namespace of before");
}

/* ---- watch ---------------------------------------------------------------------------- */

static int on_event(void *context, const char *json)
{
	printf("%s\n", json);
	return ++*(int *)context == 3;
}

static int on_idle(void *context)
{
	(void)context;
	fflush(stdout);
	return 0;
}

static void watch(const char *host)
{
	int events = 0;
	const struct tsw_follow follow = {
		.tenant = "red", .event = on_event, .idle = on_idle, .context = &events};
	struct tsw *t = open_on(host, WAIT_MS);

	said(tsw_watch(t, &follow), "three events");
	tsw_close(t);
}

int main(int argc, char **argv)
{
	if (argc == 6)
		both(strcmp(argv[1], "down") ? make : down, argv + 2);
	else if (argc == 3 && !strcmp(argv[1], "refuse"))
		refuse(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "state"))
		state(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "lock"))
		lock(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "watch"))
		watch(argv[2]);
	else
		return 2;
	return fflush(stdout) ? 1 : 0;
}
