/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal, by ncurses, which is loaded when first needed: most commands never do. */
#ifndef TSW_SCREEN_H
#define TSW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum screen_style { SCREEN_PLAIN, SCREEN_BOLD, SCREEN_REVERSE };

enum screen_key { /* beyond characters */
		  SCREEN_NONE = -1,
		  SCREEN_UP = 0x10000,
		  SCREEN_DOWN,
		  SCREEN_LEFT,
		  SCREEN_RIGHT,
		  SCREEN_PAGE_UP,
		  SCREEN_PAGE_DOWN,
		  SCREEN_HOME,
		  SCREEN_END,
		  SCREEN_ENTER,
		  SCREEN_RESIZED,
};

/* Standard input and output are one. */
bool screen_is_terminal(void);

/* Signals that end a program end screen_wait() from then on; close puts all back as it was. */
int screen_open(void);
void screen_close(void);

void screen_size(int *rows, int *columns);
void screen_clear(void);
void screen_put(int row, int column, enum screen_style style, const char *text);
void screen_show(void);

/* Until there is a key, the size has changed, or SECONDS are over; -EINTR: to end. */
int screen_wait(double seconds);
int screen_key(void);

/*
 * What of TEXT may go to a terminal, in so many columns: cut or filled with blanks. What has no
 * width there, as control characters and those that turn the writing round, becomes a `?`.
 */
const char *screen_text(const char *text, int columns, char *out, size_t room);

#endif
