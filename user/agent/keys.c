// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/keys.h"
#include "base/clock.h"
#include "base/err.h"
#include "switch/session.h"
#include "wire/crypt.h"

enum {
	LOOK_LEAST_MS = 50, /* a handshake takes one round trip */
	LOOK_MOST_MS = 10000,
	ONCE_MS = 1000,
};

void keys_reconciled(struct keys *k, const struct reconciler *c)
{
	k->every = LOOK_LEAST_MS;
	k->look_at = c->awaits ? clock_ns(CLOCK_MONOTONIC) + LOOK_LEAST_MS * MS_NS : 0;
}

/* Opening the switch for writing is enough: that checks the new keys, see crypt_mend(). */
static void look(struct keys *k, struct tsw *t)
{
	bool awaits = true;
	int err;

	session_close(t);
	t->will_write = true;
	err = session_open(t);
	if (!err)
		awaits = crypt_awaits(t);
	else
		detail(&t->log, "cannot check other hosts' new keys: %s", failure()->text);
	session_close(t);
	t->will_write = false;
	k->every = k->every * 2 < LOOK_MOST_MS ? k->every * 2 : LOOK_MOST_MS;
	k->look_at = awaits ? clock_ns(CLOCK_MONOTONIC) + k->every * MS_NS : 0;
}

bool keys_turn(struct keys *k, struct tsw *t)
{
	if (!k->look_at || clock_ns(CLOCK_MONOTONIC) < k->look_at)
		return false;
	look(k, t);
	return true;
}

int keys_due(const struct keys *k, int most)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	__u64 at = now + (__u64)most * MS_NS;

	if (k->look_at && k->look_at < at)
		at = k->look_at;
	return at > now ? (int)((at - now + MS_NS - 1) / MS_NS) : 0;
}

void keys_once(struct keys *k, struct tsw *t)
{
	const struct timespec moment = {.tv_nsec = LOOK_LEAST_MS * (long)MS_NS};
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ONCE_MS * MS_NS;

	while (k->look_at && clock_ns(CLOCK_MONOTONIC) < end) {
		nanosleep(&moment, NULL);
		look(k, t);
	}
}
