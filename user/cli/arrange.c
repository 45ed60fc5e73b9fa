// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/arrange.h"
#include "cli/find.h"
#include "cli/options.h"

struct arranged {
	char **word;
	int n;
	int values; /* how many of the next words are values of a key */
};

/* How many values the last word takes, if it is a key. NEXT is the word behind it. */
static int values_behind(const struct arranged *a, const char *next)
{
	int words = 0;
	const struct command *c = find_command(a->n, a->word, &words);

	if (!c || a->n <= words + command_names(c))
		return 0;
	return words_values(a->word[a->n - 1], next, command_words(c), c->takes | c->also);
}

static bool is_key(const struct arranged *a, const char *word)
{
	int words = 0;
	const struct command *c = find_command(a->n, a->word, &words);

	return c && words_values(word, NULL, command_words(c), c->takes | c->also) >= 0;
}

static bool is_option(const struct arranged *a, const char *word)
{
	return !a->values && option_is(word) && !is_key(a, word);
}

int arrange_options(int argc, char **argv)
{
	char **moved = calloc((size_t)argc + 1, sizeof(*moved));
	char **kept = calloc((size_t)argc + 1, sizeof(*kept));
	struct arranged a = {.word = kept};
	int i, n = 0, err = moved && kept ? 0 : fail_memory();

	for (i = 1; !err && i < argc; i++) {
		if (!a.values && !strcmp(argv[i], "--")) {
			moved[n++] = argv[i];
			while (++i < argc)
				kept[a.n++] = argv[i];
		} else if (is_option(&a, argv[i])) {
			if (option_takes_next(argv[i]) && i + 1 == argc) {
				err = misuse("option %s needs a value; see: tsw help",
					     quoted(argv[i]));
				break;
			}
			moved[n++] = argv[i];
			if (option_takes_next(argv[i]) && i + 1 < argc)
				moved[n++] = argv[++i];
		} else {
			kept[a.n++] = argv[i];
			a.values = a.values ? a.values - 1 : values_behind(&a, argv[i + 1]);
			a.values = a.values > 0 ? a.values : 0;
		}
	}
	if (!err) {
		memcpy(argv + 1, moved, (size_t)n * sizeof(*argv));
		memcpy(argv + 1 + n, kept, (size_t)a.n * sizeof(*argv));
	}
	free(moved);
	free(kept);
	return err;
}
