// SPDX-License-Identifier: GPL-2.0-only
/*
 * user/etcd/ and user/cluster/change.h by hand: each line of what they tell.
 * Usage: etcdcall [-c CA] [-C CERT -k KEY] [-u USER -p PASSWORD-FILE] [-w MS] URLS COMMAND...
 *   read PREFIX [REVISION]    KEY VALUE MODIFIED of each; `revision R` at the end
 *   put KEY VALUE             whatever was there
 *   create KEY VALUE          where it is not there: `created R`, or `there: VALUE`
 *   del PREFIX
 *   claim OWNER PREFIX N      PREFIX0 ... in turn from somewhere on: a line of each that is taken
 *   puts KEY N                KEY000000 ... in transactions of 128
 *   each KEY N MS             KEY is 0, 1 ... N - 1, one in MS milliseconds, each until it is done
 *   lease SECONDS KEY VALUE   prints the lease;  keep LEASE;  end LEASE
 *   members                   URL VERSION leader|follower|alone, or what is wrong
 *   watch REVISION PREFIX...  until it is killed: put/del/mark/lost/again/up/down lines
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "cluster/change.h"
#include "etcd/watch.h"

static int print_entry(void *context, const struct etcd_entry *entry)
{
	(void)context;
	printf("%s %s %lld\n", entry->key, entry->value, entry->modified);
	return 0;
}

static int do_read(struct etcd *e, char **argv)
{
	__s64 revision = argv[1] ? strtoll(argv[1], NULL, 10) : 0;
	char end[256];
	struct etcd_range range = {argv[0], end};
	int err = etcd_prefix_end(argv[0], end, sizeof(end));

	err = err ?: etcd_read(e, &range, &revision, print_entry, NULL);
	if (!err)
		printf("revision %lld\n", revision);
	return err;
}

static int do_put(struct etcd *e, char **argv)
{
	const struct etcd_op put = {.kind = ETCD_PUT, .range = {argv[0]}, .value = argv[1]};
	const struct etcd_txn txn = {.then = &put, .n_then = 1};
	int err = etcd_commit(e, &txn, NULL);

	return err < 0 ? err : 0;
}

static int print_there(void *context, const struct etcd_entry *entry)
{
	(void)context;
	printf("there: %s\n", entry->value);
	return 0;
}

static int do_create(struct etcd *e, char **argv)
{
	const struct etcd_if absent = {argv[0], 0};
	const struct etcd_op put = {.kind = ETCD_PUT, .range = {argv[0]}, .value = argv[1]};
	const struct etcd_op get = {.kind = ETCD_GET, .range = {argv[0]}};
	const struct etcd_txn txn = {&absent, &put, &get, 1, 1, 1, print_there, NULL};
	__s64 revision;
	int err = etcd_commit(e, &txn, &revision);

	if (err > 0)
		printf("created %lld\n", revision);
	return err < 0 ? err : 0;
}

static int do_del(struct etcd *e, char **argv)
{
	char end[256];
	const struct etcd_op del = {.kind = ETCD_DELETE, .range = {argv[0], end}};
	const struct etcd_txn txn = {.then = &del, .n_then = 1};
	int err = etcd_prefix_end(argv[0], end, sizeof(end));

	err = err ?: etcd_commit(e, &txn, NULL);
	return err < 0 ? err : 0;
}

/* As often as its answer is lost, until somebody has it. */
static int claim(struct etcd *e, const char *owner, const char *key)
{
	struct change c;
	int err;

	do {
		change_begin(&c);
		change_claim(&c, key, owner, 0, CLAIM_GIVEN);
		do
			err = change_commit(e, &c, NULL);
		while (err == -EHOSTUNREACH || err == -ETIMEDOUT);
		change_end(&c);
	} while (err == -EAGAIN);
	return err;
}

static int do_claim(struct etcd *e, char **argv)
{
	const int n = atoi(argv[2]), first = getpid() * 7 % n;
	int i, err = 0;

	for (i = 0; i < n && (!err || err == -EEXIST); i++) {
		char key[256];

		snprintf(key, sizeof(key), "%s%d", argv[1], (first + i) % n);
		err = claim(e, argv[0], key);
		if (!err)
			printf("%s\n", key);
	}
	return err == -EEXIST ? 0 : err;
}

static int do_puts(struct etcd *e, char **argv)
{
	const int all = atoi(argv[1]);
	static char key[ETCD_OPS][256];
	struct etcd_op op[ETCD_OPS];
	struct etcd_txn txn = {.then = op};
	int i, err = 0;

	for (i = 0; err >= 0 && i < all; i++) {
		snprintf(key[txn.n_then], sizeof(key[0]), "%s%06d", argv[0], i);
		op[txn.n_then] = (struct etcd_op){ETCD_PUT, {key[txn.n_then]}, key[txn.n_then]};
		if (++txn.n_then < ETCD_OPS && i + 1 < all)
			continue;
		err = etcd_commit(e, &txn, NULL);
		txn.n_then = 0;
	}
	return err < 0 ? err : 0;
}

static int do_each(struct etcd *e, char **argv)
{
	const int n = atoi(argv[1]), ms = atoi(argv[2]);
	int i;

	for (i = 0; i < n; poll(NULL, 0, ms)) {
		char text[16], *words[] = {argv[0], text};

		snprintf(text, sizeof(text), "%d", i);
		if (!do_put(e, words))
			i++;
		else
			fprintf(stderr, "%s\n", failure()->text);
	}
	return 0;
}

static int do_lease(struct etcd *e, char **argv)
{
	struct etcd_op put = {.kind = ETCD_PUT, .range = {argv[1]}, .value = argv[2]};
	const struct etcd_txn txn = {.then = &put, .n_then = 1};
	int err = etcd_lease(e, (unsigned int)atoi(argv[0]), &put.lease);

	if (err)
		return err;
	printf("%lld\n", put.lease);
	err = etcd_commit(e, &txn, NULL);
	return err < 0 ? err : 0;
}

static int do_keep(struct etcd *e, char **argv)
{
	return etcd_lease_keep(e, strtoll(argv[0], NULL, 10));
}

static int do_end(struct etcd *e, char **argv)
{
	return etcd_lease_end(e, strtoll(argv[0], NULL, 10));
}

static int do_members(struct etcd *e, char **argv)
{
	struct etcd_member member;
	size_t i;
	int err;

	(void)argv;
	for (i = 0; (err = etcd_member(e, i, &member)) != -ENOENT || *member.url; i++) {
		if (err)
			printf("%s %s\n", member.url, failure()->text);
		else
			printf("%s %s %s\n", member.url, member.version,
			       member.leader ? "leader"
			       : member.led  ? "follower"
					     : "alone");
	}
	return 0;
}

static void on_event(void *context, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	(void)context;
	if (deleted)
		printf("%llu del %s %lld\n", id, entry->key, entry->modified);
	else
		printf("%llu put %s %s %lld\n", id, entry->key, entry->value, entry->modified);
}

static void on_mark(void *context, __u64 id, __s64 revision)
{
	(void)context;
	printf("%llu mark %lld\n", id, revision);
	fflush(stdout);
}

struct watching {
	struct etcd *e;
	struct etcd_watch *w;
	char **prefix;
};

static int count(void *context, const struct etcd_entry *entry)
{
	(void)context, (void)entry;
	return 0;
}

/* Reads it anew, and follows from there: the keys themselves nobody here wants to know. */
static void on_lost(void *context, __u64 id, int err)
{
	struct watching *all = context;
	char end[256];
	const struct etcd_range range = {all->prefix[id - 1], end};
	__s64 revision = 0;

	printf("%llu lost %d %s\n", id, err, failure()->text);
	fflush(stdout);
	if (err == -ESTALE && !etcd_prefix_end(range.key, end, sizeof(end)) &&
	    !etcd_read(all->e, &range, &revision, count, NULL) &&
	    !etcd_watch_add(all->w, id, &range, revision + 1))
		printf("%llu again behind %lld\n", id, (long long)revision);
	fflush(stdout);
}

static void on_state(void *context, int err)
{
	(void)context;
	printf(err ? "down %s\n" : "up\n", failure()->text);
	fflush(stdout);
}

static int do_watch(struct etcd *e, char **argv)
{
	struct watching all = {.e = e, .prefix = argv + 1};
	const struct etcd_watcher watcher = {on_event, on_mark, on_lost, on_state, &all};
	__u64 i;
	int err = etcd_watch_open(e, &watcher, &all.w);

	for (i = 1; !err && argv[i]; i++) {
		char end[256];
		const struct etcd_range range = {argv[i], end};

		err = etcd_prefix_end(argv[i], end, sizeof(end));
		err = err ?: etcd_watch_add(all.w, i, &range, strtoll(argv[0], NULL, 10));
	}
	while (!err)
		etcd_watch_run(all.w, NULL, 0, 1000);
	etcd_watch_close(all.w);
	return err;
}

static const struct {
	const char *name;
	int words;
	int (*run)(struct etcd *e, char **argv);
} commands[] = {
	{"read", 1, do_read},	{"put", 2, do_put},   {"create", 2, do_create},
	{"del", 1, do_del},	{"puts", 2, do_puts}, {"lease", 3, do_lease},
	{"keep", 1, do_keep},	{"end", 1, do_end},   {"members", 0, do_members},
	{"watch", 2, do_watch}, {"each", 3, do_each}, {"claim", 3, do_claim},
};

int main(int argc, char **argv)
{
	struct etcd_config config = {};
	struct etcd *e;
	int option, err = 0;
	size_t i;

	while ((option = getopt(argc, argv, "c:C:k:u:p:w:")) != -1) {
		switch (option) {
		case 'c':
			config.ca = optarg;
			break;
		case 'C':
			config.cert = optarg;
			break;
		case 'k':
			config.key = optarg;
			break;
		case 'u':
			config.user = optarg;
			break;
		case 'p':
			config.password_file = optarg;
			break;
		case 'w':
			config.timeout_ms = (unsigned int)atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	argv += optind, argc -= optind;
	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name) && argc - 2 >= commands[i].words)
			break;
	if (argc < 2 || i == sizeof(commands) / sizeof(*commands))
		return 2;
	config.urls = argv[0];
	err = etcd_open(&e, &config);
	if (!err) {
		err = commands[i].run(e, argv + 2);
		etcd_close(e);
	}
	if (err)
		fprintf(stderr, "%s (%d)\n", failure()->text, failure()->code);
	return err ? failure()->status : 0;
}
