import { createRequire } from 'node:module'
import { existsSync } from 'node:fs'
import path from 'node:path'

const require = createRequire(import.meta.url)
export const { DDWAF, Prepared } = require('../index.js')

const folder = process.env.HOTGATE_NODE_PEER || ''
/** The official client, or null where it is not installed. */
export const Peer = folder && existsSync(path.join(folder, 'package.json')) ? require(folder).DDWAF : null

/** What must be equal: durations and random ids vary, order of keys and of sets does not count. */
export function comparable (value) {
  return JSON.parse(JSON.stringify(value, (key, v) => {
    if (key === 'duration') return typeof v
    if (v instanceof Set) return [...v].sort()
    if (typeof v === 'string') return v.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')
    return v
  }))
}

export function outcome (f) {
  try {
    return comparable({ value: f() })
  } catch (e) {
    return { thrown: e.constructor.name, message: e.message }
  }
}

export const rule = (id, address, operator, parameters, extra = {}) => ({
  id, name: id, tags: { type: 't-' + id, category: 'c' },
  conditions: [{ operator, parameters: { inputs: [{ address }], ...parameters } }], ...extra
})

export const simple = () => ({
  version: '2.2', metadata: { rules_version: '1.2.3' },
  rules: [rule('r1', 'x', 'match_regex', { regex: 'bad' }, { on_match: ['block'] }),
    rule('r2', 'y', 'match_regex', { regex: 'attr' }, { output: { event: false, keep: true, attributes: { '_dd.x': { value: 'v' } } } })]
})
