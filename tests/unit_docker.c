// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tsw-docker reads of a request of Docker's daemon, and of options and ports in it: what is
 * taken, what is refused and how.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "docker/docker.h"
#include "docker/request.h"
#include "plug/names.h"
#include "record/plugin.h"

#include <cmocka.h>

#define HEAD "POST /NetworkDriver.Join HTTP/1.1\r\n"

enum { SOON_MS = 50 };

/* All of TEXT at once; the connection stays open if STAYS. The request is the caller's to free. */
static int read_text(const char *text, size_t n, bool stays, struct request *r)
{
	int pair[2], status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	if (n)
		assert_int_equal(write(pair[1], text, n), n);
	if (!stays)
		shutdown(pair[1], SHUT_WR);
	status = request_read(pair[0], SOON_MS, r);
	close(pair[0]);
	close(pair[1]);
	return status;
}

static void taken(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *path, *body;
	} rows[] = {
		{HEAD "\r\n", "NetworkDriver.Join", ""},
		{HEAD "Content-Length: 0\r\n\r\n", "NetworkDriver.Join", ""},
		{HEAD "Host: \r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 2\r\n"
		 "Accept: application/vnd.docker.plugins.v1.2+json\r\n\r\n{}", "NetworkDriver.Join", "{}"},
		{HEAD "content-LENGTH:\t3 \t\r\n\r\n{ }", "NetworkDriver.Join", "{ }"},
		{HEAD "X: \xc3\xa4\r\nContent-Length: 1\r\n\r\nx", "NetworkDriver.Join", "x"},
		{"POST / HTTP/1.1\r\n\r\n", "", ""},
	};
	/* clang-format on */
	struct request r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		/* The client waits for the answer: its end of the connection stays open. */
		assert_int_equal(read_text(rows[i].text, strlen(rows[i].text), true, &r), 0);
		assert_string_equal(r.path, rows[i].path);
		assert_int_equal(r.length, strlen(rows[i].body));
		assert_memory_equal(r.body, rows[i].body, r.length);
		free(r.text);
	}
}

static void refused(void **state)
{
	static const struct {
		int status;
		const char *text, *said;
	} rows[] = {
		{405, "GET / HTTP/1.1\r\n\r\n", "\"GET / HTTP/1.1\" is not a POST"},
		{405, "\r\n" HEAD "\r\n", "is not a POST"},
		{405, "post / HTTP/1.1\r\n\r\n", "is not a POST"},
		{505, "POST / HTTP/1.0\r\n\r\n", "is not HTTP/1.1"},
		{505, "POST /\r\n\r\n", "is not HTTP/1.1"},
		{505, "POST / x HTTP/1.1\r\n\r\n", "is not HTTP/1.1"},
		{505, "POST  HTTP/1.1 HTTP/1.1\r\n\r\n", "is not HTTP/1.1"},
		{404, "POST x HTTP/1.1\r\n\r\n", "\"x\" is not a call"},
		{404, "POST /a/b HTTP/1.1\r\n\r\n", "\"/a/b\" is not a call"},
		{404, "POST /\xc3\xa4 HTTP/1.1\r\n\r\n", "is not a call"},
		{400, HEAD "Host\r\n\r\n", "\"Host\" is not a header"},
		{400, HEAD ": x\r\n\r\n", "is not a header"},
		{400, HEAD "A b: x\r\n\r\n", "is not a header"},
		{400, HEAD "Host : x\r\n\r\n", "is not a header"},
		{400, HEAD "A: b\r\n folded\r\n\r\n", "is not a header"},
		{400, HEAD "A: b\nContent-Length: 1\r\n\r\n", "a control character"},
		{400, HEAD "A: b\rc\r\n\r\n", "a control character"},
		{400, HEAD "A: \001\r\n\r\n", "a control character"},
		{400, HEAD "Content-Length: \r\n\r\n", "\"\" is not a length"},
		{400, HEAD "Content-Length: -1\r\n\r\n", "\"-1\" is not a length"},
		{400, HEAD "Content-Length: +1\r\n\r\n", "\"+1\" is not a length"},
		{400, HEAD "Content-Length: 1 2\r\n\r\n", "\"1 2\" is not a length"},
		{400, HEAD "Content-Length: 0x1\r\n\r\n", "\"0x1\" is not a length"},
		{400, HEAD "Content-Length: 1,1\r\n\r\n{", "\"1,1\" is not a length"},
		{400, HEAD "Content-Length: 1\r\nContent-Length: 1\r\n\r\n{", "or a second one"},
		{400, HEAD "Content-Length: 1\r\ncontent-length: 2\r\n\r\n{", "or a second one"},
		{413, HEAD "Content-Length: 1048577\r\n\r\n", "is more than 1048576"},
		{413, HEAD "Content-Length: 99999999999999999999999\r\n\r\n", "is more than"},
		{501, HEAD "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "give a Content-Length"},
		{501, HEAD "Content-Length: 1\r\nTransfer-Encoding: x\r\n\r\n{",
		 "give a Content-Length"},
		{417, HEAD "Expect: 100-continue\r\n\r\n", "is not supported"},
		{400, HEAD "Content-Length: 1\r\n\r\n{}", "is longer than its Content-Length: 1"},
		{400, HEAD "\r\n" HEAD "\r\n", "is longer than its Content-Length: 0"},
		{400, HEAD "Content-Length: 3\r\n\r\n{}", "ends early"},
		{400, HEAD "Host: x\r\n", "ends early"},
		{400, "P", "ends early"},
	};
	struct request r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const int status = read_text(rows[i].text, strlen(rows[i].text), false, &r);

		free(r.text);
		if (status != rows[i].status || !strstr(failure()->text, rows[i].said))
			fail_msg("%s: %d, %s", rows[i].text, status, failure()->text);
	}
}

static void nul(void **state)
{
	static const char *const texts[] = {HEAD "A: x?Content-Length: 1\r\n\r\n{", "?",
					    "POST /?\r\n\r\n"};
	char text[128];
	struct request r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const size_t n = strlen(texts[i]);

		memcpy(text, texts[i], n);
		*(char *)memchr(text, '?', n) = '\0';
		assert_int_equal(read_text(text, n, false, &r), 400);
		free(r.text);
	}
}

static void long_head(void **state)
{
	static char text[REQUEST_HEAD + REQUEST_BODY];
	int n = snprintf(text, sizeof(text), HEAD "A: ");
	struct request r;

	(void)state;
	memset(text + n, 'x', REQUEST_HEAD - (size_t)n - 4);
	memcpy(text + REQUEST_HEAD - 4, "\r\n\r\n", 4);
	assert_int_equal(read_text(text, REQUEST_HEAD, true, &r), 0);
	free(r.text);
	memcpy(text + REQUEST_HEAD - 4, "xxxx\r\n\r\n", 8);
	assert_int_equal(read_text(text, REQUEST_HEAD + 4, true, &r), 431);
	free(r.text);
}

static void late(void **state)
{
	static const char *const texts[] = {HEAD, HEAD "Content-Length: 2\r\n\r\n{", ""};
	struct request r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const __u64 from = clock_ns(CLOCK_MONOTONIC);

		assert_int_equal(read_text(texts[i], strlen(texts[i]), true, &r), 408);
		assert_true(clock_ns(CLOCK_MONOTONIC) - from >= SOON_MS * MS_NS);
		free(r.text);
	}
	assert_int_equal(read_text("", 0, false, &r), -ENODATA);
	free(r.text);
}

/* The time is that of the whole request: who sends an octet now and then has no more of it. */
static void dripping(void **state)
{
	static const char text[] = HEAD "A-header-that-takes-long: xxxxxxxxxxxxxxxxxxxx\r\n\r\n";
	int pair[2], status;
	struct request r;
	pid_t child;
	size_t i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	child = fork();
	if (!child) {
		for (i = 0; i < sizeof(text) - 1 && write(pair[1], &text[i], 1) == 1; i++)
			usleep(SOON_MS * 1000 / 5);
		_exit(0);
	}
	status = request_read(pair[0], SOON_MS, &r);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(status, 408);
	free(r.text);
	close(pair[0]);
	close(pair[1]);
}

/* As it comes, octet by octet: each is a read of its own, and the last of the body is the end. */
static void pieces(void **state)
{
	static const char text[] = HEAD "Content-Length: 2\r\n\r\n{}";
	int pair[2], status;
	struct request r;
	size_t i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	for (i = 0; i < sizeof(text) - 1; i++)
		assert_int_equal(write(pair[1], &text[i], 1), 1);
	status = request_read(pair[0], SOON_MS, &r);
	assert_int_equal(status, 0);
	assert_int_equal(r.length, 2);
	assert_memory_equal(r.body, "{}", 2);
	free(r.text);
	close(pair[0]);
	close(pair[1]);
}

static void answers(void **state)
{
	static const struct {
		int status;
		const char *line;
	} rows[] = {{200, "HTTP/1.1 200 OK\r\n"},
		    {404, "HTTP/1.1 404 Not Found\r\n"},
		    {413, "HTTP/1.1 413 Bad Request\r\n"},
		    {500, "HTTP/1.1 500 Internal Server Error\r\n"}};
	char text[512];
	int pair[2];
	ssize_t n;
	size_t i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(request_answer(pair[0], SOON_MS, rows[i].status, "{\"a\":1}"), 0);
		n = read(pair[1], text, sizeof(text) - 1);
		assert_true(n > 0);
		text[n] = '\0';
		assert_memory_equal(text, rows[i].line, strlen(rows[i].line));
		assert_non_null(strstr(text, "\r\nContent-Length: 7\r\n"));
		assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
		assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n{\"a\":1}");
	}
	/* A client that takes nothing does not keep us. */
	while (send(pair[0], text, sizeof(text), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(request_answer(pair[0], SOON_MS, 200, "{}"), -ETIMEDOUT);
	close(pair[0]);
	close(pair[1]);
}

/* ---- what is in a request --------------------------------------------------------- */

static json_t *loaded(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	if (!value)
		fail_msg("not JSON: %s", text);
	return value;
}

#define RED(rest) "{\"tenant\":\"red\"," rest "}"

static void options(void **state)
{
	static const struct {
		enum docker_of of;
		const char *values, *said;
	} rows[] = {
		{DOCKER_NETWORK, "{}", "name the tenant with -o tenant=NAME"},
		{DOCKER_POOL, "{}", "--ipam-opt tenant=NAME"},
		{DOCKER_NETWORK, RED("\"colour\":\"red\""), "option \"colour\" is unknown"},
		{DOCKER_NETWORK, RED("\"instance\":\"a/b\""), "option \"instance\": \"a/b\""},
		{DOCKER_NETWORK, RED("\"mtu\":\"x\""), "option \"mtu\": \"x\""},
		{DOCKER_NETWORK, RED("\"mtu\":7"), "option \"mtu\": its value is not a text"},
		{DOCKER_NETWORK, RED("\"rate-in\":\"5\""), "option \"rate-in\": \"5\""},
		{DOCKER_NETWORK, RED("\"group-choice\":\"a/b\""), "\"a/b\""},
		{DOCKER_NETWORK, RED("\"xdp\":\"maybe\""), "option \"xdp\": \"maybe\""},
		{DOCKER_NETWORK, RED("\"xdp-choice\":\"maybe\""),
		 "option \"xdp-choice\": \"maybe\""},
		{DOCKER_NETWORK, RED("\"xdp\":7"), "option \"xdp\": its value is not a text"},
		{DOCKER_ENDPOINT, "{\"xdp-choice\":\"any\"}", "option \"xdp-choice\" is unknown"},
		{DOCKER_ENDPOINT, "{\"server\":\"on\"}",
		 "does not let its containers choose server \"on\""},
		{DOCKER_POOL, RED("\"xdp\":\"on\""), "option \"xdp\" is unknown"},
		{DOCKER_NETWORK, RED("\"device\":\"tap\""), "\"tap\" is unknown"},
		{DOCKER_NETWORK, RED("\"ip\":\"x\""), "\"ip\" is not accepted here; "},
		{DOCKER_NETWORK, RED("\"mac\":\"x\""), "\"mac\" is not accepted here; "},
		{DOCKER_NETWORK, RED("\"publish\":\"x\""), "\"publish\" is not accepted here"},
		{DOCKER_NETWORK, RED("\"dns\":\"x\""), "\"dns\" is not accepted here; "},
		{DOCKER_NETWORK, RED("\"name\":\"x\""), "\"name\" is not accepted here; "},
		{DOCKER_POOL, RED("\"mtu\":\"1400\""), "option \"mtu\" is unknown"},
		{DOCKER_ENDPOINT, "{\"tenant\":\"blue\"}", "option \"tenant\" is unknown"},
		{DOCKER_ENDPOINT, "{\"name\":\"a/b\"}", "option \"name\": \"a/b\""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct docker_options o = {};
		json_t *values = loaded(rows[i].values);

		if (!docker_options_read(values, rows[i].of, &o) ||
		    !strstr(failure()->text, rows[i].said))
			fail_msg("%s: %s", rows[i].values, failure()->text);
		json_decref(values);
	}
}

static void ids(void **state)
{
	static const struct {
		const char *body, *said;
	} rows[] = {
		{"{}", "NetworkID: \"\""},
		{"{\"NetworkID\":\"../x\"}", "NetworkID: \"../x\""},
		{"{\"NetworkID\":7}", "NetworkID: \"7\" is not a text"},
		{"{\"NetworkID\":\"a\",\"EndpointID\":\"A\"}", "EndpointID: \"A\""},
	};
	const char *network, *endpoint;
	struct docker_names names;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_t *body = loaded(rows[i].body);

		if (!docker_ids(body, &network, &endpoint) ||
		    !strstr(failure()->text, rows[i].said))
			fail_msg("%s: %s", rows[i].body, failure()->text);
		json_decref(body);
	}
	docker_name("a", "b", &names);
	assert_true(plugin_device(names.dev));
}

#define PORT(proto, port, rest) "{\"Proto\":" #proto ",\"Port\":" port "," rest "}"

static void ports(void **state)
{
	static const struct {
		const char *port, *said;
	} rows[] = {
		{PORT(6, "80", "\"HostPort\":0"), "as -p 80:80"},
		{PORT(6, "80", "\"HostPort\":80,\"HostPortEnd\":90"), "not 80-90"},
		{PORT(6, "80", "\"HostPort\":80,\"HostIP\":\"192.0.2.1\""),
		 "HostIP: \"192.0.2.1\""},
		{PORT(6, "80", "\"HostPort\":65536"), "HostPort: 65536 is not a port"},
		{PORT(6, "\"x\"", "\"HostPort\":80"), "Port: \"\\\"x\\\"\" is not a whole number"},
		{PORT(132, "80", "\"HostPort\":80"), "Proto: 132"},
		{PORT(17, "80", "\"HostPort\":80,\"HostPortEnd\":80,\"HostIP\":\"::\""), NULL},
	};
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_t *call;
		int err;

		snprintf(text, sizeof(text), "{\"com.docker.network.portmap\":[%s]}", rows[i].port);
		call = loaded(text);
		err = docker_check_ports(call);
		if (!err != !rows[i].said || (err && !strstr(failure()->text, rows[i].said)))
			fail_msg("%s: %s", rows[i].port, err ? failure()->text : "taken");
		json_decref(call);
	}
}

static void whose(void **state)
{
	static const char *const wrong[] = {"docker-",
					    "docker-a",
					    "docker--b",
					    "docker-a-",
					    "docker-a-b-c",
					    "docker-A-b",
					    "docker-a-0123456789abc"};
	struct plugins none = {};
	struct docker_names names;
	size_t i;

	(void)state;
	docker_name("0123456789abcdef0123456789abcdef", "fedcba9876543210", &names);
	assert_string_equal(plugin_of(&none, "red", names.endpoint.s, names.dev), "tsw-docker");
	assert_null(plugin_of(&none, "red", names.endpoint.s, names.inside));
	assert_null(plugin_of(&none, "red", names.endpoint.s, "eth1"));
	assert_null(plugin_of(&none, "red", "web", names.dev));
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (plugin_of(&none, "red", wrong[i], names.dev))
			fail_msg("%s counts as a plugin's", wrong[i]);
	docker_name("n", "e", &names);
	assert_string_equal(plugin_of(&none, "red", names.endpoint.s, names.dev), "tsw-docker");
}

/* A container that is started again is what its neighbours remember. */
static void macs(void **state)
{
	static const char *const texts[] = {"10.0.0.1", "10.0.0.2", "10.0.1.1", "fd00::1",
					    "fd00::2"};
	enum { N = sizeof(texts) / sizeof(*texts) };
	struct tsw_addr addr;
	struct tsw_mac mac[N], again;
	size_t i, j;

	(void)state;
	for (i = 0; i < N; i++) {
		assert_int_equal(parse_ip(texts[i], &addr), 0);
		mac[i] = name_mac(&addr);
		again = name_mac(&addr);
		assert_memory_equal(&mac[i], &again, sizeof(again));
		assert_int_equal(mac[i].b[0] & 3, 2); /* one station's, and nobody's by the IEEE */
		for (j = 0; j < i; j++)
			assert_memory_not_equal(&mac[i], &mac[j], sizeof(*mac));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),     cmocka_unit_test(refused),	 cmocka_unit_test(nul),
		cmocka_unit_test(long_head), cmocka_unit_test(late),	 cmocka_unit_test(pieces),
		cmocka_unit_test(answers),   cmocka_unit_test(dripping), cmocka_unit_test(options),
		cmocka_unit_test(ids),	     cmocka_unit_test(ports),	 cmocka_unit_test(whose),
		cmocka_unit_test(macs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
