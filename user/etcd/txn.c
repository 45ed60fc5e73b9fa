// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "etcd/call.h"

/* A transaction as protobuf-c needs it: messages, and pointers to them. */
struct build {
	EtcdPb__Compare compare[ETCD_OPS], *compares[ETCD_OPS];
	EtcdPb__RequestOp op[2 * ETCD_OPS], *ops[2 * ETCD_OPS];
	union {
		EtcdPb__RangeRequest range;
		EtcdPb__PutRequest put;
		EtcdPb__DeleteRangeRequest del;
	} request[2 * ETCD_OPS];
	size_t n; /* of op */
};

static void add_condition(struct build *b, size_t i, const struct etcd_if *condition)
{
	EtcdPb__Compare *compare = &b->compare[i];

	etcd_pb__compare__init(compare);
	compare->result =
		condition->end ? ETCD_PB__COMPARE__RESULT__LESS : ETCD_PB__COMPARE__RESULT__EQUAL;
	compare->target = ETCD_PB__COMPARE__TARGET__MOD;
	compare->key = etcd_bytes(condition->key);
	compare->range_end = etcd_bytes(condition->end);
	compare->value_case = ETCD_PB__COMPARE__VALUE_MOD_REVISION;
	compare->mod_revision = condition->end ? condition->modified + 1 : condition->modified;
	b->compares[i] = compare;
}

static void add_op(struct build *b, const struct etcd_op *op)
{
	EtcdPb__RequestOp *request = &b->op[b->n];

	etcd_pb__request_op__init(request);
	switch (op->kind) {
	case ETCD_GET:
		request->request_case = ETCD_PB__REQUEST_OP__REQUEST_RANGE;
		request->range = &b->request[b->n].range;
		etcd_pb__range_request__init(request->range);
		request->range->key = etcd_bytes(op->range.key);
		request->range->range_end = etcd_bytes(op->range.end);
		request->range->count_only = !!op->count;
		request->range->limit = op->most;
		request->range->revision = op->revision;
		break;
	case ETCD_PUT:
		request->request_case = ETCD_PB__REQUEST_OP__REQUEST_PUT;
		request->put = &b->request[b->n].put;
		etcd_pb__put_request__init(request->put);
		request->put->key = etcd_bytes(op->range.key);
		request->put->value = etcd_bytes(op->value);
		request->put->lease = op->lease;
		break;
	case ETCD_DELETE:
		request->request_case = ETCD_PB__REQUEST_OP__REQUEST_DELETE_RANGE;
		request->delete_range = &b->request[b->n].del;
		etcd_pb__delete_range_request__init(request->delete_range);
		request->delete_range->key = etcd_bytes(op->range.key);
		request->delete_range->range_end = etcd_bytes(op->range.end);
		break;
	}
	b->ops[b->n++] = request;
}

/* ASK points into B and TXN. */
static void build(struct build *b, const struct etcd_txn *txn, EtcdPb__TxnRequest *ask)
{
	size_t i;

	etcd_pb__txn_request__init(ask);
	for (i = 0; i < txn->n_conditions; i++)
		add_condition(b, i, &txn->conditions[i]);
	ask->compare = b->compares;
	ask->n_compare = txn->n_conditions;
	ask->success = b->ops;
	ask->n_success = txn->n_then;
	for (i = 0; i < txn->n_then; i++)
		add_op(b, &txn->then[i]);
	ask->failure = b->ops + txn->n_then;
	ask->n_failure = txn->n_otherwise;
	for (i = 0; i < txn->n_otherwise; i++)
		add_op(b, &txn->otherwise[i]);
}

static void each_found(struct etcd *e, const EtcdPb__TxnResponse *answer,
		       const struct etcd_txn *txn)
{
	const struct etcd_op *asked = answer->succeeded ? txn->then : txn->otherwise;
	const size_t n = answer->succeeded ? txn->n_then : txn->n_otherwise;
	struct etcd_entry entry;
	size_t i, k;

	for (i = 0; i < answer->n_responses && i < n; i++) {
		const EtcdPb__ResponseOp *op = answer->responses[i];

		if (asked[i].kind != ETCD_GET ||
		    op->response_case != ETCD_PB__RESPONSE_OP__RESPONSE_RANGE)
			continue;
		if (asked[i].count)
			*asked[i].count = op->range->count;
		if (asked[i].more)
			*asked[i].more = op->range->more;
		for (k = 0; txn->each && k < op->range->n_kvs; k++) {
			if (etcd_entry(e, &asked[i].range, op->range->kvs[k], &entry))
				continue;
			txn->each(txn->context, &entry);
			etcd_entry_free(&entry);
		}
	}
}

static int commit(struct etcd *e, const struct etcd_txn *txn, __s64 *revision)
{
	struct build *b;
	EtcdPb__TxnRequest ask;
	EtcdPb__TxnResponse *answer;
	int err;

	if (txn->n_conditions > ETCD_OPS || txn->n_then > ETCD_OPS || txn->n_otherwise > ETCD_OPS)
		return fail(E2BIG, "a transaction of etcd has at most %d steps", ETCD_OPS);
	b = calloc(1, sizeof(*b));
	if (!b)
		return fail_memory();
	build(b, txn, &ask);
	err = etcd_call(e, NULL, "KV/Txn", &ask.base, &etcd_pb__txn_response__descriptor, &answer);
	free(b);
	if (err)
		return err;
	err = etcd_see(e, answer->header);
	if (!err) {
		if (revision)
			*revision = e->seen.revision;
		each_found(e, answer, txn);
		err = answer->succeeded;
	}
	etcd_pb__txn_response__free_unpacked(answer, NULL);
	return err;
}

/* ---- dry runs --------------------------------------------------------------------- */

enum { NEVER = -1 }; /* no key was changed at that revision */

void etcd_dry(struct etcd *e, etcd_told *tell, void *context)
{
	e->tell = tell;
	e->context = context;
}

static bool writes(const struct etcd_txn *txn)
{
	size_t i;

	for (i = 0; i < txn->n_then; i++)
		if (txn->then[i].kind != ETCD_GET)
			return true;
	return false;
}

/* etcd checks the rights for all steps of a transaction, also for those that it leaves out. */
static int check_rights(struct etcd *e, const struct etcd_txn *txn)
{
	const struct etcd_if never = {
		txn->n_conditions ? txn->conditions[0].key : txn->then[0].range.key, NEVER};
	const struct etcd_txn ask = {
		.conditions = &never, .then = txn->then, .n_conditions = 1, .n_then = txn->n_then};
	int err = commit(e, &ask, NULL);

	return err < 0 ? err : 0;
}

static int commit_dry(struct etcd *e, const struct etcd_txn *txn, __s64 *revision)
{
	struct etcd_op look[ETCD_OPS];
	struct etcd_txn ask = *txn;
	__s64 count[ETCD_OPS] = {};
	size_t i;
	int err = check_rights(e, txn);

	for (i = 0; i < txn->n_then && i < ETCD_OPS; i++) {
		look[i] = txn->then[i];
		if (look[i].kind != ETCD_GET)
			look[i] = (struct etcd_op){
				.kind = ETCD_GET, .range = look[i].range, .count = &count[i]};
	}
	ask.then = look;
	err = err ?: commit(e, &ask, revision);
	for (i = 0; err == 1 && i < txn->n_then; i++)
		if (txn->then[i].kind != ETCD_GET)
			e->tell(e->context, &txn->then[i], count[i]);
	return err;
}

int etcd_commit(struct etcd *e, const struct etcd_txn *txn, __s64 *revision)
{
	return e->tell && writes(txn) ? commit_dry(e, txn, revision) : commit(e, txn, revision);
}

/* ---- many ranges ------------------------------------------------------------------ */

enum { EACH_MOST = 40 }; /* keys of a range that is read together with others */

struct reading {
	etcd_each *each;
	void *context;
	int err;
};

static int take(void *context, const struct etcd_entry *entry)
{
	struct reading *r = context;

	if (!r->err && r->each)
		r->err = r->each(r->context, entry);
	return r->err;
}

/* Reads up to ETCD_OPS ranges. */
static int read_some(struct etcd *e, const struct etcd_range *range, size_t n, __s64 *revision,
		     struct reading *r)
{
	struct etcd_op get[ETCD_OPS] = {};
	bool more[ETCD_OPS] = {};
	const struct etcd_txn txn = {.then = get, .n_then = n, .each = take, .context = r};
	__s64 now;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		get[i] = (struct etcd_op){.kind = ETCD_GET,
					  .range = range[i],
					  .most = EACH_MOST,
					  .revision = *revision,
					  .more = &more[i]};
	err = etcd_commit(e, &txn, &now);
	if (r->err || (err < 0 && err != -EMSGSIZE))
		return r->err ? r->err : err;
	if (!*revision && err >= 0)
		*revision = now;
	/* If the answer is too large, reads each range by itself, in small pages. */
	for (i = 0; err == -EMSGSIZE && i < n; i++)
		more[i] = true;
	for (i = 0, err = 0; !err && i < n; i++)
		if (more[i])
			err = etcd_read(e, &range[i], revision, r->each, r->context);
	return err;
}

int etcd_read_all(struct etcd *e, const struct etcd_range *range, size_t n, __s64 *revision,
		  etcd_each *each, void *context)
{
	struct reading r = {each, context, 0};
	__s64 at = *revision;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i += ETCD_OPS)
		err = read_some(e, range + i, n - i < ETCD_OPS ? n - i : ETCD_OPS, &at, &r);
	if (!err)
		*revision = at;
	return err;
}
