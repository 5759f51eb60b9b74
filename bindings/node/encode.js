'use strict'
// Walks a JavaScript value once and writes it as the flat stream that src/addon.h describes. The rules and limits are
// those of @datadog/native-appsec 11: own enumerable properties, every number a double, toJSON asked once, 4,096 bytes
// a string, 256 entries a container, 20 levels; what the 20th level holds becomes empty maps.
//
// State is in plain variables of this module, not in an object: the walk is the hottest code of the binding.

const INVALID = 0, NULL = 1, TRUE = 2, FALSE = 3, NUMBER = 4, STRING = 5, ARRAY = 6, MAP = 7, PREPARED = 8, MISSING = 9
const MAX_STRING = 4096, MAX_ENTRIES = 256, MAX_DEPTH = 20
const SHORT = Math.floor(MAX_STRING / 3) // units that cannot exceed the limit whatever they are

/** A value that was converted once and can be given again and again, see DDWAF.prepare. */
class Prepared {
  constructor (slot) { this.slot = slot }
}

let native
let ops = new Int32Array(4096), op = 0
let numbers = new Float64Array(1024), number = 0
const out = new Float64Array(8)
let text = ''
let limited = true
let maxString = 0, maxSize = 0, maxDepth = 0
let kept = null
const ancestors = []

const tell = () => native.setBuffers(ops, numbers, out)

function start (addon) {
  native = addon
  tell()
  return out
}

function begin (withLimits) {
  op = number = maxString = maxSize = maxDepth = 0
  text = ''
  limited = withLimits
  kept = null
  ancestors.length = 0
}

function metrics () {
  const m = {}
  if (maxString !== 0) m.maxTruncatedString = maxString
  if (maxSize !== 0) m.maxTruncatedContainerSize = maxSize
  if (maxDepth !== 0) m.maxTruncatedContainerDepth = maxDepth
  return m
}

function grow () {
  const larger = new Int32Array(ops.length * 2)
  larger.set(ops)
  ops = larger
  tell()
}

function growNumbers () {
  const larger = new Float64Array(numbers.length * 2)
  larger.set(numbers)
  numbers = larger
  tell()
}

// A lone high surrogate at the end would pair up with what follows in the joined text; alone it is U+FFFD anyway.
function append (s) {
  const length = s.length
  ops[op++] = length
  if (length === 0) return
  text += (s.charCodeAt(length - 1) & 0xfc00) === 0xd800 ? s.slice(0, -1) + '\ufffd' : s
}

// The true size of a text that may be too long; what is beyond the limit in any encoding is not handed over.
function cut (s) {
  const bytes = Buffer.byteLength(s)
  if (bytes <= MAX_STRING) return s
  if (bytes > maxString) maxString = bytes
  return s.length > MAX_STRING ? s.slice(0, MAX_STRING) : s
}

function count (size) {
  if (!limited || size <= MAX_ENTRIES) return size
  if (size > maxSize) maxSize = size
  return MAX_ENTRIES
}

function isAncestor (v) {
  for (let i = 0; i < ancestors.length; i++) if (ancestors[i] === v) return true
  return false
}

function write (v, level) {
  if (op + 4 > ops.length) grow()
  if (limited && level > MAX_DEPTH) {
    maxDepth = MAX_DEPTH
    ops[op++] = MAP
    ops[op++] = 0
    return
  }
  if (typeof v === 'string') {
    ops[op++] = STRING
    append(limited && v.length > SHORT ? cut(v) : v)
  } else if (typeof v === 'object') {
    if (v === null) ops[op++] = NULL
    else writeObject(v, level, true)
  } else if (typeof v === 'number') {
    if (number === numbers.length) growNumbers()
    numbers[number++] = v
    ops[op++] = NUMBER
  } else if (typeof v === 'boolean') {
    ops[op++] = v ? TRUE : FALSE
  } else {
    ops[op++] = INVALID
  }
}

function writeObject (v, level, ask) {
  if (ask && typeof v.toJSON === 'function') {
    const other = isAncestor(v) ? undefined : v.toJSON()
    if (typeof other === 'object' && other !== null) writeObject(other, level, false)
    else write(other, level)
    return
  }
  if (v instanceof Prepared) {
    (kept ??= []).push(v)
    ops[op++] = PREPARED
    ops[op++] = v.slot
    return
  }
  if (isAncestor(v)) {
    ops[op++] = INVALID
    return
  }
  ancestors.push(v)
  if (Array.isArray(v)) {
    const size = count(v.length)
    ops[op++] = ARRAY
    ops[op++] = size
    for (let i = 0; i < size; i++) write(v[i], level + 1)
  } else {
    const keys = Object.keys(v), size = count(keys.length)
    ops[op++] = MAP
    ops[op++] = size
    for (let i = 0; i < size; i++) {
      const key = keys[i]
      if (op === ops.length) grow()
      append(key)
      write(v[key], level + 1)
    }
  }
  ancestors.pop()
}

// The same walk for a value that no rule looks at: only what is cut is noted.
function measure (v, level) {
  if (level > MAX_DEPTH) {
    maxDepth = MAX_DEPTH
  } else if (typeof v === 'string') {
    if (v.length > SHORT) cut(v)
  } else if (typeof v === 'object' && v !== null && !(v instanceof Prepared) && !isAncestor(v)) {
    measureObject(v, level, true)
  }
}

function measureObject (v, level, ask) {
  if (ask && typeof v.toJSON === 'function') {
    const other = v.toJSON()
    if (typeof other === 'object' && other !== null) measureObject(other, level, false)
    else measure(other, level)
    return
  }
  ancestors.push(v)
  if (Array.isArray(v)) {
    const size = count(v.length)
    for (let i = 0; i < size; i++) measure(v[i], level + 1)
  } else {
    const keys = Object.keys(v), size = count(keys.length)
    for (let i = 0; i < size; i++) measure(v[keys[i]], level + 1)
  }
  ancestors.pop()
}

// A root: a map of addresses. Values at addresses outside `known` are measured and given as null.
function root (v, known) {
  if (typeof v.toJSON === 'function' || Array.isArray(v)) {
    write(v, 1)
    return
  }
  const keys = Object.keys(v), size = count(keys.length)
  ancestors.push(v)
  ops[op++] = MAP
  ops[op++] = size
  for (let i = 0; i < size; i++) {
    const address = keys[i]
    if (op + 4 > ops.length) grow()
    append(address)
    if (known.has(address)) {
      write(v[address], 2)
    } else {
      measure(v[address], 2)
      ops[op++] = NULL
    }
  }
  ancestors.pop()
}

function missing () {
  if (op === ops.length) grow()
  ops[op++] = MISSING
}

const stream = () => ({ ops: op, numbers: number, text, kept })

module.exports = { start, begin, write, root, missing, metrics, stream, Prepared }
