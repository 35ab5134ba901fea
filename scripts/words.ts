import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.ts'

/** Words that nobody searches for, each with what to write instead. */
const WORDS: Readonly<Record<string, string>> = {
  anybody: 'the actor (the reviewer, a device, another person)',
  beside: '"next to", "with"; in code a noun',
  besides: '"also", "other than"',
  doubts: 'warnings',
  evened: 'rechunk',
  fleeting: 'releaseAfterUse',
  goeson: 'hasMore',
  house: 'AppContext, server',
  judge: 'validate, preview',
  judged: 'validated, examined',
  judgement: 'verdict, validation',
  letgo: 'deleteBatch',
  nobody: '"no person", "no device", or the active sentence with its actor',
  somebody: 'the actor (the reviewer, the person, the administrator)',
  sought: 'search',
  told: 'notified, reported, response',
  twin: 'duplicate',
  universe: 'group index',
  vouched: 'verified',
  vouches: 'verifies',
  whoever: 'the actor (the reviewer, the device)',
  whom: 'a sentence that names the person',
  wished: 'requested, pending',
  wishes: 'requests',
}
const PHRASES: Readonly<Record<string, string>> = { 'it stands': 'the noun and a plain verb: "it is"' }

/** Not ours to word: speech of made-up people, the list itself, what a generator or a library writes. */
const LEFT = /^(tools\/simulator\/media\/|scripts\/words|package-lock)/

/** Names of an account, a Unix user and an npm package. */
const NAMES = /'nobody'|\buser nobody\b|\bworld-atlas\b/g

/** Declarations named by a lone participle, pronoun or preposition. */
const LONE_NAMES =
  /\b(?:type|interface|class|function) (?!Rolldown\b)((?:[A-Z][a-z]*(?:ed|wn|ept|eld)(?<!Speed|Feed|Seed))|By|Own|Who|What|When|Where|Whose|Given|Taken|Found|Heard|Made|Sent|Left|Done|Due|Nothing)\b(?= |<|\(|$)/g

const HITS = new RegExp(`\\b(?:${Object.keys(WORDS).join('|')}|${Object.keys(PHRASES).join('|')})\\b`, 'gi')

/** Forbidden words of one text: line (from 1), word, what to write instead. Identifiers are read word by word. */
export function wordsIn(text: string): { line: number; word: string; instead: string }[] {
  return text.split('\n').flatMap((line, i) => {
    const plain = line
      .replace(NAMES, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
    const words = [...plain.matchAll(HITS)].map(([word]) => {
      const key = word.toLowerCase()
      return { line: i + 1, word, instead: WORDS[key] ?? PHRASES[key] ?? '' }
    })
    const names = [...line.matchAll(LONE_NAMES)].map(([, word = '']) => ({
      line: i + 1,
      word,
      instead: 'a noun for the thing that it names',
    }))
    return [...words, ...names]
  })
}

if (import.meta.main) {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md', '*.sql', '*.po'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  let found = 0
  for (const file of files.split('\n').filter((name) => name && !LEFT.test(name)))
    for (const { line, word, instead } of wordsIn(readFileSync(join(ROOT, file), 'utf8'))) {
      console.error(`${file}:${line} "${word}": write ${instead}`)
      found++
    }
  if (found > 0)
    console.error(`${found} words of a private dialect. The glossary is the list in scripts/words.ts.`)
  process.exit(found > 0 ? 1 : 0)
}
