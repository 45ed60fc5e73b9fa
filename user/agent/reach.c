// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "agent/reach.h"
#include "agent/status.h"
#include "base/clock.h"
#include "base/err.h"

enum { LOOK_NS = 500 * 1000 }; /* between two looks for answers */

/*
 * Uses the entry of a running agent, for which one more answer does no harm. An entry without an
 * agent is from a killed command, and is replaced.
 */
static int enter(struct reach *r, struct reach_row *row)
{
	struct tsw_probe probe;
	int err = map_get(&r->t->maps, MAP_PROBES, &row->host, &probe);

	if (!err && (row->mine || r->agent)) {
		row->who.mine = probe.mine;
		return 0;
	}
	if (err && err != -ENOENT)
		return err;
	probe = (struct tsw_probe){};
	if (getrandom(&probe.mine, sizeof(probe.mine), 0) != sizeof(probe.mine))
		return fail(errno, "no random numbers: %s", strerror(errno));
	probe.mine |= 1;
	err = map_put(&r->t->maps, MAP_PROBES, &row->host, &probe);
	row->who.mine = probe.mine;
	row->mine = !err;
	return err;
}

int reach_begin(struct reach *r, const struct tsw *t, const struct hosts *all)
{
	size_t i;
	struct agent_status unused;
	int err;

	*r = (struct reach){.t = t, .asker = ASKER_CLOSED, .tries = REACH_TRIES};
	r->row = calloc(all->n + 1, sizeof(*r->row));
	if (!r->row)
		return fail_memory();
	r->n = all->n;
	r->agent = status_read(t->instance, &unused);
	for (i = 0; i < all->n; i++) {
		const struct tsw_host *host = &all->row[i].host;

		r->row[i].host = all->row[i].id;
		r->row[i].who.family = (enum tsw_family)(host->family & 1);
		r->row[i].who.addr = host->addr[host->family & 1];
	}
	err = asker_open(&r->asker, &t->config, REACH_MS);
	if (!err)
		asker_keep_whole(&r->asker);
	return err;
}

/* Deletes this command's entry, but not that of an agent that has started meanwhile. */
static void leave(const struct reach *r, const struct reach_row *row)
{
	struct tsw_probe probe;

	if (row->mine && !map_get(&r->t->maps, MAP_PROBES, &row->host, &probe) &&
	    probe.mine == row->who.mine)
		map_del(&r->t->maps, MAP_PROBES, &row->host);
}

void reach_end(struct reach *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		leave(r, &r->row[i]);
	asker_close(&r->asker);
	free(r->row);
	*r = (struct reach){.asker = ASKER_CLOSED};
}

static bool waits(const struct reach_row *row)
{
	return !row->skip && !row->took;
}

/* *LEFT counts the hosts that have not answered. */
static int look(struct reach *r, size_t *left)
{
	struct tsw_probe probe;
	size_t i;
	int err;

	*left = 0;
	for (i = 0; i < r->n; i++) {
		struct reach_row *row = &r->row[i];

		if (!waits(row))
			continue;
		err = map_get(&r->t->maps, MAP_PROBES, &row->host, &probe);
		if (err && err != -ENOENT)
			return err;
		if (!err && probe.mine == row->who.mine && probe.answered >= row->asked)
			row->took = probe.answered - row->asked + 1;
		else
			++*left;
	}
	return 0;
}

/* One question by each of these encapsulations. */
static void ask_by(const struct reach *r, struct asked *who, unsigned int encaps)
{
	for (who->encap = 0; who->encap < TSW_ENCAPS; who->encap++)
		if (encaps & 1U << who->encap)
			ask(&r->asker, who);
}

static int try(struct reach *r, unsigned int encaps, size_t *left)
{
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + REACH_MS * MS_NS;
	const struct timespec pause = {0, LOOK_NS};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < r->n; i++) {
		struct reach_row *row = &r->row[i];

		if (!waits(row))
			continue;
		err = enter(r, row);
		row->asked = clock_kernel_ns();
		if (!err)
			ask_by(r, &row->who, encaps);
	}
	while (!(err = err ?: look(r, left)) && *left && clock_ns(CLOCK_MONOTONIC) < end)
		nanosleep(&pause, NULL);
	return err;
}

/* Asks each row that is not skipped and has no answer yet. */
static int ask_all(struct reach *r, unsigned int encaps)
{
	size_t left = 1;
	int tries, err = 0;

	for (tries = 0; !err && left && tries < r->tries; tries++)
		err = try(r, encaps, &left);
	return err;
}

int reach_ask(struct reach *r, enum tsw_encap encap)
{
	size_t i;
	int err;

	for (i = 0; i < r->n; i++)
		if (!r->row[i].skip)
			r->row[i].took = 0;
	err = ask_all(r, 1U << encap);
	for (i = 0; i < r->n; i++)
		if (!r->row[i].skip)
			r->row[i].by[encap] = r->row[i].took;
	return err;
}

int reach_ask_any(struct reach *r)
{
	const int err = reach_ask(r, TSW_ENCAP_VXLAN);

	return err ?: ask_all(r, 1U << TSW_ENCAP_GRE | 1U << TSW_ENCAP_GENEVE);
}

/* Answers to another encapsulation's questions must not be taken for this one's. */
static void await_late(const struct reach *r)
{
	const struct timespec pause = {0, REACH_MS * MS_NS};
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!r->row[i].skip && r->row[i].took && !r->row[i].by[TSW_ENCAP_VXLAN]) {
			nanosleep(&pause, NULL);
			return;
		}
}

/* A host that answers by none is not waited for again. */
int reach_ask_each(struct reach *r)
{
	bool *skip = calloc(r->n + 1, sizeof(*skip));
	size_t i;
	int err = skip ? reach_ask_any(r) : fail_memory();

	if (!err)
		await_late(r);
	for (i = 0; !err && i < r->n; i++) {
		skip[i] = r->row[i].skip;
		r->row[i].skip |= !r->row[i].took;
	}
	err = err ?: reach_ask(r, TSW_ENCAP_GRE);
	err = err ?: reach_ask(r, TSW_ENCAP_GENEVE);
	for (i = 0; !err && i < r->n; i++) {
		const __u64 *by = r->row[i].by;

		r->row[i].skip = skip[i];
		r->row[i].took = by[TSW_ENCAP_VXLAN] ?: by[TSW_ENCAP_GRE] ?: by[TSW_ENCAP_GENEVE];
	}
	free(skip);
	return err;
}
