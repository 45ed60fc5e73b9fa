// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dns_expect.h"
#include "lab.h"
#include "told.h"

/* The lab has an address of each family for all of them; not all are reached from the name. */
static const struct {
	const char *name, *a, *aaaa, *reverse[2];
} names[] = {
	{"a", IP_A, IP6_A, {IP4_NAME("1"), IP6_NAME("1")}},
	{"b", IP_B, NULL, {IP4_NAME("2"), IP6_NAME("2")}},
	{"c", NULL, IP6_C, {IP4_NAME("3"), IP6_NAME("3")}},
	{"db.west", IP_D, NULL, {IP4_NAME("4"), IP6_NAME("4")}},
	{"Up", IP_E, NULL, {IP4_NAME("5"), IP6_NAME("5")}},
};

/* Where NAME ends with DOMAIN, from a dot on; or NULL. */
static char *suffix(char *name, const char *of)
{
	const size_t len = strlen(name), n = strlen(of);

	return len >= n && !strcasecmp(name + len - n, of) ? name + len - n : NULL;
}

static bool is_named(const char *text, size_t i)
{
	return !strcmp(text, names[i].name) ||
	       (!strcasecmp(text, names[i].name) && names[i].name[0] >= 'a');
}

/* Who has a name, or not, where nothing is told of it: the part of TEXT from AT on. */
static void authority(char *records, const char *text, size_t at)
{
	strcat(strcpy(records, " ~ SOA "), text + at);
}

/* Behind the first number of an address's name. */
static size_t parent(const char *text)
{
	return strcspn(text, ".") + 1;
}

/* What TEXT of TYPE is to be told: the code, and what stands behind the question. */
static unsigned int expect(char *text, const char *type, char *records)
{
	const bool any = !strcmp(type, "ANY");
	char *behind;
	int at = 0;
	size_t i;

	*records = '\0';
	for (i = 0; i < 2 * COUNT(names); i++) {
		const char *reverse = names[i / 2].reverse[i % 2];

		if (!reverse || strcasecmp(text, reverse) != 0)
			continue;
		if (any || !strcmp(type, "PTR"))
			sprintf(records, " | PTR %s." RED_DOMAIN, names[i / 2].name);
		else
			authority(records, text, parent(text));
		return 0;
	}
	if (suffix(text, ".in-addr.arpa") || suffix(text, ".ip6.arpa")) {
		authority(records, text, parent(text));
		return strcasestr(text, ".0.0.10.in-") || strcasestr(text, ".ip6.") ? 35 : 5;
	}
	if (!strcasecmp(text, RED_DOMAIN)) {
		authority(records, text, 0);
		if (any || !strcmp(type, "SOA"))
			records[1] = '|';
		return 0;
	}
	if (strstr(text, "\\046") || strstr(text, "\\000"))
		return 5;
	behind = suffix(text, "." RED_DOMAIN);
	if (behind) {
		authority(records, text, (size_t)(behind - text) + 1);
		*behind = '\0';
	} else if (strchr(text, '.'))
		return 5;
	for (i = 0; i < COUNT(names); i++) {
		if (!is_named(text, i))
			continue;
		if (names[i].a && (any || !strcmp(type, "A")))
			at += sprintf(records + at, " | A %s", names[i].a);
		if (names[i].aaaa && (any || !strcmp(type, "AAAA")))
			sprintf(records + at, " | AAAA %s", names[i].aaaa);
		return 0;
	}
	return 3;
}

bool dns_is_expected(const char *told)
{
	char flags[32], name[TOLD_TEXT], type[32], records[2 * TOLD_TEXT];
	const unsigned int rcode = (unsigned int)strtoul(told, NULL, 10);
	unsigned int want;
	int at = 0;

	if (rcode != 0 && rcode != 3 && rcode != 5)
		return !strstr(told, " | ") && !strstr(told, " ~ ");
	if (sscanf(told, "%31s %2047s %31s%n", flags, name, type, &at) != 3)
		return false;
	if (!strncmp(told + at, " CLASS", 6))
		return rcode == 5 && !strstr(told, " | ");
	want = expect(name, type, records);
	if (rcode == 5)
		*records = '\0';
	/* 35: an address that nobody has may be in a net of the tenant's, or not. */
	return (want == rcode || (want == 35 && rcode)) && !strcmp(told + at, records);
}
