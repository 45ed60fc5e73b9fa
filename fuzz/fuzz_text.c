// SPDX-License-Identifier: GPL-2.0-only
/* Text to values and back: whatever a parser takes means the same once it was printed. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "fuzz.h"
#include "base/text.h"
#include "base/utf8.h"

/* RESULT is 0, or a misuse that quotes the text. */
static bool taken(int result, const char *text)
{
	if (!result)
		return true;
	must_have_failed(result);
	MUST(failure()->status == EXIT_MISUSE);
	MUST(is_printable(failure()->text, strlen(failure()->text)));
	MUST(strstr(failure()->text, quoted(text)));
	return false;
}

/* ---- numbers ---------------------------------------------------------------------- */

static void numbers(const char *text)
{
	char again[32];
	__u32 n = 0, m = 0;

	if (!taken(parse_number(text, 0, ~0U, &n), text))
		return;
	MUST(n == strtoull(text, NULL, 10));
	snprintf(again, sizeof(again), "%u", n);
	MUST(!parse_number(again, n, n, &m) && m == n);
	if (n < ~0U)
		MUST(parse_number(again, n + 1, ~0U, &m));
	if (n)
		MUST(parse_number(again, 0, n - 1, &m));
}

/* Units are taken in either case. */
static void turn_case(const char *text, char *turned, size_t len)
{
	size_t i;

	snprintf(turned, len, "%s", text);
	for (i = 0; turned[i]; i++)
		turned[i] = (char)(islower((unsigned char)turned[i])
					   ? toupper((unsigned char)turned[i])
					   : tolower((unsigned char)turned[i]));
}

static void rates(const char *text)
{
	__u64 rate, same;
	char again[64];

	if (!taken(parse_rate(text, &rate), text))
		return;
	MUST(!rate == !strcmp(text, "none"));
	if (!rate)
		return;
	MUST(rate >= 1000 && rate <= 1000000000000ULL);
	snprintf(again, sizeof(again), "%llubit", rate);
	MUST(!parse_rate(again, &same) && same == rate);
	if (strlen(text) >= sizeof(again))
		return;
	turn_case(text, again, sizeof(again));
	MUST(!parse_rate(again, &same) && same == rate);
}

static void sizes(const char *text)
{
	__u32 size, same;
	char again[64];

	if (!taken(parse_size(text, &size), text))
		return;
	MUST(!size == !strcmp(text, "none"));
	if (!size)
		return;
	snprintf(again, sizeof(again), "%u", size);
	MUST(!parse_size(again, &same) && same == size);
	if (strlen(text) >= sizeof(again))
		return;
	turn_case(text, again, sizeof(again));
	MUST(!parse_size(again, &same) && same == size);
}

/* ---- addresses -------------------------------------------------------------------- */

static void addresses(const char *text)
{
	struct tsw_addr addr, again;
	struct tsw_mac mac, same;

	if (taken(parse_ip(text, &addr), text)) {
		MUST(!addr_is_none(&addr));
		MUST(!parse_ip(addr_text(&addr), &again) && addr_equal(&addr, &again));
		MUST(addr_is_v4(&addr) == !strchr(text, ':'));
	}
	if (taken(parse_mac(text, &mac), text)) {
		MUST(!(mac.b[0] & 1));
		MUST(!parse_mac(mac_text(&mac), &same) && mac_equal(&mac, &same));
		MUST(!strcasecmp(text, mac_text(&mac)));
	}
}

static void prefixes(const char *text)
{
	struct tsw_prefix prefix, again, network;
	struct tsw_addr first, last;

	if (!taken(parse_prefix(text, &prefix), text))
		return;
	MUST(!parse_prefix(prefix_text(&prefix), &again));
	MUST(again.len == prefix.len && addr_equal(&again.addr, &prefix.addr));
	first = prefix_first(&prefix);
	last = prefix_last(&prefix);
	MUST(memcmp(&first, &prefix.addr, sizeof(first)) <= 0);
	MUST(memcmp(&prefix.addr, &last, sizeof(last)) <= 0);
	MUST(prefix_has(&prefix, &first) && prefix_has(&prefix, &last));
	MUST(prefix_overlap(&prefix, &again));
	if (taken(parse_interface(text, &again), text))
		MUST(again.len == prefix.len && addr_equal(&again.addr, &prefix.addr));
	if (taken(parse_network(text, &network), text))
		MUST(addr_equal(&network.addr, &first) && network.len == prefix.len);
}

static void targets(const char *text)
{
	struct tsw_target target, again;
	char made[128];

	if (!taken(parse_target(text, &target), text))
		return;
	MUST(target.port >= 1 && target.port <= 65535);
	snprintf(made, sizeof(made), addr_is_v4(&target.addr) ? "%s:%u" : "[%s]:%u",
		 addr_text(&target.addr), target.port);
	MUST(!parse_target(made, &again) && again.port == target.port &&
	     addr_equal(&again.addr, &target.addr));
}

/* Any 16 octets: what is printed is read as the same, where it is an address for a LAN at all. */
static void octets(const uint8_t *data, size_t size)
{
	struct tsw_prefix a = {}, b = {};
	struct tsw_addr again;

	if (size < 2 * sizeof(again) + 2)
		return;
	memcpy(&a.addr, data, sizeof(again));
	memcpy(&b.addr, data + sizeof(again), sizeof(again));
	a.len = data[2 * sizeof(again)] % 129;
	b.len = data[2 * sizeof(again) + 1] % 129;
	if (!parse_ip(addr_text(&a.addr), &again))
		MUST(addr_equal(&a.addr, &again));
	MUST(prefix_overlap(&a, &b) == prefix_overlap(&b, &a));
	if (prefix_has(&a, &b.addr))
		MUST(prefix_overlap(&a, &b));
	again = prefix_first(&a);
	MUST(prefix_has(&a, &again));
}

/* ---- quoting ---------------------------------------------------------------------- */

/* The other way round, for what is not cut. */
static size_t unescape(const char *from, char *to)
{
	unsigned int octet;
	char *p = to;

	while (*from) {
		if (*from != '\\') {
			*p++ = *from++;
		} else if (from[1] == 'x') {
			MUST(sscanf(from + 2, "%2x", &octet) == 1);
			*p++ = (char)octet;
			from += 4;
		} else {
			*p++ = from[1];
			from += 2;
		}
	}
	*p = '\0';
	return (size_t)(p - to);
}

static void quotes(const char *text)
{
	const char *shown = escaped(text);
	char back[512];
	size_t len = unescape(shown, back);

	MUST(is_printable(shown, strlen(shown)));
	MUST(strlen(shown) < 120);
	if (strcmp(text, back)) {
		MUST(len > 3 && !strcmp(back + len - 3, "..."));
		MUST(!strncmp(text, back, len - 3));
	}
}

/* jansson judges the text, too. */
static void characters(const char *text)
{
	json_t *string = json_string(text);
	const char *p = text;
	__u32 character;
	size_t len;

	while (*p && (len = utf8_next(p, &character)))
		p += len;
	MUST(!*p == !!string);
	json_decref(string);
}

static void names(const char *text)
{
	struct tsw_name name;

	if (!taken(parse_name(text, &name), text))
		return;
	MUST(!strcmp(name.s, text));
	MUST(is_printable(text, strlen(text)));
	MUST(!strpbrk(text, " /"));
}

/* What is a line's words, each in quotes, is the same words again. */
static void lines(const char *text)
{
	struct line line = {}, again = {};
	char *copy = strdup(text), *joined = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&joined, &len);
	int i, err = parse_line(copy, &line);

	for (i = 0; i < line.n && !err; i++) {
		MUST(!strchr(line.word[i], '"'));
		fprintf(f, "%s\"%s\"", i ? "\t" : " ", line.word[i]);
	}
	fclose(f);
	if (err) {
		must_have_failed(err);
	} else {
		MUST(!parse_line(joined, &again));
		MUST(again.n == line.n);
		for (i = 0; i < line.n; i++)
			MUST(!strcmp(line.word[i], again.word[i]));
	}
	line_free(&line);
	line_free(&again);
	free(copy);
	free(joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const all[])(const char *text) = {numbers,  rates,   sizes,  addresses,
							prefixes, targets, quotes, characters,
							names,	  lines};
	char *text = malloc(size + 1);
	size_t i;

	memcpy(text, data, size);
	text[size] = '\0';
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		all[i](text);
	octets(data, size);
	free(text);
	return 0;
}
