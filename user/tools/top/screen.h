/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal, by ncurses, which is loaded when it is needed. */
#ifndef TSW_TOOLS_TOP_SCREEN_H
#define TSW_TOOLS_TOP_SCREEN_H

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

/* Whether standard input and output are a terminal. */
bool screen_is_terminal(void);

/* From here on, signals that end a program end screen_wait(). screen_close() undoes all. */
int screen_open(void);
void screen_close(void);

void screen_size(int *rows, int *columns);
void screen_clear(void);
void screen_put(int row, int column, enum screen_style style, const char *text);
void screen_show(void);

/* Waits for a key, a change of the size, or SECONDS. -EINTR: the program should end. */
int screen_wait(double seconds);
int screen_key(void);

/*
 * TEXT in exactly so many columns, cut or filled with blanks. Characters without a width, such as
 * controls and those that change the writing direction, become `?`.
 */
const char *screen_text(const char *text, int columns, char *out, size_t room);

#endif
