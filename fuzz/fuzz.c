// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "fuzz.h"
#include "base/hidden.h"
#include "base/text.h"
#include "base/utf8.h"

static FILE *real_out, *real_err;

void must_fail(const char *file, int line, const char *function, const char *what)
{
	if (real_out)
		hear_end();
	fprintf(stderr, "%s:%d: %s: does not hold: %s\n", file, line, function, what);
	abort();
}

void hear(struct said *said)
{
	real_out = stdout;
	real_err = stderr;
	stdout = open_memstream(&said->out, &said->out_len);
	stderr = open_memstream(&said->err, &said->err_len);
	if (!stdout || !stderr)
		abort();
}

void hear_end(void)
{
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	real_out = real_err = NULL;
}

void said_free(struct said *said)
{
	free(said->out);
	free(said->err);
}

bool is_printable(const char *text, size_t len)
{
	json_t *string = json_stringn(text, len);
	__u32 character;
	size_t n;

	if (!string)
		return false;
	json_decref(string);
	for (; len; text += n, len -= n) {
		n = utf8_next(text, &character);
		if (!n || n > len || is_hidden(character))
			return false;
	}
	return true;
}

void must_be_messages(const struct said *said, unsigned int lines)
{
	const char *line = said->err, *end;

	for (; *line; line = end + 1, lines--) {
		end = strchr(line, '\n');
		MUST(lines);
		MUST(end);
		MUST(!strncmp(line, "tsw: ", 5));
		MUST(end > line + 5);
		MUST(is_printable(line, (size_t)(end - line)));
	}
	MUST(!lines);
}

void must_be_json(const struct said *said, bool is_error)
{
	json_t *json = json_loadb(said->out, said->out_len, JSON_REJECT_DUPLICATES, NULL);
	const char *text, *code;
	__u32 character;
	size_t len;

	MUST(json);
	for (text = said->out; text < said->out + said->out_len; text += len) {
		len = utf8_next(text, &character);
		MUST(len && (character == '\n' || !is_hidden(character)));
	}
	MUST(said->out[said->out_len - 1] == '\n');
	if (is_error) {
		text = json_string_value(json_object_get(json, "error"));
		code = json_string_value(json_object_get(json, "code"));
		MUST(text && code && *code == 'E');
		MUST(!strncmp(said->err + 5, text, strlen(text)));
		MUST(said->err[5 + strlen(text)] == '\n');
	}
	json_decref(json);
}

void must_have_failed(int err)
{
	const struct failure *f = failure();

	MUST(err < 0 && f->code == -err);
	MUST(f->status == EXIT_CANNOT || f->status == EXIT_MISUSE);
	MUST(*f->text);
}
