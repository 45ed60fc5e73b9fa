// SPDX-License-Identifier: GPL-2.0-only
/* What must hold of a command's words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/hidden.h"
#include "base/text.h"
#include "record/endpoint_find.h"

static void must_be_name(const struct tsw_name *name)
{
	struct tsw_name again;

	if (!name->s[0])
		return;
	MUST(memchr(name->s, '\0', sizeof(name->s)));
	MUST(!parse_known_name(name->s, &again) && !memcmp(name, &again, sizeof(again)));
}

static void must_be_addr(const struct tsw_addr *addr)
{
	struct tsw_addr again;

	MUST(!parse_ip(addr_text(addr), &again) && addr_equal(addr, &again));
}

static void must_be_prefix(const struct tsw_prefix *prefix)
{
	struct tsw_prefix again;

	MUST(!parse_prefix(prefix_text(prefix), &again));
	MUST(again.len == prefix->len && addr_equal(&again.addr, &prefix->addr));
}

static void must_be_lists(const struct words *w)
{
	unsigned int i;

	MUST(w->n_ip <= ENDPOINT_IPS && w->n_cidr <= TSW_GATEWAY_ADDRS &&
	     w->n_prefixes <= TSW_GATEWAY_ADDRS && w->n_devs <= TSW_UNDERLAYS);
	for (i = 0; i < w->n_ip; i++)
		must_be_addr(&w->ip[i]);
	for (i = 0; i < w->n_cidr; i++)
		must_be_prefix(&w->cidr[i]);
	for (i = 0; i < w->n_prefixes; i++)
		must_be_prefix(&w->prefix[i]);
	for (i = 0; i < w->n_devs; i++)
		MUST(w->devs[i] && *w->devs[i] && strlen(w->devs[i]) < 16);
	for (i = 0; i < TSW_FAMILIES; i++) {
		if (!addr_is_none(&w->local[i]))
			must_be_addr(&w->local[i]);
		if (!addr_is_none(&w->snat[i]))
			must_be_addr(&w->snat[i]);
	}
}

void must_be_whole(const struct command *command, const struct words *w)
{
	static const struct tsw_mac none;
	struct tsw_mac mac;

	MUST(!(w->given & ~(command->takes | W_NAME)));
	MUST(!(command->needs & ~w->given));
	MUST((command->name != NAME_MUST && command->name != NAME_NEW) || w->given & W_NAME);
	MUST(command->name != NAME_NEW || !hidden_in(w->name.s));
	MUST(!hidden_in(w->host_name.s));
	MUST(!(w->given & W_NAME) == !w->name.s[0]);
	must_be_name(&w->name);
	must_be_name(&w->tenant);
	must_be_name(&w->host);
	must_be_name(&w->host_name);
	must_be_name(&w->with);
	must_be_lists(w);
	if (w->given & W_TO)
		must_be_addr(&w->to.addr);
	if (w->given & W_MAC)
		MUST(!parse_mac(mac_text(&w->mac), &mac) && mac_equal(&mac, &w->mac));
	else
		MUST(mac_equal(&w->mac, &none));
}

/* Texts, which may be elsewhere; NULL is equal to NULL. */
static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool words_are_equal(const struct words *a, const struct words *b)
{
	struct words x = *a, y = *b;
	unsigned int i;

	if (!same(x.dev, y.dev) || !same(x.id_text, y.id_text) || x.n_devs != y.n_devs)
		return false;
	for (i = 0; i < x.n_devs; i++)
		if (!same(x.devs[i], y.devs[i]))
			return false;
	for (i = 0; x.all && y.all && (x.all[i] || y.all[i]); i++)
		if (!same(x.all[i], y.all[i]))
			return false;
	x.dev = y.dev = x.id_text = y.id_text = NULL;
	memset(x.devs, 0, sizeof(x.devs));
	memset(y.devs, 0, sizeof(y.devs));
	x.all = y.all = NULL;
	return !memcmp(&x, &y, sizeof(x));
}

/* Its text is itself: nothing is escaped or cut. */
static bool is_plain(const char *word)
{
	return strlen(word) < 90 && !strpbrk(word, "\"\\") && is_printable(word, strlen(word));
}

void must_be_repeatable(const struct command *command, const struct words *w, int argc, char **argv)
{
	const struct command *found;
	struct words again;
	struct line line = {};
	char text[8192];
	int i;

	for (i = 0; i < argc; i++)
		if (!is_plain(argv[i]))
			return;
	command_text(argc, argv, text, sizeof(text));
	if (strlen(text) + 1 == sizeof(text)) /* cut */
		return;
	MUST(!parse_line(text, &line));
	MUST(line.n == argc);
	for (i = 0; i < argc; i++)
		MUST(!strcmp(line.word[i], argv[i]));
	MUST(!command_parse(line.n, line.word, &found, &again));
	MUST(found == command);
	MUST(words_are_equal(w, &again));
	line_free(&line);
}
