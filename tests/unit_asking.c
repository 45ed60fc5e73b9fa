// SPDX-License-Identifier: GPL-2.0-only
/* By which encapsulation hosts are asked, and when one counts as silent: agent/asking.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "agent/asking.h"

#include <cmocka.h>

enum { V = 1 << TSW_ENCAP_VXLAN, G = 1 << TSW_ENCAP_GRE, N = 1 << TSW_ENCAP_GENEVE, MS = 200 };

/* RANKS: the encapsulations of tenants whose gateways rank it; 0: it is not ranked. */
static const struct row {
	const char *what;
	int ranks, passes;
	int down, up;	   /* passes nothing from this question to that one */
	int silent, heard; /* at which question it counts as silent, and is heard first; 0: never */
	int back;	   /* and is heard again */
	int older;	   /* it was upgraded at this question; before, it answered no Geneve */
} rows[] = {
	{"not ranked", 0, V | G | N, .heard = 1},
	{"not ranked, GRE alone", 0, G, .heard = 3},
	{"not ranked, Geneve alone", 0, N, .heard = 5},
	{"not ranked, dead", 0, 0, .silent = 6},
	{"not ranked, dies and is back", 0, V | G | N, 2, 20, .heard = 1, .silent = 7, .back = 20},
	{"the same, VXLAN alone", 0, V, 2, 14, .heard = 1, .silent = 7, .back = 14},
	{"the same, when another one's turn is", 0, V, 2, 16, .heard = 1, .silent = 7, .back = 20},
	{"the same, GRE alone", 0, G, 4, 36, .heard = 3, .silent = 9, .back = 40},
	{"ranked", V, V | G | N, .heard = 1},
	{"ranked, dies", V, V | G | N, 2, 10, .heard = 1, .silent = 4, .back = 10},
	{"ranked, dead", V, G | N, .silent = 25},
	{"ranked by GRE", G, G, .heard = 1},
	{"ranked by GRE, which does not pass", G, V | N, .silent = 25},
	{"ranked by both", V | G, V, .heard = 1},
	{"ranked by Geneve", N, V | G | N, .heard = 1},
	{"ranked by Geneve, which alone passes", N, N, .heard = 3},
	{"the same, dies and is back", N, N, 4, 10, .heard = 3, .silent = 6, .back = 10},
	{"ranked by Geneve, an older host", N, V | N, .heard = 1, .older = 9},
	{"ranked by Geneve and GRE", N | G, N, .heard = 3},
};

static int answers(const struct row *row, enum tsw_encap encap, int question)
{
	if (question >= row->down && question < row->up)
		return 0;
	if (encap == TSW_ENCAP_GENEVE && question < row->older)
		return 0;
	return row->passes & 1 << encap;
}

static void look(struct asking *a, int ranks)
{
	asking_begin(a);
	for (int encap = 0; encap < TSW_ENCAPS; encap++)
		if (ranks & 1 << encap)
			asking_rank(a, (enum tsw_encap)encap);
	asking_end(a);
}

static void asks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		int silent = 0, heard = 0, back = 0;
		enum life life = LIFE_UNKNOWN;
		struct asking a = {};

		print_message("# %s\n", row->what);
		for (int question = 1; question < 60; question++) {
			look(&a, row->ranks);
			if (answers(row, a.encap, question)) {
				heard = heard ?: question;
				back = back ?: life == LIFE_SILENT ? question : 0;
				a.lost = 0;
				life = LIFE_ALIVE;
			} else if (asking_missed(&a, life, MS)) {
				assert_int_equal(silent, 0);
				silent = question;
				life = LIFE_SILENT;
			}
		}
		assert_int_equal(heard, row->heard);
		assert_int_equal(silent, row->silent);
		assert_int_equal(back, row->back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(asks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
