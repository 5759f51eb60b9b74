// The class interface, call by call, beside the official client.
import test from 'node:test'
import assert from 'node:assert/strict'
import { Worker } from 'node:worker_threads'
import { DDWAF, Peer, outcome, rule, simple } from './support.mjs'

/** Every method in good and bad use; returns a list of outcomes. */
function drive (Class) {
  const log = []
  const t = (name, f) => log.push([name, outcome(f)])
  t('version', () => Class.version())
  t('no arguments', () => new Class())
  t('no path', () => new Class(simple()))
  t('path is a number', () => new Class(simple(), 5))
  t('rules are a string', () => new Class('x', 'p'))
  t('empty rules', () => new Class({}, 'p'))
  t('rules are an array', () => new Class([], 'p'))
  t('config is a string', () => new Class(simple(), 'p', 'x'))
  t('config is null', () => new Class(simple(), 'p', null))
  t('config with a wrong key', () => new Class(simple(), 'p', { obfuscatorKeyRegex: 5 }))
  t('broken obfuscator', () => new Class(simple(), 'p', { obfuscatorKeyRegex: '(' }).diagnostics)
  const waf = new Class(simple(), 'p')
  t('own keys', () => Object.keys(waf))
  for (const key of ['diagnostics', 'knownAddresses', 'knownActions', 'configPaths', 'disposed']) t(key, () => waf[key])
  t('a bad update', () => waf.createOrUpdateConfig({ rules: [{ id: 'q' }] }, 'q'))
  t('diagnostics after it', () => waf.diagnostics)
  t('a good update', () => waf.createOrUpdateConfig({ custom_rules: [rule('c', 'cc', 'match_regex', { regex: 'z' })] }, 'q2'))
  t('addresses after it', () => waf.knownAddresses)
  t('paths after it', () => [...waf.configPaths].sort())
  t('update of nothing', () => waf.createOrUpdateConfig())
  t('update with a string', () => waf.createOrUpdateConfig('a', 'b'))
  t('update without path', () => waf.createOrUpdateConfig({}))
  t('update with a number as path', () => waf.createOrUpdateConfig({}, 5))
  t('removal of what is not there', () => waf.removeConfig('nope'))
  t('removal', () => waf.removeConfig('q2'))
  t('removal of nothing', () => waf.removeConfig())
  t('removal of a number', () => waf.removeConfig(4))
  t('removal of the last', () => { const w = new Class(simple(), 'p'); return [w.removeConfig('p'), w.configPaths, w.knownAddresses] })
  const c = waf.createContext()
  t('run without arguments', () => c.run())
  t('run without timeout', () => c.run({ persistent: { x: 'a' } }))
  t('run of a string', () => c.run('x', 10))
  t('run of nothing', () => c.run({}, 10))
  for (const timeout of ['10', -1, 0, NaN, Infinity, 0.5]) t('timeout ' + timeout, () => c.run({ persistent: { x: 1 } }, timeout))
  for (const kind of ['persistent', 'ephemeral']) {
    for (const v of ['s', [1], null, undefined]) t(`${kind} is ${v}`, () => c.run({ [kind]: v }, 1e6))
  }
  t('ephemeral twice', () => [c.run({ ephemeral: { x: 'bad e' } }, 1e6), c.run({ ephemeral: { x: 'bad e' } }, 1e6)])
  t('attributes', () => c.run({ persistent: { y: 'attr' } }, 1e6))
  t('a match', () => c.run({ persistent: { x: 'a bad b' } }, 1e6))
  t('the same again', () => c.run({ persistent: { x: 'a bad b' } }, 1e6))
  t('both', () => waf.createContext().run({ persistent: { y: 'attr' }, ephemeral: { x: 'bad' } }, 1e6))
  t('empty', () => c.run({ persistent: {} }, 1e6))
  t('dispose', () => [c.disposed, c.dispose(), c.disposed, c.dispose()])
  t('run after it', () => c.run({ persistent: { x: 1 } }, 1e6))
  const later = waf.createContext()
  t('dispose of the whole', () => [waf.dispose(), waf.disposed, waf.dispose(), waf.configPaths])
  t('a context of before', () => later.run({ persistent: { x: 'bad' } }, 1e6))
  t('a context after it', () => waf.createContext())
  t('an update after it', () => waf.createOrUpdateConfig({}, 'a'))
  t('a removal after it', () => waf.removeConfig('p'))
  t('stack traces', () => {
    const w = new Class({ rules: [rule('r', 'x', 'match_regex', { regex: 'bad' }, { on_match: ['stack_trace', 'block'] })] }, 'p')
    return w.createContext().run({ persistent: { x: 'bad' } }, 1e6)
  })
  t('obfuscation', () => {
    const w = new Class(simple(), 'p', { obfuscatorKeyRegex: 'password', obfuscatorValueRegex: 'SECRET' })
    return [w.createContext().run({ persistent: { x: { password: 'bad' } } }, 1e6), w.createContext().run({ persistent: { x: 'bad SECRET' } }, 1e6)]
  })
  return log
}

test('every call answers as the official client does', { skip: Peer === null && 'the official client is not installed' }, () => {
  const ours = drive(DDWAF), theirs = drive(Peer)
  for (let i = 0; i < theirs.length; i++) assert.deepEqual(ours[i], theirs[i])
})

test('prepared values give the same verdicts as the values they stand for', () => {
  const waf = new DDWAF({ rules: [rule('r', 'headers', 'match_regex', { regex: '^Arachni' })] }, 'p')
  const headers = DDWAF.prepare({ 'user-agent': 'Arachni/v1', accept: ['*/*', 1, null] })
  for (let i = 0; i < 3; i++) {
    const context = waf.createContext()
    const { events } = context.run({ persistent: { headers } }, 1e6)
    assert.deepEqual(events[0].rule_matches[0].parameters[0].key_path, ['user-agent'])
    context.dispose()
  }
  assert.equal(waf.createContext().run({ persistent: { headers: { deeper: headers } } }, 1e6).status, 'match')
})

test('contexts, prepared values and instances that nobody disposed of are collected', { skip: !globalThis.gc && 'needs --expose-gc' }, async () => {
  const waf = new DDWAF(simple(), 'p')
  const round = async () => {
    for (let i = 0; i < 20000; i++) {
      waf.createContext().run({ persistent: { x: 'fine '.repeat(20), p: DDWAF.prepare({ a: 'b'.repeat(100) }) } }, 1e6)
    }
    for (let i = 0; i < 4; i++) { globalThis.gc(); await new Promise(resolve => setTimeout(resolve, 5)) }
    return process.memoryUsage().rss
  }
  await round()
  await round()
  const before = await round(), after = await round()
  assert.ok(after < before * 1.1, `${before} -> ${after}`)
})

test('disposed contexts leave no memory behind', () => {
  const waf = new DDWAF(simple(), 'p')
  const input = { persistent: { x: { a: ['some text that is longer than fourteen bytes', 1, true], b: 'é' } } }
  const count = Number(process.env.HOTGATE_NODE_CONTEXTS || 100000)
  const run = n => {
    for (let i = 0; i < n; i++) {
      const context = waf.createContext()
      context.run(input, 1e6)
      context.dispose()
    }
    globalThis.gc?.()
    return process.memoryUsage().rss
  }
  run(count / 2)
  const before = run(count / 2), after = run(count)
  assert.ok(after < before * 1.05 + 4e6, `${before} -> ${after}`)
})

test('workers have contexts of their own', async () => {
  const code = `
    const { DDWAF } = require(${JSON.stringify(new URL('../index.js', import.meta.url).pathname)})
    const waf = new DDWAF(${JSON.stringify(simple())}, 'p')
    let matches = 0
    for (let i = 0; i < 2000; i++) {
      const c = waf.createContext()
      matches += c.run({ persistent: { x: i % 2 ? 'bad' : 'good' } }, 1e6).status === 'match'
      if (i % 3) c.dispose()
    }
    require('node:worker_threads').parentPort.postMessage(matches)`
  const results = await Promise.all([1, 2, 3].map(() => new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true })
    worker.once('message', resolve)
    worker.once('error', reject)
  })))
  assert.deepEqual(results, [1000, 1000, 1000])
})
