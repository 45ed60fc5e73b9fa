// SPDX-License-Identifier: GPL-2.0-only
/*
 * tsw-docker serves one call of Docker's daemon, on the connection that is its standard input, and
 * ends. systemd or another inetd listens and starts it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "docker/docker.h"
#include "docker/request.h"

enum { CALL_MS = 10000 }; /* for the client to send a request, and to take the answer */

static int activate(const json_t *body, json_t **answer)
{
	(void)body;
	*answer = json_pack("{s:[s, s]}", "Implements", "NetworkDriver", "IpamDriver");
	return 0;
}

/* Local: each host's Docker knows only its own networks. */
static int driver_is(const json_t *body, json_t **answer)
{
	(void)body;
	*answer = json_pack("{s:s, s:s, s:b}", "Scope", "local", "ConnectivityScope", "local",
			    "GwAllocChecker", 1);
	return 0;
}

static int ipam_is(const json_t *body, json_t **answer)
{
	(void)body;
	*answer = json_pack("{s:b, s:b}", "RequiresMACAddress", 0, "RequiresRequestReplay", 0);
	return 0;
}

static int spaces(const json_t *body, json_t **answer)
{
	(void)body;
	*answer = json_pack("{s:s, s:s}", "LocalDefaultAddressSpace", DOCKER_SPACE,
			    "GlobalDefaultAddressSpace", DOCKER_SPACE);
	return 0;
}

static int nothing(const json_t *body, json_t **answer)
{
	(void)body;
	(void)answer;
	return 0;
}

static const struct call {
	const char *name;
	docker_call *run;
	bool has_body;
} calls[] = {
	{"Plugin.Activate", activate, false},
	{"NetworkDriver.GetCapabilities", driver_is, false},
	{"NetworkDriver.GwAllocCheck", docker_check_gateway, true},
	{"NetworkDriver.CreateNetwork", docker_create_network, true},
	{"NetworkDriver.DeleteNetwork", docker_delete_network, true},
	{"NetworkDriver.CreateEndpoint", docker_create_endpoint, true},
	{"NetworkDriver.DeleteEndpoint", docker_delete_endpoint, true},
	{"NetworkDriver.EndpointOperInfo", docker_info, true},
	{"NetworkDriver.Join", docker_join, true},
	{"NetworkDriver.Leave", nothing, true},
	{"NetworkDriver.ProgramExternalConnectivity", docker_open_ports, true},
	{"NetworkDriver.RevokeExternalConnectivity", docker_close_ports, true},
	{"NetworkDriver.DiscoverNew", nothing, true},
	{"NetworkDriver.DiscoverDelete", nothing, true},
	{"IpamDriver.GetCapabilities", ipam_is, false},
	{"IpamDriver.GetDefaultAddressSpaces", spaces, false},
	{"IpamDriver.RequestPool", docker_request_pool, true},
	{"IpamDriver.ReleasePool", nothing, true},
	{"IpamDriver.RequestAddress", docker_request_address, true},
	{"IpamDriver.ReleaseAddress", nothing, true}, /* the address rests, or an endpoint has it */
};

static const struct call *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

/* These functions return an HTTP status. */

static int run(const struct call *call, const json_t *body, json_t **answer)
{
	return call->run(body, answer) ? 500 : 200;
}

static int parse(const struct call *call, const struct request *r, json_t **answer)
{
	json_error_t why;
	json_t *body = json_loadb(r->body, r->length, JSON_REJECT_DUPLICATES, &why);
	int status = 400;

	if (!body)
		misuse("the request is not JSON: line %d: %s", why.line, escaped(why.text));
	else if (!json_is_object(body))
		misuse("the request is not a JSON object");
	else
		status = run(call, body, answer);
	json_decref(body);
	return status;
}

static int serve(const struct request *r, json_t **answer)
{
	const struct call *call = find(r->path);

	if (!call)
		return misuse("there is no call %s", quoted(r->path)), 404;
	if (call->has_body && !r->length)
		return misuse("the request has no body"), 400;
	return r->length ? parse(call, r, answer) : run(call, NULL, answer);
}

int main(void)
{
	char cleanup_free *text = NULL;
	json_t *answer = NULL;
	struct request r;
	int status;

	libbpf_set_print(NULL);
	signal(SIGPIPE, SIG_IGN); /* the daemon may end */
	status = request_read(STDIN_FILENO, CALL_MS, &r);
	if (status == -ENODATA)
		return EXIT_DONE;
	status = status ?: serve(&r, &answer);
	if (status != 200) {
		fprintf(stderr, "tsw-docker: %s: %s\n", r.path ?: "request", failure()->text);
		json_decref(answer);
		answer = json_pack("{s:o}", "Err", json_text(failure()->text));
	}
	text = json_dumps(answer, JSON_COMPACT);
	request_answer(STDOUT_FILENO, CALL_MS, status, text ?: "{}");
	json_decref(answer);
	free(r.text);
	return status == 200 ? EXIT_DONE : EXIT_CANNOT;
}
