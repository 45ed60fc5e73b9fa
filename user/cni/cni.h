/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw-cni: answers a container runtime by the Container Network Interface, versions 0.3.0 to 1.1.0.
 * Reads the environment and a configuration, and writes one JSON object.
 */
#ifndef TSW_CNI_H
#define TSW_CNI_H

#include <net/if.h>
#include <stdbool.h>

#include <jansson.h>

#include <tsw/object.h>

#include "plug/given.h"
#include "plug/offer.h"

/* Error codes for the runtime; those below 100 are the specification's. */
enum cni_code {
	CNI_BAD_VERSION = 1,
	CNI_BAD_FIELD = 2, /* the configuration has a field that is not supported */
	CNI_NO_CONTAINER = 3,
	CNI_BAD_ENV = 4,
	CNI_IO = 5,
	CNI_NO_JSON = 6,
	CNI_BAD_CONFIG = 7,
	CNI_TRY_AGAIN = 11,
	CNI_UNAVAILABLE = 50, /* STATUS: no ADD would succeed */
	CNI_REFUSED = 100,    /* by the switch or the kernel */
	CNI_DIFFERS = 101,    /* CHECK: the container differs from prevResult */
};

/* Ascending: later versions have all that earlier ones have. */
enum cni_version { CNI_0_3_0, CNI_0_3_1, CNI_0_4_0, CNI_1_0_0, CNI_1_1_0, CNI_VERSIONS };
extern const char *const cni_versions[]; /* NULL ends them */

/* The names of what is made for an interface, by which it is found again: see names.c. */
struct cni_names {
	char network[16];    /* prefix of all endpoints of this network */
	char alias[32];	     /* prefix of all aliases of its devices */
	char own_alias[256]; /* the kernel's limit */
	char dev[IFNAMSIZ];
	char dev_network[9]; /* prefix of all names of its devices */
	struct tsw_name endpoint;
};

struct cni {
	/* The environment; a missing variable is "". */
	const char *command, *container, *netns, *ifname, *path, *args;

	char *text; /* the configuration, as it was read */
	json_t *config;
	const json_t *runtime; /* runtimeConfig */
	enum cni_version version;
	const char *network, *instance;
	const char *ipam;	 /* NULL: the addresses are the tenant's */
	struct tsw_name tenant;	 /* empty: unknown, and not needed */
	const char *tenant_from; /* says who chose it; NULL: the configuration */
	struct cni_names names;

	enum cni_code code; /* of the error; 0: by its errno */
	json_t *error;	    /* another plugin's own error, instead of ours */
};

/* Returns ERR. If that is an error without a code yet, gives it this one. */
int cni_code(struct cni *c, enum cni_code code, int err);

/* ---- request.c -------------------------------------------------------------------- */

/* Reads the environment and standard input. */
int cni_read(struct cni *c);
void cni_free(struct cni *c);

/* Copies KEY of CNI_ARGS into VALUE. -ENOENT without message: CNI_ARGS has no such key. */
int cni_arg(struct cni *c, const char *key, char *value, size_t room);

/* Read KEY of OBJECT, which may be NULL. A missing or null value gives NULL or 0. */
int cni_text(struct cni *c, const json_t *object, const char *key, const char **value);
int cni_number(struct cni *c, const json_t *object, const char *key, json_int_t *value);
int cni_list(struct cni *c, const json_t *object, const char *key, const json_t **value);

/* Calls EACH for the texts of KEY in the network's configuration: a list, or one text. */
int cni_each_name(struct cni *c, const char *key, int (*each)(void *context, const char *name),
		  void *context);

/* ---- tenant.c --------------------------------------------------------------------- */

/* ADD and STATUS refuse what is wrong; the others find their endpoints without the tenant. */
int cni_read_tenant(struct cni *c);

/* ---- keys.c ----------------------------------------------------------------------- */

/*
 * The network's key of FIELD, one of OFFER_FIELDS: for its own value, or for CHOICE. Returns a
 * static buffer.
 */
const char *cni_offer_key(enum endpoint_field field, bool choice);

/* Refuses objects of another type, and keys that are nearly right; tells of other unknown keys. */
int cni_check_keys(struct cni *c);

/* ---- names.c ---------------------------------------------------------------------- */

/* CONTAINER "": makes only the prefixes of the network. */
void cni_name(const char *instance, const char *network, const char *container, const char *ifname,
	      struct cni_names *names);

/* Where a name that was given to the endpoint is kept. */
struct given cni_given(const struct cni_names *names);

/* ---- words.c ---------------------------------------------------------------------- */

#define CNI_ANNOTATIONS "io.kubernetes.cri.pod-annotations" /* containerd's and CRI-O's */

/*
 * Calls EACH for each WORD among the container's labels, its pod's annotations and CNI_ARGS. An
 * error of EACH gets the place put before its message.
 */
int cni_each_word(struct cni *c, const char *word, int (*each)(void *context, const char *value),
		  void *context);

/* Refuses unknown words that begin like ours. */
int cni_check_words(struct cni *c);

/* ---- verbs ------------------------------------------------------------------------ */

int cni_add(struct cni *c);

/* Deletes C's endpoint, by its given name or its own. */
int cni_del_endpoint(struct cni *c, struct world *w);

int cni_del(struct cni *c);
int cni_check(struct cni *c);
int cni_gc(struct cni *c);
int cni_status(struct cni *c);

/* Prints OBJECT and frees it. */
int cni_print(struct cni *c, json_t *object);

#endif
