// SPDX-License-Identifier: GPL-2.0-only
/* Which of a gateway's hosts is to serve it: what rank.h promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/rank.h"
#include "base/clock.h"

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NOW (1000 * SECOND_NS)
#define HOLD (30 * SECOND_NS)

/*
 * Ranks are hosts 1, 2, 3, or 1, this one, 3. LIVES: of each rank `?` not heard yet, `a` alive for
 * long, `n` alive anew, `s` silent, `l` lame. SERVES and DOWN: as the record has it.
 */
struct choice {
	const char *what, *lives;
	bool here; /* the second is this host */
	__u32 serves, down;
	enum tsw_flip flip;

	bool changes;
	__u32 host, now_down, drain; /* where it changes */
	enum tsw_flip why;
};

static const struct choice choices[] = {
	{"all live", "aaa", .serves = 1},
	{"nobody was heard", "???", .serves = 1},
	{"the first is silent", "saa", .serves = 1, .changes = true, .host = 2, .now_down = 1,
	 .why = TSW_FLIP_SILENT},
	{"so is the second", "ssa", .serves = 1, .changes = true, .host = 3, .now_down = 3,
	 .why = TSW_FLIP_SILENT},
	{"the second was not heard yet", "s?a", .serves = 1, .changes = true, .host = 2,
	 .now_down = 1, .why = TSW_FLIP_SILENT},
	{"all are silent", "sss", .serves = 1, .changes = true, .host = 1, .now_down = 7},
	{"all are still silent", "sss", .serves = 1, .down = 7},
	{"all are silent, and the second serves", "sss", .serves = 2, .down = 1,
	 .flip = TSW_FLIP_SILENT, .changes = true, .host = 2, .now_down = 7,
	 .why = TSW_FLIP_SILENT},
	{"a backup is silent", "asa", .serves = 1, .changes = true, .host = 1, .now_down = 2},
	{"the second serves", "saa", .serves = 2, .down = 1, .flip = TSW_FLIP_SILENT},
	{"the first is back", "naa", .serves = 2, .down = 1, .flip = TSW_FLIP_SILENT,
	 .changes = true, .host = 2, .why = TSW_FLIP_HOLD},
	{"and is held off", "naa", .serves = 2, .flip = TSW_FLIP_HOLD},
	{"and has lived for a while", "aaa", .serves = 2, .flip = TSW_FLIP_HOLD, .changes = true,
	 .host = 1, .drain = RANK_DRAIN},
	{"the second dies while the first is held off", "nsa", .serves = 2, .flip = TSW_FLIP_HOLD,
	 .changes = true, .host = 1, .now_down = 2},
	{"the first is held off, the second is back, too", "nna", .serves = 3,
	 .flip = TSW_FLIP_HOLD},
	{"the third serves, the second has lived", "saa", .serves = 3, .down = 1,
	 .flip = TSW_FLIP_SILENT, .changes = true, .host = 2, .now_down = 1, .drain = RANK_DRAIN,
	 .why = TSW_FLIP_SILENT},
	{"an agent begins: what was found out holds", "???", .serves = 2, .down = 1,
	 .flip = TSW_FLIP_SILENT},
	{"until it is heard", "n??", .serves = 2, .down = 1, .flip = TSW_FLIP_SILENT,
	 .changes = true, .host = 2, .why = TSW_FLIP_HOLD},

	{"the first is lame", "laa", .serves = 1, .changes = true, .host = 2, .now_down = 1,
	 .why = TSW_FLIP_UPLINK},
	{"so is the second", "lla", .serves = 1, .changes = true, .host = 3, .now_down = 3,
	 .why = TSW_FLIP_UPLINK},
	{"all are lame", "lll", .serves = 1},
	{"all are lame now", "lll", .serves = 2, .down = 1, .flip = TSW_FLIP_UPLINK,
	 .changes = true, .host = 2, .why = TSW_FLIP_UPLINK},
	{"lame is better than silent", "sls", .serves = 1, .changes = true, .host = 2,
	 .now_down = 5, .why = TSW_FLIP_SILENT},
	{"but not than alive", "sla", .serves = 2, .down = 1, .flip = TSW_FLIP_SILENT,
	 .changes = true, .host = 3, .now_down = 3, .why = TSW_FLIP_SILENT},
	{"silent, then lame", "laa", .serves = 2, .down = 1, .flip = TSW_FLIP_SILENT,
	 .changes = true, .host = 2, .now_down = 1, .why = TSW_FLIP_UPLINK},
	{"no more lame, and held off", "naa", .serves = 2, .down = 1, .flip = TSW_FLIP_UPLINK,
	 .changes = true, .host = 2, .why = TSW_FLIP_HOLD},

	{"this host is the next", "saa", .here = true, .serves = 1, .changes = true, .host = 0,
	 .now_down = 1, .why = TSW_FLIP_SILENT},
	{"this host is the last that lives", "sas", .here = true, .serves = 1, .changes = true,
	 .host = 0, .now_down = 5, .why = TSW_FLIP_SILENT},
	{"this host serves", "saa", .here = true, .serves = 0, .down = 1, .flip = TSW_FLIP_SILENT},
	{"this host serves, the first is back", "naa", .here = true, .serves = 0,
	 .flip = TSW_FLIP_HOLD},
	{"this host serves, the first has lived", "aaa", .here = true, .serves = 0,
	 .flip = TSW_FLIP_HOLD, .changes = true, .host = 1, .drain = RANK_DRAIN},
	{"this host takes over from the third", "saa", .here = true, .serves = 3, .down = 1,
	 .flip = TSW_FLIP_SILENT, .changes = true, .host = 0, .now_down = 1, .drain = RANK_DRAIN,
	 .why = TSW_FLIP_SILENT},
	{"this host is lame", "sla", .here = true, .serves = 0, .down = 1, .flip = TSW_FLIP_SILENT,
	 .changes = true, .host = 3, .now_down = 3, .why = TSW_FLIP_SILENT},
	{"this host is no more lame, and waits", "sna", .here = true, .serves = 3, .down = 1,
	 .flip = TSW_FLIP_SILENT},
};

static struct life_of life(char c)
{
	switch (c) {
	case 'a':
		return (struct life_of){LIFE_ALIVE, NOW - HOLD};
	case 'n':
		return (struct life_of){LIFE_ALIVE, NOW - HOLD + 1};
	case 's':
		return (struct life_of){LIFE_SILENT, 0};
	case 'l':
		return (struct life_of){LIFE_LAME, 0};
	}
	return (struct life_of){};
}

static void check(const struct choice *c)
{
	const struct life_of of[] = {life(c->lives[1]), life(c->lives[0]), life(c->lives[1]),
				     life(c->lives[2])};
	const struct lives lives = {.of = of, .now = NOW, .hold = HOLD};
	const struct tsw_gateway gw = {.n_ranks = 3,
				       .rank = {1, c->here ? 0 : 2, 3},
				       .host = c->serves,
				       .down = c->down,
				       .flip = c->flip};
	struct gateway_flip to;
	const bool changes = rank_choose(&gw, &lives, &to);

	if (changes != c->changes)
		fail_msg("%s: %s", c->what, changes ? "it changes" : "nothing changes");
	if (changes && (to.host != c->host || to.down != c->now_down || to.drain != c->drain ||
			to.why != c->why))
		fail_msg("%s: host %u down %u drain %u why %u", c->what, to.host, to.down, to.drain,
			 to.why);
}

static void each_choice(void **state)
{
	size_t i;

	for (i = 0; i < COUNT(choices); i++)
		check(&choices[i]);
	(void)state;
}

/* Done, a choice is final: nothing flips to and fro while no life changes. */
static void it_settles(void **state)
{
	static const char letters[] = "?ansl";
	static const unsigned int powers[] = {1, 5, 25};
	struct life_of of[4] = {{LIFE_ALIVE, 0}};
	const struct lives lives = {.of = of, .now = NOW, .hold = HOLD};
	struct gateway_flip to;
	unsigned int n, i, serves, down;

	for (n = 0; n < 125 * 4 * 8; n++) {
		struct tsw_gateway gw = {.n_ranks = 3, .rank = {1, 2, 3}};

		for (i = 0; i < 3; i++)
			of[i + 1] = life(letters[n / powers[i] % 5]);
		serves = n / 125 % 4;
		down = n / 500;
		gw.rank[1] = serves == 3 ? 0 : 2;
		gw.host = serves == 3 ? 0 : serves + 1;
		gw.down = down;
		for (i = 0; i < 2 && rank_choose(&gw, &lives, &to); i++) {
			gw.host = to.host;
			gw.down = to.down;
			gw.flip = to.host == gw.rank[0] ? TSW_FLIP_NONE : to.why;
		}
		if (rank_choose(&gw, &lives, &to))
			fail_msg("case %u changes again and again", n);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_choice),
		cmocka_unit_test(it_settles),
	};

	return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
