// The embedded rules against the corpora: what is caught of attacks the rules were not written against, by class; what
// everyday traffic sets off; the same verdict under twelve encodings. Prints the tables of docs/rules.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const hotgate = join(process.env.HOTGATE_BUILD, 'hotgate');
const source = process.env.HOTGATE_SOURCE;
const seed = process.env.SEED ?? '1';
const work = mkdtempSync(join(tmpdir(), 'hotgate-corpus-'));
const failures = [];
const check = (name, holds, detail) => { if (!holds) failures.push(`${name}: ${detail}`); };

function judge(...options) {
  const text = execFileSync(process.execPath, [join(source, 'tools/gen-corpus.mjs'), ...options], { maxBuffer: 1 << 30, encoding: 'latin1' });
  const file = join(work, 'corpus.http');
  writeFileSync(file, text, 'latin1');
  const labels = [...text.matchAll(/^### ([^\r\n]*)/gm)].map(m => m[1]);
  const result = spawnSync(hotgate, ['scan', '--format', 'json', '--all', file], { maxBuffer: 1 << 30, encoding: 'utf8' });
  const verdicts = result.stdout.trimEnd().split('\n').map(line => JSON.parse(line));
  check('every request is read', verdicts.length === labels.length, `${verdicts.length} of ${labels.length}; ${result.stderr.slice(0, 500)}`);
  return verdicts.map((v, i) => ({ label: labels[i], hit: v.verdict === 'match', events: v.events, index: v.index }));
}
const share = (part, whole) => `${part} of ${whole} (${(100 * part / whole).toFixed(1)} %)`;

try {
  const attacks = judge('attacks', '--half', 'b', '--count', '2400', '--seed', seed);
  console.log('attacks of half b, by class');
  for (const label of new Set(attacks.map(a => a.label))) {
    const all = attacks.filter(a => a.label === label);
    console.log(`  ${label.padEnd(26)} ${share(all.filter(a => a.hit).length, all.length)}`);
  }
  const caught = attacks.filter(a => a.hit).length;
  console.log(`  ${'all'.padEnd(26)} ${share(caught, attacks.length)}`);
  check('at least 97 % of attacks are flagged', caught >= 0.97 * attacks.length, share(caught, attacks.length));

  const benign = judge('benign', '--count', '5200', '--seed', String(Number(seed) + 1));
  const flagged = benign.filter(b => b.hit);
  console.log(`everyday requests flagged: ${flagged.length} of ${benign.length}`);
  for (const b of flagged) console.log(`  ${b.index} ${b.label}: ${b.events.map(e => e.rule.id).join(', ')}`);
  check('at most one in 5,000 everyday requests is flagged', flagged.length <= Math.ceil(benign.length / 5000), String(flagged.length));
  const sure = flagged.filter(b => b.events.some(e => e.rule.tags.confidence === 'high'));
  check('no rule of high confidence flags an everyday request', sure.length === 0, sure.map(b => b.label).join());

  const encoded = judge('attacks', '--encodings', '--seed', seed);
  const encodings = 12, groups = [];
  for (let i = 0; i < encoded.length; i += encodings) groups.push(encoded.slice(i, i + encodings));
  const uneven = groups.filter(g => g.some(e => e.hit) && !g.every(e => e.hit));
  console.log(`attacks judged alike under ${encodings} encodings: ${share(groups.length - uneven.length, groups.length)}`);
  check('an attack is judged alike under all encodings', uneven.length === 0, uneven.slice(0, 5).map(g => g.filter(e => !e.hit).map(e => e.label).join(' ')).join('; '));
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAIL ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
