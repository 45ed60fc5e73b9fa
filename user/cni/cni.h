/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw-cni: what a container runtime asks by the Container Network Interface, versions 0.3.0 to
 * 1.1.0: environment and configuration in, one JSON object out.
 */
#ifndef TSW_CNI_H
#define TSW_CNI_H

#include <net/if.h>
#include <stdbool.h>

#include <jansson.h>

#include <tsw/object.h>

#include "plug/given.h"

/* What a runtime may look at; those below 100 are the specification's. */
enum cni_code {
	CNI_BAD_VERSION = 1,
	CNI_BAD_FIELD = 2, /* of the configuration, which is not supported */
	CNI_NO_CONTAINER = 3,
	CNI_BAD_ENV = 4,
	CNI_IO = 5,
	CNI_NO_JSON = 6,
	CNI_BAD_CONFIG = 7,
	CNI_TRY_AGAIN = 11,
	CNI_UNAVAILABLE = 50, /* STATUS: no ADD would succeed */
	CNI_REFUSED = 100,    /* by the switch or the kernel */
	CNI_DIFFERS = 101,    /* CHECK: what is there is not prevResult */
};

/* Ascending: what a version has the later ones have, too. */
enum cni_version { CNI_0_3_0, CNI_0_3_1, CNI_0_4_0, CNI_1_0_0, CNI_1_1_0, CNI_VERSIONS };
extern const char *const cni_versions[]; /* NULL ends them */

/* What is made for an interface, and by what it is found again: see names.c. */
struct cni_names {
	char network[16];    /* what all endpoints of this network begin with */
	char alias[32];	     /* what all aliases of its devices begin with */
	char own_alias[256]; /* as long as the kernel takes */
	char dev[IFNAMSIZ];
	char dev_network[9]; /* what all names of its devices begin with */
	struct tsw_name endpoint;
};

struct cni {
	/* The environment; what is not there is "". */
	const char *command, *container, *netns, *ifname, *path, *args;

	char *text; /* the configuration, as it was read */
	json_t *config;
	enum cni_version version;
	const char *network, *instance;
	const char *ipam;	/* NULL: the addresses are the tenant's */
	struct tsw_name tenant; /* empty where only `args` could tell it, and did not */
	struct cni_names names;

	enum cni_code code; /* of what went wrong; 0: by its errno */
	json_t *error;	    /* or another plugin's own */
};

/* Returns ERR; where that is an error, and no code is known yet, it has this one. */
int cni_code(struct cni *c, enum cni_code code, int err);

/* ---- request.c -------------------------------------------------------------------- */

/* The environment and standard input. */
int cni_read(struct cni *c);
void cni_free(struct cni *c);

/* KEY of CNI_ARGS into VALUE; -ENOENT without message: there is none. */
int cni_arg(struct cni *c, const char *key, char *value, size_t room);

/* Of an object, which may be NULL: NULL or 0 where KEY is not there or null. */
int cni_text(struct cni *c, const json_t *object, const char *key, const char **value);
int cni_number(struct cni *c, const json_t *object, const char *key, json_int_t *value);
int cni_list(struct cni *c, const json_t *object, const char *key, const json_t **value);

/* ---- names.c ---------------------------------------------------------------------- */

/* CONTAINER may be "": only what all of the network have. */
void cni_name(const char *instance, const char *network, const char *container, const char *ifname,
	      struct cni_names *names);

/* Where a name of their endpoint is kept that was given. */
struct given cni_given(const struct cni_names *names);

/* ---- words.c ---------------------------------------------------------------------- */

/*
 * What a container says of itself: WORD of its labels, of its pod's annotations, or of CNI_ARGS.
 * EACH for each; what it refuses is refused with the place.
 */
int cni_each_word(struct cni *c, const char *word, int (*each)(void *context, const char *value),
		  void *context);

/* Those that begin as ours and are none are refused. */
int cni_check_words(struct cni *c);

/* ---- verbs ------------------------------------------------------------------------ */

int cni_add(struct cni *c);

/* C's own, whatever it is called. */
int cni_del_endpoint(struct cni *c, struct world *w);

int cni_del(struct cni *c);
int cni_check(struct cni *c);
int cni_gc(struct cni *c);
int cni_status(struct cni *c);

/* Prints OBJECT, which is taken. */
int cni_print(struct cni *c, json_t *object);

#endif
