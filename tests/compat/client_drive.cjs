// Drives every method of the official client's DDWAF class and prints what it answers as JSON, with durations and
// identifiers made equal. usage: node client_drive.cjs PACKAGE_FOLDER
'use strict'

const fs = require('fs')
const { DDWAF } = require(process.argv[2])

const answers = []

// The order of the types in a schema is free.
function plain (value, anyOrder) {
  if (value instanceof Set) return [...value].sort()
  if (Array.isArray(value)) {
    const list = value.map(item => plain(item, anyOrder))
    return anyOrder ? list.sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1) : list
  }
  if (value && typeof value === 'object') {
    const copy = {}
    for (const key of Object.keys(value).sort()) {
      if (key === 'duration') copy[key] = typeof value[key]
      else if (key === 'stack_id' || key === 'security_response_id') copy[key] = /^[0-9a-f-]{36}$/.test(value[key])
      else copy[key] = plain(value[key], anyOrder || key === 'attributes')
    }
    return copy
  }
  return value === undefined ? '<undefined>' : value
}

function say (what, call) {
  try {
    answers.push([what, plain(call(), false)])
  } catch (error) {
    answers.push([what, { threw: error.message }])
  }
}

const match = (address, regex, extra = {}) => [{
  operator: 'match_regex',
  parameters: { inputs: [{ address, ...extra }], regex, options: { case_sensitive: false } }
}]

const rules = {
  version: '2.2',
  metadata: { rules_version: '1.3.1' },
  actions: [{ id: 'go', type: 'redirect_request', parameters: { location: '/away', status_code: 302 } }],
  rules: [
    { id: 'one', name: 'one', tags: { type: 'a', category: 'c' }, conditions: match('value.one', 'ev.l', { key_path: ['k'] }) },
    { id: 'two', name: 'two', tags: { type: 'b' }, conditions: match('value.two', '^\\d+$'), on_match: ['block', 'stack_trace'] },
    { id: 'three', name: 'three', tags: { type: 'c' }, conditions: match('value.three', 'x'), transformers: ['keys_only'], on_match: ['go'] },
    { id: 5, name: 'number', tags: { type: 'd' }, conditions: match('value.five', 'five') },
    { id: 100000, name: 'float id', tags: { type: 'e' }, conditions: match('value.six', 'six') },
    { id: 'gone', name: 'gone', tags: { type: 'f' }, conditions: match('value.seven', '(') },
    { id: 'later', name: 'later', tags: { type: 'g' }, conditions: match('value.eight', 'x'), min_version: '9.0.0' }
  ],
  rules_data: [{ id: 'ips', type: 'ip_with_expiration', data: [{ value: '1.2.3.4', expiration: 99999999999 }, { value: '5.6.7.8', expiration: 5 }] }],
  custom_rules: [{
    id: 'ip',
    name: 'ip',
    tags: { type: 'ip' },
    conditions: [{ operator: 'ip_match', parameters: { inputs: [{ address: 'http.client_ip' }], data: 'ips' } }]
  }, {
    id: 'out',
    name: 'out',
    tags: { type: 'o' },
    conditions: match('value.out', 'yes'),
    output: { event: false, keep: false, attributes: { 'a.literal': { value: 42 }, 'a.copy': { address: 'value.copy', key_path: ['k'] } } }
  }],
  processors: [{
    id: 'schema',
    generator: 'extract_schema',
    parameters: { mappings: [{ inputs: [{ address: 'server.request.body' }], output: '_dd.appsec.s.req.body' }] },
    evaluate: false,
    output: true
  }, {
    id: 'endpoint',
    generator: 'http_endpoint_fingerprint',
    parameters: {
      mappings: [{
        method: [{ address: 'server.request.method' }],
        uri_raw: [{ address: 'server.request.uri.raw' }],
        body: [{ address: 'server.request.body' }],
        query: [{ address: 'server.request.query' }],
        output: '_dd.appsec.fp.http.endpoint'
      }]
    },
    evaluate: false,
    output: true
  }]
}

say('version', () => DDWAF.version())
say('no rules', () => new DDWAF())
say('rules are no object', () => new DDWAF('x', 'path'))
say('no path', () => new DDWAF(rules))
say('bad rules', () => new DDWAF({}, 'path'))
say('bad obfuscator', () => new DDWAF(rules, 'path', { obfuscatorKeyRegex: 5 }))

const waf = new DDWAF(rules, 'main', { obfuscatorKeyRegex: 'passw', obfuscatorValueRegex: 'secret' })
say('diagnostics', () => waf.diagnostics)
say('knownAddresses', () => waf.knownAddresses)
say('knownActions', () => waf.knownActions)
say('configPaths', () => waf.configPaths.slice().sort())
say('disposed', () => waf.disposed)

function inContext (what, calls) {
  const context = waf.createContext()
  for (const [payload, timeout] of calls) say(what, () => context.run(payload, timeout === undefined ? 10000000 : timeout))
  say(what + ', disposed', () => context.disposed)
  context.dispose()
  say(what + ', run after dispose', () => context.run({ persistent: { 'value.one': 'x' } }, 1000))
  say(what + ', disposed', () => context.disposed)
  say(what + ', disposed twice', () => context.dispose())
}

const deep = (levels, leaf) => levels === 0 ? leaf : { k: deep(levels - 1, leaf) }

inContext('persistent', [
  [{ persistent: { 'value.one': { k: 'some EVIL text' }, 'value.five': 'five', 'value.six': ['six'] } }],
  [{ persistent: { 'value.one': { k: 'some evil text' } } }],
  [{ persistent: { 'value.two': '123', 'value.three': { x: 1, y: [true, null, undefined, 1.5] } } }]
])
inContext('ephemeral', [
  [{ ephemeral: { 'value.one': { k: 'evil' } } }],
  [{ ephemeral: { 'value.one': { k: 'evil' } } }],
  [{ persistent: { 'value.one': { k: 'evil' } }, ephemeral: { 'value.five': 'five' } }],
  [{ persistent: {}, ephemeral: {} }]
])
inContext('redaction', [[{ persistent: { 'value.one': { k: ['evil secret'] } } }], [{ persistent: { 'value.five': { passw: 'five' } } }]])
inContext('data', [[{ persistent: { 'http.client_ip': '5.6.7.8' } }], [{ persistent: { 'http.client_ip': '1.2.3.4' } }]])
inContext('attributes', [
  [{ persistent: { 'value.out': 'yes', 'value.copy': { k: ['first', 'second'] } } }],
  [{ persistent: { 'server.request.body': { a: [1, 'x', null, { b: true }], c: 1.5 } } }],
  [{ persistent: { 'server.request.method': 'GET', 'server.request.uri.raw': '/A?b#c', 'server.request.query': { Q: 1 } } }]
])
inContext('truncation', [
  [{ persistent: { 'value.one': { k: 'x'.repeat(5000) + 'evil' } } }],
  [{ persistent: { 'value.two': Array.from({ length: 300 }, (_, i) => 'n' + i).concat(['123']) } }],
  [{ persistent: { 'value.five': deep(25, 'five') } }]
])
inContext('errors', [
  [undefined], [null], [5], [{}], [{ persistent: 5 }], [{ ephemeral: 'x' }], [{ persistent: null, ephemeral: null }],
  [{ persistent: { 'value.one': { k: 'evil' } } }, -1], [{ persistent: { 'value.one': { k: 'evil' } } }, 'x'],
  [{ persistent: { 'value.one': { k: 'evil' } } }, 0], [{ persistent: { 'value.one': 10n, 'value.five': Symbol.iterator } }],
  [{ persistent: { 'value.five': { toJSON: () => 'five' } } }]
])

say('update', () => waf.createOrUpdateConfig({ rules_override: [{ id: 'one', on_match: ['block'] }, { id: 'two', enabled: false }] }, 'overrides'))
say('update, diagnostics', () => waf.diagnostics)
say('update, paths', () => waf.configPaths.slice().sort())
say('update, actions', () => waf.knownActions)
inContext('after update', [[{ persistent: { 'value.one': { k: 'evil' }, 'value.two': '123' } }]])
say('update with a bad one', () => waf.createOrUpdateConfig({ rules: [{ id: 'bad' }] }, 'bad'))
say('update with a bad one, diagnostics', () => waf.diagnostics)
say('update with a duplicate', () => waf.createOrUpdateConfig({ custom_rules: [{ id: 'one' }, { id: 'new', name: 'n', tags: { type: 'n' }, conditions: match('value.new', 'n') }] }, 'more'))
say('addresses', () => waf.knownAddresses)
say('remove', () => waf.removeConfig('overrides'))
say('remove again', () => waf.removeConfig('overrides'))
say('remove nothing', () => waf.removeConfig('nowhere'))
say('remove, paths', () => waf.configPaths.slice().sort())
inContext('after remove', [[{ persistent: { 'value.one': { k: 'evil' }, 'value.two': '123', 'value.new': 'n' } }]])
say('exclusion', () => waf.createOrUpdateConfig({ exclusions: [{ id: 'e', rules_target: [{ rule_id: 'one' }], on_match: 'monitor' }, { id: 'i', inputs: [{ address: 'value.five', key_path: ['*', 'hidden'] }] }] }, 'exclusions'))
inContext('after exclusion', [[{ persistent: { 'value.one': { k: 'evil' }, 'value.five': { a: { hidden: 'five' } } } }]])
say('update arguments', () => waf.createOrUpdateConfig())
say('update path', () => waf.createOrUpdateConfig({}, 5))
say('remove arguments', () => waf.removeConfig())
say('remove the rules', () => waf.removeConfig('main'))
say('remove the rules, addresses', () => waf.knownAddresses)
const living = waf.createContext()
waf.dispose()
say('disposed waf', () => waf.disposed)
say('context of a disposed waf', () => waf.createContext())
say('update of a disposed waf', () => waf.createOrUpdateConfig({}, 'x'))
say('living context', () => living.run({ persistent: { 'value.new': 'n' } }, 10000000))
living.dispose()
say('disposed twice', () => waf.dispose())

const loaded = fs.readFileSync('/proc/self/maps', 'utf8').split('\n').filter(line => line.includes('libddwaf.so'))
  .map(line => line.slice(line.indexOf('/')))
console.log(JSON.stringify({ library: [...new Set(loaded)], answers }))
