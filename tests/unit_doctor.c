// SPDX-License-Identifier: GPL-2.0-only
/* The commands that `doctor` names: for which switch, and that they are commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "cli/command.h"
#include "switch/session.h"
#include "tools/doctor/handshake.h"
#include "tools/doctor/mend.h"
#include "typed.h"

#include <cmocka.h>

static void expands(void **state)
{
	static const struct {
		const char *netns, *command, *object, *text;
		bool named;
	} rows[] = {
		{NULL, "tsw switch repair", "x", "tsw switch repair"},
		{"h1", "tsw switch repair", "x", "tsw -n h1 switch repair"},
		{"h1", "tsw switch repair", "x", "tsw -i h7 switch repair", true},
		{NULL, "ip link set OBJECT up # or tsw switch set dev DEV", "eth0",
		 "ip link set eth0 up # or tsw switch set dev DEV"},
		{"h1", "THERE_TSW a, THERE_TSW b (on OBJECT), or tsw c", "h2",
		 "tsw a, tsw b (on h2), or tsw -n h1 c"},
		{"h1", "a OBJECT (tsw b)", "eth0", "a eth0 (tsw b)"},
		{NULL, "journalctl -u tsw-agent@INSTANCE", NULL, "journalctl -u tsw-agent@h7"},
		{NULL, "ip link set OBJECT up", "a;reboot", "ip link set OBJECT up"},
		{NULL, "ip link set OBJECT up", "$(reboot)", "ip link set OBJECT up"},
		{NULL, "ip link set OBJECT up", "-f", "ip link set OBJECT up"},
		{NULL, "ip link set OBJECT up", "", "ip link set OBJECT up"},
		{"a b", "tsw switch repair", "x", "tsw switch repair"},
		{NULL, "ip link set OTHER_END up", "lo", "ip link set OTHER_END up"},
		{NULL, "ip link set OTHER_END up", NULL, "ip link set OTHER_END up"},
	};
	char text[MEND_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tsw t = TSW_CLOSED;

		t.instance = "h7";
		t.netns = rows[i].netns;
		t.named = rows[i].named;
		assert_string_equal(mend_text(&t, rows[i].command, rows[i].object, text),
				    rows[i].text);
	}
	assert_null(mend_text(&(struct tsw)TSW_CLOSED, NULL, NULL, text));
}

/* A long object is cut, and nothing is written behind the text. */
static void is_cut(void **state)
{
	char object[2 * MEND_LEN], text[MEND_LEN + 1];
	struct tsw t = TSW_CLOSED;

	(void)state;
	t.instance = "h7";
	memset(object, 'a', sizeof(object) - 1);
	object[sizeof(object) - 1] = '\0';
	text[MEND_LEN] = '!';
	mend_text(&t, "ip link set OBJECT up", object, text);
	assert_int_equal(strlen(text), MEND_LEN - 1);
	assert_int_equal(text[MEND_LEN], '!');
}

/* Each command of tsw that is named for these words is one. */
static void are_commands(void **state)
{
	static const char *const words[] = {
		"program",	"orphan_endpoint", "stray_entry",    "half_upgraded",
		"outdated",	"published_port",  "unreached_host", "etcd_member",
		"unknown_host", "nearly_full",	   "overcommitted",  "hidden_name",
		"no_handshake", "wireguard_key",   "snat_left",	     "snat_split",
	};
	const struct command *found;
	struct words w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *command = mend_for(words[i], "lo");

		assert_memory_equal(command, "tsw ", 4);
		if (typed(command + 4, &found, &w))
			fail_msg("%s: %s", command, failure()->text);
	}
}

/* A command that the detail tells; what is behind `;` is another choice. */
static void is_told(void **state)
{
	static const struct {
		const char *detail, *text;
	} rows[] = {
		{"it is down", NULL},
		{"In the container: ip link set eth0 mtu 9; or here: tsw b",
		 "ip link set eth0 mtu 9 (in the container)"},
		{"a. In the container: ip addr del X && ip addr replace Y",
		 "ip addr del X && ip addr replace Y (in the container)"},
		{"a. Here: ip link set ve mtu 9", "ip link set ve mtu 9"},
		{"a. Here: ", ""},
	};
	char text[MEND_LEN], detail[3 * MEND_LEN] = "Here: ";
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *told = mend_told(rows[i].detail, "no-device", text);

		if (rows[i].text)
			assert_string_equal(told, rows[i].text);
		else
			assert_null(told);
	}
	memset(detail + 6, 'a', sizeof(detail) - 7);
	assert_null(mend_told(detail, "no-device", text));
}

/* A device that is down is set up; one that is up waits for what is at its other end. */
static void of_a_port(void **state)
{
	(void)state;
	assert_string_equal(mend_for("port_down", "no-device"), "ip link set OBJECT up");
	assert_string_equal(mend_for("port_down", "lo"),
			    "tsw endpoint show dev OBJECT # start what is at its other end");
}

/* Why WireGuard does not reach a host, by what the kernel has counted of it. */
static void handshakes(void **state)
{
	static const struct {
		enum handshake was, is;
		bool fresh, comes;
		int later; /* seconds between the last handshakes */
		int octets;
	} rows[] = {
		{HANDSHAKE_NOTHING, HANDSHAKE_NOTHING},
		{HANDSHAKE_NOTHING, HANDSHAKE_NOTHING, .fresh = true},
		{HANDSHAKE_REFUSED, HANDSHAKE_REFUSED},
		{HANDSHAKE_KEPT, HANDSHAKE_KEPT, .comes = true, .octets = 148},
		{HANDSHAKE_UNREACHED, HANDSHAKE_UNREACHED},
		{HANDSHAKE_NOTHING, HANDSHAKE_FOREIGN, .comes = true},
		{HANDSHAKE_REFUSED, HANDSHAKE_FOREIGN, .comes = true},
		{HANDSHAKE_NOTHING, HANDSHAKE_ONE_WAY, .comes = true, .octets = 148},
		{HANDSHAKE_NOTHING, HANDSHAKE_HEARD, true, .comes = true, .octets = 32},
		{HANDSHAKE_NOTHING, HANDSHAKE_DONE, .comes = true, .later = 1, .octets = 92},
		{HANDSHAKE_NOTHING, HANDSHAKE_DONE, true, .comes = true, .later = 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct shaking s = {.is = rows[i].was,
				    .fresh = rows[i].fresh,
				    .comes = rows[i].comes,
				    .last = 100,
				    .rx = 1000};

		handshake_judge(&s, 100 + rows[i].later, 1000 + rows[i].octets);
		assert_int_equal(s.is, rows[i].is);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands),	cmocka_unit_test(is_cut),
		cmocka_unit_test(are_commands), cmocka_unit_test(is_told),
		cmocka_unit_test(of_a_port),	cmocka_unit_test(handshakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
