#!/usr/bin/env node
// Writes a corpus of raw HTTP requests, parted by "### CLASS" lines, to standard output.
// usage: tools/gen-corpus.mjs benign|attacks [--seed N] [--count N] [--half a|b]
// Attacks: every payload belongs to one half by seed; rules are written against half a, figures are made on half b. With
// --encodings each payload comes once per encoding (see docs/rules.md) instead, its class being CLASS/ENCODING.
import { attacks } from './corpus/attacks.mjs';
import { languages, snippets, markup, urls, agents, paths } from './corpus/benign.mjs';

const options = { seed: 1, count: null, half: null, encodings: false };
const kind = process.argv[2];
for (let i = 3; i < process.argv.length; i++) {
  const name = process.argv[i].replace(/^--/, '');
  if (name === 'encodings') options.encodings = true;
  else options[name] = name === 'half' ? process.argv[++i] : Number(process.argv[++i]);
}

let state = options.seed >>> 0;
function random() { // mulberry32
  state = (state + 0x6D2B79F5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = n => Math.floor(random() * n);
const pick = list => list[below(list.length)];
const chance = p => random() < p;
const times = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const hash = text => [...text].reduce((h, c) => Math.imul(h ^ c.codePointAt(0), 16777619) >>> 0, 2166136261);
const inHalf = key => options.half === null || ((hash(`${options.seed}/${key}`) >>> 7) % 2 === 0 ? 'a' : 'b') === options.half;

// ---- Encodings ----
const bytes = text => [...Buffer.from(text, 'utf8')];
const percent = text => encodeURIComponent(text).replace(/['()*!~]/g, c => '%' + c.charCodeAt(0).toString(16).toUpperCase());
const everyByte = (text, upper) => bytes(text).map(b => '%' + (upper ? b.toString(16).toUpperCase() : b.toString(16)).padStart(2, '0')).join('');
const entity = (text, hex) => text.replace(/[<>'"()&:]/g, c => hex ? `&#x${c.charCodeAt(0).toString(16)};` : `&#${c.charCodeAt(0)};`);
const jsonEscape = text => '"' + [...text].flatMap(c => c.length > 1 ? [c[0], c[1]] : [c]).map(c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('') + '"';
const iis = text => [...text].map(c => /[A-Za-z0-9]/.test(c) || c.codePointAt(0) > 0xffff ? percent(c) : '%u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('');

// Each makes a request of a payload; a server undoes all of them before it uses the value.
export const encodings = {
  'percent': p => get(`q=${percent(p)}`),
  'percent every byte': p => get(`q=${everyByte(p, true)}`),
  'percent lower case': p => get(`q=${everyByte(p, false)}`),
  'plus for blanks': p => get(`q=${percent(p).replace(/%20/g, '+')}`),
  'percent twice': p => get(`q=${percent(percent(p))}`),
  'percent three times': p => get(`q=${percent(percent(percent(p)))}`),
  'percent u': p => get(`q=${iis(p)}`),
  'form': p => post('application/x-www-form-urlencoded', `a=1&q=${percent(p)}`),
  'json': p => post('application/json', JSON.stringify({ a: 1, q: p })),
  'json u': p => post('application/json', `{"a":1,"q":${jsonEscape(p)}}`),
  'multipart': p => multipart([['a', '1'], ['q', p]]),
  'cookie': p => get('a=1', [`Cookie: q=${percent(p)}`]),
};

// ---- Requests ----
function headers(more = []) {
  const language = pick(['en-US,en;q=0.9', 'de-DE,de;q=0.9,en;q=0.8', 'fr-FR,fr;q=0.9', 'es-ES,es;q=0.9', 'ja-JP,ja;q=0.9', 'ru-RU,ru;q=0.8']);
  return ['Host: www.example.org', ...(more.some(h => /^user-agent:/i.test(h)) ? [] : [`User-Agent: ${pick(agents)}`]), 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', `Accept-Language: ${language}`, 'Accept-Encoding: gzip, deflate, br', ...more];
}
const message = (line, lines, body) => {
  const text = body === undefined ? '' : body;
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(text)}`];
  return `${line} HTTP/1.1\r\n${[...headers(lines), ...length].join('\r\n')}\r\n\r\n${text}\r\n`;
};
const get = (query, more = [], path = pick(paths)) => message(`GET ${path}${query ? '?' + query : ''}`, more);
const post = (type, body, more = [], path = pick(['/', '/api/v1/items', '/comment', '/forum/reply'])) => message(`POST ${path}`, [...more, `Content-Type: ${type}`], body);
function multipart(fields, files = []) {
  const boundary = '----form' + below(1e9).toString(36);
  const part = (head, text) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const body = fields.map(([n, v]) => part(`name="${n}"`, v)).join('') + files.map(f => part(`name="file"; filename="${f}"\r\nContent-Type: application/octet-stream`, 'content')).join('') + `--${boundary}--\r\n`;
  return post(`multipart/form-data; boundary=${boundary}`, body);
}

// ---- Attacks ----
const filler = n => 'lorem ipsum dolor sit amet '.repeat(n / 27 + 1).slice(0, n);

function attack(spec, payload) {
  const pad = chance(0.12) ? filler(8192 + below(122880)) : null;
  const other = `page=${below(50)}&lang=en`;
  switch (spec.where) {
    case 'h': return get(other, [`${payload[0]}: ${payload[1]}`]);
    case 'p': return message(`GET ${payload}`, []);
    case 'n': return chance(0.5) ? get(payload.split('&').map(p => p.split('=').map((s, i) => i ? percent(s) : s).join('=')).join('&')) : post('application/x-www-form-urlencoded', (pad ? `pad=${percent(pad)}&` : '') + payload);
    case 'b': return post(spec.type, pad && spec.type.endsWith('xml') ? payload.replace(/(<!DOCTYPE|<a |<a>)/, `<!-- ${pad} -->$1`) : payload);
    case 'f': return multipart([['title', 'my file']], [payload]);
    case 'q': return get(`${other}&q=${percent(payload)}`);
  }
  if (pad !== null) return chance(0.5) ? post('application/x-www-form-urlencoded', `pad=${percent(pad)}&q=${percent(payload)}`) : post('application/json', JSON.stringify({ pad, deep: { list: [1, payload] } }));
  switch (below(8)) {
    case 0: return get(`${other}&q=${percent(payload)}`);
    case 1: return get(`q=${percent(payload).replace(/%20/g, '+')}&${other}`);
    case 2: return get(`id=${percent(percent(payload))}`);
    case 3: return post('application/x-www-form-urlencoded', `name=x&q=${percent(payload)}`);
    case 4: return post('application/json', JSON.stringify({ user: { note: payload, age: 3 } }));
    case 5: return get('a=1', [`Cookie: theme=dark; pref=${percent(payload)}`]);
    case 6: return multipart([['a', '1'], ['q', payload]]);
    default: return post('application/json; charset=utf-8', JSON.stringify([payload, { a: 1 }]));
  }
}

function* attackCorpus() {
  const all = Object.entries(attacks).flatMap(([name, spec]) => spec.list.map((payload, i) => ({ name, spec, payload, key: `${name}/${i}` }))).filter(a => inHalf(a.key));
  if (options.encodings) {
    for (const a of all.filter(x => x.spec.where === 'v'))
      for (const [encoding, make] of Object.entries(encodings)) yield [`${a.name}/${encoding}`, make(a.payload)];
    return;
  }
  const count = options.count ?? 2400;
  for (let i = 0; i < count; i++) {
    const a = all[i % all.length];
    yield [a.name, attack(a.spec, a.payload)];
  }
}

// ---- Everyday traffic ----
const language = () => languages[pick(Object.keys(languages))];
const date = () => `${2020 + below(8)}-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`;
const price = () => pick([`${below(999)}.${below(90) + 10}`, `${below(999)},${below(90) + 10} €`, `$${below(9)},${below(900) + 100}.00`, `CHF ${below(500)}.-`, `${below(50)}%`]);
const blob = n => Buffer.from(times(n, () => below(256))).toString('base64');
const uuid = () => [8, 4, 4, 4, 12].map(n => times(n, () => below(16).toString(16)).join('')).join('-');
const text = l => times(1 + below(5), () => pick(l.sentences)).join(' ');
const post_ = l => [text(l), pick(snippets), chance(0.5) ? text(l) : pick(snippets)].join('\n\n');
const cookies = () => `Cookie: _ga=GA1.2.${below(1e9)}.${below(1e9)}; session=${uuid()}; prefs=${percent(JSON.stringify({ theme: 'dark', cols: [1, 2] }))}; csrf=${blob(24).replace(/=+$/, '')}`;

const everyday = {
  search: l => get(`q=${percent(pick(l.searches))}&page=${below(20)}&sort=${pick(['price', 'name', 'date desc', '-rating'])}`, [cookies()], pick(['/search', '/', '/shop', '/forum'])),
  'search plus': l => get(`q=${percent(pick(l.searches)).replace(/%20/g, '+')}&from=${date()}&to=${date()}`, [`Referer: ${pick(urls.filter(u => u.startsWith('http')))}`]),
  page: () => get('', [cookies()]),
  tracking: () => get(`utm_source=${pick(['google', 'news'])}&gclid=${blob(40).replace(/[+/=]/g, '-')}&url=${percent(pick(urls))}&r=${random()}`, [], '/collect'),
  redirect: () => get(`next=${percent(pick(urls))}`, [cookies()], '/login'),
  filter: () => get(`price=${percent('>=' + below(100))}&tags[]=${pick(['a', 'b'])}&tags[]=c&ids=${times(5, () => below(999)).join(',')}&f=${percent('(name eq \'Bob\') and (age gt 3)')}`, [], '/api/v1/items'),
  profile: l => post('application/x-www-form-urlencoded', `name=${percent(pick(l.names))}&birthday=${date()}&bio=${percent(text(l)).replace(/%20/g, '+')}&site=${percent(pick(urls))}`, [cookies()]),
  comment: l => post('application/json', JSON.stringify({ author: pick(l.names), text: text(l), rating: below(6), when: date() + 'T10:15:00Z' })),
  forum: l => post('application/json', JSON.stringify({ title: pick(l.searches), body: post_(l), tags: ['help', 'sql', 'js'].slice(below(3)) })),
  'forum form': l => post('application/x-www-form-urlencoded', `subject=${percent(pick(l.searches))}&message=${percent(post_(l))}`, [cookies()]),
  'forum multipart': l => multipart([['subject', pick(l.searches)], ['message', post_(l)]], [pick(['photo.jpg', 'notes.txt', 'Angebot (2).pdf', 'screenshot 2026-03-12.png', 'backup.tar.gz', 'résumé.docx'])]),
  editor: l => post('application/json', JSON.stringify({ html: times(1 + below(4), () => pick(markup)).join('') + `<p>${text(l)}</p>`, draft: chance(0.5) })),
  ticket: l => post('application/json', JSON.stringify({ summary: pick(l.sentences), description: `${text(l)}\n\n${pick(snippets)}\n${pick(snippets)}`, priority: pick(['low', 'high']), assignee: pick(l.names) })),
  order: l => post('application/json', JSON.stringify({ id: uuid(), customer: { name: pick(l.names), address: { street: `Main St ${below(99)}`, zip: String(below(99999)) } }, items: times(1 + below(6), () => ({ sku: 'A-' + below(9999), price: price(), qty: 1 + below(3) })), note: chance(0.3) ? pick(l.sentences) : null, total: below(100000) / 100 })),
  blob: () => post('application/json', JSON.stringify({ file: blob(200 + below(2000)), mime: 'image/png', sha256: times(64, () => below(16).toString(16)).join('') })),
  graphql: () => post('application/json', JSON.stringify({ operationName: 'Items', query: 'query Items($first: Int!) { items(first: $first) { id name price { amount currency } } }', variables: { first: below(50) } }), [], '/graphql'),
  jsonrpc: l => post('application/json', JSON.stringify({ jsonrpc: '2.0', id: below(1000), method: 'user.update', params: { name: pick(l.names), active: true, limits: { $schema: 'x' } } })),
  text: l => post('text/plain', post_(l)),
  xml: l => post('application/xml', `<?xml version="1.0" encoding="UTF-8"?>\n<order id="${below(999)}"><customer>${pick(l.names).replace(/&/g, '&amp;')}</customer><note>${pick(l.sentences).replace(/&/g, '&amp;').replace(/</g, '&lt;')}</note></order>`),
  token: () => get('', [`Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${Buffer.from(JSON.stringify({ sub: below(1000), name: 'Bob' })).toString('base64url')}.${blob(32).replace(/[+/=]/g, '_')}`, 'X-Forwarded-For: 198.51.100.7, 10.0.0.3'], '/api/v2/users/17/orders'),
  date: () => get(`start=${date()}T00:00:00%2B01:00&end=${date()}&tz=Europe/Zurich&max=${price().replace(/[ €%$,]/g, '')}`, [], '/calendar'),
  autocomplete: l => { const s = pick(l.searches); return get(`term=${percent(s.slice(0, 1 + below(s.length)))}`, [], '/suggest'); },
};

function* benignCorpus() {
  const kinds = Object.keys(everyday);
  for (let i = 0; i < (options.count ?? 5200); i++) {
    const name = kinds[i % kinds.length];
    yield [name, everyday[name](language())];
  }
}

const corpus = { benign: benignCorpus, attacks: attackCorpus }[kind];
if (corpus === undefined) {
  process.stderr.write('usage: tools/gen-corpus.mjs benign|attacks [--seed N] [--count N] [--half a|b] [--encodings]\n');
  process.exit(2);
}
const out = [];
for (const [name, text] of corpus()) out.push(`### ${name}\r\n${text}\r\n`);
process.stdout.write(out.join(''));
