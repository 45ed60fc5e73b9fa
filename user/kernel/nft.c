// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nftables/libnftables.h>

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "kernel/netns.h"
#include "kernel/nft.h"

#define RESTART 85 /* ERESTART: another transaction came in between */

enum { TRIES = 16, LINE = 512 };

/* Kept, because a batch would make it again for each line. */
static _Thread_local struct nft_ctx *nft;

static struct nft_ctx *context(void)
{
	int probe;

	if (nft || netns_visit())
		return nft;
	/* Without a socket the library would end the process. */
	probe = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (probe >= 0) {
		close(probe);
		nft = nft_ctx_new(NFT_CTX_DEFAULT);
	}
	netns_leave(0);
	if (!nft)
		return NULL;
	nft_ctx_buffer_output(nft);
	nft_ctx_buffer_error(nft);
	return nft;
}

void nft_close(void)
{
	if (nft)
		nft_ctx_free(nft);
	nft = NULL;
}

/* The first line of libnftables' message has the reason; the others show its input. */
static int fail_nft(int code, const char *said)
{
	int len = (int)strcspn(said, "\n");
	const char *why = strstr(said, "Error: ");

	if (why && why < said + len) {
		len -= (int)(why - said) + 7;
		why += 7;
	} else {
		why = said;
	}
	/* errno may be that of a later call of the library. */
	if (!strncmp(why, strerror(ENOENT), strlen(strerror(ENOENT))))
		code = ENOENT;
	return fail(code ? code : EIO, "nftables: %.*s", len, why);
}

static int run(const char *text, unsigned int flags)
{
	int err, tries = TRIES;

	if (!netns_has_router())
		return fail(ENOENT, "nftables: there is no router: %s", strerror(ENOENT));
	if (!context())
		return fail(ENOMEM, "cannot start libnftables");
	nft_ctx_output_set_flags(nft, flags);
	do {
		nft_ctx_get_output_buffer(nft); /* reading a buffer empties it */
		nft_ctx_get_error_buffer(nft);
		errno = 0;
		err = nft_run_cmd_from_buffer(nft, text);
	} while (err && errno == RESTART && --tries);
	return err ? fail_nft(errno, nft_ctx_get_error_buffer(nft)) : 0;
}

json_t *nft_list(const char *text, bool elements)
{
	unsigned int flags = NFT_CTX_OUTPUT_JSON | NFT_CTX_OUTPUT_NUMERIC_ALL;
	json_t *answer, *list;

	if (run(text, elements ? flags : flags | NFT_CTX_OUTPUT_TERSE))
		return NULL;
	answer = json_loads(nft_ctx_get_output_buffer(context()), 0, NULL);
	list = json_incref(json_object_get(answer, "nftables"));
	json_decref(answer);
	if (!list)
		fail(EPROTO, "the answer of libnftables is not understood");
	return list;
}

void nft_begin(struct nft_change *c)
{
	c->commands = json_array();
}

void nft_abandon(struct nft_change *c)
{
	json_decref(c->commands);
	c->commands = NULL;
}

/* Appends to the last command about that set if it does the same. Sets are independent. */
static void add(struct nft_change *c, const char *what, const char *set, json_t *element)
{
	size_t i = json_array_size(c->commands);
	json_t *command = NULL;

	while (i-- > 0) {
		command = json_array_get(c->commands, i);
		if (!strcmp(json_text_in(command, "set"), set))
			break;
		command = NULL;
	}
	if (!command || strcmp(json_string_value(json_object_get(command, "do")), what)) {
		command = json_pack("{s:s, s:s, s:[]}", "do", what, "set", set, "elem");
		json_array_append_new(c->commands, command);
	}
	json_array_append(json_object_get(command, "elem"), element);
}

void nft_put(struct nft_change *c, const char *set, json_t *key, json_t *value)
{
	json_t *element = value ? json_pack("[o, o]", key, value) : json_pack("[o]", key);

	add(c, "add", set, element);
	json_decref(element);
}

/* nftables refuses to delete a missing element, so it is added first. */
void nft_drop(struct nft_change *c, const char *set, json_t *key, json_t *value)
{
	json_t *element = value ? json_pack("[o, o]", key, value) : json_pack("[o]", key);

	add(c, "add", set, element);
	add(c, "delete", set, element);
	json_decref(element);
}

static void add_line(struct nft_change *c, const char *when, const char *fmt, va_list args)
{
	char text[LINE];

	vsnprintf(text, sizeof(text), fmt, args);
	json_array_append_new(c->commands, json_pack("{s:s, s:s}", "do", when, "text", text));
}

void nft_before(struct nft_change *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_line(c, "before", fmt, args);
	va_end(args);
}

void nft_after(struct nft_change *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_line(c, "after", fmt, args);
	va_end(args);
}

static void write_term(FILE *f, const json_t *term)
{
	const json_t *list = json_object_get(term, "concat"), *jump = json_object_get(term, "jump");
	size_t i;

	if (jump)
		fprintf(f, "jump %s", json_string_value(json_object_get(jump, "target")));

	if (json_is_integer(term))
		fprintf(f, "%lld", (long long)json_integer_value(term));
	else if (json_is_string(term))
		fputs(json_string_value(term), f);
	for (i = 0; i < json_array_size(list); i++) {
		fputs(i ? " . " : "", f);
		write_term(f, json_array_get(list, i));
	}
}

static void write_elements(FILE *f, const json_t *command)
{
	const json_t *elements = json_object_get(command, "elem"), *value;
	size_t i;

	fprintf(f, "%s element inet tsw %s { ", json_string_value(json_object_get(command, "do")),
		json_string_value(json_object_get(command, "set")));
	for (i = 0; i < json_array_size(elements); i++) {
		fputs(i ? ", " : "", f);
		write_term(f, json_array_get(json_array_get(elements, i), 0));
		value = json_array_get(json_array_get(elements, i), 1);
		fputs(value ? " : " : "", f);
		write_term(f, value);
	}
	fputs(" }\n", f);
}

static void write_lines(FILE *f, const struct nft_change *c, const char *when)
{
	json_t *command;
	size_t i;

	json_array_foreach(c->commands, i, command)
		if (!strcmp(json_text_in(command, "do"), when))
			fprintf(f, "%s\n", json_text_in(command, "text"));
}

static void write_change(FILE *f, const struct nft_change *c)
{
	json_t *command;
	size_t i;

	write_lines(f, c, "before");
	json_array_foreach(c->commands, i, command)
		if (json_object_get(command, "set"))
			write_elements(f, command);
	write_lines(f, c, "after");
}

int nft_run(const char *first, const char *text, const struct nft_change *c)
{
	char *all = NULL;
	size_t len;
	FILE *f = open_memstream(&all, &len);
	int err;

	if (!f)
		return fail_memory();
	fputs(first, f);
	fputs(text, f);
	if (c)
		write_change(f, c);
	err = fclose(f) ? fail_memory() : run(all, 0);
	free(all);
	return err;
}

int nft_commit(struct nft_change *c)
{
	int err = 0;

	if (json_array_size(c->commands))
		err = nft_run("", "", c);
	nft_abandon(c);
	return err;
}

json_t *nft_number(__u32 number)
{
	return json_integer((json_int_t)number);
}

json_t *nft_mark(__u32 mark)
{
	return nft_number(mark);
}

json_t *nft_addr(const struct tsw_addr *addr)
{
	return json_string(addr_text(addr));
}

/* A protocol becomes its number, as nftables lists it. */
json_t *nft_word(const char *word)
{
	if (!strcmp(word, "tcp"))
		return nft_number(IPPROTO_TCP);
	if (!strcmp(word, "udp"))
		return nft_number(IPPROTO_UDP);
	return json_string(word);
}

json_t *nft_jump(const char *chain)
{
	return json_pack("{s:{s:s}}", "jump", "target", chain);
}

json_t *nft_concat(json_t *first, ...)
{
	json_t *list = json_array(), *next;
	va_list args;

	va_start(args, first);
	for (next = first; next; next = va_arg(args, json_t *))
		json_array_append_new(list, next);
	va_end(args);
	return json_pack("{s:o}", "concat", list);
}
