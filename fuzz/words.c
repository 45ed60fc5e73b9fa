// SPDX-License-Identifier: GPL-2.0-only
/* What must hold of a command's words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/hidden.h"
#include "base/parse.h"
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

static void must_be_domain(const struct tsw_name *domain)
{
	struct tsw_name again;

	MUST(!domain->s[0] ||
	     (!parse_domain(domain->s, &again) && !memcmp(domain, &again, sizeof(again))));
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

static void must_be_list(const struct field *f, const void *at)
{
	const struct tsw_device_list *devices = at;
	const struct tsw_prefix_list *prefixes = at;
	const struct tsw_addr_pair *pair = at;
	const struct tsw_addr_list *ips = at;
	__u32 i;

	if (f->kind == FIELD_DOMAIN)
		must_be_domain(at);
	MUST(f->kind != FIELD_LINE || memchr(at, 0, sizeof(struct tsw_description)));
	MUST(f->kind != FIELD_FILE || memchr(at, 0, TSW_BOOT_FILE));
	MUST(f->kind != FIELD_DEVICES || devices->n <= TSW_UNDERLAYS);
	for (i = 0; f->kind == FIELD_DEVICES && i < devices->n; i++)
		MUST(devices->at[i][0] && memchr(devices->at[i], 0, sizeof(devices->at[i])));
	MUST(f->kind != FIELD_IPS || ips->n <= TSW_ENDPOINT_IPS);
	for (i = 0; f->kind == FIELD_IPS && i < ips->n; i++)
		must_be_addr(&ips->at[i]);
	if (f->kind == FIELD_VTEPS || f->kind == FIELD_SNATS || f->kind == FIELD_RESOLVERS)
		for (i = 0; i < TSW_FAMILIES; i++)
			if (!addr_is_none(&pair->of[i]))
				must_be_addr(&pair->of[i]);
	if (f->kind != FIELD_CIDRS && f->kind != FIELD_NETWORKS && f->kind != FIELD_NETS)
		return;
	MUST(prefixes->n <= TSW_GATEWAY_ADDRS);
	for (i = 0; i < prefixes->n; i++)
		must_be_prefix(&prefixes->at[i]);
}

static void must_be_number(const struct field *f, const __u32 *at)
{
	const bool choice = f->kind == FIELD_CHOICE || f->kind == FIELD_IF_CHOICE;
	size_t n = 0;

	while (choice && f->choices[n])
		n++;
	MUST(!choice || *at < n);
	MUST(f->kind != FIELD_IF_NUMBER || !*at || (*at >= f->min && *at <= f->max));
	MUST(f->kind != FIELD_NUMBER || (*at >= f->min && *at <= f->max));
	MUST(f->kind != FIELD_MTU || !*at || (*at >= f->min && *at <= f->max));
	MUST(f->kind != FIELD_LIMIT || *at == ~0U || (*at >= f->min && *at <= f->max));
}

static void must_be_value(const struct field *f, const void *object)
{
	const void *at = (const char *)object + f->offset;
	struct tsw_mac mac;

	if (f->kind == FIELD_NAME || f->kind == FIELD_NEW_NAME)
		must_be_name(at);
	if (f->kind == FIELD_NEW_NAME)
		MUST(!hidden_in(at));
	if (f->kind == FIELD_MAC)
		MUST(!parse_mac(mac_text(at), &mac) && mac_equal(&mac, at));
	if (f->kind == FIELD_TARGET)
		must_be_addr(&((const struct tsw_target *)at)->addr);
	if (f->kind == FIELD_DEVICE)
		MUST(*(const char *)at && memchr(at, 0, IFNAMSIZ));
	if (field_is_list(f))
		must_be_list(f, at);
	else if (f->kind != FIELD_FLAG)
		must_be_number(f, at);
}

void must_be_whole(const struct command *command, const struct words *w)
{
	const struct vocabulary *v = command->words;
	size_t i;

	MUST(!(w->given & ~(command->takes | W_NAME | W_SECOND)));
	MUST(!(command->needs & ~w->given));
	MUST((command->name != NAME_MUST && command->name != NAME_NEW) || w->given & W_NAME);
	MUST(command->name != NAME_NEW || !hidden_in(w->name.s));
	MUST(!(w->given & W_NAME) == !w->name.s[0]);
	must_be_name(&w->name);
	for (i = 0; v && v->fields[i].key; i++)
		if (w->given & FIELD(i) && !(w->automatic & v->fields[i].automatic))
			must_be_value(&v->fields[i], (const char *)w + v->at);
}

/* NULL is equal to NULL. */
static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Their texts may be elsewhere. */
bool words_are_equal(const struct command *command, const struct words *a, const struct words *b)
{
	const struct vocabulary *v = command->words;
	unsigned int i;

	for (i = 0; a->all && b->all && (a->all[i] || b->all[i]); i++)
		if (!same(a->all[i], b->all[i]))
			return false;
	return a->given == b->given && a->automatic == b->automatic && same(a->name.s, b->name.s) &&
	       same(a->file, b->file) &&
	       (!v || fields_equal(v->fields, a->given, (const char *)a + v->at,
				   (const char *)b + v->at));
}

/* Its text is itself: nothing is escaped or cut. */
static bool is_plain(const char *word)
{
	return strlen(word) < 90 && !strpbrk(word, "\"\\") && is_printable(word, strlen(word));
}

void must_be_repeatable(const struct command *command, const struct words *w, bool cluster,
			int argc, char **argv)
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
	MUST(!command_parse(line.n, line.word, cluster, &found, &again));
	MUST(found == command);
	MUST(words_are_equal(command, w, &again));
	line_free(&line);
}
