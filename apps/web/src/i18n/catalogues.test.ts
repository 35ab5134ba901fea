import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { LOCALES, MAILED_SEVERITIES, MAILED_TYPES } from '@custodia/contract'
import { AREAS, getFolder } from './areas.ts'

/** Reads pairs of source text and translation. */
async function getEntries(locale: string): Promise<[source: string, translation: string][]> {
  const files = AREAS.map((area) => `./locales/${getFolder(area)}${locale}.po`)
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, import.meta.url), 'utf8')))
  const unfolded = texts.join('\n').replaceAll('"\n"', '')
  return [...unfolded.matchAll(/^msgid "(.+)"\nmsgstr "(.*)"$/gm)].map(([, id = '', value = '']) => [
    id,
    value,
  ])
}

const plurals = (text: string): string[] => [...text.matchAll(/\{\w+, plural,/g)].map(([match]) => match)
const holes = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}|<\/?\d+\/?>/g)].map(([match]) => match).sort()

for (const locale of LOCALES) {
  test(`${locale}: every plural has the form "other"`, async () => {
    for (const [, translation] of await getEntries(locale)) {
      const forms = translation.match(/\bother \{/g)?.length ?? 0
      assert.ok(forms >= plurals(translation).length, translation)
    }
  })
}

// The built catalogues leave out texts without placeholders, which are in the scripts.
test('en-GB: a translation is its source text', async () => {
  for (const [source, translation] of await getEntries('en-GB')) assert.equal(translation, source)
})

test('pt-BR: every plural has the form "many", which millions take', async () => {
  for (const [, translation] of await getEntries('pt-BR')) {
    const forms = translation.match(/\bmany \{/g)?.length ?? 0
    assert.ok(forms >= plurals(translation).length, translation)
  }
})

test('pt-BR: a translation has the same placeholders and tags as its source', async () => {
  for (const [source, translation] of await getEntries('pt-BR')) {
    if (translation === '' || plurals(source).length > 0) continue
    assert.deepEqual(holes(translation), holes(source), source)
  }
})

test('pt-BR: a phrase has the same translation in all areas', async () => {
  const stated = new Map<string, string>()
  for (const area of AREAS) {
    const text = await readFile(new URL(`./locales/${getFolder(area)}pt-BR.po`, import.meta.url), 'utf8')
    const entries = text.replaceAll('"\n"', '').matchAll(/^((?:msgctxt ".*"\n)?msgid ".+")\nmsgstr "(.+)"$/gm)
    for (const [, id = '', value = ''] of entries) {
      assert.equal(value, stated.get(id) ?? value, `${id} in ${area}`)
      stated.set(id, value)
    }
  }
})

test('e-mails name severities and alert types as the portal does', async () => {
  const file = await readFile(new URL('./locales/pt-BR.po', import.meta.url), 'utf8')
  const entry = (context: string, { 'en-GB': en, 'pt-BR': pt }: { 'en-GB': string; 'pt-BR': string }) =>
    `\n${context}msgid "${en}"\nmsgstr "${pt}"\n`
  for (const phrase of Object.values(MAILED_SEVERITIES))
    assert.ok(file.includes(entry('msgctxt "severity"\n', phrase)), phrase['en-GB'])
  for (const phrase of Object.values(MAILED_TYPES))
    assert.ok(file.includes(entry('\n', phrase)), phrase['en-GB'])
})
