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

#define SPACES                                          \
	"{\"LocalDefaultAddressSpace\":\"" DOCKER_SPACE \
	"\",\"GlobalDefaultAddressSpace\":\"" DOCKER_SPACE "\"}"

static const struct call {
	const char *name;
	docker_call *run;   /* NULL: there is nothing to do */
	const char *answer; /* NULL: {}, or what RUN answers; then the request has a body */
} calls[] = {
	{"Plugin.Activate", NULL, "{\"Implements\":[\"NetworkDriver\",\"IpamDriver\"]}"},
	/* Local: each host's Docker knows only its own networks. */
	{"NetworkDriver.GetCapabilities", NULL,
	 "{\"Scope\":\"local\",\"ConnectivityScope\":\"local\",\"GwAllocChecker\":true}"},
	{"NetworkDriver.GwAllocCheck", docker_check_gateway},
	{"NetworkDriver.CreateNetwork", docker_create_network},
	{"NetworkDriver.DeleteNetwork", docker_delete_network},
	{"NetworkDriver.CreateEndpoint", docker_create_endpoint},
	{"NetworkDriver.DeleteEndpoint", docker_delete_endpoint},
	{"NetworkDriver.EndpointOperInfo", docker_info},
	{"NetworkDriver.Join", docker_join},
	{"NetworkDriver.Leave"},
	{"NetworkDriver.ProgramExternalConnectivity", docker_open_ports},
	{"NetworkDriver.RevokeExternalConnectivity", docker_close_ports},
	{"NetworkDriver.DiscoverNew"},
	{"NetworkDriver.DiscoverDelete"},
	{"IpamDriver.GetCapabilities", NULL,
	 "{\"RequiresMACAddress\":false,\"RequiresRequestReplay\":false}"},
	{"IpamDriver.GetDefaultAddressSpaces", NULL, SPACES},
	{"IpamDriver.RequestPool", docker_request_pool},
	{"IpamDriver.ReleasePool"},
	{"IpamDriver.RequestAddress", docker_request_address},
	{"IpamDriver.ReleaseAddress"}, /* the address rests, or an endpoint has it */
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
	if (call->answer)
		*answer = json_loads(call->answer, 0, NULL);
	return call->run && call->run(body, answer) ? 500 : 200;
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
	if (!call->answer && !r->length)
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
