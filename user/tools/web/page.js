// SPDX-License-Identifier: GPL-2.0-only
// Text from the switch becomes text nodes and attributes only: it is never parsed as HTML.
'use strict';

const EVERY_MS = 2000, PAGE = 100, ROWS = 200;
const COLOURS = ['#c2410c', '#2563eb', '#15803d', '#9333ea', '#b45309', '#0e7490', '#be185d', '#4d7c0f'];
const TABS = {
	overview: {title: 'Overview', parts: ['status', 'tenants', 'gateways', 'drops', 'check'], draw: drawOverview},
	endpoints: {title: 'Endpoints', parts: ['status', 'endpoints'], draw: drawEndpoints},
	flows: {title: 'Flows', parts: ['status', 'flows'], draw: drawFlows},
	graph: {title: 'Graph', parts: ['status', 'graph'], draw: drawGraph},
};
const data = {}, errors = {}, before = {};
let token = '', tab = 'overview', from = 0, timer = 0, turn = 0;

const at = id => document.getElementById(id);

// ---- making elements

function make(space, name, attributes, children) {
	const e = space ? document.createElementNS(space, name) : document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== undefined && value !== null && value !== false)
			e.setAttribute(key, value);
	e.append(...children.filter(c => c !== undefined && c !== null));
	return e;
}
const el = (name, attributes, ...children) => make(null, name, attributes, children);
const svg = (name, attributes, ...children) =>
	make('http://www.w3.org/2000/svg', name, attributes, children);

const list = value => Array.isArray(value) ? value : [];
const text = value => value === undefined || value === null ? '–' : String(value);
const number = value => typeof value === 'number' ? value.toLocaleString('en') : '–';
const lines = value => [value ?? []].flat().join(', ') || '–';

function mark(good, yes, no) {
	if (good === undefined || good === null)
		return 'unknown';
	return el('span', {class: good ? 'good' : 'bad'}, (good ? '● ' : '▲ ') + (good ? yes : no));
}

// COLUMNS: [title, function of a row, class]
function table(columns, rows, none) {
	const shown = rows.slice(0, ROWS);

	if (!rows.length)
		return el('p', {class: 'hint'}, none);
	return el('div', {class: 'scroll'},
		el('table', {},
			el('thead', {}, el('tr', {}, ...columns.map(c => el('th', {class: c[2]}, c[0])))),
			el('tbody', {}, ...shown.map(row =>
				el('tr', {}, ...columns.map(c => el('td', {class: c[2]}, c[1](row))))))),
		rows.length > ROWS ? el('p', {class: 'hint'}, `and ${rows.length - ROWS} more`) : null);
}

// A part that the switch could not tell says so in its place.
function fill(id, part, draw) {
	if (errors[part])
		at(id).replaceChildren(el('p', {class: 'bad'}, errors[part]));
	else if (data[part])
		at(id).replaceChildren(...[draw()].flat());
}

function options(id, names) {
	const select = at(id), chosen = select.value;
	const wanted = ['', ...names];

	if (select.length === wanted.length && wanted.every((n, i) => select.options[i].value === n))
		return;
	select.replaceChildren(...wanted.map(n => el('option', {value: n}, n || 'all')));
	select.value = wanted.includes(chosen) ? chosen : '';
}

function bits(rate) {
	const units = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'];
	let i = 0;

	for (; rate >= 1000 && i < units.length - 1; i++)
		rate /= 1000;
	return rate.toFixed(rate < 10 && i ? 1 : 0) + ' ' + units[i];
}

// ---- overview

function rateOf(tenant) {
	const ways = ['local', 'tunnel_tx', 'tunnel_rx', 'gateway'];
	const sum = t => ways.reduce((n, way) => n + ((t[way] || {}).bytes || 0), 0);
	const was = list(before.tenants && before.tenants.value).find(t => t.name === tenant.name);
	const seconds = before.tenants ? (data.tenantsAt - before.tenants.at) / 1000 : 0;

	if (!ways.some(way => tenant[way]) || !was || seconds <= 0)
		return '–';
	return bits(Math.max(0, sum(tenant) - sum(was)) * 8 / seconds);
}

function sumDrops(samples) {
	const sums = {};

	for (const sample of samples)
		for (const [reason, n] of Object.entries(sample.drops))
			sums[reason] = (sums[reason] || 0) + n;
	return sums;
}

function drawDrops() {
	const {every, samples} = data.drops, all = sumDrops(samples);
	const minute = sumDrops(samples.slice(-Math.round(60 / every)));
	const reasons = Object.keys(all).sort((a, b) => all[b] - all[a]);
	const colour = r => COLOURS[reasons.indexOf(r) % COLOURS.length];
	const total = s => Object.values(s.drops).reduce((a, b) => a + b, 0);
	const most = Math.max(1, ...samples.map(total)), slots = 60, width = 720, high = 90;
	const chart = svg('svg', {viewBox: `0 0 ${width} ${high + 1}`, role: 'img',
		'aria-label': 'dropped frames over the last ten minutes'},
	svg('line', {x1: 0, x2: width, y1: high, y2: high, stroke: 'currentColor', opacity: .3}));

	samples.forEach((s, i) => {
		let y = high;

		for (const reason of reasons.filter(r => s.drops[r])) {
			const h = s.drops[reason] / most * (high - 4);

			y -= h;
			chart.append(svg('rect', {x: (slots - samples.length + i) * width / slots, y,
				width: width / slots - 2, height: h, fill: colour(reason)},
			svg('title', {}, `${reason}: ${s.drops[reason]}`)));
		}
	});
	if (!reasons.length)
		return el('p', {class: 'hint'}, `No frame was dropped in the last ${samples.length * every} seconds.`);
	return [chart, el('p', {class: 'hint'},
		`Ten minutes up to now. The highest bar is ${number(most)} frames in ${every} s.`), table([
		['Reason', r => [svg('svg', {viewBox: '0 0 10 10', width: 10, height: 10, class: 'swatch'},
			svg('rect', {width: 10, height: 10, fill: colour(r)})), ' ' + r]],
		['Last minute', r => number(minute[r] || 0), 'number'],
		['Last 10 minutes', r => number(all[r]), 'number'],
		['Tenants, all time', r => list(data.status && data.status.drops).filter(d => d.reason === r)
			.slice(0, 5).map(d => `${text(d.tenant)} ${number(d.packets)}`).join(', '), 'long'],
	].map(([t, f, c]) => [t, row => wrap(f(row)), c]), reasons, '')];
}

function wrap(value) {
	return Array.isArray(value) ? el('span', {class: 'row'}, ...value) : value;
}

function drawHosts() {
	const seen = new Map(list(data.status && data.status.hosts).map(h => [h.name, h]));
	const own = (data.status && data.status.switch) || {};
	const others = list(data.cluster && data.cluster.hosts);
	const rows = others.length ? others.map(h => ({...seen.get(h.name), ...h,
		answers: (seen.get(h.name) || {}).alive, member: h.alive}))
		: list(data.status && data.status.hosts).map(h => ({...h, answers: h.alive}));

	return table([
		['Host', h => h.name],
		['Address', h => lines(h.ip)],
		['From here', h => h.name === own.name ? 'this host' : mark(h.answers, 'answers', 'does not answer')],
		...(others.length ? [
			['Agent', h => mark(h.member, 'alive', 'not alive')],
			['Changes', h => h.behind === null || h.behind === undefined ? 'unknown'
				: mark(h.behind === 0, 'all done', `${h.behind} failed`)],
			['Version', h => text(h.version)]] : []),
		['MTU', h => number(h.mtu), 'number'],
		['Endpoints', h => number(h.endpoints), 'number'],
	], rows, 'No other host.');
}

function drawTenants() {
	const drops = new Map(list(data.status && data.status.tenants).map(t => [t.name, t.drops]));

	return table([
		['Tenant', t => t.name],
		['Id', t => text(t.id), 'number'],
		['Encapsulation', t => text(t.encap)],
		['MTU', t => number(t.mtu), 'number'],
		['Endpoints', t => number(t.endpoints), 'number'],
		['Rate here', rateOf, 'number'],
		['Drops here', t => number(drops.get(t.name)), 'number'],
		['Description', t => text(t.description), 'long'],
	], list(data.tenants), 'No tenant.');
}

function drawGateways() {
	const seen = new Map(list(data.status && data.status.gateways).map(g => [g.tenant, g]));
	const host = g => g.everywhere ? 'each host' : lines(g.hosts || g.host);
	const server = g => g.everywhere || !seen.has(g.tenant) ? null : seen.get(g.tenant).host;

	return table([
		['Tenant', g => g.tenant],
		['Address', g => lines(g.ip)],
		['Hosts', host],
		['Served by', g => text(server(g))],
		['NAT', g => g.nat ? 'on' : 'off'],
		['State', g => seen.has(g.tenant)
			? mark(!seen.get(g.tenant).down, 'all its hosts answer', 'a host of it is down') : 'unknown'],
	], list(data.gateways), 'No gateway.');
}

function card(title, value, unit) {
	return el('div', {class: 'card'}, title, el('b', {}, value), el('span', {class: 'unit'}, unit || ''));
}

function drawOverview() {
	fill('cards', 'status', () => {
		const s = data.status, hosts = list(s.hosts), alive = hosts.filter(h => h.alive).length;
		const last = list(data.drops && data.drops.samples).slice(-6);
		const dropped = Object.values(sumDrops(last)).reduce((a, b) => a + b, 0);

		return [
			card('Other hosts', `${alive} / ${hosts.length}`, 'answer'),
			card('Tenants', number(list(s.tenants).length)),
			card('Endpoints', number(s.switch.endpoints), `of ${number(s.switch.max_endpoints)}`),
			card('Gateways', number(list(s.gateways).length)),
			card('Drops', number(dropped), 'in the last minute'),
		];
	});
	fill('problems', 'check', () => ['problems', 'warnings'].flatMap(kind => {
		const found = list(data.check[kind]);

		return found.length ? [el('h2', {class: 'bad'}, `▲ ${found.length} ${kind} of switch check`),
			table([['What', p => p.what], ['Object', p => text(p.object)],
				['Detail', p => text(p.detail), 'long']], found, '')] : [];
	}));
	fill('hosts', 'status', drawHosts);
	fill('drops', 'drops', drawDrops);
	fill('tenants', 'tenants', drawTenants);
	fill('gateways', 'gateways', drawGateways);
}

// ---- endpoints, flows

function turnTo(first) {
	from = first;
	refresh();
}

function drawEndpoints() {
	options('tenant', list(data.status && data.status.tenants).map(t => t.name));
	fill('list', 'endpoints', () => table([
		['Name', e => e.name],
		['Tenant', e => e.tenant],
		['Addresses', e => lines(e.ip)],
		['MAC', e => text(e.mac)],
		['Place', e => e.host ? `host ${e.host}` + (e.dev ? `, ${e.dev}` : '') : text(e.dev)],
		['State', e => e.pending ? mark(false, '', 'half made')
			: e.attached === false ? mark(false, '', 'not attached')
			: e.to_host || e.to_dev ? 'moves' : mark(true, 'ok')],
	], list(data.endpoints.endpoints), 'No such endpoint.'));
	fill('pages', 'endpoints', () => {
		const {total, endpoints} = data.endpoints, first = data.endpoints.from;
		const back = el('button', {type: 'button', disabled: first ? false : ''}, '‹');
		const on = el('button', {type: 'button', disabled: first + PAGE < total ? false : ''}, '›');

		back.onclick = () => turnTo(Math.max(0, first - PAGE));
		on.onclick = () => turnTo(first + PAGE);
		return [back, on, el('span', {}, endpoints.length
			? `${number(first + 1)}–${number(first + endpoints.length)} of ${number(total)}` : 'none')];
	});
}

function end(flow, which) {
	const port = flow[which === 'src' ? 'sport' : 'dport'], name = flow[which + '_endpoint'];
	const ip = port === undefined ? flow[which]
		: flow[which].includes(':') ? `[${flow[which]}]:${port}` : `${flow[which]}:${port}`;

	return name ? `${ip} (${name})` : ip;
}

function drawFlows() {
	fill('flow-list', 'flows', () => table([
		['Tenant', f => f.tenant],
		['From', f => end(f, 'src')],
		['To', f => end(f, 'dst')],
		['Protocol', f => text(f.proto)],
		['Direction', f => f.direction],
		['Packets', f => number(f.packets), 'number'],
		['Octets', f => number(f.bytes), 'number'],
		['Verdict', f => mark(f.verdict === 'forwarded', f.verdict, f.verdict)],
		['Last', f => text(f.last).replace(/\.\d+Z$/, 'Z').replace('T', ' ')],
	], list(data.flows), 'No flow is counted.'));
}

// ---- graph

const cut = (value, n) => value.length > n ? value.slice(0, n - 1) + '…' : value;

function node(g, x, y, w, colour, first, second) {
	g.append(svg('rect', {x, y, width: w, height: 36, rx: 5, class: 'node', stroke: colour}),
		svg('text', {x: x + 8, y: y + 15}, cut(first, 22)),
		svg('text', {x: x + 8, y: y + 30, class: 'soft'}, cut(second, 26)),
		svg('title', {}, `${first} ${second}`));
}

function edge(x1, y1, x2, y2, colour, dashed) {
	const bend = Math.max(40, (x2 - x1) / 2);

	return svg('path', {class: dashed ? 'edge dashed' : 'edge', stroke: colour,
		d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`});
}

// Tenants on the left with their peerings and published ports; hosts on the right with endpoints.
function drawGraph() {
	options('graph-tenant', list(data.graph && data.graph.tenants).map(t => t.name));
	fill('drawing', 'graph', () => {
		const d = data.graph, only = at('graph-tenant').value, W = 190, X = 230, H = 560, COLUMNS = 3;
		const mine = o => !only || o.tenant === only || o.with === only;
		const peers = d.peers.filter(mine), known = new Set(peers.flatMap(p => [p.tenant, p.with]));
		const tenants = d.tenants.filter(t => !only || t.name === only || known.has(t.name)).slice(0, ROWS);
		const place = new Map(), boxes = svg('g', {}), edges = svg('g', {}), nodes = svg('g', {});
		const colour = new Map(d.tenants.map((t, i) => [t.name, COLOURS[i % COLOURS.length]]));
		const unknown = {name: null, ip: '', here: false};
		let y = 10;

		tenants.forEach((t, i) => {
			const ports = d.publishes.filter(p => p.tenant === t.name);
			const g = svg('g', {});

			place.set(t.name, 20 + i * 64 + 18);
			node(g, X, 20 + i * 64, W, colour.get(t.name), t.name, `${t.encap} ${t.id}`);
			if (ports.length)
				g.append(svg('text', {x: X, y: 20 + i * 64 + 50, class: 'soft'},
					cut(ports.map(p => `${p.proto} ${p.port} → ${p.to}${p.active ? '' : ' (not active)'}`)
						.join(', '), 40)));
			nodes.append(g);
		});
		peers.forEach((p, i) => {
			const a = place.get(p.tenant), b = place.get(p.with), out = 60 + i % 6 * 22;

			if (a === undefined || b === undefined)
				return;
			edges.append(svg('path', {class: p.open ? 'edge' : 'edge dashed', stroke: 'currentColor',
				d: `M${X},${a} C${X - out},${a} ${X - out},${b} ${X},${b}`}),
			svg('text', {x: X - out * .75 - 4, y: (a + b) / 2 + 4, 'text-anchor': 'end', class: 'soft'},
				p.open ? 'peering' + (p.port ? ` ${p.proto} ${p.port}` : '') : 'peering, closed'));
		});
		for (const host of [...d.hosts, unknown]) {
			const items = [
				...d.gateways.filter(g => mine(g) && (g.everywhere ? host.here : g.host === host.name))
					.map(g => ({tenant: g.tenant, dashed: true, second: g.ip.join(' '),
						first: g.everywhere ? 'gateway on each host' : 'gateway'})),
				...d.endpoints.filter(e => mine(e) && e.host === host.name).map(e => ({tenant: e.tenant,
					first: e.endpoints > 1 ? `${e.endpoints} endpoints` : e.name,
					second: e.ip || e.tenant}))].slice(0, ROWS);
			const rows = Math.ceil(items.length / COLUMNS), high = 34 + rows * 44;
			const g = svg('g', {});

			if (!items.length && (host === unknown || only))
				continue;
			boxes.append(svg('rect', {x: H, y, width: COLUMNS * (W + 10) + 14, height: high, rx: 6, class: 'box'}),
				svg('text', {x: H + 12, y: y + 20}, host === unknown ? 'on no host that is known'
					: `${host.name}${host.here ? ', this host' : ''}  ${host.ip}`));
			items.forEach((item, i) => {
				const x = H + 12 + i % COLUMNS * (W + 10), top = y + 30 + Math.floor(i / COLUMNS) * 44;
				const one = svg('g', {});

				node(one, x, top, W, colour.get(item.tenant), item.first, item.second);
				g.append(one);
				if (place.has(item.tenant))
					edges.append(edge(X + W, place.get(item.tenant), x, top + 18, colour.get(item.tenant),
						item.dashed));
			});
			nodes.append(g);
			y += high + 14;
		}
		const width = H + COLUMNS * (W + 10) + 24, height = Math.max(y, 20 + tenants.length * 64);
		return svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
			'aria-label': 'tenants, hosts, endpoints and gateways'},
		boxes, edges, nodes);
	});
}

// ---- asking

async function ask(part) {
	const words = new URLSearchParams();
	const headers = token ? {Authorization: `Bearer ${token}`} : {};

	if (part === 'endpoints') {
		words.set('tenant', at('tenant').value);
		words.set('text', at('text').value.trim());
		words.set('from', from);
	}
	const answer = await fetch(`/api/${part}?${words}`, {headers, cache: 'no-store'});
	const value = await answer.json();

	if (answer.status === 401 || answer.status === 403)
		throw new Error(value.error);
	if (!answer.ok) {
		errors[part] = value.error;
		return;
	}
	delete errors[part];
	if (part === 'tenants') {
		const changed = JSON.stringify(value) !== JSON.stringify(data.tenants);

		if (data.tenants && (changed || Date.now() - data.tenantsAt > 3 * EVERY_MS))
			before.tenants = {value: data.tenants, at: data.tenantsAt};
		data.tenantsAt = Date.now();
	}
	data[part] = value;
}

function drawHead() {
	const s = (data.status && data.status.switch) || {}, agent = list(data.status && data.status.agents)[0];

	if (!data.status)
		return;
	at('name').textContent = `tsw ${text(s.name)}`;
	document.title = `tsw ${text(s.name)}`;
	at('state').replaceChildren(`version ${text(s.version)}, ${lines(s.dev)} `,
		agent ? mark(agent.runs && agent.connected, `agent of cluster ${text(agent.cluster)} is connected`,
			agent.runs ? 'the agent has no connection to the cluster' : 'the agent does not run') : '',
		` ${new Date().toLocaleTimeString()}`);
}

async function refresh() {
	const mine = ++turn, member = list(data.status && data.status.agents).length;
	const parts = [...TABS[tab].parts, ...(tab === 'overview' && member ? ['cluster'] : [])];

	clearTimeout(timer);
	try {
		await Promise.all(parts.map(ask));
		at('error').hidden = true;
	} catch (why) {
		at('error').textContent = why instanceof TypeError ? 'tsw web does not answer: it has ended, or the way to it.'
			: why.message;
		at('error').hidden = false;
	}
	if (mine !== turn)
		return; // a later one is under way
	drawHead();
	TABS[tab].draw();
	document.body.dataset.drawn = tab;
	if (!document.hidden)
		timer = setTimeout(refresh, EVERY_MS);
}

function show(name) {
	tab = TABS[name] ? name : 'overview';
	for (const [key, button] of Object.entries(buttons)) {
		at(key).hidden = key !== tab;
		if (key === tab)
			button.setAttribute('aria-current', 'page');
		else
			button.removeAttribute('aria-current');
	}
	refresh();
}

// The token leaves the URL, which is what others see of a browser, and stays with this tab.
function readHash() {
	const [first, second] = location.hash.slice(1).split('/');
	const given = /^[0-9a-f]{64}$/.test(first);

	if (given) {
		sessionStorage.setItem('tsw-token', first);
		history.replaceState(null, '', `#${second || ''}`);
	}
	token = sessionStorage.getItem('tsw-token') || '';
	show(given ? second : first);
}

const buttons = {};
for (const [key, {title}] of Object.entries(TABS)) {
	buttons[key] = el('button', {type: 'button'}, title);
	buttons[key].onclick = () => { location.hash = key; };
	at('tabs').append(buttons[key]);
}
for (const form of document.forms)
	form.onsubmit = event => event.preventDefault();
at('tenant').onchange = at('text').oninput = () => turnTo(0);
at('graph-tenant').onchange = drawGraph;
document.onvisibilitychange = () => document.hidden || refresh();
window.onhashchange = readHash;
readHash();
