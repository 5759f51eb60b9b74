// The official client (npm @datadog/native-appsec) gives the same answers with this build's libddwaf.so in place of its
// own: every method of its interface is driven in one process a library, and /proc/self/maps says which file ran.
import assert from 'node:assert'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const build = process.env.HOTGATE_BUILD
const source = process.env.HOTGATE_SOURCE
const official = path.join(build, 'peers/node_modules/@datadog/native-appsec')
const ours = path.join(build, 'ddwaf1/libddwaf.so')
const prebuild = 'prebuilds/linuxglibc-x64'

if (!fs.existsSync(path.join(official, prebuild)) || !fs.existsSync(ours)) {
  console.log('skipped: the official client or this build\'s library is not there')
  process.exit(77)
}

// A copy of the package next to its dependency, with our library.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hotgate-client-'))
const copy = path.join(folder, 'node_modules/@datadog/native-appsec')
fs.cpSync(official, copy, { recursive: true })
fs.cpSync(path.join(official, '../../node-gyp-build'), path.join(folder, 'node_modules/node-gyp-build'), { recursive: true })
fs.copyFileSync(ours, path.join(copy, prebuild, 'libddwaf.so'))

function drive (packageFolder) {
  const script = path.join(source, 'tests/compat/client_drive.cjs')
  const output = execFileSync(process.execPath, [script, packageFolder], { maxBuffer: 1 << 26 })
  const { library, answers } = JSON.parse(output)
  assert.deepStrictEqual(library, [path.join(fs.realpathSync(packageFolder), prebuild, 'libddwaf.so')])
  return answers
}

try {
  const expected = drive(official)
  const actual = drive(copy)
  assert.strictEqual(actual.length, expected.length)
  for (let i = 0; i < expected.length; i++) {
    assert.deepStrictEqual(actual[i], expected[i], `answer ${i} (${expected[i][0]}) differs:\n` +
      `official ${JSON.stringify(expected[i][1])}\nours     ${JSON.stringify(actual[i][1])}`)
  }
  console.log(`${expected.length} answers are equal`)
} finally {
  fs.rmSync(folder, { recursive: true })
}
