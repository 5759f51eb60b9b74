// Every kind of JavaScript value arrives as it does in the official client.
import test from 'node:test'
import assert from 'node:assert/strict'
import { DDWAF, Peer, comparable, rule } from './support.mjs'

const symbol = Symbol('s')
const deep = (n, wrap) => { let v = 'leaf'; for (let i = 0; i < n; i++) v = wrap(v); return v }
const cycle = { a: 1 }
cycle.self = cycle
class Inherits { constructor () { this.own = 1 } get getter () { return 2 } }
Inherits.prototype.inherited = 'x'

const values = [
  1, 1.5, -1, NaN, Infinity, -Infinity, 2 ** 53, 10n, 2n ** 64n - 1n, -5n, 2n ** 70n, true, false, null, undefined, 'str', '',
  'x'.repeat(4096), 'x'.repeat(4097), 'x'.repeat(5000), 'é'.repeat(2048), 'é'.repeat(2049), '€'.repeat(1366), '😀'.repeat(1024),
  '😀'.repeat(1500), '\ud800lone', 'end\ud83d', '\udc00', 'a\u0000b', symbol, () => 1, new Date(0), Buffer.from('abc'),
  new Uint8Array([1, 2]), new Map([['a', 1]]), new Set([1]), /re/, new Error('e'), [1,, 3], // eslint-disable-line no-sparse-arrays
  [undefined, null, symbol], { a: undefined, b: null, c: symbol, d () {}, [symbol]: 1 }, { toJSON () { return { j: 1 } } },
  { toJSON () { return 'text' } }, { toJSON () { return undefined } }, { toJSON: 5 }, deep(18, v => ({ k: v })),
  deep(19, v => ({ k: v })), deep(20, v => ({ k: v })), deep(25, v => ({ k: v })), deep(19, v => [v]), deep(21, v => [v]),
  Array.from({ length: 256 }, (_, i) => 'v' + i), Array.from({ length: 257 }, (_, i) => 'v' + i),
  Object.fromEntries(Array.from({ length: 300 }, (_, i) => ['k' + i, i])), cycle, [cycle, cycle], new Inherits(),
  Object.create(null, { z: { value: 1, enumerable: true }, h: { value: 2 } }), new String('boxed'), new Number(5), // eslint-disable-line no-new-wrappers
  new Proxy({ p: 1 }, {}), { ['k'.repeat(5000)]: 1 }, { '\ud83d': 'a', '\ude00': 'b' }, { 2: 'b', 1: 'a' }, new ArrayBuffer(4),
  Promise.resolve(1), -0, [], {}, { é: 'ü' }, ['\ud83d', '\ude00']
]

function rules () {
  return {
    version: '2.2',
    rules: values.map((_, i) => rule('r' + i, 'a' + i, 'match_regex', { regex: '.*', options: { min_length: 0 } })),
    processors: values.map((_, i) => ({
      id: 'p' + i, generator: 'extract_schema', evaluate: false, output: true,
      parameters: { mappings: [{ inputs: [{ address: 'a' + i }], output: 's' + i }] }
    }))
  }
}

function judge (waf, i, kind) {
  const context = waf.createContext()
  try {
    return comparable(context.run({ [kind]: { ['a' + i]: values[i] } }, 1e7))
  } finally {
    context.dispose()
  }
}

test('values are converted as by the official client', { skip: Peer === null && 'the official client is not installed' }, () => {
  const ours = new DDWAF(rules(), 'p')
  const theirs = new Peer(rules(), 'p')
  const canonical = v => JSON.stringify(v, (k, x) => x && typeof x === 'object' && !Array.isArray(x)
    ? Object.fromEntries(Object.entries(x).sort()) : x)
  const sortTypes = v => JSON.parse(JSON.stringify(v), (k, x) => // kinds of an array's elements are a set
    Array.isArray(x) && x.length === 2 && x[1] && typeof x[1] === 'object' && 'len' in x[1] ? [[...x[0]].map(canonical).sort(), x[1]] : x)
  for (let i = 0; i < values.length; i++) {
    for (const kind of ['persistent', 'ephemeral']) {
      assert.deepEqual(sortTypes(judge(ours, i, kind)), sortTypes(judge(theirs, i, kind)), `value ${i}, ${kind}`)
    }
  }
})

test('negative infinity keeps its sign', () => {
  const waf = new DDWAF({ rules: [rule('r', 'x', 'lower_than', { value: 0, type: 'float' })] }, 'p')
  assert.equal(waf.createContext().run({ persistent: { x: -Infinity } }, 1e6).status, 'match')
  assert.equal(waf.createContext().run({ persistent: { x: Infinity } }, 1e6).status, undefined)
})

test('what a getter or toJSON throws reaches the caller, and the next run works', () => {
  const waf = new DDWAF({ rules: [rule('r', 'x', 'match_regex', { regex: 'bad' })] }, 'p')
  const context = waf.createContext()
  assert.throws(() => context.run({ persistent: { x: { get y () { throw new RangeError('g') } } } }, 1e6), RangeError)
  assert.throws(() => context.run({ persistent: { x: { toJSON () { throw new RangeError('j') } } } }, 1e6), RangeError)
  assert.equal(context.run({ persistent: { x: 'bad' } }, 1e6).status, 'match')
})

test('sizes are measured where no rule looks', () => {
  const waf = new DDWAF({ rules: [rule('r', 'x', 'match_regex', { regex: 'bad' })] }, 'p')
  const metrics = v => waf.createContext().run({ persistent: { unknown: v } }, 1e6).metrics
  assert.deepEqual(metrics('é'.repeat(3000)), { maxTruncatedString: 6000 })
  assert.deepEqual(metrics(new Array(300).fill(1)), { maxTruncatedContainerSize: 300 })
  assert.deepEqual(metrics(deep(25, v => ({ v }))), { maxTruncatedContainerDepth: 20 })
})
