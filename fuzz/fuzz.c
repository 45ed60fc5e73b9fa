// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "fuzz.h"
#include "text.h"

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
	size_t i;

	if (!string)
		return false;
	json_decref(string);
	for (i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c == 0x7f ||
		    (c == 0xc2 && i + 1 < len && (unsigned char)text[i + 1] < 0xa0))
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

	MUST(json);
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
