import { fill, type Locale, type Phrase, phrase } from './phrases.ts'

/** Why a sealed log, a proof or a checkpoint is not good, by the codes of verifiers. The offline verifier has the English. */
export const LOG_FAULTS = {
  not_a_key: phrase('not a key: {text}', 'não é uma chave: {text}'),
  not_custodia: phrase(
    'cut off, or no file of Custodia: {text}',
    'cortado, ou não é um arquivo do Custodia: {text}',
  ),
  unknown_format: phrase(
    'neither a sealed log, a proof, nor a known signed document',
    'não é trilha selada, prova nem documento assinado conhecido',
  ),
  respelled: phrase(
    'not written as the server writes it: {text}',
    'não está escrito como o servidor escreve: {text}',
  ),
  unreadable: phrase(
    'nested too deep, or a number that no server writes',
    'aninhado demais, ou com um número que nenhum servidor escreve',
  ),
  proof_lines: phrase('a proof is one line', 'uma prova tem uma só linha'),
  proof_hashes: phrase('the proof is not a list of hashes', 'a prova não é uma lista de hashes'),
  not_included: phrase(
    'the proof does not show the entry at position {position} of {size}',
    'a prova não demonstra o registro na posição {position} de {size}',
  ),
  not_continued: phrase(
    'the log of {size} entries does not continue the one of {former}',
    'a trilha de {size} registros não continua a de {former}',
  ),
  checkpoint_missing: phrase('{checkpoint} is missing', '{checkpoint} não está presente'),
  checkpoint_unsigned: phrase(
    '{checkpoint} is not signed by a trusted key',
    '{checkpoint} não tem assinatura de uma chave confiável',
  ),
  checkpoint_invalid: phrase(
    '{checkpoint} is not a checkpoint',
    '{checkpoint} não é um ponto de verificação',
  ),
  checkpoint_of_other: phrase('{checkpoint} is of the log {origin}', '{checkpoint} é da trilha {origin}'),
  checkpoint_newer: phrase(
    'a checkpoint has more entries than the log: {size}',
    'um ponto de verificação tem mais registros que a trilha: {size}',
  ),
  different_logs: phrase(
    'the checkpoints are of different logs',
    'os pontos de verificação são de trilhas diferentes',
  ),
  cut_off: phrase(
    'your checkpoint has {size} entries, the log has {found}: it was cut off',
    'seu ponto de verificação tem {size} registros e a trilha tem {found}: ela foi cortada',
  ),
  forked: phrase(
    'your checkpoint of {size} entries has another root: the log was forked',
    'seu ponto de verificação de {size} registros tem outra raiz: a trilha foi bifurcada',
  ),
  other_root: phrase(
    'an entry from {from} to {to} is not the one that the checkpoint of {size} entries sealed',
    'um registro de {from} a {to} não é o que o ponto de verificação de {size} registros selou',
  ),
  other_count: phrase(
    'the file has {found} entries, its checkpoint has {size}',
    'o arquivo tem {found} registros e seu ponto de verificação tem {size}',
  ),
  entry_missing: phrase(
    'entry {position} is missing: position {found} follows',
    'falta o registro {position}: segue-se a posição {found}',
  ),
  entry_leaf: phrase(
    'entry {position} has no leaf of this version',
    'o registro {position} não tem uma folha desta versão',
  ),
  entry_respelled: phrase(
    'the leaf of entry {position} is not canonical',
    'a folha do registro {position} não é canônica',
  ),
  entry_changed: phrase(
    'entry {position} has other fields than were sealed',
    'o registro {position} tem campos diferentes dos que foram selados',
  ),
  entry_unsealed: phrase(
    'entry {position} has a member that nothing seals: {text}',
    'o registro {position} tem um membro que nada sela: {text}',
  ),
} as const satisfies Record<string, Phrase>

/** The checkpoints that faults name. */
const CHECKPOINTS = {
  newest: phrase('the checkpoint of the file', 'o ponto de verificação do arquivo'),
  former: phrase('an earlier checkpoint of the file', 'um ponto de verificação anterior do arquivo'),
  own: phrase('your checkpoint', 'seu ponto de verificação'),
} as const satisfies Record<string, Phrase>
export type NamedCheckpoint = keyof typeof CHECKPOINTS

/** A fault of a sealed log, a proof or a checkpoint. */
export interface LogFault {
  code: keyof typeof LOG_FAULTS
  values: Readonly<Record<string, string | number>>
  /** The file of an export that has the fault. */
  path?: string
}

/** The text of a fault in a language, its values filled in. */
export function logFaultPhrase({ code, values, path }: LogFault, locale: Locale): string {
  const named = CHECKPOINTS[values.checkpoint as NamedCheckpoint] as Phrase | undefined
  const text = fill(LOG_FAULTS[code][locale], named ? { ...values, checkpoint: named[locale] } : values)
  return path === undefined ? text : `${path}: ${text}`
}
