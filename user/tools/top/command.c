// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "tools/top/screen.h"
#include "tools/top/view.h"

enum { INTERVAL = 2, FIRST = 1 }; /* seconds */

static double now(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) / SECOND_NS;
}

static int measure(struct tsw *t, struct top *top)
{
	int err;

	sample_free(&top->before);
	top->before = top->now;
	top->now = (struct sample){};
	err = sample_take(t, &top->now);
	return err ?: top_measure(top);
}

/* The first rates are there soon, however long the interval. */
static int watch(struct tsw *t, struct top *top)
{
	double until = now() + (top->interval < FIRST ? top->interval : FIRST);
	int key, err = 0;

	while (!err && !top->ended) {
		double left = until - now();

		top_draw(top);
		if (screen_wait(left > 0 ? left : 0))
			break;
		while ((key = screen_key()) != SCREEN_NONE)
			top_key(top, key);
		if (now() < until)
			continue;
		err = measure(t, top);
		until = now() + top->interval;
	}
	return err;
}

static json_t *row_json(const struct rates_row *row)
{
	static const char *const keys[RATES] = {"bits",	      "packets",      "tx_bits",
						"tx_packets", "rx_bits",      "rx_packets",
						"local_bits", "gateway_bits", "drops"};
	json_t *item = json_pack("{s:o}", "tenant", json_text(row->name));
	int rate;

	for (rate = 0; rate < RATES; rate++)
		json_object_set_new(item, keys[rate],
				    json_integer((json_int_t)(row->of[rate] + 0.5)));
	return item;
}

static int print_once(struct cli *cli, struct top *top)
{
	const struct timespec interval = {.tv_sec = (time_t)top->interval};
	size_t i;
	int err;

	nanosleep(&interval, NULL);
	err = measure(&cli->tsw, top);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; i < top->rates.n; i++)
		out_item(&cli->out, row_json(&top->rates.row[i]));
	out_list_end(&cli->out);
	return 0;
}

int cmd_top(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct top top = {.instance = t->instance,
			  .interval = w->given & FIELD(OPTION_INTERVAL) ? w->option.interval
									: INTERVAL};
	int err;

	/* It would keep the others' lock. */
	if (t->will_write)
		return misuse("top cannot be in a batch with commands that change the switch");
	err = sample_take(t, &top.now);
	if (!err && (cli->out.json || !screen_is_terminal())) {
		err = print_once(cli, &top);
	} else if (!err) {
		err = screen_open();
		if (!err) {
			err = watch(t, &top);
			screen_close();
		}
	}
	rates_free(&top.rates);
	sample_free(&top.before);
	sample_free(&top.now);
	return err;
}
