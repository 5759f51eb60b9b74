'use strict'
// The class interface of @datadog/native-appsec 11, on Hotgate's engine.

const path = require('path')
const encode = require('./encode')
const { Prepared } = encode

function load () {
  const places = [process.env.HOTGATE_NODE_ADDON, path.join(__dirname, 'hotgate.node'),
    path.join(__dirname, '../../build/node/hotgate.node')]
  for (const place of places) {
    if (place && require('fs').existsSync(place)) return require(place)
  }
  throw new Error('hotgate.node is not built; see README.md')
}

const native = load()
const out = encode.start(native)
const STATUS = 0, MATCH = 1, TIMEOUT = 2, DURATION = 3, KEEP = 4
const INVALID_OBJECT = -2, INTERNAL = -3

// What was never disposed of is freed when it is collected.
const contexts = new FinalizationRegistry(slot => native.contextFree(slot))
const preparations = new FinalizationRegistry(slot => native.forget(slot))

const isObject = v => (typeof v === 'object' && v !== null) || typeof v === 'function'

class DDWAFContext {
  #slot
  #known // addresses of the instance
  #kept = null // what was prepared lives as long as the context

  constructor (slot, known) {
    this.#slot = slot
    this.#known = known
    contexts.register(this, slot, this)
  }

  get disposed () { return this.#slot === -1 }

  run (payload, timeout) {
    if (this.#slot === -1) throw new Error('Calling run on a disposed context')
    if (arguments.length < 2) throw new Error('Wrong number of arguments, 2 expected')
    if (!isObject(payload)) throw new TypeError('Payload data must be an object')
    if (typeof timeout !== 'number') throw new TypeError('Timeout argument must be a number')
    const persistent = payload.persistent
    const ephemeral = payload.ephemeral
    if (!isObject(persistent) && !isObject(ephemeral)) {
      throw new TypeError('Persistent or ephemeral must be an object')
    }
    if (!(timeout >= 1 && timeout < Infinity)) throw new TypeError('Timeout argument must be greater than 0')

    encode.begin(true)
    if (isObject(persistent)) encode.root(persistent, this.#known)
    else encode.missing()
    if (isObject(ephemeral)) encode.root(ephemeral, this.#known)
    else encode.missing()
    const metrics = encode.metrics()
    if (Array.isArray(persistent) || Array.isArray(ephemeral)) return { metrics, errorCode: INVALID_OBJECT }
    const { ops, numbers, text, kept } = encode.stream()
    if (kept !== null) this.#kept = this.#kept ? this.#kept.concat(kept) : kept

    const found = native.contextRun(this.#slot, ops, numbers, text, timeout)
    if (out[STATUS] !== 0) return { metrics, errorCode: INTERNAL }
    const result = { metrics, timeout: out[TIMEOUT] !== 0, keep: out[KEEP] !== 0 }
    if (out[DURATION] !== 0) result.duration = out[DURATION]
    if (out[MATCH] !== 0) {
      result.status = 'match'
      result.events = found[0]
      result.actions = found[1]
      if (found[2] !== undefined) result.attributes = found[2]
    } else if (found !== undefined) {
      result.attributes = found
    }
    return result
  }

  dispose () {
    if (this.#slot === -1) return
    contexts.unregister(this)
    native.contextFree(this.#slot)
    this.#slot = -1
    this.#kept = null
  }
}

function pattern (config, name) {
  const value = config[name]
  if (value === undefined) return ''
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
  return value
}

class DDWAF {
  #builder
  #waf
  #addresses

  constructor (rules, rulesPath, config) {
    if (arguments.length < 2) throw new Error('Wrong number of arguments, expected at least 2')
    if (!isObject(rules)) throw new TypeError('First argument must be an object')
    if (typeof rulesPath !== 'string') throw new TypeError('Second argument must be a string')
    if (config !== undefined && !isObject(config)) throw new TypeError('Second argument must be an object')
    this.#builder = native.builderNew(config ? pattern(config, 'obfuscatorKeyRegex') : '',
      config ? pattern(config, 'obfuscatorValueRegex') : '')
    this.diagnostics = {}
    this.knownAddresses = new Set()
    this.knownActions = new Set()
    this.#load(rules, rulesPath)
    if (!this.#build()) throw new Error('Invalid rules')
  }

  static version () { return native.version }

  /** Converts a value once. The result may stand in place of it in any payload, as long as the value stays the same. */
  static prepare (value) {
    encode.begin(true)
    encode.write(value, 2)
    const { ops, numbers, text } = encode.stream()
    const prepared = new Prepared(native.prepare(ops, numbers, text))
    preparations.register(prepared, prepared.slot)
    return prepared
  }

  #load (config, path) {
    if (path === '') return false
    encode.begin(false)
    encode.write(config, 1)
    const { ops, numbers, text } = encode.stream()
    const [loaded, diagnostics] = native.builderSet(this.#builder, path, ops, numbers, text)
    this.diagnostics = diagnostics
    return loaded
  }

  #build () {
    const built = native.builderBuild(this.#builder)
    if (built === undefined) return false
    this.#waf = built[0]
    this.knownAddresses = new Set(built[1])
    this.#addresses = new Set(built[1]) // ours: the public one may be changed by its user
    this.knownActions = new Set(built[2])
    return true
  }

  get disposed () { return this.#builder === null }
  get configPaths () { return this.#builder === null ? [] : native.builderPaths(this.#builder) }

  createOrUpdateConfig (config, path) {
    if (this.#builder === null) throw new Error('Could not update a disposed WAF instance')
    if (arguments.length < 2) throw new Error('Wrong number of arguments, expected at least 2')
    if (!isObject(config)) throw new TypeError('First argument must be an object')
    if (typeof path !== 'string') throw new TypeError('Second argument must be a string')
    const loaded = this.#load(config, path)
    this.#build() // without anything to judge with, the instance stays as it is
    return loaded
  }

  removeConfig (path) {
    if (this.#builder === null) throw new Error('Could not update a disposed WAF instance')
    if (arguments.length < 1) throw new Error('Wrong number of arguments, expected at least 1')
    if (typeof path !== 'string') throw new TypeError('First argument must be a string')
    const removed = native.builderRemove(this.#builder, path)
    if (removed) this.#build()
    return removed
  }

  createContext () {
    if (this.#builder === null) throw new Error('Calling createContext on a disposed DDWAF instance')
    return new DDWAFContext(native.contextNew(this.#waf), this.#addresses)
  }

  dispose () {
    this.#builder = this.#waf = null
  }
}

module.exports = { DDWAF, Prepared }
