/* SPDX-License-Identifier: GPL-2.0-only */
/* For the fuzz targets: what must hold, and what the command printed. */
#ifndef TSW_FUZZ_H
#define TSW_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/command.h"

/* A property that does not hold ends the run like a crash: libFuzzer keeps the input. */
#define MUST(condition) \
	((condition) ? (void)0 : must_fail(__FILE__, __LINE__, __func__, #condition))
void must_fail(const char *file, int line, const char *function, const char *what)
	__attribute__((noreturn));

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What goes to stdout and stderr between the two calls. */
struct said {
	char *out;
	size_t out_len;
	char *err;
	size_t err_len;
};

void hear(struct said *said);
void hear_end(void);
void said_free(struct said *said);

#define cleanup_said __attribute__((cleanup(said_free)))

/* UTF-8 as jansson understands it, which is another's code; no control characters. */
bool is_printable(const char *text, size_t len);

/* ERR is LINES lines, each a message of tsw's. */
void must_be_messages(const struct said *said, unsigned int lines);

/* OUT is JSON; it is an error with the text of ERR, where IS_ERROR. */
void must_be_json(const struct said *said, bool is_error);

/* A failure is set, of these statuses, with a text. */
void must_have_failed(int err);

/* Each value is one that its parser takes, and what stands for it in text means the same. */
void must_be_whole(const struct command *command, const struct words *w);
bool words_are_equal(const struct command *command, const struct words *a, const struct words *b);

/* What command_text() makes of words, read as a line of a batch, is the same command. */
void must_be_repeatable(const struct command *command, const struct words *w, bool cluster,
			int argc, char **argv);

#endif
