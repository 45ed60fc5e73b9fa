// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "etcd/call.h"

/*
 * PAGE: keys of an answer, about 300 KiB of ours; etcd's own limit is 1.5 MiB. READ_MOST: octets of
 * a range, enough for a million endpoints.
 */
enum { PAGE = 1000, READ_MOST = 256 << 20 };

int etcd_open(struct etcd **opened, const struct etcd_config *config)
{
	struct etcd *e = calloc(1, sizeof(*e));
	int err = e ? etcd_configure(e, config) : fail_memory();

	err = err ?: curl_load(&e->curl);
	if (!err) {
		e->easy = e->curl.easy_init();
		err = e->easy ? 0 : fail_memory();
		e->at = etcd_jitter((unsigned int)e->n - 1); /* spreads clients over the members */
		etcd_files_changed(e);
	}
	if (err)
		etcd_close(e);
	*opened = err ? NULL : e;
	return err;
}

void etcd_close(struct etcd *e)
{
	if (!e)
		return;
	if (e->easy)
		e->curl.easy_cleanup(e->easy);
	free(e->ca);
	free(e->cert);
	free(e->key);
	free(e->user);
	free(e->password_file);
	etcd_forget_token(e);
	free(e);
}

void etcd_drop(struct etcd *e)
{
	e->dead = true;
}

const struct etcd_seen *etcd_seen(const struct etcd *e)
{
	return &e->seen;
}

size_t etcd_odd(const struct etcd *e)
{
	return e->odd;
}

void etcd_wake_by(struct etcd *e, const char *path)
{
	e->wake = path;
}

void etcd_stop_by(struct etcd *e, int fd)
{
	e->stop = fd;
}

int etcd_see(struct etcd *e, const EtcdPb__Header *header)
{
	if (!header)
		return 0;
	e->seen = (struct etcd_seen){header->cluster_id, header->raft_term, header->revision};
	if (!e->cluster || e->seen.cluster == e->cluster)
		return 0;
	return fail(EEXIST, "this etcd has another store (%llx) than before (%llx)",
		    e->seen.cluster, e->cluster);
}

int etcd_prefix_end(const char *prefix, char *end, size_t room)
{
	const size_t len = strlen(prefix);

	if (!len || len >= room || (unsigned char)prefix[len - 1] == 0xff)
		return fail(EINVAL, "%s is not a prefix", quoted(prefix));
	memcpy(end, prefix, len + 1);
	end[len - 1]++;
	return 0;
}

/* Copies the bytes, because protobuf-c adds no NUL to them. */
static char *text_of(const ProtobufCBinaryData *bytes)
{
	return bytes->len ? strndup((const char *)bytes->data, bytes->len) : strdup("");
}

static bool is_text(const ProtobufCBinaryData *bytes)
{
	return !bytes->len || !memchr(bytes->data, '\0', bytes->len);
}

/* Compares by octets, as etcd sorts keys. */
static int compare(const ProtobufCBinaryData *a, const ProtobufCBinaryData *b)
{
	const size_t len = a->len < b->len ? a->len : b->len;
	const int order = len ? memcmp(a->data, b->data, len) : 0;

	return order ?: (a->len > b->len) - (a->len < b->len);
}

bool etcd_is_in(const struct etcd_range *range, const ProtobufCBinaryData *key)
{
	const ProtobufCBinaryData first = etcd_bytes(range->key), end = etcd_bytes(range->end);
	const int order = compare(key, &first);

	return range->end ? order >= 0 && compare(key, &end) < 0 : !order;
}

int etcd_entry(struct etcd *e, const struct etcd_range *range, const EtcdPb__KeyValue *kv,
	       struct etcd_entry *entry)
{
	if (!etcd_is_in(range, &kv->key) || !is_text(&kv->key) || !is_text(&kv->value)) {
		e->odd++;
		return -EINVAL;
	}
	*entry = (struct etcd_entry){.key = text_of(&kv->key),
				     .value = text_of(&kv->value),
				     .modified = kv->mod_revision,
				     .lease = kv->lease};
	if (entry->key && entry->value)
		return 0;
	etcd_entry_free(entry);
	return fail_memory();
}

void etcd_entry_free(struct etcd_entry *entry)
{
	free((char *)entry->key);
	free((char *)entry->value);
}

static int each_of(struct etcd *e, const struct etcd_range *range,
		   const EtcdPb__RangeResponse *page, etcd_each *each, void *context)
{
	struct etcd_entry entry;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < page->n_kvs; i++) {
		err = etcd_entry(e, range, page->kvs[i], &entry);
		if (err == -EINVAL) {
			err = 0;
			continue;
		}
		if (err)
			break;
		err = each ? each(context, &entry) : 0;
		etcd_entry_free(&entry);
	}
	return err;
}

/*
 * The next page begins after the last key of this one: that key with a NUL appended. -EPROTO: the
 * pages would not advance, or leave the range, and never end.
 */
static int behind(const struct etcd_range *range, const EtcdPb__RangeResponse *page,
		  ProtobufCBinaryData *key)
{
	const ProtobufCBinaryData *last = &page->kvs[page->n_kvs - 1]->key;
	uint8_t *more;

	if (!etcd_is_in(range, last) || compare(last, key) < 0)
		return fail(EPROTO, "etcd announces more keys, but does not send them");
	more = malloc(last->len + 1);
	if (!more)
		return fail_memory();
	if (last->len)
		memcpy(more, last->data, last->len);
	more[last->len] = '\0';
	free(key->data);
	*key = (ProtobufCBinaryData){last->len + 1, more};
	return 0;
}

/* Reads a page. If that is too large for a message, reads a smaller one. */
static int read_page(struct etcd *e, EtcdPb__RangeRequest *ask, EtcdPb__RangeResponse **page)
{
	int err;

	for (;;) {
		err = etcd_call(e, NULL, "KV/Range", &ask->base,
				&etcd_pb__range_response__descriptor, page);
		if (err != -EMSGSIZE || ask->limit == 1)
			break;
		ask->limit = ask->limit > 8 ? ask->limit / 8 : 1;
	}
	if (!err && !(*page)->header) {
		etcd_pb__range_response__free_unpacked(*page, NULL);
		err = fail(EPROTO, "etcd answers without a header");
	}
	return err;
}

static size_t octets_of(const EtcdPb__RangeResponse *page)
{
	size_t octets = 0, i;

	for (i = 0; i < page->n_kvs; i++)
		octets += page->kvs[i]->key.len + page->kvs[i]->value.len;
	return octets;
}

int etcd_read(struct etcd *e, const struct etcd_range *range, __s64 *revision, etcd_each *each,
	      void *context)
{
	EtcdPb__RangeRequest ask = ETCD_PB__RANGE_REQUEST__INIT;
	EtcdPb__RangeResponse *page;
	char *first = strdup(range->key);
	size_t octets = 0;
	bool more = true;
	int err = first ? 0 : fail_memory();

	ask.key = etcd_bytes(first);
	ask.range_end = etcd_bytes(range->end);
	ask.limit = PAGE;
	ask.revision = *revision;
	while (!err && more) {
		err = read_page(e, &ask, &page);
		if (err)
			break;
		err = etcd_see(e, page->header);
		/* Reads all pages at the first one's revision; later headers have today's. */
		if (!ask.revision)
			ask.revision = e->seen.revision;
		err = err ?: each_of(e, range, page, each, context);
		more = page->more && page->n_kvs && range->end;
		octets += octets_of(page);
		if (!err && octets > READ_MOST)
			err = fail(E2BIG, "etcd sent more than %d octets", READ_MOST);
		if (!err && more)
			err = behind(range, page, &ask.key);
		etcd_pb__range_response__free_unpacked(page, NULL);
	}
	if (!err)
		*revision = ask.revision;
	free(ask.key.data);
	return err;
}
