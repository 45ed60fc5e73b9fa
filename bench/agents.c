// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many hosts of a cluster in one process, each with a client of etcd and records of its own, as an
 * agent has them; but no switch: what they hear is kept in memory. They tell how soon all of them
 * know what was written.
 *
 *     agents URLS CLUSTER HOSTS ID COMMITS
 *
 * The hosts are sim0, sim1 ...; each follows the tenants that the records say, and all of them that
 * with the id ID. When all follow it prints `ready SECONDS`, how long that took from the start.
 * Then for each commit an endpoint of that tenant: `commit MS MS_LAST`, until etcd answered, and
 * until the last host knew of it. Then it waits for a line on its input, and again prints
 * `commit ...` of one more; and so on, to the input's end.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/replica.h"
#include "base/clock.h"
#include "base/err.h"

enum { STACK = 1 << 19, TURN_MS = 1000, MOST = 100000 };

static const struct log quiet;
static struct member base;
static unsigned int hosts;
static unsigned int tenant;
static unsigned int run; /* what an earlier one wrote is not heard again */
static atomic_uint following;
static atomic_uint heard[MOST];	 /* hosts that know of commit I */
static _Atomic __u64 last[MOST]; /* ns of CLOCK_MONOTONIC: when the last one did */
static struct etcd *writer;

static void die(const char *what)
{
	fprintf(stderr, "agents: %s: %s\n", what, failure()->text);
	exit(1);
}

/* `e/ID/pRUN-N` is commit N; *NEXT is the first that this host has not heard of. */
static void hear(const struct replica *rp, unsigned int *next)
{
	char key[64];

	for (; *next < MOST; ++*next) {
		snprintf(key, sizeof(key), "e/%u/p%u-%u", tenant, run, *next);
		if (!record_set_find(&rp->records, key))
			return;
		if (atomic_fetch_add(&heard[*next], 1) + 1 == hosts)
			atomic_store(&last[*next], clock_ns(CLOCK_MONOTONIC));
	}
}

static int read_and_follow(struct replica *rp)
{
	int err = replica_read(rp);

	return err ? err : replica_watch(rp);
}

static void *host(void *number)
{
	struct member *m = malloc(sizeof(*m));
	struct replica rp;
	bool counted = false;
	unsigned int next = 0;

	*m = base;
	snprintf(m->host.s, sizeof(m->host.s), "sim%u", (unsigned int)(size_t)number);
	if (replica_open(&rp, m, &quiet, 5000))
		die("open");
	rp.reread = true;
	for (;;) {
		while (rp.reread && read_and_follow(&rp))
			usleep((etcd_jitter(200) + 20) * 1000);
		if (!counted)
			atomic_fetch_add(&following, 1);
		counted = true;
		hear(&rp, &next);
		etcd_watch_run(rp.w, NULL, 0, TURN_MS);
		hear(&rp, &next);
		replica_forget_fresh(&rp);
	}
	return NULL;
}

static void commit(unsigned int i)
{
	char pulse[MEMBER_KEY], key[MEMBER_KEY], kind[32], name[32], value[256];
	const struct etcd_op put[] = {
		{.kind = ETCD_PUT, .range = {pulse}, .value = "{\"by\":\"bench\"}"},
		{.kind = ETCD_PUT, .range = {key}, .value = value},
	};
	const struct etcd_txn txn = {.then = put, .n_then = 2};
	__u64 begin, done, end;

	snprintf(kind, sizeof(kind), "e/%u", tenant);
	snprintf(name, sizeof(name), "p%u-%u", run, i);
	snprintf(
		value, sizeof(value),
		"{\"name\":\"p%u-%u\",\"mac\":\"06:00:00:%02x:%02x:%02x\",\"ip\":[\"10.%u.%u.%u\"],"
		"\"host\":\"sim0\"}",
		run, i, i >> 16 & 255, i >> 8 & 255, i & 255, 128 + (i >> 16 & 63), i >> 8 & 255,
		i & 255);
	member_key(&base, kind, "", pulse);
	member_key(&base, kind, name, key);
	begin = clock_ns(CLOCK_MONOTONIC);
	while (etcd_commit(writer, &txn, NULL) < 0)
		if (clock_ns(CLOCK_MONOTONIC) - begin > 120 * SECOND_NS)
			die("commit");
	done = clock_ns(CLOCK_MONOTONIC);
	while (!(end = atomic_load(&last[i]))) {
		usleep(200);
		if (clock_ns(CLOCK_MONOTONIC) - begin > 300 * SECOND_NS) {
			fprintf(stderr, "agents: %u of %u hosts know\n", atomic_load(&heard[i]),
				hosts);
			exit(1);
		}
	}
	printf("commit %.3f %.3f\n", (double)(done - begin) / MS_NS, (double)(end - begin) / MS_NS);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const __u64 begin = clock_ns(CLOCK_MONOTONIC);
	struct rlimit files;
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int commits, i;
	char line[64];

	if (argc != 6) {
		fprintf(stderr, "usage: agents URLS CLUSTER HOSTS ID COMMITS\n");
		return 2;
	}
	snprintf(base.etcd, sizeof(base.etcd), "%s", argv[1]);
	snprintf(base.cluster.s, sizeof(base.cluster.s), "%s", argv[2]);
	hosts = (unsigned int)atoi(argv[3]);
	tenant = (unsigned int)atoi(argv[4]);
	commits = (unsigned int)atoi(argv[5]);
	run = (unsigned int)getpid();
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (member_connect(&base, 5000, &writer))
		die("open");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 0; i < hosts; i++)
		if (pthread_create(&thread, &attr, host, (void *)(size_t)i)) {
			perror("agents: pthread_create");
			return 1;
		}
	while (atomic_load(&following) < hosts)
		usleep(1000);
	commit(0); /* whose answer tells that all watches are there */
	printf("ready %.3f\n", (double)(clock_ns(CLOCK_MONOTONIC) - begin) / SECOND_NS);
	fflush(stdout);
	for (i = 1; i <= commits; i++)
		commit(i);
	while (fgets(line, sizeof(line), stdin))
		commit(i++);
	_exit(0);
}
