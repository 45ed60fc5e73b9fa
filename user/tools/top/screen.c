// SPDX-License-Identifier: GPL-2.0-only
#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_NOMACROS 1
#include <ncurses.h>

#include "base/err.h"
#include "base/hidden.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tools/top/screen.h"

#define LIBRARY "libncursesw.so.6"

/* Linking ncurses would make each start of the command a tenth slower. */
/* clang-format off */
#define FUNCTIONS(X) \
	X(newterm) X(endwin) X(delscreen) X(cbreak) X(noecho) X(nonl) X(keypad) X(nodelay) \
	X(curs_set) X(wgetch) X(werase) X(wmove) X(waddstr) X(wattrset) X(wrefresh) \
	X(getmaxx) X(getmaxy) X(set_escdelay)
/* clang-format on */

static struct {
	void *library;
	SCREEN *screen;
	WINDOW *window;
#define X(name) typeof(&(name)) name;
	FUNCTIONS(X)
#undef X
} nc;

static const struct {
	void **at;
	const char *name;
} functions[] = {
#define X(name) {(void **)&nc.name, #name},
	FUNCTIONS(X)
#undef X
};

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static struct sigaction old_action[sizeof(ending) / sizeof(ending[0])];
static sigset_t old_mask;
static volatile sig_atomic_t ended;

bool screen_is_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int load(void)
{
	size_t i;

	nc.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!nc.library)
		return fail(ENOENT, "a live view needs ncurses, Debian's package libncursesw6: %s",
			    dlerror());
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].at = dlsym(nc.library, functions[i].name);
		if (!*functions[i].at)
			return fail(ENOSYS, LIBRARY " has no %s", functions[i].name);
	}
	return 0;
}

static void on_signal(int signal)
{
	(void)signal;
	ended = 1;
}

/* Signals are delivered only while screen_wait() waits. */
static void hold_signals(void)
{
	const struct sigaction action = {.sa_handler = on_signal};
	sigset_t mask;
	size_t i;

	ended = 0;
	sigemptyset(&mask);
	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		sigaddset(&mask, ending[i]);
		sigaction(ending[i], &action, &old_action[i]);
	}
	sigprocmask(SIG_BLOCK, &mask, &old_mask);
}

static void release_signals(void)
{
	size_t i;

	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaction(ending[i], &old_action[i], NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

int screen_open(void)
{
	const char *type = getenv("TERM");
	WINDOW **whole;
	int err = load();

	if (err)
		return err;
	setlocale(LC_CTYPE, "");
	hold_signals();
	nc.screen = nc.newterm(NULL, stdout, stdin);
	whole = dlsym(nc.library, "stdscr");
	if (!nc.screen || !whole || !*whole) {
		release_signals();
		return fail(ENOTTY, "the terminal type TERM=%s is unknown here",
			    quoted(type ? type : ""));
	}
	nc.window = *whole;
	nc.cbreak();
	nc.noecho();
	nc.nonl();
	nc.keypad(nc.window, true);
	nc.nodelay(nc.window, true);
	nc.set_escdelay(50);
	nc.curs_set(0);
	return 0;
}

void screen_close(void)
{
	nc.endwin();
	nc.delscreen(nc.screen);
	release_signals();
}

void screen_size(int *rows, int *columns)
{
	*rows = nc.getmaxy(nc.window);
	*columns = nc.getmaxx(nc.window);
}

void screen_clear(void)
{
	nc.werase(nc.window);
}

void screen_put(int row, int column, enum screen_style style, const char *text)
{
	nc.wattrset(nc.window, style == SCREEN_BOLD	 ? (int)A_BOLD
			       : style == SCREEN_REVERSE ? (int)A_REVERSE
							 : (int)A_NORMAL);
	if (nc.wmove(nc.window, row, column) == OK)
		nc.waddstr(nc.window, text);
	nc.wattrset(nc.window, (int)A_NORMAL);
}

void screen_show(void)
{
	nc.wrefresh(nc.window);
}

int screen_wait(double seconds)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	const struct timespec timeout = {(time_t)seconds,
					 (long)((seconds - (double)(time_t)seconds) * 1e9)};

	/* After any other signal, such as that of a resize, the caller looks for keys. */
	ppoll(&input, 1, &timeout, &old_mask);
	return ended || input.revents & (POLLHUP | POLLERR) ? -EINTR : 0;
}

int screen_key(void)
{
	static const struct {
		int from, to;
	} keys[] = {
		{KEY_UP, SCREEN_UP},	     {KEY_DOWN, SCREEN_DOWN},
		{KEY_LEFT, SCREEN_LEFT},     {KEY_RIGHT, SCREEN_RIGHT},
		{KEY_PPAGE, SCREEN_PAGE_UP}, {KEY_NPAGE, SCREEN_PAGE_DOWN},
		{KEY_HOME, SCREEN_HOME},     {KEY_END, SCREEN_END},
		{KEY_ENTER, SCREEN_ENTER},   {'\r', SCREEN_ENTER},
		{'\n', SCREEN_ENTER},	     {KEY_RESIZE, SCREEN_RESIZED},
	};
	const int key = nc.wgetch(nc.window);
	size_t i;

	if (key == ERR)
		return SCREEN_NONE;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].from == key)
			return keys[i].to;
	return key;
}

/* The width of a character in columns; 0: a terminal must not get it. */
static int width(__u32 character)
{
	int n = character < 0x80 ? character >= ' ' && character < 0x7f : 0;

	if (character >= 0x80 && !strcmp(nl_langinfo(CODESET), "UTF-8"))
		n = wcwidth((wchar_t)character);
	return n > 0 ? n : 0;
}

const char *screen_text(const char *text, int columns, char *out, size_t room)
{
	size_t used = 0, len;
	__u32 character;
	int wide;

	while (*text && columns > 0) {
		len = utf8_next(text, &character);
		wide = len && !is_hidden(character) ? width(character) : 0;
		if (wide > columns || used + len >= room)
			break;
		if (wide)
			memcpy(out + used, text, len);
		else
			out[used] = '?';
		used += wide ? len : 1;
		columns -= wide ? wide : 1;
		text += len ? len : 1;
	}
	for (; columns > 0 && used + 1 < room; columns--)
		out[used++] = ' ';
	out[used] = '\0';
	return out;
}
