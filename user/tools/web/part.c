// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "tools/web/part.h"

enum {
	CANNOT_RUN = 127,
	RUN_MS = 30000,	   /* a command that takes longer is killed */
	FORGET_MS = 60000, /* an answer that nobody has asked for */
	SHARE = 10,	   /* a command runs a tenth of the time at most */
	READ_SIZE = 1 << 16,
	MOST_OCTETS = 256 << 20,
};

static const struct part parts[PARTS] = {
	[PART_STATUS] = {"status", {"status"}, 1000},
	/* It asks all agents by a record of etcd. */
	[PART_CLUSTER] = {"cluster", {"cluster", "show"}, 10000},
	[PART_TENANTS] = {"tenants", {"-s", "tenant", "show"}, 1000, true},
	[PART_ENDPOINTS] = {"endpoints", {"endpoint", "show"}, 1000, true},
	[PART_GATEWAYS] = {"gateways", {"gateway", "show"}, 1000, true},
	[PART_DROPS] = {"drops", {"stats", "drops"}, 1000},
	[PART_FLOWS] = {"flows", {"flows", "show", "top", "100"}, 1000},
	[PART_GRAPH] = {"graph", {"graph"}, 2000},
	[PART_CHECK] = {"check", {"switch", "check"}, 10000},
};

static struct answer answers[PARTS];
static const char *instance;
static bool cluster;

static __u64 now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void parts_init(struct cli *cli)
{
	size_t i;

	instance = cli->tsw.instance;
	cluster = cli->cluster;
	for (i = 0; i < PARTS; i++)
		answers[i] = (struct answer){.part = &parts[i], .out = -1};
}

struct answer *part_at(enum part_index index)
{
	return &answers[index];
}

struct answer *part_find(const char *name)
{
	size_t i;

	for (i = 0; i < PARTS; i++)
		if (!strcmp(parts[i].name, name))
			return &answers[i];
	return NULL;
}

/* ---- the command ------------------------------------------------------------------ */

/* In the child. The parent's network namespace is the switch's already, hence no -n. */
static void become(const struct part *part, int out)
{
	const char *argv[PART_WORDS + 8] = {"tsw", "-j", "-q", "-i", instance};
	const int nothing = open("/dev/null", O_RDWR);
	size_t n = 5, i;

	if (cluster && part->shared)
		argv[n++] = "-c";
	for (i = 0; i < PART_WORDS && part->argv[i]; i++)
		argv[n++] = part->argv[i];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(nothing, STDERR_FILENO) < 0)
		_exit(CANNOT_RUN);
	execv("/proc/self/exe", (char *const *)argv);
	_exit(CANNOT_RUN);
}

static void set(struct answer *a, int status, json_t *json)
{
	json_decref(a->json);
	a->json = json;
	a->status = status;
	a->ended = now();
	a->took = a->ended - a->began;
}

static void set_error(struct answer *a, const char *text)
{
	set(a, MHD_HTTP_SERVICE_UNAVAILABLE, json_pack("{s:s}", "error", text));
}

static void start(struct answer *a)
{
	int ends[2];

	a->began = now();
	if (pipe2(ends, O_CLOEXEC)) {
		set_error(a, strerror(errno));
		return;
	}
	a->child = fork();
	if (!a->child)
		become(a->part, ends[1]);
	close(ends[1]);
	a->out = ends[0];
	a->n = 0;
	fcntl(a->out, F_SETFL, O_NONBLOCK);
	if (a->child < 0) {
		set_error(a, strerror(errno));
		close(a->out);
		a->out = -1;
		a->child = 0;
	}
}

/* A command that fails prints its error as an object, or as the last item of a list. */
static void judge(struct answer *a, int status)
{
	json_error_t why;
	json_t *json = json_loadb(a->text ?: "", a->n, 0, &why), *last = json;
	const char *error;

	if (json_is_array(json))
		last = json_array_get(json, json_array_size(json) - 1);
	error = json_text_in(last, "error");
	if (json && WIFEXITED(status) && !*error) {
		set(a, MHD_HTTP_OK, json);
		return;
	}
	set_error(a, *error ? error : "the command has ended without an answer");
	json_decref(json);
}

static void resume(struct answer *a)
{
	while (a->n_waiting)
		mhd.resume_connection(a->waiting[--a->n_waiting]);
}

static void end(struct answer *a, bool whole)
{
	int status = 0;

	close(a->out);
	a->out = -1;
	if (!whole)
		kill(a->child, SIGKILL);
	while (waitpid(a->child, &status, 0) < 0 && errno == EINTR)
		;
	a->child = 0;
	if (whole)
		judge(a, status);
	else
		set_error(a, "the command takes too long, or prints too much");
	free(a->text);
	a->text = NULL;
	a->n = a->room = 0;
	resume(a);
}

/* Returns false when there is nothing more to read for now. */
static bool read_some(struct answer *a)
{
	char *more;
	ssize_t got;

	if (a->room - a->n < READ_SIZE) {
		more = a->room < MOST_OCTETS ? realloc(a->text, a->room * 2 + READ_SIZE) : NULL;
		if (!more)
			return end(a, false), false;
		a->text = more;
		a->room = a->room * 2 + READ_SIZE;
	}
	got = read(a->out, a->text + a->n, a->room - a->n);
	if (got > 0)
		a->n += (size_t)got;
	else if (!got || (errno != EAGAIN && errno != EINTR))
		end(a, true);
	return got > 0;
}

/* ---- the answer ------------------------------------------------------------------- */

static void forget(struct answer *a)
{
	json_decref(a->json);
	a->json = NULL;
	a->status = 0;
	malloc_trim(0);
}

bool part_fresh(struct answer *a)
{
	const __u64 least = a->part->keep_ms * MS_NS, busy = a->took * SHARE;

	a->used = now();
	if (a->status && a->used - a->ended < (busy > least ? busy : least))
		return true;
	if (!a->child)
		start(a);
	return !a->child;
}

bool part_wait(struct answer *a, struct MHD_Connection *connection)
{
	if (a->n_waiting == PART_WAITING)
		return false;
	a->waiting[a->n_waiting++] = connection;
	mhd.suspend_connection(connection);
	return true;
}

size_t parts_poll(struct pollfd *fds)
{
	size_t n = 0, i;

	for (i = 0; i < PARTS; i++)
		if (answers[i].child)
			fds[n++] = (struct pollfd){.fd = answers[i].out, .events = POLLIN};
	return n;
}

void parts_read(void)
{
	size_t i;

	for (i = 0; i < PARTS; i++) {
		struct answer *a = &answers[i];

		while (a->child && read_some(a))
			;
		if (a->child && now() - a->began > RUN_MS * MS_NS)
			end(a, false);
		if (a->status && !a->child && now() - a->used > FORGET_MS * MS_NS)
			forget(a);
	}
}

void parts_free(void)
{
	size_t i;

	for (i = 0; i < PARTS; i++) {
		if (answers[i].child)
			end(&answers[i], false);
		forget(&answers[i]);
	}
}
