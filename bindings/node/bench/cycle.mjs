// The whole cycle (context, conversion, run, dispose) beside @datadog/native-appsec, same process, interleaved, medians of
// processor time (other processes would be measured by the wall clock). "new" requests differ from each other in their
// path, query, session and body, so that nothing learned from one answers the next.
// usage: node bench/cycle.mjs RULES.json PEER_FOLDER [--json]
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

const require = createRequire(import.meta.url)
const rules = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const engines = { hotgate: require('../index.js').DDWAF, peer: require(process.argv[3]).DDWAF }

function nested (depth, attack) {
  const root = attack
    ? { 'server.request.headers.no_cookies': { 'user-agent': 'Arachni/v1' } }
    : { toto: { 'user-agent': 'tata' } }
  let current = root
  for (let i = 0; i < depth; i++) {
    if (i % 2 === 0) {
      current.list = [true, false, false, false, true, 123, 'lorem', 'ipsum', 'dolor', 'server.request.cookies',
        { something: '.htaccess', something2: ';shutdown--' }]
    }
    const next = { lorem: 'ipsum', dolor: 'sit', amet: 'amet', lorem2: 'dolor2', sit2: true, amet3: 4356 }
    current.item = next
    current = next
  }
  return root
}

const headers = {
  host: 'shop.example.com', accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.7,fr;q=0.3', 'accept-encoding': 'gzip, deflate, br', connection: 'keep-alive',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', referer: 'https://shop.example.com/',
  'upgrade-insecure-requests': '1', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin',
  'x-forwarded-for': '203.0.113.7'
}
const get = {
  'server.request.method': 'GET', 'server.request.uri.raw': '/catalogue/shoes?colour=red&size=42&sort=price&page=2&q=running',
  'server.request.query': { colour: 'red', size: '42', sort: 'price', page: '2', q: 'running' },
  'server.request.headers.no_cookies': headers, 'server.request.cookies': { session: 'b3f1c9a07e', theme: 'dark', lang: 'en' },
  'http.client_ip': '203.0.113.7', 'server.response.status': '200'
}
const items = Array.from({ length: 24 }, (_, i) => ({
  sku: `SKU-${1000 + i}`, title: `Running shoe number ${i}`, price: 49.5 + i, tags: ['sport', 'new', `size-${36 + i % 10}`],
  stock: { warehouse: 'north', count: i * 3, reserved: i % 2 === 0 }
}))
const post = { ...get, 'server.request.method': 'POST', 'server.request.body': { order: 'A-77', items } }
const attack = { ...get, 'server.request.query': { ...get['server.request.query'], q: "1' OR '1'='1' UNION SELECT password FROM users--" } }

const VARIANTS = 512
const variants = make => Array.from({ length: VARIANTS }, (_, i) => make(i, (i * 2654435761 >>> 0).toString(36)))
const newGet = (i, id) => ({
  ...get, 'server.request.uri.raw': `/catalogue/${id}?colour=red&size=${i}&sort=price&page=2&q=running+${id}`,
  'server.request.query': { colour: 'red', size: String(i), sort: 'price', page: '2', q: `running ${id}` },
  'server.request.headers.no_cookies': { ...headers, referer: `https://shop.example.com/from/${id}` },
  'server.request.cookies': { session: `b3f1c9a07e${id}`, theme: 'dark', lang: 'en' }
})
const newPost = (i, id) => ({
  ...newGet(i, id), 'server.request.method': 'POST',
  'server.request.body': { order: id, items: items.map(item => ({ ...item, sku: item.sku + id, title: item.title + id })) }
})
const newAttack = (i, id) => ({
  ...newGet(i, id), 'server.request.query': { q: `1' OR '${id}'='${id}' UNION SELECT password FROM users--` }
})

const cases = {
  'new benign GET': variants(newGet), 'new JSON POST': variants(newPost), 'new attack GET': variants(newAttack),
  'benign GET': get, 'JSON POST': post, 'attack GET': attack, 'NestedMap(10)': nested(10), 'NestedMap(100)': nested(100),
  'NestedMap(10, attack)': nested(10, true), 'NestedMap(100, attack)': nested(100, true)
}
const wafs = Object.fromEntries(Object.entries(engines).map(([name, DDWAF]) => [name, new DDWAF(rules, 'rules')]))

function cycle (waf, persistent) {
  const context = waf.createContext()
  const result = context.run({ persistent }, 1e6)
  context.dispose()
  return result
}

function time (waf, inputs, count) {
  const start = process.cpuUsage()
  for (let i = 0; i < count; i++) cycle(waf, inputs[i % inputs.length])
  const used = process.cpuUsage(start)
  return (used.user + used.system) * 1e3 / count
}

const median = v => v.sort((a, b) => a - b)[v.length >> 1]
const json = process.argv.includes('--json')
if (!json) console.log('case'.padEnd(24), 'hotgate µs'.padStart(11), 'peer µs'.padStart(11), 'ratio'.padStart(8))
for (const [name, given] of Object.entries(cases)) {
  const input = Array.isArray(given) ? given : [given]
  const counts = {}, times = { hotgate: [], peer: [] }
  for (const [engine, waf] of Object.entries(wafs)) {
    time(waf, input, 300)
    counts[engine] = Math.max(10, Math.round(8e6 / time(waf, input, 50)))
  }
  for (let round = 0; round < 21; round++) {
    for (const [engine, waf] of Object.entries(wafs)) {
      const ns = time(waf, input, counts[engine])
      times[engine].push(ns)
      if (json) {
        console.log(JSON.stringify({ suite: 'node', class: 'cycle', method: name, params: '', toolchain: engine, launch: 0,
          iteration: round, stage: 'measured', ops: counts[engine], ns: Math.round(ns * counts[engine]) }))
      }
    }
  }
  const [ours, theirs] = [median(times.hotgate), median(times.peer)]
  if (!json) {
    console.log(name.padEnd(24), (ours / 1e3).toFixed(2).padStart(11), (theirs / 1e3).toFixed(2).padStart(11),
      (theirs / ours).toFixed(1).padStart(8))
  }
}
