// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/own_host.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/hosts.h"
#include "kernel/address.h"
#include "record/fields.h"
#include "store/config.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

enum {
	LOOK_MS = 1000,
	TOLD_MS = 1000,
	TOLD_MOST_MS = 60000,
	TAKEN_MS = 2000, /* another host may be about to give the address up, or etcd comes */
	FAILED_MS = 10000,
};

void own_host_begin(struct own_host *o, const struct log *log)
{
	*o = (struct own_host){.complaints.log = log};
}

void own_host_end(struct own_host *o)
{
	complaints_free(&o->complaints);
}

/* 0, which is not told, while the devices are gone or where they are in another namespace. */
static __u32 told_mtu(const struct tsw *t)
{
	const __u32 mtu = underlay_least_mtu(t);

	return !mtu ? 0 : mtu < MTU_MIN ? MTU_MIN : mtu > MTU_MAX ? MTU_MAX : mtu;
}

int own_host_spec(const struct tsw *t, const struct tsw_name *name, struct tsw_host_spec *spec)
{
	*spec = (struct tsw_host_spec){.name = *name, .ip.preferred = TSW_IPV4};
	memcpy(spec->ip.of, t->config.local, sizeof(spec->ip.of));
	if (addr_is_none(&spec->ip.of[TSW_IPV4]))
		spec->ip.preferred = TSW_IPV6;
	memcpy(spec->zone.s, t->config.zone, sizeof(spec->zone.s));
	spec->mtu = told_mtu(t);
	return crypt_own_keys(t, &spec->key);
}

/* ---- the switch --------------------------------------------------------------------- */

/*
 * Neighbours may send to the address's former owner, also what etcd behind them answers. So they
 * are told before etcd is asked, and once more when the record has the address.
 */
bool own_host_compared(struct own_host *o, const struct tsw *t)
{
	const bool moved =
		o->seen.abi && memcmp(o->seen.local, t->config.local, sizeof(o->seen.local));

	o->seen = t->config;
	o->changed = true;
	if (moved)
		underlay_announce(&t->config);
	return moved;
}

/* A switch that was taken down and up again has another secret. */
bool own_host_has_changed(struct own_host *o, struct tsw *t)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	const struct tsw_config *is = &t->config;

	if (now < o->look_at)
		return false;
	o->look_at = now + LOOK_MS * MS_NS;
	return !config_read(t) && is->abi == TSW_ABI_VERSION &&
	       (memcmp(is->local, o->seen.local, sizeof(is->local)) ||
		memcmp(&is->secret, &o->seen.secret, sizeof(is->secret)) ||
		(is->flags ^ o->seen.flags) & TSW_CFG_ENCRYPT);
}

/* ---- the record --------------------------------------------------------------------- */

/* The claim of any host on an address of this host's underlay; NULL: it is not claimed. */
static const struct record *claim_on(const struct replica *rp, const struct tsw_addr *addr)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "vtep/%s", addr_text(addr));
	return record_set_find(&rp->records, key);
}

/* Whose word are the addresses of the record SPEC? CLAIM_LEFT: also the host's own. */
static enum claim_word word_of(const struct replica *rp, const struct tsw_host_spec *spec)
{
	enum claim_word all = CLAIM_OWN, word;
	const struct record *claim;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&spec->ip.of[family]))
			continue;
		claim = claim_on(rp, &spec->ip.of[family]);
		/* Another host may have taken a claim over that this one had left. */
		word = !claim || !claim_is_of(claim->value, spec->name.s)
			       ? CLAIM_LEFT
			       : claim_word(claim->value);
		if (word == CLAIM_GIVEN)
			return CLAIM_GIVEN;
		if (word == CLAIM_LEFT)
			all = CLAIM_LEFT;
	}
	return all;
}

static bool has_gone(const struct tsw_config *c, const struct tsw_addr **gone)
{
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		*gone = &c->local[family];
		if (!addr_is_none(*gone) && !address_is_local(*gone))
			return true;
	}
	return false;
}

static const char *ips_text(const struct tsw_host_spec *spec)
{
	const struct tsw_addr *both = spec->ip.of;

	return addr_text(&both[addr_is_none(&both[TSW_IPV4]) ? TSW_IPV6 : TSW_IPV4]);
}

/* Do the claims on the addresses of the record SPEC tell MTU? */
static bool is_told(const struct replica *rp, const struct tsw_host_spec *spec, __u32 mtu)
{
	const struct record *claim;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&spec->ip.of[family]))
			continue;
		claim = claim_on(rp, &spec->ip.of[family]);
		if (!claim || claim_mtu(claim->value) != mtu)
			return false;
	}
	return true;
}

/* Which of IP, KEY and MTU to write. Sets why, or elsewhere, if other addresses are wrong. */
static __u64 find_given(struct own_host *o, const struct tsw *t, const struct replica *rp,
			const struct tsw_host_spec *spec, const struct tsw_host_spec *written)
{
	const enum claim_word word = word_of(rp, written);
	const bool same = !memcmp(spec->ip.of, written->ip.of, sizeof(spec->ip.of));
	const struct tsw_addr *gone;
	__u64 given = 0;

	if (spec->key.n && !fields_equal(host_fields, FIELD(HOST_KEY), spec, written))
		given |= FIELD(HOST_KEY);
	if (spec->mtu && !is_told(rp, written, spec->mtu))
		given |= FIELD(HOST_MTU);
	o->elsewhere = !same && word == CLAIM_GIVEN;
	*o->why = '\0';
	if (has_gone(&t->config, &gone))
		snprintf(o->why, sizeof(o->why),
			 "no device has the switch's address %s: restore it, or choose another "
			 "with switch set local IP",
			 addr_text(gone));
	else if (same ? word != CLAIM_OWN : word != CLAIM_GIVEN)
		given |= FIELD(HOST_IP);
	return given;
}

/* If two hosts have one name by mistake, they would write in turn. So each next wait is longer. */
static void note_move(struct own_host *o, const struct tsw_addr local[TSW_FAMILIES])
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	const bool again = !memcmp(o->wrote, local, sizeof(o->wrote)) &&
			   now - o->moved_at < 2 * TOLD_MOST_MS * MS_NS;

	if (!again)
		o->wait_ms = TOLD_MS;
	else if (o->wait_ms < TOLD_MOST_MS)
		o->wait_ms *= 2;
	memcpy(o->wrote, local, sizeof(o->wrote));
	if (o->wait_ms >= TOLD_MOST_MS / 15)
		complaints_add_line(&o->complaints,
				    "this host's address in its record changes again and again: "
				    "does another host have the same name?");
	o->moved_at = now;
}

static int write_record(struct own_host *o, const struct tsw *t, struct records *r,
			const struct tsw_host_spec *spec, const struct tsw_host_spec *written,
			__u64 given)
{
	const bool moved =
		given & FIELD(HOST_IP) && memcmp(spec->ip.of, written->ip.of, sizeof(spec->ip.of));
	struct failure why;
	int err = cluster_host_own(r, spec, given);

	if (!err && moved && !o->dry) {
		note_move(o, t->config.local);
		/* A former owner's neighbours send there until they are told. */
		underlay_announce(&t->config);
	}
	if (!err || !(given & FIELD(HOST_IP)))
		return err;
	why = *failure();
	if (moved)
		snprintf(o->why, sizeof(o->why),
			 "its record has the address %s, and the switch another: %.130s",
			 ips_text(written), why.text);
	if (err == -EEXIST && cluster_host_leave(r, spec))
		detail(o->complaints.log, "%s", failure()->text);
	/* Without the right to say whose word the address is, it is as before. */
	return moved || given & FIELD(HOST_KEY) ? fail_again(&why) : 0;
}

/* By itself, because a role may not allow it where an operator wrote the address. */
static int tell_mtu(struct own_host *o, struct records *r, const struct tsw_host_spec *spec)
{
	int err = cluster_host_own(r, spec, FIELD(HOST_MTU));

	if (!err || etcd_is_away(err))
		return err;
	complaints_add_line(&o->complaints,
			    "other hosts cannot be told the MTU of this host's underlay: %s",
			    failure()->text);
	return 0;
}

/* A switch without keys leaves those of the record, since its key file may come back. */
static int tell(struct own_host *o, struct tsw *t, struct replica *rp)
{
	struct records r = {.e = rp->e, .m = *rp->m};
	struct tsw_host_spec spec, written = {};
	const struct record *record;
	char key[sizeof("host/") + sizeof(spec.name.s)];
	__u64 given;
	int err = own_host_spec(t, &rp->m->host, &spec);

	if (err)
		return err;
	snprintf(key, sizeof(key), "host/%s", spec.name.s);
	record = record_set_find(&rp->records, key);
	if (!record || record_read(OBJECT_HOST, record->value, &written))
		return 0; /* a missing or wrong record was logged already */
	given = find_given(o, t, rp, &spec, &written);
	if (given & ~FIELD(HOST_MTU))
		err = write_record(o, t, &r, &spec, &written, given & ~FIELD(HOST_MTU));
	if (given & FIELD(HOST_MTU))
		err = err ?: tell_mtu(o, &r, &spec);
	if (o->elsewhere)
		complaints_add_line(&o->complaints,
				    "other hosts send to %s, which an operator wrote into this "
				    "host's record; its switch has another address",
				    ips_text(&written));
	if (*o->why && !err)
		complaints_add_line(&o->complaints, "%s", o->why);
	return err;
}

void own_host_turn(struct own_host *o, struct tsw *t, struct replica *rp)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	__u64 wait;
	int err;

	if (!o->changed || !rp->connected || now < o->tell_at)
		return;
	complaints_begin(&o->complaints);
	err = tell(o, t, rp);
	if (err && !etcd_is_away(err))
		complaints_add_line(
			&o->complaints,
			"cannot write this host's addresses and keys into its record: %s",
			*o->why ? o->why : failure()->text);
	if (!etcd_is_away(err)) /* otherwise that is logged, and the others may last */
		complaints_end(&o->complaints);
	o->changed = err;
	wait = err == -EEXIST || etcd_is_away(err) ? TAKEN_MS
	       : err				   ? FAILED_MS
	       : o->wait_ms			   ? o->wait_ms
						   : TOLD_MS;
	o->tell_at = clock_ns(CLOCK_MONOTONIC) + wait * MS_NS;
}

int own_host_once(struct own_host *o, struct tsw *t, struct replica *rp)
{
	return tell(o, t, rp);
}
