// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etcd_answers.h"
#include "fake_curl.h"

struct fake fake;
static int password_fd = -1;

/* Of an easy handle. */
struct request {
	curl_write_callback header, write;
	curl_read_callback read;
	void *header_to, *write_to, *read_from;
	const struct curl_slist *headers;
	const uint8_t *body;
	size_t body_len;
	bool running; /* in a multi */
	bool done;
	struct CURLMsg message;
};

static struct request *streaming; /* in the only multi */

static CURLcode global_init(long flags)
{
	(void)flags;
	return CURLE_OK;
}

static curl_version_info_data *version_info(CURLversion version)
{
	static curl_version_info_data data = {.version_num = 0x080000};

	(void)version;
	return &data;
}

static CURL *easy_init(void)
{
	return calloc(1, sizeof(struct request));
}

static void easy_cleanup(CURL *easy)
{
	free(easy);
}

static CURLcode easy_setopt(CURL *easy, CURLoption option, ...)
{
	struct request *r = easy;
	va_list args;

	va_start(args, option);
	if (option == CURLOPT_URL)
		snprintf(fake.url, sizeof(fake.url), "%s", va_arg(args, char *));
	else if (option == CURLOPT_HEADERFUNCTION)
		r->header = va_arg(args, curl_write_callback);
	else if (option == CURLOPT_HEADERDATA)
		r->header_to = va_arg(args, void *);
	else if (option == CURLOPT_WRITEFUNCTION)
		r->write = va_arg(args, curl_write_callback);
	else if (option == CURLOPT_WRITEDATA)
		r->write_to = va_arg(args, void *);
	else if (option == CURLOPT_READFUNCTION)
		r->read = va_arg(args, curl_read_callback);
	else if (option == CURLOPT_READDATA)
		r->read_from = va_arg(args, void *);
	else if (option == CURLOPT_HTTPHEADER)
		r->headers = va_arg(args, struct curl_slist *);
	else if (option == CURLOPT_POSTFIELDS)
		r->body = va_arg(args, uint8_t *);
	else if (option == CURLOPT_POSTFIELDSIZE_LARGE)
		r->body_len = (size_t)va_arg(args, curl_off_t);
	va_end(args);
	return CURLE_OK;
}

static void lines(struct request *r, const char *text)
{
	const char *end;

	for (; text && (end = strchr(text, '\n')); text = end + 1)
		r->header((char *)text, 1, (size_t)(end + 1 - text), r->header_to);
}

/* The next answer goes to the callbacks. */
static CURLcode answer(struct request *r, bool *more)
{
	const struct fake_answer *a;

	*more = false;
	if (fake.at >= fake.n)
		return CURLE_COULDNT_CONNECT;
	a = &fake.answers[fake.at++];
	*more = a->more;
	lines(r, a->head);
	/* In two parts: a frame is rarely whole. */
	if (a->len / 2 && r->write((char *)a->body, 1, a->len / 2, r->write_to) != a->len / 2)
		return CURLE_WRITE_ERROR;
	if (a->len && r->write((char *)a->body + a->len / 2, 1, a->len - a->len / 2, r->write_to) !=
			      a->len - a->len / 2)
		return CURLE_WRITE_ERROR;
	lines(r, a->trailers);
	return a->code;
}

static void note_request(const struct request *r, const uint8_t *body, size_t len)
{
	const struct curl_slist *line;

	fake.calls++;
	*fake.token = '\0';
	for (line = r->headers; line; line = line->next)
		sscanf(line->data, "token: %63s", fake.token);
	fake.asked_len = len > FRAME_HEAD ? len - FRAME_HEAD : 0;
	if (fake.asked_len && fake.asked_len <= sizeof(fake.asked))
		memcpy(fake.asked, body + FRAME_HEAD, fake.asked_len);
}

static CURLcode easy_perform(CURL *easy)
{
	struct request *r = easy;
	bool more;

	note_request(r, r->body, r->body_len);
	return answer(r, &more);
}

static CURLcode easy_pause(CURL *easy, int mask)
{
	(void)easy, (void)mask;
	return CURLE_OK;
}

static const char *easy_strerror(CURLcode code)
{
	return code == CURLE_COULDNT_CONNECT ? "Couldn't connect" : "an error";
}

static struct curl_slist *slist_append(struct curl_slist *list, const char *text)
{
	struct curl_slist *new = calloc(1, sizeof(*new)), *last = list;

	new->data = strdup(text);
	while (last && last->next)
		last = last->next;
	if (last)
		last->next = new;
	return list ? list : new;
}

static void slist_free_all(struct curl_slist *list)
{
	while (list) {
		struct curl_slist *next = list->next;

		free(list->data);
		free(list);
		list = next;
	}
}

static CURLM *multi_init(void)
{
	streaming = NULL;
	return &streaming;
}

static CURLMcode multi_add(CURLM *multi, CURL *easy)
{
	(void)multi;
	streaming = easy;
	streaming->running = true;
	streaming->done = false;
	return CURLM_OK;
}

static CURLMcode multi_remove(CURLM *multi, CURL *easy)
{
	(void)multi, (void)easy;
	streaming = NULL;
	return CURLM_OK;
}

/* A turn: what is to be sent is fetched, one answer comes. */
static CURLMcode multi_perform(CURLM *multi, int *running)
{
	uint8_t body[4096];
	size_t len;
	bool more;
	CURLcode code;

	(void)multi;
	*running = streaming && streaming->running;
	/* Without an answer left a stream is silent. */
	if (!*running || fake.at >= fake.n)
		return CURLM_OK;
	len = streaming->read((char *)body, 1, sizeof(body), streaming->read_from);
	if (len != CURL_READFUNC_PAUSE)
		note_request(streaming, body, len);
	code = answer(streaming, &more);
	if (!more) {
		streaming->running = false;
		streaming->message = (struct CURLMsg){.msg = CURLMSG_DONE, .data.result = code};
	}
	return CURLM_OK;
}

static CURLMcode multi_poll(CURLM *multi, struct curl_waitfd *fds, unsigned int n, int ms,
			    int *ready)
{
	(void)multi, (void)fds, (void)n, (void)ms;
	if (ready)
		*ready = 0;
	return CURLM_OK;
}

static CURLMsg *multi_info_read(CURLM *multi, int *left)
{
	(void)multi;
	*left = 0;
	if (!streaming || streaming->running || streaming->done)
		return NULL;
	streaming->done = true;
	return &streaming->message;
}

static CURLMcode multi_cleanup(CURLM *multi)
{
	(void)multi;
	return CURLM_OK;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

void fake_password(const char *password)
{
	if (password_fd < 0 || ftruncate(password_fd, 0) ||
	    pwrite(password_fd, password, strlen(password), 0) != (ssize_t)strlen(password))
		abort();
}

static char *password_file(const char *password)
{
	char path[32];

	if (password_fd < 0)
		password_fd = memfd_create("password", 0);
	if (fchmod(password_fd, 0600))
		abort();
	fake_password(password);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", password_fd);
	return copy(path);
}

struct etcd *fake_etcd(const char *urls, const char *user, const char *password)
{
	const struct etcd_config config = {.urls = urls, .timeout_ms = 20};
	struct etcd *e = calloc(1, sizeof(*e));

	fake = (struct fake){};
	e->curl = (struct curl){global_init,  version_info,   easy_init,  easy_setopt,
				easy_perform, easy_cleanup,   easy_pause, easy_strerror,
				slist_append, slist_free_all, multi_init, multi_add,
				multi_remove, multi_perform,  multi_poll, multi_info_read,
				multi_cleanup};
	if (etcd_configure(e, &config))
		abort();
	e->user = copy(user);
	if (password)
		e->password_file = password_file(password);
	e->easy = easy_init();
	return e;
}

struct fake_answer fake_octets(const char *hex)
{
	static uint8_t room[16][1024];
	static size_t used;
	uint8_t *to = room[used++ % 16];
	const size_t len = strlen(hex) / 2;
	size_t i;

	for (i = 0; i < len; i++)
		if (len > sizeof(room[0]) || sscanf(hex + 2 * i, "%2hhx", &to[i]) != 1)
			abort();
	return (struct fake_answer){ETCD_HEAD, to, len, ETCD_FINE};
}

void fake_answers(const struct fake_answer *all, size_t n)
{
	fake.answers = all;
	fake.n = n;
	fake.at = 0;
	fake.calls = 0;
}
