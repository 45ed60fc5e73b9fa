// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "tools/top/screen.h"
#include "tools/top/view.h"

/* In columns: a rate with the blank before it; a name; the least size of the window. */
enum { RATE_WIDTH = 7, NAME_LEAST = 17, NAME_MOST = 40, COLUMNS_LEAST = 40, ROWS_LEAST = 6 };
enum { ROW_TITLE, ROW_HEADS, ROW_SUM, ROW_LIST }; /* the last row shows the keys */
enum { LINE_LEN = 1024 };
enum { REASON_WIDTH = 22, DIRECTION_WIDTH = 16 };

static const char *const heads[RATES + 1] = {
	"b/s", "p/s", "TX b/s", "TX p/s", "RX b/s", "RX p/s", "LO b/s", "GW b/s", "DROP/s", "NAME",
};

static void put_line(int row, enum screen_style style, const char *text, int columns)
{
	char line[LINE_LEN];

	screen_put(row, 0, style, screen_text(text, columns, line, sizeof(line)));
}

/* Prints as many rates behind the name as fit. */
static void put_rates(int row, enum screen_style style, const char *name, const double of[RATES],
		      int columns)
{
	int name_width = columns - RATES * RATE_WIDTH, i;
	char line[LINE_LEN], cell[RATE_WIDTH + 8], text[8];

	if (name_width < NAME_LEAST)
		name_width = NAME_LEAST;
	if (name_width > NAME_MOST)
		name_width = NAME_MOST;
	screen_put(row, 0, style, screen_text(name, name_width, line, sizeof(line)));
	for (i = 0; i < RATES && name_width + (i + 1) * RATE_WIDTH <= columns; i++) {
		snprintf(cell, sizeof(cell), "%*s", RATE_WIDTH,
			 of ? rate_text(of[i], text) : heads[i]);
		screen_put(row, name_width + i * RATE_WIDTH, style, cell);
	}
}

static void put_title(const struct top *top, int columns)
{
	const struct tsw_totals *totals = &top->now.totals;
	char line[LINE_LEN];

	snprintf(line, sizeof(line),
		 "tsw top: %s (%s), %u tenants, %u hosts, %u endpoints; sorted by %s%s, every %g s",
		 top->now.name, top->instance, totals->tenants, totals->hosts, totals->endpoints,
		 heads[top->by], top->reverse ? " reversed" : "", top->interval);
	put_line(ROW_TITLE, SCREEN_BOLD, line, columns);
}

static void put_keys(const struct top *top, int rows, int columns)
{
	put_line(rows - 1, SCREEN_REVERSE,
		 top->drops ? "q quit  enter back to the tenants"
			    : "q quit  up, down: choose  enter: its drops  left, right: sort by  "
			      "r reverse",
		 columns);
}

/* Scrolls so that the chosen row is among the ROOM visible ones. */
static void keep_in_sight(struct top *top, size_t room)
{
	if (top->chosen >= top->rates.n)
		top->chosen = top->rates.n ? top->rates.n - 1 : 0;
	if (top->first > top->chosen)
		top->first = top->chosen;
	if (top->chosen >= top->first + room)
		top->first = top->chosen - room + 1;
	if (top->first && top->first + room > top->rates.n)
		top->first = top->rates.n > room ? top->rates.n - room : 0;
}

static void draw_list(struct top *top, int rows, int columns)
{
	const int room = rows - 1 - ROW_LIST;
	size_t i;

	keep_in_sight(top, (size_t)room);
	put_rates(ROW_HEADS, SCREEN_REVERSE, heads[RATES], NULL, columns);
	if (!top->rates.row) {
		put_line(ROW_LIST, SCREEN_PLAIN, "measuring", columns);
		return;
	}
	put_rates(ROW_SUM, SCREEN_BOLD, "(all)", top->rates.sum, columns);
	for (i = top->first; i < top->rates.n && i < top->first + (size_t)room; i++)
		put_rates(ROW_LIST + (int)(i - top->first),
			  i == top->chosen ? SCREEN_REVERSE : SCREEN_PLAIN, top->rates.row[i].name,
			  top->rates.row[i].of, columns);
}

static void put_drop(int row, const struct drop_rate *drop, int columns)
{
	char line[LINE_LEN], text[8];

	snprintf(line, sizeof(line), "%-*s%-*s%*s %20llu", REASON_WIDTH,
		 drop_reason(drop->key.reason), DIRECTION_WIDTH,
		 drop_direction(drop->key.direction), RATE_WIDTH, rate_text(drop->rate, text),
		 (unsigned long long)drop->packets);
	put_line(row, SCREEN_PLAIN, line, columns);
}

static void draw_drops(const struct top *top, const char *name, int rows, int columns)
{
	char line[LINE_LEN];
	struct drop_rate *all;
	size_t n, i;

	snprintf(line, sizeof(line), "%-*s%-*s%*s %20s", REASON_WIDTH, "REASON", DIRECTION_WIDTH,
		 "DIRECTION", RATE_WIDTH, "DROP/s", "PACKETS");
	put_line(ROW_SUM, SCREEN_REVERSE, line, columns);
	if (!drop_rates(&top->before, &top->now, top->tenant, &all, &n))
		for (i = 0; i < n && ROW_LIST + (int)i < rows - 1; i++)
			put_drop(ROW_LIST + (int)i, &all[i], columns);
	snprintf(line, sizeof(line), n ? "drops of %s" : "drops of %s: none", name);
	put_line(ROW_HEADS, SCREEN_BOLD, line, columns);
	free(all);
}

void top_draw(struct top *top)
{
	const struct tenant_row *tenant = tenants_row(&top->now.tenants, top->tenant);
	int rows, columns;

	screen_size(&rows, &columns);
	screen_clear();
	if (!tenant) /* the tenant was deleted */
		top->drops = false;
	if (rows < ROWS_LEAST || columns < COLUMNS_LEAST) {
		put_line(0, SCREEN_PLAIN, "too small: need 40 x 6", columns);
	} else {
		put_title(top, columns);
		put_keys(top, rows, columns - 1); /* the last cell of the screen would scroll it */
		if (top->drops)
			draw_drops(top, tenant->tenant.name, rows, columns);
		else
			draw_list(top, rows, columns);
	}
	screen_show();
}

int top_measure(struct top *top)
{
	int err;

	rates_free(&top->rates);
	err = rates_between(&top->before, &top->now, &top->rates);
	if (!err)
		rates_sort(&top->rates, top->by, top->reverse);
	return err;
}

static void move(struct top *top, long by)
{
	const long to = (long)top->chosen + by, last = top->rates.n ? (long)top->rates.n - 1 : 0;

	top->chosen = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

static void sort_by(struct top *top, unsigned int step)
{
	top->by = (top->by + step) % (RATES + 1);
	rates_sort(&top->rates, top->by, top->reverse);
}

static void toggle_drops(struct top *top)
{
	if (!top->drops && top->chosen >= top->rates.n)
		return;
	if (!top->drops)
		top->tenant = top->rates.row[top->chosen].id;
	top->drops = !top->drops;
}

static void list_key(struct top *top, int key)
{
	int rows, columns;

	screen_size(&rows, &columns);
	switch (key) {
	case SCREEN_UP:
		return move(top, -1);
	case SCREEN_DOWN:
		return move(top, 1);
	case SCREEN_PAGE_UP:
		return move(top, ROW_LIST + 1 - rows);
	case SCREEN_PAGE_DOWN:
		return move(top, rows - 1 - ROW_LIST);
	case SCREEN_HOME:
		return move(top, -(long)top->rates.n);
	case SCREEN_END:
		return move(top, (long)top->rates.n);
	case SCREEN_LEFT:
	case '<':
		return sort_by(top, RATES);
	case SCREEN_RIGHT:
	case '>':
		return sort_by(top, 1);
	case 'r':
		top->reverse = !top->reverse;
		return sort_by(top, 0);
	}
}

void top_key(struct top *top, int key)
{
	if (key == 'q' || key == 'Q')
		top->ended = true;
	else if (key == SCREEN_ENTER)
		toggle_drops(top);
	else if (!top->drops)
		list_key(top, key);
}
